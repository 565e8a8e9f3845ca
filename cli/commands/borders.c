#include "commands/options.h"
#include "terminal/paragraph.h"
#include "terminal/table_print.h"

int command_borders(const struct options *options)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    if (options_has(options, OPTION_JSON)) {
        table_json(SWATHE_TABLE_BORDERS);
        return 0;
    }
    int width = table_syntax_width(SWATHE_TABLE_BORDERS) + 2;
    printf("Borders (--border B for a whole chain, border=B for one filter):\n");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_BORDERS, i, &entry) == SWATHE_OK; i++)
        printf("  %-*s%-16s%s%s\n", width, entry.syntax, entry.example, entry.summary,
               i == 0 ? " (default)" : "");
    return 0;
}
