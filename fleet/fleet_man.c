/* Manual pages, from the tables of the help. */
#include "../cli/terminal/man_print.h"
#include "fleet_options.h"

static void print_exit_codes(void)
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
    print_exit_codes();
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
    print_exit_codes();
    print_see_also(command);
}
