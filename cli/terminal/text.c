#include "terminal/text.h"

#include "swathe/swathe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- Wrapped text --------------------------------------------------------------------------- */

static int terminal_text_columns(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

int text_columns(const char *text)
{
    return terminal_text_columns(text, strlen(text));
}

static int new_line(FILE *out, int indent)
{
    fprintf(out, "\n%*s", indent, "");
    return indent;
}

void paragraph_print(FILE *out, int column, int indent, const char *text)
{
    int at = column;
    bool fresh = true; /* the next word is the first on its line */
    while (*text) {
        size_t length = strcspn(text, " \n");
        int wide = terminal_text_columns(text, length);
        if (!fresh && at + 1 + wide > LINE_WIDTH) {
            at = new_line(out, indent);
            fresh = true;
        }
        fprintf(out, "%s%.*s", fresh ? "" : " ", (int)length, text);
        at += wide + !fresh;
        fresh = text[length] == '\n';
        if (fresh) {
            fprintf(out, "\n");
            at = new_line(out, indent);
        }
        text += length + (text[length] != '\0');
    }
    fprintf(out, "\n");
}

void paragraph_entry(FILE *out, int width, const char *term, const char *text)
{
    int wide = text_columns(term);
    fprintf(out, "  %s", term);
    if (wide + 2 > width)
        new_line(out, width + 2);
    else
        fprintf(out, "%*s", width - wide, "");
    paragraph_print(out, width + 2, width + 2, text);
}

/* ---- Manual pages --------------------------------------------------------------------------- */

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
