/* SPDX-License-Identifier: Apache-2.0 */
/* records_release_harness.h - records, a taxonomy and jobs over them: for tests of the pipeline. */
#ifndef LETHE_TESTS_RECORDS_RELEASE_HARNESS_H
#define LETHE_TESTS_RECORDS_RELEASE_HARNESS_H
#include "io/json/json.h"
#include "method/method.h"
#include "release_harness.h"

enum { RR_OPTIONS = 32 };

/* A step with its options at their fallbacks, or as given: "k=2 gap=all". */
typedef struct recipe {
    lethe_step step;
    lethe_value values[RR_OPTIONS];
    char words[1024];
} recipe;

static inline void rr_recipe(recipe *r, const lethe_method *m, const char *options)
{
    lethe_values *v = &r->step.values;
    r->step.method = m;
    if (lethe_option_count(m->options) > RR_OPTIONS) abort();
    lethe_values_init(v, m->options, r->values);
    snprintf(r->words, sizeof r->words, "%s", options);
    char *save = NULL;
    for (char *word = strtok_r(r->words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(word, '=');
        size_t i = 0;
        if (eq) *eq = '\0';
        while (i < v->n && strcmp(v->table[i].name, word) != 0)
            i++;
        if (i == v->n || lethe_values_set(v, i, eq ? eq + 1 : "", NULL) != LETHE_OK) abort();
    }
}

/* The file `name` of the ground; one of eight at a time. */
static inline const char *rr_path(const ground *g, const char *name)
{
    static char paths[8][600];
    static size_t turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", g->dir, name);
    return path;
}

typedef struct made {
    lethe_err e;
    lethe_json_doc *doc;
    lethe_json *report;
} made;

static inline void rr_free(made *m) { lethe_json_doc_free(m->doc); }

static inline int64_t rr_count(const made *m, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(m->report, "counts"), name));
}

/* One step over one input, into g->out. */
static inline made rr_make(ground *g, const lethe_method *method, const char *options,
                           const char *input, unsigned n_threads, bool map)
{
    recipe r;
    made m = {.doc = lethe_json_doc_new()};
    lethe_ctx *ctx = g_ctx(g, n_threads);
    rr_recipe(&r, method, options);
    lethe_release_job job = {
        .inputs = &input,
        .n_inputs = 1,
        .steps = &r.step,
        .n_steps = 1,
        .out = g->out,
        .publishing = {.map = map ? g->map : NULL, .has_seed = true, .seed = 1}};
    m.e = lethe_release_make(ctx, &job, m.doc, &m.report);
    lethe_ctx_free(ctx);
    return m;
}

static inline lethe_err rr_verify(ground *g)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    lethe_ctx *ctx = g_ctx(g, 1);
    lethe_err e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
    lethe_ctx_free(ctx);
    lethe_json_doc_free(doc);
    return e;
}

#endif
