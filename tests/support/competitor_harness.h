/* SPDX-License-Identifier: Apache-2.0 */
/* competitor_harness.h - the adversary `competitor` set upon logs given as text. */
#ifndef LETHE_TESTS_COMPETITOR_HARNESS_H
#define LETHE_TESTS_COMPETITOR_HARNESS_H
#include "linkage_harness.h"
#include "core/mem.h"

typedef struct contest {
    const char *original, *published; /* user TAB query TAB rank TAB url lines */
    const char *results;
    const char *owned;    /* NULL: not given */
    const char *manifest; /* JSON; NULL: none */
} contest;

static inline lethe_err contest_run(lethe_ctx *ctx, const contest *a, lethe_json_doc *doc,
                                    lethe_json *out)
{
    char path[64], results[80];
    size_t n, m;
    int dirfd = o_folder(path);
    char *original = l_clicks("", a->original, "2006-03-01 10:00:00", &n);
    char *published = l_clicks(L_HEADER, a->published, "2006-03-01", &m);
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_value at[2];
    lethe_values values;
    lethe_log *log = NULL;
    lethe_json_doc *manifest_doc = NULL;
    lethe_json *manifest = NULL;
    o_write_published(dirfd, published, m);
    o_write(dirfd, "results", a->results, strlen(a->results));
    snprintf(results, sizeof results, "%s/results", path);
    lethe_values_init(&values, lethe_adversary_competitor.options, at);
    lethe_err err = lethe_values_set(&values, 0, results, NULL);
    if (err == LETHE_OK && a->owned) err = lethe_values_set(&values, 1, a->owned, NULL);
    if (err == LETHE_OK && a->manifest)
        err =
            lethe_json_parse(NULL, "manifest", lethe_str_of(a->manifest), &manifest_doc, &manifest);
    if (err == LETHE_OK) err = lethe_log_memory(ctx, (lethe_str){original, n}, &reading, &log);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .manifest = manifest};
    lethe_comparison c = {.ctx = ctx,
                          .published = &p,
                          .original = {.shape = LETHE_SHAPE_LOG, .log = log},
                          .values = &values};
    if (err == LETHE_OK) err = lethe_adversary_competitor.run(&c, doc, out);
    lethe_log_free(log);
    lethe_json_doc_free(manifest_doc);
    unlinkat(dirfd, "results", 0);
    o_folder_gone(dirfd, path);
    free(original);
    free(published);
    return err;
}

#endif
