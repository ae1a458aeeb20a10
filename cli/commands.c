/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the commands of the program: those of the library and `help`, each with the function
 * that runs it; and the options that they share. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* Of the program itself, and no part of a request. */
static const lethe_option program_options[] = {
    {.name = "threads",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1024,
     .help = "number of threads [default: all cores]"},
    {.name = "memory",
     .type = LETHE_OPT_SIZE,
     .arg = "SIZE",
     .min = 16777216,
     .max = 9e18,
     .help = "memory limit, such as 200M or 4G [default: half of the machine's]"},
    {.name = "explain",
     .type = LETHE_OPT_FLAG,
     .help = "show all figures with their meaning, and what is left out of the short output"},
    {.name = "json", .type = LETHE_OPT_FLAG, .help = "print one JSON object on standard output"},
    {.name = "quiet", .letter = 'q', .type = LETHE_OPT_FLAG, .help = "print errors only"},
    {.name = "verbose",
     .letter = 'v',
     .type = LETHE_OPT_FLAG,
     .help = "print more messages, including the content of rejected lines"},
    {.name = "no-progress", .type = LETHE_OPT_FLAG, .help = "do not show a progress bar"},
    {.name = "help", .letter = 'h', .type = LETHE_OPT_FLAG, .help = "show this help"},
    {0},
};

enum { OPTIONS_MAX = 64 };
lethe_option common_options[OPTIONS_MAX];

static bool is_of_program(const lethe_option *o)
{
    for (const lethe_option *p = program_options; p->name; p++)
        if (strcmp(p->name, o->name) == 0) return true;
    return false;
}

/* Limits of the run stand before what is about the page; what is about the terminal, at the end. */
void common_options_begin(void)
{
    const lethe_option *p = program_options;
    size_t n = 0;
    for (const lethe_option *o = lethe_common_options(); o->name; o++) {
        while (strcmp(o->name, "report") == 0 && strcmp(p->name, "explain") != 0)
            common_options[n++] = *p++;
        common_options[n++] = *o;
    }
    while (p->name)
        common_options[n++] = *p++;
    if (n >= OPTIONS_MAX) abort();
}

bool common_applies(const lethe_option *o, const lethe_command *c)
{
    if (strcmp(o->name, "explain") == 0) return c->takes & LETHE_TAKES_EXPLAIN;
    return is_of_program(o) || lethe_common_applies(o, c);
}

bool takes_tables_alone(const lethe_command *c) { return strncmp(c->operands, "TABLE", 5) == 0; }

bool common_shown(const lethe_option *o, const lethe_command *c)
{
    bool of_logs = strcmp(o->name, "columns") == 0 || strcmp(o->name, "users-with") == 0 ||
                   strcmp(o->name, "time-format") == 0 || strcmp(o->name, "actions") == 0;
    return common_applies(o, c) && !(of_logs && takes_tables_alone(c));
}

static const lethe_command help = {
    .name = "help",
    .group = "Other",
    .summary = "show help for a command",
    .operands = "[COMMAND]",
    .options = help_options,
    .description = "Shows the options of a command, or without one an overview of all commands.",
    .example = "lethe help threshold",
};

bool is_method(const lethe_command *c) { return c->paper; }

/* `help` stands before the first method's predecessor, `version`. */
bool command_at(size_t i, lethe_command *out)
{
    lethe_command c = {.size = sizeof c};
    size_t before = 0;
    while (lethe_command_at(before, &c) && strcmp(c.name, "version") != 0)
        before++;
    *out = (lethe_command){.size = sizeof *out};
    if (i != before) return lethe_command_at(i < before ? i : i - 1, out);
    *out = help;
    return true;
}

bool command_find(const char *name, lethe_command *out)
{
    *out = help;
    if (strcmp(name, "help") == 0) return true;
    *out = (lethe_command){.size = sizeof *out};
    return lethe_command_find(name, out);
}

command_fn command_function(const char *name)
{
    static const struct {
        const char *name;
        command_fn run;
    } all[] = {
        {"attack", run_attack}, {"check", run_check},         {"compare", run_compare},
        {"help", run_help},     {"hierarchy", run_hierarchy}, {"join", run_method},
        {"key", run_quiet},     {"measure", run_measure},     {"methods", run_methods},
        {"open", run_open},     {"profile", run_profile},     {"publish", run_publish},
        {"redo", run_publish},  {"report", run_report},       {"suggest", run_suggest},
        {"synth", run_synth},   {"verify", run_verify},       {"version", run_version},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0) return all[i].run;
    return run_method;
}
