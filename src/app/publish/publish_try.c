/* SPDX-License-Identifier: Apache-2.0 */
/* publish_try.c - tries the candidates, and puts the best first. */
#include "app/publish/publish.h"
#include "core/clock.h"
#include <math.h>
#include <stdlib.h>

enum {
    WHOLE_PERSONS = 3000,  /* a log of more users is tried on a sample first */
    SAMPLE_PERSONS = 2000, /* of so many */
};

static lethe_diag *diag(const lethe_publication *p) { return lethe_ctx_diag(p->ctx); }

/* --- the input --- */

static lethe_err sample_draw(lethe_publication *p)
{
    uint64_t wanted = p->asked->sample ? p->asked->sample : SAMPLE_PERSONS;
    lethe_log_facts f;
    if (!p->asked->sample && p->facts.persons <= WHOLE_PERSONS) return LETHE_OK;
    if (wanted >= p->facts.persons) return LETHE_OK;
    double share = (double)wanted / (double)p->facts.persons;
    LETHE_TRY(lethe_input_sample(p->ctx, &p->input, share, p->fresh, &p->sample, &f));
    p->sample_persons = f.persons;
    p->sampled = true;
    return LETHE_OK;
}

static lethe_err input_open(lethe_publication *p)
{
    const lethe_publish_request *q = p->asked;
    const lethe_candidate_input of = {.paths = q->inputs,
                                      .n_paths = q->n_inputs,
                                      .reading = &q->reading,
                                      .given = q->values,
                                      .shape = p->shape};
    LETHE_TRY(lethe_facts_read(p->ctx, p->arena, &of, &p->input, &p->facts));
    LETHE_TRY(lethe_publish_plan(diag(p), p->arena, p, &p->plan));
    return p->shape == LETHE_SHAPE_LOG ? sample_draw(p) : LETHE_OK;
}

static lethe_err begin(lethe_publication *p)
{
    const lethe_publish_request *q = p->asked;
    LETHE_TRY(lethe_input_shape_of(p->ctx, q->inputs, q->n_inputs, &q->reading,
                                   lethe_is_given(q->values, "qi"), &p->shape));
    LETHE_TRY(lethe_publication_begin(p));
    const lethe_work work = {.name = p->makes ? "publish" : "suggest"},
                     before = lethe_ctx_begin_work(p->ctx, &work);
    lethe_err e = input_open(p);
    lethe_ctx_begin_work(p->ctx, &before);
    LETHE_TRY(e);
    p->attempts = lethe_new(p->arena, lethe_attempt, p->plan.n + 1);
    return p->attempts ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* --- trying --- */

static double number_of(const lethe_json *o, const char *name)
{
    const lethe_json *v = lethe_json_get(o, name);
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL ? lethe_json_real(v) : 0;
}

double lethe_attempt_kept(const lethe_attempt *a, lethe_goal goal)
{
    return number_of(lethe_json_get(a->row, "kept_for"), lethe_goal_name(goal));
}

lethe_err lethe_attempt_shape(lethe_publication *p, const lethe_attempt *a, lethe_shape *out)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    const lethe_step *last = &steps[a->run->n_steps - 1];
    *out = lethe_method_shape(last->method, &last->values);
    return LETHE_OK;
}

lethe_err lethe_attempt_make(lethe_publication *p, lethe_attempt *a, double seconds)
{
    lethe_study_work w = {.ctx = p->ctx,
                          .asked = &p->study,
                          .input = p->sampled ? &p->sample : &p->input,
                          .folder = &p->folder,
                          .messages = &p->messages};
    LETHE_TRY(lethe_attempt_shape(p, a, &a->out));
    LETHE_TRY(lethe_study_run(&w, a->run, seconds, p->doc, &a->row));
    a->late = lethe_json_bool(lethe_json_get(a->row, "left_out"));
    p->n_late += a->late;
    a->made = lethe_json_kind(lethe_json_get(a->row, "error")) != LETHE_JSON_TEXT;
    a->risk = number_of(a->row, "exposure");
    return lethe_study_drop(diag(p), &p->folder, a->run);
}

static lethe_err candidates_try(lethe_publication *p)
{
    double within = p->asked->within_s > 0 ? p->asked->within_s : LETHE_PUBLISH_S,
           began = lethe_clock_s(),
           end = began + (p->makes && p->sampled ? within / 2 : within); // the whole takes longer
    p->end_s = began + within;
    for (size_t i = 0; i < p->plan.n; i++) {
        lethe_attempt *a = &p->attempts[i];
        a->run = &p->plan.at[i];
        lethe_study_part(p->ctx, a->run->label, i, p->plan.n, began, end);
        // a slow one does not take the time of all others
        double left = end - lethe_clock_s(), own = i + 1 < p->plan.n ? left / 2 : left;
        LETHE_TRY(lethe_attempt_make(p, a, own));
        a->kept = lethe_attempt_kept(a, p->asked->goal);
        if (a->made && p->goals == 1U << p->asked->goal)
            lethe_set_real(p->doc, a->row, "kept_for_goal", a->kept);
        if (p->asked->on_candidate) p->asked->on_candidate(p->asked->user, a->row, i, p->plan.n);
    }
    return LETHE_OK;
}

lethe_err lethe_publication_try(lethe_publication *p)
{
    LETHE_TRY(begin(p));
    lethe_err e = candidates_try(p);
    lethe_ctx_part(p->ctx, NULL, 0, 0);
    return e;
}

double lethe_attempt_seconds(const lethe_publication *p, const lethe_attempt *a)
{
    static const double growth = 1.2; // most methods: 0.9 to 1.2, docs/performance.md
    double tried = number_of(a->row, "seconds");
    if (!p->sampled) return tried;
    return tried * pow((double)p->facts.persons / (double)p->sample_persons, growth);
}

/* --- ordering --- */

/* A sample has fewer persons to hide among, so that a candidate which is a little above the bound
 * there may be below it on the whole. */
lethe_fitness lethe_attempt_fitness(const lethe_publication *p, const lethe_attempt *a)
{
    double bound = p->sampled ? 2 * p->bound : p->bound;
    if (a->late) return LETHE_FIT_LATE;
    if (!a->made) return LETHE_FIT_NOTHING;
    if (a->risk > bound) return LETHE_FIT_RISKY;
    return a->kept >= p->least || p->asked->anyway ? LETHE_FIT : LETHE_FIT_LITTLE;
}

bool lethe_publication_worth(const lethe_publication *p, const lethe_attempt *a)
{
    return lethe_attempt_fitness(p, a) == LETHE_FIT;
}

/* What keeps most for the goal; of equals what gives away less, then as in the table. */
static int best_first(const void *x, const void *y, void *arg)
{
    const lethe_attempt *a = x, *b = y;
    bool worth = lethe_publication_worth(arg, a), other = lethe_publication_worth(arg, b);
    if (worth != other) return worth ? -1 : 1;
    if (a->kept != b->kept) return a->kept > b->kept ? -1 : 1;
    if (a->risk != b->risk) return a->risk < b->risk ? -1 : 1;
    return a->run < b->run ? -1 : 1;
}

void lethe_attempts_sort(lethe_publication *p, lethe_attempt *at, size_t n)
{
    qsort_r(at, n, sizeof *at, best_first, p);
}
