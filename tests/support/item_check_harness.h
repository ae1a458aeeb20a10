/* SPDX-License-Identifier: Apache-2.0 */
/* item_check_harness.h - release folders of sets of items, put before the checkers of kl-privacy
 * and coherence. */
#ifndef LETHE_TESTS_ITEM_CHECK_HARNESS_H
#define LETHE_TESTS_ITEM_CHECK_HARNESS_H
#include "published_harness.h"
#include "check/check.h"

/* The files of a release; NULL: it is not there. */
typedef struct ic_files {
    const char *data, *taxonomy, *sensitive;
} ic_files;

typedef struct ic_verdict {
    lethe_err err;
    bool holds;
    char why[512]; /* as JSON; empty: none */
} ic_verdict;

static inline void ic_write(int dirfd, const ic_files *f)
{
    if (f->data) o_write(dirfd, "data.txt", f->data, strlen(f->data));
    if (f->taxonomy) o_write(dirfd, "taxonomy.tsv", f->taxonomy, strlen(f->taxonomy));
    if (f->sensitive) o_write(dirfd, "sensitive.txt", f->sensitive, strlen(f->sensitive));
}

static inline void ic_unlink(int dirfd)
{
    unlinkat(dirfd, "data.txt", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    unlinkat(dirfd, "sensitive.txt", 0);
}

/* Of the files that are in the folder. */
static inline ic_verdict ic_check_in(lethe_ctx *ctx, int dirfd, const lethe_notion *notion,
                                     const char *claim_text)
{
    ic_verdict v = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
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

static inline ic_verdict ic_check_with(lethe_ctx *ctx, const lethe_notion *notion,
                                       const char *claim, const ic_files *f)
{
    char path[64];
    int dirfd = o_folder(path);
    ic_write(dirfd, f);
    ic_verdict v = ic_check_in(ctx, dirfd, notion, claim);
    ic_unlink(dirfd);
    o_folder_gone(dirfd, path);
    return v;
}

static inline ic_verdict ic_check(const lethe_notion *notion, const char *claim, ic_files f)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    ic_verdict v = ic_check_with(ctx, notion, claim, &f);
    lethe_ctx_free(ctx);
    return v;
}

static inline void ic_holds(const lethe_notion *notion, const char *claim, ic_files f)
{
    ic_verdict v = ic_check(notion, claim, f);
    assert_int_equal(v.err, LETHE_OK);
    assert_string_equal(v.why, "");
    assert_true(v.holds);
}

static inline void ic_broken(const lethe_notion *notion, const char *claim, ic_files f,
                             const char *why)
{
    ic_verdict v = ic_check(notion, claim, f);
    assert_int_equal(v.err, LETHE_OK);
    assert_string_equal(v.why, why);
    assert_false(v.holds);
}

static inline void ic_refused(const lethe_notion *notion, const char *claim, ic_files f,
                              lethe_err err)
{
    ic_verdict v = ic_check(notion, claim, f);
    assert_int_equal(v.err, err);
    assert_string_equal(v.why, "");
    assert_false(v.holds);
}

/* The n-th allocation fails, for all n: nothing is decided, and said so. */
static inline void ic_lacks_memory(const lethe_notion *notion, const char *claim_text, ic_files f,
                                   bool holds)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    char path[64];
    int dirfd = o_folder(path);
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = NULL;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    ic_write(dirfd, &f);
    assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    while (e == LETHE_ENOMEM) {
        bool kept = false;
        lethe_json *why = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
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
    ic_unlink(dirfd);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(claim_doc);
    lethe_ctx_free(ctx);
}

#endif
