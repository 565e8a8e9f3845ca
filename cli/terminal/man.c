#include "terminal/help.h"

#include "swathe/swathe.h"
#include "terminal/text.h"

#include <stdio.h>
#include <string.h>

static void man_table(const char *heading, swathe_table which)
{
    swathe_table_entry item = SWATHE_INIT(swathe_table_entry);
    printf(".SH %s\n", heading);
    for (int32_t i = 0; swathe_table_get(which, i, &item) == SWATHE_OK; i++) {
        const char *more = item.detail[0] ? item.detail : item.example;
        man_entry(item.syntax, item.summary);
        if (more[0]) {
            printf(".br\n");
            man_put(more);
        }
    }
}

static void exit_codes(void)
{
    man_exit_codes("compare: the images differ; batch: some images failed");
    man_entry("130", "interrupted by Ctrl-C (143: by SIGTERM); no output file is left");
}

static void see_also(const struct command *without)
{
    const struct command *command;
    printf(".SH SEE ALSO\n");
    if (without)
        printf(".BR swathe (1)");
    for (int i = 0; (command = command_at(i)); i++)
        if (command != without)
            printf("%s.BR swathe\\-%s (1)", i || without ? ",\n" : "", command->name);
    printf("\n");
}

void man_program(void)
{
    const struct command *command;
    man_title("swathe", "filter images by convolution");
    printf(".SH SYNOPSIS\n.B swathe\n.I COMMAND\n[\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n");
    printf(".SH DESCRIPTION\n");
    man_put(
        "Swathe sharpens, smooths, finds edges or applies any mask to images, from file to file "
        "and in bounded memory. Results of integer images are exact: the same bytes for any "
        "number of threads and on any machine. With --exact, so are those of float images.");
    printf(".SH COMMANDS\n");
    for (int i = 0; (command = command_at(i)); i++) {
        char synopsis[256];
        command_synopsis(command, synopsis, sizeof synopsis);
        man_entry(synopsis, command->summary);
    }
    printf(".SH CHAINS\n");
    man_put(help_chain_text());
    man_table("FILTERS", SWATHE_TABLE_FILTERS);
    man_table("ARGUMENTS OF EVERY FILTER", SWATHE_TABLE_OPTIONS);
    man_table("BORDERS", SWATHE_TABLE_BORDERS);
    man_examples(command_at(COMMAND_APPLY)->example);
    exit_codes();
    see_also(NULL);
}

static void options_section(const struct command *command)
{
    const struct option *option;
    printf(".SH OPTIONS\n");
    for (int group = 0; group < GROUP_COUNT; group++)
        for (int i = 0; (option = option_at(i)); i++) {
            char term[64];
            if ((int)option->group != group || !option_fits(option, command))
                continue;
            help_option_term(option, term, sizeof term);
            man_entry(term, option->summary);
        }
}

void man_command(const struct command *command)
{
    const struct argument *argument;
    char page[64], synopsis[256];
    snprintf(page, sizeof page, "swathe-%s", command->name);
    command_synopsis(command, synopsis, sizeof synopsis);
    man_title(page, command->summary);
    printf(".SH SYNOPSIS\n.B ");
    man_put(synopsis);
    printf(".SH DESCRIPTION\n");
    man_put(command->detail);
    for (int i = 0; (argument = command_argument(command, i)); i++)
        man_entry(argument->name, argument->summary);
    options_section(command);
    man_examples(command->example);
    exit_codes();
    see_also(command);
}
