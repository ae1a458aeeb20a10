/* SPDX-License-Identifier: Apache-2.0 */
/* kl.c - what og and mog share: options, figures and caveats, and a round, which finds the best
 * cut that shows no threat. */
#include "method/itemset/kl.h"
#include "io/json/json.h"
#include "method/itemset/best_cuts.h"
#include "method/itemset/sets.h"
#include <stdio.h>

/* --- options, figures, caveats --- */

/* clang-format off */
const lethe_option lethe_kl_options[] = {
    LETHE_SET_OPTIONS,
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,
     .required = true,
     .help = "at least this many persons fit whatever is known; 1 protects only sensitive items"},
    {.name = "l", .letter = 'l', .type = LETHE_OPT_REAL, .arg = "X", .fallback = "1",
     .min = 1, .max = 1e9,
     .help = "at most 1/X of the persons who fit have any one sensitive item; 1: no limit"},
    {.name = "m", .letter = 'm', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e3,
     .required = true, .help = "how many items of a person may be known"},
    {.name = "n", .letter = 'n', .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "0",
     .min = 0, .max = 1e9,
     .help = "how many items may be known to be absent from a person's set"},
    LETHE_SENSITIVE_OPTION,
    {.name = "sensitive-known", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "0",
     .min = 0, .max = 100,
     .help = "how many sensitive items of a person may be known, besides the others"},
    {.name = "strict", .type = LETHE_OPT_FLAG,
     .help = "also protect against an adversary who knows that one of two or three sibling items "
             "is present, or that an item of a kind is present but a certain one is not"},
    {.name = "time-limit", .type = LETHE_OPT_DURATION, .arg = "DURATION", .min = 1, .max = 3.2e9,
     .help = "stop each search for a cut after this time; there is one each time threats are "
             "added"},
    {.name = "max-cuts", .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 9e15,
     .help = "stop each search for a cut after N cuts"},
    {.name = "alpha", .type = LETHE_OPT_REAL, .arg = "X", .fallback = "0", .min = 0, .max = 1e3,
     .help = "accept a cut that loses at most 1 + X times the least loss"},
    {.name = "top-h", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "1", .min = 1, .max = 1000,
     .help = "publish by a random one of the N best cuts, so that nobody can draw conclusions from "
             "the cut being the best"},
    {0},
};
/* clang-format on */

const lethe_figure lethe_kl_figures[] = {
    LETHE_CUT_FIGURES,
    {"optimal", "whether the published cut is proven to be the cheapest", 1,
     .kind = LETHE_FIGURE_FLAG, .label = "least possible loss"},
    {"threats", "sets of items that a cut must not show, as far as they had to be listed",
     .better = 0, .label = "item sets that must not show", .detail = true},
    {"nodes", "sets of items examined in the search for threats", .better = 0,
     .label = "item sets examined", .detail = true},
    {"cuts", "cuts examined", .better = 0, .label = "cuts examined", .detail = true},
    {"phase1_s", "seconds to find the threats", -1, .source = LETHE_FIGURE_RUN,
     .kind = LETHE_FIGURE_NUMBER, .label = "time to find what must not show", .unit = "seconds",
     .detail = true},
    {"phase2_s", "seconds to find the cut", -1, .source = LETHE_FIGURE_RUN,
     .kind = LETHE_FIGURE_NUMBER, .label = "time to find the cut", .unit = "seconds",
     .detail = true},
    {0},
};

const char *const lethe_kl_caveats[] = {
    "Anyone who knows more than m items of a person, or more than n items that the person does not "
    "have, may find the person.",
    LETHE_SETS_CAVEAT_RELEASES,
    LETHE_SETS_CAVEAT_NONE,
    NULL,
};

size_t lethe_kl_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = lethe_sets_warns(v, out);
    if (!lethe_count_of(v, "strict"))
        out[n++] = "Some knowledge cannot be written as a set of items, and is not protected "
                   "against: that one of several items of a kind is present, or that an item of a "
                   "kind is present but not a certain one (--strict).";
    if (lethe_count_of(v, "top-h") == 1)
        out[n++] = "The cut is the best one: anyone who knows the method can rule out data for "
                   "which it would have published more (--top-h).";
    return n;
}

static lethe_kl kl_of(const lethe_values *v)
{
    return (lethe_kl){.k = (uint64_t)lethe_count_of(v, "k"),
                      .l = lethe_value_of(v, "l")->real,
                      .m = (uint32_t)lethe_count_of(v, "m"),
                      .n = (uint64_t)lethe_count_of(v, "n"),
                      .strict = lethe_count_of(v, "strict") != 0,
                      .sensitive_known = (uint32_t)lethe_count_of(v, "sensitive-known")};
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
                          "-l needs the list of sensitive items: --sensitive FILE");
    if (lethe_count_of(v, "sensitive-known") > 0 && !lethe_value_of(v, "sensitive")->given)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--sensitive-known needs the list of sensitive items: --sensitive FILE");
    if (!protects && lethe_count_of(v, "k") == 1)
        return lethe_fail(d, LETHE_EUSAGE,
                          "-k 1 protects nobody: use -k 2 or more, or -l above 1 to protect "
                          "sensitive items");
    return LETHE_OK;
}

/* --- a round --- */

/* At or above the current cut. */
static lethe_err mark_live(const lethe_kl_run *h, lethe_arena *a, uint8_t **out)
{
    uint8_t *live = lethe_new(a, uint8_t, h->t->n);
    if (!live) return LETHE_ENOMEM;
    live[0] = 1;
    for (size_t i = 0; i < h->n_cut; i++)
        for (uint32_t u = h->cut[i]; u != LETHE_NONE && !live[u]; u = h->t->parent[u])
            live[u] = 1;
    *out = live;
    return LETHE_OK;
}

/* The sets by the current cut.  Where it is all leaves, they are themselves. */
static lethe_err sets_by_cut(const lethe_kl_run *h, lethe_arena *a, lethe_records *out)
{
    size_t leaves = 0;
    while (leaves < h->n_cut && lethe_tree_is_leaf(h->t, h->cut[leaves]))
        leaves++;
    *out = *h->sets;
    return leaves == h->n_cut ? LETHE_OK
                              : lethe_cuts_apply(h->sets, h->t, h->cut, h->n_cut, a, out);
}

/* Why no cut is valid for someone who knows sensitive items: the empty set is a threat. */
static lethe_err known_invalid(const lethe_kl_run *h, const lethe_best_cuts *b)
{
    const lethe_dict *marks = h->sets->marks;
    lethe_str known = lethe_dict_at(marks, b->known);
    char more[48] = "";
    if (b->n_known > 1) snprintf(more, sizeof more, " and %u more", b->n_known - 1);
    if (b->common == LETHE_NONE)
        return lethe_fail(h->run->ctx, LETHE_ANSWER_NO,
                          "no cut is valid: %llu sets have sensitive item '%.*s'%s, which may be "
                          "known (--sensitive-known): fewer than -k %llu",
                          (unsigned long long)b->known_n, (int)LETHE_MIN(known.n, 64), known.at,
                          more, (unsigned long long)h->kl.k);
    lethe_str other = lethe_dict_at(marks, b->common);
    return lethe_fail(
        h->run->ctx, LETHE_ANSWER_NO,
        "no cut is valid: of the %llu sets with sensitive item '%.*s'%s, which may be "
        "known (--sensitive-known), %llu have '%.*s' too: more than -l allows",
        (unsigned long long)b->known_n, (int)LETHE_MIN(known.n, 64), known.at, more,
        (unsigned long long)b->common_n, (int)LETHE_MIN(other.n, 64), other.at);
}

/* Takes the best cut or, of several, a random one. */
static lethe_err take_cut(lethe_kl_run *h, const lethe_best_cuts *best, uint32_t top)
{
    const lethe_cuts *cuts = &best->cuts;
    h->threats += best->threats;
    h->nodes += best->nodes;
    h->cuts += cuts->examined;
    h->phase1_s += best->phase1_s;
    h->phase2_s += best->phase2_s;
    if (best->known != LETHE_NONE) return known_invalid(h, best);
    if (best->common != LETHE_NONE)
        return lethe_sets_too_common(h->run, h->sets, best->common, best->common_n,
                                     "no cut is valid", "-l", 1 / h->kl.l);
    if (cuts->n == 0) return lethe_sets_root_invalid(h->run, h->sets, h->t);
    size_t which = 0;
    if (cuts->n > 1) {
        lethe_rng rng = lethe_rng_stream(h->run->random, "top-h", 0);
        which = (size_t)lethe_rng_below(&rng, cuts->n);
        lethe_rng_wipe(&rng);
    }
    h->n_cut = cuts->cut[which].n;
    memcpy(h->cut, cuts->cut[which].node, h->n_cut * sizeof *h->cut);
    // one of several may be the best by chance: to say so would undo what --top-h is for
    h->optimal = h->optimal && cuts->optimal && top <= 1;
    return LETHE_OK;
}

lethe_err lethe_kl_round(lethe_kl_run *h, uint32_t m, uint64_t n, uint32_t valid_m, bool last)
{
    const lethe_values *v = h->run->values;
    lethe_kl kl = h->kl;
    kl.m = m;
    kl.n = n;
    lethe_records sets;
    uint8_t *live = NULL;
    lethe_best_cuts best = {0};
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? sets_by_cut(h, a, &sets) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = mark_live(h, a, &live);
    if (e != LETHE_OK) {
        lethe_arena_free(a);
        return lethe_no_memory(h->run->ctx);
    }
    lethe_cuts_problem p = {.t = h->t,
                            .live = live,
                            .cost = h->costs.cost,
                            .alpha = lethe_value_of(v, "alpha")->real,
                            .top = last ? (uint32_t)lethe_count_of(v, "top-h") : 1,
                            .max_cuts = (uint64_t)lethe_count_of(v, "max-cuts"),
                            .seconds = (double)lethe_count_of(v, "time-limit")};
    e = lethe_best_cuts_find(h->run->ctx, &sets, &kl, valid_m, &p, LETHE_CUTS_ON_THE_WAY, &best);
    if (e == LETHE_OK) e = take_cut(h, &best, p.top);
    lethe_cuts_free(&best.cuts);
    lethe_arena_free(a);
    return e;
}

/* --- a run --- */

static lethe_err publish_in(lethe_kl_run *h, lethe_kl_rounds_fn rounds)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    LETHE_TRY(lethe_sets_enough(h->run, h->sets, h->kl.k));
    h->cut = lethe_new(h->arena, uint32_t, h->t->n);
    if (!h->cut || lethe_cuts_costs_find(h->sets, h->t, h->arena, &h->costs) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    for (uint32_t v = 0; v < h->t->n; v++) // at first every item stands for itself
        if (lethe_tree_is_leaf(h->t, v) && h->costs.live[v]) h->cut[h->n_cut++] = v;
    LETHE_TRY(rounds(h));
    LETHE_TRY(lethe_sets_publish_cut(h->run, h->out, h->sets, h->t, &h->costs, h->cut, h->n_cut));
    lethe_json_set(doc, m, "optimal", lethe_json_new_bool(doc, h->optimal));
    lethe_set_count(doc, m, "threats", h->threats);
    lethe_set_count(doc, m, "nodes", h->nodes);
    lethe_set_count(doc, m, "cuts", h->cuts);
    lethe_set_real(doc, m, "phase1_s", h->phase1_s);
    lethe_set_real(doc, m, "phase2_s", h->phase2_s);
    return lethe_json_failed(doc) ? lethe_no_memory(h->run->ctx) : LETHE_OK;
}

uint64_t lethe_kl_need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v;
    return 13 * lethe_need_path_nodes(in, s);
}

lethe_err lethe_kl_publish(lethe_run *run, const lethe_data *in, lethe_result *out,
                           lethe_kl_rounds_fn rounds)
{
    lethe_kl_run h = {.run = run,
                      .out = out,
                      .t = in->tree,
                      .sets = in->records,
                      .kl = kl_of(run->values),
                      .optimal = true,
                      .arena = lethe_arena_new()};
    lethe_err e = h.arena ? publish_in(&h, rounds) : lethe_no_memory(run->ctx);
    lethe_arena_free(h.arena);
    return e;
}
