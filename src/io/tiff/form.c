#include "io/tiff/form.h"

#include "image/view.h"

#include <inttypes.h>
#include <string.h>

static uint16_t get_short(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    TIFFGetFieldDefaulted(tiff, tag, &value);
    return value;
}

/* ---- Geometry ------------------------------------------------------------------------------- */

static swathe_status tiff_form_read_size(TIFF *tiff, struct tiff_form *form)
{
    uint32_t width = 0, height = 0, block_width = 0, block_height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    form->tiled = TIFFIsTiled(tiff);
    if (form->tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &block_width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &block_height);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &block_height);
        block_width = width;
        block_height = block_height < height ? block_height : height;
    }
    if (!width || !height || !block_width || !block_height)
        return fail(SWATHE_ERROR_INPUT,
                    "TIFF: %" PRIu32 " x %" PRIu32 " pixels in strips or tiles of %" PRIu32
                    " x %" PRIu32,
                    width, height, block_width, block_height);
    form->width = width;
    form->height = height;
    form->block_width = block_width;
    form->block_height = block_height;
    return SWATHE_OK;
}

/* ---- Samples -------------------------------------------------------------------------------- */

static swathe_status refuse_samples(int bits, const char *kind)
{
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "TIFF with %d-bit %s samples; unsigned integers of 1 to 32 bits, signed ones of 8, "
                "16 and 32 bits and floats of 16, 32 and 64 bits can be read, convert it first",
                bits, kind);
}

static swathe_status choose_unsigned(struct tiff_form *form)
{
    if (form->bits < 1 || form->bits > 32)
        return refuse_samples(form->bits, "unsigned");
    form->shape.type = form->bits <= 8 ? SWATHE_U8 : form->bits <= 16 ? SWATHE_U16 : SWATHE_U32;
    form->unpack = form->bits == 8 * sample_size(form->shape.type) ? TIFF_UNPACK_SAME
                   : form->bits == 24                              ? TIFF_UNPACK_24
                   : form->bits > 8 || form->palette               ? TIFF_UNPACK_BITS
                                                                   : TIFF_UNPACK_SCALED;
    return SWATHE_OK;
}

static swathe_status choose_signed(struct tiff_form *form)
{
    if (form->bits != 8 && form->bits != 16 && form->bits != 32)
        return refuse_samples(form->bits, "signed");
    form->shape.type = form->bits == 32 ? SWATHE_S32 : SWATHE_S16;
    form->unpack = form->bits == 8 ? TIFF_UNPACK_S8 : TIFF_UNPACK_SAME;
    return SWATHE_OK;
}

static swathe_status choose_float(struct tiff_form *form)
{
    if (form->bits != 16 && form->bits != 32 && form->bits != 64)
        return refuse_samples(form->bits, "float");
    form->shape.type = form->bits == 64 ? SWATHE_F64 : SWATHE_F32;
    form->unpack = form->bits == 16 ? TIFF_UNPACK_HALF : TIFF_UNPACK_SAME;
    return SWATHE_OK;
}

static swathe_status choose_type(TIFF *tiff, struct tiff_form *form)
{
    switch (get_short(tiff, TIFFTAG_SAMPLEFORMAT)) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
        return choose_unsigned(form);
    case SAMPLEFORMAT_INT:
        return choose_signed(form);
    case SAMPLEFORMAT_IEEEFP:
        return choose_float(form);
    default:
        return refuse_samples(form->bits, "complex");
    }
}

/* ---- Colour --------------------------------------------------------------------------------- */

/* The value of the tag. If it is missing, a guess from the number of samples, as in libtiff. */
static uint16_t find_photometric(TIFF *tiff, const struct tiff_form *form)
{
    uint16_t photometric;
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric))
        return photometric;
    bool fax = form->compression == COMPRESSION_CCITTRLE ||
               form->compression == COMPRESSION_CCITTFAX3 ||
               form->compression == COMPRESSION_CCITTFAX4;
    return fax                  ? PHOTOMETRIC_MINISWHITE
           : form->samples >= 3 ? PHOTOMETRIC_RGB
                                : PHOTOMETRIC_MINISBLACK;
}

/* Number of colour samples of a pixel; the others are extra. 0: unsupported colour space. */
static int64_t color_samples(TIFF *tiff, struct tiff_form *form)
{
    switch (form->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:
        form->shape.color = SWATHE_COLOR_GREY;
        return 1;
    case PHOTOMETRIC_PALETTE:
        form->shape.color = SWATHE_COLOR_RGB;
        return 1;
    case PHOTOMETRIC_RGB:
        form->shape.color = SWATHE_COLOR_RGB;
        return 3;
    case PHOTOMETRIC_YCBCR:
        form->shape.color = form->samples == 1 ? SWATHE_COLOR_GREY : SWATHE_COLOR_RGB;
        return form->samples == 1 ? 1 : 3;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
        form->shape.color = SWATHE_COLOR_LAB;
        return 3;
    case PHOTOMETRIC_SEPARATED:
        if (form->samples < 4 || get_short(tiff, TIFFTAG_INKSET) != INKSET_CMYK)
            return 1; /* inks other than CMYK */
        form->shape.color = SWATHE_COLOR_CMYK;
        return 4;
    default:
        return 0;
    }
}

/* Finds the first extra sample that is alpha. By convention, a fourth sample of RGB that no tag
 * describes is alpha. */
static void find_alpha(TIFF *tiff, struct tiff_form *form, int64_t colors)
{
    uint16_t count = 0, *kinds = NULL;
    bool tagged = TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    int32_t before = (int32_t)(form->shape.channels - (form->samples - colors));
    for (int32_t i = 0; tagged && i < count && i < form->samples - colors; i++)
        if (kinds[i] == EXTRASAMPLE_ASSOCALPHA || kinds[i] == EXTRASAMPLE_UNASSALPHA) {
            form->shape.alpha = before + i + 1;
            form->premultiplied = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
            return;
        }
    if (!tagged && form->photometric == PHOTOMETRIC_RGB && form->samples == 4)
        form->shape.alpha = 4;
}

/* Colour maps have 16 bits; some old writers used only 8. */
static swathe_status read_map(TIFF *tiff, struct tiff_form *form)
{
    uint16_t *map[3], highest = 0;
    if (form->bits > 8 || !TIFFGetField(tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return fail(SWATHE_ERROR_INPUT, "TIFF: %d-bit palette indices without a colour map",
                    form->bits);
    int entries = 1 << form->bits;
    for (int i = 0; i < entries; i++)
        for (int c = 0; c < 3; c++)
            highest = map[c][i] > highest ? map[c][i] : highest;
    for (int i = 0; i < entries; i++)
        for (int c = 0; c < 3; c++)
            form->map[i][c] = (uint8_t)(highest < 256 ? map[c][i] : map[c][i] >> 8);
    return SWATHE_OK;
}

static swathe_status refuse_color(const struct tiff_form *form)
{
    return fail(
        SWATHE_ERROR_UNSUPPORTED,
        "TIFF with photometric interpretation %d and %" PRId64
        " samples per pixel; grey, RGB, palette, CMYK, YCbCr and Lab can be read, convert it first",
        form->photometric, form->samples);
}

/* Selects libtiff's own conversion for YCbCr that only it can decode. */
static swathe_status choose_rgba(TIFF *tiff, struct tiff_form *form)
{
    char why[1024] = "";
    if (!TIFFRGBAImageOK(tiff, why))
        return fail(SWATHE_ERROR_UNSUPPORTED, "TIFF with YCbCr: %s", why);
    /* Keeps the order of the stored rows. */
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    form->by_rgba = true;
    form->unpack = TIFF_UNPACK_SAME;
    form->shape.type = SWATHE_U8;
    form->shape.channels = 3;
    return SWATHE_OK;
}

static void choose_steps(struct tiff_form *form)
{
    bool integer = !sample_is_float(form->shape.type);
    bool negative = integer && sample_entry(form->shape.type)->lowest < 0;
    form->invert = form->photometric == PHOTOMETRIC_MINISWHITE && integer;
    form->signed_lab = form->photometric == PHOTOMETRIC_CIELAB && integer && !negative;
    form->premultiplied = form->premultiplied && !negative;
    if (form->shape.color == SWATHE_COLOR_GREY &&
        form->shape.channels > (form->shape.alpha ? 2 : 1))
        form->shape.color = SWATHE_COLOR_UNKNOWN;
}

static swathe_status tiff_form_choose_color(TIFF *tiff, struct tiff_form *form)
{
    int64_t colors = color_samples(tiff, form);
    bool ycbcr = form->photometric == PHOTOMETRIC_YCBCR && colors == 3;
    form->palette = form->photometric == PHOTOMETRIC_PALETTE;
    if (colors == 0 || form->samples < colors || form->samples > VIEW_CHANNELS_MAX - 2)
        return refuse_color(form);
    if (ycbcr && (form->compression != COMPRESSION_JPEG || form->separate))
        return choose_rgba(tiff, form);
    if (ycbcr)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    form->shape.channels = (int32_t)form->samples + (form->palette ? 2 : 0);
    TRY(choose_type(tiff, form));
    if (form->palette && form->shape.type != SWATHE_U8)
        return refuse_color(form);
    if (form->palette)
        TRY(read_map(tiff, form));
    find_alpha(tiff, form, colors);
    choose_steps(form);
    return SWATHE_OK;
}

/* ---- Predictor ------------------------------------------------------------------------------ */

/* libtiff's own conversion to RGB requires libtiff's predictor. */
static swathe_status choose_predictor(TIFF *tiff, uint16_t kind, struct tiff_form *form)
{
    bool whole = form->bits == 8 || form->bits == 16 || form->bits == 32 || form->bits == 64;
    bool floats = sample_is_float(form->shape.type) && form->bits != 8;
    form->predict.kind = PREDICTOR_NONE;
    if (kind == PREDICTOR_NONE)
        return SWATHE_OK;
    if (form->by_rgba)
        return TIFFSetField(tiff, TIFFTAG_PREDICTOR, kind)
                   ? SWATHE_OK
                   : fail(SWATHE_ERROR_INPUT, "TIFF: libtiff does not accept predictor %d", kind);
    if (!(kind == PREDICTOR_HORIZONTAL && whole) && !(kind == PREDICTOR_FLOATINGPOINT && floats))
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "TIFF with predictor %d for %d-bit samples; predictor 2 of 8, 16, 32 and 64 bits "
            "and predictor 3 of floats can be read, save the file without a predictor",
            kind, form->bits);
    int32_t size = form->bits / 8;
    int64_t beside = tiff_form_samples(form);
    form->predict = (struct tiff_predict){kind, size, beside, form->block_width * beside * size};
    return SWATHE_OK;
}

swathe_status tiff_form_read(TIFF *tiff, uint16_t predictor, struct tiff_form *form)
{
    memset(form, 0, sizeof *form);
    TRY(tiff_form_read_size(tiff, form));
    form->samples = get_short(tiff, TIFFTAG_SAMPLESPERPIXEL);
    form->bits = get_short(tiff, TIFFTAG_BITSPERSAMPLE);
    form->compression = get_short(tiff, TIFFTAG_COMPRESSION);
    form->separate =
        get_short(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && form->samples > 1;
    form->photometric = find_photometric(tiff, form);
    if (!TIFFIsCODECConfigured(form->compression))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "TIFF with compression %d, which this libtiff cannot read; convert it first",
                    form->compression);
    TRY(tiff_form_choose_color(tiff, form));
    TRY(choose_predictor(tiff, predictor, form));
    form->shape.width = form->width;
    form->shape.height = form->height;
    return shape_check(&form->shape);
}
