/* Results that would have the same name. Two keys share a result if they differ in their extension
 * only: a.png and a.tif. All keys that sort between them start with "a." as well. So it suffices to
 * remember the stems that the current key extends: at most one for each dot in it. */
#include "fleet_fail.h"
#include "submit/submission.h"

#include <stdlib.h>
#include <string.h>

static bool extends(const char *key, const char *stem)
{
    size_t length = strlen(stem);
    return strncmp(key, stem, length) == 0 && (key[length] == '.' || key[length] == '\0');
}

swathe_status submission_check_name(struct submission *submission, const char *key)
{
    char *stem;
    if (!submission->set->write.format || submission->set->manifest)
        return SWATHE_OK;
    while (submission->name_count > 0 &&
           !extends(key, submission->names[submission->name_count - 1]))
        free(submission->names[--submission->name_count]);
    size_t length = set_stem(key);
    for (int32_t i = 0; i < submission->name_count; i++)
        if (strlen(submission->names[i]) == length &&
            strncmp(submission->names[i], key, length) == 0)
            return fleet_fail(SWATHE_ERROR_ARGUMENT,
                              "'%s' and another image '%.*s' would have the same result with "
                              "--format %s; submit them as two sets with different --to",
                              key, (int)length, key, submission->set->write.format);
    TRY(fleet_reallocate((size_t)submission->name_count + 1, sizeof *submission->names,
                         &submission->names));
    TRY(fleet_copy_text(key, &stem));
    stem[length] = '\0';
    submission->names[submission->name_count++] = stem;
    return SWATHE_OK;
}
