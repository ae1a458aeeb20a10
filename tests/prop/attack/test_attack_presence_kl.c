/* SPDX-License-Identifier: Apache-2.0 */
/* Releases that promise KL(m,n)-privacy or (h,k,p)-coherence: whoever knows no more than that finds
 * k sets or none, and no sensitive item in more of them than promised; whoever knows more may. */
/* suite: threads */
#include "random_tree.h"
#include "records_release_harness.h"
#include "seeds.h"

#define ROUNDS seeds(1500)
enum { SETS = 16, ITEMS = 4, TRIES = 3 };

typedef struct promise {
    const lethe_method *method;
    unsigned k, m, n, sensitive_known;
    bool sensitive, hides; /* are there such items, and does it promise anything of them? */
    char options[700];
} promise;

static const char letters[] = "0\n1\n";

static void promise_draw(uint64_t *seed, const ground *g, promise *p)
{
    static const lethe_method *const methods[] = {&lethe_method_og, &lethe_method_og,
                                                  &lethe_method_og, &lethe_method_mog,
                                                  &lethe_method_aa, &lethe_method_mm};
    static const char *const ls[] = {"1", "1.5", "2", "3"}, *const hs[] = {"0.7", "0.5", "0.3"};
    size_t l = o_below(seed, 4), at;
    *p = (promise){.method = methods[o_below(seed, LETHE_COUNT(methods))],
                   .m = 1 + (unsigned)o_below(seed, 3),
                   .n = (unsigned)o_below(seed, 4)};
    bool aa = p->method == &lethe_method_aa, mm = p->method == &lethe_method_mm;
    if (aa || mm) p->n = 0;
    p->hides = mm || (!aa && l > 0);
    p->sensitive = p->hides || (!aa && o_below(seed, 2));
    p->k = (p->hides ? 1 : 2) + (unsigned)o_below(seed, 3);
    at = (size_t)sprintf(p->options, "k=%u %s=%u", p->k, mm ? "p" : "m", p->m);
    if (!aa && !mm)
        at += (size_t)sprintf(p->options + at, " n=%u l=%s", p->n, ls[p->hides ? l : 0]);
    if (mm) at += (size_t)sprintf(p->options + at, " h=%s", hs[o_below(seed, 3)]);
    if (!mm) at += (size_t)sprintf(p->options + at, " taxonomy=%s", rr_path(g, "tree"));
    if (!aa && !mm && o_below(seed, 4) == 0) at += (size_t)sprintf(p->options + at, " strict");
    if (o_below(seed, 4) == 0) at += (size_t)sprintf(p->options + at, " persons=record");
    if (p->sensitive) at += (size_t)sprintf(p->options + at, " sensitive=%s", rr_path(g, "list"));
    if (p->sensitive && !mm && o_below(seed, 3) == 0) p->sensitive_known = 1;
    if (p->sensitive_known > 0) sprintf(p->options + at, " sensitive-known=1");
}

static void original_draw(uint64_t *seed, lethe_ctx *ctx, const char *edges, bool sensitive,
                          char *out)
{
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(edges), LETHE_NAMES_RAW, &t), LETHE_OK);
    size_t n = 1 + o_below(seed, SETS);
    // both sensitive items are there, or the list would be warned of
    out += sprintf(out, "q\t%s\nr\t%s\n", sensitive ? "0" : "", sensitive ? "1" : "");
    for (size_t i = 0; i < n; i++) {
        uint32_t bag[8];
        size_t size = r_leaves(seed, t, ITEMS, bag);
        out += sprintf(out, "p%zu\t", o_below(seed, n));
        unsigned marks = sensitive ? (unsigned)o_below(seed, 6) : 0;
        out += sprintf(out, "%s%s",
                       marks == 1   ? "0"
                       : marks == 2 ? "1"
                       : marks == 3 ? "0 1"
                                    : "",
                       size && marks && marks < 4 ? " " : "");
        r_line(t, bag, size, out);
        strcat(out, "\n");
        out += strlen(out);
    }
    lethe_tree_free(t);
}

/* Up to so many are known: what comes of it. */
typedef struct seen {
    double under_k, over_limit, none, among, persons;
    char *text;
} seen;

static seen attack(ground *g, const char *original, unsigned known, unsigned absent,
                   unsigned sensitive, uint64_t seed)
{
    static const lethe_option table[] = {
        {.name = "known", .type = LETHE_OPT_COUNT, .fallback = "3", .min = 1, .max = 1000},
        {.name = "absent", .type = LETHE_OPT_COUNT, .max = 1000},
        {.name = "taxonomy", .type = LETHE_OPT_PATH},
        {.name = "sensitive-known", .type = LETHE_OPT_COUNT, .fallback = "0", .max = 1000},
        {0}};
    lethe_value at[4];
    lethe_values values;
    char text[3][16];
    lethe_ctx *ctx = g_ctx(g, 2);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    lethe_values_init(&values, table, at);
    sprintf(text[0], "%u", known);
    sprintf(text[1], "%u", absent);
    assert_int_equal(lethe_values_set(&values, 0, text[0], NULL), LETHE_OK);
    assert_int_equal(lethe_values_set(&values, 1, text[1], NULL), LETHE_OK);
    assert_int_equal(lethe_values_set(&values, 2, rr_path(g, "tree"), NULL), LETHE_OK);
    sprintf(text[2], "%u", sensitive);
    assert_int_equal(lethe_values_set(&values, 3, text[2], NULL), LETHE_OK);
    lethe_evaluate_options job = {.folder = g->out,
                                  .originals = &original,
                                  .n_originals = 1,
                                  .map = g->map,
                                  .adversary = "presence-absence",
                                  .values = &values,
                                  .has_seed = true,
                                  .seed = seed};
    if (lethe_release_attack(ctx, &job, doc, &report) != LETHE_OK) fail_msg("%s", g->said);
    const lethe_json *v = lethe_json_get(lethe_json_get(report, "metrics"), "presence-absence"),
                     *after = lethe_json_get(v, "candidates_after");
    seen s = {lethe_json_real(lethe_json_get(after, "under_k")),
              lethe_json_real(lethe_json_get(after, "over_limit")),
              lethe_json_real(lethe_json_get(after, "none")),
              lethe_json_real(lethe_json_get(after, "among")),
              lethe_json_real(lethe_json_get(v, "persons")),
              lethe_json_write(v, 0, NULL)};
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return s;
}

/* What happened, over all rounds. */
typedef struct tally {
    unsigned made[6], refused; /* by method */
    unsigned found, told;      /* by who knows more, */
    unsigned by_sensitive;     /* and by who knows a sensitive item where that was not promised */
    unsigned knowing;          /* releases that promise it */
} tally;

static void release_attack(ground *g, const promise *p, uint64_t *seed, uint64_t round, tally *t)
{
    for (unsigned try = 0; try < TRIES; try++) {
        unsigned known = 1 + (unsigned)o_below(seed, p->m),
                 absent = (unsigned)o_below(seed, p->n + 1),
                 sensitive = try % 2 ? p->sensitive_known : 0;
        seen s = attack(g, g->log, known, absent, sensitive, round * TRIES + try);
        // a person's own set always fits, for the whole of it is published in one way
        bool kept = (p->k == 1 || s.under_k == 0) && s.over_limit == 0 && s.none == 0 &&
                    (s.persons == 0 || s.among == 1);
        if (!kept) fail_msg("seed %d: %s\n%s", (int)round, p->options, s.text);
        lethe_json_text_free(s.text);
    }
    seen more = attack(g, g->log, p->m + 2, p->n + 3, 0, round);
    t->found += p->k > 1 && more.under_k > 0;
    t->told += more.over_limit > 0;
    lethe_json_text_free(more.text);
    t->knowing += p->sensitive_known;
    if (!p->sensitive || p->sensitive_known > 0) return;
    more = attack(g, g->log, p->m, 0, 1, round);
    t->by_sensitive += (p->k > 1 && more.under_k > 0) || more.over_limit > 0;
    lethe_json_text_free(more.text);
}

static void promises_hold_against_who_knows_no_more(void **state)
{
    (void)state;
    static const lethe_method *const methods[] = {&lethe_method_og, &lethe_method_mog,
                                                  &lethe_method_aa, &lethe_method_mm};
    tally t = {0};
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char tree[R_TEXT], original[R_TEXT];
        ground g;
        promise p;
        g_begin(&g);
        lethe_ctx *ctx = g_ctx(&g, 1);
        r_tree(&seed, tree);
        promise_draw(&seed, &g, &p);
        original_draw(&seed, ctx, tree, p.sensitive, original);
        lethe_ctx_free(ctx);
        g_write(rr_path(&g, "tree"), tree);
        g_write(rr_path(&g, "list"), letters);
        g_write(g.log, original);
        made m = rr_make(&g, p.method, p.options, g.log, 2, true);
        if (m.e != LETHE_OK && m.e != LETHE_ANSWER_NO) fail_msg("seed %d: %s", (int)round, g.said);
        if (m.e == LETHE_OK) release_attack(&g, &p, &seed, round, &t);
        for (size_t i = 0; i < LETHE_COUNT(methods); i++)
            t.made[i] += m.e == LETHE_OK && methods[i] == p.method;
        t.refused += m.e == LETHE_ANSWER_NO;
        rr_free(&m);
        g_end(&g);
    }
    for (size_t i = 0; i < LETHE_COUNT(methods); i++)
        assert_in_range(t.made[i], ROUNDS / 30, ROUNDS);
    assert_in_range(t.refused, 1, 3 * ROUNDS / 4);
    assert_in_range(t.found, ROUNDS / 25, ROUNDS);
    assert_in_range(t.told, ROUNDS / 50, ROUNDS);
    assert_in_range(t.by_sensitive, ROUNDS / 25, ROUNDS);
    assert_in_range(t.knowing, ROUNDS / 75, ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises_hold_against_who_knows_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
