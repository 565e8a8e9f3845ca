#include "store_check.h"

#include <stdlib.h>
#include <string.h>

bool check_that(struct check *check, bool condition, const char *file, int line, const char *text)
{
    if (condition) {
        check->passed++;
        return true;
    }
    check->failed++;
    printf("%s:%d: does not hold: %s\n", file, line, text);
    return false;
}

bool check_status(struct check *check, swathe_status status, swathe_status wanted, int system,
                  const char *file, int line, const char *text)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    if (status != SWATHE_OK)
        swathe_error_get(&error);
    bool good = status == wanted && (system == 0 || error.system == system);
    if (good) {
        check->passed++;
        return true;
    }
    check->failed++;
    printf("%s:%d: %s\n    returned %d, errno %d (%s); expected %d, errno %d\n    %s\n", file, line,
           text, status, error.system, strerror(error.system), wanted, system,
           error.text ? error.text : "");
    return false;
}

const char *check_url(const struct check *check, const char *key)
{
    static char urls[8][4096];
    static int next;
    char *url = urls[next++ % 8];
    snprintf(url, sizeof urls[0], "%s%s", check->prefix, key);
    return url;
}

unsigned char *check_bytes(size_t size, uint32_t seed)
{
    unsigned char *bytes = malloc(size + 1);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (size_t i = 0; bytes && i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (unsigned char)(state >> 56);
    }
    if (!bytes)
        abort();
    return bytes;
}

void check_content(struct check *check, const char *url, const void *bytes, size_t size)
{
    void *found = NULL;
    size_t found_size = 0;
    struct store_info info;
    if (!CHECK_OK(check, store_get(check->store, url, INT64_MAX / 2, &found, &found_size, &info)))
        return;
    CHECK(check, found_size == size && info.size == (int64_t)size);
    CHECK(check, found_size == size && memcmp(found, bytes, size) == 0);
    free(found);
}
