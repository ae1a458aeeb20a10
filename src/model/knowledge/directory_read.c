/* SPDX-License-Identifier: Apache-2.0 */
/* Directories from text files: `term TAB A/B/C`. */
#include "model/knowledge/directory.h"
#include "io/read/lines.h"
#include "model/tree/forest.h"
#include "model/knowledge/lists.h"
#include "text/normalize.h"

enum { LINES_A_LOOK = 4096 }; /* between looks whether to go on */

typedef struct listing {
    lethe_dict *terms;
    lethe_forest *forest;
    lethe_keyed_lists categories; /* of each term, in the file's order */
} listing;

typedef struct reader {
    lethe_ctx *ctx;
    lethe_lines lines;
    listing *to;
    lethe_buf pairs;
    lethe_buf normal;
} reader;

static size_t listing_find(const void *self, lethe_str term, size_t max, uint32_t *out)
{
    const listing *l = self;
    uint32_t t = lethe_dict_find(l->terms, term);
    if (t == LETHE_NONE) return 0;
    const size_t *start = l->categories.start;
    size_t n = LETHE_MIN(max, start[t + 1] - start[t]);
    memcpy(out, l->categories.value + start[t], n * sizeof *out);
    return n;
}

static lethe_str listing_name(const void *self, uint32_t category)
{
    return lethe_forest_name(((const listing *)self)->forest, category);
}

static void listing_free(void *self)
{
    listing *l = self;
    if (!l) return;
    lethe_dict_free(l->terms);
    lethe_forest_free(l->forest);
    lethe_keyed_lists_free(&l->categories);
    lethe_free(l);
}

/* Why the bytes of a field can be neither term nor path; NULL: they can. */
static const char *fault_of(lethe_str f)
{
    for (size_t i = 0; i < f.n; i++)
        if ((unsigned char)f.at[i] < ' ' || f.at[i] == 0x7F) return "a control character";
    return lethe_utf8_valid(f) ? NULL : "not valid utf-8";
}

/* What follows a second tab is ignored: other columns, such as the numbers of heads. */
static lethe_err line_read(reader *r, lethe_str line)
{
    const char *tab = memchr(line.at, '\t', line.n);
    lethe_keyed p;
    if (!tab) return lethe_lines_fault(&r->lines, 0, "no tab: expected a term and a path");
    lethe_str term = {line.at, (size_t)(tab - line.at)}, path = {tab + 1, line.n - term.n - 1};
    tab = path.n ? memchr(path.at, '\t', path.n) : NULL;
    if (tab) path.n = (size_t)(tab - path.at);
    lethe_str normal;
    bool invalid;
    const char *cause = fault_of(term);
    if (cause) return lethe_lines_fault(&r->lines, 1, "the term: %s", cause);
    LETHE_TRY(lethe_normalize(term, &r->normal, &normal, &invalid));
    if (normal.n == 0) return lethe_lines_fault(&r->lines, 1, "no term");
    LETHE_TRY(lethe_dict_add(r->to->terms, normal, &p.key));
    const char *at = path.at, *end = path.at + path.n;
    uint32_t category = LETHE_NONE, level = 0;
    cause = fault_of(path);
    if (cause) return lethe_lines_fault(&r->lines, 2, "the path: %s", cause);
    if (path.n == 0) return lethe_lines_fault(&r->lines, 2, "no path");
    for (bool more = true; more;) {
        const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
        lethe_str name = lethe_str_trim((lethe_str){at, (size_t)((slash ? slash : end) - at)});
        more = slash != NULL;
        if (more) at = slash + 1;
        if (name.n == 0) return lethe_lines_fault(&r->lines, 2, "an empty part of the path");
        if (++level > LETHE_PATH_LEVELS_MAX)
            return lethe_lines_fault(&r->lines, 2, "a path of more than %d levels",
                                     LETHE_PATH_LEVELS_MAX);
        LETHE_TRY(lethe_forest_add(r->to->forest, category, name, &category));
    }
    p.value = category;
    return lethe_buf_put(&r->pairs, &p, sizeof p);
}

static lethe_err lines_read(reader *r)
{
    lethe_str line;
    while (lethe_lines_next(&r->lines, &line)) {
        if (line.n > 0) LETHE_TRY(line_read(r, line));
        if (r->lines.number % LINES_A_LOOK == 0 && lethe_ctx_cancelled(r->ctx))
            return LETHE_ECANCEL;
    }
    LETHE_TRY(lethe_lines_err(&r->lines));
    if (r->pairs.n > 0) return LETHE_OK;
    return lethe_fail_at(r->lines.diag, LETHE_EINPUT, r->lines.name, 1, 0, "empty: no term in it");
}

static lethe_err listing_fill(reader *r)
{
    r->to->terms = lethe_dict_new();
    r->to->forest = lethe_forest_new();
    if (!r->to->terms || !r->to->forest) return LETHE_ENOMEM;
    LETHE_TRY(lines_read(r));
    return lethe_keyed_lists_make((const lethe_keyed *)(const void *)r->pairs.at,
                                  r->pairs.n / sizeof(lethe_keyed), lethe_dict_count(r->to->terms),
                                  lethe_forest_count(r->to->forest), &r->to->categories);
}

/* Takes the listing over. */
static lethe_err directory_of(listing *l, lethe_directory **out)
{
    static const lethe_directory_kind kind = {listing_find, listing_name, listing_free};
    uint32_t n = lethe_forest_count(l->forest), *parent = lethe_alloc(n, sizeof *parent);
    if (!parent) {
        listing_free(l);
        return LETHE_ENOMEM;
    }
    for (uint32_t c = 0; c < n; c++)
        parent[c] = lethe_forest_parent(l->forest, c);
    lethe_err e = lethe_directory_new(&kind, l, n, parent, out);
    lethe_free(parent);
    return e;
}

static lethe_err read_open(reader *r, lethe_directory **out)
{
    r->to = lethe_alloc_zero(1, sizeof *r->to);
    lethe_err e = r->to ? listing_fill(r) : LETHE_ENOMEM;
    lethe_buf_free(&r->pairs);
    lethe_buf_free(&r->normal);
    if (e == LETHE_OK)
        e = directory_of(r->to, out);
    else
        listing_free(r->to);
    return e == LETHE_ENOMEM ? lethe_no_memory(r->lines.diag) : e;
}

lethe_err lethe_directory_read(lethe_ctx *ctx, const char *path, lethe_directory **out)
{
    reader r = {.ctx = ctx};
    lethe_err e = lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path);
    if (e == LETHE_OK) lethe_source_watch(lethe_blocks_source(r.lines.blocks), ctx);
    if (e == LETHE_OK) e = read_open(&r, out);
    lethe_lines_close(&r.lines);
    return e;
}

lethe_err lethe_directory_memory(lethe_ctx *ctx, lethe_str bytes, lethe_directory **out)
{
    reader r = {.ctx = ctx};
    lethe_err e = lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes);
    if (e == LETHE_OK) e = read_open(&r, out);
    lethe_lines_close(&r.lines);
    return e;
}
