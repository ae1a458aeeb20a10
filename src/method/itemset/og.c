/* og.c - sets generalized by the best cut of the taxonomy that gives KL(m,n)-privacy.
 * J. Liu, thesis, 2010, sections 4.2 to 4.4: Algorithm 4.1.  Threats are found once
 * (algo/threats.h), then the cheapest cut that shows none of them (algo/cuts.h). */
#include "method/itemset/kl.h"

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    lethe_kl_run h;
    lethe_err e = lethe_kl_begin(&h, run, in, out);
    if (e == LETHE_OK) e = lethe_kl_round(&h, h.kl.m, h.kl.n, true);
    if (e == LETHE_OK) e = lethe_kl_publish(&h);
    lethe_kl_end(&h);
    return e;
}

static const lethe_option options[] = {LETHE_SET_OPTIONS, LETHE_KL_OPTIONS, {0}};

const lethe_method lethe_method_og = {
    .name = "og",
    .summary = "generalize items as little as can be, so that m known items fit k persons",
    .description =
        "Publishes each person's items as a set, some of them generalized: wherever an item is "
        "replaced by a more general one, it is in every set (full-subtree generalization, a cut "
        "through the taxonomy). Who knows of somebody that up to m items are there, and that up to "
        "n are not, finds at least k sets that fit, or none; and of these at most one in l has any "
        "one sensitive item (--sensitive), which are published as they are. Of all cuts that give "
        "this the one is taken that loses least.\n"
        "\n"
        "An item generalized to one with m of the taxonomy's M leaves below it loses (m - 1) / "
        "(M - 1). The records of a person are merged into one set; --persons record takes each "
        "for a person.\n"
        "\n"
        "First the threats are found: sets of items, specific or general, that fit fewer than k "
        "persons or tell too much of a sensitive item. Then, from the top of the taxonomy down, "
        "the cheapest cut that shows none. Both searches leave out what cannot matter; --without "
        "turns that off, for experiments. --time-limit and --max-cuts end the second one early, "
        "with the best cut found so far.",
    .paper =
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University 2010, chapter 4",
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
    .good_for = {[LETHE_GOAL_PATTERNS] = 3, [LETHE_GOAL_COUNTS] = 3},
    .keeps =
        "one set a person, with the same terms in all sets, so that they can be counted and mined",
    .caveats = lethe_kl_caveats,
    .warns = lethe_kl_warns,
    .example = "lethe og baskets.txt --taxonomy goods.tsv -k 5 -m 3 -o release/",
    .run = run,
};
