/* SPDX-License-Identifier: Apache-2.0 */
/* Random tables beside releases of them: where values are without hierarchies, by those that the
 * owner has; ranges of values by their numbers; the groups that a person fits, by looking at all.
 */
#include "random_table.h"
#include "seeds.h"
#include "model/records/record_map.h"
#include "model/table/numbers.h"

#define ROUNDS seeds(3000)

/* A release folder with these files, opened beside the table. */
static lethe_table_beside *open_beside(lethe_ctx *ctx, const beside *b, const lethe_table *t)
{
    char path[64];
    lethe_json_doc *doc = NULL;
    lethe_json *manifest = NULL;
    lethe_table_beside *out = NULL;
    int dirfd = o_folder(path);
    o_write(dirfd, "data.csv", b->published, strlen(b->published));
    o_write(dirfd, "taxonomy.tsv", b->taxonomy, strlen(b->taxonomy));
    if (b->manifest)
        assert_int_equal(
            lethe_json_parse(NULL, "manifest", lethe_str_of(b->manifest), &doc, &manifest),
            LETHE_OK);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_TABLE, .manifest = manifest};
    if (lethe_table_beside_open(&p, t, &out) != LETHE_OK)
        fail_msg("%s\n%s\n%s", b->original, b->published, b->taxonomy);
    unlinkat(dirfd, "data.csv", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(doc);
    return out;
}

/* What is known without hierarchies is so with them, and what is in doubt is said to be. */
static size_t placed_check(const rt_world *w, const lethe_table *flat, const lethe_table_beside *b,
                           uint64_t round)
{
    size_t doubts = 0;
    for (size_t a = 0; a < w->n_qi; a++) {
        const lethe_beside_qi *qi = &b->qi[a];
        uint32_t n = lethe_dict_count(qi->column->values);
        for (uint32_t v = 0; v < n; v++) {
            size_t is = 0, known = 0;
            uint32_t node =
                lethe_tree_find(w->table->qi[a].tree, lethe_dict_at(qi->column->values, v));
            for (size_t i = 0; i < w->n; i++) {
                uint32_t leaf = flat->qi[a].leaf[i];
                bool covers = r_above(w->table->qi[a].tree, node, w->row[i].node[a]),
                     placed = lethe_beside_covers(qi, v, leaf),
                     doubt = qi->kind == LETHE_BESIDE_PLACED && qi->doubt[leaf];
                if ((placed && !covers) || (!doubt && placed != covers))
                    fail_msg("seed %llu: column %zu, value %u, row %zu: %d, not %d\n%s\n%s\n%s",
                             (unsigned long long)round, a, v, i, placed, covers, w->original,
                             w->data, w->taxonomy);
                is += covers;
                known += placed;
                doubts += doubt;
            }
            if (is < known || is > known + lethe_beside_perhaps(qi, v))
                fail_msg(
                    "seed %llu: column %zu, value %u: %zu rows, not %zu and %llu more\n%s\n%s\n%s",
                    (unsigned long long)round, a, v, is, known,
                    (unsigned long long)lethe_beside_perhaps(qi, v), w->original, w->data,
                    w->taxonomy);
        }
    }
    assert_true((doubts > 0) == (lethe_beside_doubt(b) != LETHE_NONE));
    return doubts;
}

static void fits_check(const rt_world *w, const lethe_table_beside *b, uint64_t round)
{
    lethe_beside_fits *f = NULL;
    uint32_t leaf[RT_QI];
    const uint32_t *group;
    size_t n;
    assert_int_equal(lethe_beside_fits_new(b, &f), LETHE_OK);
    for (size_t i = 0; i < w->n + 1; i++) {
        bool fits[RT_ROWS] = {false};
        size_t want = 0;
        for (size_t a = 0; a < w->n_qi; a++)
            leaf[a] = i < w->n ? w->row[i].node[a] : LETHE_NONE;
        for (size_t k = 0; i < w->n && k < w->n_published; k++) {
            bool covers = rt_covers(w, &w->published[k], &w->row[i]);
            want += covers && !fits[b->group[k]];
            fits[b->group[k]] = fits[b->group[k]] || covers;
        }
        assert_int_equal(lethe_beside_fit(f, leaf, &group, &n), LETHE_OK);
        bool same = n == want;
        for (size_t k = 0; k < n; k++) {
            same = same && fits[group[k]];
            fits[group[k]] = false; // each once
        }
        if (!same) fail_msg("seed %llu: row %zu\n%s", (unsigned long long)round, i, w->data);
    }
    lethe_beside_fits_free(f);
}

static void values_are_placed_as_they_are(void **state)
{
    (void)state;
    static rt_world w;
    lethe_ctx *ctx = o_ctx(1, 0);
    size_t unsettled = 0, learned = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        rt_make_as(&seed, ctx, &w, false, round % 2);
        w.b.manifest = round % 2 ? "{\"claims\":[{\"groups\":\"overlap\"}]}" : NULL;
        beside without = w.b;
        memset(without.tree, 0, sizeof without.tree);
        lethe_table *flat = t_read(ctx, &without);
        flat->lacks_hierarchies = true;
        lethe_table_beside *b = open_beside(ctx, &w.b, w.table);
        fits_check(&w, b, round);
        lethe_table_beside_free(b);
        b = open_beside(ctx, &without, flat);
        size_t before = placed_check(&w, flat, b, round);
        uint64_t row[RT_ROWS];
        for (size_t i = 0; i < w.n; i++)
            row[i] = LETHE_NOT_PUBLISHED;
        for (size_t k = 0; k < w.n_published; k++)
            row[w.from[k]] = k;
        assert_int_equal(lethe_beside_learn(b, row), LETHE_OK);
        size_t after = placed_check(&w, flat, b, round);
        assert_true(after <= before);
        unsettled += before > 0;
        learned += after < before;
        // where values stand apart a map settles all that is published
        for (size_t k = 0; k < w.n_published && !b->overlap; k++)
            for (size_t a = 0; a < w.n_qi; a++)
                assert_false(b->qi[a].kind == LETHE_BESIDE_PLACED &&
                             b->qi[a].doubt[flat->qi[a].leaf[w.from[k]]]);
        lethe_table_beside_free(b);
        lethe_table_free(flat);
        lethe_table_free(w.table);
    }
    assert_true(unsettled > ROUNDS / 20 && learned > ROUNDS / 40);
    lethe_ctx_free(ctx);
}

/* --- ranges of values --- */

enum { NUMBERS = 8 };

static void ranges_hold_their_numbers(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        int x[NUMBERS], low[NUMBERS], high[NUMBERS], least = 1000, most = -1000;
        size_t n = 1 + o_below(&seed, NUMBERS), used, order[NUMBERS];
        char original[256], data[512], taxonomy[1024], line[NUMBERS][64];
        used = (size_t)sprintf(original, "x\n");
        for (size_t i = 0; i < n; i++) {
            x[i] = (int)o_below(&seed, 12) - 5;
            least = LETHE_MIN(least, x[i]);
            most = LETHE_MAX(most, x[i]);
            used += (size_t)sprintf(original + used, "%d\n", x[i]);
        }
        // each row with a range that holds it, from one number of the table to another
        for (size_t i = 0; i < n; i++) {
            int other = x[o_below(&seed, n)];
            low[i] = LETHE_MIN(x[i], other);
            high[i] = LETHE_MAX(x[i], other);
            if (low[i] == high[i])
                snprintf(line[i], sizeof line[i], "%d", low[i]);
            else
                snprintf(line[i], sizeof line[i], "%d-%d", low[i], high[i]);
        }
        r_sort(line, n, order);
        used = (size_t)sprintf(data, "x\n");
        for (size_t i = 0; i < n; i++)
            used += (size_t)sprintf(data + used, "%s\n", line[order[i]]);
        unsigned distinct = 0;
        for (int v = least; v <= most; v++)
            for (size_t i = 0; i < n; i++)
                if (x[i] == v) {
                    distinct++;
                    break;
                }
        used = least == most ? (size_t)sprintf(taxonomy, "x=%d\t\t1\n", least)
                             : (size_t)sprintf(taxonomy, "x=%d-%d\t\t%u\n", least, most, distinct);
        for (size_t i = 0; i < n; i++) {
            unsigned inside = 0;
            bool seen = low[i] == least && high[i] == most;
            for (size_t k = 0; k < i; k++)
                seen = seen || (low[k] == low[i] && high[k] == high[i]);
            if (seen) continue;
            for (int v = low[i]; v <= high[i]; v++)
                for (size_t k = 0; k < n; k++)
                    if (x[k] == v) {
                        inside++;
                        break;
                    }
            used += (size_t)sprintf(taxonomy + used, "x=%s\tx=%d-%d\t%u\n", line[i], least, most,
                                    inside);
        }
        beside w = {.original = original,
                    .roles = {.qi = "x"},
                    .ranges = "x=values",
                    .published = data,
                    .taxonomy = taxonomy};
        lethe_table *t = t_read(ctx, &w);
        lethe_table_beside *b = open_beside(ctx, &w, t);
        assert_true(b->overlap && b->qi[0].kind == LETHE_BESIDE_SPANS);
        for (size_t i = 0; i < n; i++) {
            uint32_t v = b->qi[0].column->code[i];
            size_t is = order[i];
            double lm = least == most ? 0 : (double)(high[is] - low[is]) / (double)(most - least);
            assert_true(fabs(b->qi[0].lm[v] - lm) < 1e-12);
            for (size_t k = 0; k < n; k++)
                assert_int_equal(lethe_beside_covers(&b->qi[0], v, t->qi[0].leaf[k]),
                                 low[is] <= x[k] && x[k] <= high[is]);
        }
        lethe_table_beside_free(b);
        lethe_table_free(t);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_placed_as_they_are),
        cmocka_unit_test(ranges_hold_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
