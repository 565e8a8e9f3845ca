/* The commands that list the library's borders and file formats. */
#include "commands/options.h"
#include "terminal/print.h"
#include "terminal/text.h"

#include <stdio.h>
#include <string.h>

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

/* Converts "quality compression" to " --quality --compression". */
static void spell_options(const char *names, char *text, size_t size)
{
    size_t length = 0;
    *text = '\0';
    while (*names && length < size) {
        int word = (int)strcspn(names, " ");
        length += (size_t)snprintf(text + length, size - length, " --%.*s", word, names);
        names += word + strspn(names + word, " ");
    }
}

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
        char term[128], taken[128], text[320];
        snprintf(term, sizeof term, "%-6s%s", entry.name, entry.syntax);
        spell_options(entry.detail, taken, sizeof taken);
        snprintf(text, sizeof text, "%s%s%s%s%s%s", entry.summary, *taken ? "; takes" : "", taken,
                 entry.available ? "" : " (not in this build)", *entry.library ? "; by " : "",
                 entry.library);
        paragraph_entry(stdout, width, term, text);
    }
    printf("\nVideo, for `swathe apply`:\n");
    paragraph_entry(stdout, width, "y4m   y4m",
                    "YUV4MPEG2; uncompressed frames, from file to file or by pipe");
    return 0;
}
