#include "commands/unknown.h"

#include "commands/known_words.h"
#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

/* True for a word such as "gaussian:5,edge", which starts with a filter: the user omitted
 * `apply`. */
static bool starts_chain(const char *word)
{
    char name[WORD_SIZE] = "";
    size_t length = strcspn(word, ":,(");
    if (length >= sizeof name)
        return false;
    memcpy(name, word, length);
    return known_words_hold("@filters", name);
}

int unknown_command(const char *name)
{
    if (starts_chain(name))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is a filter, not a command; did you mean: swathe apply %s IN OUT",
                        name, name);
    struct nearest nearest;
    nearest_start(&nearest, name);
    nearest_offer_words(&nearest, "@commands");
    nearest_offer_words(&nearest, "--help --version");
    if (nearest_found(&nearest))
        return complain(SWATHE_ERROR_ARGUMENT, "unknown command '%s'; did you mean '%s'?", name,
                        nearest_found(&nearest));
    return complain(SWATHE_ERROR_ARGUMENT, "unknown command '%s'; 'swathe help' lists them", name);
}
