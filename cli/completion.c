/* SPDX-License-Identifier: Apache-2.0 */
/* completion.c - completion scripts for bash, zsh and fish, made from the tables. */
#include "cli.h"
#include <string.h>

/* Calls `fn` for every option of a command, its own first. */
typedef void (*option_fn)(FILE *f, const lethe_command *c, const lethe_option *o);
static void each_option(FILE *f, const lethe_command *c, option_fn fn)
{
    for (const lethe_option *o = c->options; o && o->name; o++)
        fn(f, c, o);
    for (const lethe_option *o = common_options; o->name; o++)
        if (common_shown(o, c)) fn(f, c, o);
}

static bool is_short(const lethe_option *o) { return o->letter && strlen(o->name) == 1; }

/* The words that an option accepts, separated by |; NULL: none, or others too. */
static const char *words_of(const lethe_option *o)
{
    return o->type == LETHE_OPT_CHOICE || o->type == LETHE_OPT_SET ? o->arg : o->word;
}

static bool takes_file(const lethe_option *o) { return o->type == LETHE_OPT_PATH; }

static void print_words(FILE *f, const char *words)
{
    for (; *words; words++)
        fputc(*words == '|' ? ' ' : *words, f);
}

/* Text within single quotes; what is in `special` gets a backslash. */
static void print_quoted(FILE *f, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (strchr(special, *text)) fputc('\\', f);
        if (*text == '\'')
            fputs(quote, f);
        else
            fputc(*text, f);
    }
}

/* What an option does, and its default. */
static void print_option_help(FILE *f, const lethe_option *o, const char *special,
                              const char *quote)
{
    char text[600];
    snprintf(text, sizeof text, o->fallback ? "%s [default: %s]" : "%s", o->help, o->fallback);
    print_quoted(f, text, special, quote);
}

/* --- bash --- */

static void bash_name(FILE *f, const lethe_command *c, const lethe_option *o)
{
    (void)c;
    fprintf(f, "%s%s ", is_short(o) ? "-" : "--", o->name);
}

static void bash_choice(FILE *f, const lethe_command *c, const lethe_option *o)
{
    if (!words_of(o)) return;
    fprintf(f, "    '%s %s%s'", c->name, is_short(o) ? "-" : "--", o->name);
    if (o->letter && !is_short(o)) fprintf(f, " | '%s -%c'", c->name, o->letter);
    fputs(") words='", f);
    print_words(f, words_of(o));
    fprintf(f, "' files=%s ;;\n", takes_file(o) ? "yes" : "");
}

static void print_bash(FILE *f)
{
    lethe_command c;
    fputs("# bash completion for lethe\n"
          "_lethe()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words= files= i\n"
          "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
          "        [ \"${COMP_WORDS[i]}\" = --then ] && command=${COMP_WORDS[i + 1]}\n"
          "    done\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$before\" = --then ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          f);
    for (size_t i = 0; command_at(i, &c); i++)
        fprintf(f, "%s ", c.name);
    fputs("' -- \"$word\"))\n        return\n    fi\n    case \"$command $before\" in\n", f);
    for (size_t i = 0; command_at(i, &c); i++) {
        each_option(f, &c, bash_choice);
    }
    fputs("    esac\n"
          "    if [ -n \"$words\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "        [ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
          "        return\n    fi\n    case $command in\n",
          f);
    for (size_t i = 0; command_at(i, &c); i++) {
        fprintf(f, "    %s) words='", c.name);
        each_option(f, &c, bash_name);
        fputs(is_method(&c) ? "--then' ;;\n" : "' ;;\n", f);
    }
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    [ \"${word#-}\" = \"$word\" ] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
          "}\ncomplete -o filenames -F _lethe lethe\n",
          f);
}

/* --- zsh --- */

static void zsh_option(FILE *f, const lethe_command *c, const lethe_option *o)
{
    static const char quote[] = "'\\''";
    (void)c;
    fputs(" \\\n            '*", f);
    if (o->letter && !is_short(o))
        fprintf(f, "'{-%c,--%s}'", o->letter, o->name);
    else
        fprintf(f, "%s%s", is_short(o) ? "-" : "--", o->name);
    fputc('[', f);
    print_option_help(f, o, "[]\\", quote);
    fputc(']', f);
    if (o->type != LETHE_OPT_FLAG) {
        fprintf(f, ":%s:", o->name);
        const char *words = words_of(o);
        if (words && !takes_file(o)) {
            fputc('(', f);
            print_words(f, words);
            fputc(')', f);
        } else {
            fputs(takes_file(o) ? "_files" : " ", f);
        }
    }
    fputc('\'', f);
}

static void print_zsh(FILE *f)
{
    lethe_command c;
    static const char quote[] = "'\\''";
    fputs("#compdef lethe\n"
          "_lethe() {\n"
          "    local command=${words[2]} i\n"
          "    local -a commands\n"
          "    commands=(\n",
          f);
    for (size_t i = 0; command_at(i, &c); i++) {
        fprintf(f, "        '%s:", c.name);
        print_quoted(f, c.summary, ":\\", quote);
        fputs("'\n", f);
    }
    fputs("    )\n"
          "    for ((i = 3; i < CURRENT; i++)); do\n"
          "        [[ ${words[i]} == --then ]] && command=${words[i + 1]}\n"
          "    done\n"
          "    if ((CURRENT == 2)) || [[ ${words[CURRENT - 1]} == --then ]]; then\n"
          "        _describe -t commands command commands\n"
          "        return\n    fi\n    case $command in\n",
          f);
    for (size_t i = 0; command_at(i, &c); i++) {
        fprintf(f, "    %s)\n        _arguments", c.name);
        each_option(f, &c, zsh_option);
        if (is_method(&c))
            fputs(" \\\n            '*--then[another method, applied to the result]'", f);
        fputs(" \\\n            '*:file:_files'\n        ;;\n", f);
    }
    fputs("    esac\n}\n_lethe \"$@\"\n", f);
}

/* --- fish --- */

static void fish_option(FILE *f, const lethe_command *c, const lethe_option *o)
{
    fprintf(f, "complete -c lethe -n '__lethe_in %s'", c->name);
    if (o->letter) fprintf(f, " -s %c", o->letter);
    if (!is_short(o)) fprintf(f, " -l %s", o->name);
    if (o->type != LETHE_OPT_FLAG) fputs(takes_file(o) ? " -r -F" : " -x", f);
    if (words_of(o)) {
        fputs(" -a '", f);
        print_words(f, words_of(o));
        fputc('\'', f);
    }
    fputs(" -d '", f);
    print_option_help(f, o, "\\", "\\'");
    fputs("'\n", f);
}

static void print_fish(FILE *f)
{
    lethe_command c;
    fputs("# fish completion for lethe\n"
          "function __lethe_command --description 'the command at the cursor'\n"
          "    set -l command\n"
          "    set -l wanted yes\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        if test -n \"$wanted\"\n"
          "            set command $word\n"
          "            set wanted\n"
          "        else if test \"$word\" = --then\n"
          "            set command\n"
          "            set wanted yes\n"
          "        end\n"
          "    end\n"
          "    echo $command\n"
          "end\n"
          "function __lethe_in\n"
          "    string match -q -- \"$argv[1]\" (__lethe_command)\n"
          "end\n"
          "function __lethe_wants_command\n"
          "    test -z \"\"(__lethe_command)\n"
          "end\n"
          "complete -c lethe -n __lethe_wants_command -f\n",
          f);
    for (size_t i = 0; command_at(i, &c); i++) {
        fprintf(f, "complete -c lethe -n __lethe_wants_command -a %s -d '", c.name);
        print_quoted(f, c.summary, "\\", "\\'");
        fputs("'\n", f);
        each_option(f, &c, fish_option);
        if (is_method(&c))
            fprintf(
                f,
                "complete -c lethe -n '__lethe_in %s' -l then -d 'another method, applied to the "
                "result'\n",
                c.name);
    }
}

void print_completion(FILE *f, const char *shell)
{
    if (strcmp(shell, "zsh") == 0)
        print_zsh(f);
    else if (strcmp(shell, "fish") == 0)
        print_fish(f);
    else
        print_bash(f);
}
