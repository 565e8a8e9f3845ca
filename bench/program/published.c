#include "published.h"

#include <stddef.h>

static const struct published entries[] = {
#define PUBLISHED(...) {__VA_ARGS__},
#include "published.def"
#undef PUBLISHED
};

const struct published *published_at(int index)
{
    int count = (int)(sizeof entries / sizeof *entries);
    return index >= 0 && index < count ? &entries[index] : NULL;
}
