/* SPDX-License-Identifier: Apache-2.0 */
/* prepare.c - before the first row is read: everything that can refuse, refuses now. */
#include "release/make/pipeline.h"
#include "check/check.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- before reading --- */

lethe_shape lethe_step_shape(const lethe_step *step)
{
    return lethe_method_shape(step->method, &step->values);
}

unsigned lethe_shape_after(const lethe_step *step)
{
    // records and tables are read, not chained; rows that were drawn are no lines of the input any
    // more
    unsigned shape = lethe_step_shape(step);
    bool read = shape & (LETHE_SHAPE_RECORDS | LETHE_SHAPE_TABLE);
    return read || step->method->samples ? 0 : shape;
}

unsigned lethe_shape_before(const lethe_method *m)
{
    return m->in & LETHE_SHAPE_TABLE ? LETHE_SHAPE_TABLE : LETHE_SHAPE_LOG;
}

/* Step i cannot work on what comes before it. */
static lethe_err chain_fail(lethe_diag *d, const lethe_step *steps, size_t i)
{
    const lethe_method *m = steps[i].method, *before = i ? steps[i - 1].method : NULL;
    unsigned gives = i ? lethe_step_shape(&steps[i - 1]) : 0;
    const char *needs = lethe_shape_noun(m->in);
    if (!before)
        return lethe_fail(d, LETHE_EUSAGE, "%s cannot be the first step: it needs %s", m->name,
                          needs);
    if (m->in & gives)
        return lethe_fail(d, LETHE_EUSAGE, "%s cannot follow %s: %s must be the last step", m->name,
                          before->name, before->name);
    return lethe_fail(d, LETHE_EUSAGE, "%s cannot follow %s: it needs %s, and %s produces %s",
                      m->name, before->name, needs, before->name, lethe_shape_noun(gives));
}

static bool counts_clicks(const lethe_step *s)
{
    const lethe_value *v = lethe_value_find(&s->values, "clicks");
    return v && v->text && strcmp(v->text, "threshold") == 0;
}

/* Do as many click every address after this step as before it, or none?  Whoever leaves out rows or
 * clicks for reasons of its own may leave too few. */
static bool clicks_last(const lethe_step *first, const lethe_step *later)
{
    if (later->method->renames || later->method->samples) return true;
    return counts_clicks(later) &&
           lethe_count_of(&later->values, "by") == lethe_count_of(&first->values, "by") &&
           lethe_count_of(&later->values, "t") >= lethe_count_of(&first->values, "t");
}

static lethe_err clicks_check(lethe_diag *d, const lethe_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1;
             k < n && counts_clicks(&steps[i]) && lethe_step_is_claimed(&steps[i], &steps[n - 1]);
             k++)
            if (!clicks_last(&steps[i], &steps[k]))
                return lethe_fail(d, LETHE_EUSAGE,
                                  "%s may leave out clicks that %s has counted: use --clicks all "
                                  "in %s, or make it a later step",
                                  steps[k].method->name, steps[i].method->name,
                                  steps[i].method->name);
    return LETHE_OK;
}

lethe_err lethe_step_check(lethe_diag *d, const lethe_step *step)
{
    const lethe_method *m = step->method;
    LETHE_TRY(lethe_values_check(&step->values, m->name, d));
    if (m->in & LETHE_SHAPE_TABLE) LETHE_TRY(lethe_table_options_check(d, &step->values));
    return m->validate ? m->validate(&step->values, d) : LETHE_OK;
}

lethe_err lethe_step_count_check(lethe_diag *d, size_t n)
{
    if (n <= LETHE_STEPS_MAX) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE, "too many steps: %zu, the limit is %d", n, LETHE_STEPS_MAX);
}

lethe_err lethe_chain_check(lethe_diag *d, const lethe_step *steps, size_t n)
{
    LETHE_TRY(lethe_step_count_check(d, n));
    unsigned shape = n ? lethe_shape_before(steps[0].method) : 0;
    bool renamed = false;
    for (size_t i = 0; i < n; i++) {
        const lethe_method *m = steps[i].method;
        if (!(m->in & shape)) return chain_fail(d, steps, i);
        if (m->whole_persons && renamed)
            return lethe_fail(d, LETHE_EUSAGE,
                              "%s groups persons: it cannot follow a step that gives a person "
                              "several names",
                              m->name);
        LETHE_TRY(lethe_step_check(d, &steps[i]));
        shape = lethe_shape_after(&steps[i]);
        renamed = renamed || m->renames;
    }
    return clicks_check(d, steps, n);
}

void lethe_publishing_settle(const lethe_step *last, lethe_publish_options *how)
{
    if (last->method->samples) how->times = LETHE_TIMES_DROP;
    if (last->method->samples || !lethe_line_layout_of(last).clicks) how->urls = LETHE_URLS_DROP;
}

lethe_err lethe_job_texts_check(lethe_diag *d, const lethe_release_job *job)
{
    const char *const texts[] = {job->title, job->date};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++)
        if (texts[i] && !lethe_manifest_text_fits(lethe_str_of(texts[i])))
            return lethe_fail(d, LETHE_EUSAGE,
                              "title and date must have 1 to 200 bytes of UTF-8, not all blank, "
                              "without control characters and those that turn the direction of "
                              "text");
    return LETHE_OK;
}

lethe_err lethe_job_check(lethe_ctx *ctx, const lethe_release_job *job)
{
#ifdef LETHE_MINIMAL
    if (job->page)
        return lethe_fail(ctx, LETHE_EUSAGE, "--report: this build of lethe makes no pages");
#endif
    lethe_diag *d = lethe_ctx_diag(ctx);
    if (job->n_steps == 0 || (job->n_inputs == 0 && !job->written) || !job->out)
        return lethe_fail(d, LETHE_EUSAGE, "no input, no method or no output given");
    LETHE_TRY(lethe_job_texts_check(d, job));
    const lethe_step *last = &job->steps[job->n_steps - 1];
    const lethe_shape_ops *ops = lethe_shape_ops_of(lethe_step_shape(last));
    if (job->publishing.map && ops && !ops->map)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--map does not apply: %s publishes %s, which have no users or rows to "
                          "map back",
                          last->method->name, ops->noun);
    if (job->publishing.as_ubi && (!ops || ops->shape != LETHE_SHAPE_LOG))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--publish-as ubi does not apply: %s does not publish rows of a log",
                          last->method->name);
    if (job->publishing.as_ubi && strcmp(job->out, "-") == 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--publish-as ubi needs a folder for the release: -o - writes data.tsv");
    if (job->publishing.as_ubi && job->publishing.keep.n > 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--publish-as ubi does not apply with --keep: documents of User Behavior "
                          "Insights have no place for further columns");
    if (job->publishing.keep_min > 0 && job->publishing.keep.n == 0)
        return lethe_fail(d, LETHE_EUSAGE, "--keep-min applies only with --keep");
    LETHE_TRY(lethe_keep_check(d, &job->publishing.keep));
    LETHE_TRY(lethe_keep_applies(d, job));
    if (job->written) LETHE_TRY(lethe_written_check(ctx, job));
    return lethe_chain_check(d, job->steps, job->n_steps);
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

/* The last name of a path, slashes behind it aside. */
static lethe_str last_name(const char *path)
{
    size_t end = strlen(path), start = name_start(path, end);
    while (end > start && path[end - 1] == '/')
        end--;
    return (lethe_str){path + start, end - start};
}

/* A map inside the release would publish the way back.  `what`: the map, or a trace. */
static lethe_err place_check(lethe_diag *d, const char *what, const char *path, const char *out)
{
    char target[2 * PATH_MAX];
    lethe_str name = last_name(out);
    char *dir = parent_of(path), *out_dir = parent_of(out);
    lethe_err e = LETHE_OK;
    if (dir && out_dir) {
        int n = snprintf(target, sizeof target, "%s/%.*s", strcmp(out_dir, "/") ? out_dir : "",
                         (int)name.n, name.at);
        bool inside = n > 0 && (size_t)n < sizeof target && strncmp(dir, target, (size_t)n) == 0 &&
                      (dir[n] == '/' || dir[n] == '\0');
        bool same = strcmp(dir, out_dir) == 0 && lethe_str_eq(last_name(path), name);
        if (inside || same)
            e = lethe_fail(d, LETHE_EUSAGE, "the %s '%s' must not be in the release folder", what,
                           path);
    } else {
        e = lethe_fail(d, LETHE_EIO, "cannot find the folder of '%s'", dir ? out : path);
    }
    free(dir);
    free(out_dir);
    return e;
}

/* --force replaces an old map, not the log, the key or a list that was given beside it.  --trace is
 * the one path of a step that is written. */
static lethe_err target_check(lethe_diag *d, const char *what, const char *path,
                              const lethe_release_job *job)
{
    struct stat target;
    if (lstat(path, &target) != 0) return LETHE_OK; // nothing there to lose
    bool same = lethe_is_same_file(&target, job->publishing.key_file);
    for (size_t i = 0; i < job->n_inputs; i++)
        same = same || lethe_is_same_file(&target, job->inputs[i]);
    for (size_t s = 0; s < job->n_steps; s++) {
        const lethe_values *v = &job->steps[s].values;
        for (size_t i = 0; i < v->n; i++)
            if (v->table[i].type == LETHE_OPT_PATH && strcmp(v->table[i].name, "trace") != 0)
                same = same || lethe_is_same_file(&target, v->at[i].text);
    }
    if (!same) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE, "the %s '%s' would replace an input", what, path);
}

/* --- what killed runs have left --- */

/* The digest of the manifest in an open folder; false: there is none. */
static bool manifest_digest(lethe_ctx *ctx, int dirfd, char digest[LETHE_DIGEST_CHARS + 1])
{
    struct stat st;
    uint64_t bytes;
    return fstatat(dirfd, LETHE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           lethe_file_digest(ctx, dirfd, LETHE_MANIFEST, digest, &bytes) == LETHE_OK;
}

/* What is not remembered is not removed: lack of memory does no harm. */
static void replaced_add(lethe_digests *all, const char digest[LETHE_DIGEST_CHARS + 1])
{
    char(*at)[LETHE_DIGEST_CHARS + 1] = lethe_realloc(all->at, all->n + 1, sizeof *at);
    if (!at) return;
    all->at = at;
    memcpy(all->at[all->n++], digest, sizeof *at);
}

/* A complete release under a temporary name goes when the new one is in place. */
static void replaced_leftover(void *arg, const lethe_leftover *l)
{
    lethe_pipeline *p = arg;
    char digest[LETHE_DIGEST_CHARS + 1];
    if (lethe_manifest_may_replace(NULL, l->path, l->fd) == LETHE_OK &&
        manifest_digest(p->ctx, l->fd, digest))
        replaced_add(&p->replaced, digest);
}

/* A run was killed between two renames: the map is that of another release, and the one that it
 * replaced was left. */
static void pair_look(lethe_pipeline *p, const char *map, const char *digest)
{
    char found[LETHE_DIGEST_CHARS + 1];
    int fd = open(map, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool same = fd >= 0 && lethe_map_look(fd, found) == LETHE_MAP_NAMED && !strcmp(found, digest);
    if (fd >= 0) close(fd);
    char *left = same ? NULL : lethe_map_left(map, digest);
    if (left)
        lethe_warn(p->ctx,
                   "a run was killed while it replaced '%s': the map of that release is '%s'%s%s%s",
                   p->job->out, left, fd < 0 ? "" : ", not '", fd < 0 ? "" : map,
                   fd < 0 ? "" : "'");
    lethe_free(left);
}

/* Which releases go when the new one appears: their maps may go, too. */
static void replaced_find(lethe_pipeline *p)
{
    const char *map = p->job->publishing.map;
    char digest[LETHE_DIGEST_CHARS + 1];
    int fd = open(p->job->out, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && manifest_digest(p->ctx, fd, digest)) {
        pair_look(p, map, digest);
        if (p->job->publishing.force) replaced_add(&p->replaced, digest);
    }
    if (fd >= 0) close(fd);
}

/* The only map of a release that stays is never removed. */
static bool map_leftover_may(void *arg, const lethe_leftover *l)
{
    lethe_pipeline *p = arg;
    char digest[LETHE_DIGEST_CHARS + 1];
    lethe_map_state state = lethe_map_look(l->fd, digest);
    if (state == LETHE_MAP_UNFINISHED) return true;
    for (size_t i = 0; state == LETHE_MAP_NAMED && i < p->replaced.n; i++)
        if (strcmp(p->replaced.at[i], digest) == 0) return true;
    lethe_warn(p->ctx,
               "'%s', which a run that was killed has left, was not removed: it may be the only "
               "map of another release",
               l->path);
    return false;
}

lethe_err lethe_pipeline_targets_begin(lethe_pipeline *p)
{
    const lethe_release_job *job = p->job;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const char *trace = NULL;
    for (size_t s = 0; s < job->n_steps && !trace; s++) {
        const lethe_value *v = lethe_value_find(&job->steps[s].values, "trace");
        if (v) trace = v->text;
    }
    const struct {
        const char *what, *path;
        unsigned mode;
    } files[LETHE_N_BESIDE] = {[LETHE_BESIDE_TRACE] = {"trace", trace, 0666},
                               [LETHE_BESIDE_MAP] = {"map", job->publishing.map, 0600}};
    for (size_t i = 0; i < LETHE_N_BESIDE; i++) {
        if (!files[i].path) continue;
        LETHE_TRY(target_check(d, files[i].what, files[i].path, job));
        if (!p->to_stdout) LETHE_TRY(place_check(d, files[i].what, files[i].path, job->out));
    }
    if (!p->to_stdout) {
        if (job->publishing.map) replaced_find(p);
        lethe_err e = lethe_folder_begin(d, job->out, job->publishing.force,
                                         lethe_manifest_may_replace, &p->folder);
        for (size_t i = 0; e != LETHE_OK && !job->publishing.force && i < LETHE_N_BESIDE; i++)
            if (files[i].path) lethe_leftovers_name(d, files[i].path);
        LETHE_TRY(e);
        lethe_folder_files(p->folder, lethe_is_release_file);
        if (job->publishing.force) lethe_folder_leftovers(p->folder, replaced_leftover, p);
        LETHE_TRY(lethe_spill_begin(p->ctx, lethe_folder_temp(p->folder), &p->spill_dir));
    }
    lethe_sink_mode mode = job->publishing.force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW;
    for (size_t i = 0; i < LETHE_N_BESIDE; i++)
        if (files[i].path)
            LETHE_TRY(lethe_sink_open(d, files[i].path, mode, files[i].mode, &p->beside[i]));
    if (p->beside[LETHE_BESIDE_MAP])
        lethe_sink_spare(p->beside[LETHE_BESIDE_MAP], map_leftover_may, p);
    return LETHE_OK;
}

static lethe_err key_begin(lethe_pipeline *p, const char *path)
{
    uint8_t key[32];
    LETHE_TRY(lethe_key_read(lethe_ctx_diag(p->ctx), path, key));
    lethe_err e = lethe_secret_from_bytes(key, &p->key);
    explicit_bzero(key, sizeof key);
    return e;
}

/* With a key and without a seed, random choices follow from the key: the same input then gives the
 * same release, and two runs do not show more than one.  (A task of a cluster may run twice.) */
static lethe_err secrets_begin(lethe_pipeline *p)
{
    const lethe_publish_options *how = &p->job->publishing;
    if (how->key_file) LETHE_TRY(key_begin(p, how->key_file));
    lethe_err e = how->has_seed   ? lethe_secret_from_seed(how->seed, &p->random)
                  : how->key_file ? lethe_secret_derive(p->key, "choices", &p->random)
                                  : lethe_secret_random(&p->random);
    if (e == LETHE_EIO) return lethe_fail(p->ctx, e, "cannot get random numbers from the system");
    LETHE_TRY(e);
    return how->key_file ? LETHE_OK : lethe_secret_derive(p->random, "key", &p->key);
}

/* Persons are checked apart where a step gives rows other users, and behind records, which show
 * none: else the published users are the persons, and the bytes show them. */
static lethe_err persons_begin(lethe_pipeline *p, uint64_t cap_bytes)
{
    bool needed = !p->ops->shows_users && p->ops->person_of;
    if (p->job->written) return LETHE_OK; // whoever has written them has counted
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
        if (notion && notion->persons)
            LETHE_TRY(lethe_persons_new(p->ctx, cap_bytes / n, &p->persons[i]));
        if (notion && notion->of_values) p->value_persons = p->persons[i];
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
    p->claims = lethe_job_claims(p->doc, p->job);
    LETHE_TRY(secrets_begin(p)); // first: a key may come from a pipe, and keep us waiting
    LETHE_TRY(lethe_pipeline_targets_begin(p));
    // row methods read what they need (a list, say) now, not when the steps before them are
    // through.
    p->states = lethe_alloc_zero(p->job->n_steps, sizeof *p->states);
    if (!p->states) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < p->job->n_steps; i++) {
        const lethe_row_method *rows = p->job->steps[i].method->rows;
        lethe_run run = lethe_pipeline_run_of(p, i);
        if (rows) LETHE_TRY(rows->begin(&run, &p->states[i]));
    }
    LETHE_TRY(persons_begin(p, lethe_ctx_memory(p->ctx) / 8));
    return p->ops->begin ? p->ops->begin(p) : LETHE_OK;
}

void lethe_pipeline_end(lethe_pipeline *p)
{
    p->ops->free(p->publisher);
    lethe_kept_values_free(p->kept);
    lethe_bound_records_free(&p->bound);
    if (!p->input) lethe_table_free(p->table);
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
    for (size_t i = 0; i < LETHE_N_BESIDE; i++)
        lethe_sink_abort(p->beside[i]);
    lethe_folder_abort(p->folder);
    lethe_free(p->replaced.at);
    lethe_spill_end(p->ctx, p->spill_dir);
}
