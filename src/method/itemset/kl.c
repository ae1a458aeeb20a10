/* kl.c - what og and mog have in common: rounds of finding threats and the best cut without them,
 * and publishing by it. */
#include "method/itemset/kl.h"
#include "io/json/json.h"
#include "method/itemset/sets.h"
#include <time.h>

static lethe_diag *diag(const lethe_kl_run *h) { return lethe_ctx_diag(h->run->ctx); }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- options --- */

static lethe_kl kl_of(const lethe_values *v)
{
    return (lethe_kl){.k = (uint64_t)lethe_count_of(v, "k"),
                      .l = lethe_value_of(v, "l")->real,
                      .m = (uint32_t)lethe_count_of(v, "m"),
                      .n = (uint64_t)lethe_count_of(v, "n"),
                      .strict = lethe_count_of(v, "strict") != 0};
}

void lethe_kl_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims)
{
    lethe_kl kl = kl_of(v);
    lethe_sets_kl_claim(v, &kl, doc, claims);
}

lethe_err lethe_kl_validate(const lethe_values *v, lethe_diag *d)
{
    bool protects = lethe_value_of(v, "l")->real > 1;
    if (protects && !lethe_value_of(v, "sensitive")->given)
        return lethe_fail(d, LETHE_EUSAGE,
                          "-l protects the items of --sensitive, and none are named");
    if (!protects && lethe_count_of(v, "k") == 1)
        return lethe_fail(d, LETHE_EUSAGE,
                          "-k 1 hides nobody: it is for protecting sensitive items, by -l above 1");
    return LETHE_OK;
}

size_t lethe_kl_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = 0;
    if (!lethe_count_of(v, "strict"))
        out[n++] = "Knowledge that no set of items says is not protected against: that one of some "
                   "items of a kind is there, or something of a kind but not this (--strict).";
    if (lethe_count_of(v, "top-h") == 1)
        out[n++] = "The cut is the best there is: who knows the method can rule out data for which "
                   "it would have published more (--top-h).";
    return n;
}

const lethe_figure lethe_kl_figures[] = {
    LETHE_CUT_FIGURES,
    {"optimal", "whether the search was carried to its end, so that nothing better is left out", 1},
    {"threats", "sets of items that a cut must not show, as far as they had to be listed", 0},
    {"nodes", "sets of items that were looked at for threats", 0},
    {"cuts", "cuts that were looked at", 0},
    {"phase1_s", "seconds for threats", -1},
    {"phase2_s", "seconds for the cut", -1},
    {0},
};

const char *const lethe_kl_caveats[] = {
    "Who knows more than m items of a person, or of more than n that they are not there, may find "
    "the person.",
    LETHE_SETS_CAVEAT_SENSITIVE,
    LETHE_SETS_CAVEAT_NONE,
    LETHE_SETS_CAVEAT_RELEASES,
    LETHE_SETS_CAVEAT_PERSONS,
    NULL,
};

/* --- before the first round --- */

/* Every item is its own at first: the lowest live nodes. */
static lethe_err first_cut(lethe_kl_run *h)
{
    h->cut = lethe_new(h->arena, uint32_t, h->t->n);
    if (!h->cut) return lethe_no_memory(diag(h));
    for (uint32_t v = 0; v < h->t->n; v++)
        if (lethe_tree_is_leaf(h->t, v) && h->costs.live[v]) h->cut[h->n_cut++] = v;
    return LETHE_OK;
}

lethe_err lethe_kl_begin(lethe_kl_run *h, lethe_run *run, const lethe_data *in, lethe_result *out)
{
    *h = (lethe_kl_run){.run = run,
                        .out = out,
                        .t = in->tree,
                        .sets = in->records,
                        .kl = kl_of(run->values),
                        .optimal = true,
                        .arena = lethe_arena_new()};
    if (!h->arena) return lethe_no_memory(diag(h));
    LETHE_TRY(lethe_sets_enough(run, h->sets, h->kl.k));
    if (lethe_cuts_costs_find(h->sets, h->t, h->arena, &h->costs) != LETHE_OK)
        return lethe_no_memory(diag(h));
    return first_cut(h);
}

void lethe_kl_end(lethe_kl_run *h) { lethe_arena_free(h->arena); }

/* --- a round --- */

static size_t drawn(const lethe_kl_run *h, size_t n)
{
    lethe_rng rng = lethe_rng_stream(h->run->random, "top-h", 0);
    size_t which = (size_t)lethe_rng_below(&rng, n);
    lethe_rng_wipe(&rng);
    return which;
}

static lethe_err take_cut(lethe_kl_run *h, const lethe_cuts *cuts, bool last)
{
    if (cuts->n == 0) return lethe_sets_root_invalid(h->run, h->sets, h->t);
    const lethe_cuts_cut *cut = &cuts->cut[last && cuts->n > 1 ? drawn(h, cuts->n) : 0];
    memcpy(h->cut, cut->node, cut->n * sizeof *h->cut);
    h->n_cut = cut->n;
    h->cuts += cuts->examined;
    h->optimal = h->optimal && cuts->optimal;
    return LETHE_OK;
}

/* Nodes that are at or above the cut there is. */
static uint8_t *live_above(const lethe_kl_run *h, lethe_arena *a)
{
    uint8_t *live = lethe_new(a, uint8_t, h->t->n);
    if (!live) return NULL;
    live[0] = 1;
    for (size_t i = 0; i < h->n_cut; i++)
        for (uint32_t v = h->cut[i]; v != LETHE_NONE && !live[v]; v = h->t->parent[v])
            live[v] = 1;
    return live;
}

static lethe_err find_cut(lethe_kl_run *h, const lethe_threats *threats, lethe_arena *a, bool last)
{
    const lethe_values *v = h->run->values;
    lethe_cuts cuts = {0};
    uint8_t *live = live_above(h, a);
    if (!live) return lethe_no_memory(diag(h));
    lethe_cuts_problem p = {.t = h->t,
                            .live = live,
                            .cost = h->costs.cost,
                            .threats = threats,
                            .alpha = lethe_value_of(v, "alpha")->real,
                            .top = last ? (uint32_t)lethe_count_of(v, "top-h") : 1,
                            .max_cuts = (uint64_t)lethe_count_of(v, "max-cuts"),
                            .seconds = (double)lethe_count_of(v, "time-limit"),
                            .without = (unsigned)lethe_count_of(v, "without") >> 4};
    double began = now();
    lethe_ctx_phase(h->run->ctx, "cuts", 0);
    lethe_err e = lethe_cuts_find(h->run->ctx, &p, &cuts);
    h->phase2_s += now() - began;
    if (e == LETHE_OK) e = take_cut(h, &cuts, last);
    lethe_cuts_free(&cuts);
    return e;
}

static lethe_err round_in(lethe_kl_run *h, const lethe_kl *kl, lethe_arena *a, bool last)
{
    lethe_records sets;
    lethe_threats threats = {0};
    if (lethe_cuts_apply(h->sets, h->t, h->cut, h->n_cut, a, &sets) != LETHE_OK)
        return lethe_no_memory(diag(h));
    double began = now();
    lethe_ctx_phase(h->run->ctx, "threats", 0);
    unsigned without = (unsigned)lethe_count_of(h->run->values, "without") & 15;
    lethe_err e = lethe_threats_find(h->run->ctx, &sets, h->t, kl, without, &threats);
    h->phase1_s += now() - began;
    h->threats += threats.stored;
    h->nodes += threats.nodes;
    if (e == LETHE_OK && threats.common != LETHE_NONE)
        e = lethe_sets_too_common(h->run, h->sets, threats.common, threats.common_n,
                                  "no cut is valid", "-l", 1 / h->kl.l);
    if (e == LETHE_OK) e = find_cut(h, &threats, a, last);
    lethe_threats_free(&threats);
    return e;
}

lethe_err lethe_kl_round(lethe_kl_run *h, uint32_t m, uint64_t n, bool last)
{
    lethe_kl kl = h->kl;
    kl.m = m;
    kl.n = n;
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(diag(h));
    lethe_err e = round_in(h, &kl, a, last);
    lethe_arena_free(a);
    return e;
}

/* --- publishing --- */

lethe_err lethe_kl_publish(lethe_kl_run *h)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    LETHE_TRY(lethe_sets_publish_cut(h->run, h->out, h->sets, h->t, &h->costs, h->cut, h->n_cut));
    lethe_json_set(doc, m, "optimal", lethe_json_new_bool(doc, h->optimal));
    lethe_set_count(doc, m, "threats", h->threats);
    lethe_set_count(doc, m, "nodes", h->nodes);
    lethe_set_count(doc, m, "cuts", h->cuts);
    lethe_set_real(doc, m, "phase1_s", h->phase1_s);
    lethe_set_real(doc, m, "phase2_s", h->phase2_s);
    return lethe_json_failed(doc) ? lethe_no_memory(diag(h)) : LETHE_OK;
}
