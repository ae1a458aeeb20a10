/* SPDX-License-Identifier: Apache-2.0 */
/* open_harness.h - sealed logs with chosen shares, opened in a folder of their own, and what came
 * of it. */
#ifndef LETHE_TESTS_OPEN_HARNESS_H
#define LETHE_TESTS_OPEN_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "release_harness.h"
#include "sealed_harness.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static const lethe_sealed_form two_of_five = {.t = 2, .n = 5}, three_of_ten = {.t = 3, .n = 10};

/* --- a file, and opening it --- */

typedef struct opened {
    ground g;
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_buf text; /* sealed */
    char target[300];
    unsigned threads;
    bool strict, force;
} opened;

static inline int begin(void **state)
{
    opened *o = calloc(1, sizeof *o);
    g_begin(&o->g);
    snprintf(o->target, sizeof o->target, "%s/opened.tsv", o->g.dir);
    o->threads = 2;
    *state = o;
    return 0;
}

static inline int end(void **state)
{
    opened *o = *state;
    lethe_json_doc_free(o->doc);
    lethe_buf_free(&o->text);
    g_end(&o->g);
    free(o);
    return 0;
}

static inline void save(opened *o, const char *path)
{
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    g_write(path, (const char *)o->text.at);
}

static inline lethe_err open_files(opened *o, const char *const *inputs, size_t n)
{
    lethe_open_options how = {
        .inputs = inputs, .n_inputs = n, .strict = o->strict, .out = o->target, .force = o->force};
    lethe_json_doc_free(o->doc);
    o->doc = lethe_json_doc_new();
    o->g.said[0] = '\0';
    lethe_ctx *ctx = g_ctx(&o->g, o->threads);
    lethe_err e = lethe_open_sealed(ctx, &how, o->doc, &o->report);
    lethe_ctx_free(ctx);
    return e;
}

/* Opens o->text. */
static inline lethe_err open_text(opened *o)
{
    const char *const inputs[] = {o->g.log};
    save(o, o->g.log);
    return open_files(o, inputs, 1);
}

static inline int64_t figure(const opened *o, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(o->report, "metrics"), name));
}

static inline int64_t damaged(const opened *o, const char *cause)
{
    const lethe_json *m = lethe_json_get(lethe_json_get(o->report, "metrics"), "rows_damaged");
    return lethe_json_int(lethe_json_get(m, cause));
}

static inline void adds_up(const opened *o)
{
    const lethe_json *c = lethe_json_get(o->report, "counts");
    assert_int_equal(lethe_json_int(lethe_json_get(c, "read")),
                     lethe_json_int(lethe_json_get(c, "published")) +
                         lethe_json_int(lethe_json_get(c, "suppressed")) +
                         lethe_json_int(lethe_json_get(c, "rejected")));
}

static inline void expect_log(const opened *o, const char *want)
{
    char *got = g_read(o->target);
    assert_non_null(got);
    assert_string_equal(got, want);
    free(got);
}

static inline void no_target(const opened *o) { assert_int_not_equal(access(o->target, F_OK), 0); }

/* --- users with chosen indices --- */

/* A user whose share of the query has that index. */
static inline const char *user_with(const lethe_sealer *s, lethe_sealed_form form,
                                    const char *query, uint32_t index, char user[16])
{
    for (int u = 0; u < 100000; u++) {
        lethe_buf b = {0};
        lethe_sealed_row row;
        uint32_t column;
        snprintf(user, 16, "u%d", u);
        sealed_row(&b, s, user, query, 0, NULL);
        form.clicks = false;
        sealed_must(!lethe_sealed_parse(&form, (lethe_str){(char *)b.at, b.n - 1}, &row, &column));
        lethe_buf_free(&b);
        if (row.index == index) return user;
    }
    abort();
}

static inline void row_with(opened *o, const lethe_sealer *s, lethe_sealed_form form,
                            const char *query, uint32_t index)
{
    char user[16];
    user_with(s, form, query, index, user);
    sealed_row(&o->text, s, user, query, 0, form.clicks ? "3\twww.a.com" : NULL);
}

/* The byte at field `f` (from 0) and place `at` of line `line` (from 1) becomes `to`. */
static inline char *place_of(opened *o, int line, int f, size_t at)
{
    char *p = (char *)o->text.at;
    for (int i = 1; i < line; i++)
        p = strchr(p, '\n') + 1;
    for (int i = 0; i < f; i++)
        p = strchr(p, '\t') + 1;
    return p + at;
}

static inline void change(opened *o, int line, int f, size_t at)
{
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    char *p = place_of(o, line, f, at);
    *p = *p == '0' ? '1' : *p == 'A' ? 'B' : f == 3 ? 'A' : '0';
}

/* Lines 3.. hold shares 1..n_shares of "maps"; and enough others that one is under a tenth. */
static inline void maps_with(opened *o, const lethe_sealer *s, uint32_t n_shares)
{
    sealed_begin(&o->text, three_of_ten);
    for (uint32_t i = 1; i <= n_shares; i++)
        row_with(o, s, three_of_ten, "maps", i);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif
