/* Filters a PNG in memory into a JPEG in memory: png_to_jpeg < photo.png > photo.jpg */
#include <stdio.h>
#include <swathe/swathe.h>

static unsigned char png[1 << 26];

int main(void)
{
    swathe_context *context = NULL;
    swathe_image image = SWATHE_INIT(swathe_image), result = image;
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    void *jpeg = NULL;
    size_t png_size = fread(png, 1, sizeof png, stdin), jpeg_size = 0;
    options.format = "jpeg";
    options.quality = 85;

    swathe_status status = swathe_context_create(NULL, &context);
    if (status == SWATHE_OK)
        status = swathe_load_bytes(context, png, png_size, NULL, &image, &metadata);
    if (status == SWATHE_OK)
        status = swathe_filter(context, "sharpen,gaussian:5", &image, &result);
    if (status == SWATHE_OK)
        status = swathe_save_bytes(context, &result, &metadata, &options, &jpeg, &jpeg_size);

    if (status == SWATHE_OK)
        fwrite(jpeg, 1, jpeg_size, stdout);
    else
        fprintf(stderr, "png_to_jpeg: %s\n", swathe_error_text());
    swathe_free(context, jpeg);
    swathe_free(context, image.data);
    swathe_free(context, result.data);
    swathe_context_destroy(context);
    return status;
}
