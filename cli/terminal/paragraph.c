#include "terminal/paragraph.h"

#include <stdbool.h>
#include <string.h>

static int columns(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

int text_columns(const char *text)
{
    return columns(text, strlen(text));
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
        int wide = columns(text, length);
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
