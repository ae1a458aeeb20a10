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

/* Where users have been renamed the files do not show who is behind a text: the account names the
 * text with the fewest persons. */
static lethe_err persons_take(lethe_pipeline *p, const lethe_json *persons)
{
    bool needed = false;
    uint64_t n = 0;
    for (size_t i = 0; i < p->job->n_steps; i++)
        needed = needed || p->job->steps[i].method->renames;
    if (!needed) return LETHE_OK;
    lethe_str query = lethe_json_text(lethe_json_get(persons, "query"));
    if (!count_take(persons, "persons", &n))
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
    const lethe_json *counts = lethe_json_get(v, "counts"), *metrics = lethe_json_get(v, "metrics"),
                     *caveats = lethe_json_get(v, "caveats");
    if (!count_take(counts, "read", &p->counts.read) ||
        !count_take(counts, "published", &p->counts.published) ||
        !count_take(counts, "suppressed", &p->counts.suppressed) ||
        !count_take(counts, "rejected", &p->counts.rejected))
        return account_refuse(p, "its counts are malformed");
    (void)count_take(counts, "invalid_utf8", &p->invalid_utf8);
    if (lethe_json_kind(metrics) != LETHE_JSON_OBJECT)
        return account_refuse(p, "it has no metrics");
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        char name[64];
        lethe_str of = lethe_json_name(metrics, i);
        if (of.n >= sizeof name) return account_refuse(p, "a metric's name is too long");
        memcpy(name, of.at, of.n);
        name[of.n] = '\0';
        lethe_json_set(p->doc, p->metrics, name,
                       lethe_json_copy(p->doc, lethe_json_at(metrics, i)));
    }
    for (size_t i = 0; i < lethe_json_count(caveats); i++)
        lethe_json_push(p->doc, p->caveats, lethe_json_copy(p->doc, lethe_json_at(caveats, i)));
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

/* What is published has the mode that everything published has, and is on the disk. */
static lethe_err part_settle(lethe_pipeline *p, int from, const char *name)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    struct stat st;
    int fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return lethe_fail_sys(d, "open", name, errno);
    lethe_err e = LETHE_OK;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1)
        e = lethe_fail(d, LETHE_EINPUT, "'%s/%s' is not a file of its own", p->job->written, name);
    else if (fchmod(fd, 0666 & ~lethe_umask()) != 0 || fsync(fd) != 0)
        e = lethe_fail_sys(d, "write", name, errno);
    close(fd);
    if (e != LETHE_OK) return e;
    if (renameat(from, name, lethe_folder_fd(p->folder), name) == 0) return LETHE_OK;
    return lethe_fail_sys(d, "move", name, errno);
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
        lethe_part_name((uint32_t)*n, ext, at[*n].part);
        at[*n].name = at[*n].part;
        LETHE_TRY(part_settle(p, from, at[*n].part));
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
