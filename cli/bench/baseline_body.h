/* Included once per sample type by baseline_row.c, which defines
 *   SAMPLE       the type
 *   ROW          the function's name
 *   STORE(sum)   the sum as a sample
 * It is meant to be plain: every place is checked, nothing is padded, the mask is read as it lies.
 * Strides are those of any view; loops over a dense array are not faster (gcc 12, -O2, k = 5). */
static void ROW(const struct baseline *b, int64_t y)
{
    const int64_t size = sizeof(SAMPLE), k = b->k, r = b->k / 2;
    const int64_t width = b->from->width, height = b->from->height, channels = b->from->channels;
    const int64_t row = b->from->row_stride / size, pixel = b->from->pixel_stride / size;
    const int64_t plane = b->from->channel_stride / size;
    const int64_t to_row = b->to->row_stride / size, to_pixel = b->to->pixel_stride / size;
    const int64_t to_plane = b->to->channel_stride / size;
    const enum baseline_border border = b->border;
    const struct range range = range_of(b);
    const float *taps = b->taps32;
    const SAMPLE *from = b->from->data;
    SAMPLE *to = b->to->data;
    (void)range; /* floats are stored as they are */
    for (int64_t x = 0; x < width; x++)
        for (int64_t c = 0; c < channels; c++) {
            float sum = 0.0f;
            for (int64_t j = 0; j < k; j++) {
                int64_t v = place(border, y + j - r, height);
                if (v == OUTSIDE)
                    continue;
                for (int64_t i = 0; i < k; i++) {
                    int64_t u = place(border, x + i - r, width);
                    if (u != OUTSIDE)
                        sum += taps[j * k + i] * (float)from[v * row + u * pixel + c * plane];
                }
            }
            to[y * to_row + x * to_pixel + c * to_plane] = STORE(sum);
        }
}
#undef SAMPLE
#undef ROW
#undef STORE
