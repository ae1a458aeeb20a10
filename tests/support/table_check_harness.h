/* SPDX-License-Identifier: Apache-2.0 */
/* table_check_harness.h - release folders of tables, put before the checkers of l-plus-diversity,
 * k-anonymity and distinct-l. */
#ifndef LETHE_TESTS_TABLE_CHECK_HARNESS_H
#define LETHE_TESTS_TABLE_CHECK_HARNESS_H
#include "published_harness.h"
#include "check/check.h"

/* The files of a release; NULL: it is not there. */
typedef struct tc_files {
    const char *data, *taxonomy, *theta;
} tc_files;

typedef struct tc_verdict {
    lethe_err err;
    bool holds;
    char why[512]; /* as JSON; empty: none */
} tc_verdict;

static inline void tc_write(int dirfd, const tc_files *f)
{
    if (f->data) o_write(dirfd, "data.csv", f->data, strlen(f->data));
    if (f->taxonomy) o_write(dirfd, "taxonomy.tsv", f->taxonomy, strlen(f->taxonomy));
    if (f->theta) o_write(dirfd, "theta.tsv", f->theta, strlen(f->theta));
}

static inline void tc_unlink(int dirfd)
{
    unlinkat(dirfd, "data.csv", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    unlinkat(dirfd, "theta.tsv", 0);
}

/* The claim that `text` is, of that notion. */
static inline lethe_json *tc_claim(const lethe_notion *notion, const char *text,
                                   lethe_json_doc **doc)
{
    lethe_json *claim = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(text), doc, &claim), LETHE_OK);
    if (lethe_json_kind(claim) == LETHE_JSON_OBJECT)
        lethe_json_set(*doc, claim, "notion",
                       lethe_json_new_text(*doc, lethe_str_of(notion->name)));
    return claim;
}

/* Of the files that are in the folder. */
static inline tc_verdict tc_check_in(lethe_ctx *ctx, int dirfd, const lethe_notion *notion,
                                     const char *claim_text)
{
    tc_verdict v = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = tc_claim(notion, claim_text, &claim_doc), *why = NULL;
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_TABLE};
    v.err = notion->check(&p, claim, doc, &v.holds, &why);
    if (why) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(v.why, sizeof v.why, "%s", text);
        lethe_json_text_free(text);
    }
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    return v;
}

static inline tc_verdict tc_check(const lethe_notion *notion, const char *claim, tc_files f,
                                  heard *h)
{
    char path[64];
    lethe_ctx *ctx = heard_ctx(h, 2);
    int dirfd = o_folder(path);
    tc_write(dirfd, &f);
    tc_verdict v = tc_check_in(ctx, dirfd, notion, claim);
    tc_unlink(dirfd);
    o_folder_gone(dirfd, path);
    lethe_ctx_free(ctx);
    return v;
}

static inline void tc_holds(const lethe_notion *notion, const char *claim, tc_files f)
{
    heard h;
    tc_verdict v = tc_check(notion, claim, f, &h);
    assert_string_equal(h.text, "");
    assert_int_equal(v.err, LETHE_OK);
    assert_string_equal(v.why, "");
    assert_true(v.holds);
}

static inline void tc_broken(const lethe_notion *notion, const char *claim, tc_files f,
                             const char *why)
{
    heard h;
    tc_verdict v = tc_check(notion, claim, f, &h);
    assert_string_equal(h.text, "");
    assert_int_equal(v.err, LETHE_OK);
    assert_string_equal(v.why, why);
    assert_false(v.holds);
}

/* Nothing is decided, and said once. */
static inline void tc_refused(const lethe_notion *notion, const char *claim, tc_files f,
                              lethe_err err, const char *says)
{
    heard h;
    tc_verdict v = tc_check(notion, claim, f, &h);
    assert_int_equal(v.err, err);
    assert_int_equal(h.n, 1);
    assert_string_equal(h.text, says);
    assert_string_equal(v.why, "");
    assert_false(v.holds);
}

/* The n-th allocation fails, for all n: nothing is decided, and said so. */
static inline void tc_lacks_memory(const lethe_notion *notion, const char *claim_text, tc_files f,
                                   bool holds)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    char path[64];
    int dirfd = o_folder(path);
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = tc_claim(notion, claim_text, &claim_doc);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    tc_write(dirfd, &f);
    while (e == LETHE_ENOMEM) {
        bool kept = false;
        lethe_json *why = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_TABLE};
        h.n = 0;
        lethe_alloc_fail_at(++n);
        e = notion->check(&p, claim, doc, &kept, &why);
        lethe_alloc_fail_at(0);
        assert_int_equal(kept, e == LETHE_OK && holds);
        assert_true((e == LETHE_OK && !holds) == (why != NULL));
        assert_int_equal(h.n, e == LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 20);
    tc_unlink(dirfd);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(claim_doc);
    lethe_ctx_free(ctx);
}

#endif
