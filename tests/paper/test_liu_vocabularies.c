/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", thesis, 2010: Definition 5.1,
 * Example 5.2 and Figure 5.1, page 126; and the vectors ssg-22 and ssg-23 made from them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/text/log_records.h"
#include "golden.h"
#include "records_text.h"

/* Rows (user, query, "1:00", url) as a log; the day is the figure's, January 1. */
static char *log_of(const lethe_json *rows)
{
    text t = {0};
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        lethe_str f[4];
        assert_int_equal(lethe_json_count(row), 4);
        for (size_t k = 0; k < 4; k++)
            f[k] = lethe_json_text(lethe_json_at(row, k));
        assert_true(f[2].n == 4); // h:mm
        text_add(&t, "%.*s\t%.*s\t2006-01-01 0%.*s:00\t1\t%.*s\n", (int)f[0].n, f[0].at,
                 (int)f[1].n, f[1].at, (int)f[2].n, f[2].at, (int)f[3].n, f[3].at);
    }
    return t.at;
}

static lethe_records *records_of(lethe_ctx *ctx, const char *tsv, int64_t gap_s,
                                 lethe_log_records_result *counts)
{
    lethe_records *r = NULL;
    lethe_log *log = NULL;
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log_records_options how = {.gap_s = gap_s};
    assert_int_equal(lethe_log_memory(ctx, lethe_str_of(tsv), &reading, &log), LETHE_OK);
    assert_int_equal(lethe_log_to_records(ctx, log, &how, counts, &r), LETHE_OK);
    lethe_log_free(log);
    return r;
}

static int by_text(const void *a, const void *b)
{
    return lethe_str_cmp(*(const lethe_str *)a, *(const lethe_str *)b);
}

/* Is record i that bag of terms, which are in the log's normal form: lower case? */
static void assert_bag(const lethe_records *r, size_t i, const lethe_json *bag)
{
    lethe_str want[16], got[16];
    char folded[256];
    size_t n = lethe_json_count(bag), used = 0;
    assert_true(n <= 16);
    assert_int_equal(lethe_record_size(r, i), n);
    for (size_t k = 0; k < n; k++) {
        lethe_str term = lethe_json_text(lethe_json_at(bag, k));
        want[k] = (lethe_str){folded + used, term.n};
        for (size_t c = 0; c < term.n; c++)
            folded[used++] =
                (char)(term.at[c] >= 'A' && term.at[c] <= 'Z' ? term.at[c] | 0x20 : term.at[c]);
        got[k] = lethe_dict_at(r->items, r->item[r->start[i] + k]);
    }
    qsort(want, n, sizeof *want, by_text);
    qsort(got, n, sizeof *got, by_text);
    for (size_t k = 0; k < n; k++)
        assert_true(lethe_str_eq(want[k], got[k]));
}

/* Example 5.2: the rows of Figure 5.1(a) are three queries, and t1 of Figure 5.1(b) is theirs. */
static void figure_5_1_one_vocabulary_a_user(void **state)
{
    (void)state;
    outcome o;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-22");
    assert_int_equal(lethe_json_kind(golden_get(v, "parameters.sGap")), LETHE_JSON_NULL); // none
    char *log = log_of(golden_array(v, "input.rows"));
    lethe_log_records_result counts;
    lethe_ctx *ctx = records_ctx(&o, 2, 0);
    lethe_records *r = records_of(ctx, log, LETHE_GAP_ALL, &counts);
    assert_int_equal(r->n, 1);
    assert_bag(r, 0, golden_array(v, "expected.vocabulary"));
    assert_int_equal(counts.queries, 3);
    assert_int_equal(counts.terms, 4);
    assert_true(lethe_str_eq(lethe_dict_at(r->owners, 0), LETHE_LIT("01")));
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    free(log);
    golden_close(&g);
}

static void definition_5_1_a_gap_of_half_an_hour(void **state)
{
    (void)state;
    outcome o;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-23");
    const lethe_json *want = golden_array(v, "expected.vocabularies");
    char *log = log_of(golden_array(v, "input.rows"));
    int64_t minutes = golden_int(v, "parameters.sGap_minutes");
    lethe_log_records_result counts;
    lethe_ctx *ctx = records_ctx(&o, 2, 0);
    lethe_records *r = records_of(ctx, log, minutes * 60, &counts);
    assert_int_equal(r->n, lethe_json_count(want));
    for (size_t i = 0; i < r->n; i++) {
        assert_bag(r, i, lethe_json_at(want, i));
        assert_int_equal(r->owner[i], 0);
    }
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    free(log);
    golden_close(&g);
}

/* "q_i.QueryTime + sGap < q_{i+1}.QueryTime": at the gap itself the group goes on.  The pauses of
 * Figure 5.1(a) are of 15 and of 50 minutes. */
static void definition_5_1_is_strict(void **state)
{
    (void)state;
    static const struct {
        int64_t gap_s;
        size_t n;
    } table[] = {{15 * 60 - 1, 3}, {15 * 60, 2}, {50 * 60 - 1, 2}, {50 * 60, 1}};
    outcome o;
    golden g = golden_open("ssg");
    char *log = log_of(golden_array(golden_vector(&g, "ssg-22"), "input.rows"));
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        lethe_log_records_result counts;
        lethe_records *r = records_of(ctx, log, table[i].gap_s, &counts);
        assert_int_equal(r->n, table[i].n);
        lethe_records_free(r);
    }
    lethe_ctx_free(ctx);
    outcome_end(&o);
    free(log);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_5_1_one_vocabulary_a_user),
        cmocka_unit_test(definition_5_1_a_gap_of_half_an_hour),
        cmocka_unit_test(definition_5_1_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
