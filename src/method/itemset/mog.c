/* mog.c - og in rounds: for one known item, two, .. m, then for one known to be missing, .. n, each
 * on what the round before it made.  J. Liu, thesis, 2010, section 4.4.2.
 *
 * Early rounds know little and find few threats; late ones work on few items.  What a round
 * generalizes stays so, and the result need not be the best. */
#include "method/itemset/kl.h"

/* More leaves than the taxonomy has cannot be known to be missing. */
static uint64_t most_missing(const lethe_kl_run *h)
{
    return LETHE_MIN(h->kl.n, (uint64_t)h->t->leaves[0]);
}

static lethe_err rounds(lethe_kl_run *h)
{
    uint32_t m = 0;
    uint64_t n = 0, most = most_missing(h);
    while (m < h->kl.m || n < most) {
        if (m < h->kl.m)
            m++;
        else
            n++;
        LETHE_TRY(lethe_kl_round(h, m, n, m == h->kl.m && n == most));
    }
    h->optimal = h->optimal && h->kl.m + h->kl.n == 1;
    return LETHE_OK;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    lethe_kl_run h;
    lethe_err e = lethe_kl_begin(&h, run, in, out);
    if (e == LETHE_OK) e = rounds(&h);
    if (e == LETHE_OK) e = lethe_kl_publish(&h);
    lethe_kl_end(&h);
    return e;
}

static const lethe_option options[] = {LETHE_SET_OPTIONS, LETHE_KL_OPTIONS, {0}};

const lethe_method lethe_method_mog = {
    .name = "mog",
    .summary = "og in rounds of growing knowledge: faster for large m and n, nearly as good",
    .description =
        "Promises what og promises, and gets there in rounds: first against knowing one item, then "
        "two, up to m; then also that one is missing, up to n. Every round works on what the one "
        "before it has published, so that there are ever fewer items, and never goes back. The "
        "loss "
        "is close to the least, and not always the least (optimal is false but for one round). "
        "threats, nodes, cuts and seconds are sums over all rounds; limits are for each round.",
    .paper =
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University 2010, section 4.4.2",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .validate = lethe_kl_validate,
    .knowledge = "taxonomy",
    .figures = lethe_kl_figures,
    .notion = "kl-privacy",
    .claims = lethe_kl_claims,
    .sets = true,
    .sweep = "k",
    .compare = "m=2",
    .good_for = {[LETHE_GOAL_PATTERNS] = 2, [LETHE_GOAL_COUNTS] = 2},
    .keeps =
        "one set a person, with the same terms in all sets, so that they can be counted and mined",
    .caveats = lethe_kl_caveats,
    .warns = lethe_kl_warns,
    .example = "lethe mog baskets.txt --taxonomy goods.tsv -k 5 -m 6 -n 2 -o release/",
    .run = run,
};
