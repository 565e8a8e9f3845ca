#include "options.h"
#include "paragraph.h"
#include "table_print.h"

#include <stdio.h>

int command_formats(const struct options *options)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    if (options_has(options, OPTION_JSON)) {
        table_json(SWATHE_TABLE_FORMATS);
        return 0;
    }
    int width = table_syntax_width(SWATHE_TABLE_FORMATS) + 8;
    printf("File formats (name, file name extensions):\n");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++) {
        char term[128], text[320];
        snprintf(term, sizeof term, "%-6s%s", entry.name, entry.syntax);
        snprintf(text, sizeof text, "%s%s%s%s", entry.summary, *entry.detail ? "; takes " : "",
                 entry.detail, entry.available ? "" : " (not in this build)");
        paragraph_entry(stdout, width, term, text);
    }
    return 0;
}
