/* Identifies the current boot of the machine. */
#ifndef SWATHE_CLI_BATCH_BOOT_ID_H
#define SWATHE_CLI_BATCH_BOOT_ID_H

enum { BOOT_ID_SIZE = 48 };

/* "" if the system does not report it: then all unsynced results are computed again. */
const char *boot_id(char text[BOOT_ID_SIZE]);

#endif
