/* SPDX-License-Identifier: Apache-2.0 */
/* study_order.c - in which order a study makes its runs, where time is short; and in which order it
 * shows them. */
#include "app/sample.h"
#include "app/study/study.h"
#include "core/clock.h"
#include "release/commands.h"
#include <math.h>

/* --- what is cheap --- */

enum {
    PILOT_PERSONS = 200, /* in the sample that costs are measured on */
    PILOT_TIMES = 5,     /* the log has so many times as many; for fewer it is not worth it */
};

/* A few hundred at most. */
void lethe_run_costs_sort(lethe_run_cost *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        lethe_run_cost c = at[i];
        size_t k = i;
        for (; k > 0 && at[k - 1].seconds > c.seconds; k--)
            at[k] = at[k - 1];
        at[k] = c;
    }
}

/* Runs it on the sample; what that takes grows at least as the number of users does. */
static lethe_err pilot_run(const lethe_study_work *w, const lethe_planned_run *run, double times,
                           double limit, double *seconds)
{
    lethe_json *row;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return lethe_no_memory(w->ctx);
    double began = lethe_clock_s();
    lethe_err e = lethe_study_run(w, run, limit, doc, &row);
    *seconds = times * (lethe_clock_s() - began);
    lethe_json_doc_free(doc);
    LETHE_TRY(e);
    return lethe_study_drop(lethe_ctx_diag(w->ctx), w->folder, run);
}

static lethe_err pilots_run(const lethe_study_work *w, const lethe_plan *plan, double times,
                            double end, lethe_run_cost *costs, size_t n)
{
    double now = lethe_clock_s(), stop = now + (end - now) / 10;
    for (size_t i = 0; i < n; i++) {
        double left = stop - lethe_clock_s();
        if (left <= 0) { // what has not been measured comes last
            costs[i].seconds = INFINITY;
            continue;
        }
        const lethe_planned_run *run = &plan->at[costs[i].run];
        lethe_ctx_part(w->ctx, "how long runs take, on a sample", i, n);
        LETHE_TRY(pilot_run(w, run, times, left / 2, &costs[i].seconds));
    }
    lethe_run_costs_sort(costs, n);
    return LETHE_OK;
}

lethe_err lethe_study_costs(const lethe_study_work *w, const lethe_plan *plan, double end,
                            lethe_run_cost *costs, size_t n)
{
    lethe_log_facts whole, part;
    lethe_input sample = {0};
    lethe_study_messages silent = {.failed = false};
    if (w->input->shape != LETHE_SHAPE_LOG) return LETHE_OK;
    LETHE_TRY(lethe_log_look(w->ctx, w->input->log, &whole));
    if (whole.persons / PILOT_PERSONS < PILOT_TIMES) return LETHE_OK;
    lethe_study_work pilot = *w;
    pilot.input = &sample;
    pilot.messages = &silent;
    lethe_err e =
        lethe_input_sample(w->ctx, w->input, (double)PILOT_PERSONS / (double)whole.persons,
                           w->asked->publishing.seed, &sample, &part);
    double times = (double)whole.persons / fmax((double)part.persons, 1);
    if (e == LETHE_OK) e = pilots_run(&pilot, plan, times, end, costs, n);
    lethe_input_free(&sample);
    return e;
}

/* --- what is shown first --- */

/* Over all goals: what serves one of them alone is of less use. */
static double kept_of(const lethe_json *row)
{
    const lethe_json *kept = lethe_json_get(row, "kept_for");
    double sum = 0;
    for (size_t i = 0; i < lethe_json_count(kept); i++)
        sum += lethe_json_real(lethe_json_at(kept, i));
    return sum;
}

/* 0: safe, for a goal, and something is kept; 1: not; 2: no release. */
static int class_of(const lethe_json *row, double bound)
{
    if (lethe_json_kind(lethe_json_get(row, "error")) == LETHE_JSON_TEXT) return 2;
    bool keeps = lethe_json_bool(lethe_json_get(row, "holds")) && !lethe_json_get(row, "nothing"),
         safe = lethe_json_real(lethe_json_get(row, "exposure")) <= bound;
    const lethe_json *goals = lethe_json_get(row, "goals");
    if (goals && lethe_json_count(goals) == 0) return 1;
    return keeps && safe && kept_of(row) >= LETHE_PUBLISH_LEAST ? 0 : 1;
}

static bool comes_before(const lethe_json *a, const lethe_json *b, double bound)
{
    int x = class_of(a, bound), y = class_of(b, bound);
    return x != y ? x < y : kept_of(a) > kept_of(b);
}

void lethe_study_sort(const lethe_json **rows, size_t n, double bound)
{
    for (size_t i = 1; i < n; i++) {
        const lethe_json *row = rows[i];
        size_t k = i;
        for (; k > 0 && comes_before(row, rows[k - 1], bound); k--)
            rows[k] = rows[k - 1];
        rows[k] = row;
    }
}
