/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and the options that several of them share. */
#include "app/call/command.h"
#include <stddef.h>
#include <string.h>

static const lethe_option common[] = {
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "OUT",
     .help = "folder for the release, or - for the data alone on standard output"},
    {.name = "force", .type = LETHE_OPT_FLAG, .help = "replace an existing release or output file"},
    {.name = "from",
     .type = LETHE_OPT_CHOICE,
     .arg = "aol|csv|jsonl|ubi|records|table",
     .help = "input format [default: detected]"},
    {.name = "delimiter",
     .type = LETHE_OPT_TEXT,
     .arg = "C",
     .help = "column separator; 'tab' for a tab [default: detected]"},
    {.name = "columns",
     .type = LETHE_OPT_TEXT,
     .arg = "user=1,time=2,query=3",
     .help = "which column holds which field, by number or name; also rank= and url="},
    {.name = "time-format",
     .type = LETHE_OPT_TEXT,
     .arg = "FORMAT",
     .help = "how times are written, such as '%d.%m.%y %H:%M' [default: detected]"},
    {.name = "encoding",
     .type = LETHE_OPT_TEXT,
     .arg = "latin1|windows-1252|utf-16|...",
     .help = "encoding of the input, by any name that iconv knows [default: detected]"},
    {.name = "actions",
     .type = LETHE_OPT_TEXT,
     .arg = "click,purchase,...",
     .help = "User Behavior Insights: actions of events that count as clicks [default: all but "
             "impressions]"},
    {.name = "null",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT,...",
     .help =
         "fields that are this text alone are empty, such as 'NULL,\\N', which databases write"},
    {.name = "header",
     .type = LETHE_OPT_FLAG,
     .help = "CSV whose first line names the columns, whatever is in it [default: detected]"},
    {.name = "users-with",
     .type = LETHE_OPT_TEXT,
     .arg = "MIN-MAX",
     .help = "keep only users who have between MIN and MAX clicked queries"},
    {.name = "strict-input",
     .type = LETHE_OPT_FLAG,
     .help = "stop at the first line that cannot be parsed; otherwise it is skipped and counted"},
    {.name = "keep-users",
     .type = LETHE_OPT_FLAG,
     .help = "publish the users' own IDs instead of pseudonyms"},
    {.name = "time",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|hour|day|week|month|drop",
     .help = "precision of published times [default: day]"},
    {.name = "urls",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|host|id|drop",
     .help = "how clicked URLs are published [default: host; for disconnect, id]"},
    {.name = "keep",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "publish further columns of the log too, by name or number; a value that too few "
             "persons have is left out"},
    {.name = "keep-min",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1e9,
     .help = "with --keep: publish a value that at least N persons have, of those with published "
             "rows [default: 5, or the t of threshold --by users where that is greater]"},
    {.name = "publish-as",
     .type = LETHE_OPT_CHOICE,
     .arg = "tsv|ubi",
     .help = "files of a published log: data.tsv alone, or beside it ubi.ndjson, with documents of "
             "User Behavior Insights [default: tsv]"},
    {.name = "key-file",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "secret key for pseudonyms, hashes and seals, so that the owner can link releases",
     .secret = true},
    {.name = "map",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "write the original name of each published one to FILE; the owner keeps it secret"},
    {.name = "seed",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .max = 9e18,
     .help = "make the run reproducible; anyone who guesses N can reverse the pseudonyms",
     .secret = true},
    {.name = "report",
     .type = LETHE_OPT_FLAG,
     .help = "add a readable page, report.html, to the release"},
    {.name = "title",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT",
     .help = "name of the data set, for the manifest and the page"},
    {.name = "date",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT",
     .help = "date for the manifest and the page, which have none otherwise"},
    {0},
};

const lethe_option *lethe_common_options(void) { return common; }

bool lethe_common_named(const char *name)
{
    for (const lethe_option *o = common; o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

bool lethe_common_applies(const lethe_option *o, const lethe_command *c)
{
    static const struct {
        const char *name;
        unsigned takes; /* one of them is enough */
    } asked[] = {
        {"from", LETHE_TAKES_READING},
        {"delimiter", LETHE_TAKES_READING},
        {"columns", LETHE_TAKES_READING},
        {"time-format", LETHE_TAKES_READING},
        {"encoding", LETHE_TAKES_READING},
        {"actions", LETHE_TAKES_READING},
        {"null", LETHE_TAKES_READING},
        {"header", LETHE_TAKES_READING},
        {"users-with", LETHE_TAKES_READING},
        {"strict-input", LETHE_TAKES_READING},
        {"output", LETHE_TAKES_PUBLISHING},
        {"key-file", LETHE_TAKES_PUBLISHING},
        {"map", LETHE_TAKES_PUBLISHING},
        {"report", LETHE_TAKES_PUBLISHING},
        {"title", LETHE_TAKES_PUBLISHING},
        {"date", LETHE_TAKES_PUBLISHING},
        {"time", LETHE_TAKES_COARSENING},
        {"urls", LETHE_TAKES_COARSENING},
        {"keep-users", LETHE_TAKES_USERS},
        {"publish-as", LETHE_TAKES_USERS},
        {"keep", LETHE_TAKES_COLUMNS},
        {"keep-min", LETHE_TAKES_COLUMNS},
        {"force", LETHE_TAKES_PUBLISHING | LETHE_TAKES_FORCE},
    };
    if (strcmp(o->name, "publish-as") == 0 && !(c->takes & LETHE_TAKES_PUBLISHING)) return false;
    for (size_t i = 0; i < LETHE_COUNT(asked); i++)
        if (strcmp(o->name, asked[i].name) == 0) return c->takes & asked[i].takes;
    return true;
}

/* --- commands, and then methods --- */

static const lethe_runner *const commands[] = {
    &lethe_command_profile,
#ifndef LETHE_MINIMAL
    &lethe_command_publish,   &lethe_command_redo,    &lethe_command_compare,
    &lethe_command_suggest,   &lethe_command_report,
#endif
    &lethe_command_hierarchy, &lethe_command_join,    &lethe_command_verify,
    &lethe_command_check,     &lethe_command_measure, &lethe_command_attack,
    &lethe_command_open,      &lethe_command_synth,   &lethe_command_key,
    &lethe_command_methods,   &lethe_command_version,
};

/* Those of lethe_call() alone. */
static const lethe_runner *const unlisted[] = {&lethe_command_release, &lethe_command_part,
                                               &lethe_command_assemble};

static lethe_command method_as_command(const lethe_method *m)
{
    bool of_records = m->in & LETHE_SHAPE_RECORDS, of_table = m->in & LETHE_SHAPE_TABLE,
         to_log = m->out & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED);
    return (lethe_command){.name = m->name,
                           .group = "Make a release",
                           .summary = m->summary,
                           .operands = of_records ? "LOG|RECORDS..."
                                       : of_table ? "TABLE..."
                                                  : "LOG...",
                           .options = m->options,
                           .takes =
                               LETHE_TAKES_READING | LETHE_TAKES_PUBLISHING | LETHE_TAKES_EXPLAIN |
                               (to_log ? (unsigned)LETHE_TAKES_USERS : 0U) |
                               (to_log && !m->samples ? (unsigned)LETHE_TAKES_COARSENING : 0U) |
                               (m->carries ? (unsigned)LETHE_TAKES_COLUMNS : 0U),
                           .description = m->description,
                           .figures = m->figures,
                           .example = m->example,
                           .paper = m->paper,
                           .notion = m->notion,
                           .knowledge = m->knowledge,
                           .sweep = m->sweep,
                           .in = m->in,
                           .out = m->out,
                           .chains = m->out & LETHE_SHAPE_LOG && !m->samples};
}

/* The caller may know fewer members than the library. */
static bool copy(const lethe_command *c, lethe_command *out)
{
    size_t size = out->size;
    assert(size >= offsetof(lethe_command, chains));
    memcpy((char *)out + sizeof size, (const char *)c + sizeof size,
           LETHE_MIN(size, sizeof *c) - sizeof size);
    return true;
}

bool lethe_command_at(size_t i, lethe_command *out)
{
    if (i < LETHE_COUNT(commands)) return copy(&commands[i]->command, out);
    i -= LETHE_COUNT(commands);
    for (const lethe_method *const *m = lethe_methods(); *m; m++, i--)
        if (i == 0) {
            const lethe_command c = method_as_command(*m);
            return copy(&c, out);
        }
    return false;
}

bool lethe_command_find(const char *name, lethe_command *out)
{
    for (size_t i = 0; lethe_command_at(i, out); i++)
        if (strcmp(out->name, name) == 0) return true;
    return false;
}

const lethe_runner *lethe_runner_find(const char *name)
{
    for (size_t i = 0; i < LETHE_COUNT(unlisted); i++)
        if (strcmp(name, unlisted[i]->command.name) == 0) return unlisted[i];
    for (size_t i = 0; i < LETHE_COUNT(commands); i++)
        if (strcmp(name, commands[i]->command.name) == 0) return commands[i];
    return NULL;
}

lethe_shape lethe_command_shape(const lethe_command *method, const lethe_values *v)
{
    const lethe_method *m = lethe_method_find(method->name);
    return m ? lethe_method_shape(m, v) : LETHE_SHAPE_NONE;
}

const lethe_figure *lethe_measure_figures(size_t i, unsigned *shapes)
{
    for (const lethe_measure *const *m = lethe_measures(); *m; m++, i--)
        if (i == 0) {
            *shapes = (*m)->shapes;
            return (*m)->figures;
        }
    return NULL;
}

bool lethe_notion_known(const char *name)
{
    for (const lethe_notion *const *n = lethe_notions(); *n; n++)
        if (strcmp((*n)->name, name) == 0) return true;
    return false;
}
