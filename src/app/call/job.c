/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a request together step by step; each value is checked as it comes. */
#include "app/call/job.h"
#include "model/table/table.h"
#include <string.h>

static bool values_new(lethe_arena *a, lethe_values *v, const lethe_option *table)
{
    lethe_value *at = lethe_new(a, lethe_value, lethe_option_count(table) + 1);
    if (at) lethe_values_init(v, table, at);
    return at;
}

/* `have` with room for one more: a copy that is twice as large at powers of two. */
static void *grown(lethe_arena *a, void *have, size_t n, size_t size)
{
    if (have && n & (n - 1)) return have;
    return lethe_arena_grow(a, have, n * size, (n ? 2 * n : 1) * size);
}

lethe_job *lethe_job_new(lethe_ctx *ctx, const char *command)
{
    const lethe_runner *runner = lethe_runner_find(command);
    lethe_ctx_forget_error(ctx);
    if (!runner) {
        lethe_command c = {.size = sizeof c};
        bool method = lethe_command_find(command, &c);
        (void)lethe_fail(ctx, LETHE_EUSAGE, "there is no command '%s'%s", command,
                         method ? ": methods are steps of the command 'release'" : "");
        return NULL;
    }
    lethe_arena *a = lethe_arena_new();
    lethe_job *job = a ? lethe_new(a, lethe_job, 1) : NULL;
    if (job) *job = (lethe_job){.ctx = ctx, .a = a, .runner = runner};
    if (job && values_new(a, &job->values, runner->command.options) &&
        values_new(a, &job->common, lethe_common_options()))
        return job;
    lethe_arena_free(a);
    (void)lethe_no_memory(ctx);
    return NULL;
}

void lethe_job_free(lethe_job *job)
{
    if (job) lethe_arena_free(job->a);
}

/* --- steps and options --- */

static lethe_err step_add(lethe_job *job, const char *method)
{
    const lethe_method *m = lethe_method_find(method);
    if (!job->runner->chains)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s takes no steps", job->runner->command.name);
    if (!m) {
        lethe_command c = {.size = sizeof c};
        bool exists = lethe_command_find(method, &c);
        return lethe_fail(job->ctx, LETHE_EUSAGE,
                          exists ? "'%s' is not a method" : "there is no method '%s'", method);
    }
    lethe_job_method *steps = grown(job->a, job->steps, job->n_steps, sizeof *steps);
    if (!steps) return lethe_no_memory(job->ctx);
    job->steps = steps;
    lethe_job_method *s = &steps[job->n_steps];
    *s = (lethe_job_method){.method = m, .command = {.size = sizeof s->command}};
    if (!lethe_command_find(method, &s->command)) return LETHE_EINTERNAL;
    if (!values_new(job->a, &s->values, m->options)) return lethe_no_memory(job->ctx);
    job->n_steps++;
    return LETHE_OK;
}

/* Where an option stands: in the table of the last step or else of the command, or among those that
 * commands share, as far as these apply. */
static bool option_find(lethe_job *job, const char *name, lethe_values **in, size_t *i)
{
    lethe_job_method *last = job->n_steps ? &job->steps[job->n_steps - 1] : NULL;
    lethe_values *tables[] = {last ? &last->values : &job->values, &job->common};
    const lethe_command *c = last ? &last->command : &job->runner->command;
    for (int t = 0; t < 2; t++)
        for (size_t k = 0; k < tables[t]->n; k++) {
            const lethe_option *o = &tables[t]->table[k];
            if (strcmp(o->name, name) != 0 || (t == 1 && !lethe_common_applies(o, c))) continue;
            *in = tables[t];
            *i = k;
            return true;
        }
    return false;
}

enum { OPTIONS_MAX = 128 };

static lethe_err option_unknown(lethe_job *job, const char *name)
{
    lethe_str names[OPTIONS_MAX];
    const lethe_job_method *last = job->n_steps ? &job->steps[job->n_steps - 1] : NULL;
    const lethe_command *c = last ? &last->command : &job->runner->command;
    const lethe_option *tables[] = {c->options, lethe_common_options()};
    size_t n = 0, near = 0;
    for (int t = 0; t < 2; t++)
        for (const lethe_option *o = tables[t]; o && o->name && n < OPTIONS_MAX; o++)
            if (t == 0 || lethe_common_applies(o, c)) names[n++] = lethe_str_of(o->name);
    if (lethe_column_nearest(lethe_str_of(name), names, n, &near) != LETHE_OK)
        return lethe_no_memory(job->ctx);
    if (near == n)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s has no option '%s'", c->name, name);
    return lethe_fail(job->ctx, LETHE_EUSAGE, "%s has no option '%s' (did you mean '%.*s'?)",
                      c->name, name, (int)names[near].n, names[near].at);
}

lethe_err lethe_job_has_option(lethe_job *job, const char *name, bool flag)
{
    lethe_values *in;
    size_t i;
    if (!option_find(job, name, &in, &i)) return option_unknown(job, name);
    if (flag && in->table[i].type != LETHE_OPT_FLAG)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "--%s needs a value", name);
    return LETHE_OK;
}

/* Is it like the names that inputs get that are no files? */
static bool like_input(const char *path)
{
    return strncmp(path, "stream:", 7) == 0 || strncmp(path, "memory:", 7) == 0;
}

static lethe_err option_set(lethe_job *job, const char *option, const char *value)
{
    lethe_values *in;
    size_t i;
    char *copy = lethe_arena_dup(job->a, lethe_str_of(value));
    if (!copy) return lethe_no_memory(job->ctx);
    if (job->runner == &lethe_command_hierarchy && strcmp(option, "column") == 0) {
        job->column = copy;
        return LETHE_OK;
    }
    if (!option_find(job, option, &in, &i)) return option_unknown(job, option);
    const lethe_option *o = &in->table[i];
    bool path = o->type == LETHE_OPT_PATH && strcmp(o->name, "output") == 0;
    if (o->type == LETHE_OPT_FLAG && *value)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "--%s takes no value", o->name);
    if (o->type == LETHE_OPT_PATH && like_input(copy)) // a file, none of the inputs
        copy = lethe_arena_printf(job->a, "./%s", copy);
    if (!copy) return lethe_no_memory(job->ctx);
    LETHE_TRY(lethe_values_set(in, i, copy, lethe_ctx_diag(job->ctx)));
    if (path) job->out = copy;
    return LETHE_OK;
}

/* --- what is read and written --- */

static lethe_err input_add(lethe_job *job, lethe_job_input input)
{
    lethe_job_input *inputs = grown(job->a, job->inputs, job->n_inputs, sizeof *inputs);
    if (!inputs) return lethe_no_memory(job->ctx);
    job->inputs = inputs;
    inputs[job->n_inputs++] = input;
    return LETHE_OK;
}

static lethe_err text_keep(lethe_job *job, const char *text, const char **out)
{
    *out = lethe_arena_dup(job->a, lethe_str_of(text));
    return *out ? LETHE_OK : lethe_no_memory(job->ctx);
}

static lethe_err file_add(lethe_job *job, const char *path)
{
    lethe_job_input input = {0};
    LETHE_TRY(text_keep(job, path, &input.path));
    return input_add(job, input);
}

static lethe_err stream_add(lethe_job *job, struct ArrowArrayStream *stream)
{
    if (!stream || !stream->release)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "the stream has been released already");
    size_t number = 0;
    for (size_t i = 0; i < job->n_inputs; i++)
        number += job->inputs[i].stream != NULL;
    return input_add(job, (lethe_job_input){.stream = stream, .number = number});
}

static lethe_err weight_set(lethe_job *job, const char *column)
{
    lethe_job_input *last = job->n_inputs ? &job->inputs[job->n_inputs - 1] : NULL;
    if (!last || !last->stream)
        return lethe_fail(job->ctx, LETHE_EUSAGE,
                          "a weight is a column of a stream, and there is none before it");
    return text_keep(job, column, &last->weight);
}

/* Some commands have an option `output` of their own. */
static lethe_err output_set(lethe_job *job, const char *path)
{
    lethe_values *in;
    size_t i;
    if (option_find(job, "output", &in, &i)) return option_set(job, "output", path);
    if (!job->runner->chains && job->runner != &lethe_command_key)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s writes no output", job->runner->command.name);
    return text_keep(job, path, &job->out);
}

static lethe_err output_stream_set(lethe_job *job, struct ArrowArrayStream *out)
{
    bool publishes = job->runner == &lethe_command_release || job->runner->own_rows ||
                     job->runner->command.takes & LETHE_TAKES_PUBLISHING;
    if (!publishes || !out)
        return lethe_fail(job->ctx, LETHE_EUSAGE, out ? "%s publishes no rows" : "no stream given",
                          job->runner->command.name);
    job->out_stream = out;
    return LETHE_OK;
}

/* --- what the caller sees: the first failure is kept --- */

static lethe_err kept(lethe_job *job, lethe_err e)
{
    if (job->failed != LETHE_OK || e == LETHE_OK) return e;
    const lethe_message *said = lethe_ctx_error(job->ctx);
    job->failed = e;
    job->fault = said ? lethe_arena_dup(job->a, lethe_str_of(said->text)) : NULL;
    return e;
}

lethe_err lethe_job_step(lethe_job *job, const char *method)
{
    return job ? kept(job, step_add(job, method)) : LETHE_EUSAGE;
}

lethe_err lethe_job_set(lethe_job *job, const char *option, const char *value)
{
    return job ? kept(job, option_set(job, option, value)) : LETHE_EUSAGE;
}

lethe_err lethe_job_input_file(lethe_job *job, const char *path)
{
    return job ? kept(job, file_add(job, path)) : LETHE_EUSAGE;
}

lethe_err lethe_job_input_memory(lethe_job *job, const void *bytes, size_t n)
{
    const lethe_job_input input = {.bytes = {bytes ? bytes : "", n}};
    return job ? kept(job, input_add(job, input)) : LETHE_EUSAGE;
}

lethe_err lethe_job_input_stream(lethe_job *job, struct ArrowArrayStream *stream)
{
    return job ? kept(job, stream_add(job, stream)) : LETHE_EUSAGE;
}

lethe_err lethe_job_weight(lethe_job *job, const char *column)
{
    return job ? kept(job, weight_set(job, column)) : LETHE_EUSAGE;
}

lethe_err lethe_job_release(lethe_job *job, const char *folder)
{
    return job ? kept(job, text_keep(job, folder, &job->release)) : LETHE_EUSAGE;
}

lethe_err lethe_job_output(lethe_job *job, const char *path)
{
    return job ? kept(job, output_set(job, path)) : LETHE_EUSAGE;
}

lethe_err lethe_job_output_stream(lethe_job *job, struct ArrowArrayStream *out)
{
    return job ? kept(job, output_stream_set(job, out)) : LETHE_EUSAGE;
}
