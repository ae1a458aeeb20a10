/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - a page about an existing release: it is verified first and, where the original is
 * given, measured and attacked; or about a study. */
#include "app/evaluate.h"
#include "app/study/study.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "release/page/report.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define STUDY_MAX_BYTES ((size_t)256 << 20)

typedef struct page_job {
    lethe_ctx *ctx;
    const lethe_report_options *r;
    lethe_json_doc *doc, *manifest_doc;
    lethe_published published;
    lethe_sink *sink;
    lethe_json *measure, *attack;
    char lacks[512]; /* why nothing was attacked */
    lethe_survival original;
    lethe_buf page;
    size_t n_plots;
} page_job;

static lethe_err target_open(page_job *m)
{
    lethe_diag *d = lethe_ctx_diag(m->ctx);
    const lethe_evaluate_options *a = &m->r->against;
    struct stat out, folder, parent;
    if (strcmp(m->r->out, "-") == 0) return lethe_sink_stdout(d, &m->sink);
    // a release holds what its manifest names and nothing else: `verify` would refuse it
    const char *slash = strrchr(m->r->out, '/');
    size_t n = !slash || slash == m->r->out ? 1 : (size_t)(slash - m->r->out);
    char *dir = lethe_alloc(n + 1, 1);
    if (!dir) return lethe_no_memory(d);
    snprintf(dir, n + 1, "%s", slash ? m->r->out : ".");
    bool inside = stat(dir, &parent) == 0 && stat(a->folder, &folder) == 0 &&
                  parent.st_dev == folder.st_dev && parent.st_ino == folder.st_ino;
    lethe_free(dir);
    if (inside)
        return lethe_fail(d, LETHE_EUSAGE,
                          "the page '%s' must not be in the release folder, which holds only what "
                          "its manifest names",
                          m->r->out);
    // --force replaces an old page, not the log or a map that is laid beside the release
    if (stat(m->r->out, &out) == 0) {
        bool same = lethe_is_same_file(&out, a->map) || lethe_is_same_file(&out, m->r->results);
        for (size_t i = 0; i < a->n_originals; i++)
            same = same || lethe_is_same_file(&out, a->originals[i]);
        for (size_t i = 0; a->values && i < a->values->n; i++)
            if (a->values->table[i].type == LETHE_OPT_PATH && a->values->at[i].text != m->r->out)
                same = same || lethe_is_same_file(&out, a->values->at[i].text);
        if (same)
            return lethe_fail(d, LETHE_EUSAGE, "the page '%s' would replace an input", m->r->out);
    }
    // with the original at hand it says more than the release does
    return lethe_sink_open(d, m->r->out, m->r->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW,
                           a->n_originals ? 0600 : 0666, &m->sink);
}

/* What the page says must be true now, not when the manifest was written. */
static lethe_err release_check(page_job *m)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return lethe_no_memory(m->ctx);
    const lethe_values *v = m->r->against.values;
    const lethe_value *taxonomy = v ? lethe_value_find(v, "taxonomy") : NULL,
                      *limit = v ? lethe_value_find(v, "time-limit") : NULL;
    lethe_verify_options how = {.results = m->r->results,
                                .taxonomy = taxonomy ? taxonomy->text : NULL};
    if (limit) how.time_limit_s = limit->word ? -1 : (double)limit->count;
    lethe_err e = lethe_release_must_hold(m->ctx, m->r->against.folder, &how,
                                          "no page is made of it", doc, NULL);
    lethe_json_doc_free(doc);
    return e;
}

typedef struct held {
    lethe_listener before;
    char *text; /* of the last error, 512 bytes */
} held;

static void error_hold(void *to, const lethe_message *message)
{
    held *h = to;
    if (message->severity == LETHE_ERROR)
        snprintf(h->text, 512, "%s", message->text);
    else if (h->before.fn)
        h->before.fn(h->before.ctx, message);
}

/* Without hierarchies it may not be known where persons are: then the page says so, and has all
 * the rest. */
static lethe_err table_attack(page_job *m)
{
    const lethe_evaluate_options *a = &m->r->against;
    lethe_diag *d = lethe_ctx_diag(m->ctx);
    if (lethe_is_given(a->values, "hierarchies"))
        return lethe_verified_attack(m->ctx, a, m->doc, &m->attack);
    held h = {.text = m->lacks};
    h.before = lethe_diag_divert(d, (lethe_listener){error_hold, &h});
    lethe_err e = lethe_verified_attack(m->ctx, a, m->doc, &m->attack);
    (void)lethe_diag_divert(d, h.before);
    if (e != LETHE_EUSAGE) {
        if (e != LETHE_OK && m->lacks[0]) e = lethe_fail(d, e, "%s", m->lacks);
        m->lacks[0] = '\0';
        return e;
    }
    m->attack = lethe_json_object(m->doc);
    return LETHE_OK;
}

static lethe_err original_evaluate(page_job *m)
{
    const lethe_evaluate_options *a = &m->r->against;
    if (a->n_originals == 0) return LETHE_OK;
    for (size_t i = 0; i < a->n_originals; i++)
        if (strcmp(a->originals[i], "-") == 0)
            return lethe_fail(m->ctx, LETHE_EUSAGE,
                              "the original is read several times, and standard input can be read "
                              "once");
    LETHE_TRY(lethe_verified_measure(m->ctx, a, m->doc, &m->measure));
    bool any = false; // adversary that applies
    for (const lethe_adversary *const *v = lethe_adversaries(); *v; v++)
        any = any || (((*v)->shapes & m->published.shape) &&
                      (!(*v)->needs || lethe_is_given(a->values, (*v)->needs)));
    if (any && m->published.shape == LETHE_SHAPE_TABLE)
        LETHE_TRY(table_attack(m));
    else if (any)
        LETHE_TRY(lethe_verified_attack(m->ctx, a, m->doc, &m->attack));
    else
        m->attack = lethe_json_object(m->doc);
    if (m->published.shape != LETHE_SHAPE_LOG) return LETHE_OK;
    lethe_log *log;
    LETHE_TRY(lethe_log_files(m->ctx, a->originals, a->n_originals, &a->reading, &log));
    lethe_err e = lethe_survival_log(m->ctx, log, &m->original);
    lethe_log_free(log);
    return e;
}

/* Writes the page, and hands the report to the caller before it appears. */
static lethe_err page_finish(page_job *m, const lethe_report_input *in, lethe_json **report)
{
    lethe_json_doc *doc = m->doc;
    const lethe_values *v = m->r->against.values;
    lethe_ctx_phase(m->ctx, "writing", 0);
    LETHE_TRY(lethe_report_write(m->ctx, in, &m->page, &m->n_plots));
    LETHE_TRY(lethe_sink_write(m->sink, m->page.at, m->page.n));
    lethe_json *r = *report = lethe_json_object(doc), *metrics = lethe_json_object(doc);
    lethe_set_text(doc, r, "command", "report");
    lethe_json_set(doc, r, "parameters", v ? lethe_values_json(doc, v) : lethe_json_object(doc));
    lethe_set_count(doc, metrics, "plots", m->n_plots);
    lethe_set_count(doc, metrics, "bytes", m->page.n);
    lethe_json_set(doc, r, "metrics", metrics);
    if (in->manifest) lethe_report_quote(doc, r, in->manifest);
    lethe_report_close(m->ctx, doc, r);
    if (lethe_json_failed(doc)) return lethe_no_memory(m->ctx);
    if (m->r->on_report) LETHE_TRY(m->r->on_report(m->r->user, *report));
    lethe_sink *done = m->sink;
    m->sink = NULL;
    return lethe_sink_commit(done);
}

/* --- a study --- */

/* The folder of a study, or -1. */
static int study_fd(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is = fd >= 0 && faccessat(fd, LETHE_STUDY_NAME, F_OK, 0) == 0 &&
              faccessat(fd, LETHE_MANIFEST, F_OK, 0) != 0;
    if (fd >= 0 && !is) close(fd);
    return is ? fd : -1;
}

/* The page of a study that `compare` made. */
static lethe_err study_page(page_job *m, int fd, lethe_json **report)
{
    const lethe_evaluate_options *a = &m->r->against;
    lethe_json *study = NULL;
    if (a->n_originals > 0 || a->map || m->r->results)
        return lethe_fail(m->ctx, LETHE_EUSAGE,
                          "'%s' is a study, which was measured and attacked when it was made: "
                          "--original, --map and --results do not apply",
                          a->folder);
    LETHE_TRY(target_open(m));
    LETHE_TRY(lethe_json_read_at(lethe_ctx_diag(m->ctx), fd, LETHE_STUDY_NAME, STUDY_MAX_BYTES,
                                 &m->manifest_doc, &study));
    const lethe_json *metrics = lethe_json_get(study, "metrics");
    if (lethe_json_kind(lethe_json_get(metrics, "rows")) != LETHE_JSON_ARRAY)
        return lethe_fail(m->ctx, LETHE_EINPUT, "'%s/%s' is not a study of lethe", a->folder,
                          LETHE_STUDY_NAME);
    lethe_report_input in = {.dirfd = fd,
                             .study = metrics,
                             .title = m->r->title,
                             .date = m->r->date,
                             .bound = m->r->bound,
                             .glosses = true};
    return page_finish(m, &in, report);
}

/* --- a release --- */

static lethe_err page_make(page_job *m, lethe_json **report)
{
    const lethe_evaluate_options *a = &m->r->against;
    LETHE_TRY(target_open(m));
    LETHE_TRY(release_check(m));
    LETHE_TRY(lethe_release_open(m->ctx, a->folder, &m->published, &m->manifest_doc));
    LETHE_TRY(original_evaluate(m));
    bool original = a->n_originals > 0 && m->published.shape == LETHE_SHAPE_LOG;
    lethe_report_input in = {.manifest = m->published.manifest,
                             .shape = m->published.shape,
                             .dirfd = m->published.dirfd,
                             .n_examples = m->r->n_examples,
                             .title = m->r->title,
                             .date = m->r->date,
                             .bound = m->r->bound,
                             .glosses = true,
                             .measure = m->measure,
                             .attack = m->attack,
                             .attack_lacks = m->lacks[0] ? m->lacks : NULL,
                             .original = original ? &m->original : NULL};
    return page_finish(m, &in, report);
}

lethe_err lethe_report_make(lethe_ctx *ctx, const lethe_report_options *r, lethe_json_doc *doc,
                            lethe_json **report)
{
    page_job m = {.ctx = ctx, .r = r, .doc = doc, .published = {.dirfd = -1}};
    int study = study_fd(r->against.folder);
    lethe_err e = study >= 0 ? study_page(&m, study, report) : page_make(&m, report);
    if (study >= 0) close(study);
    lethe_sink_abort(m.sink);
    lethe_buf_free(&m.page);
    lethe_release_close(&m.published, m.manifest_doc);
    return e;
}
