/* SPDX-License-Identifier: Apache-2.0 */
/* Reads taxonomy.tsv and sensitive.tsv of a published table: the hierarchy of each column in it. */
#include "io/read/lines.h"
#include "model/published/published_lines.h"
#include "model/published/published_table.h"
#include "model/published/published_tree.h"
#include "model/table/numbers.h"
#include "core/parse.h"

enum { N_FIELDS = 3 };

struct reader {
    lethe_published_lines lines;
    const lethe_str *column;
    size_t n;
    lethe_published_hierarchies *to; /* its last one is at hand */
    /* By node of that one: */
    lethe_u32s parent;
    lethe_u64s leaves, line;
};

/* Takes `COLUMN=`, of the column at hand, off the field at byte `at` of its line. */
static lethe_err prefix_take(struct reader *r, lethe_str *field, size_t at)
{
    lethe_str column = r->column[r->to->n - 1];
    bool is_own = field->n > column.n && field->at[column.n] == '=' &&
                  lethe_str_eq((lethe_str){field->at, column.n}, column);
    if (!is_own) return lethe_published_fault(&r->lines, at, "not the column expected here");
    *field = (lethe_str){field->at + column.n + 1, field->n - column.n - 1};
    if (field->n == 0) return lethe_published_fault(&r->lines, at, "a name is empty");
    return LETHE_OK;
}

/* Are all nodes ranges of numbers, or numbers, directly below a root that covers them, with leaves
 * that could be theirs? */
static bool are_spans(const struct reader *r, const lethe_dict *names)
{
    lethe_span all, s;
    if (!lethe_span_parse(lethe_dict_at(names, 0), &all)) return false;
    for (size_t v = 0; v < r->parent.n; v++) {
        if (!lethe_span_parse(lethe_dict_at(names, (uint32_t)v), &s)) return false;
        bool one = lethe_number_cmp(s.low, s.high) == 0;
        if (one != (r->leaves.at[v] == 1) || r->leaves.at[v] > r->leaves.at[0]) return false;
        if (v > 0 && (r->parent.at[v] != 0 || !lethe_span_covers(all, s))) return false;
    }
    return true;
}

static lethe_err column_end(struct reader *r)
{
    if (r->to->n == 0) return LETHE_OK;
    lethe_published_hierarchy *h = &r->to->at[r->to->n - 1];
    h->spans = are_spans(r, h->names);
    // A parent's leaves are at least those of its children together.
    uint64_t *sum = lethe_alloc_zero(r->parent.n, sizeof *sum);
    lethe_err e = sum ? LETHE_OK : LETHE_ENOMEM;
    for (size_t v = 1; e == LETHE_OK && v < r->parent.n; v++)
        sum[r->parent.at[v]] += r->leaves.at[v];
    for (size_t v = 0; e == LETHE_OK && v < r->parent.n; v++) {
        if (sum[v] <= r->leaves.at[v]) continue;
        h->crossing = h->spans;
        if (h->spans) continue;
        r->lines.number = r->line.at[v];
        e = lethe_published_fault(&r->lines, 0, "fewer leaves than its children have");
    }
    lethe_free(sum);
    LETHE_TRY(e);
    h->n = (uint32_t)r->parent.n;
    h->parent = r->parent.at;
    h->leaves = r->leaves.at;
    r->parent = (lethe_u32s){0};
    r->leaves = r->line = (lethe_u64s){0};
    return LETHE_OK;
}

static lethe_err column_begin(struct reader *r, size_t at)
{
    LETHE_TRY(column_end(r));
    if (r->to->n == r->n) return lethe_published_fault(&r->lines, at, "a second root");
    lethe_published_hierarchy *h = &r->to->at[r->to->n];
    lethe_str name = r->column[r->to->n];
    h->column = (lethe_str){lethe_arena_dup(r->to->arena, name), name.n};
    h->names = lethe_dict_new();
    r->to->n++;
    return h->column.at && h->names ? LETHE_OK : LETHE_ENOMEM;
}

static lethe_err lines_take(struct reader *r)
{
    lethe_arena *a = lethe_arena_new();
    lethe_str line;
    r->to = a ? lethe_new(a, lethe_published_hierarchies, 1) : NULL;
    if (!r->to) {
        lethe_arena_free(a);
        return LETHE_ENOMEM;
    }
    r->to->arena = a;
    r->to->at = lethe_new(a, lethe_published_hierarchy, r->n);
    if (!r->to->at) return LETHE_ENOMEM;
    while (lethe_published_next(&r->lines, &line)) {
        lethe_str f[N_FIELDS];
        uint64_t leaves;
        uint32_t parent = LETHE_NONE;
        if (lethe_tabs_split(line, f, N_FIELDS) != N_FIELDS)
            return lethe_published_fault(&r->lines, 0, "not three columns: child, parent, leaves");
        size_t at_parent = f[0].n + 2, at_leaves = at_parent + f[1].n + 1;
        bool is_root = f[1].n == 0;
        if (is_root)
            LETHE_TRY(column_begin(r, at_parent));
        else if (r->to->n == 0)
            return lethe_published_fault(&r->lines, at_parent, "the first line is not a root's");
        LETHE_TRY(prefix_take(r, &f[0], 1));
        if (!lethe_parse_u64(f[2], &leaves) || f[2].at[0] == '0' || leaves >= LETHE_NONE)
            return lethe_published_fault(&r->lines, at_leaves,
                                         "leaves are not a whole number above 0");
        if (!is_root) {
            LETHE_TRY(prefix_take(r, &f[1], at_parent));
            parent = lethe_dict_find(r->to->at[r->to->n - 1].names, f[1]);
            if (parent == LETHE_NONE)
                return lethe_published_fault(&r->lines, at_parent,
                                             "a parent without an earlier line");
        }
        uint32_t id;
        LETHE_TRY(lethe_dict_add(r->to->at[r->to->n - 1].names, f[0], &id));
        if (id < r->parent.n)
            return lethe_published_fault(&r->lines, 1,
                                         "a name has two lines; line %llu is the first",
                                         (unsigned long long)r->line.at[id]);
        LETHE_TRY(lethe_u32s_append(a, &r->parent, &parent, 1));
        LETHE_TRY(lethe_u64s_append(a, &r->leaves, &leaves, 1));
        LETHE_TRY(lethe_u64s_append(a, &r->line, &r->lines.number, 1));
    }
    LETHE_TRY(r->lines.err);
    LETHE_TRY(column_end(r));
    if (r->to->n == r->n) return LETHE_OK;
    return lethe_published_fault(&r->lines, 0, "a column is missing");
}

static lethe_err reader_finish(struct reader *r, lethe_published_hierarchies **out)
{
    assert(r->n > 0);
    lethe_err e = r->lines.err == LETHE_OK ? lines_take(r) : r->lines.err;
    if (e == LETHE_ENOMEM && r->lines.err == LETHE_OK)
        e = lethe_no_memory(r->lines.ctx); // else the lines have said so
    if (e == LETHE_OK)
        *out = r->to;
    else
        lethe_published_hierarchies_free(r->to);
    lethe_published_close(&r->lines);
    return e;
}

static lethe_err file_read(lethe_ctx *ctx, int dirfd, const char *name, const lethe_str *column,
                           size_t n, lethe_published_hierarchies **out)
{
    struct reader r = {.column = column, .n = n};
    // what fails is in r.lines.err as well
    (void)!lethe_published_open(&r.lines, ctx, dirfd, name, LETHE_TABLE_LINE_MAX);
    return reader_finish(&r, out);
}

lethe_err lethe_published_hierarchies_read(lethe_ctx *ctx, int dirfd, const lethe_str *column,
                                           size_t n, lethe_published_hierarchies **out)
{
    return file_read(ctx, dirfd, LETHE_TAXONOMY_NAME, column, n, out);
}

lethe_err lethe_sensitive_trees_read(lethe_ctx *ctx, int dirfd, const lethe_str *column, size_t n,
                                     lethe_published_hierarchies **out)
{
    return file_read(ctx, dirfd, LETHE_SENSITIVE_TREES_NAME, column, n, out);
}

lethe_err lethe_published_hierarchies_memory(lethe_ctx *ctx, lethe_str bytes,
                                             const lethe_str *column, size_t n,
                                             lethe_published_hierarchies **out)
{
    struct reader r = {.column = column, .n = n};
    lethe_published_memory(&r.lines, ctx, bytes, LETHE_TAXONOMY_NAME, LETHE_TABLE_LINE_MAX);
    return reader_finish(&r, out);
}

void lethe_published_hierarchies_free(lethe_published_hierarchies *h)
{
    if (!h) return;
    for (size_t i = 0; i < h->n; i++)
        lethe_dict_free(h->at[i].names);
    lethe_arena_free(h->arena);
}
