/* One call of a store, for tests that are scripts:
 *     store_probe get|twice|read|stat|list|put|new|write|copy|delete|below|hold URL [BYTES]
 * twice: the same as get, and once more; copy: the first BYTES bytes of it as a part.
 * get, read and write move at most or exactly BYTES bytes (default 2^20); `hold` gets an object and
 * aborts, so that a core dump can be searched. Prints "STATUS ERRNO TEXT" of a failure or "0 SIZE".
 */
#include "store_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static swathe_status count(void *user, const struct store_entry *entry)
{
    (void)entry;
    ++*(int64_t *)user;
    return SWATHE_OK;
}

static swathe_status read_all(struct store *store, const char *url, int64_t *size)
{
    swathe_reader reader;
    swathe_status status = store_reader(store, url, &reader);
    if (status != SWATHE_OK)
        return status;
    char *bytes = malloc((size_t)reader.size + 1);
    size_t got = 1;
    for (*size = 0; bytes && status == SWATHE_OK && *size < reader.size && got > 0;
         *size += (int64_t)got)
        status =
            reader.read_at(reader.user, *size, bytes + *size, (size_t)(reader.size - *size), &got);
    free(bytes);
    reader.destroy(reader.user);
    return status;
}

static swathe_status write_all(struct store *store, const char *url, int64_t size)
{
    unsigned char *bytes = check_bytes((size_t)size, 1);
    swathe_writer writer;
    swathe_status status = store_writer(store, url, &writer);
    if (status == SWATHE_OK) {
        status = writer.write(writer.user, bytes, (size_t)size);
        if (status == SWATHE_OK)
            status = writer.finish(writer.user);
        else
            writer.abandon(writer.user);
    }
    free(bytes);
    return status;
}

static swathe_status put(struct store *store, const char *url, int64_t size, int mode)
{
    unsigned char *bytes = check_bytes((size_t)size, 1);
    swathe_status status = store_put(store, url, bytes, (size_t)size, mode);
    free(bytes);
    return status;
}

static swathe_status call(struct store *store, const char *what, const char *url, int64_t *size)
{
    struct store_info info = {.size = 0};
    void *bytes = NULL;
    size_t got = 0;
    swathe_status status = SWATHE_ERROR_ARGUMENT;
    if (strcmp(what, "get") == 0 || strcmp(what, "hold") == 0)
        status = store_get(store, url, *size, &bytes, &got, &info);
    else if (strcmp(what, "twice") == 0) {
        status = store_get(store, url, *size, &bytes, &got, &info);
        free(bytes);
        bytes = NULL;
        if (status == SWATHE_OK)
            status = store_get(store, url, *size, &bytes, &got, &info);
    } else if (strcmp(what, "copy") == 0)
        status = store_parts_copy(store, url, "0123456789abcdef0123456789abcdef:u", 1, 0, url, 0,
                                  *size, &(struct store_part){0});
    else if (strcmp(what, "stat") == 0)
        status = store_stat(store, url, &info);
    else if (strcmp(what, "read") == 0)
        status = read_all(store, url, &info.size);
    else if (strcmp(what, "list") == 0)
        status = store_list(store, url, NULL, count, &info.size);
    else if (strcmp(what, "put") == 0 || strcmp(what, "new") == 0)
        status = put(store, url, *size, *what == 'n' ? STORE_NEW : STORE_REPLACE);
    else if (strcmp(what, "write") == 0)
        status = write_all(store, url, *size);
    else if (strcmp(what, "delete") == 0)
        status = store_delete(store, url);
    else if (strcmp(what, "below") == 0)
        status = store_delete_below(store, url);
    if (strcmp(what, "hold") == 0) {
        if (getenv("STORE_PLANTED")) /* a copy in ordinary memory, which the test must find */
            bytes = strdup(getenv("AWS_SECRET_ACCESS_KEY"));
        abort();
    }
    free(bytes);
    *size = info.size;
    return status;
}

int main(int argc, char **argv)
{
    const char *timeout = getenv("STORE_TIMEOUT_MS");
    const struct store_options options = {.timeout_ms = timeout ? atoi(timeout) : 0};
    struct store *store = NULL;
    int64_t size = argc > 3 ? atoll(argv[3]) : 1 << 20;
    if (argc < 3)
        return 2;
    swathe_status status = store_create(&options, &store);
    if (status == SWATHE_OK)
        status = call(store, argv[1], argv[2], &size);
    swathe_error error = SWATHE_INIT(swathe_error);
    if (status == SWATHE_OK)
        printf("0 %" PRId64 "\n", size);
    else if (swathe_error_get(&error) == SWATHE_OK)
        printf("%d %d %s\n", status, error.system, error.text);
    store_destroy(store);
    return status;
}
