/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a request: checks what only all of it together can tell, gives streams their names, and
 * hands the report out as text. */
#include "app/call/job.h"
#include "app/call/published_stream.h"
#include "io/arrow/streams.h"
#include "io/write/place.h"
#include "model/log/log.h"
#include "io/syserr.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- options that commands share --- */

static const lethe_value *common(const lethe_job *job, const char *name)
{
    return lethe_value_of(&job->common, name);
}

static bool delimiter_of(const char *text, char *out)
{
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) {
        *out = '\t';
        return true;
    }
    *out = text[0];
    return text[0] && !text[1] && !strchr("\"\r\n", text[0]);
}

static lethe_err reading_of(const lethe_job *job, lethe_read_options *out)
{
    const lethe_value *from = common(job, "from"), *delimiter = common(job, "delimiter"),
                      *with = common(job, "users-with");
    *out = (lethe_read_options){.columns = common(job, "columns")->text,
                                .time_format = common(job, "time-format")->text,
                                .encoding = common(job, "encoding")->text,
                                .actions = common(job, "actions")->text,
                                .null_texts = common(job, "null")->text,
                                .strict = common(job, "strict-input")->given,
                                .header = common(job, "header")->given};
    if (out->null_texts && !*out->null_texts)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "--null needs a text, such as NULL");
    if (from->given) out->format = (lethe_format)(LETHE_FORMAT_AOL + from->count);
    if (delimiter->given && !delimiter_of(delimiter->text, &out->delimiter))
        return lethe_fail(job->ctx, LETHE_EUSAGE, "--delimiter: '%s' is not a single character",
                          delimiter->text);
    if (with->given && !lethe_users_with_parse(with->text, out))
        return lethe_fail(job->ctx, LETHE_EUSAGE,
                          "--users-with: '%s' is not a range such as 100-300", with->text);
    return LETHE_OK;
}

/* How clicked URLs are published without `urls`. */
static lethe_urls urls_default(const lethe_job *job)
{
    bool ids = false;
    for (size_t i = 0; i < job->n_steps; i++)
        ids = ids || job->steps[i].method->ids;
    return ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
}

static lethe_publish_options publishing_of(const lethe_job *job)
{
    // in the order of the options' choices
    static const lethe_times cuts[] = {LETHE_TIMES_EXACT, LETHE_TIMES_HOUR,  LETHE_TIMES_DAY,
                                       LETHE_TIMES_WEEK,  LETHE_TIMES_MONTH, LETHE_TIMES_DROP};
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_ID,
                                       LETHE_URLS_DROP};
    const lethe_value *times = common(job, "time"), *urls = common(job, "urls"),
                      *seed = common(job, "seed");
    return (lethe_publish_options){
        .keep_users = common(job, "keep-users")->given,
        .times = times->given ? cuts[times->count] : LETHE_TIMES_DAY,
        .urls = urls->given ? kinds[urls->count] : urls_default(job),
        .keep_min = (uint64_t)common(job, "keep-min")->count,
        .as_ubi = common(job, "publish-as")->count == 1,
        .has_seed = seed->given,
        .seed = (uint64_t)seed->count,
        .key_file = common(job, "key-file")->text,
        .map = common(job, "map")->text,
        .force = common(job, "force")->given,
    };
}

/* --- what only all together can tell --- */

/* An option that says how to publish a log, although the last step does not make one that it
 * applies to. */
static lethe_err misplaced_check(const lethe_job *job)
{
    const lethe_job_method *last = &job->steps[job->n_steps - 1];
    lethe_command c = last->command;
    if (!(lethe_method_shape(last->method, &last->values) & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED)))
        c.takes &= ~(unsigned)(LETHE_TAKES_USERS | LETHE_TAKES_COARSENING | LETHE_TAKES_COLUMNS);
    for (size_t i = 0; i < job->common.n; i++)
        if (job->common.at[i].given && !lethe_common_applies(&job->common.table[i], &c))
            return lethe_fail(job->ctx, LETHE_EUSAGE,
                              "--%s does not apply: %s does not publish %s of a log",
                              job->common.table[i].name, c.name,
                              c.takes & LETHE_TAKES_USERS ? "further columns" : "rows");
    return LETHE_OK;
}

/* The original is an input where a release is compared with it, and an option too. */
static lethe_err original_set(lethe_job *job)
{
    for (size_t i = 0; i < job->values.n; i++) {
        lethe_value *v = &job->values.at[i];
        if (strcmp(job->values.table[i].name, "original") != 0) continue;
        if (v->given && job->n_inputs > 0)
            return lethe_fail(job->ctx, LETHE_EUSAGE, "--original and an input are the same thing");
        if (v->given) return lethe_job_input_file(job, v->text);
        v->given = v->present =
            job->n_inputs > 0; // its text is not used: see lethe_request_against()
    }
    return LETHE_OK;
}

static bool has_option(const lethe_job *job, const char *name)
{
    return lethe_value_find(&job->values, name);
}

static lethe_err operands_check(const lethe_job *job)
{
    const lethe_command *c = &job->runner->command;
    const char *operands = c->operands;
    bool release = strncmp(operands, "RELEASE", 7) == 0,
         inputs =
             *operands && job->runner != &lethe_command_key && (!release || strchr(operands, ' ')),
         original = has_option(job, "original");
    if (release && !job->release)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s needs a release", c->name);
    if (!release && job->release)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s takes no release", c->name);
    if (inputs && job->n_inputs == 0)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s needs an input", c->name);
    if (!inputs && !original && job->n_inputs > 0)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "%s takes no input", c->name);
    const lethe_value *dry = lethe_value_find(&job->values, "dry-run");
    if (job->out_stream && dry && dry->given)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "--dry-run makes no rows for a stream");
    if (job->runner->chains && job->n_steps == 0)
        return lethe_fail(job->ctx, LETHE_EUSAGE, "a release needs at least one step");
    return LETHE_OK;
}

static lethe_err job_check(lethe_job *job)
{
    LETHE_TRY(original_set(job));
    LETHE_TRY(operands_check(job));
    lethe_diag *d = lethe_ctx_diag(job->ctx);
    LETHE_TRY(lethe_values_check(&job->values, job->runner->command.name, d));
    for (size_t i = 0; i < job->n_steps; i++)
        LETHE_TRY(lethe_values_check(&job->steps[i].values, job->steps[i].command.name, d));
    return job->n_steps ? misplaced_check(job) : LETHE_OK;
}

/* --- inputs --- */

/* Those of the request that are no files are known to `streams` by the names that are given here.
 */
static lethe_err inputs_name(lethe_job *job, lethe_streams *streams, const char *const **out)
{
    const char **names = lethe_new(job->a, const char *, job->n_inputs + 1);
    if (!names) return lethe_no_memory(job->ctx);
    for (size_t i = 0; i < job->n_inputs; i++) {
        const lethe_job_input *in = &job->inputs[i];
        bool like_ours = in->path && (strncmp(in->path, "stream:", 7) == 0 ||
                                      strncmp(in->path, "memory:", 7) == 0);
        size_t memory = 0;
        if (in->path) {
            names[i] = like_ours ? lethe_arena_printf(job->a, "./%s", in->path) : in->path;
        } else if (in->stream) {
            names[i] = lethe_arena_printf(job->a, "stream:%zu", in->number);
        } else {
            LETHE_TRY(lethe_streams_add_memory(streams, in->bytes.at, in->bytes.n, &memory));
            names[i] = lethe_arena_printf(job->a, "memory:%zu", memory);
        }
        if (!names[i]) return lethe_no_memory(job->ctx);
    }
    *out = names;
    return LETHE_OK;
}

/* Takes over the input streams, whatever happens then. */
static lethe_err streams_take(lethe_job *job, lethe_streams **out)
{
    struct ArrowArrayStream **at = lethe_new(job->a, struct ArrowArrayStream *, job->n_inputs + 1);
    size_t n = 0;
    *out = NULL;
    for (size_t i = 0; at && i < job->n_inputs; i++)
        if (job->inputs[i].stream) {
            at[job->inputs[i].number] = job->inputs[i].stream;
            n++;
        }
    lethe_err e = at ? lethe_streams_new(job->ctx, at, n, out) : lethe_no_memory(job->ctx);
    for (size_t i = 0; e != LETHE_OK && i < job->n_inputs; i++) {
        struct ArrowArrayStream *s = job->inputs[i].stream;
        if (s && s->release) s->release(s);
    }
    for (size_t i = 0; e == LETHE_OK && i < job->n_inputs; i++)
        if (job->inputs[i].weight)
            e = lethe_streams_set_weight(*out, job->inputs[i].number, job->inputs[i].weight);
    if (e != LETHE_OK) {
        lethe_streams_free(*out);
        *out = NULL;
    }
    return e;
}

/* --- a release that nobody asked to keep: its rows are wanted as a stream alone --- */

typedef struct lethe_passing {
    char *folder, *release; /* NULL: not needed */
} lethe_passing;

static lethe_err passing_begin(lethe_job *job, lethe_passing *p)
{
    *p = (lethe_passing){0};
    if (!job->out_stream || job->out || job->runner->own_rows) return LETHE_OK;
    const char *dir = lethe_ctx_spill_dir(job->ctx);
    p->folder = lethe_arena_printf(job->a, "%s/lethe-rows-XXXXXX", dir);
    if (!p->folder) return lethe_no_memory(job->ctx);
    if (!mkdtemp(p->folder)) {
        p->folder = NULL;
        return lethe_fail_sys(lethe_ctx_diag(job->ctx), "write to", dir, errno);
    }
    p->release = lethe_arena_printf(job->a, "%s/release", p->folder);
    return p->release ? LETHE_OK : lethe_no_memory(job->ctx);
}

/* The release, its map and the folder of both. */
static void passing_end(const lethe_passing *p)
{
    if (!p->folder) return;
    int dir = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        inner = dir >= 0 ? openat(dir, "release", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (inner >= 0) {
        (void)lethe_folder_remove(dir, "release", inner);
        close(inner);
    }
    if (dir >= 0) {
        (void)lethe_folder_remove(AT_FDCWD, p->folder, dir);
        close(dir);
    }
}

/* --- running --- */

void lethe_request_row(void *user, const lethe_json *row, size_t i, size_t n)
{
    const lethe_request *r = user;
    const lethe_settings *s = lethe_ctx_settings(r->ctx);
    char *text = s->on_row ? lethe_json_write(row, 0, NULL) : NULL;
    if (text) s->on_row(s->user, text, i, n);
    lethe_json_text_free(text);
}

/* The text is made now: were there no memory for it later, something would have appeared although
 * the call fails. */
lethe_err lethe_request_report(void *user, const lethe_json *report)
{
    lethe_request *r = user;
    const lethe_settings *s = lethe_ctx_settings(r->ctx);
    if (!s->on_report && !r->wants_text) return LETHE_OK;
    lethe_json_text_free(r->text);
    r->text = lethe_json_write(report, 0, NULL);
    if (!r->text) return lethe_no_memory(r->ctx);
    return s->on_report ? s->on_report(s->user, r->text) : LETHE_OK;
}

lethe_evaluate_options lethe_request_against(const lethe_request *r)
{
    return (lethe_evaluate_options){.folder = r->release,
                                    .originals = r->inputs,
                                    .n_originals = r->n_inputs,
                                    .reading = r->reading,
                                    .map = lethe_value_of(&r->values, "map")->text,
                                    .values = &r->values,
                                    .has_seed = r->publishing.has_seed,
                                    .seed = r->publishing.seed};
}

static lethe_err request_of(lethe_job *job, lethe_streams *streams, const lethe_passing *passing,
                            lethe_request *r)
{
    lethe_step *steps = lethe_new(job->a, lethe_step, job->n_steps + 1);
    if (!steps) return lethe_no_memory(job->ctx);
    for (size_t i = 0; i < job->n_steps; i++)
        steps[i] = (lethe_step){job->steps[i].method, job->steps[i].values};
    *r = (lethe_request){.ctx = job->ctx,
                         .command = &job->runner->command,
                         .values = job->values,
                         .publishing = publishing_of(job),
                         .has_urls = common(job, "urls")->given,
                         .page = common(job, "report")->given,
                         .title = common(job, "title")->text,
                         .date = common(job, "date")->text,
                         .n_inputs = job->n_inputs,
                         .release = job->release,
                         .out = passing->release ? passing->release : job->out,
                         .column = job->column,
                         .steps = steps,
                         .rows = job->out_stream,
                         .n_steps = job->n_steps};
    LETHE_TRY(
        lethe_keep_parse(lethe_ctx_diag(job->ctx), common(job, "keep")->text, &r->publishing.keep));
    LETHE_TRY(reading_of(job, &r->reading));
    return inputs_name(job, streams, &r->inputs);
}

/* What a stream is read from must be there when it is opened, even if the folder goes at once. */
static lethe_err request_run(lethe_job *job, lethe_request *r, char **text)
{
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return lethe_no_memory(job->ctx);
    lethe_err e = job->runner->run(r, doc, &report);
    bool told = report && (e == LETHE_OK || e == LETHE_ANSWER_NO),
         late = told && (!r->text || e == LETHE_ANSWER_NO);
    if (late) {
        lethe_json_text_free(r->text);
        r->text = NULL;
    }
    if (late && text) r->text = lethe_json_write(report, 0, NULL);
    if (late && (lethe_json_failed(doc) || (text && !r->text))) e = lethe_no_memory(job->ctx);
    lethe_json_doc_free(doc);
    if (e == LETHE_OK && job->out_stream && !job->runner->own_rows)
        e = lethe_published_stream(job->ctx, r->out, job->out_stream);
    if (text && (e == LETHE_OK || e == LETHE_ANSWER_NO))
        *text = r->text;
    else
        lethe_json_text_free(r->text);
    return e;
}

lethe_err lethe_job_run(lethe_job *job, char **report)
{
    lethe_streams *streams;
    lethe_passing passing = {0};
    lethe_request r = {0};
    if (report) *report = NULL;
    if (!job) return LETHE_EUSAGE;
    if (job->failed == LETHE_OK) lethe_ctx_forget_error(job->ctx);
    LETHE_TRY(streams_take(job, &streams));
    lethe_err e = job->failed;
    if (e != LETHE_OK && !lethe_ctx_error(job->ctx)) // another call came between
        e = lethe_fail(job->ctx, e, "%s", job->fault ? job->fault : "the job was refused");
    if (e == LETHE_OK) e = job_check(job);
    if (e == LETHE_OK) e = passing_begin(job, &passing);
    if (e == LETHE_OK) e = request_of(job, streams, &passing, &r);
    r.wants_text = report;
    lethe_streams_set(job->ctx, streams);
    if (e == LETHE_OK) e = request_run(job, &r, report);
    lethe_streams_set(job->ctx, NULL);
    passing_end(&passing);
    lethe_streams_free(streams);
    return e;
}

void lethe_text_free(char *text) { lethe_json_text_free(text); }
