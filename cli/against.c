/* SPDX-License-Identifier: Apache-2.0 */
/* against.c - runs what compares a release with its original. */
#include "against.h"

lethe_err run_against(const arguments *a, const char *adversary, against_fn fn,
                      void (*show)(const lethe_json *metrics))
{
    const lethe_values *values = &a->stages[0].values;
    const char *original = lethe_value_of(values, "original")->text;
    lethe_evaluate_options against = {.folder = a->operands[0],
                                      .originals = &original,
                                      .n_originals = 1,
                                      .map = lethe_value_of(values, "map")->text,
                                      .adversary = adversary,
                                      .values = values,
                                      .has_seed = common(a, "seed")->given,
                                      .seed = (uint64_t)common(a, "seed")->count};
    lethe_err e = reading_of(a, &against.reading);
    if (e != LETHE_OK) return e;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (!doc) return LETHE_ENOMEM;
    e = fn(a->ctx, &against, doc, &report);
    if (wants_json(a) && report && (e == LETHE_OK || e == LETHE_ANSWER_NO)) {
        lethe_err printed = print_json(report);
        if (e == LETHE_OK) e = printed;
    } else if (e == LETHE_OK) {
        show(lethe_json_get(report, "metrics"));
    }
    lethe_json_doc_free(doc);
    return e;
}
