#include "file/file_curves.h"

#include <string.h>

const swathe_curves *file_curves(const struct options *options, const swathe_source *source,
                                 swathe_curves *curves)
{
    const char *light = options_text(options, OPTION_LIGHT);
    const swathe_metadata *metadata = swathe_source_properties(source).metadata;
    if (!light || strcmp(light, "linear") != 0 || !metadata || metadata->icc_size == 0)
        return NULL;
    *curves = SWATHE_INIT(swathe_curves);
    curves->profile = metadata->icc;
    curves->profile_size = metadata->icc_size;
    return curves;
}
