/* SPDX-License-Identifier: Apache-2.0 */
/* publish.c - makes the release of the best candidate.
 *
 * A choice among many is partly luck: the candidate that seemed best is also the one whose figures
 * flatter it most.  So the release is made anew with fresh secrets, and attacked with fresh draws,
 * before it appears; where it is above the bound then, the next candidate follows. */
#include "app/publish/publish.h"
#include "core/clock.h"
#include <stdio.h>

static lethe_diag *diag(const lethe_publication *p) { return lethe_ctx_diag(p->ctx); }

static lethe_err release_make(lethe_publication *p, const lethe_attempt *a)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    lethe_publish_options how = p->asked->publishing;
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    if (!p->asked->has_urls) how.urls = a->run->method->ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
    p->judged = a;
    p->steps = steps;
    p->n_steps = a->run->n_steps;
    lethe_err e = lethe_publication_release(p, &how);
    p->steps = NULL;
    return e;
}

/* Does its turn come now?  What would not end in time waits until nothing else is left: better a
 * release too late than none. */
static bool is_due(lethe_publication *p, lethe_attempt *a, bool slow_ones)
{
    if (slow_ones) return a->slow;
    a->slow = lethe_clock_s() + lethe_attempt_seconds(p, a) > p->end_s;
    return !a->slow;
}

/* LETHE_ANSWER_NO: none of these gives a release that may appear. */
static lethe_err choose_among(lethe_publication *p, bool slow_ones)
{
    char part[256];
    for (size_t i = 0; i < p->plan.n && lethe_publication_worth(p, &p->attempts[i]); i++) {
        if (!is_due(p, &p->attempts[i], slow_ones)) continue;
        snprintf(part, sizeof part, "the whole: %s", p->attempts[i].run->label);
        lethe_ctx_part(p->ctx, part, p->plan.n - 1, p->plan.n);
        lethe_err e = release_make(p, &p->attempts[i]);
        if (e == LETHE_OK || e == LETHE_ECANCEL) return e;
        if (e == LETHE_ANSWER_NO) {
            p->attempts[i].refused = p->judgement.exposure.risk;
            continue;
        }
        // what stands in the way of this one need not be in another's
        p->failure = e;
        lethe_warn(p->ctx, "%s: %s", p->attempts[i].run->label, p->messages.error);
        if (e == LETHE_EIO) break;
    }
    return LETHE_ANSWER_NO;
}

/* The best one that is below the bound on the whole input. */
static lethe_err choose(lethe_publication *p)
{
    lethe_attempts_sort(p, p->attempts, p->plan.n);
    lethe_err e = choose_among(p, false);
    if (e == LETHE_ANSWER_NO && p->failure != LETHE_EIO) e = choose_among(p, true);
    if (e != LETHE_ANSWER_NO) return e;
    if (p->failure != LETHE_OK)
        return lethe_fail(p->ctx, p->failure, "nothing is published: %s", p->messages.error);
    LETHE_TRY(lethe_publication_instead(p));
    LETHE_TRY(lethe_publication_report(p, NULL));
    return lethe_publication_refuse(p);
}

static lethe_err publish(lethe_publication *p)
{
    LETHE_TRY(lethe_publication_open(p));
    LETHE_TRY(lethe_publication_targets(p));
    if (p->asked->like) return lethe_publication_redo(p);
    LETHE_TRY(lethe_publication_try(p));
    lethe_err e = choose(p);
    lethe_ctx_part(p->ctx, NULL, 0, 0);
    return e;
}

lethe_err lethe_publish(lethe_ctx *ctx, const lethe_publish_request *q, lethe_json_doc *doc,
                        lethe_json **report)
{
    lethe_publication p = {.ctx = ctx,
                           .asked = q,
                           .goals = 1U << q->goal,
                           .makes = true,
                           .bound = q->risk > 0 ? q->risk : LETHE_PUBLISH_RISK,
                           .least = q->least >= 0 ? q->least : LETHE_PUBLISH_LEAST,
                           .doc = doc,
                           .folder = {.fd = -1},
                           .caveat = q->like ? LETHE_CAVEAT_SERIES : LETHE_CAVEAT_CHOSEN};
    lethe_err e = publish(&p);
    *report = p.report;
    lethe_publication_close(&p);
    return e;
}
