#include "complete.h"

#include <stdio.h>

/* Bash cuts words at ':' and '=', which chains and --option=value hold: they are put together
 * first, and what stands before the piece that Bash completes is cut off again at the end. */
static const char start[] =
    "# bash completion for swathe; made by: swathe completion bash\n"
    "\n"
    "_swathe()\n"
    "{\n"
    "    local -a words=() arguments=()\n"
    "    local i word full piece cut options valued index=0 skip=\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((${#words[@]})) && [[ $word == [:=]* || ${words[-1]} == *[:=] ]]; then\n"
    "            words[-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    full=${words[-1]} piece=${COMP_WORDS[COMP_CWORD]#[:=]}\n"
    "    COMPREPLY=()\n"
    "    if ((${#words[@]} == 1)); then\n"
    "        _swathe_offer \"$full\" '' '";

static const char count_arguments[] =
    "    # The option whose value comes next, or the number of the argument.\n"
    "    for word in \"${words[@]:1:${#words[@]}-2}\"; do\n"
    "        if [[ $skip ]]; then\n"
    "            skip=\n"
    "        elif [[ $word == -?* ]]; then\n"
    "            [[ $valued == *\" $word \"* ]] && skip=$word\n"
    "        else\n"
    "            ((index++))\n"
    "        fi\n"
    "    done\n"
    "    if [[ $skip ]]; then\n"
    "        _swathe_value \"$skip\" \"$full\" ''\n"
    "    elif [[ $full == --*=* ]]; then\n"
    "        _swathe_value \"${full%%=*}\" \"${full#*=}\" \"${full%%=*}=\"\n"
    "    elif [[ $full == -* ]]; then\n"
    "        _swathe_offer \"$full\" '' \"$options\"\n"
    "    else\n"
    "        # The last argument may repeat.\n"
    "        ((index < ${#arguments[@]})) || index=$((${#arguments[@]} - 1))\n"
    "        ((index < 0)) || _swathe_argument \"${arguments[index]}\" \"$full\"\n"
    "    fi\n"
    "    cut=${full%\"$piece\"}\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
    "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
    "}\n"
    "\n";

static const char helpers[] =
    "# _swathe_offer TYPED BEFORE WORDS: the words that begin with TYPED, each after BEFORE\n"
    "_swathe_offer()\n"
    "{\n"
    "    local candidate\n"
    "    for candidate in $3; do\n"
    "        [[ $candidate == \"$1\"* ]] && COMPREPLY+=(\"$2$candidate\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_swathe_files()\n"
    "{\n"
    "    local file\n"
    "    compopt -o filenames\n"
    "    while IFS= read -r file; do\n"
    "        COMPREPLY+=(\"$file\")\n"
    "    done < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "# A chain: the last filter of it, or an argument of that filter.\n"
    "_swathe_chain()\n"
    "{\n"
    "    local typed=${1##*,} own=\n"
    "    local before=${1%\"$typed\"}\n"
    "    compopt -o nospace\n"
    "    if [[ $typed == *:* ]]; then\n"
    "        _swathe_own \"${typed%%:*}\"\n"
    "        _swathe_offer \"${typed##*:}\" \"$before${typed%:*}:\" \"$own $_swathe_stage\"\n"
    "    else\n"
    "        _swathe_offer \"$typed\" \"$before\" \"$_swathe_filters\"\n"
    "    fi\n"
    "}\n"
    "\n";

static void print_command(const struct command *command)
{
    const struct option *option;
    const struct argument *argument;
    printf("    %s)\n        options='", command->name);
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command))
            printf("--%s ", option->name);
    printf("' valued=' ");
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command) && option_takes_word(option))
            printf("--%s ", option->name);
    printf("'\n        arguments=(");
    for (int i = 0; (argument = command_argument(command, i)); i++) {
        printf(i ? " '" : "'");
        if (argument->kind == KIND_WORD)
            complete_words(argument->words, " ");
        else
            printf(argument->kind == KIND_CHAIN ? "chain" : "file");
        printf("'");
    }
    printf(") ;;\n");
}

/* Sets `own` to the arguments that only this filter takes. */
static void print_own(void)
{
    printf("_swathe_own()\n{\n    case $1 in\n");
    complete_own("    ", ") own='", "' ;;\n");
    printf("    esac\n}\n\n");
}

static void print_values(void)
{
    const struct option *option;
    printf("# _swathe_value OPTION TYPED BEFORE\n_swathe_value()\n{\n    case $1 in\n");
    for (int i = 0; (option = option_at(i)); i++) {
        if (!option->words[0])
            continue;
        printf("    --%s) _swathe_offer \"$2\" \"$3\" '", option->name);
        complete_words(option->words, " ");
        printf("' ;;\n");
    }
    printf("    esac\n}\n\n");
}

void complete_bash(void)
{
    const struct command *command;
    printf("%s", start);
    complete_words("@commands", " ");
    printf(" --help --version'\n        return\n    fi\n    case ${words[0]} in\n");
    for (int i = 0; (command = command_at(i)); i++)
        print_command(command);
    printf("    *) return ;;\n    esac\n%s%s", count_arguments, helpers);
    printf("_swathe_filters='");
    complete_words("@filters", " ");
    printf("'\n_swathe_stage='");
    complete_stage(" ");
    printf("'\n\n");
    print_own();
    print_values();
    printf("# _swathe_argument KIND TYPED\n"
           "_swathe_argument()\n{\n    case $1 in\n"
           "    chain) _swathe_chain \"$2\" ;;\n"
           "    file) _swathe_files \"$2\" ;;\n"
           "    *) _swathe_offer \"$2\" '' \"$1\" ;;\n"
           "    esac\n}\n\ncomplete -F _swathe swathe\n");
}
