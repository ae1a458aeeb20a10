/* SPDX-License-Identifier: Apache-2.0 */
/* mm.c - sets without the items by which a person could be found: (h,k,p)-coherence.
 * Y. Xu, K. Wang, A. Fu and P. Yu, "Anonymizing Transaction Databases for Publication", KDD 2008:
 * moles.h.  The method that og is compared with where there is no taxonomy. */
#include "method/itemset/moles.h"
#include "io/json/json.h"
#include "method/itemset/sets.h"

static lethe_moles_coherence coherence_of(const lethe_values *v)
{
    return (lethe_moles_coherence){.h = lethe_value_of(v, "h")->real,
                                   .k = (uint64_t)lethe_count_of(v, "k"),
                                   .p = (uint32_t)lethe_count_of(v, "p")};
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_moles_coherence c = coherence_of(v);
    lethe_json *claim = lethe_json_object(doc);
    lethe_set_text(doc, claim, "notion", "coherence");
    lethe_set_real(doc, claim, "h", c.h);
    lethe_set_count(doc, claim, "k", c.k);
    lethe_set_count(doc, claim, "p", c.p);
    if (lethe_count_of(v, "persons") == 1) lethe_set_text(doc, claim, "persons", "record");
    lethe_json_push(doc, out, claim);
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    lethe_moles_coherence c = coherence_of(v);
    if (c.h < 1 && !lethe_value_of(v, "sensitive")->given)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--h needs the list of sensitive items: --sensitive FILE");
    if (c.h >= 1 && c.k == 1)
        return lethe_fail(
            d, LETHE_EUSAGE,
            "-k 1 protects nobody: use -k 2 or more, or --h below 1 to protect sensitive items");
    return LETHE_OK;
}

static lethe_err run_in(lethe_run *run, const lethe_data *in, lethe_arena *a, lethe_result *out)
{
    const lethe_records *sets = in->records;
    lethe_moles_coherence c = coherence_of(run->values);
    lethe_moles moles;
    LETHE_TRY(lethe_sets_enough(run, sets, c.k));
    lethe_ctx_phase(run->ctx, "moles", 0);
    LETHE_TRY(lethe_moles_suppress(run->ctx, sets, in->tree->n, &c, a, &moles));
    if (moles.common != LETHE_NONE)
        return lethe_sets_too_common(run, sets, moles.common, moles.common_n,
                                     "removing items does not help", "--h", c.h);
    uint64_t longest = 0, all = sets->start[sets->n];
    for (size_t i = 0; i < sets->n; i++)
        longest = LETHE_MAX(longest, lethe_record_size(sets, i));
    uint32_t *node = lethe_new(a, uint32_t, longest);
    if (!node) return lethe_no_memory(run->ctx);
    for (size_t i = 0; i < sets->n; i++) {
        size_t n = 0;
        for (uint64_t k = sets->start[i]; k < sets->start[i + 1]; k++)
            if (!moles.suppressed[sets->item[k]]) node[n++] = sets->item[k];
        LETHE_TRY(out->record(out, i, (uint32_t)i, node, n));
    }
    lethe_set_count(out->doc, out->metrics, "distinct_items_removed", moles.n_suppressed);
    lethe_set_real(out->doc, out->metrics, "ncp",
                   all > 0 ? (double)moles.occurrences / (double)all : 0);
    return lethe_json_failed(out->doc) ? lethe_no_memory(run->ctx) : LETHE_OK;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? run_in(run, in, a, out) : lethe_no_memory(run->ctx);
    lethe_arena_free(a);
    return e;
}

/* clang-format off */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    lethe_moles_coherence c = coherence_of(v);
    return lethe_moles_need(in ? in->records : NULL, in ? in->tree->n : 0, &c, s);
}

static const lethe_option options[] = {
    LETHE_FLAT_SET_OPTIONS,
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,
     .required = true,
     .help = "at least this many persons fit whatever is known; 1 protects only sensitive items"},
    {.name = "h", .type = LETHE_OPT_REAL, .arg = "SHARE", .fallback = "1", .min = 0, .max = 1,
     .help = "at most this share of the persons who fit has any one sensitive item; 1: no limit"},
    {.name = "p", .letter = 'p', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e3,
     .required = true, .help = "how many items of a person may be known"},
    LETHE_SENSITIVE_OPTION,
    {0},
};
/* clang-format on */

static const lethe_figure figures[] = {
    {"distinct_items_removed", "distinct items that were removed from all sets", .better = -1},
    {"ncp", "share of the items of all sets that is removed", -1, .kind = LETHE_FIGURE_SHARE,
     .label = "items removed"},
    {0},
};

static const char *const caveats[] = {
    "Anyone who knows more than p items of a person, or items that the person does not have, may "
    "find the person.",
    "An item that is removed from all sets looks as if nobody had it. Anyone who notices that it "
    "is missing learns that it was rare, or rare in combination with published items.",
    LETHE_SETS_CAVEAT_RELEASES,
    LETHE_SETS_CAVEAT_NONE,
    NULL,
};

const lethe_method lethe_method_mm = {
    .name = "mm",
    .summary = "remove items so that any p known items fit k persons; needs no taxonomy",
    .description =
        "Publishes the items of each person as a set, with some items removed from all sets; "
        "nothing is generalized. Anyone who knows up to p items of a person finds at least k "
        "sets that fit, or none; and at most the share h of these sets has any one sensitive "
        "item (--sensitive). Sensitive items are published unchanged ((h,k,p)-coherence). mm is "
        "the method that og is compared with where there is no taxonomy, and loses far more.\n"
        "\n"
        "The method first finds the minimal combinations that break the promise. Then it removes "
        "items, one by one, until none of these combinations is left: first the items that break "
        "the promise by themselves, then always the one that is in most of the combinations per "
        "set that has it.\n"
        "\n"
        "The records of a person are merged into one set; with --persons record each record "
        "counts as a person.",
    .paper = "Y. Xu, K. Wang, A. Fu and P. Yu, \"Anonymizing Transaction Databases for "
             "Publication\", KDD 2008",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .validate = validate,
    .figures = figures,
    .notion = "coherence",
    .claims = claims,
    .sets = true,
    .sweep = "k",
    .compare = "p=2",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1, [LETHE_GOAL_COUNTS] = 2},
    .keeps = "one set per person, of the items that are common enough, unchanged",
    .caveats = caveats,
    .warns = lethe_sets_warns,
    .example = "lethe mm baskets.txt -k 5 -p 3 --h 0.4 --sensitive list.txt -o release/",
    .run = run,
    .need = need,
};
