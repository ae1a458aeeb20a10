/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the hierarchies of a table's columns from a folder, COLUMN.csv or COLUMN.tsv. */
#include "lexicon/hierarchies.h"
#include "core/mem.h"
#include "io/syserr.h"
#include <errno.h>
#include <sys/stat.h>

/* Is there such a file?  LETHE_EIO: who knows. */
static lethe_err file_exists(lethe_diag *d, const char *path, bool *there)
{
    struct stat st;
    *there = stat(path, &st) == 0;
    if (*there || errno == ENOENT || errno == ENAMETOOLONG) return LETHE_OK;
    return lethe_fail_sys(d, "open", path, errno);
}

static lethe_err read_one(lethe_ctx *ctx, lethe_arena *a, const char *dir, lethe_str column,
                          lethe_tree **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    bool is_arx, is_edges;
    char shown[80];
    // A name that could lead out of the folder, or to what is hidden in it.
    if (!(column.n > 0 && column.at[0] != '.' && !memchr(column.at, '/', column.n) &&
          !memchr(column.at, '\0', column.n)))
        return LETHE_OK;
    const char *name = lethe_arena_dup(a, column);
    const char *arx = name ? lethe_arena_printf(a, "%s/%s.csv", dir, name) : NULL;
    const char *edges = name ? lethe_arena_printf(a, "%s/%s.tsv", dir, name) : NULL;
    if (!arx || !edges) return lethe_no_memory(d);
    LETHE_TRY(file_exists(d, arx, &is_arx));
    LETHE_TRY(file_exists(d, edges, &is_edges));
    if (is_arx && is_edges) {
        lethe_show(shown, sizeof shown, column);
        return lethe_fail(d, LETHE_EINPUT,
                          "'%s' has both '%s.csv' and '%s.tsv': remove one of them", dir, shown,
                          shown);
    }
    if (!is_arx && !is_edges) return LETHE_OK;
    return lethe_tree_read(ctx, is_arx ? arx : edges, LETHE_NAMES_RAW, out);
}

lethe_err lethe_hierarchies_read(lethe_ctx *ctx, const char *dir, const lethe_str *column, size_t n,
                                 lethe_hierarchies *out)
{
    struct stat st;
    if (stat(dir, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return lethe_fail(ctx, LETHE_EUSAGE, "no folder '%s' with hierarchies", dir);
        return lethe_fail_sys(ctx, "open", dir, errno);
    }
    if (!S_ISDIR(st.st_mode)) return lethe_fail(ctx, LETHE_EUSAGE, "'%s' is not a folder", dir);
    lethe_hierarchies h = {.n = n, .at = lethe_alloc_zero(n, sizeof *h.at)};
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a && h.at ? LETHE_OK : lethe_no_memory(ctx);
    for (size_t i = 0; e == LETHE_OK && i < n; i++)
        e = read_one(ctx, a, dir, column[i], &h.at[i]);
    lethe_arena_free(a);
    if (e == LETHE_OK)
        *out = h;
    else
        lethe_hierarchies_free(&h);
    return e;
}

void lethe_hierarchies_free(lethe_hierarchies *h)
{
    for (size_t i = 0; h->at && i < h->n; i++)
        lethe_tree_free(h->at[i]);
    lethe_free(h->at);
    *h = (lethe_hierarchies){0};
}
