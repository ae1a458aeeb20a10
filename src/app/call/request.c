/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request in JSON (lethe-request(5)).  Whatever it does not know is an error: a member that
 * is misspelt would be a promise that is not kept. */
#include "app/call/job.h"
#include <string.h>

typedef struct reader {
    lethe_job *job;
    struct ArrowArrayStream *const *in, *const *out;
    size_t n_in, n_out;
    uint64_t in_used; /* bits */
} reader;

enum { STREAMS_MAX = 64, WHERE_BYTES = 80 };

static lethe_err wrong(const reader *r, const char *where, const char *expected)
{
    return lethe_fail(r->job->ctx, LETHE_EUSAGE, "request: '%s': %s expected", where, expected);
}

static bool name_is(lethe_str name, const char *text)
{
    return lethe_str_eq(name, lethe_str_of(text));
}

/* The first member of an object whose name is none of `known`; NULL: there is none. */
static lethe_err members_check(lethe_ctx *ctx, const lethe_json *object, const char *where,
                               const char *const *known)
{
    if (lethe_json_kind(object) != LETHE_JSON_OBJECT)
        return lethe_fail(ctx, LETHE_EUSAGE, "request: '%s': an object expected", where);
    for (size_t i = 0; i < lethe_json_count(object); i++) {
        lethe_str name = lethe_json_name(object, i);
        size_t k = 0;
        while (known[k] && !name_is(name, known[k]))
            k++;
        if (known[k]) continue;
        char shown[WHERE_BYTES];
        lethe_show(shown, sizeof shown, name);
        return lethe_fail(ctx, LETHE_EUSAGE, "request: '%s' has no member '%s'", where, shown);
    }
    return LETHE_OK;
}

/* A text without NUL, which would end it early. */
static lethe_err text_of(reader *r, const lethe_json *v, const char *where, const char **out)
{
    lethe_str s = lethe_json_text(v);
    if (lethe_json_kind(v) != LETHE_JSON_TEXT || memchr(s.at, 0, s.n))
        return wrong(r, where, "a text (without NUL)");
    *out = lethe_arena_dup(r->job->a, s);
    return *out ? LETHE_OK : lethe_no_memory(r->job->ctx);
}

/* --- options --- */

static lethe_err scalar_put(reader *r, const lethe_json *v, const char *where, lethe_buf *to)
{
    lethe_json_type kind = lethe_json_kind(v);
    const char *text = NULL;
    if (kind == LETHE_JSON_TEXT) {
        LETHE_TRY(text_of(r, v, where, &text));
        return lethe_buf_str(to, lethe_str_of(text));
    }
    if (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL)
        return wrong(r, where, "a text, a number, true or a list of texts and numbers");
    char *number = lethe_json_write(v, 0, NULL);
    if (!number) return lethe_no_memory(r->job->ctx);
    lethe_err e = lethe_buf_str(to, lethe_str_of(number));
    lethe_json_text_free(number);
    return e;
}

/* As it would be typed on the command line. */
static lethe_err value_put(reader *r, const lethe_json *v, const char *where, lethe_buf *to)
{
    if (lethe_json_kind(v) == LETHE_JSON_BOOL) return LETHE_OK; // of a flag: nothing
    if (lethe_json_kind(v) != LETHE_JSON_ARRAY) return scalar_put(r, v, where, to);
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        if (i > 0) LETHE_TRY(lethe_buf_str(to, LETHE_LIT(",")));
        LETHE_TRY(scalar_put(r, lethe_json_at(v, i), where, to));
    }
    return LETHE_OK;
}

static lethe_err option_read(reader *r, const char *name, const lethe_json *v)
{
    lethe_json_type kind = lethe_json_kind(v);
    if (kind == LETHE_JSON_NULL || (kind == LETHE_JSON_BOOL && !lethe_json_bool(v)))
        return lethe_job_has_option(r->job, name, kind == LETHE_JSON_BOOL);
    if (kind == LETHE_JSON_BOOL) LETHE_TRY(lethe_job_has_option(r->job, name, true));
    lethe_buf text = {0};
    lethe_err e = value_put(r, v, name, &text);
    if (e == LETHE_OK) e = lethe_buf_put(&text, "", 1);
    if (e == LETHE_OK) e = lethe_job_set(r->job, name, (const char *)text.at);
    lethe_buf_free(&text);
    return e;
}

static lethe_err options_read(reader *r, const lethe_json *object, const char *where)
{
    if (object && lethe_json_kind(object) != LETHE_JSON_OBJECT)
        return wrong(r, where, "an object of options");
    for (size_t i = 0; i < lethe_json_count(object); i++) {
        char name[WHERE_BYTES];
        lethe_show(name, sizeof name, lethe_json_name(object, i));
        LETHE_TRY(option_read(r, name, lethe_json_at(object, i)));
    }
    return LETHE_OK;
}

/* Of options that commands share: `read` and `publish` hold those of their kind alone. */
static lethe_err group_check(reader *r, const lethe_json *object, const char *where, bool reading)
{
    const lethe_command reads = {.takes = LETHE_TAKES_READING}, none = {0};
    for (size_t i = 0; i < lethe_json_count(object); i++) {
        const lethe_option *o = lethe_common_options();
        while (o->name && !name_is(lethe_json_name(object, i), o->name))
            o++;
        bool of_reading =
            o->name && lethe_common_applies(o, &reads) && !lethe_common_applies(o, &none);
        if (o->name && of_reading == reading && strcmp(o->name, "output") != 0) continue;
        char shown[WHERE_BYTES];
        lethe_show(shown, sizeof shown, lethe_json_name(object, i));
        return lethe_fail(r->job->ctx, LETHE_EUSAGE, "request: '%s' has no member '%s'", where,
                          shown);
    }
    return LETHE_OK;
}

static lethe_err step_read(reader *r, const lethe_json *v)
{
    static const char *const known[] = {"method", "options", NULL};
    const char *method;
    LETHE_TRY(members_check(r->job->ctx, v, "steps", known));
    LETHE_TRY(text_of(r, lethe_json_get(v, "method"), "method", &method));
    LETHE_TRY(lethe_job_step(r->job, method));
    const lethe_json *options = lethe_json_get(v, "options");
    const lethe_job_method *step = &r->job->steps[r->job->n_steps - 1];
    for (size_t i = 0; i < lethe_json_count(options); i++) {
        char name[WHERE_BYTES];
        lethe_show(name, sizeof name, lethe_json_name(options, i));
        if (lethe_common_named(name) && !lethe_value_find(&step->values, name))
            return lethe_fail(r->job->ctx, LETHE_EUSAGE,
                              "request: '%s' belongs to 'read' or 'publish', not to a step", name);
    }
    return options_read(r, options, "options");
}

/* --- files and streams --- */

static lethe_err stream_number(const reader *r, const lethe_json *v, size_t n, size_t *out)
{
    int64_t i = lethe_json_int(v);
    if (lethe_json_kind(v) != LETHE_JSON_INT) return wrong(r, "stream", "a number");
    if (i < 0 || (uint64_t)i >= n)
        return lethe_fail(r->job->ctx, LETHE_EUSAGE,
                          "request: there is no stream %lld: %zu are given", (long long)i, n);
    *out = (size_t)i;
    return LETHE_OK;
}

static lethe_err input_read(reader *r, const lethe_json *v)
{
    static const char *const known[] = {"path", "stream", "weight", NULL};
    const lethe_json *path = lethe_json_get(v, "path"), *stream = lethe_json_get(v, "stream"),
                     *weight = lethe_json_get(v, "weight");
    const char *text;
    size_t i;
    LETHE_TRY(members_check(r->job->ctx, v, "inputs", known));
    if (!path == !stream) return wrong(r, "inputs", "either a path or a stream");
    if (path && weight)
        return lethe_fail(r->job->ctx, LETHE_EUSAGE,
                          "request: 'weight' is a column of a stream, and the input is a file");
    if (path) {
        LETHE_TRY(text_of(r, path, "path", &text));
        return lethe_job_input_file(r->job, text);
    }
    LETHE_TRY(stream_number(r, stream, r->n_in, &i));
    if (r->in_used >> i & 1)
        return lethe_fail(r->job->ctx, LETHE_EUSAGE, "request: stream %zu is read twice", i);
    r->in_used |= (uint64_t)1 << i;
    LETHE_TRY(lethe_job_input_stream(r->job, r->in[i]));
    lethe_job_input *input = &r->job->inputs[r->job->n_inputs - 1];
    input->number = i;
    return weight ? text_of(r, weight, "weight", &input->weight) : LETHE_OK;
}

static lethe_err output_read(reader *r, const lethe_json *v, bool *stream_used)
{
    static const char *const known[] = {"path", "stream", NULL};
    const lethe_json *path = lethe_json_get(v, "path"), *stream = lethe_json_get(v, "stream");
    const char *text;
    size_t i;
    LETHE_TRY(members_check(r->job->ctx, v, "output", known));
    if (!path && !stream) return wrong(r, "output", "a path or a stream");
    if (path) {
        LETHE_TRY(text_of(r, path, "path", &text));
        LETHE_TRY(lethe_job_output(r->job, text));
    }
    if (!stream) return LETHE_OK;
    if (path && strcmp(text, "-") == 0)
        return lethe_fail(r->job->ctx, LETHE_EUSAGE,
                          "request: rows go to standard output or to a stream, not to both");
    LETHE_TRY(stream_number(r, stream, r->n_out, &i));
    *stream_used = true;
    return lethe_job_output_stream(r->job, r->out[i]);
}

static lethe_err array_each(reader *r, const lethe_json *v, const char *where,
                            lethe_err (*each)(reader *r, const lethe_json *v))
{
    if (v && lethe_json_kind(v) != LETHE_JSON_ARRAY) return wrong(r, where, "a list");
    for (size_t i = 0; i < lethe_json_count(v); i++)
        LETHE_TRY(each(r, lethe_json_at(v, i)));
    return LETHE_OK;
}

/* --- all of it --- */

static lethe_err members_read(reader *r, const lethe_json *v)
{
    const lethe_json *read = lethe_json_get(v, "read"), *publish = lethe_json_get(v, "publish"),
                     *release = lethe_json_get(v, "release"), *output = lethe_json_get(v, "output");
    const char *text;
    bool out_used = false;
    LETHE_TRY(array_each(r, lethe_json_get(v, "inputs"), "inputs", input_read));
    LETHE_TRY(options_read(r, lethe_json_get(v, "options"), "options"));
    LETHE_TRY(array_each(r, lethe_json_get(v, "steps"), "steps", step_read));
    LETHE_TRY(options_read(r, read, "read"));
    LETHE_TRY(group_check(r, read, "read", true));
    LETHE_TRY(options_read(r, publish, "publish"));
    LETHE_TRY(group_check(r, publish, "publish", false));
    if (release) {
        LETHE_TRY(text_of(r, release, "release", &text));
        LETHE_TRY(lethe_job_release(r->job, text));
    }
    if (output) LETHE_TRY(output_read(r, output, &out_used));
    for (size_t i = 0; i < r->n_in; i++)
        if (!(r->in_used >> i & 1))
            return lethe_fail(r->job->ctx, LETHE_EUSAGE, "request: stream %zu is not read", i);
    if (r->n_out > (out_used ? 1 : 0))
        return lethe_fail(r->job->ctx, LETHE_EUSAGE,
                          "request: more output streams are given than it names");
    return LETHE_OK;
}

lethe_err lethe_job_read(lethe_ctx *ctx, const char *request, struct ArrowArrayStream *const *in,
                         size_t n_in, struct ArrowArrayStream *const *out, size_t n_out,
                         lethe_job **job)
{
    static const char *const known[] = {"command", "inputs",  "release", "read", "steps",
                                        "publish", "options", "output",  NULL};
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    reader r = {.in = in, .out = out, .n_in = n_in, .n_out = n_out};
    lethe_ctx_forget_error(ctx);
    if (n_in > STREAMS_MAX || n_out > STREAMS_MAX)
        return lethe_fail(ctx, LETHE_EUSAGE, "more than %d streams", STREAMS_MAX);
    lethe_err e = lethe_json_parse(lethe_ctx_diag(ctx), "request", lethe_str_of(request), &doc, &v);
    if (e == LETHE_EINPUT) e = LETHE_EUSAGE;
    if (e == LETHE_OK) e = members_check(ctx, v, "request", known);
    lethe_str name = lethe_json_text(lethe_json_get(v, "command"));
    if (e == LETHE_OK && name.n == 0)
        e = lethe_fail(ctx, LETHE_EUSAGE, "request: 'command': a text expected");
    char command[WHERE_BYTES] = "";
    if (e == LETHE_OK) lethe_show(command, sizeof command, name);
    if (e == LETHE_OK && !(r.job = lethe_job_new(ctx, command))) {
        const lethe_message *m = lethe_ctx_error(ctx);
        e = m && m->code == LETHE_EUSAGE ? LETHE_EUSAGE : LETHE_ENOMEM;
    }
    if (e == LETHE_OK) e = members_read(&r, v);
    lethe_json_doc_free(doc);
    if (e != LETHE_OK) {
        lethe_job_free(r.job);
        r.job = NULL;
    }
    *job = r.job;
    return e;
}

lethe_err lethe_call(lethe_ctx *ctx, const char *request, struct ArrowArrayStream *const *in,
                     size_t n_in, struct ArrowArrayStream *const *out, size_t n_out, char **report)
{
    lethe_job *job = NULL;
    if (report) *report = NULL;
    lethe_err e = lethe_job_read(ctx, request, in, n_in, out, n_out, &job);
    if (e == LETHE_OK) e = lethe_job_run(job, report);
    lethe_job_free(job);
    for (size_t i = 0; i < n_in; i++) // also those of a request that was refused
        if (in[i] && in[i]->release) in[i]->release(in[i]);
    return e;
}
