/* A program that uses only the installed header: blurs a white dot on black. */
#include <stdio.h>
#include <swathe/swathe.h>

int main(void)
{
    uint8_t dot[5 * 5] = {[12] = 160}, blurred[5 * 5];
    swathe_context *context = NULL;
    swathe_shape shape = {0};
    swathe_image from = SWATHE_INIT(swathe_image), to = SWATHE_INIT(swathe_image);
    shape.width = shape.height = 5;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    if (swathe_context_create(NULL, &context) != SWATHE_OK ||
        swathe_image_init(&shape, SWATHE_INTERLEAVED, dot, &from) != SWATHE_OK ||
        swathe_image_init(&shape, SWATHE_INTERLEAVED, blurred, &to) != SWATHE_OK ||
        swathe_filter(context, "gaussian:3", &from, &to) != SWATHE_OK) {
        fprintf(stderr, "%s\n", swathe_error_text());
        return 1;
    }
    swathe_context_destroy(context);
    printf("swathe %s: %d %d %d\n", swathe_version(), blurred[6], blurred[7], blurred[12]);
    return blurred[6] == 10 && blurred[7] == 20 && blurred[12] == 40 ? 0 : 1;
}
