/* SPDX-License-Identifier: Apache-2.0 */
/* sets_release_harness.h - methods of sets through the whole pipeline: a taxonomy, records and a
 * list of sensitive items as files, and what was published of them. */
#ifndef LETHE_TESTS_SETS_RELEASE_HARNESS_H
#define LETHE_TESTS_SETS_RELEASE_HARNESS_H
#include "core/mem.h"
#include "records_release_harness.h"
#include "release/release.h"

/* NULL: no such file. */
static inline void sr_files(const ground *g, const char *tree, const char *records,
                            const char *list)
{
    static const char *const names[] = {"tax.tsv", "in.txt", "list"};
    const char *text[] = {tree, records, list};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        unlink(rr_path(g, names[i]));
        if (text[i]) g_write(rr_path(g, names[i]), text[i]);
    }
}

typedef struct sr_how {
    unsigned threads; /* 0: one */
    uint64_t seed;
    uint64_t fail_at; /* an allocation that fails; 0: none */
} sr_how;

/* A step over in.txt, into g->out, with the taxonomy and the list where they are there and the
 * method has options for them. */
static inline made sr_make_as(ground *g, const lethe_method *m, const char *options, sr_how how)
{
    recipe r;
    char all[900];
    bool flat = true, list = false;
    for (const lethe_option *o = m->options; o->name; o++) {
        if (strcmp(o->name, "taxonomy") == 0) flat = false;
        if (strcmp(o->name, "sensitive") == 0) list = true;
    }
    bool has_tree = !flat && access(rr_path(g, "tax.tsv"), R_OK) == 0;
    bool has_list = list && access(rr_path(g, "list"), R_OK) == 0;
    snprintf(all, sizeof all, "%s%s %s%s %s", has_tree ? "taxonomy=" : "",
             has_tree ? rr_path(g, "tax.tsv") : "", has_list ? "sensitive=" : "",
             has_list ? rr_path(g, "list") : "", options);
    made out = {.doc = lethe_json_doc_new()};
    const char *input = rr_path(g, "in.txt");
    lethe_ctx *ctx = g_ctx(g, how.threads ? how.threads : 1);
    rr_recipe(&r, m, all);
    lethe_release_job job = {.inputs = &input,
                             .n_inputs = 1,
                             .reading = {.format = LETHE_FORMAT_RECORDS},
                             .steps = &r.step,
                             .n_steps = 1,
                             .out = g->out,
                             .publishing = {.has_seed = true, .seed = how.seed}};
    g->said[0] = '\0';
    g_remove(g->out);
    lethe_alloc_fail_at(how.fail_at);
    out.e = lethe_release_make(ctx, &job, out.doc, &out.report);
    lethe_alloc_fail_at(0);
    lethe_ctx_free(ctx);
    return out;
}

static inline made sr_make(ground *g, const lethe_method *m, const char *options)
{
    return sr_make_as(g, m, options, (sr_how){.seed = 1});
}

static inline const lethe_json *sr_figure(const made *m, const char *name)
{
    const lethe_json *f = lethe_json_get(lethe_json_get(m->report, "metrics"), name);
    if (!f) fail_msg("no figure %s", name);
    return f;
}

static inline double sr_real(const made *m, const char *name)
{
    const lethe_json *f = sr_figure(m, name);
    return lethe_json_kind(f) == LETHE_JSON_INT ? (double)lethe_json_int(f) : lethe_json_real(f);
}

/* A published file; NULL: it is not there.  To be freed. */
static inline char *sr_text(const ground *g, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "release/%s", name);
    return g_read(rr_path(g, path));
}

static inline void sr_is(const ground *g, const char *name, const char *want)
{
    char *text = sr_text(g, name);
    if (!want) assert_null(text);
    if (want) {
        if (!text) fail_msg("no %s: %s", name, g->said);
        assert_string_equal(text, want);
    }
    free(text);
}

/* It goes through, and this is published. */
static inline void sr_gives(ground *g, const lethe_method *m, const char *options, const char *want)
{
    made out = sr_make(g, m, options);
    if (out.e != LETHE_OK) fail_msg("%s %s: %s", m->name, options, g->said);
    sr_is(g, "data.txt", want);
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&out);
}

/* It does not, with this message, and nothing is published. */
static inline void sr_refuses(ground *g, const lethe_method *m, const char *options, lethe_err e,
                              const char *said)
{
    made out = sr_make(g, m, options);
    if (out.e != e || !strstr(g->said, said))
        fail_msg("%s %s: %s: %s", m->name, options, lethe_err_name(out.e), g->said);
    assert_int_equal(access(g->out, F_OK), -1);
    rr_free(&out);
}

#endif
