/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of `sealed` over a file of many blocks, with more rows than memory: the same answer
 * for 1, 2 and 7 threads, with memory and with hardly any. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "check_sealed_harness.h"

#define ANN "aaaaaaaaaaaaaaa2" /* comes first */
#define LAST "zzzzzzzzzzzzzzzz"

enum { MANY = 24000, OF_ANN = 15000, HEAD_LINES = 2, LINE = 640, T = 3 };

static const lethe_sealed_form three_of_ten = {.t = T, .n = 10};
static const lethe_log_form days = {.times = LETHE_TIME_DAY, .urls = LETHE_URL_HOST};

typedef struct many {
    char path[64];
    int dirfd;
    char **lines;     /* sorted: those of ann, who shows one share of one query, first */
    char id[33];      /* of that query */
    char extra[LINE]; /* in place of the last line */
    char *last;
} many;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_sort(many *m) { qsort(m->lines, MANY, sizeof *m->lines, by_text); }

static int begin(void **state)
{
    many *m = calloc(1, sizeof *m);
    lethe_sealer *s = sealed_by(7, three_of_ten, 0);
    m->dirfd = o_folder(m->path);
    m->lines = calloc(MANY, sizeof *m->lines);
    for (int i = 0; i < MANY; i++) {
        char user[20], query[48];
        cs_file f = {.form = three_of_ten};
        int q = i % 7 ? i % 700 : i; // some of one user, and some hundreds of many
        snprintf(user, sizeof user, "%.14s%c%c", ANN, 'a' + i % 26, 'a' + i / 26 % 26);
        snprintf(query, sizeof query, "query %d%s", q, q % 3 ? "" : " and a longer tail of words");
        bool ann = i < OF_ANN;
        cs_row *r = cs_add(&f, s, ann ? ANN : user, ann ? "maps" : query, "");
        snprintf(r->time, sizeof r->time, "2006-%02d-%02d", 1 + i % 12, 1 + i % 28);
        m->lines[i] = malloc(LINE);
        cs_line(&f, r, m->lines[i]);
    }
    lethe_sealer_free(s);
    lines_sort(m);
    snprintf(m->id, sizeof m->id, "%.32s", strchr(m->lines[0], '\t') + 1);
    m->last = m->lines[MANY - 1];
    *state = m;
    return 0;
}

static int end(void **state)
{
    many *m = *state;
    for (int i = 0; i < MANY; i++)
        if (m->lines[i] != m->extra) free(m->lines[i]);
    if (m->extra[0]) free(m->last);
    free(m->lines);
    o_folder_gone(m->dirfd, m->path);
    free(m);
    return 0;
}

static void lines_write(const many *m)
{
    lethe_buf b = {0};
    sealed_begin(&b, three_of_ten);
    for (int i = 0; i < MANY; i++) {
        sealed_put(&b, lethe_str_of(m->lines[i]));
        sealed_put(&b, LETHE_LIT("\n"));
    }
    o_write(m->dirfd, "data.tsv", (const char *)b.at, b.n);
    lethe_buf_free(&b);
}

/* The one answer of all. */
static cs_answer look(const many *m)
{
    static const unsigned threads[] = {1, 2, 7};
    char claim[128];
    cs_answer first = {.err = LETHE_OK};
    cs_claim(three_of_ten, claim);
    lines_write(m);
    for (size_t i = 0; i < 6; i++) {
        lethe_ctx *ctx = o_ctx(threads[i % 3], i < 3 ? (uint64_t)64 << 20 : 1 << 20);
        cs_answer a = cs_check(ctx, m->dirfd, claim, &days);
        if (i == 0) first = a;
        assert_int_equal(a.err, first.err);
        assert_int_equal(a.holds, first.holds);
        assert_string_equal(a.why, first.why);
        assert_string_equal(a.figures, first.figures);
        lethe_ctx_free(ctx);
    }
    return first;
}

static void broken(const many *m, const char *why)
{
    cs_answer a = look(m);
    assert_int_equal(a.err, LETHE_OK);
    assert_false(a.holds);
    assert_string_equal(a.why, why);
}

static char *share_in(char *line) { return strchr(strchr(line, '\t') + 1, '\t') + 1; }
static char *box_in(char *line) { return strchr(share_in(line), '\t') + 1; }
static void other_digit(char *at) { *at = *at == '0' ? '1' : '0'; }

/* A row like ann's, of `user`, in place of the last. */
static char *like_ann(many *m, const char *user)
{
    snprintf(m->extra, sizeof m->extra, "%s%s", user, m->lines[0] + strlen(ANN));
    return m->lines[MANY - 1] = m->extra;
}

/* Counted over sorted pairs of QueryID and index. */
static void figures_are_those_of_all_rows(void **state)
{
    many *m = *state;
    char(*pairs)[44] = calloc(MANY, sizeof *pairs), **at = calloc(MANY, sizeof *at), want[96];
    int queries = 0, openable = 0, recoverable = 0;
    cs_answer a = look(m);
    assert_true(a.err == LETHE_OK && a.holds);
    for (int i = 0; i < MANY; i++) {
        const char *id = strchr(m->lines[i], '\t') + 1;
        snprintf(pairs[i], sizeof *pairs, "%.32s %d", id, atoi(id + 33));
        at[i] = pairs[i];
    }
    qsort(at, MANY, sizeof *at, by_text);
    for (int i = 0, next, indices = 0; i < MANY; i = next, indices = 0) {
        for (next = i; next < MANY && strncmp(at[next], at[i], 32) == 0; next++)
            indices += next == i || strcmp(at[next], at[next - 1]) != 0;
        queries++;
        openable += indices >= T;
        recoverable += indices >= T ? next - i : 0;
    }
    assert_true(openable > 100 && queries - openable > 100);
    snprintf(want, sizeof want,
             "{\"rows\":%d,\"queries\":%d,\"openable\":%d,\"recoverable\":", MANY, queries,
             openable);
    assert_memory_equal(a.figures, want, strlen(want));
    assert_true(strtod(a.figures + strlen(want), NULL) == (double)recoverable / MANY);
    free(pairs);
    free(at);
}

/* Ann's rows are read by several workers, and named by the first of them all the same. */
static void boxes_that_differ_are_found(void **state)
{
    many *m = *state;
    char want[256];
    other_digit(box_in(like_ann(m, LAST)));
    snprintf(want, sizeof want,
             "{\"reason\":\"boxes of one QueryID differ\",\"query_id\":\"%s\",\"line\":%d,"
             "\"other_line\":3}",
             m->id, MANY + HEAD_LINES);
    broken(m, want);
}

static void shares_that_differ_are_found(void **state)
{
    many *m = *state;
    char want[256];
    other_digit(strchr(like_ann(m, LAST), ':') + 1);
    snprintf(want, sizeof want,
             "{\"reason\":\"shares with the same index of one QueryID differ\",\"query_id\":\"%s\","
             "\"index\":%d,\"line\":%d,\"other_line\":3}",
             m->id, atoi(share_in(m->lines[0])), MANY + HEAD_LINES);
    broken(m, want);
}

static void a_second_share_is_found(void **state)
{
    many *m = *state;
    char want[256], *share = share_in(like_ann(m, ANN));
    assert_true(share[0] < '9' && share[1] == ':');
    share[0] = '9'; // after those of her first
    lines_sort(m);
    assert_ptr_equal(m->lines[OF_ANN], m->extra);
    snprintf(want, sizeof want,
             "{\"reason\":\"a user shows two shares of one QueryID\",\"query_id\":\"%s\",\"user\":"
             "\"" ANN "\",\"line\":%d,\"other_line\":3}",
             m->id, OF_ANN + HEAD_LINES + 1);
    broken(m, want);
}

static void the_lowest_line_that_is_too_fine_is_found(void **state)
{
    many *m = *state;
    char want[128];
    int lowest = 0;
    for (int i = 5000; i < MANY; i += 3000)
        snprintf(strrchr(m->lines[i], '\t'), 20, "\t2006-01-01 16");
    lines_sort(m);
    while (!strstr(m->lines[lowest], " 16"))
        lowest++;
    snprintf(want, sizeof want, "{\"reason\":\"time is finer than the release says\",\"line\":%d}",
             lowest + 1 + HEAD_LINES);
    broken(m, want);
}

static void lines_out_of_order_are_refused(void **state)
{
    many *m = *state;
    char *swap = m->lines[9000];
    m->lines[9000] = m->lines[18000];
    m->lines[18000] = swap;
    cs_answer a = look(m);
    assert_int_equal(a.err, LETHE_EINPUT);
    assert_false(a.holds);
    assert_string_equal(a.figures, "");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(figures_are_those_of_all_rows),
        TEST(boxes_that_differ_are_found),
        TEST(shares_that_differ_are_found),
        TEST(a_second_share_is_found),
        TEST(the_lowest_line_that_is_too_fine_is_found),
        TEST(lines_out_of_order_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
