#include "complete.h"

#include <stdio.h>

static const char chain_function[] =
    "# A chain: the last filter of it, or an argument of that filter.\n"
    "function __swathe_chain\n"
    "    set -l typed (commandline -ct)\n"
    "    set -l before (string match -r '^.*,' -- $typed)\n"
    "    set -l last (string replace -r '^.*,' '' -- $typed)\n"
    "    if string match -q '*:*' -- $last\n"
    "        set -l words (__swathe_own (string replace -r ':.*' '' -- $last)) $__swathe_stage\n"
    "        printf '%s\\n' \"$before\"(string match -r '^.*:' -- $last)$words\n"
    "    else\n"
    "        printf '%s\\n' \"$before\"$__swathe_filters\n"
    "    end\n"
    "end\n"
    "\n"
    "# The number of arguments before the cursor, options left out.\n"
    "function __swathe_at\n"
    "    set -l words (commandline -opc)\n"
    "    test \"$words[2]\" = $argv[1]; or return 1\n"
    "    set -l count 0\n"
    "    set -l skip no\n"
    "    for word in $words[3..-1]\n"
    "        if test $skip = yes\n"
    "            set skip no\n"
    "        else if contains -- $word $__swathe_valued\n"
    "            set skip yes\n"
    "        else if not string match -q -- '-?*' $word\n"
    "            set count (math $count + 1)\n"
    "        end\n"
    "    end\n"
    "    test $skip = no -a $count -ge $argv[2] -a $count -le $argv[3]\n"
    "end\n"
    "\n"
    "complete -c swathe -f\n"
    "complete -c swathe -n __fish_use_subcommand -l help -d 'explain swathe'\n"
    "complete -c swathe -n __fish_use_subcommand -l version -d 'print the version'\n";

static void print_lists(void)
{
    const struct option *option;
    printf("set -g __swathe_filters");
    complete_words("@filters", " ");
    printf("\nset -g __swathe_stage");
    complete_stage(" ");
    printf("\nset -g __swathe_valued");
    for (int i = 0; (option = option_at(i)); i++)
        if (option_takes_word(option))
            printf(" --%s", option->name);
    printf("\n\n");
}

static void print_option(const struct command *command, const struct option *option)
{
    printf("complete -c swathe -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option_takes_word(option))
        printf(" -x");
    if (option->words[0]) {
        printf(" -a '");
        complete_words(option->words, " ");
        printf("'");
    }
    printf(" -d '");
    complete_quoted(option->summary, "\\");
    printf("'\n");
}

static void print_argument(const struct command *command, const struct argument *argument, int at)
{
    printf("complete -c swathe -n '__swathe_at %s %d %d'", command->name, at,
           argument->many ? 1000000 : at);
    if (argument->kind == KIND_FILE) {
        printf(" -F\n");
        return;
    }
    printf(" -a '");
    if (argument->kind == KIND_CHAIN)
        printf("(__swathe_chain)");
    else
        complete_words(argument->words, " ");
    printf("'\n");
}

static void print_command(const struct command *command)
{
    const struct option *option;
    const struct argument *argument;
    printf("\ncomplete -c swathe -n __fish_use_subcommand -a %s -d '", command->name);
    complete_quoted(command->summary, "\\");
    printf("'\n");
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command))
            print_option(command, option);
    for (int i = 0; (argument = command_argument(command, i)); i++)
        print_argument(command, argument, i);
}

void complete_fish(void)
{
    const struct command *command;
    printf("# fish completion for swathe; made by: swathe completion fish\n\n");
    print_lists();
    printf("# The arguments that only this filter takes.\n"
           "function __swathe_own\n    switch $argv[1]\n");
    complete_own("    case ", "\n        printf '%s\\n'", "\n");
    printf("    end\nend\n\n%s", chain_function);
    for (int i = 0; (command = command_at(i)); i++)
        print_command(command);
}
