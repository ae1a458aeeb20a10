/* SPDX-License-Identifier: Apache-2.0 */
/* What a manifest must say that its release does not protect against, and what it may say besides.
 */
#include "release/release.h"
#include "check/check.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "release/shape_ops.h"

const char *const lethe_run_caveats[LETHE_N_RUN_CAVEATS] = {
    [LETHE_CAVEAT_SEED] =
        "Made with a seed: anyone who guesses it can reverse the pseudonyms and choices.",
    [LETHE_CAVEAT_OWN_LEAVES] =
        ("Items that are not leaves of the taxonomy got leaves of their own: the numbers of leaves "
         "in taxonomy.tsv show how many there are, and below which nodes."),
    [LETHE_CAVEAT_KEY_FILE] =
        "Pseudonyms are keyed by a file: releases made with the same key can be joined.",
    [LETHE_CAVEAT_NOTHING_SENSITIVE] =
        "No published item is on the list of sensitive items: nothing is protected as sensitive.",
    [LETHE_CAVEAT_CHOSEN] =
        ("The methods and settings were chosen by looking at the data: that these were best tells "
         "something about it, and figures that decided the choice flatter it."),
    [LETHE_CAVEAT_SERIES] =
        ("Made again with the settings of an earlier release: whoever is in both inputs can be "
         "looked for in both releases, and their differences may show what neither shows alone."),
    [LETHE_CAVEAT_JOINED] =
        ("Joined from releases of parts of the input: groups were formed inside the parts, and "
         "that no person is in two of them is the publisher's word."),
};

bool lethe_json_has_text(const lethe_json *array, const char *text)
{
    for (size_t i = 0; i < lethe_json_count(array); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(array, i)), lethe_str_of(text))) return true;
    return false;
}

static void text_add(lethe_json_doc *doc, lethe_json *array, const char *text)
{
    if (!lethe_json_has_text(array, text))
        lethe_json_push(doc, array, lethe_json_new_text(doc, lethe_str_of(text)));
}

static void option_caveats(lethe_json_doc *doc, const lethe_step *step, lethe_json *out)
{
    const char *texts[LETHE_WARNS_MAX];
    size_t n = step->method->warns ? step->method->warns(&step->values, texts) : 0;
    for (size_t i = 0; i < n; i++)
        text_add(doc, out, texts[i]);
}

/* What a step warns of by itself and by its options.  A step without a claim would warn of what its
 * promise leaves open, and of rows that are not published. */
static void step_caveats(lethe_json_doc *doc, const lethe_step *step, const lethe_step *last,
                         lethe_json *out)
{
    if (!lethe_step_is_claimed(step, last)) return;
    for (const char *const *c = step->method->caveats; c && *c; c++)
        text_add(doc, out, *c);
    option_caveats(doc, step, out);
}

/* What must be warned of because of how the data is published. */
static void shape_caveats(lethe_json_doc *doc, const lethe_release_job *job, lethe_json *out)
{
    const char *texts[LETHE_MAX_CAVEATS];
    const lethe_json *claims = lethe_job_claims(doc, job);
    lethe_chain chain = {.last = &job->steps[job->n_steps - 1],
                         .times = lethe_claims_need_times(claims)};
    for (size_t i = 0; i < job->n_steps; i++) {
        chain.renames = chain.renames || job->steps[i].method->renames;
        chain.ids = chain.ids || job->steps[i].method->ids;
    }
    const lethe_shape_ops *ops = lethe_shape_ops_of(lethe_step_shape(chain.last));
    for (size_t i = 0, n = ops->caveats(&chain, &job->publishing, texts); i < n; i++)
        text_add(doc, out, texts[i]);
}

/* Caveats that follow from what a manifest shows: each of them must be there. */
static lethe_json *caveats_demanded(lethe_json_doc *doc, const lethe_json *manifest,
                                    const lethe_release_job *job)
{
    lethe_json *out = lethe_json_array(doc);
    const lethe_json *claims = lethe_json_get(manifest, "claims");
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const char *nothing = lethe_claim_nothing(lethe_json_at(claims, i));
        if (nothing) text_add(doc, out, nothing);
    }
    if (lethe_manifest_parts(manifest) > 0)
        text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_JOINED]);
    for (size_t i = 0; i < job->n_steps; i++)
        step_caveats(doc, &job->steps[i], &job->steps[job->n_steps - 1], out);
    shape_caveats(doc, job, out);
    return out;
}

/* Caveats that a run may add, which a manifest does not show: they may be there. */
static lethe_err caveats_possible(lethe_diag *d, lethe_arena *a, const lethe_json *manifest,
                                  lethe_json_doc *doc, const lethe_release_job *job,
                                  lethe_json *out)
{
    const lethe_step *last = &job->steps[job->n_steps - 1];
    const lethe_json *steps = lethe_json_get(manifest, "steps"),
                     *checks = lethe_json_get(lethe_json_get(manifest, "verdict"), "checks");
    // that thetas promise nothing only the data shows; the verdict is compared with the checks
    // later
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *nothing = lethe_json_get(lethe_json_at(checks, i), "nothing");
        if (nothing) lethe_json_push(doc, out, lethe_json_copy(doc, nothing));
    }
    text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_SEED]);
    text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_CHOSEN]);
    text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_SERIES]);
    if (lethe_value_find(&last->values, "taxonomy"))
        text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_OWN_LEAVES]);
    if (lethe_shape_ops_of(lethe_step_shape(last))->shows_users)
        text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_KEY_FILE]);
    if (lethe_is_given(&last->values, "sensitive"))
        text_add(doc, out, lethe_run_caveats[LETHE_CAVEAT_NOTHING_SENSITIVE]);
    for (size_t i = 0; i < job->n_steps; i++) {
        lethe_step step;
        LETHE_TRY(lethe_step_unhide(d, a, lethe_json_get(lethe_json_at(steps, i), "parameters"),
                                    &job->steps[i], &step));
        if (lethe_step_is_claimed(&step, last)) option_caveats(doc, &step, out);
        for (const char *const *c = step.method->found; c && *c; c++)
            text_add(doc, out, *c);
    }
    return LETHE_OK;
}

/* Takes the caveats that are in `known` from those of the manifest, each once: what is left. */
static lethe_json *caveats_unknown(lethe_json_doc *doc, const lethe_json *said,
                                   const lethe_json *known, bool *seen)
{
    lethe_json *unknown = lethe_json_array(doc);
    for (size_t i = 0; i < lethe_json_count(said); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(said, i));
        size_t k = 0, n = lethe_json_count(known);
        while (k < n && !lethe_str_eq(text, lethe_json_text(lethe_json_at(known, k))))
            k++;
        if (k == n || seen[k])
            lethe_json_push(doc, unknown, lethe_json_new_text(doc, text));
        else
            seen[k] = true;
    }
    return unknown;
}

static lethe_err caveats_compare(lethe_diag *d, lethe_arena *a, const lethe_json *manifest,
                                 lethe_json_doc *doc, bool *warns, lethe_json **unknown)
{
    lethe_release_job job;
    LETHE_TRY(lethe_manifest_job(d, a, manifest, doc, &job));
    lethe_json *known = caveats_demanded(doc, manifest, &job);
    size_t demanded = lethe_json_count(known);
    LETHE_TRY(caveats_possible(d, a, manifest, doc, &job, known));
    bool *seen = lethe_new(a, bool, lethe_json_count(known) + 1);
    if (!seen || lethe_json_failed(doc)) return lethe_no_memory(d);
    *unknown = caveats_unknown(doc, lethe_json_get(manifest, "caveats"), known, seen);
    *warns = true;
    for (size_t i = 0; i < demanded; i++)
        *warns = *warns && seen[i];
    return lethe_json_failed(doc) ? lethe_no_memory(d) : LETHE_OK;
}

lethe_err lethe_manifest_warns(lethe_diag *d, const lethe_json *manifest, lethe_json_doc *doc,
                               bool *warns, lethe_json **unknown)
{
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? caveats_compare(d, a, manifest, doc, warns, unknown) : lethe_no_memory(d);
    lethe_arena_free(a);
    return e;
}
