#include "experiment.h"

#include <stdio.h>
#include <string.h>

static const struct experiment experiments[] = {
#define EXPERIMENT(suite, name, title, x, plots, runs, space)                                      \
    {suite, name, title, x, plots, space, runs},
#include "experiment.def"
#undef EXPERIMENT
};

const struct experiment *experiment_at(int index)
{
    int count = (int)(sizeof experiments / sizeof *experiments);
    return index >= 0 && index < count ? &experiments[index] : NULL;
}

const char *experiment_id(const struct experiment *experiment, char text[64])
{
    snprintf(text, 64, *experiment->name ? "%s/%s" : "%s", experiment->suite, experiment->name);
    return text;
}

bool experiment_in(const struct experiment *experiment, const char *suite)
{
    char id[64];
    if (strcmp(suite, "reports") == 0)
        return strncmp(experiment->suite, "report-", 7) == 0;
    return strcmp(suite, experiment->suite) == 0 ||
           strcmp(suite, experiment_id(experiment, id)) == 0;
}
