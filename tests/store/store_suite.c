/* What every store must do: store_suite PREFIX [--only NAME]
 * PREFIX is a directory or s3://bucket/prefix/, ends in '/', and is empty. */
#include "store_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static void put_and_get(struct check *check)
{
    static const size_t sizes[] = {0, 1, 4095, 65536, 1000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *bytes = check_bytes(sizes[i], (uint32_t)i);
        const char *url = check_url(check, "put/and/get.bin");
        CHECK_OK(check, store_put(check->store, url, bytes, sizes[i], STORE_REPLACE));
        check_content(check, url, bytes, sizes[i]);
        free(bytes);
    }
}

static void stat_and_delete(struct check *check)
{
    const char *url = check_url(check, "stat");
    struct store_info first, second, third;
    CHECK_FAILS(check, store_stat(check->store, url, &first), SWATHE_ERROR_IO, ENOENT);
    CHECK_OK(check, store_put(check->store, url, "abc", 3, STORE_REPLACE));
    CHECK_OK(check, store_stat(check->store, url, &first));
    CHECK_OK(check, store_stat(check->store, url, &second));
    CHECK(check, first.size == 3 && *first.etag && strcmp(first.etag, second.etag) == 0);
    CHECK_OK(check, store_put(check->store, url, "abd", 3, STORE_REPLACE));
    CHECK_OK(check, store_stat(check->store, url, &third));
    CHECK(check, strcmp(first.etag, third.etag) != 0);
    CHECK_OK(check, store_delete(check->store, url));
    CHECK_FAILS(check, store_stat(check->store, url, &first), SWATHE_ERROR_IO, ENOENT);
    CHECK_OK(check, store_delete(check->store, url));
}

static void limits(struct check *check)
{
    const char *url = check_url(check, "limit");
    void *bytes = NULL;
    size_t size = 0;
    CHECK_OK(check, store_put(check->store, url, "0123456789", 10, STORE_REPLACE));
    CHECK_FAILS(check, store_get(check->store, url, 9, &bytes, &size, NULL), SWATHE_ERROR_LIMIT, 0);
    CHECK(check, bytes == NULL && size == 0);
    CHECK_OK(check, store_get(check->store, url, 10, &bytes, &size, NULL));
    free(bytes);
    bytes = NULL;
    CHECK_FAILS(check, store_get(check->store, check_url(check, "none"), 10, &bytes, &size, NULL),
                SWATHE_ERROR_IO, ENOENT);
}

static void new_objects(struct check *check)
{
    const char *url = check_url(check, "new");
    swathe_writer writer;
    CHECK_OK(check, store_put(check->store, url, "first", 5, STORE_NEW));
    CHECK_FAILS(check, store_put(check->store, url, "second", 6, STORE_NEW), SWATHE_ERROR_ARGUMENT,
                EEXIST);
    CHECK_FAILS(check, store_writer_new(check->store, url, &writer), SWATHE_ERROR_ARGUMENT, EEXIST);
    check_content(check, url, "first", 5);
    CHECK_OK(check, store_put(check->store, url, "third", 5, STORE_REPLACE));
    check_content(check, url, "third", 5);
}

/* The object appears between the opening of the writer and its end. */
static void new_writers(struct check *check, size_t size)
{
    const char *url = check_url(check, size < MIB ? "race/small" : "race/large");
    unsigned char *bytes = check_bytes(size, 5);
    swathe_writer writer;
    if (CHECK_OK(check, store_writer_new(check->store, url, &writer))) {
        CHECK_OK(check, writer.write(writer.user, bytes, size));
        CHECK_OK(check, store_put(check->store, url, "other", 5, STORE_REPLACE));
        CHECK_FAILS(check, writer.finish(writer.user), SWATHE_ERROR_ARGUMENT, EEXIST);
    }
    check_content(check, url, "other", 5);
    CHECK_OK(check, store_delete(check->store, url));
    if (CHECK_OK(check, store_writer_new(check->store, url, &writer))) {
        CHECK_OK(check, writer.write(writer.user, bytes, size));
        CHECK_OK(check, writer.finish(writer.user));
    }
    check_content(check, url, bytes, size);
    free(bytes);
}

static void races(struct check *check)
{
    new_writers(check, 1000);
    new_writers(check, 11 * MIB);
}

static void writers(struct check *check)
{
    static const size_t sizes[] = {0, 1, 5 * MIB, 5 * MIB + 1, 17 * MIB + 12345};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *url = check_url(check, "written/deep/er/x.bin");
        unsigned char *bytes = check_bytes(sizes[i], 77);
        struct store_info info;
        swathe_writer writer;
        CHECK_OK(check, store_delete(check->store, url));
        if (CHECK_OK(check, store_writer(check->store, url, &writer))) {
            for (size_t at = 0, some; at < sizes[i]; at += some) {
                some = sizes[i] - at < 700001 ? sizes[i] - at : 700001;
                CHECK_OK(check, writer.write(writer.user, bytes + at, some));
            }
            CHECK_FAILS(check, store_stat(check->store, url, &info), SWATHE_ERROR_IO, ENOENT);
            CHECK_OK(check, writer.finish(writer.user));
            check_content(check, url, bytes, sizes[i]);
        }
        free(bytes);
    }
}

static void abandoned(struct check *check)
{
    static const size_t sizes[] = {1000, 11 * MIB};
    for (size_t i = 0; i < 2; i++) {
        const char *url = check_url(check, "abandoned");
        unsigned char *bytes = check_bytes(sizes[i], 7);
        struct store_info info;
        swathe_writer writer;
        if (CHECK_OK(check, store_writer(check->store, url, &writer))) {
            CHECK_OK(check, writer.write(writer.user, bytes, sizes[i]));
            writer.abandon(writer.user);
            CHECK_FAILS(check, store_stat(check->store, url, &info), SWATHE_ERROR_IO, ENOENT);
        }
        free(bytes);
    }
}

static void read_ranges(struct check *check, const swathe_reader *reader,
                        const unsigned char *bytes)
{
    unsigned char *found = malloc((size_t)reader->size + 1);
    uint32_t random = 12345;
    for (int i = 0; found && i < 60; i++) {
        random = random * 1664525 + 1013904223;
        size_t offset = random % (uint32_t)reader->size;
        random = random * 1664525 + 1013904223;
        size_t count = 1 + random % ((uint32_t)reader->size - offset), got = 0;
        if (i % 3 == 0 && count > 100)
            count = 100;
        if (!CHECK_OK(check, reader->read_at(reader->user, (int64_t)offset, found, count, &got)))
            break;
        if (!CHECK(check, got >= 1 && got <= count && memcmp(found, bytes + offset, got) == 0))
            break;
    }
    free(found);
}

static void readers(struct check *check)
{
    static const size_t sizes[] = {1, 65536, 262144, 262145, 3000001};
    swathe_reader reader;
    CHECK_FAILS(check, store_reader(check->store, check_url(check, "none"), &reader),
                SWATHE_ERROR_IO, ENOENT);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *url = check_url(check, "read");
        unsigned char *bytes = check_bytes(sizes[i], 3);
        CHECK_OK(check, store_put(check->store, url, bytes, sizes[i], STORE_REPLACE));
        if (CHECK_OK(check, store_reader(check->store, url, &reader))) {
            CHECK(check, reader.size == (int64_t)sizes[i] && strcmp(reader.name, url) == 0);
            read_ranges(check, &reader, bytes);
            reader.destroy(reader.user);
        }
        free(bytes);
    }
    CHECK_OK(check, store_put(check->store, check_url(check, "read"), "", 0, STORE_REPLACE));
    if (CHECK_OK(check, store_reader(check->store, check_url(check, "read"), &reader))) {
        CHECK(check, reader.size == 0);
        reader.destroy(reader.user);
    }
}

static void changes(struct check *check)
{
    const char *url = check_url(check, "changing");
    size_t size = MIB, got;
    unsigned char *bytes = check_bytes(size, 1), *other = check_bytes(size, 2);
    char some[100];
    for (int gone = 0; gone < 2; gone++) {
        swathe_reader reader;
        CHECK_OK(check, store_put(check->store, url, bytes, size, STORE_REPLACE));
        if (!CHECK_OK(check, store_reader(check->store, url, &reader)))
            break;
        CHECK_OK(check, reader.read_at(reader.user, 900000, some, sizeof some, &got));
        if (gone)
            CHECK_OK(check, store_delete(check->store, url));
        else
            CHECK_OK(check, store_put(check->store, url, other, size, STORE_REPLACE));
        CHECK_FAILS(check, reader.read_at(reader.user, 900000, some, sizeof some, &got),
                    SWATHE_ERROR_IO, ESTALE);
        reader.destroy(reader.user);
    }
    free(bytes);
    free(other);
}

/* Keys in the order of their bytes: names whose directories would sort otherwise, and characters
 * that URLs, XML and queries treat specially. A file system cannot have both a/b and a/b/c. */
static const char *const keys[] = {
    "!x",
    "A",
    "a b/c d",
    "a!/x",
    "a%2Fb",
    "a&b=<c>",
    "a+b",
    "a-/q",
    "a-b",
    "a.b",
    "a.c/c",
    "a/b",
    "a/b.c/d",
    "a/c/d",
    "a0",
    "a=b",
    "a?b#c",
    "ab",
    "b'\"q",
    "deep/er/and/er",
    "z;,:@$",
    "z~_",
    "\xc3\xa4/\xe2\x82\xac",
};
enum { KEYS = sizeof keys / sizeof *keys };

struct seen {
    int found[KEYS]; /* indices of keys */
    int count, stop;
    int64_t size;
};

static swathe_status see(void *user, const struct store_entry *entry)
{
    struct seen *seen = user;
    if (seen->stop > 0 && seen->count == seen->stop)
        return SWATHE_ERROR_CANCELLED;
    for (int i = 0; i < KEYS; i++)
        if (strcmp(entry->key, keys[i]) == 0 && seen->count < KEYS) {
            seen->found[seen->count++] = i;
            seen->size += entry->size;
            return SWATHE_OK;
        }
    printf("    listed '%s'\n", entry->key);
    return swathe_error_set(SWATHE_ERROR_INPUT, "an unknown key, or too many");
}

static swathe_status no_entry(void *user, const struct store_entry *entry)
{
    (void)user;
    return strcmp(entry->key, "d") == 0 ? SWATHE_OK : SWATHE_ERROR_INPUT;
}

/* Lists what follows entry `first` - 1 of a complete listing. */
static void check_rest(struct check *check, const struct seen *all, int first)
{
    struct seen seen = {{0}, 0, 0, 0};
    const char *after = keys[all->found[first - 1]];
    CHECK_OK(check, store_list(check->store, check_url(check, "list/"), after, see, &seen));
    if (!CHECK(check,
               seen.count == KEYS - first && memcmp(seen.found, all->found + first,
                                                    (size_t)seen.count * sizeof *seen.found) == 0))
        printf("    after '%s': %d keys, of which the first is '%s'\n", after, seen.count,
               seen.count > 0 ? keys[seen.found[0]] : "");
}

static void listings(struct check *check)
{
    char key[256];
    struct seen all = {{0}, 0, 0, 0}, some = {{0}, 0, 5, 0}, none = {{0}, 0, 0, 0};
    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "list/%s", keys[i]);
        CHECK_OK(check, store_put(check->store, check_url(check, key), "12", 2, STORE_REPLACE));
    }
    CHECK_OK(check, store_list(check->store, check_url(check, "list/"), NULL, see, &all));
    if (!CHECK(check, all.count == KEYS && all.size == 2 * KEYS))
        return;
    for (int i = 1; i <= KEYS; i++)
        check_rest(check, &all, i);
    CHECK_FAILS(check, store_list(check->store, check_url(check, "list/"), "", see, &some),
                SWATHE_ERROR_CANCELLED, 0);
    CHECK(check, some.count == 5);
    check_content(check, check_url(check, "list/a b/c d"), "12", 2);
    check_content(check, check_url(check, "list/a%2Fb"), "12", 2);
    CHECK_OK(check, store_list(check->store, check_url(check, "list/a/c/"), NULL, no_entry, &none));
}

static swathe_status count_one(void *user, const struct store_entry *entry)
{
    char text[32];
    int *count = user;
    snprintf(text, sizeof text, "%05d", *count);
    (*count)++;
    return strcmp(text, entry->key) == 0 ? SWATHE_OK
                                         : swathe_error_set(SWATHE_ERROR_INPUT, entry->key);
}

/* More than a request lists. */
static void long_listing(struct check *check)
{
    char key[64];
    int count = 0, many = store_is_s3(check->prefix) ? 1100 : 110;
    for (int i = 0; i < many; i++) {
        snprintf(key, sizeof key, "many/%05d", i);
        if (!CHECK_OK(check, store_put(check->store, check_url(check, key), key, 3, STORE_REPLACE)))
            return;
    }
    CHECK_OK(check, store_list(check->store, check_url(check, "many/"), NULL, count_one, &count));
    CHECK(check, count == many);
    count = 51;
    CHECK_OK(check,
             store_list(check->store, check_url(check, "many/"), "00050", count_one, &count));
    CHECK(check, count == many);
}

static void put_parts(struct check *check, const char *url, const char *id,
                      const unsigned char *bytes, size_t size, struct store_part *parts)
{
    static const int order[] = {2, 0, 1};
    for (int i = 0; i < 3; i++) {
        int at = order[i];
        size_t offset = (size_t)at * 5 * MIB, count = at < 2 ? 5 * MIB : size - offset;
        CHECK_OK(check, store_parts_put(check->store, url, id, at + 1, (int64_t)offset,
                                        bytes + offset, count, &parts[at]));
    }
}

static void parts_of_an_object(struct check *check)
{
    const char *url = check_url(check, "parts/x");
    size_t size = 11 * MIB + 17;
    unsigned char *bytes = check_bytes(size, 9);
    struct store_part parts[3];
    struct store_info info;
    char id[1024];
    if (CHECK_OK(check, store_parts_begin(check->store, url, id, sizeof id))) {
        put_parts(check, url, id, bytes, size, parts);
        put_parts(check, url, id, bytes, size, parts); /* repeating does no harm */
        CHECK_FAILS(check, store_stat(check->store, url, &info), SWATHE_ERROR_IO, ENOENT);
        for (int i = 0; i < 2; i++) /* so does finishing twice */
            CHECK_OK(check, store_parts_finish(check->store, url, id, parts, 3, (int64_t)size));
        check_content(check, url, bytes, size);
        CHECK(check,
              store_parts_finish(check->store, url, id, parts, 3, (int64_t)size + 1) != SWATHE_OK);
        CHECK_OK(check, store_parts_abort(check->store, url, id));
        check_content(check, url, bytes, size);
    }
    url = check_url(check, "parts/aborted");
    if (CHECK_OK(check, store_parts_begin(check->store, url, id, sizeof id))) {
        put_parts(check, url, id, bytes, size, parts);
        CHECK_OK(check, store_parts_abort(check->store, url, id));
        CHECK_OK(check, store_parts_abort(check->store, url, id));
        CHECK(check,
              store_parts_finish(check->store, url, id, parts, 3, (int64_t)size) != SWATHE_OK);
        CHECK_FAILS(check, store_stat(check->store, url, &info), SWATHE_ERROR_IO, ENOENT);
        /* Another object of this size is not the result. */
        CHECK_OK(check, store_put(check->store, url, bytes, size, STORE_REPLACE));
        CHECK(check,
              store_parts_finish(check->store, url, id, parts, 3, (int64_t)size) != SWATHE_OK);
    }
    free(bytes);
}

/* Objects below a prefix and an upload that was abandoned; others stay. */
static void delete_below(struct check *check)
{
    const char *names[] = {"below/a/1", "below/a/2/3", "below/a/.x", "below/ab"};
    char upload[4096];
    unsigned char *bytes = check_bytes(6 * MIB, 3);
    struct store_part parts[1];
    struct store_info info;
    char id[1024];
    snprintf(upload, sizeof upload, "%s", check_url(check, "below/a/upload"));
    for (int i = 0; i < 4; i++)
        CHECK_OK(check, store_put(check->store, check_url(check, names[i]), "x", 1, STORE_REPLACE));
    CHECK_OK(check, store_parts_begin(check->store, upload, id, sizeof id));
    CHECK_OK(check, store_parts_put(check->store, upload, id, 1, 0, bytes, 6 * MIB, parts));
    for (int i = 0; i < 2; i++)
        CHECK_OK(check, store_delete_below(check->store, check_url(check, "below/a/")));
    for (int i = 0; i < 3; i++)
        CHECK_FAILS(check, store_stat(check->store, check_url(check, names[i]), &info),
                    SWATHE_ERROR_IO, ENOENT);
    CHECK_OK(check, store_stat(check->store, check_url(check, names[3]), &info));
    CHECK(check, store_parts_finish(check->store, upload, id, parts, 1, 6 * MIB) != SWATHE_OK);
    CHECK_FAILS(check, store_delete_below(check->store, check_url(check, "below/a")),
                SWATHE_ERROR_ARGUMENT, EINVAL);
    free(bytes);
}

static void copied_parts(struct check *check)
{
    const char *from = check_url(check, "copy/from a+b"), *url = check_url(check, "copy/to");
    size_t size = 12 * MIB;
    unsigned char *bytes = check_bytes(size, 11);
    struct store_part parts[2];
    char id[1024];
    CHECK_OK(check, store_put(check->store, from, bytes, size, STORE_REPLACE));
    if (CHECK_OK(check, store_parts_begin(check->store, url, id, sizeof id))) {
        CHECK_OK(check,
                 store_parts_copy(check->store, url, id, 1, 0, from, 1000, 6 * MIB, &parts[0]));
        CHECK_OK(check, store_parts_put(check->store, url, id, 2, 6 * MIB, bytes, 999, &parts[1]));
        CHECK_OK(check, store_parts_finish(check->store, url, id, parts, 2, 6 * MIB + 999));
        unsigned char *whole = malloc(6 * MIB + 999);
        if (whole) {
            memcpy(whole, bytes + 1000, 6 * MIB);
            memcpy(whole + 6 * MIB, bytes, 999);
            check_content(check, url, whole, 6 * MIB + 999);
        }
        free(whole);
    }
    free(bytes);
}

static void bad_urls(struct check *check)
{
    static const char *const bad[] = {
        "s3://",
        "s3://ab/x",
        "s3://Bucket/x",
        "s3://bucket",
        "s3://bucket/a//b",
        "s3://bucket/./a",
        "s3://bucket/a/..",
        "s3://bucket/../a",
        "s3://bucket/a\nb",
        "s3://user@host/x",
        "https://host/x",
        "s3://-ab/x",
        "s3://a..b/x",
        "",
    };
    static const char *const bad_keys[] = {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a\tb"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!CHECK(check, store_check_url(bad[i]) != SWATHE_OK))
            printf("    %s\n", bad[i]);
    for (size_t i = 0; i < sizeof bad_keys / sizeof *bad_keys; i++)
        if (!CHECK(check, store_check_key(bad_keys[i]) != SWATHE_OK))
            printf("    %s\n", bad_keys[i]);
    CHECK_OK(check, store_check_url("s3://bucket/"));
    CHECK_OK(check, store_check_url("s3://bucket/a/"));
    CHECK_OK(check, store_check_url("s3://bucket/...a/b"));
    CHECK_OK(check, store_check_url("../x"));
    CHECK_OK(check, store_check_key("a/.b/c..d"));
}

struct worker {
    struct check check;
    int number;
};

static void *work(void *user)
{
    struct worker *worker = user;
    char key[64], url[4096];
    for (uint32_t i = 0; i < 25; i++) {
        size_t size = 1000 + 977 * i;
        unsigned char *bytes = check_bytes(size, (uint32_t)worker->number);
        snprintf(key, sizeof key, "threads/%d-%u", worker->number, i);
        snprintf(url, sizeof url, "%s%s", worker->check.prefix, key);
        CHECK_OK(&worker->check, store_put(worker->check.store, url, bytes, size, STORE_NEW));
        check_content(&worker->check, url, bytes, size);
        free(bytes);
    }
    return NULL;
}

static void threads(struct check *check)
{
    enum { THREADS = 8 };
    struct worker workers[THREADS];
    pthread_t ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){*check, i};
        workers[i].check.failed = workers[i].check.passed = 0;
        if (pthread_create(&ids[i], NULL, work, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        check->failed += workers[i].check.failed;
        check->passed += workers[i].check.passed;
    }
}

static void counts(struct check *check)
{
    struct store_counts before, after;
    store_count(check->store, &before);
    CHECK_OK(check, store_put(check->store, check_url(check, "count"), "12345", 5, STORE_REPLACE));
    check_content(check, check_url(check, "count"), "12345", 5);
    store_count(check->store, &after);
    CHECK(check, after.bytes_written - before.bytes_written >= 5);
    CHECK(check, after.bytes_read - before.bytes_read >= 5);
}

/* A path that is too long for a file in a directory whose path is not: its size cannot be found. A
 * listing must fail and not leave it out. */
static void hidden_file(struct check *check)
{
    enum { LONGEST = 255 };
    char file[LONGEST + 1] = "", inner[201] = "";
    const char *url = check_url(check, "deep/");
    size_t size = strlen(url);
    int count = 0;
    if (store_is_s3(url) || !CHECK(check, mkdir(url, 0755) == 0))
        return;
    memset(inner, 'x', sizeof inner - 1);
    memset(file, 'y', LONGEST);
    int folder = open(url, O_RDONLY | O_DIRECTORY);
    for (; folder >= 0 && size + LONGEST < PATH_MAX; size += sizeof inner) {
        int made = mkdirat(folder, inner, 0755) == 0 ? openat(folder, inner, O_RDONLY) : -1;
        close(folder);
        folder = made;
    }
    int made = openat(folder, file, O_CREAT | O_WRONLY, 0644);
    CHECK(check, made >= 0);
    close(made);
    close(folder);
    CHECK_FAILS(check, store_list(check->store, url, NULL, count_one, &count), SWATHE_ERROR_IO,
                ENAMETOOLONG);
}

static const struct {
    const char *name;
    void (*run)(struct check *check);
} tests[] = {
    {"put", put_and_get},
    {"stat", stat_and_delete},
    {"limits", limits},
    {"new", new_objects},
    {"races", races},
    {"writers", writers},
    {"abandoned", abandoned},
    {"readers", readers},
    {"changes", changes},
    {"list", listings},
    {"long-list", long_listing},
    {"hidden-file", hidden_file},
    {"parts", parts_of_an_object},
    {"delete-below", delete_below},
    {"copies", copied_parts},
    {"urls", bad_urls},
    {"threads", threads},
    {"counts", counts},
};

int main(int argc, char **argv)
{
    const struct store_options options = {.part_bytes = 5 * MIB};
    struct check check = {.program = argv[0]};
    if (argc < 2) {
        fprintf(stderr, "usage: store_suite PREFIX/ [--only NAME]\n");
        return 2;
    }
    check.prefix = argv[1];
    check.only = argc > 3 ? argv[3] : NULL;
    if (!CHECK_OK(&check, store_create(&options, &check.store)))
        return 1;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        int failed = check.failed;
        if (check.only && strcmp(check.only, tests[i].name) != 0)
            continue;
        tests[i].run(&check);
        if (check.failed != failed)
            printf("FAILED %s; repeat with: %s %s --only %s\n", tests[i].name, argv[0], argv[1],
                   tests[i].name);
    }
    struct store_counts counted;
    store_count(check.store, &counted);
    store_destroy(check.store);
    printf("%d checks passed, %d failed, %lld requests, %lld repeated\n", check.passed,
           check.failed, (long long)counted.requests, (long long)counted.retries);
    return check.failed > 0;
}
