/* SPDX-License-Identifier: Apache-2.0 */
/* Random tables and releases of them, true and untrue: every figure by its definition, row by row
 * and pair by pair. */
#include "random_table.h"
#include "seeds.h"
#include "measure/measure.h"

#define ROUNDS seeds(3000)

/* (leaves - 1) / (all leaves - 1), by looking at all of them. */
static double lm_of(const lethe_tree *t, uint32_t v)
{
    unsigned all = 0, below = 0;
    for (uint32_t u = 0; u < t->n; u++) {
        bool leaf = true;
        for (uint32_t x = 0; x < t->n; x++)
            leaf = leaf && t->parent[x] != u;
        all += leaf;
        below += leaf && r_above(t, v, u);
    }
    return all > 1 ? (double)(below - 1) / (double)(all - 1) : 0;
}

static double lm_sum(const rt_world *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->n_published; i++)
        for (size_t a = 0; a < w->n_qi; a++)
            sum += lm_of(w->table->qi[a].tree, w->published[i].node[a]);
    return sum;
}

static size_t deleted(const rt_world *w) { return w->n - w->n_published; }

static double dm_of(const rt_world *w)
{
    size_t pairs = 0;
    for (size_t i = 0; i < w->n_published; i++)
        for (size_t k = 0; k < w->n_published; k++)
            pairs += rt_alike(w, &w->published[i], &w->published[k]);
    return (double)(pairs + deleted(w) * w->n);
}

/* Rows of the group of i, and how many of them have class c. */
static size_t group_of(const rt_world *w, size_t i, char c, size_t *with)
{
    size_t n = 0;
    *with = 0;
    for (size_t k = 0; k < w->n_published; k++) {
        bool same = rt_alike(w, &w->published[i], &w->published[k]);
        n += same;
        *with += same && w->published[k].class == c;
    }
    return n;
}

static bool is_first(const rt_world *w, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (rt_alike(w, &w->published[i], &w->published[k])) return false;
    return true;
}

static double cm_of(const rt_world *w)
{
    size_t sum = deleted(w);
    for (size_t i = 0; i < w->n_published; i++) {
        size_t n = 0, most = 0, with;
        if (!is_first(w, i)) continue;
        for (char c = 'p'; c <= 'r'; c++) {
            n = group_of(w, i, c, &with);
            most = LETHE_MAX(most, with);
        }
        sum += n - most;
    }
    return (double)sum;
}

/* --- truth --- */

static bool tells_truth(const rt_world *w, size_t published, size_t original)
{
    const rt_row *p = &w->published[published], *o = &w->row[original];
    return rt_covers(w, p, o) && (!w->has_sa || p->sa == '*' || p->sa == o->sa) &&
           (!w->has_class || p->class == o->class) && (!w->has_keep || p->keep == o->keep);
}

/* A larger matching by an augmenting path, if there is one. */
static bool augment(const rt_world *w, size_t p, bool *seen, size_t *taken)
{
    for (size_t o = 0; o < w->n; o++) {
        if (seen[o] || !tells_truth(w, p, o)) continue;
        seen[o] = true;
        if (taken[o] != SIZE_MAX && !augment(w, taken[o], seen, taken)) continue;
        taken[o] = p;
        return true;
    }
    return false;
}

static double matched(const rt_world *w)
{
    size_t taken[RT_ROWS], n = 0;
    memset(taken, 0xff, sizeof taken);
    for (size_t p = 0; p < w->n_published; p++) {
        bool seen[RT_ROWS] = {false};
        n += augment(w, p, seen, taken);
    }
    return (double)n / (double)w->n_published;
}

static double mapped(const rt_world *w)
{
    size_t n = 0;
    for (size_t p = 0; p < w->n_published; p++)
        n += tells_truth(w, p, w->from[p]);
    return (double)n / (double)w->n_published;
}

/* --- all figures --- */

static void figures_check(const rt_world *w, const lethe_json *out, const char *cost, uint64_t seed)
{
    double sum = lm_sum(w), dm = dm_of(w), cm = cm_of(w), rows = (double)w->n_published;
    size_t groups = 0, starred = 0, least = SIZE_MAX, most = 0, with;
    for (size_t i = 0; i < w->n_published; i++) {
        size_t n = group_of(w, i, 'p', &with);
        groups += is_first(w, i);
        starred += w->has_sa && w->published[i].sa == '*';
        least = LETHE_MIN(least, n);
        most = LETHE_MAX(most, n);
    }
    rt_real(w, out, "lm", sum / rows / (double)w->n_qi, seed);
    rt_real(w, out, "dm", dm, seed);
    if (w->has_class) rt_real(w, out, "cm", cm, seed);
    double lm = sum + (double)(w->n_qi * starred + 2 * w->n_qi * deleted(w));
    if (*cost != 'C' || w->has_class)
        rt_real(w, out, "cost", *cost == 'L' ? lm : *cost == 'D' ? dm : cm, seed);
    else
        assert_null(lethe_json_get(out, "cost"));
    assert_true(w->has_class == (lethe_json_get(out, "cm") != NULL));
    rt_real(w, out, "groups", (double)groups, seed);
    rt_real(w, out, "rows_published", rows, seed);
    rt_real(w, out, "rows_deleted", (double)deleted(w), seed);
    rt_real(w, out, "values_starred", (double)starred, seed);
    rt_real(w, lethe_json_get(out, "group_size"), "mean", rows / (double)groups, seed);
    rt_real(w, lethe_json_get(out, "group_size"), "min", (double)least, seed);
    rt_real(w, lethe_json_get(out, "group_size"), "max", (double)most, seed);
}

/* --- column by column --- */

static const lethe_json *named(const lethe_json *list, const char *member, lethe_str name)
{
    for (size_t i = 0; i < lethe_json_count(list); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(list, i), member)), name))
            return lethe_json_at(list, i);
    return NULL;
}

/* Rows of the original at or below a published value; published ones with it or one below; and with
 * one above. */
static void counts_check(const rt_world *w, size_t a, uint32_t node, const lethe_json *values,
                         uint64_t seed)
{
    const lethe_tree *t = w->table->qi[a].tree;
    size_t original = 0, published = 0, perhaps = 0;
    for (size_t i = 0; i < w->n; i++)
        original += r_above(t, node, w->row[i].node[a]);
    for (size_t i = 0; i < w->n_published; i++) {
        uint32_t other = w->published[i].node[a];
        published += r_above(t, node, other);
        perhaps += other != node && r_above(t, other, node);
    }
    const lethe_json *v = named(values, "value", lethe_tree_name(t, node));
    assert_non_null(v);
    rt_real(w, v, "original", (double)original, seed);
    rt_real(w, v, "published", (double)published, seed);
    if (perhaps)
        rt_real(w, v, "perhaps", (double)perhaps, seed);
    else
        assert_null(lethe_json_get(v, "perhaps"));
}

static void risk_check(const rt_world *w, const rt_row *rows, size_t n, const lethe_json *risk,
                       uint64_t seed)
{
    double sum = 0, highest = 0;
    size_t above = 0, unique = 0;
    for (size_t i = 0; i < n; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < n; k++)
            alike += rt_alike(w, &rows[i], &rows[k]);
        sum += 1 / (double)alike;
        highest = LETHE_MAX(highest, 1 / (double)alike);
        above += 5 * 1 > alike; // one in fewer than five is more than a fifth
        unique += alike == 1;
    }
    rt_real(w, risk, "highest", highest, seed);
    rt_real(w, risk, "mean", sum / (double)n, seed);
    rt_real(w, risk, "above_fifth", (double)above / (double)n, seed);
    rt_real(w, risk, "unique", (double)unique / (double)n, seed);
}

static void columns_check(const rt_world *w, const lethe_json *out, uint64_t seed)
{
    double all = 0;
    const lethe_json *columns = lethe_json_get(out, "columns");
    for (size_t a = 0; a < w->n_qi; a++) {
        const lethe_json *c = named(columns, "column", w->table->qi[a].name);
        double sum = (double)deleted(w);
        assert_non_null(c);
        for (size_t i = 0; i < w->n_published; i++) {
            sum += lm_of(w->table->qi[a].tree, w->published[i].node[a]);
            counts_check(w, a, w->published[i].node[a], lethe_json_get(c, "values"), seed);
        }
        rt_real(w, c, "loss", sum / (double)w->n, seed);
        all += sum;
    }
    rt_real(w, out, "loss", all / (double)(w->n * w->n_qi), seed);
    risk_check(w, w->row, w->n, lethe_json_get(out, "risk_before"), seed);
    risk_check(w, w->published, w->n_published, lethe_json_get(out, "risk_after"), seed);
    assert_null(lethe_json_get(out, "left_out"));
}

static void figures_are_those_of_the_definitions(void **state)
{
    (void)state;
    static rt_world w;
    static const char *const costs[] = {"LM", "DM", "CM"};
    lethe_ctx *ctx = o_ctx(1, 0);
    size_t untrue = 0, starry = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        const char *cost = costs[round % 3];
        bool lies = round % 2, overlap = round / 2 % 2;
        rt_make_as(&seed, ctx, &w, lies, overlap);
        snprintf(w.manifest, sizeof w.manifest,
                 "{\"steps\":[{\"parameters\":{\"cost\":\"%s\"}}],\"claims\":[{%s}]}", cost,
                 overlap ? "\"groups\":\"overlap\"" : "");
        w.b.manifest = w.manifest;
        for (int by_map = 0; by_map < 2; by_map++) {
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *out = lethe_json_object(doc);
            w.b.map = by_map ? w.map : NULL;
            lethe_err e = t_run(ctx, &w.b, w.table, lethe_measure_table.run,
                                lethe_measure_table.options, doc, out);
            if (e != LETHE_OK)
                fail_msg("seed %llu\n%s\n%s\n%s", (unsigned long long)round, w.original, w.data,
                         w.taxonomy);
            figures_check(&w, out, cost, round);
            double truth = by_map ? mapped(&w) : matched(&w);
            rt_real(&w, out, "truthful", truth, round);
            assert_true(lies || truth >= 1);
            if (!by_map) {
                e = t_run(ctx, &w.b, w.table, lethe_measure_columns.run,
                          lethe_measure_columns.options, doc, out);
                assert_int_equal(e, LETHE_OK);
                columns_check(&w, out, round);
            }
            untrue += truth < 1;
            starry += strstr(w.data, ",*") != NULL;
            lethe_json_doc_free(doc);
        }
        lethe_table_free(w.table);
    }
    assert_true(untrue > ROUNDS / 10 && starry > ROUNDS / 10);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
