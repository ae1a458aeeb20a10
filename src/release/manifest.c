/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - what a release says of itself: written last, read first. */
#include "release/release.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "io/json/option.h"
#include "io/syserr.h"
#include "release/make/bind.h"
#include "release/page/report.h"
#include "release/shape_ops.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void lethe_report_quote(lethe_json_doc *doc, lethe_json *report, const lethe_json *manifest)
{
    static const char *const names[] = {"claims", "verdict", "caveats", "counts"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        lethe_json_set(doc, report, names[i],
                       lethe_json_copy(doc, lethe_json_get(manifest, names[i])));
}

lethe_json *lethe_counts_json(lethe_json_doc *doc, const lethe_counts *c)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_count(doc, o, "read", c->read);
    lethe_set_count(doc, o, "published", c->published);
    lethe_set_count(doc, o, "suppressed", c->suppressed);
    lethe_set_count(doc, o, "rejected", c->rejected);
    return o;
}

/* --- steps and what they promise --- */

void lethe_reading_json(lethe_json_doc *doc, lethe_json *o, const lethe_read_options *r)
{
    if (!r->has_users_with) return;
    lethe_json *range = lethe_json_array(doc);
    lethe_json_push(doc, range, lethe_json_new_int(doc, (int64_t)r->users_with_min));
    if (r->users_with_max <= INT64_MAX)
        lethe_json_push(doc, range, lethe_json_new_int(doc, (int64_t)r->users_with_max));
    lethe_json_set(doc, o, "users-with", range);
}

static const char *const times[] = {[LETHE_TIMES_DAY] = "day",
                                    [LETHE_TIMES_HOUR] = "hour",
                                    [LETHE_TIMES_EXACT] = "exact",
                                    [LETHE_TIMES_DROP] = "drop"};
static const char *const urls[] = {[LETHE_URLS_HOST] = "host",
                                   [LETHE_URLS_ID] = "id",
                                   [LETHE_URLS_KEEP] = "keep",
                                   [LETHE_URLS_DROP] = "drop"};

static void publishing_json(lethe_json_doc *doc, lethe_json *o, const lethe_publish_options *p)
{
    lethe_json_set(doc, o, "keep-users", lethe_json_new_bool(doc, p->keep_users));
    lethe_set_text(doc, o, "time", times[p->times]);
    lethe_set_text(doc, o, "urls", urls[p->urls]);
}

/* The number of `text` among names[0..n-1]; n: not one of them. */
static size_t name_number(lethe_str text, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && !lethe_str_eq(text, lethe_str_of(names[i])))
        i++;
    return i;
}

bool lethe_manifest_publishing(const lethe_json *manifest, lethe_publish_options *out)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    size_t n = lethe_json_count(steps);
    if (n == 0) return false;
    const lethe_json *o = lethe_json_get(lethe_json_at(steps, n - 1), "parameters");
    const lethe_json *keep_users = lethe_json_get(o, "keep-users");
    size_t time =
        name_number(lethe_json_text(lethe_json_get(o, "time")), times, LETHE_COUNT(times));
    size_t url = name_number(lethe_json_text(lethe_json_get(o, "urls")), urls, LETHE_COUNT(urls));
    if (lethe_json_kind(keep_users) != LETHE_JSON_BOOL || time == LETHE_COUNT(times) ||
        url == LETHE_COUNT(urls))
        return false;
    out->keep_users = lethe_json_bool(keep_users);
    out->times = (lethe_times)time;
    out->urls = (lethe_urls)url;
    return true;
}

bool lethe_manifest_coarsens(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1),
                     *o = lethe_json_get(last, "parameters");
    return lethe_json_get(o, "keep-users") || lethe_json_get(o, "time") ||
           lethe_json_get(o, "urls");
}

/* Of records, what says something of logs alone is left out: so a manifest shows what was read. */
static lethe_json *values_json(lethe_json_doc *doc, const lethe_values *v, bool of_records)
{
    lethe_json *all = lethe_values_json(doc, v), *some = lethe_json_object(doc);
    if (!of_records) return all;
    for (size_t i = 0; i < v->n; i++) {
        const char *name = v->table[i].name;
        const lethe_json *value = lethe_json_get(all, name);
        if (value && !lethe_is_log_option(name))
            lethe_json_set(doc, some, name, lethe_json_copy(doc, value));
    }
    return some;
}

bool lethe_manifest_samples(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    const lethe_method *m = lethe_step_method(lethe_json_at(steps, lethe_json_count(steps) - 1));
    return m && m->samples;
}

bool lethe_manifest_of_records(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    const lethe_json *first = lethe_json_at(steps, 0);
    const lethe_method *m = lethe_step_method(first);
    return lethe_json_count(steps) == 1 && m && m->in & LETHE_SHAPE_RECORDS &&
           !lethe_json_get(lethe_json_get(first, "parameters"), "gap");
}

lethe_json *lethe_steps_json(lethe_json_doc *doc, const lethe_job *job, bool of_records)
{
    lethe_json *steps = lethe_json_array(doc);
    for (size_t i = 0; i < job->n_steps; i++) {
        lethe_json *step = lethe_json_object(doc);
        lethe_json *parameters = values_json(doc, &job->steps[i].values, of_records);
        if (i == 0) lethe_reading_json(doc, parameters, &job->reading);
        if (i + 1 == job->n_steps &&
            lethe_shape_ops_of((lethe_shape)job->steps[i].method->out)->shows_users)
            publishing_json(doc, parameters, &job->publishing);
        lethe_set_text(doc, step, "command", job->steps[i].method->name);
        lethe_json_set(doc, step, "parameters", parameters);
        lethe_json_push(doc, steps, step);
    }
    return steps;
}

void lethe_steps_set_text(lethe_json_doc *doc, lethe_json *steps, const char *name,
                          const char *text)
{
    const lethe_json *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    lethe_json *parameters = (lethe_json *)lethe_json_get(last, "parameters"); // made above
    lethe_set_text(doc, parameters, name, text);
}

lethe_json *lethe_steps_claims(lethe_json_doc *doc, const lethe_step *steps, size_t n)
{
    lethe_json *claims = lethe_json_array(doc);
    for (size_t i = 0; i < n; i++)
        steps[i].method->claims(&steps[i].values, doc, claims);
    return claims;
}

/* Parameters of reading and publishing stand among a step's own, but are not the method's. */
static const struct {
    const char *name;
    lethe_json_type kind;
} pipeline_parameters[] = {
    {"users-with", LETHE_JSON_ARRAY},
    {"keep-users", LETHE_JSON_BOOL},
    {"time", LETHE_JSON_TEXT},
    {"urls", LETHE_JSON_TEXT},
    {LETHE_TAXONOMY_DIGEST, LETHE_JSON_TEXT},
};

static bool is_pipeline_parameter(lethe_str name, const lethe_json *value)
{
    for (size_t i = 0; i < LETHE_COUNT(pipeline_parameters); i++)
        if (lethe_str_eq(name, lethe_str_of(pipeline_parameters[i].name)))
            return lethe_json_kind(value) == pipeline_parameters[i].kind;
    return false;
}

static lethe_json *method_parameters(lethe_json_doc *doc, const lethe_json *parameters,
                                     lethe_arena *a)
{
    lethe_json *own = lethe_json_object(doc);
    for (size_t i = 0, n = lethe_json_count(parameters); i < n; i++) {
        lethe_str name = lethe_json_name(parameters, i);
        const lethe_json *value = lethe_json_at(parameters, i);
        char *copy = lethe_arena_dup(a, name);
        if (!copy) return NULL;
        if (!is_pipeline_parameter(name, value))
            lethe_json_set(doc, own, copy, lethe_json_copy(doc, value));
    }
    return own;
}

const lethe_method *lethe_step_method(const lethe_json *step)
{
    lethe_str command = lethe_json_text(lethe_json_get(step, "command"));
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        if (lethe_str_eq(command, lethe_str_of((*m)->name))) return *m;
    return NULL;
}

lethe_err lethe_step_read(lethe_diag *d, lethe_arena *a, const lethe_json *step,
                          lethe_json_doc *doc, lethe_step *out)
{
    const lethe_json *parameters = lethe_json_get(step, "parameters");
    if (lethe_json_count(step) != 2 || lethe_json_kind(parameters) != LETHE_JSON_OBJECT)
        return lethe_fail(d, LETHE_EINPUT,
                          "a step of the manifest is not a command with parameters");
    const lethe_method *method = lethe_step_method(step);
    if (!method) {
        char name[64];
        lethe_show(name, sizeof name, lethe_json_text(lethe_json_get(step, "command")));
        return lethe_fail(d, LETHE_EINPUT, "the manifest names an unknown step '%s'", name);
    }
    size_t n = lethe_option_count(method->options);
    lethe_value *at = lethe_new(a, lethe_value, n ? n : 1);
    if (!at) return lethe_no_memory(d);
    out->method = method;
    lethe_values_init(&out->values, method->options, at);
    lethe_json *own = method_parameters(doc, parameters, a);
    return own ? lethe_values_read(a, &out->values, own, d) : lethe_no_memory(d);
}

lethe_err lethe_manifest_claims(lethe_diag *d, const lethe_json *manifest, lethe_json_doc *doc,
                                lethe_json **out)
{
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(d);
    lethe_json *claims = lethe_json_array(doc);
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    lethe_err e = LETHE_OK;
    unsigned shape = 0;
    for (size_t i = 0; e == LETHE_OK && i < lethe_json_count(steps); i++) {
        lethe_step step;
        e = lethe_step_read(d, a, lethe_json_at(steps, i), doc, &step);
        if (e == LETHE_OK && i == 0) shape = lethe_shape_before(step.method);
        if (e == LETHE_OK && !(step.method->in & shape))
            e = lethe_fail(d, LETHE_EINPUT, "the manifest's steps do not fit together");
        if (e != LETHE_OK) break;
        step.method->claims(&step.values, doc, claims);
        shape = lethe_shape_after(step.method);
    }
    lethe_arena_free(a);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(d);
    if (e == LETHE_OK) *out = claims;
    return e;
}

static bool has_text(const lethe_json *array, const char *text)
{
    for (size_t i = 0; i < lethe_json_count(array); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(array, i)), lethe_str_of(text))) return true;
    return false;
}

/* What the steps of a manifest, all of which are known, must warn of. */
static bool shape_warns(const lethe_json *manifest, const lethe_chain *c)
{
    const lethe_json *said = lethe_json_get(manifest, "caveats");
    const lethe_shape_ops *ops = lethe_shape_ops_of((lethe_shape)c->last->method->out);
    const char *texts[LETHE_MAX_CAVEATS];
    lethe_publish_options how = {0};
    if (ops->shows_users && !lethe_manifest_publishing(manifest, &how)) return true;
    for (size_t i = 0, n = ops->caveats(c, &how, texts); i < n; i++)
        if (!has_text(said, texts[i])) return false;
    return true;
}

static bool step_warns(const lethe_step *step, const lethe_json *said)
{
    const char *texts[LETHE_WARNS_MAX];
    for (const char *const *c = step->method->caveats; c && *c; c++)
        if (!has_text(said, *c)) return false;
    size_t n = step->method->warns ? step->method->warns(&step->values, texts) : 0;
    for (size_t i = 0; i < n; i++)
        if (!has_text(said, texts[i])) return false;
    return true;
}

lethe_err lethe_manifest_warns(lethe_diag *d, const lethe_json *manifest, lethe_json_doc *doc,
                               bool *warns)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps"),
                     *version = lethe_json_get(manifest, "lethe");
    *warns = true;
    if (!lethe_str_eq(lethe_json_text(version), lethe_str_of(lethe_version())))
        return LETHE_OK; // another version may have had other words
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(d);
    lethe_step step = {0};
    lethe_chain chain = {.last = &step};
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < lethe_json_count(steps) && e == LETHE_OK; i++) {
        e = lethe_step_read(d, a, lethe_json_at(steps, i), doc, &step);
        if (e != LETHE_OK) break;
        assert(step.method);
        chain.renames = chain.renames || step.method->renames;
        chain.ids = chain.ids || step.method->ids;
        *warns = *warns && step_warns(&step, lethe_json_get(manifest, "caveats"));
    }
    if (e == LETHE_OK && step.method) *warns = *warns && shape_warns(manifest, &chain);
    lethe_arena_free(a);
    return e;
}

/* --- writing --- */

lethe_json *lethe_files_json(lethe_json_doc *doc, const lethe_file_entry *at, size_t n)
{
    lethe_json *files = lethe_json_array(doc);
    for (size_t i = 0; i < n; i++) {
        lethe_json *file = lethe_json_object(doc);
        lethe_set_text(doc, file, "name", at[i].name);
        lethe_set_count(doc, file, "bytes", at[i].bytes);
        lethe_set_text(doc, file, "blake2b", at[i].digest);
        lethe_json_push(doc, files, file);
    }
    return files;
}

lethe_err lethe_manifest_write(lethe_ctx *ctx, lethe_folder *folder, const lethe_json *manifest)
{
    size_t n;
    lethe_sink *sink;
    char *text = lethe_json_write(manifest, 2, &n);
    if (!text) return lethe_no_memory(ctx);
    lethe_err e = lethe_sink_in(lethe_ctx_diag(ctx), folder, LETHE_MANIFEST, &sink);
    if (e == LETHE_OK) {
        e = lethe_sink_write(sink, text, n);
        if (e == LETHE_OK) e = lethe_sink_write(sink, "\n", 1);
        if (e == LETHE_OK)
            e = lethe_sink_commit(sink);
        else
            lethe_sink_abort(sink);
    }
    lethe_json_text_free(text);
    return e;
}

/* --- reading --- */

/* Only these names may stand in a manifest; any other is a forgery. */
static bool is_release_file(lethe_str name)
{
    bool is = lethe_str_eq(name, LETHE_LIT(LETHE_REPORT_NAME));
    for (const lethe_shape_ops *const *ops = lethe_shapes(); *ops && !is; ops++)
        for (const lethe_release_file *f = (*ops)->files; f->name && !is; f++)
            is = lethe_str_eq(name, lethe_str_of(f->name));
    return is;
}

static lethe_err manifest_fault(lethe_diag *d, const char *what)
{
    return lethe_fail_at(d, LETHE_EINPUT, LETHE_MANIFEST, 0, 0, "not a manifest of lethe: %s",
                         what);
}

static lethe_err check_members(lethe_diag *d, const lethe_json *m)
{
    static const struct {
        const char *name;
        lethe_json_type kind;
    } wanted[] = {
        {"lethe", LETHE_JSON_TEXT},     {"steps", LETHE_JSON_ARRAY},
        {"claims", LETHE_JSON_ARRAY},   {"files", LETHE_JSON_ARRAY},
        {"counts", LETHE_JSON_OBJECT},  {"metrics", LETHE_JSON_OBJECT},
        {"verdict", LETHE_JSON_OBJECT}, {"caveats", LETHE_JSON_ARRAY},
    };
    if (lethe_json_kind(m) != LETHE_JSON_OBJECT) return manifest_fault(d, "it is not an object");
    for (size_t i = 0; i < LETHE_COUNT(wanted); i++)
        if (lethe_json_kind(lethe_json_get(m, wanted[i].name)) != wanted[i].kind)
            return lethe_fail_at(d, LETHE_EINPUT, LETHE_MANIFEST, 0, 0,
                                 "not a manifest of lethe: '%s' is missing or has the wrong type",
                                 wanted[i].name);
    if (lethe_json_count(m) != LETHE_COUNT(wanted))
        return manifest_fault(d, "it has unknown members");
    return LETHE_OK;
}

static lethe_err check_files(lethe_diag *d, const lethe_json *files)
{
    size_t n = lethe_json_count(files);
    if (n == 0) return manifest_fault(d, "it names no file");
    for (size_t i = 0; i < n; i++) {
        const lethe_json *file = lethe_json_at(files, i);
        lethe_str name = lethe_json_text(lethe_json_get(file, "name"));
        if (!is_release_file(name))
            return manifest_fault(d, "it names a file that no release holds");
        if (lethe_json_kind(lethe_json_get(file, "bytes")) != LETHE_JSON_INT ||
            lethe_json_text(lethe_json_get(file, "blake2b")).n != 64)
            return manifest_fault(d, "a file lacks its size or digest");
        if (lethe_json_count(file) != 3) return manifest_fault(d, "a file has unknown members");
        for (size_t j = 0; j < i; j++)
            if (lethe_str_eq(name,
                             lethe_json_text(lethe_json_get(lethe_json_at(files, j), "name"))))
                return manifest_fault(d, "it names a file twice");
    }
    return LETHE_OK;
}

lethe_err lethe_manifest_read(lethe_diag *d, int dirfd, lethe_json_doc **doc, lethe_json **out)
{
    lethe_json_doc *read = NULL;
    lethe_json *m = NULL;
    LETHE_TRY(lethe_json_read_at(d, dirfd, LETHE_MANIFEST, LETHE_MANIFEST_MAX, &read, &m));
    lethe_err e = check_members(d, m);
    if (e == LETHE_OK) e = check_files(d, lethe_json_get(m, "files"));
    if (e == LETHE_OK && lethe_manifest_shape(m) == LETHE_SHAPE_NONE)
        e = manifest_fault(d, "it does not name exactly one data file");
    if (e != LETHE_OK) {
        lethe_json_doc_free(read);
        return e;
    }
    *doc = read;
    *out = m;
    return LETHE_OK;
}

lethe_err lethe_release_open(lethe_ctx *ctx, const char *folder, lethe_published *p,
                             lethe_json_doc **doc)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    struct stat st;
    lethe_json *manifest;
    *p = (lethe_published){.ctx = ctx, .dirfd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    *doc = NULL;
    if (p->dirfd < 0) return lethe_fail_sys(d, "open folder", folder, errno);
    if (fstatat(p->dirfd, LETHE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return lethe_fail(d, LETHE_EIO, "'%s' is not a release: it holds no " LETHE_MANIFEST,
                          folder);
    LETHE_TRY(lethe_manifest_read(d, p->dirfd, doc, &manifest));
    p->manifest = manifest;
    p->shape = lethe_manifest_shape(manifest);
    return LETHE_OK;
}

void lethe_release_close(lethe_published *p, lethe_json_doc *doc)
{
    lethe_json_doc_free(doc);
    if (p->dirfd >= 0) close(p->dirfd);
}

bool lethe_is_given(const lethe_values *v, const char *name)
{
    const lethe_value *value = v ? lethe_value_find(v, name) : NULL;
    return value && value->given;
}

bool lethe_is_same_file(const struct stat *st, const char *path)
{
    struct stat other;
    if (!path) return false;
    int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &other) : stat(path, &other);
    return failed == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

lethe_err lethe_spill_begin(lethe_ctx *ctx, const char *dir, char **before)
{
    const char *old = lethe_ctx_spill_dir(ctx);
    size_t n = strlen(old) + 1;
    char *copy = lethe_alloc(n, 1);
    if (!copy) return lethe_no_memory(ctx);
    memcpy(copy, old, n);
    *before = copy;
    return lethe_ctx_set_spill_dir(ctx, dir) == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
}

void lethe_spill_end(lethe_ctx *ctx, char *before)
{
    if (before && lethe_ctx_set_spill_dir(ctx, before) != LETHE_OK)
        lethe_warn(ctx, "not enough memory to use '%s' for temporary files again", before);
    lethe_free(before);
}

lethe_err lethe_readable(lethe_ctx *ctx, const char *path)
{
    if (!path || access(path, R_OK) == 0) return LETHE_OK;
    return lethe_fail_sys(lethe_ctx_diag(ctx), "open", path, errno);
}

/* The last step tells a sealed log from a log: their files have the same names. */
lethe_shape lethe_manifest_shape(const lethe_json *manifest)
{
    const lethe_json *files = lethe_json_get(manifest, "files"),
                     *steps = lethe_json_get(manifest, "steps");
    const lethe_method *last = lethe_step_method(lethe_json_at(steps, lethe_json_count(steps) - 1));
    unsigned found = 0;
    for (size_t i = 0; i < lethe_json_count(files); i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name"));
        for (const lethe_shape_ops *const *ops = lethe_shapes(); *ops; ops++)
            if (lethe_str_eq(name, lethe_str_of((*ops)->files[0].name))) found |= (*ops)->shape;
    }
    if (found == (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED))
        return last && last->out == LETHE_SHAPE_SEALED ? LETHE_SHAPE_SEALED : LETHE_SHAPE_LOG;
    return found & (found - 1) ? LETHE_SHAPE_NONE : (lethe_shape)found;
}

/* --- replacing --- */

static bool manifest_names(const lethe_json *manifest, const char *name)
{
    const lethe_json *files = lethe_json_get(manifest, "files");
    if (strcmp(name, LETHE_MANIFEST) == 0) return true;
    for (size_t i = 0; i < lethe_json_count(files); i++)
        if (lethe_str_eq(lethe_str_of(name),
                         lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name"))))
            return true;
    return false;
}

lethe_err lethe_manifest_stranger(lethe_diag *d, int dirfd, const lethe_json *manifest,
                                  char name[NAME_MAX + 1])
{
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    name[0] = '\0';
    if (!dir) {
        if (fd >= 0) close(fd);
        return lethe_fail_sys(d, "list folder", "release", errno);
    }
    errno = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (manifest_names(manifest, entry->d_name)) continue;
        if (!name[0] || strcmp(entry->d_name, name) < 0)
            snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
    }
    lethe_err e = errno ? lethe_fail_sys(d, "list folder", "release", errno) : LETHE_OK;
    closedir(dir);
    return e;
}

lethe_err lethe_manifest_may_replace(lethe_diag *d, const char *path, int dirfd)
{
    lethe_json_doc *doc;
    lethe_json *manifest;
    lethe_err e = lethe_manifest_read(NULL, dirfd, &doc, &manifest);
    if (e == LETHE_ENOMEM) return lethe_no_memory(d);
    if (e != LETHE_OK)
        return lethe_fail(d, LETHE_EUSAGE,
                          "'%s' exists and is not a release of lethe: it was not changed", path);
    char stranger[NAME_MAX + 1], shown[200];
    e = lethe_manifest_stranger(d, dirfd, manifest, stranger);
    lethe_json_doc_free(doc);
    if (e != LETHE_OK || !stranger[0]) return e;
    lethe_show(shown, sizeof shown, lethe_str_of(stranger));
    return lethe_fail(d, LETHE_EUSAGE,
                      "'%s' holds '%s', which its manifest does not name: it was not changed", path,
                      shown);
}
