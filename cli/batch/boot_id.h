/* Which start of the machine this is. */
#ifndef SWATHE_CLI_BATCH_BOOT_ID_H
#define SWATHE_CLI_BATCH_BOOT_ID_H

enum { BOOT_ID_SIZE = 48 };

/* "" where the system does not tell: then nothing unsynced is trusted. */
const char *boot_id(char text[BOOT_ID_SIZE]);

#endif
