/* The libraries behind the formats, with the versions that this process uses: files that one
 * version writes can differ in bytes from those of another. */
#include "io/codec.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LIBRARY_BYTES = 64 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char png[LIBRARY_BYTES], jpeg[LIBRARY_BYTES], tiff[LIBRARY_BYTES], webp[LIBRARY_BYTES];

#ifdef SWATHE_HAVE_PNG
#include <png.h>
#include <zlib.h>
static void name_png(void)
{
    snprintf(png, sizeof png, "libpng %s zlib %s", png_get_libpng_ver(NULL), zlibVersion());
}
#else
static void name_png(void)
{
}
#endif

#ifdef SWATHE_HAVE_JPEG
#include <jpeglib.h>
#define TEXT(tokens)   #tokens
#define TEXT_OF(macro) TEXT(macro)
/* libjpeg has no function that returns its version, so this is the version of its header. */
static void name_jpeg(void)
{
#ifdef LIBJPEG_TURBO_VERSION
    snprintf(jpeg, sizeof jpeg, "libjpeg-turbo %s", TEXT_OF(LIBJPEG_TURBO_VERSION));
#else
    snprintf(jpeg, sizeof jpeg, "libjpeg %d", JPEG_LIB_VERSION);
#endif
}
#else
static void name_jpeg(void)
{
}
#endif

#ifdef SWATHE_HAVE_TIFF
#include <tiffio.h>
/* Extracts the version from "LIBTIFF, Version 4.5.0\nCopyright ...". */
static void name_tiff(void)
{
    const char *text = TIFFGetVersion(), *number = strpbrk(text, "0123456789");
    if (!number)
        number = text;
    snprintf(tiff, sizeof tiff, "libtiff %.*s", (int)strcspn(number, "\n "), number);
}
#else
static void name_tiff(void)
{
}
#endif

#ifdef SWATHE_HAVE_WEBP
#include <webp/encode.h>
static void name_webp(void)
{
    int version = WebPGetEncoderVersion();
    snprintf(webp, sizeof webp, "libwebp %d.%d.%d", version >> 16 & 255, version >> 8 & 255,
             version & 255);
}
#else
static void name_webp(void)
{
}
#endif

static void name_all(void)
{
    name_png();
    name_jpeg();
    name_tiff();
    name_webp();
}

const char *codec_library(const struct codec *codec)
{
    static const struct {
        const char *format, *library;
    } libraries[] = {{"png", png}, {"jpeg", jpeg}, {"tiff", tiff}, {"webp", webp}};
    pthread_once(&once, name_all);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(codec->name, libraries[i].format) == 0)
            return libraries[i].library;
    return "";
}
