/* prepare.c - before the first row is read: everything that can refuse, refuses now. */
#include "release/make/pipeline.h"
#include "check/check.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- before reading --- */

/* A promise that cannot be checked on the final bytes must not be made. */
static lethe_err promises_check(lethe_diag *d, const lethe_job *job, unsigned shape)
{
    for (size_t i = 0; i + 1 < job->n_steps; i++) {
        const lethe_method *m = job->steps[i].method, *last = job->steps[job->n_steps - 1].method;
        const lethe_notion *notion = lethe_notion_find(lethe_str_of(m->notion));
        if (notion && notion->shapes & shape) continue;
        if (m->renames) // a pipe would take personas for persons
            return lethe_fail(d, LETHE_EUSAGE, "what %s promises cannot be checked behind %s",
                              m->name, last->name);
        return lethe_fail(d, LETHE_EUSAGE,
                          "what %s promises cannot be checked behind %s; to do without the "
                          "promise, pipe: lethe %s ... -o - | lethe %s -",
                          m->name, last->name, m->name, last->name);
    }
    return LETHE_OK;
}

unsigned lethe_shape_after(const lethe_method *m)
{
    // records and tables are read, not chained; rows that were drawn are no lines of the input any
    // more
    bool read = m->out & (LETHE_SHAPE_RECORDS | LETHE_SHAPE_TABLE);
    return read || m->samples ? 0 : m->out;
}

unsigned lethe_shape_before(const lethe_method *m)
{
    return m->in & LETHE_SHAPE_TABLE ? LETHE_SHAPE_TABLE : LETHE_SHAPE_LOG;
}

lethe_err lethe_job_check(lethe_ctx *ctx, const lethe_job *job)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    if (job->n_steps == 0 || job->n_inputs == 0 || !job->out)
        return lethe_fail(d, LETHE_EUSAGE, "nothing to do");
    unsigned shape = lethe_shape_before(job->steps[0].method);
    for (size_t i = 0; i < job->n_steps; i++) {
        const lethe_method *m = job->steps[i].method;
        if (!(m->in & shape))
            return lethe_fail(d, LETHE_EUSAGE, "%s cannot work on what the step before it gives",
                              m->name);
        if (m->in & LETHE_SHAPE_TABLE)
            LETHE_TRY(lethe_table_options_check(d, &job->steps[i].values));
        if (m->validate) LETHE_TRY(m->validate(&job->steps[i].values, d));
        shape = lethe_shape_after(m);
    }
    shape = job->steps[job->n_steps - 1].method->out;
    return strcmp(job->out, "-") == 0 ? LETHE_OK : promises_check(d, job, shape);
}

/* Where the last name of path[0..n-1] begins. */
static size_t name_start(const char *path, size_t n)
{
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n;
}

/* The folder that holds `path`: resolved as far as it exists, the rest as it is written; malloc'd.
 */
static char *parent_of(const char *path)
{
    char copy[PATH_MAX], *joined;
    size_t n = name_start(path, strlen(path));
    if (n >= sizeof copy) return NULL;
    for (size_t end = n;; end = name_start(path, end)) {
        memcpy(copy, path, end);
        copy[end] = '\0';
        char *real = realpath(end ? copy : ".", NULL);
        if (real && end == n) return real;
        if (real) {
            bool made = asprintf(&joined, "%s/%.*s", strcmp(real, "/") ? real : "", (int)(n - end),
                                 path + end) >= 0;
            free(real);
            return made ? joined : NULL;
        }
        if (end == 0) return NULL;
    }
}

static const char *last_name(const char *path, char out[NAME_MAX + 1])
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    size_t n = LETHE_MIN(end - start, (size_t)NAME_MAX);
    memcpy(out, path + start, n);
    out[n] = '\0';
    return out;
}

/* A map inside the release would publish the way back.  `what`: the map, or a trace. */
static lethe_err place_check(lethe_diag *d, const char *what, const char *path, const char *out)
{
    char name[NAME_MAX + 1], own[NAME_MAX + 1], target[2 * PATH_MAX];
    char *dir = parent_of(path), *out_dir = parent_of(out);
    lethe_err e = LETHE_OK;
    if (dir && out_dir) {
        int n = snprintf(target, sizeof target, "%s/%s", strcmp(out_dir, "/") ? out_dir : "",
                         last_name(out, name));
        bool inside =
            n > 0 && strncmp(dir, target, (size_t)n) == 0 && (dir[n] == '/' || dir[n] == '\0');
        bool same = strcmp(dir, out_dir) == 0 && strcmp(last_name(path, own), name) == 0;
        if (inside || same)
            e = lethe_fail(d, LETHE_EUSAGE, "the %s '%s' must not be in the release folder", what,
                           path);
    } else {
        e = lethe_fail(d, LETHE_EIO, "cannot tell where '%s' is", dir ? out : path);
    }
    free(dir);
    free(out_dir);
    return e;
}

static bool same_file(const struct stat *target, const char *path)
{
    struct stat st;
    int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
    return failed == 0 && st.st_dev == target->st_dev && st.st_ino == target->st_ino;
}

/* --trace is the one file that a step writes. */
static bool is_read(const lethe_option *o)
{
    return o->type == LETHE_OPT_PATH && strcmp(o->name, "trace") != 0;
}

/* Is the target a file that one of the steps reads (a list, say)? */
static bool is_of_steps(const struct stat *target, const lethe_job *job)
{
    bool same = false;
    for (size_t s = 0; s < job->n_steps; s++) {
        const lethe_values *v = &job->steps[s].values;
        for (size_t i = 0; i < v->n; i++)
            if (is_read(&v->table[i]) && v->at[i].text)
                same = same || same_file(target, v->at[i].text);
    }
    return same;
}

/* --force replaces an old map, not the log, the key or a list that were given beside it. */
static lethe_err target_check(lethe_diag *d, const char *what, const char *path,
                              const lethe_job *job)
{
    struct stat target;
    const lethe_publish_options *how = &job->publishing;
    if (lstat(path, &target) != 0) return LETHE_OK; // nothing there to lose
    bool same = (how->key_file && same_file(&target, how->key_file)) || is_of_steps(&target, job);
    for (size_t i = 0; i < job->n_inputs; i++)
        same = same || same_file(&target, job->inputs[i]);
    if (!same) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE, "the %s '%s' would replace what is read", what, path);
}

/* What --trace of a step names; NULL: nothing. */
static const char *trace_of(const lethe_job *job)
{
    const char *path = NULL;
    for (size_t s = 0; s < job->n_steps && !path; s++) {
        const lethe_value *v = lethe_value_find(&job->steps[s].values, "trace");
        if (v) path = v->text;
    }
    return path;
}

/* A file that is to appear with the release, not in it. */
static lethe_err beside_check(const lethe_pipeline *p, const char *what, const char *path)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (!path) return LETHE_OK;
    LETHE_TRY(target_check(d, what, path, p->job));
    return p->to_stdout ? LETHE_OK : place_check(d, what, path, p->job->out);
}

static lethe_err beside_open(const lethe_pipeline *p, const char *path, unsigned mode,
                             lethe_sink **out)
{
    bool force = p->job->publishing.force;
    return path ? lethe_sink_open(lethe_ctx_diag(p->ctx), path,
                                  force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW, mode, out)
                : LETHE_OK;
}

static lethe_err targets_begin(lethe_pipeline *p)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_publish_options *how = &p->job->publishing;
    const char *trace = trace_of(p->job);
    LETHE_TRY(beside_check(p, "map", how->map));
    LETHE_TRY(beside_check(p, "trace", trace));
    if (!p->to_stdout) {
        LETHE_TRY(
            lethe_folder_begin(d, p->job->out, how->force, lethe_manifest_may_replace, &p->folder));
        const char *dir = lethe_ctx_spill_dir(p->ctx);
        size_t n = strlen(dir) + 1;
        p->spill_dir = lethe_alloc(n, 1);
        if (!p->spill_dir) return lethe_no_memory(d);
        memcpy(p->spill_dir, dir, n);
        LETHE_TRY(lethe_ctx_set_spill_dir(p->ctx, lethe_folder_temp(p->folder)));
    }
    LETHE_TRY(beside_open(p, how->map, 0600, &p->map));
    return beside_open(p, trace, 0666, &p->trace);
}

static lethe_err secrets_begin(lethe_pipeline *p)
{
    const lethe_publish_options *how = &p->job->publishing;
    LETHE_TRY(how->has_seed ? lethe_secret_from_seed(how->seed, &p->random)
                            : lethe_secret_random(&p->random));
    if (!how->key_file) return lethe_secret_derive(p->random, "key", &p->key);
    uint8_t key[32];
    LETHE_TRY(lethe_key_read(lethe_ctx_diag(p->ctx), how->key_file, key));
    lethe_err e = lethe_secret_from_bytes(key, &p->key);
    explicit_bzero(key, sizeof key);
    return e;
}

/* Persons are checked apart where a step gives rows other users, and behind records, which show
 * none: else the published users are the persons, and the bytes show them. */
static lethe_err persons_begin(lethe_pipeline *p, uint64_t cap_bytes)
{
    bool needed = p->shape == LETHE_SHAPE_RECORDS;
    for (size_t i = 0; i < p->job->n_steps; i++)
        needed = needed || p->job->steps[i].method->renames;
    size_t n = lethe_json_count(p->claims);
    if (!needed || n == 0) return LETHE_OK;
    p->persons = lethe_alloc_zero(n, sizeof *p->persons);
    if (!p->persons) return lethe_no_memory(p->ctx);
    p->n_persons = n;
    for (size_t i = 0; i < n; i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(p->claims, i), "notion"));
        const lethe_notion *notion = lethe_notion_find(name);
        // what an earlier step promised of queries says nothing of groups or sealed lines
        if (notion && notion->persons && notion->shapes & p->shape)
            LETHE_TRY(lethe_persons_new(p->ctx, cap_bytes / n, &p->persons[i]));
    }
    return LETHE_OK;
}

/* Row methods read what they need (a list, say) now, not when the steps before them are through. */
static lethe_err rows_begin(lethe_pipeline *p)
{
    p->states = lethe_alloc_zero(p->job->n_steps, sizeof *p->states);
    if (!p->states) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < p->job->n_steps; i++) {
        const lethe_row_method *rows = p->job->steps[i].method->rows;
        lethe_run run = lethe_pipeline_run_of(p, i);
        if (rows) LETHE_TRY(rows->begin(&run, &p->states[i]));
    }
    return LETHE_OK;
}

lethe_err lethe_pipeline_begin(lethe_pipeline *p)
{
    unsigned n = lethe_ctx_threads(p->ctx);
    p->drops = lethe_alloc_zero(n, sizeof *p->drops);
    if (!p->drops) return lethe_no_memory(p->ctx);
    p->metrics = lethe_json_object(p->doc);
    p->caveats = lethe_json_array(p->doc);
    p->steps = lethe_steps_json(p->doc, p->job, false);
    p->claims = lethe_steps_claims(p->doc, p->job->steps, p->job->n_steps);
    LETHE_TRY(secrets_begin(p)); // first: a key may come from a pipe, and keep us waiting
    LETHE_TRY(targets_begin(p));
    LETHE_TRY(rows_begin(p));
    uint64_t memory = lethe_ctx_memory(p->ctx);
    LETHE_TRY(persons_begin(p, memory / 8));
    if (p->shape & (LETHE_SHAPE_RECORDS | LETHE_SHAPE_TABLE))
        return LETHE_OK; // its publisher needs them at hand
    return lethe_publisher_new(p->ctx, &p->job->publishing, &p->layout, p->key, memory / 4,
                               &p->publisher);
}

void lethe_pipeline_end(lethe_pipeline *p)
{
    lethe_publisher_free(p->publisher);
    lethe_record_publisher_free(p->record_publisher);
    lethe_bound_records_free(&p->shaped);
    lethe_table_publisher_free(p->table_publisher);
    if (!p->held) lethe_table_free(p->table);
    for (size_t i = 0; i < p->n_persons; i++)
        lethe_persons_free(p->persons[i]);
    lethe_free(p->persons);
    for (size_t i = 0; p->states && i < p->job->n_steps; i++)
        if (p->states[i]) p->job->steps[i].method->rows->free(p->states[i]);
    lethe_free(p->states);
    lethe_log_free(p->store);
    lethe_free(p->drops);
    lethe_secret_free(p->random);
    lethe_secret_free(p->key);
    lethe_sink_abort(p->map);
    lethe_sink_abort(p->trace);
    lethe_folder_abort(p->folder);
    if (p->spill_dir && lethe_ctx_set_spill_dir(p->ctx, p->spill_dir) != LETHE_OK)
        lethe_warn(p->ctx, "no memory left to go back to '%s' for temporary files", p->spill_dir);
    lethe_free(p->spill_dir);
}
