/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the hierarchies of a table's columns from a folder: COLUMN.csv or COLUMN.tsv, or a name
 * that ends so after a `_`, as ARX calls its files (adult_hierarchy_age.csv). */
#include "lexicon/hierarchies.h"
#include "core/mem.h"
#include "core/sort.h"
#include "io/syserr.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

/* --- the folder --- */

typedef struct folder {
    lethe_ctx *ctx;
    lethe_arena *arena;
    const char *dir;
    lethe_str *file; /* names that are not hidden, in the order of their bytes */
    size_t n;
} folder;

static lethe_err names_take(folder *f, DIR *stream)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry && errno != 0) return lethe_fail_sys(f->ctx, "read", f->dir, errno);
        if (!entry) return LETHE_OK;
        if (entry->d_name[0] == '.') continue;
        lethe_str name = lethe_str_of(entry->d_name);
        lethe_str *file =
            lethe_arena_grow(f->arena, f->file, f->n * sizeof *file, (f->n + 1) * sizeof *file);
        if (!file) return lethe_no_memory(f->ctx);
        f->file = file;
        file[f->n] = (lethe_str){lethe_arena_dup(f->arena, name), name.n};
        if (!file[f->n++].at) return lethe_no_memory(f->ctx);
    }
}

static lethe_err folder_list(folder *f)
{
    DIR *stream = opendir(f->dir);
    if (!stream) return lethe_fail_sys(f->ctx, "open", f->dir, errno);
    lethe_err e = names_take(f, stream);
    closedir(stream);
    if (e == LETHE_OK && f->n > 0) qsort(f->file, f->n, sizeof *f->file, lethe_strs_cmp);
    return e;
}

lethe_err lethe_hierarchies_exist(lethe_diag *d, const char *dir)
{
    DIR *stream = opendir(dir);
    if (!stream) return lethe_fail_sys(d, "open", dir, errno);
    closedir(stream);
    return LETHE_OK;
}

/* --- which file is for which column --- */

static bool ends_with(lethe_str s, lethe_str end)
{
    return s.n >= end.n && memcmp(s.at + s.n - end.n, end.at, end.n) == 0;
}

/* Is it the name of a hierarchy's file, as far as can be told without columns? */
static bool is_hierarchy(lethe_str file)
{
    return ends_with(file, LETHE_LIT(".csv")) || ends_with(file, LETHE_LIT(".tsv"));
}

/* The column that a file is for: its name, or else the longest that it ends with after a `_`; n:
 * none of them. */
static size_t column_of(lethe_str file, const lethe_str *column, size_t n)
{
    size_t best = n;
    if (!is_hierarchy(file)) return n;
    lethe_str stem = {file.at, file.n - 4};
    for (size_t i = 0; i < n; i++) {
        lethe_str c = column[i];
        if (c.n == 0 || !ends_with(stem, c)) continue;
        if (c.n < stem.n && stem.at[stem.n - c.n - 1] != '_') continue;
        if (best == n || c.n > column[best].n) best = i;
    }
    return best;
}

/* A file that is for none of the table's columns was meant for one that it has. */
static lethe_err stray_fail(const folder *f, lethe_str file, const lethe_str *column, size_t n)
{
    char shown[80], columns[LETHE_NAMES_SHOWN], files[LETHE_NAMES_SHOWN], meant[80] = "";
    lethe_str stem = {file.at, file.n - 4};
    size_t near;
    if (lethe_column_nearest(stem, column, n, &near) != LETHE_OK) return lethe_no_memory(f->ctx);
    lethe_show(shown, sizeof shown, file);
    if (near < n) lethe_show(meant, sizeof meant, column[near]);
    lethe_names_show(columns, column, n);
    lethe_names_show(files, f->file, f->n);
    return lethe_fail(f->ctx, LETHE_EINPUT,
                      "'%s' in '%s' matches no column: the columns are %s%s%s%s; the files are %s",
                      shown, f->dir, columns, near < n ? " (did you mean '" : "", meant,
                      near < n ? "'?)" : "", files);
}

static lethe_err none_fail(const folder *f, const lethe_str *column, size_t n)
{
    char columns[LETHE_NAMES_SHOWN], files[LETHE_NAMES_SHOWN];
    lethe_names_show(columns, column, n);
    lethe_names_show(files, f->file, f->n);
    return lethe_fail(f->ctx, LETHE_EINPUT,
                      "no file in '%s' is for a quasi-identifier: these are %s; %s%s (expected "
                      "COLUMN.csv, COLUMN.tsv or NAME_COLUMN.csv)",
                      f->dir, columns, f->n > 0 ? "the files are " : "the folder is empty", files);
}

static lethe_err twice_fail(const folder *f, lethe_str column, lethe_str one, lethe_str other)
{
    char shown[3][80];
    lethe_show(shown[0], sizeof shown[0], column);
    lethe_show(shown[1], sizeof shown[1], one);
    lethe_show(shown[2], sizeof shown[2], other);
    return lethe_fail(f->ctx, LETHE_EINPUT,
                      "'%s' has both '%s' and '%s' for column '%s': remove one of them", f->dir,
                      shown[1], shown[2], shown[0]);
}

/* The files for a column, by number; LETHE_NONE: there is none. */
typedef struct column_files {
    uint32_t first, second;
} column_files;

/* of[i]: those for column i of `all`. */
static lethe_err files_match(const folder *f, const lethe_str *all, size_t n_all, bool strict,
                             column_files *of)
{
    memset(of, 0xff, n_all * sizeof *of); // LETHE_NONE
    for (size_t i = 0; i < f->n; i++) {
        size_t at = column_of(f->file[i], all, n_all);
        if (at == n_all && strict && is_hierarchy(f->file[i]))
            return stray_fail(f, f->file[i], all, n_all);
        if (at == n_all) continue;
        uint32_t *file = of[at].first == LETHE_NONE ? &of[at].first : &of[at].second;
        *file = (uint32_t)i;
    }
    return LETHE_OK;
}

/* --- reading --- */

static size_t find(const lethe_str *name, size_t n, lethe_str wanted)
{
    size_t i = 0;
    while (i < n && !lethe_str_eq(name[i], wanted))
        i++;
    return i;
}

static lethe_err trees_read(const folder *f, const lethe_str *column, size_t n,
                            const lethe_str *all, size_t n_all, bool strict, lethe_tree **out)
{
    column_files *of = lethe_new(f->arena, column_files, n_all + 1);
    size_t n_read = 0;
    if (!of) return lethe_no_memory(f->ctx);
    LETHE_TRY(files_match(f, all, n_all, strict, of));
    for (size_t i = 0; i < n; i++) {
        size_t at = find(all, n_all, column[i]);
        if (at == n_all || of[at].first == LETHE_NONE) continue;
        assert(f->file); // there is one, then
        lethe_str file = f->file[of[at].first];
        if (of[at].second != LETHE_NONE)
            return twice_fail(f, all[at], file, f->file[of[at].second]);
        const char *path = lethe_arena_printf(f->arena, "%s/%s", f->dir, file.at);
        if (!path) return lethe_no_memory(f->ctx);
        LETHE_TRY(lethe_tree_read(f->ctx, path, LETHE_NAMES_RAW, &out[i]));
        n_read++;
    }
    return strict && n_read == 0 ? none_fail(f, column, n) : LETHE_OK;
}

static lethe_err hierarchies_read(lethe_ctx *ctx, const char *dir, const lethe_str *column,
                                  size_t n, const lethe_str *all, size_t n_all, bool strict,
                                  lethe_hierarchies *out)
{
    lethe_hierarchies h = {.n = n, .at = lethe_alloc_zero(n, sizeof *h.at)};
    folder f = {.ctx = ctx, .arena = lethe_arena_new(), .dir = dir};
    lethe_err e = f.arena && h.at ? folder_list(&f) : lethe_no_memory(ctx);
    if (e == LETHE_OK) e = trees_read(&f, column, n, all, n_all, strict, h.at);
    lethe_arena_free(f.arena);
    if (e == LETHE_OK)
        *out = h;
    else
        lethe_hierarchies_free(&h);
    return e;
}

lethe_err lethe_hierarchies_read(lethe_ctx *ctx, const char *dir, const lethe_str *column, size_t n,
                                 lethe_hierarchies *out)
{
    return hierarchies_read(ctx, dir, column, n, column, n, false, out);
}

lethe_err lethe_hierarchies_of_table(lethe_ctx *ctx, const char *dir, const lethe_str *column,
                                     size_t n, const lethe_str *all, size_t n_all,
                                     lethe_hierarchies *out)
{
    return hierarchies_read(ctx, dir, column, n, all, n_all, true, out);
}

void lethe_hierarchies_free(lethe_hierarchies *h)
{
    for (size_t i = 0; h->at && i < h->n; i++)
        lethe_tree_free(h->at[i]);
    lethe_free(h->at);
    *h = (lethe_hierarchies){0};
}
