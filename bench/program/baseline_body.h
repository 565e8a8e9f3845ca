/* Included once per sample type by baseline_row.c, which defines
 *   SAMPLE       the type
 *   NAME(word)   the name of a function for it
 *   STORE(sum)   the sum as a sample, rounded; CUT(sum) truncated
 * The loops are as plain as in the reports and read the mask row by row. They accept any strides,
 * which costs no time (gcc 12, -O2, k = 5). */

/* Checks bounds for every tap: reports 000, 003 and 004. */
static void NAME(checked)(const struct baseline *b, int64_t y)
{
    const int64_t k = b->k, r = b->k / 2, width = b->from->width, height = b->from->height;
    const struct strides in = strides_of(b->from), out = strides_of(b->to);
    const enum baseline_border border = b->border;
    const struct range range = range_of(b);
    const float *taps = b->taps32;
    const SAMPLE *from = b->from->data;
    SAMPLE *to = b->to->data;
    (void)range; /* floats are not clamped */
    for (int64_t x = 0; x < width; x++)
        for (int64_t c = 0; c < in.channels; c++) {
            float sum = 0.0f;
            for (int64_t j = 0; j < k; j++) {
                int64_t v = baseline_row_place(border, y + j - r, height);
                if (v == OUTSIDE)
                    continue;
                for (int64_t i = 0; i < k; i++) {
                    int64_t u = baseline_row_place(border, x + i - r, width);
                    if (u != OUTSIDE)
                        sum +=
                            taps[j * k + i] * (float)from[v * in.row + u * in.pixel + c * in.plane];
                }
            }
            to[y * out.row + x * out.pixel + c * out.plane] = STORE(sum);
        }
}

/* Stores all products of a pixel column by column, with zeros outside the image, and then adds
 * them: report 002. */
static void NAME(products)(const struct baseline *b, int64_t y)
{
    const int64_t k = b->k, r = b->k / 2, width = b->from->width, height = b->from->height;
    const struct strides in = strides_of(b->from), out = strides_of(b->to);
    const enum baseline_border border = b->border;
    const struct range range = range_of(b);
    const float *taps = b->taps32;
    const SAMPLE *from = b->from->data;
    SAMPLE *to = b->to->data;
    float products[BASELINE_PRODUCTS_EDGE][BASELINE_PRODUCTS_EDGE];
    (void)range;
    for (int64_t x = 0; x < width; x++)
        for (int64_t c = 0; c < in.channels; c++) {
            for (int64_t j = 0; j < k; j++)
                for (int64_t i = 0; i < k; i++) {
                    int64_t u = baseline_row_place(border, x + i - r, width);
                    int64_t v = baseline_row_place(border, y + j - r, height);
                    if (u == OUTSIDE || v == OUTSIDE)
                        products[i][j] = 0.0f;
                    else
                        products[i][j] =
                            taps[j * k + i] * (float)from[v * in.row + u * in.pixel + c * in.plane];
                }
            float sum = 0.0f;
            for (int64_t i = 0; i < k; i++)
                for (int64_t j = 0; j < k; j++)
                    sum += products[i][j];
            to[y * out.row + x * out.pixel + c * out.plane] = STORE(sum);
        }
}

/* Channel by channel over padded planes: report 001. */
static void NAME(padded)(const struct baseline *b)
{
    const int64_t k = b->k, width = b->to->width, height = b->to->height;
    const struct strides in = strides_of(b->from), out = strides_of(b->to);
    const struct range range = range_of(b);
    const float *taps = b->taps32;
    (void)range;
    for (int64_t c = 0; c < out.channels; c++) {
        const SAMPLE *from = (const SAMPLE *)b->from->data + c * in.plane;
        SAMPLE *to = (SAMPLE *)b->to->data + c * out.plane;
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                float sum = 0.0f;
                for (int64_t j = 0; j < k; j++)
                    for (int64_t i = 0; i < k; i++)
                        sum += taps[j * k + i] * (float)from[(y + j) * in.row + x + i];
                to[y * out.row + x * out.pixel] = CUT(sum);
            }
    }
}
#undef SAMPLE
#undef NAME
#undef STORE
#undef CUT
