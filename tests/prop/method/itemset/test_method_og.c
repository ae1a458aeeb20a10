/* SPDX-License-Identifier: Apache-2.0 */
/* og, mog, aa and mm through the whole pipeline, on small sets drawn by a seed, against all cuts by
 * the definitions; the checkers see all that is written. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "seeds.h"
#include "sets_release_harness.h"
#include "threats_harness.h"

enum { LINE = 128, TEXT = 4096 };

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

/* --- cases as files --- */

static void draw(uint64_t *seed, h_case *c)
{
    do {
        h_case_draw(seed, 10, c);
        if (c->t->n > 1 && c->n > 0) break;
        lethe_tree_free(c->t);
    } while (true);
    uint32_t dense = 1 + h_draw(seed, 4); // leaves alone, other than there
    for (size_t i = 0; i < c->n; i++) {
        c->items[i] = 0;
        for (uint32_t v = 0; v < c->t->n; v++)
            if (lethe_tree_is_leaf(c->t, v) && h_draw(seed, dense + 1) == 0) c->items[i] |= 1u << v;
        if (h_draw(seed, 3)) c->marks[i] &= c->marks[(i + 1) % c->n]; // not too many
    }
    c->kl.m = LETHE_MAX(c->kl.m, 1);
    c->kl.strict = c->kl.m < 3 && h_draw(seed, 5) == 0;
    if (c->kl.k == 1 && c->kl.l <= 1) c->kl.k = 2;
    bool marked = c->kl.l > 1;
    for (size_t i = 0; i < c->n; i++)
        marked = marked || c->marks[i];
    if (marked) c->kl.sensitive_known = h_draw(seed, 4) == 0;
}

static void write_case(const ground *g, uint64_t *seed, const h_case *c)
{
    char tree[TEXT] = "", records[TEXT] = "";
    size_t at = 0, marks = 0;
    for (uint32_t v = 1; v < c->t->n; v++)
        at += (size_t)sprintf(tree + at, "%c\t%c\n", lethe_tree_name(c->t, v).at[0],
                              lethe_tree_name(c->t, c->t->parent[v]).at[0]);
    at = 0;
    for (size_t i = 0; i < c->n; i++) {
        const char *parted = "";
        for (uint32_t copies = 0; copies < 1 + h_draw(seed, 2); copies++) { // a set has one
            for (uint32_t v = c->t->n; v-- > 0;)
                if (c->items[i] >> v & 1) {
                    at += (size_t)sprintf(records + at, "%s%c", parted,
                                          lethe_tree_name(c->t, v).at[0]);
                    parted = " ";
                }
        }
        for (uint32_t s = 0; s < H_MARKS; s++)
            if (c->marks[i] >> s & 1) {
                at += (size_t)sprintf(records + at, "%ss%u", parted, s);
                parted = " ";
                marks++;
            }
        at += (size_t)sprintf(records + at, "\n");
    }
    sr_files(g, tree, records, c->kl.l > 1 || marks > 0 ? "s0\ns1\ns2\n" : NULL);
}

/* --- what is to be published --- */

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void publish(const h_case *c, uint32_t cut, char *text)
{
    char line[H_SETS][LINE];
    for (size_t i = 0; i < c->n; i++) {
        uint32_t shown = 0;
        char name[H_NODES + 1] = "";
        size_t n = 0, at = 0;
        for (uint32_t v = 0; v < c->t->n; v++)
            for (uint32_t u = v; c->items[i] >> v & 1 && u != LETHE_NONE; u = c->t->parent[u])
                if (cut >> u & 1) shown |= 1u << u;
        for (uint32_t v = 0; v < c->t->n; v++)
            if (shown >> v & 1) name[n++] = lethe_tree_name(c->t, v).at[0];
        for (char x = 'a'; x <= 'p'; x++)
            if (strchr(name, x)) at += (size_t)sprintf(line[i] + at, "%s%c", at ? " " : "", x);
        for (uint32_t s = 0; s < H_MARKS; s++)
            if (c->marks[i] >> s & 1)
                at += (size_t)sprintf(line[i] + at, "%ss%u", at ? " " : "", s);
        line[i][at] = '\0';
    }
    qsort(line, c->n, sizeof *line, by_text);
    for (size_t i = 0; i < c->n; i++)
        text += sprintf(text, "%s\n", line[i]);
}

static uint64_t cost_of(const h_case *c, uint32_t cut)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t v = 0; v < c->t->n; v++)
            for (uint32_t u = v; c->items[i] >> v & 1 && u != LETHE_NONE; u = c->t->parent[u])
                if (cut >> u & 1) cost += c->t->leaves[u] - 1;
    return cost;
}

static bool comes_before(uint32_t a, uint32_t b)
{
    for (; a && b; a &= a - 1, b &= b - 1)
        if ((a ^ b) & ((a & -a) | (b & -b))) return (a & -a) < (b & -b);
    return !a && b;
}

static uint32_t best_cut(const h_case *c, const h_oracle *o)
{
    uint32_t best = 0;
    for (size_t i = 0; i < o->n_cuts; i++) {
        uint64_t x = cost_of(c, o->cut[i]), y = best ? cost_of(c, best) : UINT64_MAX;
        if (x < y || (x == y && comes_before(o->cut[i], best))) best = o->cut[i];
    }
    return best;
}

static bool has_item(const h_case *c)
{
    bool any = false;
    for (size_t i = 0; i < c->n; i++)
        any = any || c->items[i];
    return any;
}

/* The cut that is told: nothing, where no set has an item, and the cut is the root. */
static uint32_t cut_of(const h_case *c, const made *m)
{
    const lethe_json *names = sr_figure(m, "cut");
    uint32_t cut = has_item(c) ? 0 : 1;
    for (size_t i = 0; i < lethe_json_count(names); i++) {
        uint32_t v = lethe_tree_find(c->t, lethe_json_text(lethe_json_at(names, i)));
        assert_true(v != LETHE_NONE);
        cut |= 1u << v;
    }
    return cut;
}

static bool has_anything(const h_case *c)
{
    bool any = false;
    for (size_t i = 0; i < c->n; i++)
        any = any || c->items[i] || c->marks[i];
    return any;
}

static struct {
    size_t none, best, told, tied;
} met;

static void options_of(const h_case *c, const char *more, char *out)
{
    sprintf(out, "k=%u l=%.17g m=%u n=%u sensitive-known=%u%s %s", (unsigned)c->kl.k, c->kl.l,
            c->kl.m, (unsigned)c->kl.n, c->kl.sensitive_known, c->kl.strict ? " strict" : "", more);
}

static void expect_og(ground *g, const h_case *c, const h_oracle *o, uint64_t seed, sr_how how)
{
    char options[256], want[TEXT] = "";
    uint32_t best = best_cut(c, o);
    options_of(c, "", options);
    made m = sr_make_as(g, &lethe_method_og, options, how);
    lethe_err wanted = o->n_cuts == 0 || !has_anything(c) ? LETHE_ANSWER_NO : LETHE_OK;
    if (m.e != wanted)
        fail_msg("seed %llu, %s: %s: %s", (unsigned long long)seed, options, lethe_err_name(m.e),
                 g->said);
    if (m.e == LETHE_OK) {
        publish(c, best, want);
        char *got = sr_text(g, "data.txt");
        if (strcmp(got, want) != 0 || cut_of(c, &m) != best)
            fail_msg("seed %llu, %s: not the best cut", (unsigned long long)seed, options);
        double scale = LETHE_MAX(lethe_tree_scale(c->t), 1), items = 0;
        for (size_t i = 0; i < c->n; i++)
            items += __builtin_popcount(c->items[i]);
        assert_true(fabs(sr_real(&m, "cost") - (double)cost_of(c, best) / scale) < 1e-9);
        assert_true(fabs(sr_real(&m, "ncp") * items - sr_real(&m, "cost")) < 1e-9);
        assert_true(lethe_json_bool(sr_figure(&m, "optimal")));
        free(got);
    }
    rr_free(&m);
}

static void expect_mog(ground *g, const h_case *c, const h_oracle *o, uint64_t seed)
{
    char options[256], want[TEXT] = "";
    options_of(c, "", options);
    made m = sr_make(g, &lethe_method_mog, options);
    bool valid = false;
    if ((m.e == LETHE_OK) != (o->n_cuts > 0 && has_anything(c)))
        fail_msg("seed %llu: mog %s: %s", (unsigned long long)seed, options, g->said);
    if (m.e == LETHE_OK) {
        uint32_t cut = cut_of(c, &m);
        for (size_t i = 0; i < o->n_cuts; i++)
            valid = valid || o->cut[i] == cut;
        if (!valid) fail_msg("seed %llu: mog's cut is not valid", (unsigned long long)seed);
        publish(c, cut, want);
        sr_is(g, "data.txt", want);
        assert_true(cost_of(c, cut) >= cost_of(c, best_cut(c, o)));
    }
    rr_free(&m);
}

static void the_best_cut_is_published(void **state)
{
    ground *g = *state;
    static h_oracle o;
    size_t n = seeds(500);
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        uint64_t s = seed;
        draw(&s, &c);
        h_oracle_make(&c, &o);
        write_case(g, &s, &c);
        expect_og(g, &c, &o, seed, (sr_how){.threads = 1});
        expect_og(g, &c, &o, seed, (sr_how){.threads = seed % 2 ? 2 : 7});
        expect_mog(g, &c, &o, seed);
        met.none += o.n_cuts == 0;
        met.best += o.n_cuts > 1;
        met.told += o.n_cuts > 0 && c.kl.l > 1;
        for (size_t i = 0; i < o.n_cuts; i++)
            if (o.cut[i] != best_cut(&c, &o) &&
                cost_of(&c, o.cut[i]) == cost_of(&c, best_cut(&c, &o))) {
                met.tied++;
                break;
            }
        lethe_tree_free(c.t);
    }
    assert_true(met.none > n / 20 && met.best > n / 10 && met.told > n / 20 && met.tied > n / 50);
}

/* One of the cheapest is drawn, and all of them are, by some seed. */
static void a_random_one_of_the_best_is_published(void **state)
{
    ground *g = *state;
    static h_oracle o;
    size_t looked = 0;
    for (uint64_t seed = 1; looked < seeds(15); seed++) {
        h_case c;
        uint64_t s = seed + 5000000, cost[H_CUTS];
        char options[256];
        uint32_t seen[3] = {0}, n_seen = 0;
        draw(&s, &c);
        h_oracle_make(&c, &o);
        if (o.n_cuts < 3 || !has_anything(&c)) {
            lethe_tree_free(c.t);
            continue;
        }
        write_case(g, &s, &c);
        options_of(&c, "top-h=3", options);
        for (size_t i = 0; i < o.n_cuts; i++) { // the three least costs
            size_t at = i;
            for (; at > 0 && cost[at - 1] > cost_of(&c, o.cut[i]); at--)
                cost[at] = cost[at - 1];
            cost[at] = cost_of(&c, o.cut[i]);
        }
        for (uint64_t of = 0; of < 20; of++) {
            made m = sr_make_as(g, &lethe_method_og, options, (sr_how){.seed = of});
            assert_int_equal(m.e, LETHE_OK);
            uint32_t cut = cut_of(&c, &m), k = 0;
            assert_true(cost_of(&c, cut) <= cost[2]);
            while (k < n_seen && seen[k] != cut)
                k++;
            assert_true(k < 3);
            if (k == n_seen) seen[n_seen++] = cut;
            rr_free(&m);
        }
        assert_true(n_seen > 1); // with 20 draws of three: all but certain
        looked++;
        lethe_tree_free(c.t);
    }
}

/* aa is valid and no better than the best; mm holds, and what it shows is there. */
static void the_baselines_keep_their_promises(void **state)
{
    ground *g = *state;
    static h_oracle o;
    size_t n = seeds(500), cut_out = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        uint64_t s = seed + 7000000;
        char options[256], *first = NULL;
        draw(&s, &c);
        c.kl = (lethe_kl){.k = 2 + h_draw(&s, 3), .l = seed % 2 ? 1 : 2, .m = 1 + h_draw(&s, 3)};
        for (size_t i = 0; i < c.n && seed % 2; i++)
            c.marks[i] = 0;
        write_case(g, &s, &c);
        if (seed % 2) { // without sensitive items
            h_oracle_make(&c, &o);
            sprintf(options, "k=%u m=%u", (unsigned)c.kl.k, c.kl.m);
            for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
                made m = sr_make_as(g, &lethe_method_aa, options, (sr_how){.threads = threads});
                if ((m.e == LETHE_OK) != (o.n_cuts > 0 && has_anything(&c)))
                    fail_msg("seed %llu: aa %s: %s", (unsigned long long)seed, options, g->said);
                if (m.e == LETHE_OK) {
                    char want[TEXT] = "";
                    uint32_t cut = cut_of(&c, &m);
                    publish(&c, cut, want);
                    sr_is(g, "data.txt", want);
                    assert_true(cost_of(&c, cut) >= cost_of(&c, best_cut(&c, &o)));
                    assert_int_equal(rr_verify(g), LETHE_OK);
                }
                rr_free(&m);
            }
        }
        sprintf(options, "k=%u p=%u h=%s", (unsigned)c.kl.k, c.kl.m, seed % 2 ? "1" : "0.5");
        lethe_err err = LETHE_OK;
        for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            made m = sr_make_as(g, &lethe_method_mm, options, (sr_how){.threads = threads});
            char *text = m.e == LETHE_OK ? sr_text(g, "data.txt") : NULL;
            if (threads == 1) err = m.e;
            if (m.e != err || (m.e != LETHE_OK && m.e != LETHE_ANSWER_NO) ||
                (m.e == LETHE_OK && threads > 1 && strcmp(text, first) != 0))
                fail_msg("seed %llu: mm %s: %s", (unsigned long long)seed, options, g->said);
            if (m.e == LETHE_OK) {
                cut_out += sr_real(&m, "distinct_items_removed") > 0;
                assert_int_equal(rr_verify(g), LETHE_OK);
                assert_int_equal(access(rr_path(g, "release/taxonomy.tsv"), F_OK), -1);
            }
            free(first);
            first = text;
            rr_free(&m);
        }
        free(first);
        lethe_tree_free(c.t);
    }
    assert_true(cut_out > n / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_cut_is_published),
        cmocka_unit_test(a_random_one_of_the_best_is_published),
        cmocka_unit_test(the_baselines_keep_their_promises),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
