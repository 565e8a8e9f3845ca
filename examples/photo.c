/* Filters an image file and writes another: photo CHAIN IN OUT */
#include <stdio.h>
#include <swathe/swathe.h>

static int32_t show(void *user, int64_t done, int64_t total)
{
    (void)user;
    fprintf(stderr, "\r%3d %%", (int)(100 * done / total));
    return 0; /* any other value would cancel */
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: photo CHAIN IN OUT, as in: photo sharpen,gaussian:5 a.png b.png\n");
        return 2;
    }
    swathe_context *context = NULL;
    swathe_status status = swathe_context_create(NULL, &context);

    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_write_options file = SWATHE_INIT(swathe_write_options);
    run.progress = show;
    file.overwrite = 1;
    if (status == SWATHE_OK)
        status = swathe_apply_file(context, argv[1], argv[2], argv[3], NULL, NULL, &file, &run);

    if (status == SWATHE_OK)
        fprintf(stderr, "\n");
    else
        fprintf(stderr, "photo: %s\n", swathe_error_text());
    swathe_context_destroy(context);
    return status;
}
