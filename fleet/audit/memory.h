/* What an audit remembers of jobs, in memory that grows with the number of jobs, not of images. */
#ifndef FLEET_AUDIT_MEMORY_H
#define FLEET_AUDIT_MEMORY_H

#include "swathe/swathe.h"

#include <stdbool.h>
#include <stddef.h>

/* A sparse array of numbers, 0 at first. Keys of a set are dense, so the number of pages is bounded
 * by the number of messages, whatever keys a wrong worker makes up. */
struct audit_numbers {
    uint64_t **pages;
    size_t room;
    int64_t page_count;
};
uint64_t audit_numbers_get(const struct audit_numbers *numbers, uint64_t key);
/* `messages`: read so far. A key that is out of bounds is ignored. */
swathe_status audit_numbers_set(struct audit_numbers *numbers, uint64_t key, uint64_t value,
                                int64_t messages);
void audit_numbers_free(struct audit_numbers *numbers);

/* A job that was submitted again. */
struct audit_repair {
    int64_t id;
    int32_t generation; /* the last one submitted */
    int32_t waiting;    /* the generation whose result is to come; 0: none */
    bool used;
};

/* A hash table by id. */
struct audit_repairs {
    struct audit_repair *table;
    size_t room, count;
    int64_t waiting; /* jobs whose result is to come */
};
/* NULL: not there. */
struct audit_repair *audit_repairs_find(const struct audit_repairs *repairs, int64_t id);
swathe_status audit_repairs_add(struct audit_repairs *repairs, int64_t id,
                                struct audit_repair **repair);
/* Sets or clears what is to come. */
void audit_repairs_wait(struct audit_repairs *repairs, struct audit_repair *repair,
                        int32_t generation);
void audit_repairs_free(struct audit_repairs *repairs);

#endif
