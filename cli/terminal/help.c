#include "terminal/help.h"

#include "swathe/swathe.h"
#include "terminal/text.h"

#include <string.h>

enum { TERM_WIDTH = 22 };

const char *help_chain_text(void)
{
    return "A chain is one or more filters separated by commas; they run in order. A filter's "
           "arguments follow colons: gaussian:9 gives a size, gaussian:sigma=2.5 a named value. "
           "Every "
           "filter takes arguments such as border=wrap. A value with spaces, commas or colons, "
           "such as your own mask, needs parentheses, and quotes for the shell.";
}

static void terminal_help_print_examples(FILE *out, const char *examples)
{
    while (*examples) {
        size_t length = strcspn(examples, "\n");
        fprintf(out, "  %.*s\n", (int)length, examples);
        examples += length + (examples[length] != '\0');
    }
}

static void print_commands(FILE *out)
{
    const struct command *command;
    fprintf(out, "\nCommands ('swathe help COMMAND' explains one):\n");
    for (int i = 0; (command = command_at(i)); i++)
        paragraph_entry(out, TERM_WIDTH - 10, command->name, command->summary);
}

static void terminal_help_print_exit_codes(FILE *out)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    fprintf(out, "\nExit codes:\n");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_STATUSES, i, &entry) == SWATHE_OK; i++) {
        if (i == 1)
            fprintf(out, "    1  compare: the images differ; batch: some images failed\n");
        fprintf(out, "  %3d  %s\n", (int)entry.value, entry.summary);
    }
    fprintf(out, "  130  interrupted by Ctrl-C (143: by SIGTERM); no output file is left\n");
}

void help_program(FILE *out)
{
    fprintf(out, "Swathe filters images by convolution: sharpen, blur, find edges, or use your own "
                 "mask.\n\n");
    terminal_help_print_examples(out,
                                 "swathe apply sharpen photo.jpg sharper.jpg\n"
                                 "swathe apply sharpen,gaussian:5 photo.png soft.png\n"
                                 "swathe apply 'mask:(0 -1 0; -1 5 -1; 0 -1 0)' in.png out.png\n"
                                 "swathe filters");
    fprintf(out, "\n");
    paragraph_print(out, 0, 0, help_chain_text());
    print_commands(out);
    terminal_help_print_exit_codes(out);
    fprintf(out, "\n'swathe --version' prints the version.\n");
}

void help_option_term(const struct option *option, char *term, int size)
{
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *before = *option->value && option_takes_word(option) ? " " : "";
    snprintf(term, (size_t)size, "%s--%s%s%s", letter, option->name, before, option->value);
}

static void print_arguments(FILE *out, const struct command *command)
{
    const struct argument *argument;
    for (int i = 0; (argument = command_argument(command, i)); i++) {
        if (i == 0)
            fprintf(out, "\nArguments:\n");
        paragraph_entry(out, TERM_WIDTH, argument->name, argument->summary);
    }
}

static void print_group(FILE *out, const struct command *command, enum group group)
{
    const struct option *option;
    bool titled = false;
    for (int i = 0; (option = option_at(i)); i++) {
        if (option->group != group || !option_fits(option, command))
            continue;
        if (!titled)
            fprintf(out, "\n%s:\n", group_title(group));
        titled = true;
        char term[64];
        help_option_term(option, term, sizeof term);
        paragraph_entry(out, TERM_WIDTH, term, option->summary);
    }
}

void help_command(FILE *out, const struct command *command)
{
    char synopsis[256];
    command_synopsis(command, synopsis, sizeof synopsis);
    fprintf(out, "swathe %s: %s\n\n  %s\n\n", command->name, command->summary, synopsis);
    paragraph_print(out, 0, 0, command->detail);
    fprintf(out, "\nExamples:\n");
    terminal_help_print_examples(out, command->example);
    print_arguments(out, command);
    for (int group = 0; group < GROUP_COUNT; group++)
        print_group(out, command, (enum group)group);
}
