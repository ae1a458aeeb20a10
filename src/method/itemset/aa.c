/* SPDX-License-Identifier: Apache-2.0 */
/* aa.c - sets generalized by a cut of the taxonomy that gives k^m-anonymity, found greedily.
 * M. Terrovitis, N. Mamoulis and P. Kalnis, "Privacy-preserving Anonymization of Set-valued Data",
 * VLDB 2008: apriori_cut.h.  The method that og is compared with. */
#include "method/itemset/apriori_cut.h"
#include "core/mem.h"
#include "method/itemset/sets.h"

static lethe_kl kl_of(const lethe_values *v)
{
    return (lethe_kl){
        .k = (uint64_t)lethe_count_of(v, "k"), .l = 1, .m = (uint32_t)lethe_count_of(v, "m")};
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_kl kl = kl_of(v);
    lethe_sets_kl_claim(v, &kl, doc, out);
}

static lethe_err run_in(lethe_run *run, const lethe_data *in, lethe_arena *a, lethe_result *out)
{
    const lethe_records *sets = in->records;
    lethe_kl kl = kl_of(run->values);
    lethe_cuts_costs costs;
    lethe_apriori_cut cut;
    LETHE_TRY(lethe_sets_enough(run, sets, kl.k));
    if (lethe_cuts_costs_find(sets, in->tree, a, &costs) != LETHE_OK)
        return lethe_no_memory(run->ctx);
    lethe_ctx_phase(run->ctx, "combinations", 0);
    LETHE_TRY(lethe_apriori_cut_find(run->ctx, sets, in->tree, &costs, kl.k, kl.m, a, &cut));
    if (cut.none) return lethe_sets_root_invalid(run, sets, in->tree);
    return lethe_sets_publish_cut(run, out, sets, in->tree, &costs, cut.node, cut.n);
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? run_in(run, in, a, out) : lethe_no_memory(run->ctx);
    lethe_arena_free(a);
    return e;
}

/* clang-format off */
/* Items and everything above them, 12 bytes each and up to 8 more (apriori_cut.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v;
    return 16 * lethe_need_path_nodes(in, s);
}

static const lethe_option options[] = {
    LETHE_SET_OPTIONS,
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 2, .max = 1e9,
     .required = true, .help = "at least this many persons fit whatever is known"},
    {.name = "m", .letter = 'm', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e3,
     .required = true, .help = "how many items of a person may be known"},
    {0},
};
/* clang-format on */

static const lethe_figure figures[] = {LETHE_CUT_FIGURES, {0}};

static const char *const caveats[] = {
    "Anyone who knows more than m items of a person, or items that the person does not have, may "
    "find the person.",
    "No item is treated as sensitive: all persons who fit what is known may share an item that is "
    "published.",
    LETHE_SETS_CAVEAT_RELEASES,
    LETHE_SETS_CAVEAT_NONE,
    NULL,
};

const lethe_method lethe_method_aa = {
    .name = "aa",
    .summary = "generalize items greedily, so that any m known items fit k persons",
    .description =
        "Publishes the items of each person as a set, with some items generalized: where an item "
        "is replaced by a more general one, it is replaced in every set (full-subtree "
        "generalization, a cut through the taxonomy). Anyone who knows up to m items of a person "
        "finds at least k sets that fit, or none (k^m-anonymity). This is what og promises with "
        "-l 1 and -n 0. aa is the greedy method that og is compared with, and usually loses "
        "more.\n"
        "\n"
        "For one known item, then two, up to m, the method counts the combinations of that many "
        "items, as generalized so far and with more general items. A combination that fits some "
        "but fewer than k persons is generalized at once, in the cheapest way that fits k, "
        "unless an earlier step has already done so.\n"
        "\n"
        "An item generalized to one with m of the taxonomy's M leaves below it loses (m - 1) / (M "
        "- 1). The records of a person are merged into one set; with --persons record each record "
        "counts as a person.",
    .paper = "M. Terrovitis, N. Mamoulis and P. Kalnis, \"Privacy-preserving Anonymization of "
             "Set-valued Data\", VLDB 2008",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .knowledge = "taxonomy",
    .figures = figures,
    .notion = "kl-privacy",
    .claims = claims,
    .sets = true,
    .sweep = "k",
    .compare = "m=2",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1, [LETHE_GOAL_COUNTS] = 1},
    .keeps = "one set per person, with the same terms in all sets, more general than og needs them",
    .caveats = caveats,
    .warns = lethe_sets_warns,
    .example = "lethe aa baskets.txt --taxonomy goods.tsv -k 5 -m 3 -o release/",
    .run = run,
    .need = need,
};
