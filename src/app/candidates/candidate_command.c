/* SPDX-License-Identifier: Apache-2.0 */
/* candidate_command.c - the command line of a run, as a user would type it. */
#include "app/candidates/candidates.h"

/* As a shell takes it for one word; NULL: no memory. */
static const char *quoted(lethe_arena *a, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=,+@%-";
    if (*s && strspn(s, plain) == strlen(s)) return s;
    const char *out = "'";
    for (size_t n; out && *s; s += n) {
        n = *s == '\'' ? 1 : strcspn(s, "'");
        out = *s == '\'' ? lethe_arena_printf(a, "%s'\\''", out)
                         : lethe_arena_printf(a, "%s%.*s", out, (int)n, s);
    }
    return out ? lethe_arena_printf(a, "%s'", out) : NULL;
}

const char *lethe_command_option(lethe_arena *a, const char *line, const char *name,
                                 const char *value)
{
    const char *word = value ? quoted(a, value) : "";
    if (!line || !word) return NULL;
    return lethe_arena_printf(a, "%s %s%s%s%s", line, name[1] ? "--" : "-", name, value ? " " : "",
                              word);
}

const char *lethe_command_begin(lethe_arena *a, const char *name, const char *const *inputs,
                                size_t n_inputs, const lethe_read_options *r)
{
    static const char *const formats[] = {NULL, "aol", "csv", "jsonl", "ubi", "records", "table"};
    const unsigned long long least = r->users_with_min, most = r->users_with_max;
    char delimiter[2] = {r->delimiter, 0};
    const char *line = lethe_arena_printf(a, "lethe %s", name);
    for (size_t i = 0; line && i < n_inputs; i++) {
        bool dashed = inputs[i][0] == '-' && inputs[i][1];
        const char *path = quoted(a, inputs[i]);
        line = path ? lethe_arena_printf(a, "%s %s%s", line, dashed ? "./" : "", path) : NULL;
    }
    if (r->format) line = lethe_command_option(a, line, "from", formats[r->format]);
    if (r->delimiter)
        line = lethe_command_option(a, line, "delimiter", r->delimiter == '\t' ? "tab" : delimiter);
    if (r->columns) line = lethe_command_option(a, line, "columns", r->columns);
    if (r->time_format) line = lethe_command_option(a, line, "time-format", r->time_format);
    if (r->header) line = lethe_command_option(a, line, "header", NULL);
    if (r->null_texts) line = lethe_command_option(a, line, "null", r->null_texts);
    if (r->encoding) line = lethe_command_option(a, line, "encoding", r->encoding);
    if (r->actions) line = lethe_command_option(a, line, "actions", r->actions);
    if (line && r->has_users_with && r->users_with_max == UINT64_MAX)
        line = lethe_arena_printf(a, "%s --users-with %llu-", line, least);
    else if (line && r->has_users_with)
        line = lethe_arena_printf(a, "%s --users-with %llu-%llu", line, least, most);
    return r->strict ? lethe_command_option(a, line, "strict-input", NULL) : line;
}

/* The options of a step that are not its defaults, each with its value. */
static const char *step_append(lethe_arena *a, const char *line, const lethe_step *step)
{
    const lethe_values *v = &step->values;
    for (size_t i = 0; i < v->n; i++) {
        bool flag = v->table[i].type == LETHE_OPT_FLAG;
        if (v->at[i].given) // by the user or by the plan
            line = lethe_command_option(a, line, v->table[i].name, flag ? NULL : v->at[i].text);
    }
    return line;
}

const char *lethe_run_command(lethe_arena *a, const lethe_step *steps, size_t n_steps,
                              const char *const *inputs, size_t n_inputs,
                              const lethe_read_options *reading, const char *out)
{
    const char *line = lethe_command_begin(a, steps[0].method->name, inputs, n_inputs, reading);
    for (size_t i = 0; i < n_steps; i++) {
        if (i > 0 && line)
            line = lethe_arena_printf(a, "%s --then %s", line, steps[i].method->name);
        line = step_append(a, line, &steps[i]);
    }
    return lethe_command_option(a, line, "o", out);
}
