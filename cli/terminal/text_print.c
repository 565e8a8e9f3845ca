#include "terminal/text_print.h"

#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>

int text_print(swathe_context *context, text_of *get, swathe_text format)
{
    size_t needed = 0;
    swathe_status status = get(context, format, NULL, 0, &needed);
    char *text = status == SWATHE_OK ? malloc(needed) : NULL;
    if (status == SWATHE_OK && !text)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %zu bytes of text", needed);
    if (status == SWATHE_OK)
        status = get(context, format, text, needed, NULL);
    if (status == SWATHE_OK)
        printf("%s%s", text, format == SWATHE_TEXT_JSON ? "\n" : "");
    free(text);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}
