#include "file/nodata.h"

#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

static const char *tag_of(const swathe_source *source)
{
    const swathe_metadata *metadata = swathe_source_properties(source).metadata;
    const char *tag = metadata ? metadata->nodata : NULL;
    return tag ? tag : "";
}

/* Is it "tag", or "tag:" with options? */
static bool wants_tag(const char *option)
{
    return strncmp(option, "tag", 3) == 0 && (option[3] == '\0' || option[3] == ':');
}

/* How --mask marks pixels without a nodata value. */
static const char *mark_of(const swathe_source *source)
{
    swathe_type type = swathe_source_properties(source).shape.type;
    return type == SWATHE_F32 || type == SWATHE_F64 ? "nan" : "mask";
}

int nodata_find(const struct options *options, const swathe_source *source, struct nodata *nodata)
{
    const char *option = options_text(options, OPTION_NODATA), *tag = tag_of(source);
    option = option ? option : "tag";
    *nodata = (struct nodata){.ignored = strcmp(option, "none") == 0};
    if (strlen(option) + strlen(tag) >= sizeof nodata->text)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--nodata '%.40s…' is too long; it takes a number, nan, mask, tag or none",
                        option);
    nodata->from_tag = wants_tag(option) && *tag;
    if (nodata->from_tag)
        snprintf(nodata->text, sizeof nodata->text, "%s%s", tag, option + 3);
    else if (options_has(options, OPTION_MASK) && (wants_tag(option) || nodata->ignored))
        snprintf(nodata->text, sizeof nodata->text, "%s%s", mark_of(source),
                 nodata->ignored ? "" : option + 3);
    else if (!nodata->ignored && !wants_tag(option))
        snprintf(nodata->text, sizeof nodata->text, "%s", option);
    return 0;
}

const char *nodata_text(const struct nodata *nodata)
{
    return *nodata->text ? nodata->text : NULL;
}
