/* SPDX-License-Identifier: Apache-2.0 */
/* make_log.c - a log, open or sealed, is made: rows walk from step to step, and those of the last
 * one become sorted lines. */
#include "release/make/pipeline.h"
#include "release/publish/publish_ubi.h"

/* The persons of what is left of the kept values, a column's number before each. */
static lethe_err value_persons_put(lethe_pipeline *p, unsigned w, const lethe_row *row)
{
    lethe_buf key = {0};
    lethe_str rest = row->kept;
    lethe_err e = LETHE_OK;
    for (uint8_t i = 1; rest.n > 0 && e == LETHE_OK; i++) {
        lethe_str value = lethe_kept_next(&rest);
        if (value.n == 0) continue;
        key.n = 0;
        e = lethe_buf_put(&key, &i, 1);
        if (e == LETHE_OK) e = lethe_buf_str(&key, value);
        if (e == LETHE_OK)
            e = lethe_persons_put(p->value_persons, w, (lethe_str){(const char *)key.at, key.n},
                                  row->owner);
    }
    lethe_buf_free(&key);
    return e;
}

static lethe_err publish_row(void *arg, unsigned w, const lethe_row *row)
{
    lethe_pipeline *p = arg;
    if (p->value_persons) LETHE_TRY(value_persons_put(p, w, row));
    LETHE_TRY(lethe_pipeline_persons_put(p, w, row->query, row->owner));
    return lethe_log_publisher_row(p->publisher, w, row);
}

/* Which kept values are published is seen when all rows are there. */
static lethe_err emit_published(lethe_result *out, unsigned w, const lethe_row *row)
{
    lethe_pipeline *p = out->pipeline;
    return p->kept ? lethe_kept_values_put(p->kept, w, row) : publish_row(p, w, row);
}

static lethe_err emit_stored(lethe_result *out, unsigned w, const lethe_row *row)
{
    return lethe_log_append(((lethe_pipeline *)out->pipeline)->store, w, row);
}

/* --- the steps --- */

/* A method that works row by row, at work. */
typedef struct row_step {
    const lethe_row_method *rows;
    void *state;
    lethe_result *out;
} row_step;

static lethe_err row_step_take(void *arg, unsigned w, const lethe_row *in)
{
    row_step *s = arg;
    lethe_row row = *in;
    const char *dropped = NULL;
    LETHE_TRY(s->rows->row(s->state, w, &row, &dropped));
    if (!dropped) return s->out->emit(s->out, w, &row);
    s->out->drop(s->out, w, dropped, 1);
    return LETHE_OK;
}

lethe_err lethe_log_step_run(lethe_pipeline *p, size_t i, lethe_log *in)
{
    const lethe_method *method = p->job->steps[i].method;
    bool last = i + 1 == p->end;
    lethe_run run = lethe_pipeline_run_of(p, i);
    lethe_result out = lethe_pipeline_result(p);
    out.emit = !last ? emit_stored : p->emit ? p->emit : emit_published;
    if (!last) LETHE_TRY(lethe_log_store(p->ctx, lethe_ctx_memory(p->ctx) / 8, &p->store));
    if (!method->rows) {
        const lethe_step_need need = {.step = &p->job->steps[i]};
        const lethe_work before = lethe_pipeline_begin_work(p, &need);
        lethe_err e = method->run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = in}, &out);
        lethe_ctx_begin_work(p->ctx, &before);
        return e;
    }
    row_step step = {.rows = method->rows, .state = p->states[i], .out = &out};
    LETHE_TRY(lethe_log_walk(p->ctx, in, &(lethe_row_visitor){.row = row_step_take, .arg = &step}));
    return step.rows->end(step.state, &out);
}

lethe_err lethe_log_steps_run(lethe_pipeline *p, lethe_log_step_fn last)
{
    lethe_log *in;
    lethe_err e = LETHE_OK;
    const lethe_release_job *job = p->job;
    if (p->input)
        in = p->input->log;
    else
        LETHE_TRY(lethe_log_files(p->ctx, job->inputs, job->n_inputs, &job->reading, &in));
    for (size_t i = p->first; i < p->end && e == LETHE_OK; i++) {
        e = i + 1 == p->end ? last(p, i, in) : lethe_log_step_run(p, i, in);
        if (i == p->first) lethe_pipeline_count_in(p, in);
        if (i > p->first || !p->input) lethe_log_free(in); // read: a step's input goes
        in = p->store;
        p->store = NULL;
    }
    lethe_log_free(in);
    return e;
}

/* --- operations of the shape --- */

static size_t log_caveats(const lethe_chain *c, const lethe_publish_options *how,
                          const char *out[LETHE_MAX_CAVEATS])
{
    size_t n = 0;
    if (how->keep_users && !c->renames)
        out[n++] = "Users are published under the names they have in the log.";
    if (how->times == LETHE_TIMES_EXACT)
        out[n++] = "Times are published to the second: anyone who saw a query being typed can find "
                   "its user.";
    if (c->times && how->times == LETHE_TIMES_DROP)
        out[n++] = "Times are not published, and what is promised of personas depends on them: it "
                   "cannot be checked from this release.";
    if (how->urls == LETHE_URLS_KEEP)
        out[n++] = "Clicked URLs are published whole; paths and query strings can name a person.";
    if (c->ids && (how->urls == LETHE_URLS_HOST || how->urls == LETHE_URLS_KEEP))
        out[n++] = "--urls host or keep: the release shows which sites were clicked for which "
                   "queries.";
    if (how->object_ids)
        out[n++] = "Clicked objects that are no URLs are keyed identifiers, but anyone who replays "
                   "the queries can often tell which object is meant.";
    if (how->urls == LETHE_URLS_ID)
        out[n++] = "Clicked URLs are keyed identifiers, but anyone who replays the queries can "
                   "often tell which URL is meant.";
    if (how->keep.n == 0) return n;
    out[n++] = "--keep: each value has enough persons, but a combination of kept values, also with "
               "times, queries and clicks, may belong to one person alone.";
    out[n++] =
        c->renames
            ? "--keep: values that all rows of a person share help to link the person's "
              "personas again, and to find the person in other data."
            : "--keep: values that all rows of a user share help to find the person in other "
              "data that has them, and to link the user's rows in several releases.";
    out[n++] = "--keep: the adversaries of 'lethe attack' do not use kept columns: somebody who "
               "knows such values of a person finds more than they do.";
    return n;
}

static lethe_err log_begin(lethe_pipeline *p)
{
    const lethe_publish_options *how = &p->job->publishing;
    uint64_t cap_bytes = lethe_ctx_memory(p->ctx) / 4;
    if (how->keep.n > 0) {
        cap_bytes /= 2;
        LETHE_TRY(lethe_kept_values_new(p->ctx, how->keep.n, how->keep_min, cap_bytes, &p->kept));
    }
    LETHE_TRY(lethe_log_publisher_new(p->ctx, how, &p->layout, p->key, cap_bytes, &p->publisher));
    if (p->folder) lethe_log_publisher_folder(p->publisher, lethe_folder_fd(p->folder));
    return LETHE_OK;
}

static lethe_err log_run(lethe_pipeline *p)
{
    bool records;
    if (p->streams) return lethe_stream_run(p);
    LETHE_TRY(lethe_pipeline_reads_records(p, &records)); // refuses them
    LETHE_TRY(lethe_log_steps_run(p, lethe_log_step_run));
    return p->kept ? lethe_kept_values_each(p->kept, publish_row, p) : LETHE_OK;
}

static void log_count(lethe_pipeline *p)
{
    p->counts.published = 0;
    if (!lethe_pipeline_last(p)->method->samples)
        p->counts.published = lethe_log_publisher_rows(p->publisher);
    else
        for (unsigned w = 0; w < lethe_ctx_threads(p->ctx); w++)
            p->counts.published += p->drops[w].kept;
}

static lethe_err log_check(lethe_pipeline *p)
{
    if (lethe_log_publisher_rows(p->publisher) > 0) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_ANSWER_NO, "nothing is left to publish");
}

static const lethe_figure log_adds[] = {
    {"kept_values", "different values of kept columns published", .better = 1, .optional = true,
     .source = LETHE_FIGURE_RELEASE, .label = "values of kept columns"},
    {"kept_values_dropped",
     "different values of kept columns that fewer persons have than --keep-min", .better = -1,
     .optional = true, .label = "values that are too rare"},
    {"kept_rows_changed", "published rows in which such a value is left out", .better = -1,
     .optional = true, .label = "rows without a rare value"},
    {"urls_uncut", "clicked addresses left out because their host could not be determined", -1,
     .optional = true, .label = "URLs without a host left out"},
    {0},
};

static const lethe_joint log_joint[] = {{"urls_uncut", LETHE_JOINT_SUM}, {0}};

/* Why no click is published, and what publishes some. */
static const char *clicks_lost(const lethe_pipeline *p)
{
    const lethe_json *too_few = lethe_json_get(p->metrics, "clicks_dropped"),
                     *scrubbed = lethe_json_get(p->metrics, "urls_dropped");
    if (lethe_log_publisher_uncut(p->publisher) > 0)
        return "no clicked URL has a recognizable host (--urls id publishes keyed identifiers)";
    if (lethe_json_int(too_few) > 0)
        return "none was clicked by enough users (--clicks all publishes them, a lower -t some)";
    if (lethe_json_int(scrubbed) > 0)
        return "scrub left them out: they have no host, or it is a finding (--kinds says what "
               "scrub looks for)";
    if (lethe_pipeline_last(p)->method->ids)
        return "no query that is left was clicked on enough URLs (--min-urls none publishes all)";
    return "no row that has one is left";
}

static void kept_lost(const lethe_pipeline *p)
{
    char buf[LETHE_KEEP_NAME_MAX];
    const lethe_publish_options *how = &p->job->publishing;
    if (!p->kept) return;
    const lethe_kept_counts counts = lethe_kept_values_counts(p->kept);
    for (size_t i = 0; i < how->keep.n; i++) {
        lethe_str name = lethe_keep_name(&how->keep, i, buf);
        if (counts.lost[i])
            lethe_warn(p->ctx,
                       "no value of the column '%.*s' is published: none has %llu persons "
                       "(--keep-min)",
                       (int)name.n, name.at, (unsigned long long)how->keep_min);
    }
}

/* A column that the input has and the release has not is easily overlooked: nobody misses it among
 * thousands of rows.  What was left out on purpose is not spoken of. */
static void columns_lost(const lethe_pipeline *p)
{
    const lethe_publish_options *how = &p->job->publishing;
    const lethe_read_counts *in = &p->read;
    lethe_published_columns out = lethe_log_publisher_columns(p->publisher);
    bool clicks = out.rows > 0 && how->urls != LETHE_URLS_DROP;
    if (clicks && in->clicks > 0 && out.clicks == 0)
        lethe_warn(p->ctx, "no click is published, though %llu rows of the input have one: %s",
                   (unsigned long long)in->clicks, clicks_lost(p));
    if (clicks && in->ranks > 0 && out.ranks == 0 && out.clicks > 0)
        lethe_warn(p->ctx, "no rank is published, though %llu rows of the input have one: %s",
                   (unsigned long long)in->ranks,
                   how->urls == LETHE_URLS_ID && lethe_pipeline_last(p)->method->ids
                       ? "beside identifiers it would tell the URL (--urls host publishes ranks)"
                       : "no row that has one is left");
    kept_lost(p);
    if (out.rows > 0 && in->times > 0 && out.times == 0 && how->times != LETHE_TIMES_DROP)
        lethe_warn(p->ctx, "no time is published, though %llu rows of the input have one",
                   (unsigned long long)in->times);
}

static void log_figures(lethe_pipeline *p)
{
    uint64_t uncut = lethe_log_publisher_uncut(p->publisher);
    if (uncut) lethe_set_count(p->doc, p->metrics, "urls_uncut", uncut);
    if (p->kept) {
        const lethe_kept_counts counts = lethe_kept_values_counts(p->kept);
        lethe_set_count(p->doc, p->metrics, "kept_values", counts.values);
        lethe_set_count(p->doc, p->metrics, "kept_values_dropped", counts.dropped);
        lethe_set_count(p->doc, p->metrics, "kept_rows_changed", counts.rows);
    }
    p->publishing->object_ids = p->job->publishing.urls == LETHE_URLS_HOST &&
                                lethe_log_publisher_columns(p->publisher).object_ids > 0;
    if (p->publishing->object_ids) lethe_steps_set_text(p->doc, p->steps, LETHE_OBJECTS, "id");
}

static bool wants_ubi(const lethe_pipeline *p) { return p->job->publishing.as_ubi; }

static const lethe_release_file log_files[] = {
    {.name = "data.tsv", .write = lethe_log_publisher_data},
    {.name = LETHE_UBI_NAME, .write = lethe_log_publisher_ubi, .applies = wants_ubi},
    {0}};
static const lethe_release_file sealed_files[] = {
    {.name = "data.tsv", .write = lethe_log_publisher_data}, {0}};

/* What has been written is what `verify` will make of data.tsv. */
static lethe_err ubi_check(lethe_pipeline *p)
{
    bool same = true;
    if (p->job->publishing.as_ubi)
        LETHE_TRY(lethe_ubi_compare(p->ctx, lethe_folder_fd(p->folder), &same));
    if (same) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_EINTERNAL,
                      LETHE_FAULT LETHE_UBI_NAME " does not hold what data.tsv does");
}

const lethe_shape_ops lethe_log_ops = {.shape = LETHE_SHAPE_LOG,
                                       .noun = "a log",
                                       .title = "A published search log",
                                       .shows_users = true,
                                       .person_of = "query",
                                       .files = log_files,
                                       .adds = log_adds,
                                       .joint = log_joint,
                                       .caveats = log_caveats,
                                       .begin = log_begin,
                                       .run = log_run,
                                       .finish = lethe_log_publisher_finish,
                                       .count = log_count,
                                       .check = log_check,
                                       .figures = log_figures,
                                       .tell = columns_lost,
                                       .written = ubi_check,
                                       .map = lethe_log_publisher_map,
                                       .free = lethe_log_publisher_free,
                                       .verify = lethe_verify_log,
                                       .verify_figures = lethe_verify_log_figures};

const lethe_shape_ops lethe_sealed_ops = {.shape = LETHE_SHAPE_SEALED,
                                          .noun = "a sealed log",
                                          .title = "A sealed search log",
                                          .shows_users = true,
                                          .person_of = "query",
                                          .files = sealed_files,
                                          .adds = log_adds,
                                          .caveats = log_caveats,
                                          .begin = log_begin,
                                          .run = log_run,
                                          .finish = lethe_log_publisher_finish,
                                          .count = log_count,
                                          .check = log_check,
                                          .figures = log_figures,
                                          .tell = columns_lost,
                                          .map = lethe_log_publisher_map,
                                          .free = lethe_log_publisher_free,
                                          .verify = lethe_verify_sealed,
                                          .verify_figures = lethe_verify_sealed_figures};
