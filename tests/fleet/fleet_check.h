/* Ends a test at the first condition that does not hold. */
#ifndef TESTS_FLEET_CHECK_H
#define TESTS_FLEET_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <swathe/swathe.h>

#define CHECK(condition)                                                                           \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            printf("FAILED %s:%d: %s (%s)\n", __FILE__, __LINE__, #condition,                      \
                   swathe_error_text());                                                           \
            exit(1);                                                                               \
        }                                                                                          \
    while (0)
#define OK(call) CHECK((call) == SWATHE_OK)

#endif
