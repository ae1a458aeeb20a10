/* SPDX-License-Identifier: Apache-2.0 */
/* check_disconnected_harness.h - published rows put before the checker of `disconnected`. */
#ifndef LETHE_TESTS_CHECK_DISCONNECTED_HARNESS_H
#define LETHE_TESTS_CHECK_DISCONNECTED_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "check/check.h"
#include "core/ctx.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "model/knowledge/results.h"

#define CD_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

typedef struct cd_situation {
    const char *results; /* a path; NULL: none */
    bool gone;           /* they came from a pipe */
    const lethe_log_form *form;
    bool has_manifest; /* the release is there, and not being made */
    bool figures;      /* are asked for */
    int64_t counted;   /* `undecided` before the check; 0: it is not there */
    uint64_t fail_at;  /* 0: no allocation fails */
} cd_situation;

typedef struct cd_outcome {
    lethe_err err;
    bool holds;
    char why[512];       /* as JSON; empty: none */
    int64_t undecided;   /* -1: it is not said */
    const char *because; /* NULL: nothing is undecided */
} cd_outcome;

/* Over the data.tsv that is in the folder. */
static inline cd_outcome cd_check(lethe_ctx *ctx, int dirfd, const char *claim_text,
                                  const cd_situation *s)
{
    cd_outcome o = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    lethe_json *figures = s->figures ? lethe_json_object(doc) : NULL;
    if (s->counted) lethe_set_count(doc, figures, "undecided", (uint64_t)s->counted);
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_results *results = NULL;
    if (s->results) assert_int_equal(lethe_results_read(ctx, s->results, &results), LETHE_OK);
    lethe_published p = {.ctx = ctx,
                         .dirfd = dirfd,
                         .shape = LETHE_SHAPE_LOG,
                         .form = s->form,
                         .manifest = s->has_manifest ? lethe_json_object(doc) : NULL,
                         .results = results,
                         .results_gone = s->gone,
                         .figures = figures};
    lethe_alloc_fail_at(s->fail_at);
    o.err = lethe_notion_disconnected.check(&p, claim, doc, &o.holds, &why);
    lethe_alloc_fail_at(0);
    if (why && o.err == LETHE_OK) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(o.why, sizeof o.why, "%s", text);
        lethe_json_text_free(text);
    }
    const lethe_json *undecided = lethe_json_get(figures, "undecided");
    o.undecided = undecided ? lethe_json_int(undecided) : -1;
    o.because = p.because;
    lethe_results_free(results);
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    return o;
}

#endif
