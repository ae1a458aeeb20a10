/* SPDX-License-Identifier: Apache-2.0 */
/* sets.c - what the methods that publish sets share: claims, caveats, messages, and publishing by a
 * cut. */
#include "method/itemset/sets.h"
#include "io/json/json.h"
#include <stdlib.h>

static bool records_are_persons(const lethe_values *v) { return lethe_count_of(v, "persons") == 1; }

size_t lethe_sets_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    const lethe_value *sensitive = lethe_value_find(v, "sensitive");
    size_t n = 0;
    const lethe_value *known = lethe_value_find(v, "sensitive-known");
    if (sensitive && sensitive->given)
        out[n++] = known && known->count > 0
                       ? "Sensitive items are published unchanged. A person is not protected "
                         "against anyone who knows more of them than the promise allows for "
                         "(--sensitive-known)."
                       : "Sensitive items are published unchanged. A person is not protected "
                         "against anyone who knows that the person has one of them.";
    out[n++] =
        records_are_persons(v)
            ? "Each record counts as a person: a person with several records is not protected."
            : "The owner of each record is taken from the input: a person with several IDs "
              "counts several times.";
    return n;
}

void lethe_sets_kl_claim(const lethe_values *v, const lethe_kl *kl, lethe_json_doc *doc,
                         lethe_json *claims)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "kl-privacy");
    lethe_set_count(doc, c, "k", kl->k);
    lethe_set_count(doc, c, "m", kl->m);
    lethe_set_count(doc, c, "n", kl->n);
    lethe_set_real(doc, c, "l", kl->l);
    if (kl->sensitive_known > 0) lethe_set_count(doc, c, "sensitive_known", kl->sensitive_known);
    if (kl->strict) lethe_json_set(doc, c, "strict", lethe_json_new_bool(doc, true));
    if (records_are_persons(v)) lethe_set_text(doc, c, "persons", "record");
    lethe_json_push(doc, claims, c);
}

/* --- why nothing can be published --- */

lethe_err lethe_sets_enough(const lethe_run *run, const lethe_records *sets, uint64_t k)
{
    if (sets->n >= k) return LETHE_OK;
    return lethe_fail(run->ctx, LETHE_ANSWER_NO, "the input has %zu %s, fewer than -k %llu",
                      sets->n, records_are_persons(run->values) ? "records" : "persons",
                      (unsigned long long)k);
}

lethe_err lethe_sets_too_common(const lethe_run *run, const lethe_records *sets, uint32_t mark,
                                uint64_t with, const char *consequence, const char *option,
                                double most)
{
    lethe_str name = lethe_dict_at(sets->marks, mark);
    return lethe_fail(run->ctx, LETHE_ANSWER_NO,
                      "%s: sensitive item '%.*s' is in %.1f %% of the sets, and %s allows %.1f %%",
                      consequence, (int)LETHE_MIN(name.n, 64), name.at,
                      100 * (double)with / (double)sets->n, option, 100 * most);
}

lethe_err lethe_sets_root_invalid(const lethe_run *run, const lethe_records *sets,
                                  const lethe_tree *t)
{
    size_t with = 0;
    for (size_t i = 0; i < sets->n; i++)
        with += lethe_record_size(sets, i) > 0;
    lethe_str name = lethe_tree_name(t, 0);
    return lethe_fail(run->ctx, LETHE_ANSWER_NO,
                      "no cut is valid: %zu of %zu sets have an item at all, and even the root "
                      "'%.*s' would distinguish them too well",
                      with, sets->n, (int)LETHE_MIN(name.n, 64), name.at);
}

/* --- publishing --- */

static int by_name(const void *a, const void *b, void *arg)
{
    const lethe_tree *t = arg;
    return lethe_str_cmp(lethe_tree_name(t, *(const uint32_t *)a),
                         lethe_tree_name(t, *(const uint32_t *)b));
}

lethe_err lethe_sets_publish_cut(const lethe_run *run, lethe_result *out, const lethe_records *sets,
                                 const lethe_tree *t, const lethe_cuts_costs *costs, uint32_t *cut,
                                 size_t n)
{
    lethe_ctx_phase(run->ctx, "generalizing", 0);
    lethe_records shown;
    if (sets->n > UINT32_MAX)
        return lethe_fail(run->ctx, LETHE_EINPUT, "more than %u sets", UINT32_MAX);
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? lethe_cuts_apply(sets, t, cut, n, a, &shown) : LETHE_ENOMEM;
    if (e != LETHE_OK) lethe_no_memory(run->ctx);
    for (size_t i = 0; e == LETHE_OK && i < shown.n; i++)
        e = out->record(out, i, (uint32_t)i, shown.item + shown.start[i],
                        lethe_record_size(&shown, i));
    lethe_arena_free(a);
    LETHE_TRY(e);
    uint64_t cost = lethe_cuts_cost(costs, cut, n);
    lethe_set_real(out->doc, out->metrics, "ncp", lethe_cuts_ncp(costs, t, cost));
    lethe_set_real(out->doc, out->metrics, "cost",
                   (double)cost / (double)LETHE_MAX(lethe_tree_scale(t), 1));
    lethe_json *names = lethe_json_array(out->doc);
    qsort_r(cut, n, sizeof *cut, by_name, (void *)t);
    for (size_t i = 0; i < n; i++)
        if (costs->live[cut[i]] && costs->items > 0) // the root is live even without any item
            lethe_json_push(out->doc, names,
                            lethe_json_new_text(out->doc, lethe_tree_name(t, cut[i])));
    lethe_json_set(out->doc, out->metrics, "cut", names);
    return lethe_json_failed(out->doc) ? lethe_no_memory(run->ctx) : LETHE_OK;
}
