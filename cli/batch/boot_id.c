#include "batch/boot_id.h"

#include <stdio.h>
#include <string.h>

const char *boot_id(char text[BOOT_ID_SIZE])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    text[0] = '\0';
    if (file && !fgets(text, BOOT_ID_SIZE, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return text;
}
