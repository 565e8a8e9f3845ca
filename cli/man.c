#include "man.h"

#include "help.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <string.h>

/* Prints one line of text so that nothing in it is a troff request or escape, and '-' stays '-'. */
static void put(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++) {
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else if (*text == '\n')
            printf("\n.PP\n%s", text[1] == '.' || text[1] == '\'' ? "\\&" : "");
        else
            putchar(*text);
    }
    putchar('\n');
}

static void title(const char *page, const char *summary)
{
    char upper[64] = "";
    for (size_t i = 0; page[i] && i + 1 < sizeof upper; i++)
        upper[i] = page[i] >= 'a' && page[i] <= 'z' ? (char)(page[i] - 'a' + 'A') : page[i];
    printf("'\\\" -*- coding: utf-8 -*-\n.TH ");
    printf("\"%s\" 1 \"\" \"swathe %s\" \"Swathe\"\n", upper, swathe_version());
    printf(".nh\n.ad l\n.SH NAME\n"); /* no hyphenation, which would add hyphens to chains */
    printf("%s \\- %s\n", page, summary);
}

static void entry(const char *term, const char *text)
{
    printf(".TP\n.B ");
    put(term);
    put(text);
}

static void table(const char *heading, swathe_table which)
{
    swathe_table_entry item = SWATHE_INIT(swathe_table_entry);
    printf(".SH %s\n", heading);
    for (int32_t i = 0; swathe_table_get(which, i, &item) == SWATHE_OK; i++) {
        const char *more = item.detail[0] ? item.detail : item.example;
        entry(item.syntax, item.summary);
        if (more[0]) {
            printf(".br\n");
            put(more);
        }
    }
}

static void examples(const char *lines)
{
    printf(".SH EXAMPLES\n.nf\n");
    while (*lines) {
        char line[256] = "";
        size_t length = strcspn(lines, "\n");
        strncat(line, lines, length < sizeof line ? length : sizeof line - 1);
        put(line);
        lines += length + (lines[length] != '\0');
    }
    printf(".fi\n");
}

static void exit_codes(void)
{
    swathe_table_entry item = SWATHE_INIT(swathe_table_entry);
    printf(".SH EXIT STATUS\n");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_STATUSES, i, &item) == SWATHE_OK; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", (int)item.value);
        if (i == 1)
            entry("1", "compare: the images differ; batch: some images failed");
        entry(code, item.summary);
    }
    entry("130", "interrupted by Ctrl-C (143: by SIGTERM); no output file is left");
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
    title("swathe", "filter images by convolution");
    printf(".SH SYNOPSIS\n.B swathe\n.I COMMAND\n[\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n");
    printf(".SH DESCRIPTION\n");
    put("Swathe sharpens, smooths, finds edges or applies any mask to images, from file to file "
        "and in bounded memory. Results of integer images are exact: the same bytes for any "
        "number of threads and on any machine. With --exact, so are those of float images.");
    printf(".SH COMMANDS\n");
    for (int i = 0; (command = command_at(i)); i++) {
        char synopsis[256];
        command_synopsis(command, synopsis, sizeof synopsis);
        entry(synopsis, command->summary);
    }
    printf(".SH CHAINS\n");
    put(help_chain_text());
    table("FILTERS", SWATHE_TABLE_FILTERS);
    table("ARGUMENTS OF EVERY FILTER", SWATHE_TABLE_OPTIONS);
    table("BORDERS", SWATHE_TABLE_BORDERS);
    examples(command_at(COMMAND_APPLY)->example);
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
            entry(term, option->summary);
        }
}

void man_command(const struct command *command)
{
    const struct argument *argument;
    char page[64], synopsis[256];
    snprintf(page, sizeof page, "swathe-%s", command->name);
    command_synopsis(command, synopsis, sizeof synopsis);
    title(page, command->summary);
    printf(".SH SYNOPSIS\n.B ");
    put(synopsis);
    printf(".SH DESCRIPTION\n");
    put(command->detail);
    for (int i = 0; (argument = command_argument(command, i)); i++)
        entry(argument->name, argument->summary);
    options_section(command);
    examples(command->example);
    exit_codes();
    see_also(command);
}
