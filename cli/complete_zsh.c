#include "complete.h"

#include "words.h"

#include <stdio.h>

/* Within _arguments, ':' and brackets have a meaning. */
static const char special[] = ":[]\\";

static void print_described(const char *words)
{
    struct word word;
    for (int i = 0; words_at(words, i, &word); i++) {
        if (!word.available)
            continue;
        printf("    '%s:", word.name);
        complete_quoted(word.summary, ":\\");
        printf("'\n");
    }
}

static void print_option(const struct option *option)
{
    bool optional = option->kind == KIND_PROGRESS;
    printf("      '--%s%s[", option->name, option->kind == KIND_FLAG ? "" : optional ? "=-" : "=");
    complete_quoted(option->summary, special);
    printf("]");
    if (option->kind != KIND_FLAG) {
        printf(optional ? "::%s:" : ":%s:", optional ? option->words : option->value);
        if (option->words[0]) {
            printf("(");
            complete_words(option->words, " ");
            printf(")");
        }
    }
    printf("' \\\n");
}

static void print_argument(const struct argument *argument)
{
    printf("      '%s:%s:", argument->many ? "*" : "", argument->name);
    if (argument->kind == KIND_CHAIN)
        printf("_swathe_chain");
    else if (argument->kind == KIND_FILE)
        printf("_files");
    else {
        printf("(");
        complete_words(argument->words, " ");
        printf(")");
    }
    printf("' \\\n");
}

static void print_command(const struct command *command)
{
    const struct option *option;
    const struct argument *argument;
    printf("    %s) _arguments \\\n", command->name);
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command))
            print_option(option);
    for (int i = 0; (argument = command_argument(command, i)); i++)
        print_argument(argument);
    printf("      ;;\n");
}

static void print_chain(void)
{
    printf("# A chain: the last filter of it, or an argument of that filter.\n"
           "_swathe_chain() {\n"
           "  local -a filters=(\n");
    print_described("@filters");
    printf("  )\n"
           "  local -a arguments=(");
    complete_stage(" ");
    printf(" )\n"
           "  compset -P '*,'\n"
           "  case ${PREFIX%%%%:*} in\n");
    complete_own("  ", ") arguments+=(", ") ;;\n");
    printf("  esac\n"
           "  if compset -P '*:'; then\n"
           "    compadd -S '' -a arguments\n"
           "  else\n"
           "    _describe -t filters filter filters -S ''\n"
           "  fi\n"
           "}\n\n");
}

void complete_zsh(void)
{
    const struct command *command;
    printf("#compdef swathe\n# made by: swathe completion zsh\n\n");
    print_chain();
    printf("_swathe() {\n"
           "  local curcontext=$curcontext state line\n"
           "  typeset -A opt_args\n"
           "  local -a commands=(\n");
    print_described("@commands");
    printf("  )\n"
           "  _arguments -C '(- *)--help[explain swathe]' '(- *)--version[print the version]' \\\n"
           "    '1: :->command' '*:: :->rest' && return\n"
           "  case $state in\n"
           "  command) _describe -t commands command commands ;;\n"
           "  rest)\n"
           "    case $words[1] in\n");
    for (int i = 0; (command = command_at(i)); i++)
        print_command(command);
    printf("    esac ;;\n"
           "  esac\n"
           "}\n\n"
           "if [ \"$funcstack[1]\" = _swathe ]; then\n"
           "  _swathe \"$@\"\n"
           "else\n"
           "  compdef _swathe swathe\n"
           "fi\n");
}
