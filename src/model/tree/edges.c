/* SPDX-License-Identifier: Apache-2.0 */
/* Reads weighted edges between terms: two names and a weight in millionths per line. */
#include "model/tree/edges.h"
#include "io/read/lines.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include <stdlib.h>

enum { DIGITS = 6, COLUMNS = 3 }; /* LETHE_EDGE_UNIT is ten to the former */

/* An edge as it was read. */
struct read_edge {
    lethe_edge edge;
    uint64_t line;
};

struct reader {
    lethe_lines lines;
    lethe_naming naming;
    lethe_dict *names;
    lethe_buf edges;    /* of struct read_edge */
    lethe_buf named[2]; /* of lethe_naming_apply */
};

/* --- fields --- */

const char *lethe_edge_weight(lethe_str text, uint32_t *out)
{
    if (text.n == 0) return "missing";
    uint64_t value = 0;
    size_t first = text.at[0] == '-', after = 0;
    bool point = false, too_large = false;
    for (size_t i = first; i < text.n; i++) {
        char c = text.at[i];
        if (c == '.' && !point && i > first) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') return "not a decimal number";
        after += point;
        if (after > DIGITS) continue; // said below, once all of it is known to be a number
        value = 10 * value + (uint64_t)(c - '0');
        too_large |= value >= UINT32_MAX;
        if (too_large) value = 0;
    }
    if (text.n == first || (point && after == 0)) return "not a decimal number";
    if (first) return "negative";
    if (after > DIGITS) return "finer than a millionth";
    for (; after < DIGITS; after++)
        value *= 10; // below 2^32 times 2^20
    if (too_large || value >= UINT32_MAX) return "over 4294.967294";
    *out = (uint32_t)value;
    return NULL;
}

/* Why the bytes of a field can be no name; NULL: they can. */
static const char *name_fault(lethe_str f)
{
    if (lethe_ascii_plain(f)) return NULL;
    if (memchr(f.at, 0, f.n)) return "a NUL in a name";
    if (memchr(f.at, '\r', f.n)) return "a line end in a name";
    return lethe_utf8_valid(f) ? NULL : "a name is not valid utf-8";
}

static lethe_err name_take(struct reader *r, lethe_str field, uint32_t column, uint32_t *out)
{
    const char *cause = field.n ? name_fault(field) : "an empty name";
    if (cause) return lethe_lines_fault(&r->lines, column, "%s", cause);
    LETHE_TRY(lethe_naming_apply(r->naming, field, r->named, &field));
    if (field.n == 0) return lethe_lines_fault(&r->lines, column, "an empty name");
    return lethe_dict_add(r->names, field, out);
}

/* --- lines --- */

static lethe_err lines_take(struct reader *r)
{
    lethe_str line;
    while (lethe_lines_next(&r->lines, &line)) {
        if (line.n == 0) continue;
        lethe_str field[COLUMNS] = {{0}};
        struct read_edge e = {.line = r->lines.number};
        uint32_t x = 0, y = 0;
        unsigned n = (unsigned)lethe_tabs_split(line, field, COLUMNS);
        if (n == COLUMNS - 1) return lethe_lines_fault(&r->lines, COLUMNS, "the weight is missing");
        if (n != COLUMNS)
            return lethe_lines_fault(&r->lines, LETHE_MIN(n, COLUMNS + 1u),
                                     "%u column%s: expected two terms and a weight", n,
                                     n == 1 ? "" : "s");
        LETHE_TRY(name_take(r, field[0], 1, &x));
        LETHE_TRY(name_take(r, field[1], 2, &y));
        const char *cause = lethe_edge_weight(field[2], &e.edge.weight);
        if (cause) return lethe_lines_fault(&r->lines, COLUMNS, "the weight is %s", cause);
        if (x == y && e.edge.weight > 0)
            return lethe_lines_fault(&r->lines, COLUMNS, "a term at a distance from itself");
        if (x == y) continue;
        e.edge.a = LETHE_MIN(x, y);
        e.edge.b = LETHE_MAX(x, y);
        LETHE_TRY(lethe_buf_put(&r->edges, &e, sizeof e));
    }
    LETHE_TRY(lethe_lines_err(&r->lines));
    if (r->edges.n > 0) return LETHE_OK;
    return lethe_fail_at(r->lines.diag, LETHE_EINPUT, r->lines.name, 1, 0,
                         "no edge between two terms in it");
}

/* --- the whole --- */

static int by_pair(const void *x, const void *y)
{
    const struct read_edge *a = x, *b = y;
    if (a->edge.a != b->edge.a) return a->edge.a < b->edge.a ? -1 : 1;
    if (a->edge.b != b->edge.b) return a->edge.b < b->edge.b ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Each pair once.  Of pairs with two weights the first line to say so is named. */
static lethe_err edges_unite(struct reader *r, lethe_edges *to)
{
    struct read_edge *all = (struct read_edge *)(void *)r->edges.at;
    size_t n = r->edges.n / sizeof *all, first = 0;
    const struct read_edge *wrong = NULL, *against = NULL;
    qsort(all, n, sizeof *all, by_pair);
    to->at = lethe_alloc(n, sizeof *to->at);
    if (!to->at) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !(all[i].edge.a == all[first].edge.a && all[i].edge.b == all[first].edge.b)) {
            first = i;
            to->at[to->n++] = all[i].edge;
        } else if (all[i].edge.weight != all[first].edge.weight &&
                   (!wrong || all[i].line < wrong->line)) {
            wrong = &all[i];
            against = &all[first];
        }
    }
    if (!wrong) return LETHE_OK;
    return lethe_fail_at(r->lines.diag, LETHE_EINPUT, r->lines.name, wrong->line, COLUMNS,
                         "another weight than line %llu gives the same two terms",
                         (unsigned long long)against->line);
}

void lethe_edges_free(lethe_edges *e)
{
    if (!e) return;
    lethe_dict_free(e->names);
    lethe_free_all(e->at, e);
}

static lethe_err edges_make(struct reader *r, lethe_edges **out)
{
    lethe_edges *made = lethe_alloc_zero(1, sizeof *made);
    if (!made) return LETHE_ENOMEM;
    lethe_err e = LETHE_ENOMEM;
    made->names = r->names = lethe_dict_new();
    if (r->names) e = lines_take(r);
    if (e == LETHE_OK) e = edges_unite(r, made);
    if (e == LETHE_OK)
        *out = made;
    else
        lethe_edges_free(made);
    return e;
}

/* Closes the lines; `e`: how opening them ended. */
static lethe_err edges_read(lethe_ctx *ctx, struct reader *r, lethe_err e, lethe_edges **out)
{
    if (e == LETHE_OK) {
        e = edges_make(r, out);
        if (e == LETHE_ENOMEM) lethe_no_memory(ctx);
    }
    lethe_lines_close(&r->lines);
    lethe_buf_free(&r->edges);
    lethe_buf_free(&r->named[0]);
    lethe_buf_free(&r->named[1]);
    return e;
}

lethe_err lethe_edges_read(lethe_ctx *ctx, const char *path, lethe_naming naming, lethe_edges **out)
{
    struct reader r = {.naming = naming};
    return edges_read(ctx, &r, lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_edges_memory(lethe_ctx *ctx, lethe_str bytes, lethe_naming naming,
                             lethe_edges **out)
{
    struct reader r = {.naming = naming};
    return edges_read(ctx, &r, lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes), out);
}
