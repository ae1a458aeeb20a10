/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
/* Groups, risks, diversity and singling columns of random small tables, against counting by hand:
 * every row compared with every other. */
#include "published_harness.h"
#include "check/check.h"
#include "measure/table_profile.h"
#include "model/table/any_table.h"
#include "seeds.h"
#include <math.h>

enum { ROWS = 14, COLUMNS = 6 };

/* Cells are letters; `*` and nothing may be among them. */
typedef struct small_table {
    size_t n, n_columns;
    char cell[ROWS][COLUMNS];
    lethe_any_table *any;
} small_table;

static void table_read(lethe_ctx *ctx, small_table *t)
{
    char text[1024];
    size_t n = 0;
    for (size_t c = 0; c < t->n_columns; c++)
        n += (size_t)sprintf(text + n, "%sc%zu", c ? "," : "", c);
    for (size_t i = 0; i < t->n; i++) {
        n += (size_t)sprintf(text + n, "\n");
        for (size_t c = 0; c < t->n_columns; c++)
            n += (size_t)sprintf(text + n, "%s%c", c ? "," : "", t->cell[i][c]);
    }
    assert_int_equal(lethe_any_table_memory(ctx, (lethe_str){text, n}, ',', true, &t->any),
                     LETHE_OK);
    assert_int_equal(t->any->table.n, t->n);
}

static void table_draw(uint64_t *seed, size_t n_columns, small_table *t)
{
    static const char letters[] = "abcdefg*?";
    size_t kinds[COLUMNS];
    t->n = 1 + o_below(seed, ROWS);
    t->n_columns = n_columns;
    for (size_t c = 0; c < COLUMNS; c++)
        kinds[c] = 1 + o_below(seed, sizeof letters - 1);
    for (size_t i = 0; i < t->n; i++)
        for (size_t c = 0; c < t->n_columns; c++)
            t->cell[i][c] = letters[o_below(seed, kinds[c])];
}

static bool are_equal(const small_table *a, size_t i, const small_table *b, size_t k,
                      const uint32_t *column, size_t n)
{
    for (size_t c = 0; c < n; c++)
        if (a->cell[i][column[c]] != b->cell[k][column[c]]) return false;
    return true;
}

static uint64_t size_of(const small_table *t, size_t row, const uint32_t *column, size_t n)
{
    uint64_t size = 0;
    for (size_t k = 0; k < t->n; k++)
        size += are_equal(t, row, t, k, column, n);
    return size;
}

static uint64_t unique_of(const small_table *t, const uint32_t *column, size_t n)
{
    uint64_t unique = 0;
    for (size_t i = 0; i < t->n; i++)
        unique += size_of(t, i, column, n) == 1;
    return unique;
}

static size_t columns_draw(uint64_t *seed, size_t n_columns, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t c = 0; c < n_columns; c++)
        if (o_below(seed, 2)) out[n++] = c;
    return n;
}

/* --- groups --- */

static void sizes_compare(const small_table *t, const lethe_row_groups *g, const uint32_t *column,
                          size_t n)
{
    lethe_group_sizes s;
    uint64_t smallest = UINT64_MAX, largest = 0, unique = 0, at_risk = 0, in_buckets = 0;
    double groups = 0;
    lethe_group_sizes_count(g, &s);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t size = size_of(t, i, column, n);
        smallest = LETHE_MIN(smallest, size);
        largest = LETHE_MAX(largest, size);
        unique += size == 1;
        at_risk += 1.0 / (double)size > 0.2;
        groups += 1.0 / (double)size;
    }
    for (size_t b = 0; b < LETHE_N_BUCKETS; b++)
        in_buckets += s.rows_by_size[b];
    assert_int_equal(s.rows, t->n);
    assert_int_equal(in_buckets, t->n);
    assert_int_equal(s.groups, (uint64_t)(groups + 0.5));
    assert_int_equal(s.smallest, smallest);
    assert_int_equal(s.largest, largest);
    assert_int_equal(s.unique, unique);
    assert_int_equal(s.at_risk, at_risk);
}

/* Each row once, groups by their first rows, equal rows together. */
static void groups_compare(const small_table *t, const lethe_row_groups *g, const uint32_t *column,
                           size_t n)
{
    bool seen[ROWS] = {false};
    for (size_t i = 0; i < g->n; i++) {
        uint32_t first = g->row[g->start[i]];
        assert_true(g->start[i] < g->start[i + 1]);
        assert_true(i == 0 || first > g->row[g->start[i - 1]]);
        assert_int_equal(g->start[i + 1] - g->start[i], size_of(t, first, column, n));
        for (size_t k = g->start[i]; k < g->start[i + 1]; k++) {
            assert_true(k == g->start[i] || g->row[k] > g->row[k - 1]);
            assert_true(are_equal(t, first, t, g->row[k], column, n));
            assert_false(seen[g->row[k]]);
            seen[g->row[k]] = true;
        }
    }
    assert_int_equal(g->start[g->n], t->n);
}

static void diversity_compare(const small_table *t, const lethe_group_diversity *d,
                              const uint32_t *qi, size_t n, uint32_t sa)
{
    uint64_t least = UINT64_MAX;
    double entropy_l = INFINITY, share = 0, distance = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t size = size_of(t, i, qi, n), different = 0;
        double entropy = 0, apart = 0;
        for (int v = 1; v < 128; v++) {
            uint64_t here = 0, all = 0;
            for (size_t k = 0; k < t->n; k++) {
                all += t->cell[k][sa] == v;
                here += t->cell[k][sa] == v && are_equal(t, i, t, k, qi, n);
            }
            double p = (double)here / (double)size, q = (double)all / (double)t->n;
            apart += fabs(p - q) / 2;
            if (here > 0) entropy -= p * log(p);
            if (here == 0 || v == '*') continue;
            different++;
            share = fmax(share, p);
        }
        if (different > 0) least = LETHE_MIN(least, different);
        entropy_l = fmin(entropy_l, exp(entropy));
        distance = fmax(distance, apart);
    }
    assert_int_equal(d->distinct_l, least);
    assert_true(fabs(d->entropy_l - entropy_l) < 1e-9);
    assert_true(fabs(d->t - distance) < 1e-9);
    assert_true(fabs((d->of ? (double)d->with / (double)d->of : 0) - share) < 1e-12);
}

static void groups_are_counted(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    (void)state;
    for (uint64_t seed = 1, n = seeds(8000); seed <= n; seed++) {
        uint64_t s = seed;
        small_table t;
        uint32_t qi[COLUMNS];
        lethe_row_groups g;
        lethe_group_diversity d;
        table_draw(&s, 2 + o_below(&s, COLUMNS - 1), &t);
        table_read(ctx, &t);
        uint32_t sa = (uint32_t)t.n_columns - 1;
        size_t n_qi = columns_draw(&s, sa, qi);
        assert_int_equal(lethe_row_groups_make(ctx, &t.any->table, qi, n_qi, &g), LETHE_OK);
        groups_compare(&t, &g, qi, n_qi);
        sizes_compare(&t, &g, qi, n_qi);
        uint64_t unique[COLUMNS];
        assert_int_equal(lethe_unique_rows_count(ctx, &t.any->table, qi, n_qi, unique), LETHE_OK);
        for (size_t i = 0; i < n_qi; i++)
            assert_int_equal(unique[i], unique_of(&t, qi, i + 1));
        assert_int_equal(lethe_diversity_count(ctx, &g, &t.any->table.column[sa], &d), LETHE_OK);
        diversity_compare(&t, &d, qi, n_qi, sa);
        lethe_row_groups_free(&g);
        lethe_any_table_free(t.any);
    }
    lethe_ctx_free(ctx);
}

/* --- a population --- */

static void population_is_counted(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    (void)state;
    for (uint64_t seed = 1, n = seeds(4000); seed <= n; seed++) {
        uint64_t s = seed;
        small_table t, p;
        uint32_t qi[COLUMNS];
        lethe_population_risk r;
        table_draw(&s, 3, &t);
        table_draw(&s, 3, &p);
        for (size_t i = 0; i < t.n && i < p.n && o_below(&s, 4); i++) // a part in common
            memcpy(p.cell[i], t.cell[i], sizeof t.cell[i]);
        table_read(ctx, &t);
        table_read(ctx, &p);
        size_t n_qi = columns_draw(&s, 3, qi);
        assert_int_equal(
            lethe_population_risk_count(ctx, &t.any->table, qi, &p.any->table, qi, n_qi, &r),
            LETHE_OK);
        uint64_t smallest = UINT64_MAX, at_risk = 0;
        double mean = 0, lacking = 0;
        for (size_t i = 0; i < t.n; i++) {
            uint64_t mine = size_of(&t, i, qi, n_qi), theirs = 0;
            for (size_t k = 0; k < p.n; k++)
                theirs += are_equal(&t, i, &p, k, qi, n_qi);
            if (theirs < mine) lacking += 1.0 / (double)mine;
            theirs = LETHE_MAX(mine, theirs);
            smallest = LETHE_MIN(smallest, theirs);
            at_risk += theirs < 5;
            mean += 1.0 / (double)theirs / (double)t.n;
        }
        assert_int_equal(r.rows, p.n);
        assert_int_equal(r.smallest, smallest);
        assert_int_equal(r.at_risk, at_risk);
        assert_int_equal(r.lacking, (uint64_t)(lacking + 0.5));
        assert_true(fabs(r.mean - mean) < 1e-9);
        lethe_any_table_free(t.any);
        lethe_any_table_free(p.any);
    }
    lethe_ctx_free(ctx);
}

/* --- combinations --- */

static int by_strength(const void *x, const void *y)
{
    const lethe_combination *a = x, *b = y;
    if (a->unique != b->unique) return a->unique < b->unique ? 1 : -1;
    if (a->n != b->n) return a->n > b->n ? 1 : -1;
    for (size_t c = 0; c < a->n; c++)
        if (a->column[c] != b->column[c]) return a->column[c] > b->column[c] ? 1 : -1;
    return 0;
}

/* All of up to three columns, most unique rows first; those that a part does as well are left out.
 */
static size_t combinations_list(const small_table *t, const uint32_t *of, size_t n,
                                lethe_combination *out)
{
    size_t found = 0;
    for (unsigned set = 1; set < 1u << n; set++) {
        lethe_combination c = {0};
        uint64_t best_part = 0;
        if (__builtin_popcount(set) > 3) continue;
        for (size_t i = 0; i < n; i++)
            if (set >> i & 1) c.column[c.n++] = of[i];
        c.unique = unique_of(t, c.column, c.n);
        for (size_t left = 0; c.n > 1 && left < c.n; left++) {
            uint32_t part[3];
            size_t n_part = 0;
            for (size_t i = 0; i < c.n; i++)
                if (i != left) part[n_part++] = c.column[i];
            uint64_t unique = unique_of(t, part, n_part);
            best_part = LETHE_MAX(best_part, unique);
        }
        if (c.unique > best_part) out[found++] = c;
    }
    qsort(out, found, sizeof *out, by_strength);
    return found;
}

static void singling_compare(const small_table *t, const lethe_singling *s, const uint32_t *of,
                             size_t n)
{
    lethe_combination all[64];
    size_t found = combinations_list(t, of, n, all);
    assert_int_equal(s->n, n);
    assert_int_equal(s->tried, s->all);
    assert_int_equal(s->n_top, LETHE_MIN(found, (size_t)LETHE_TOP_COMBINATIONS));
    for (size_t i = 0; i < s->n_top; i++) {
        assert_int_equal(s->top[i].n, all[i].n);
        assert_int_equal(s->top[i].unique, all[i].unique);
        for (size_t c = 0; c < all[i].n; c++)
            assert_int_equal(s->top[i].column[c], all[i].column[c]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            uint32_t pair[] = {of[i], of[k]};
            assert_int_equal(s->pair[i * n + k], unique_of(t, pair, 2));
        }
}

static void combinations_are_counted(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        heard h;
        lethe_ctx *ctx = heard_ctx(&h, threads);
        for (uint64_t seed = 1, n = seeds(2000); seed <= n; seed++) {
            uint64_t s = seed * 3 + threads;
            small_table t;
            uint32_t of[COLUMNS];
            lethe_column_profile profile[COLUMNS];
            lethe_singling g;
            lethe_arena *a = lethe_arena_new();
            table_draw(&s, COLUMNS, &t);
            table_read(ctx, &t);
            size_t n_of = columns_draw(&s, COLUMNS, of);
            assert_int_equal(lethe_columns_profile(ctx, &t.any->table, profile), LETHE_OK);
            assert_int_equal(lethe_singling_count(ctx, a, &t.any->table, profile, of, n_of,
                                                  LETHE_SINGLING_WORK, &g),
                             LETHE_OK);
            singling_compare(&t, &g, of, n_of);
            lethe_arena_free(a);
            lethe_any_table_free(t.any);
        }
        lethe_ctx_free(ctx);
    }
}

/* With less work than all columns need, those that separate rows best are combined. */
static void work_is_cut(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    small_table t = {.n = 8, .n_columns = 4};
    static const char *const rows[] = {"aaxb", "abxc", "bcxd", "bdxe",
                                       "aexf", "bfxg", "agxa", "baxh"};
    lethe_column_profile profile[4];
    lethe_singling g;
    uint32_t of[] = {0, 1, 2, 3};
    lethe_arena *a = lethe_arena_new();
    (void)state;
    for (size_t i = 0; i < t.n; i++)
        memcpy(t.cell[i], rows[i], 4);
    table_read(ctx, &t);
    assert_int_equal(lethe_columns_profile(ctx, &t.any->table, profile), LETHE_OK);
    assert_int_equal(lethe_singling_count(ctx, a, &t.any->table, profile, of, 4, 8 * 7, &g),
                     LETHE_OK);
    assert_int_equal(g.n, 3);
    assert_int_equal(g.column[0], 0);
    assert_int_equal(g.column[1], 1);
    assert_int_equal(g.column[2], 3);
    assert_int_equal(g.tried, 7);
    assert_int_equal(g.all, 14);
    assert_int_equal(lethe_singling_count(ctx, a, &t.any->table, profile, of, 4, 0, &g), LETHE_OK);
    assert_int_equal(g.n, 2);
    lethe_arena_free(a);
    lethe_any_table_free(t.any);
    lethe_ctx_free(ctx);
}

/* --- the checkers on a table that is no release --- */

static uint64_t sa_rows(const small_table *t, size_t i, const uint32_t *qi, size_t n, uint32_t sa)
{
    uint64_t with = 0;
    for (size_t k = 0; k < t->n; k++)
        with += t->cell[k][sa] == t->cell[i][sa] && are_equal(t, i, t, k, qi, n);
    return with;
}

static uint64_t sa_different(const small_table *t, size_t i, const uint32_t *qi, size_t n,
                             uint32_t sa)
{
    bool met[128] = {false};
    uint64_t different = 0;
    for (size_t k = 0; k < t->n; k++) {
        unsigned char v = (unsigned char)t->cell[k][sa];
        if (v == '*' || met[v] || !are_equal(t, i, t, k, qi, n)) continue;
        met[v] = true;
        different++;
    }
    return different;
}

/* The first row that breaks the claim; t->n: none does. */
static size_t first_broken(const small_table *t, int notion, uint64_t limit, const uint32_t *qi,
                           size_t n, uint32_t sa)
{
    for (size_t i = 0; i < t->n; i++) {
        uint64_t size = size_of(t, i, qi, n), different = sa_different(t, i, qi, n, sa);
        if (notion == 0 && size < limit) return i;
        if (notion == 1 && different > 0 && different < limit) return i;
        if (notion == 2 && t->cell[i][sa] != '*' && sa_rows(t, i, qi, n, sa) * limit > size)
            return i;
    }
    return t->n;
}

static void claim_decide(lethe_ctx *ctx, const small_table *t, int notion, uint64_t limit,
                         const uint32_t *qi, size_t n, uint32_t sa)
{
    static const char *const names[] = {"k-anonymity", "distinct-l", "l-plus-diversity"};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *claim = lethe_json_object(doc), *list = lethe_json_array(doc), *why = NULL;
    lethe_published p = {
        .ctx = ctx, .dirfd = -1, .shape = LETHE_SHAPE_TABLE, .table = &t->any->table};
    char theta[32];
    bool holds = false;
    for (size_t i = 0; i < n; i++)
        lethe_json_push(doc, list, lethe_json_new_text(doc, t->any->table.column[qi[i]].name));
    lethe_set_text(doc, claim, "notion", names[notion]);
    lethe_json_set(doc, claim, "qi", list);
    if (notion > 0)
        lethe_json_set(doc, claim, "sa", lethe_json_new_text(doc, t->any->table.column[sa].name));
    snprintf(theta, sizeof theta, "1/%u", (unsigned)limit);
    if (notion == 2)
        lethe_set_text(doc, claim, "theta", theta);
    else
        lethe_set_count(doc, claim, notion == 0 ? "k" : "l", limit);
    assert_int_equal(
        lethe_notion_find(lethe_str_of(names[notion]))->check(&p, claim, doc, &holds, &why),
        LETHE_OK);
    size_t broken = first_broken(t, notion, limit, qi, n, sa);
    assert_int_equal(holds, broken == t->n);
    assert_int_equal(why != NULL, !holds);
    if (why) assert_int_equal(lethe_json_int(lethe_json_get(why, "line")), broken + 2);
    lethe_json_doc_free(doc);
}

static void claims_are_decided(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    (void)state;
    for (uint64_t seed = 1, n = seeds(6000); seed <= n; seed++) {
        uint64_t s = seed;
        small_table t;
        uint32_t qi[COLUMNS];
        table_draw(&s, 2 + o_below(&s, 3), &t);
        table_read(ctx, &t);
        uint32_t sa = (uint32_t)t.n_columns - 1;
        size_t n_qi = columns_draw(&s, sa, qi);
        for (int notion = 0; n_qi > 0 && notion < 3; notion++)
            claim_decide(ctx, &t, notion, 1 + o_below(&s, 4), qi, n_qi, sa);
        lethe_any_table_free(t.any);
    }
    assert_int_equal(h.n, 0);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_counted),       cmocka_unit_test(population_is_counted),
        cmocka_unit_test(combinations_are_counted), cmocka_unit_test(work_is_cut),
        cmocka_unit_test(claims_are_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
