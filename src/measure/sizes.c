/* SPDX-License-Identifier: Apache-2.0 */
/* sizes.c - how much of a log is left in its release, counted. */
#include "measure/measure.h"

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_profile a = {0}, b = {0};
    lethe_log *log = NULL;
    LETHE_TRY(
        lethe_profile_count(c->ctx, c->original.log, &(lethe_profile_asked){.terms = true}, &a));
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err err = lethe_profile_count(c->ctx, log, &(lethe_profile_asked){.terms = true}, &b);
    lethe_log_free(log);
    LETHE_TRY(err);
    lethe_measure_set_size(doc, out, "rows", a.with[0].rows, b.with[0].rows);
    lethe_measure_set_size(doc, out, "users", a.users, b.users);
    lethe_measure_set_size(doc, out, "queries", a.with[0].queries, b.with[0].queries);
    lethe_measure_set_size(doc, out, "distinct_queries", a.with[0].texts, b.with[0].texts);
    lethe_measure_set_size(doc, out, "distinct_terms", a.terms, b.terms);
    lethe_measure_set_size(doc, out, "clicks", a.clicks, b.clicks);
    lethe_measure_set_size(doc, out, "urls", a.urls, b.urls);
    return lethe_json_failed(doc) ? lethe_no_memory(c->ctx) : LETHE_OK;
}

static const lethe_option no_options[] = {{.name = NULL}};

static const lethe_figure figures[] = {
    {"rows", "rows: original, published, and the share of the two", .better = 1},
    {"users", "distinct users", .better = 0},
    {"queries",
     "queries: rows of one user with the same text and time count once, so coarse times give fewer",
     .better = 1},
    {"distinct_queries", "distinct query texts", .better = 1, .label = "distinct texts"},
    {"distinct_terms", "distinct words of queries", .better = 1, .label = "distinct words"},
    {"clicks", "rows with a URL", .better = 1},
    {"urls", "distinct URLs, as far as they are published", .better = 1, .label = "distinct URLs"},
    {.name = NULL},
};

const lethe_measure lethe_measure_log_sizes = {
    .name = "sizes",
    .summary = "rows, users, queries, words and clicks that are left",
    .shapes = LETHE_SHAPE_LOG,
    .options = no_options,
    .figures = figures,
    .run = run,
};
