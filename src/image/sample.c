#include "image/sample.h"

#include <math.h>
#include <string.h>

static const struct sample_row rows[] = {
#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    {constant, #name, summary, sizeof(c_type), lowest, highest},
#include "image/sample.def"
#undef SAMPLE
};

const struct sample_row *sample_row_at(int index)
{
    return index >= 0 && index < (int)(sizeof rows / sizeof *rows) ? &rows[index] : NULL;
}

const struct sample_row *sample_row(swathe_type type)
{
    return sample_row_at((int)type - 1);
}

const struct sample_row *sample_row_named(const char *name)
{
    for (int i = 0; sample_row_at(i); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}
