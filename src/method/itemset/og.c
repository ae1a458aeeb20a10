/* SPDX-License-Identifier: Apache-2.0 */
/* og.c - sets generalized by the best cut of the taxonomy that gives KL(m,n)-privacy.
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * sections 4.2 to 4.4: the cut that Algorithm 4.1 finds (best_cuts.h). */
#include "method/itemset/kl.h"

static lethe_err one_round(lethe_kl_run *h) { return lethe_kl_round(h, h->kl.m, h->kl.n, 0, true); }

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    return lethe_kl_publish(run, in, out, one_round);
}

const lethe_method lethe_method_og = {
    .name = "og",
    .summary = "generalize items as little as possible, so that any m known items fit k persons",
    .description =
        "Publishes the items of each person as a set, with some items generalized: where an item "
        "is replaced by a more general one, it is replaced in every set (full-subtree "
        "generalization, a cut through the taxonomy). Anyone who knows up to m items that a "
        "person has, and up to n that the person does not have, finds at least k sets that fit, "
        "or none; and at most one in l of these sets has any one sensitive item (--sensitive). "
        "Sensitive items are published unchanged. Of all cuts that give this, the method takes "
        "the one that loses least.\n"
        "\n"
        "An item generalized to one with m of the taxonomy's M leaves below it loses (m - 1) / (M "
        "- 1). The records of a person are merged into one set; with --persons record each record "
        "counts as a person.\n"
        "\n"
        "A cut is not valid if it shows a threat: a set of items, specific or general, that fits "
        "fewer than k persons or reveals too much about a sensitive item. The method searches for "
        "the cheapest cut that shows none of the threats known so far, looks for threats in that "
        "cut, adds them, and repeats this until there are none. --time-limit and --max-cuts end "
        "each search for a cut early, with the best one found so far.",
    .paper =
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University 2010, chapter 4",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = lethe_kl_options,
    .validate = lethe_kl_validate,
    .knowledge = "taxonomy",
    .figures = lethe_kl_figures,
    .notion = "kl-privacy",
    .claims = lethe_kl_claims,
    .sets = true,
    .sweep = "k",
    .compare = "m=2",
    .good_for = {[LETHE_GOAL_PATTERNS] = 3, [LETHE_GOAL_COUNTS] = 3},
    .keeps = "one set per person, with the same terms in all sets, so that they can be counted and "
             "mined",
    .caveats = lethe_kl_caveats,
    .warns = lethe_kl_warns,
    .example = "lethe og baskets.txt --taxonomy goods.tsv -k 5 -m 3 -o release/",
    .run = run,
    .need = lethe_kl_need,
};
