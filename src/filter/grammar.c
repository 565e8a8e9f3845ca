#include "filter/grammar.h"

#include "base/text.h"

#include <string.h>

swathe_status grammar_piece(const char *text, size_t length, char stop, size_t *piece)
{
    int depth = 0;
    size_t i;
    for (i = 0; i < length && (depth > 0 || text[i] != stop); i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        if (depth < 0)
            return fail(SWATHE_ERROR_ARGUMENT, "chain: ')' without '(' in '%.*s'",
                        (int)(length < 80 ? length : 80), text);
    }
    if (depth > 0)
        return fail(SWATHE_ERROR_ARGUMENT, "chain: '(' without ')' in '%.*s'",
                    (int)(length < 80 ? length : 80), text);
    *piece = i;
    return SWATHE_OK;
}

static void grammar_trim(const char **text, size_t *length)
{
    while (*length && strchr(" \t\n", **text)) {
        ++*text;
        --*length;
    }
    while (*length && strchr(" \t\n", (*text)[*length - 1]))
        --*length;
}

/* Does the first '(' match the last ')'? */
static bool grammar_enclosed(const char *value, size_t length)
{
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        depth += value[i] == '(';
        depth -= value[i] == ')';
        if (depth == 0)
            return i == length - 1 && i > 0;
    }
    return false;
}

static void grammar_unwrap(char *value)
{
    size_t length = strlen(value);
    if (length < 2 || value[0] != '(' || !grammar_enclosed(value, length))
        return;
    memmove(value, value + 1, length - 2);
    value[length - 2] = '\0';
}

static swathe_status cut_argument(struct arena *arena, const char *text, size_t length,
                                  struct word *word)
{
    TRY(arena_copy(arena, text, length, &word->text));
    size_t key = strcspn(word->text, "=(");
    const char *value = word->text;
    if (word->text[key] == '=') {
        TRY(arena_copy(arena, word->text, key, &word->key));
        value += key + 1;
    }
    TRY(arena_copy(arena, value, strlen(value), &word->value));
    grammar_unwrap(word->value);
    return SWATHE_OK;
}

static int32_t grammar_count_pieces(const char *text, size_t length)
{
    int32_t count = 0;
    size_t piece;
    while (grammar_piece(text, length, ':', &piece) == SWATHE_OK) {
        count++;
        if (piece == length)
            break;
        text += piece + 1;
        length -= piece + 1;
    }
    return count;
}

swathe_status grammar_split(struct arena *arena, const char *text, size_t length,
                            struct words *words)
{
    size_t piece;
    grammar_trim(&text, &length);
    TRY(grammar_piece(text, length, ':', &piece));
    *words = (struct words){0};
    TRY(arena_copy(arena, text, piece, &words->name));
    TRY(arena_new(arena, grammar_count_pieces(text, length), sizeof *words->args, "a stage",
                  &words->args));
    while (piece < length) {
        text += piece + 1;
        length -= piece + 1;
        TRY(grammar_piece(text, length, ':', &piece));
        if (piece == 0)
            return fail(SWATHE_ERROR_ARGUMENT, "%s: an empty argument (two ':' in a row?)",
                        words->name);
        TRY(cut_argument(arena, text, piece, &words->args[words->count++]));
    }
    return SWATHE_OK;
}

bool grammar_pair(const char *text, int64_t *a, int64_t *b)
{
    char first[24];
    size_t length = strcspn(text, "x");
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!text_to_int(first, a))
        return false;
    if (text[length] == 'x')
        return text_to_int(text + length + 1, b);
    *b = *a;
    return true;
}
