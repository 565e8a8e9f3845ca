#include "audit/audit.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_NUMBERS = 4096, SPARE_PAGES = 256 };

uint64_t audit_numbers_get(const struct audit_numbers *numbers, uint64_t key)
{
    size_t page = (size_t)(key / PAGE_NUMBERS);
    return page < numbers->room && numbers->pages[page] ? numbers->pages[page][key % PAGE_NUMBERS]
                                                        : 0;
}

swathe_status audit_numbers_set(struct audit_numbers *numbers, uint64_t key, uint64_t value,
                                int64_t messages)
{
    size_t page = (size_t)(key / PAGE_NUMBERS);
    bool there = page < numbers->room && numbers->pages[page];
    if (!there && (key >> 32 || numbers->page_count >= SPARE_PAGES + 2 * (messages / PAGE_NUMBERS)))
        return SWATHE_OK;
    if (page >= numbers->room) {
        size_t room = page + 1 + page / 2;
        TRY(fleet_reallocate(room, sizeof *numbers->pages, &numbers->pages));
        memset(numbers->pages + numbers->room, 0, (room - numbers->room) * sizeof *numbers->pages);
        numbers->room = room;
    }
    if (!there) {
        TRY(fleet_allocate(PAGE_NUMBERS, sizeof(uint64_t), &numbers->pages[page]));
        numbers->page_count++;
    }
    numbers->pages[page][key % PAGE_NUMBERS] = value;
    return SWATHE_OK;
}

void audit_numbers_free(struct audit_numbers *numbers)
{
    for (size_t i = 0; i < numbers->room; i++)
        free(numbers->pages[i]);
    free(numbers->pages);
}

static struct audit_repair *audit_memory_slot(const struct audit_repairs *repairs, int64_t id)
{
    size_t at = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 20) & (repairs->room - 1);
    while (repairs->table[at].used && repairs->table[at].id != id)
        at = (at + 1) & (repairs->room - 1);
    return &repairs->table[at];
}

struct audit_repair *audit_repairs_find(const struct audit_repairs *repairs, int64_t id)
{
    struct audit_repair *found = repairs->room ? audit_memory_slot(repairs, id) : NULL;
    return found && found->used ? found : NULL;
}

/* At most half of the table is used. */
static swathe_status audit_memory_grow(struct audit_repairs *repairs)
{
    struct audit_repairs larger = *repairs;
    if (2 * repairs->count < repairs->room)
        return SWATHE_OK;
    larger.room = repairs->room ? 2 * repairs->room : 64;
    TRY(fleet_allocate(larger.room, sizeof *larger.table, &larger.table));
    for (size_t i = 0; i < repairs->room; i++)
        if (repairs->table[i].used)
            *audit_memory_slot(&larger, repairs->table[i].id) = repairs->table[i];
    free(repairs->table);
    *repairs = larger;
    return SWATHE_OK;
}

swathe_status audit_repairs_add(struct audit_repairs *repairs, int64_t id,
                                struct audit_repair **repair)
{
    TRY(audit_memory_grow(repairs));
    *repair = audit_memory_slot(repairs, id);
    if (!(*repair)->used) {
        **repair = (struct audit_repair){.id = id, .used = true};
        repairs->count++;
    }
    return SWATHE_OK;
}

void audit_repairs_wait(struct audit_repairs *repairs, struct audit_repair *repair,
                        int32_t generation)
{
    repairs->waiting += (generation > 0) - (repair->waiting > 0);
    repair->waiting = generation;
}

void audit_repairs_free(struct audit_repairs *repairs)
{
    free(repairs->table);
}
