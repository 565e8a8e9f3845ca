/* Standard input, output and error that the caller closed. */
#ifndef SWATHE_CLI_TERMINAL_STANDARD_FILES_H
#define SWATHE_CLI_TERMINAL_STANDARD_FILES_H

/* Occupies those of the descriptors 0 to 2 that are closed. Otherwise the next file or connection
 * gets the number, and messages are written into it. Reading from them and writing to them fails as
 * before. Call it before anything is opened. */
void standard_files_occupy(void);

#endif
