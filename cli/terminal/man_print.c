#include "terminal/man_print.h"

#include "swathe/swathe.h"

#include <stdio.h>
#include <string.h>

void man_put(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++) {
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else if (*text == ']' && text[1] == '[') /* a line may end here: syntaxes have no spaces */
            printf("]\\:");
        else if (*text == '\n')
            printf("\n.PP\n%s", text[1] == '.' || text[1] == '\'' ? "\\&" : "");
        else
            putchar(*text);
    }
    putchar('\n');
}

void man_title(const char *page, const char *summary)
{
    char upper[64] = "";
    for (size_t i = 0; page[i] && i + 1 < sizeof upper; i++)
        upper[i] = page[i] >= 'a' && page[i] <= 'z' ? (char)(page[i] - 'a' + 'A') : page[i];
    printf("'\\\" -*- coding: utf-8 -*-\n.TH ");
    printf("\"%s\" 1 \"\" \"swathe %s\" \"Swathe\"\n", upper, swathe_version());
    printf(".nh\n.ad l\n.SH NAME\n"); /* no hyphenation, which would add hyphens to chains */
    printf("%s \\- %s\n", page, summary);
}

void man_entry(const char *term, const char *text)
{
    printf(".TP\n.B ");
    man_put(term);
    man_put(text);
}

void man_examples(const char *lines)
{
    printf(".SH EXAMPLES\n.nf\n");
    while (*lines) {
        char line[256] = "";
        size_t length = strcspn(lines, "\n");
        strncat(line, lines, length < sizeof line ? length : sizeof line - 1);
        man_put(line);
        lines += length + (lines[length] != '\0');
    }
    printf(".fi\n");
}

void man_exit_codes(const char *one)
{
    swathe_table_entry item = SWATHE_INIT(swathe_table_entry);
    printf(".SH EXIT STATUS\n");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_STATUSES, i, &item) == SWATHE_OK; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", (int)item.value);
        if (i == 1)
            man_entry("1", one);
        man_entry(code, item.summary);
    }
}
