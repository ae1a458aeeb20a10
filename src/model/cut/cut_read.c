/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a cut as strictly as it is written: what is read and written again is the same bytes. */
#include "model/cut/cut_internal.h"
#include "io/read/lines.h"
#include "io/syserr.h"
#include "model/published/published_lines.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIELDS = 4 };
#define CUT_LINE_MAX ((size_t)4 << 20)

static bool kind_of(lethe_str s, lethe_cut_kind *out)
{
    if (lethe_str_eq(s, LETHE_LIT("any")))
        *out = LETHE_CUT_ANY;
    else if (lethe_str_eq(s, LETHE_LIT("range")))
        *out = LETHE_CUT_RANGE;
    else if (lethe_str_eq(s, LETHE_LIT("value")))
        *out = LETHE_CUT_VALUE;
    else
        return false;
    return true;
}

static lethe_err line_read(lethe_published_lines *l, lethe_str line, lethe_cut_builder *b)
{
    lethe_str f[FIELDS];
    lethe_cut_kind kind;
    const char *fault;
    if (lethe_tabs_split(line, f, FIELDS) != FIELDS)
        return lethe_published_fault(l, 0, "expected column, kind, value and what is published");
    if (!kind_of(f[1], &kind))
        return lethe_published_fault(l, f[0].n + 2, "the kind is not any, range or value");
    LETHE_TRY(lethe_cut_add(b, f[0], kind, f[2], f[3], &fault));
    if (!fault) fault = lethe_cut_last_fault(b);
    return fault ? lethe_published_fault(l, 0, "%s", fault) : LETHE_OK;
}

static lethe_err lines_read(lethe_published_lines *l, lethe_cut **out)
{
    lethe_str line;
    if (!lethe_published_next(l, &line)) return l->err;
    bool of_sets = lethe_str_eq(line, LETHE_LIT("#lethe-cut 1 sets"));
    if (!of_sets && !lethe_str_eq(line, LETHE_LIT("#lethe-cut 1 table")))
        return lethe_published_fault(l, 0, "this is no cut of this version of lethe");
    lethe_cut_builder *b = lethe_cut_builder_new(of_sets);
    lethe_err e = b ? LETHE_OK : LETHE_ENOMEM;
    while (e == LETHE_OK && lethe_published_next(l, &line))
        e = line_read(l, line, b);
    if (e == LETHE_OK) e = l->err;
    if (e != LETHE_OK) {
        lethe_cut_builder_free(b);
        return e;
    }
    const char *fault = NULL;
    LETHE_TRY(lethe_cut_build(b, out, &fault));
    return fault ? lethe_published_fault(l, 0, "%s", fault) : LETHE_OK;
}

static lethe_err told(lethe_ctx *ctx, const lethe_published_lines *l, lethe_err e)
{
    return e == LETHE_ENOMEM && l->err != LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

lethe_err lethe_cut_memory(lethe_ctx *ctx, lethe_str bytes, lethe_cut **out)
{
    lethe_published_lines l;
    lethe_published_memory(&l, ctx, bytes, "cut", CUT_LINE_MAX);
    lethe_err e = told(ctx, &l, lines_read(&l, out));
    lethe_published_close(&l);
    return e;
}

/* A link is followed, as of any file that is the caller's own. */
lethe_err lethe_cut_read(lethe_ctx *ctx, const char *path, lethe_cut **out)
{
    struct stat st;
    lethe_published_lines l = {.ctx = ctx, .name = path, .line_max = CUT_LINE_MAX};
    lethe_err e;
    lethe_ctx_forget_error(ctx);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0)
        e = lethe_fail_sys(ctx, "open", path, errno);
    else if (!S_ISREG(st.st_mode))
        e = lethe_fail(ctx, LETHE_EIO, "'%s' is not a regular file", path);
    else {
        e = lethe_stored_take(lethe_ctx_diag(ctx), fd, path, &l.file);
        fd = -1; // taken
        if (e == LETHE_OK) e = told(ctx, &l, lines_read(&l, out));
    }
    if (fd >= 0) close(fd);
    lethe_published_close(&l);
    return e;
}
