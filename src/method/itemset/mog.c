/* SPDX-License-Identifier: Apache-2.0 */
/* mog.c - og in rounds: for one known item, two, .. m, then for one known to be absent, .. n, each
 * on the result of the round before.  J. Liu, "Enhancing Utility in Privacy Preserving Data
 * Publishing", Simon Fraser University, 2010, section 4.4.2.
 *
 * Early rounds assume little knowledge and find few threats; late ones work on few items.  What a
 * round generalizes stays so, and the result need not be the best. */
#include "method/itemset/kl.h"

static lethe_err rounds(lethe_kl_run *h)
{
    uint32_t m = 0;
    // more leaves than the taxonomy has cannot be known to be absent
    uint64_t n = 0, n_max = LETHE_MIN(h->kl.n, (uint64_t)h->t->leaves[0]);
    while (m < h->kl.m || n < n_max) {
        uint32_t valid_m = m;
        if (m < h->kl.m)
            m++;
        else
            n++;
        LETHE_TRY(lethe_kl_round(h, m, n, valid_m, m == h->kl.m && n == n_max));
    }
    h->optimal = h->optimal && h->kl.m + h->kl.n == 1;
    return LETHE_OK;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    return lethe_kl_publish(run, in, out, rounds);
}

const lethe_method lethe_method_mog = {
    .name = "mog",
    .summary = "like og, in rounds of growing m and n: faster when these are large, nearly as good",
    .description =
        "Promises what og promises, and gets there in rounds: first against knowing one item, then "
        "two, up to m; then also against knowing that one is absent, up to n. Every round works on "
        "the result of the round before, which has fewer and fewer items, and never goes back. The "
        "loss is close to the least, but not always the least (optimal is true only for a single "
        "round). threats, nodes, cuts and seconds are sums over all rounds; limits are per round.",
    .paper =
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University 2010, section 4.4.2",
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
    .good_for = {[LETHE_GOAL_PATTERNS] = 2, [LETHE_GOAL_COUNTS] = 2},
    .keeps = "one set per person, with the same terms in all sets, so that they can be counted and "
             "mined",
    .caveats = lethe_kl_caveats,
    .warns = lethe_kl_warns,
    .example = "lethe mog baskets.txt --taxonomy goods.tsv -k 5 -m 6 -n 2 -o release/",
    .run = run,
    .need = lethe_kl_need,
};
