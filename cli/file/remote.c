#include "file/remote.h"

#include "../../src/base/os_console.h"
#include "../../src/base/os_file.h"
#include "../../src/base/os_library.h"
#include "../../src/base/os_path.h"
#include "../../store/module.h"
#include "commands/command_line.h"
#include "terminal/interrupt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Its paths relative to the directory of this program, in a build and when installed, and its
 * configured path. */
static const char *const places[] = {"../store/swathe_store.so", SWATHE_STORE_NEAR,
                                     SWATHE_STORE_PATH};

/* Loaded once, and shared by all threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct store_module *module;
static struct store *store;

bool remote_is(const char *path)
{
    return strncmp(path, "s3://", 5) == 0;
}

static swathe_status remote_refuse(const char *format, const char *a, const char *b)
{
    char text[3 * OS_PATH];
    snprintf(text, sizeof text, format, a, b);
    return swathe_error_set(SWATHE_ERROR_UNSUPPORTED, text);
}

static swathe_status remote_use(const char *path)
{
    const char *error;
    void *library = os_library_open(path, &error);
    if (!library)
        return remote_refuse("s3:// URLs need a module that cannot be loaded: %s%s", error, "");
    const struct store_module *found = os_library_find(library, STORE_MODULE_SYMBOL);
    if (!found || strcmp(found->version, SWATHE_VERSION) != 0) {
        os_library_close(library);
        return remote_refuse("%s belongs to another version than this program, %s", path,
                             SWATHE_VERSION);
    }
    module = found;
    return SWATHE_OK;
}

/* Programs of Python packages are started by scripts. */
static bool is_script(const char *path)
{
    char start[2] = "";
    FILE *file = os_fopen(path, "rb");
    bool read = file && fread(start, 1, 2, file) == 2;
    if (file)
        fclose(file);
    return read && memcmp(start, "#!", 2) == 0;
}

/* The first command of this name in $PATH that is a program, and not the file `self`. */
static bool find_other(const char *self, char other[OS_PATH])
{
    struct os_about own, found;
    const char *at = os_environment("PATH");
    if (!at || os_about(self, &own) != 0)
        return false;
    for (; *at; at += *at == ':') {
        int length = (int)strcspn(at, ":");
        int size = snprintf(other, OS_PATH, "%.*s/swathe", length, at);
        if (length > 0 && size < OS_PATH && os_can_run(other) && os_about(other, &found) == 0 &&
            !(found.device == own.device && found.number == own.number) && !is_script(other))
            return true;
        at += length;
    }
    return false;
}

static swathe_status refuse_build(void)
{
    static const char place[] = "/swathe/bin/swathe"; /* within a Python package */
    char self[OS_PATH] = "", other[OS_PATH];
    size_t size = os_own_path(self, sizeof self) ? strlen(self) : 0, length = sizeof place - 1;
    if (size < length || strcmp(self + size - length, place) != 0)
        return remote_refuse(
            "this build has no s3:// support; on Linux, build Swathe with -Dstore=enabled%s%s", "",
            "");
    if (find_other(self, other))
        return remote_refuse(
            "%s is the command of the Python package, which has no s3:// support; use %s", self,
            other);
    return remote_refuse("%s is the command of the Python package, which has no s3:// support; "
                         "`meson install` installs a command that has%s",
                         self, "");
}

static swathe_status remote_load(void)
{
    char path[INSTALLED_PATH];
    if (!SWATHE_STORE_BUILT)
        return refuse_build();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (installed_path(places[i], path) && os_exists(path))
            return remote_use(path);
    }
    return remote_refuse("s3:// URLs need a module that is not installed: %s is missing; "
                         "`meson install` installs it%s",
                         SWATHE_STORE_PATH, "");
}

static swathe_status remote_start(void)
{
    const struct store_options options = {.cancelled = interrupt_asked};
    swathe_status status = SWATHE_OK;
    pthread_mutex_lock(&lock);
    if (!module)
        status = remote_load();
    if (status == SWATHE_OK && !store)
        status = module->create(&options, &store);
    pthread_mutex_unlock(&lock);
    return status;
}

swathe_status remote_open(swathe_context *context, const char *url,
                          const swathe_read_options *options, swathe_source **source)
{
    swathe_reader reader;
    swathe_status status = remote_start();
    if (status == SWATHE_OK)
        status = module->reader(store, url, &reader);
    return status == SWATHE_OK ? swathe_source_open(context, &reader, options, source) : status;
}

swathe_status remote_create(swathe_context *context, const char *url, const swathe_shape *shape,
                            const swathe_metadata *metadata, const swathe_write_options *options,
                            swathe_sink **sink)
{
    swathe_writer writer;
    interrupt_hold(1);
    swathe_status status = remote_start();
    if (status == SWATHE_OK)
        status = (options->overwrite ? module->writer : module->writer_new)(store, url, &writer);
    if (status != SWATHE_OK)
        return status;
    return swathe_sink_create(context, &writer, shape, metadata, options, sink);
}

void remote_close(void)
{
    pthread_mutex_lock(&lock);
    if (store)
        module->destroy(store);
    store = NULL;
    pthread_mutex_unlock(&lock);
}
