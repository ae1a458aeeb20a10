/* SPDX-License-Identifier: Apache-2.0 */
/* written.c - a release of data files that others have written, part by part: what they counted is
 * taken from their account, and everything that the bytes show is checked on the bytes. */
#include "release/make/pipeline.h"
#include "check/check.h"
#include "io/read/parts.h"
#include "io/syserr.h"
#include "io/write/place.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ACCOUNT_MAX_BYTES = 16 << 20 };
#define ACCOUNT "account.json"

/* --- what can be asked for --- */

/* Whoever reads the files alone must be able to check all of the promise but what the account says
 * of persons: so it is a log, its rows are those of the input, and nothing is made beside it. */
lethe_err lethe_written_check(lethe_ctx *ctx, const lethe_release_job *job)
{
    const lethe_publish_options *how = &job->publishing;
    if (strcmp(job->out, "-") == 0)
        return lethe_fail(ctx, LETHE_EUSAGE, "files in parts become a release, which is a folder");
    if (how->map || how->keep.n > 0 || how->as_ubi)
        return lethe_fail(ctx, LETHE_EUSAGE,
                          "--map, --keep and --publish-as do not apply to files in parts");
    if (how->has_seed)
        return lethe_fail(ctx, LETHE_EUSAGE,
                          "--seed does not apply to files in parts: nothing is drawn");
    if (job->reading.has_users_with)
        return lethe_fail(ctx, LETHE_EUSAGE, "--users-with does not apply to files in parts");
    for (size_t i = 0; i < job->n_steps; i++)
        LETHE_TRY(lethe_step_for_parts(ctx, &job->steps[i]));
    return LETHE_OK;
}

/* --- the account --- */

static lethe_err account_refuse(const lethe_pipeline *p, const char *what)
{
    return lethe_fail(p->ctx, LETHE_EINPUT, "'%s/%s': %s", p->job->written, ACCOUNT, what);
}

static bool count_take(const lethe_json *of, const char *name, uint64_t *out)
{
    const lethe_json *v = lethe_json_get(of, name);
    bool fits = lethe_json_kind(v) == LETHE_JSON_INT && lethe_json_int(v) >= 0;
    if (fits) *out = (uint64_t)lethe_json_int(v);
    return fits;
}

/* What a part does not ask of its lines is asked here: whether most of them were rows. */
static lethe_err counts_take(lethe_pipeline *p, const lethe_json *counts)
{
    lethe_counts *c = &p->counts;
    if (!count_take(counts, "read", &c->read) || !count_take(counts, "published", &c->published) ||
        !count_take(counts, "suppressed", &c->suppressed) ||
        !count_take(counts, "rejected", &c->rejected) ||
        !count_take(counts, "invalid_utf8", &p->invalid_utf8))
        return account_refuse(p, "a count is missing, or is not a whole number from 0");
    // by subtraction: a sum may wrap around
    if (c->published > c->read || c->suppressed > c->read - c->published ||
        c->rejected != c->read - c->published - c->suppressed)
        return account_refuse(
            p, "its counts do not add up: what is read is published, suppressed or rejected");
    if (c->rejected > c->read / 10)
        return account_refuse(p, "more than a tenth of what is read was rejected");
    if (c->rejected > 0 && p->job->reading.strict)
        return account_refuse(p, "lines were rejected, which --strict-input does not allow");
    return LETHE_OK;
}

/* Names and kinds as `verify` wants them: some figures are only reported, which it does not see. */
static lethe_err metrics_take(lethe_pipeline *p, const lethe_json *metrics)
{
    if (lethe_json_kind(metrics) != LETHE_JSON_OBJECT)
        return account_refuse(p, "it has no object 'metrics'");
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        lethe_str name = lethe_json_name(metrics, i);
        const lethe_figure *f = lethe_steps_figure(p->steps, name, NULL);
        char shown[80];
        lethe_show(shown, sizeof shown, name);
        if (!f || !lethe_figure_fits(f, v))
            return lethe_fail(p->ctx, LETHE_EINPUT, "'%s/%s': '%s' is not %s", p->job->written,
                              ACCOUNT, shown,
                              f ? "a value of this figure" : "a figure of these steps");
        if (strcmp(f->name, "undecided") == 0) // the checks add to it
            return account_refuse(p, "'undecided' is for the checks to say");
        lethe_json_set(p->doc, p->metrics, f->name, lethe_json_copy(p->doc, v));
    }
    return LETHE_OK;
}

/* What `verify` would take for a forgery. */
static lethe_err caveats_take(lethe_pipeline *p, const lethe_json *caveats)
{
    if (lethe_json_kind(caveats) != LETHE_JSON_ARRAY)
        return account_refuse(p, "it has no list 'caveats'");
    for (size_t i = 0; i < lethe_json_count(caveats); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(caveats, i));
        if (!lethe_steps_find_caveat(p->job->steps, p->job->n_steps, text))
            return account_refuse(p, "a caveat is none that these steps find");
        lethe_json_push(p->doc, p->caveats, lethe_json_new_text(p->doc, text));
    }
    return LETHE_OK;
}

/* Where users have been renamed the files do not show who is behind a text: the account names the
 * text with the fewest persons. */
static lethe_err persons_take(lethe_pipeline *p, const lethe_json *persons)
{
    bool needed = false;
    uint64_t n = 0;
    for (size_t i = 0; i < p->job->n_steps; i++)
        needed = needed || p->job->steps[i].method->renames;
    if (!needed) return LETHE_OK;
    const lethe_json *text = lethe_json_get(persons, "query");
    lethe_str query = lethe_json_text(text);
    if (!count_take(persons, "persons", &n) || lethe_json_kind(text) != LETHE_JSON_TEXT)
        return account_refuse(p, "it does not say how many persons are behind the texts");
    for (size_t i = 0; i < lethe_json_count(p->claims); i++) {
        const lethe_json *claim = lethe_json_at(p->claims, i);
        lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
        const lethe_notion *notion = lethe_notion_find(name);
        if (!notion || !notion->persons || n >= notion->persons(claim, query)) continue;
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "%.*s: a published query has %llu persons, not %llu", (int)name.n,
                          name.at, (unsigned long long)n,
                          (unsigned long long)notion->persons(claim, query));
    }
    return LETHE_OK;
}

static lethe_err account_take(lethe_pipeline *p, const lethe_json *v)
{
    LETHE_TRY(counts_take(p, lethe_json_get(v, "counts")));
    LETHE_TRY(metrics_take(p, lethe_json_get(v, "metrics")));
    LETHE_TRY(caveats_take(p, lethe_json_get(v, "caveats")));
    return persons_take(p, lethe_json_get(v, "persons"));
}

lethe_err lethe_written_account(lethe_pipeline *p)
{
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    int dirfd = open(p->job->written, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0) return lethe_fail_sys(d, "open", p->job->written, errno);
    lethe_err e = lethe_json_read_at(d, dirfd, ACCOUNT, ACCOUNT_MAX_BYTES, &doc, &v);
    close(dirfd);
    if (e == LETHE_OK) e = account_take(p, v);
    lethe_json_doc_free(doc);
    return e;
}

/* --- the files --- */

static lethe_err part_refuse(const lethe_pipeline *p, const char *name, const char *what)
{
    return lethe_fail(p->ctx, LETHE_EINPUT, "'%s/%s' %s", p->job->written, name, what);
}

/* A file that has another name, too, could be changed under that one later. */
static bool is_own(const struct stat *st) { return S_ISREG(st->st_mode) && st->st_nlink == 1; }

/* What is published has the mode that everything published has, and is on the disk. */
static lethe_err part_settle(const lethe_pipeline *p, int fd, const char *name, struct stat *st)
{
    if (fstat(fd, st) != 0 || !is_own(st))
        return part_refuse(p, name, "is not a regular file with this name alone");
    if (st->st_size == 0) return part_refuse(p, name, "is empty");
    if (fchmod(fd, 0666 & ~lethe_umask()) != 0 || fsync(fd) != 0)
        return lethe_fail_sys(lethe_ctx_diag(p->ctx), "write", name, errno);
    return LETHE_OK;
}

static lethe_err part_move(lethe_pipeline *p, int from, const char *name)
{
    struct stat st, moved;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    int to = lethe_folder_fd(p->folder),
        fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ELOOP || errno == ENXIO))
        return part_refuse(p, name, "is not a regular file with this name alone");
    if (fd < 0) return lethe_fail_sys(d, "open", name, errno);
    lethe_err e = part_settle(p, fd, name, &st);
    close(fd);
    LETHE_TRY(e);
    if (renameat(from, name, to, name) != 0) {
        if (errno != EXDEV) return lethe_fail_sys(d, "move", name, errno);
        return lethe_fail(d, LETHE_EIO,
                          "cannot move '%s/%s': write the parts on the file system of the output "
                          "'%s'",
                          p->job->written, name, p->job->out);
    }
    bool same = fstatat(to, name, &moved, AT_SYMLINK_NOFOLLOW) == 0 && is_own(&moved) &&
                moved.st_dev == st.st_dev && moved.st_ino == st.st_ino;
    return same ? LETHE_OK : part_refuse(p, name, "was replaced while it was moved");
}

static lethe_err parts_move(lethe_pipeline *p, int from, lethe_file_entry **files, size_t *n)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const char *ext = lethe_parts_ext(p->ops->files[0].name);
    uint32_t n_parts = 0;
    LETHE_TRY(lethe_parts_count(d, from, ext, &n_parts));
    if (n_parts == 0)
        return lethe_fail(d, LETHE_EINPUT, "'%s' has no part-00000.%s", p->job->written, ext);
    lethe_file_entry *at = *files = lethe_alloc_zero(n_parts + LETHE_FILES_MAX, sizeof *at);
    if (!at) return lethe_no_memory(d);
    for (*n = 0; *n < n_parts; ++*n) {
        if (lethe_ctx_cancelled(p->ctx)) return LETHE_ECANCEL;
        lethe_part_name((uint32_t)*n, ext, at[*n].part);
        at[*n].name = at[*n].part;
        LETHE_TRY(part_move(p, from, at[*n].part));
    }
    return LETHE_OK;
}

lethe_err lethe_written_move(lethe_pipeline *p, lethe_file_entry **files, size_t *n)
{
    int from = open(p->job->written, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0) return lethe_fail_sys(lethe_ctx_diag(p->ctx), "open", p->job->written, errno);
    lethe_err e = parts_move(p, from, files, n);
    close(from);
    return e;
}
