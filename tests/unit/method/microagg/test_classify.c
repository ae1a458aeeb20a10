/* SPDX-License-Identifier: Apache-2.0 */
/* Categories of texts, counted; and what remains of them. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/microagg/srp.h"
#include "log_oracle.h"
#include "core/mem.h"

static const char lines[] = "w1\tA/B/C\nw1\tA/D\nw2\tA/B\nw3\tE\nw 4\tE/F\n";

typedef struct bench {
    lethe_ctx *ctx;
    lethe_directory *dir;
    lethe_dict *texts;
    lethe_classes *c;
} bench;

static bench open_bench(const char *directory, const char *const *texts, size_t n, uint32_t most,
                        unsigned threads)
{
    bench b = {.ctx = o_ctx(threads, 0), .texts = lethe_dict_new()};
    uint32_t id;
    assert_int_equal(lethe_directory_memory(b.ctx, lethe_str_of(directory), &b.dir), LETHE_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(lethe_dict_add(b.texts, lethe_str_of(texts[i]), &id), LETHE_OK);
    assert_int_equal(lethe_classes_new(b.ctx, b.dir, b.texts, most, &b.c), LETHE_OK);
    return b;
}

static void close_bench(bench *b)
{
    lethe_classes_free(b->c);
    lethe_dict_free(b->texts);
    lethe_directory_free(b->dir);
    lethe_ctx_free(b->ctx);
}

/* "A 3, A/B 2": what a tally counts, in order of numbers (parents first). */
static void written(const bench *b, lethe_microagg_tally *t, char *out)
{
    out[0] = '\0';
    lethe_microagg_tally_sort(t);
    for (uint32_t i = 0; i < t->n; i++) {
        lethe_str name = lethe_directory_name(b->dir, t->touched[i]);
        sprintf(out + strlen(out), "%s%.*s%d", i ? " " : "", (int)name.n, name.at,
                (int)t->count[t->touched[i]]);
    }
}

static void categories_count_down_to_the_level(void **state)
{
    (void)state;
    static const char *const texts[] = {"w1", "w1 w2 w2", "[email] w3!", "w 4", "none at all", "!"};
    static const struct {
        uint32_t most, levels;
        size_t text;
        bool best;
        const char *want;
    } cases[] = {
        {0, 5, 0, false, "A2 B1 C1 D1"},
        {1, 5, 0, false, "A1 B1 C1"},
        {2, 2, 0, false, "A2 B1 D1"}, /* C counts as B */
        {9, 1, 0, false, "A2"},
        {0, 5, 1, false, "A4 B3 C1 D1"},
        {0, 5, 1, true, "A3 B3 C1"}, /* the best of each word */
        {0, 2, 1, true, "A3 B3"},
        {0, 5, 2, false, "E1"}, /* a mask is no term */
        {0, 5, 3, false, ""},   /* a term of two words is no word */
        {0, 5, 4, false, ""},
        {0, 5, 5, false, ""},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        bench b =
            open_bench(lines, texts, LETHE_COUNT(texts), cases[i].most, 1 + (unsigned)(i % 3));
        lethe_microagg_tally t;
        char got[128];
        lethe_classes_cut(b.c, cases[i].levels);
        assert_int_equal(lethe_microagg_tally_new(b.dir, &t), LETHE_OK);
        lethe_microagg_tally_add(&t, b.c, (uint32_t)cases[i].text, 1, cases[i].best);
        written(&b, &t, got);
        assert_string_equal(got, cases[i].want);
        lethe_microagg_tally_add(&t, b.c, (uint32_t)cases[i].text, 0,
                                 cases[i].best); /* adds nothing */
        written(&b, &t, got);
        assert_string_equal(got, cases[i].want);
        lethe_microagg_tally_clear(&t);
        written(&b, &t, got);
        assert_string_equal(got, "");
        lethe_microagg_tally_free(&t);
        close_bench(&b);
    }
}

/* More categories, and more terms, than are taken at once. */
static void many_of_them_are_all_found(void **state)
{
    (void)state;
    enum { N = 700 };
    char *directory = NULL, *text = NULL;
    size_t n;
    FILE *f = open_memstream(&directory, &n);
    for (int i = 0; i < N; i++)
        fprintf(f, "many\tTop/c%d\nt%d\tTop/c%d/own\n", i, i, i);
    fclose(f);
    f = open_memstream(&text, &n);
    for (int i = 0; i < N; i++)
        fprintf(f, "t%d ", i);
    fputs("many", f);
    fclose(f);
    static const uint32_t most[] = {0, 1, 64, 65, 128, N, N + 1};
    for (size_t i = 0; i < LETHE_COUNT(most); i++) {
        const char *texts[] = {text};
        bench b = open_bench(directory, texts, 1, most[i], 3);
        uint64_t found = most[i] ? LETHE_MIN(most[i], N) : N;
        lethe_microagg_tally t;
        assert_int_equal(b.c->n_terms, N + 1);
        assert_int_equal(b.c->category_start[N + 1] - b.c->category_start[N], found);
        assert_int_equal(lethe_microagg_tally_new(b.dir, &t), LETHE_OK);
        lethe_microagg_tally_add(&t, b.c, 0, 2, false);
        uint32_t top = b.c->category[b.c->category_start[N]];
        top = lethe_directory_parent(b.dir, top);
        assert_int_equal(t.count[top], 2 * (N + found));
        for (uint32_t k = 0; k < N; k++) /* each term has its own, in its own place */
            assert_int_equal(b.c->depth[k], 3);
        assert_int_equal(b.c->depth[N], 2);
        lethe_microagg_tally_free(&t);
        close_bench(&b);
    }
    free(directory);
    free(text);
}

/* Users made by hand: counts that no log of a test would reach. */
static void greater_counts_than_fit_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"w1", "w3"};
    bench b = open_bench(lines, texts, 2, 1, 2);
    uint64_t start[] = {0, 2, 3}, queries[] = {UINT32_MAX, 7, 1};
    uint32_t text[] = {0, 1, 1}, levels = 0;
    lethe_user_texts u = {.n = 2, .start = start, .text = text, .queries = queries};
    lethe_user_interests made = {0};
    lethe_classes_share r;
    assert_int_equal(lethe_classes_reach(b.c, &u, 3, &r), LETHE_OK);
    assert_true(r.all_words == (uint64_t)UINT32_MAX + 8 && r.words[0] == r.all_words);
    assert_true(r.words[2] == UINT32_MAX && r.all_queries == r.all_words);
    assert_memory_equal(r.words, r.queries, 3 * sizeof *r.words); /* one word a query */
    lethe_classes_share_free(&r);
    assert_int_equal(lethe_classes_levels(b.c, &u, 10, &levels), LETHE_OK);
    assert_int_equal(levels, 3);
    assert_int_equal(lethe_classes_levels(b.c, &u, 2, &levels), LETHE_OK);
    assert_int_equal(levels, 2);
    assert_int_equal(lethe_user_interests_new(b.ctx, b.c, &u, &made), LETHE_OK);
    assert_true(made.of.n == 2 && made.start[1] == 4 && made.start[2] == 5);
    assert_true(made.count[0] == UINT32_MAX && made.count[4] == 1);
    lethe_user_interests_free(&made);
    queries[0]++;
    assert_int_equal(lethe_user_interests_new(b.ctx, b.c, &u, &made), LETHE_EINPUT);
    assert_null(made.start);
    close_bench(&b);
}

static void what_remains_is_a_mean_over_those_who_had_something(void **state)
{
    (void)state;
    static const char *const texts[] = {"w1", "w2", "w3", "none"};
    bench b = open_bench(lines, texts, 4, 1, 1);
    uint64_t start[] = {0, 1, 2, 3, 4}, queries[] = {2, 4, 1, 1};
    uint32_t text[] = {0, 1, 2, 3};
    lethe_user_texts u = {.n = 4, .start = start, .text = text, .queries = queries};
    lethe_user_interests of;
    lethe_microagg_tally published;
    lethe_srp r, other;
    lethe_classes_cut(b.c, 3);
    assert_int_equal(lethe_user_interests_new(b.ctx, b.c, &u, &of), LETHE_OK);
    assert_int_equal(lethe_microagg_tally_new(b.dir, &published), LETHE_OK);
    assert_int_equal(lethe_srp_new(3, &r), LETHE_OK);
    assert_int_equal(lethe_srp_new(3, &other), LETHE_OK);
    lethe_microagg_tally_add(&published, b.c, 1, 1, false); /* A 1, B 1 */
    for (uint32_t user = 0; user < 4; user++)
        lethe_srp_add(user < 2 ? &r : &other, &of.of, user, &published);
    lethe_srp_join(&r, &other);
    assert_true(r.users[0] == 3 && r.users[1] == 2 && r.users[2] == 1); /* not who has none */
    assert_true(r.level[0] == 0.5 + 0.25 && r.level[1] == 0.5 + 0.25 && r.level[2] == 0);
    assert_true(r.users_so_far[2] == 3 && r.so_far[1] == 0.5 + 0.25);
    assert_true(r.so_far[2] == 2. / 6 + 0.25);
    lethe_srp_free(&r);
    lethe_srp_free(&other);
    lethe_microagg_tally_free(&published);
    lethe_user_interests_free(&of);
    close_bench(&b);
}

static void every_failing_allocation_is_said(void **state)
{
    (void)state;
    static const char *const texts[] = {"w1 w2", "w3"};
    bench b = open_bench(lines, texts, 2, 1, 1);
    uint64_t start[] = {0, 2}, queries[] = {1, 1};
    uint32_t text[] = {0, 1};
    lethe_user_texts u = {.n = 1, .start = start, .text = text, .queries = queries};
    lethe_err err = LETHE_ENOMEM;
    for (uint64_t n = 1; err != LETHE_OK; n++) {
        lethe_classes *c = NULL;
        lethe_user_interests of = {0};
        lethe_srp r = {0};
        uint32_t levels;
        lethe_alloc_fail_at(n);
        err = lethe_classes_new(b.ctx, b.dir, b.texts, 0, &c);
        if (err == LETHE_OK) err = lethe_classes_levels(c, &u, 4, &levels);
        if (err == LETHE_OK) err = lethe_user_interests_new(b.ctx, c, &u, &of);
        if (err == LETHE_OK) err = lethe_srp_new(3, &r);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_srp_free(&r);
        lethe_user_interests_free(&of);
        lethe_classes_free(c);
        assert_true(n < 200);
    }
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_count_down_to_the_level),
        cmocka_unit_test(many_of_them_are_all_found),
        cmocka_unit_test(greater_counts_than_fit_are_refused),
        cmocka_unit_test(what_remains_is_a_mean_over_those_who_had_something),
        cmocka_unit_test(every_failing_allocation_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
