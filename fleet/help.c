/* Help and manual pages, from the tables of commands and options. */
#include "../cli/terminal/text.h"
#include "options.h"

#include <string.h>

/* ---- Help -------------------------------------------------------------------------------------
 */

enum { COMMANDS = 10, TERM = 22 }; /* columns of names and of options */

static void fleet_help_print_examples(FILE *out, const char *examples)
{
    while (*examples) {
        int length = (int)strcspn(examples, "\n");
        fprintf(out, "  %.*s\n", length, examples);
        examples += length + (examples[length] != '\0');
    }
}

void fleet_help_program(FILE *out)
{
    const struct fleet_command *command;
    fprintf(out, "swathe-fleet filters many images with workers on many machines.\n\nCommands "
                 "('swathe-fleet COMMAND --help' explains one):\n");
    for (int i = 0; (command = fleet_command_at(i)); i++)
        paragraph_entry(out, COMMANDS, command->name, command->summary);
    fprintf(out,
            "\n'swathe-fleet man [COMMAND]' prints a manual page, and 'swathe-fleet --version' "
            "the\nversion.\n");
}

void fleet_help_command(FILE *out, const struct fleet_command *command)
{
    const struct fleet_option *option;
    fprintf(out, "swathe-fleet %s: %s\n\n  swathe-fleet %s%s%s [OPTION]...\n\n", command->name,
            command->summary, command->name, *command->arguments ? " " : "", command->arguments);
    paragraph_print(out, 0, 0, command->detail);
    fprintf(out, "\nExamples:\n");
    fleet_help_print_examples(out, command->example);
    fprintf(out, "\nOptions:\n");
    for (int i = 0; (option = fleet_option_at(i)); i++) {
        char term[64];
        if (!fleet_option_fits(option, command))
            continue;
        snprintf(term, sizeof term, "--%s%s%s", option->name, *option->value ? " " : "",
                 option->value);
        paragraph_entry(out, TERM, term, option->summary);
    }
}

/* ---- Manual pages -----------------------------------------------------------------------------
 */

/* Manual pages, from the tables of the help. */

static void fleet_help_print_exit_codes(void)
{
    man_exit_codes("some of it was not done: images failed, jobs were given up, objects were "
                   "skipped, or an audit stayed open");
}

static void print_see_also(const struct fleet_command *without)
{
    const struct fleet_command *command;
    printf(".SH SEE ALSO\n.BR %s (1)", without ? "swathe\\-fleet" : "swathe");
    for (int i = 0; (command = fleet_command_at(i)); i++)
        if (command != without)
            printf(",\n.BR swathe\\-fleet\\-%s (1)", command->name);
    printf("\n");
}

void fleet_man_program(void)
{
    const struct fleet_command *command;
    man_title("swathe-fleet", "filter many images with workers on many machines");
    printf(".SH SYNOPSIS\n.B swathe\\-fleet\n.I COMMAND\n[\\fIARGUMENT\\fR]... "
           "[\\fIOPTION\\fR]...\n.SH COMMANDS\n");
    for (int i = 0; (command = fleet_command_at(i)); i++)
        man_entry(command->name, command->summary);
    man_examples(fleet_command_at(COMMAND_SUBMIT)->example);
    fleet_help_print_exit_codes();
    print_see_also(NULL);
}

void fleet_man_command(const struct fleet_command *command)
{
    const struct fleet_option *option;
    char text[64];
    snprintf(text, sizeof text, "swathe-fleet-%s", command->name);
    man_title(text, command->summary);
    printf(".SH SYNOPSIS\n.B swathe\\-fleet %s%s%s\n[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n",
           command->name, *command->arguments ? " " : "", command->arguments);
    man_put(command->detail);
    printf(".SH OPTIONS\n");
    for (int i = 0; (option = fleet_option_at(i)); i++) {
        if (!fleet_option_fits(option, command))
            continue;
        snprintf(text, sizeof text, "--%s%s%s", option->name, *option->value ? " " : "",
                 option->value);
        man_entry(text, option->summary);
    }
    man_examples(command->example);
    fleet_help_print_exit_codes();
    print_see_also(command);
}
