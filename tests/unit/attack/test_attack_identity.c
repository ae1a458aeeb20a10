/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include "identity_harness.h"
#include "small_wordnet.h"
#include "core/mem.h"

#define H LETHE_TRUTH_HEADER

typedef struct expectation {
    const char *what;
    attack attack;
    const char *kind;
    int64_t before, after;
    bool confirmed;
} expectation;

static const expectation cases[] = {
    {"a number that is there tells",
     {.original = "1\tmy ssn 219-09-9999\n2\tred car\n",
      .published = "p\tmy ssn 219-09-9999\nq\tred car\n",
      .truth = H "1\tnumber\t219-09-9999\n"},
     "number",
     1,
     1,
     false},
    {"a masked one does not",
     {.original = "1\tmy ssn 219-09-9999\n",
      .published = "p\tmy ssn [ssn]\n",
      .truth = H "1\tnumber\t219-09-9999\n"},
     "number",
     1,
     0,
     false},
    {"a longer number is another one",
     {.original = "1\t4111 1111 1111 1111\n",
      .published = "p\t41111 1111 1111 1111\n",
      .truth = H "1\tnumber\t4111 1111 1111 1111\n"},
     "number",
     1,
     0,
     false},
    {"words may stand in another order",
     {.original = "1\tthelma arnold\n1\tlilburn pizza\n",
      .published = "p\tarnold thelma\np\tpizza lilburn\n",
      .truth = H "1\tname\tthelma arnold\tlilburn\n"},
     "name",
     1,
     1,
     false},
    {"a name without its town does not tell",
     {.original = "1\tthelma arnold\n1\tlilburn pizza\n",
      .published = "p\tthelma arnold\n",
      .truth = H "1\tname\tthelma arnold\tlilburn\n"},
     "name",
     1,
     0,
     false},
    {"nor do they apart, with two users",
     {.original = "1\tthelma arnold\n1\tlilburn pizza\n",
      .published = "p\tthelma arnold\nq\tlilburn pizza\n",
      .truth = H "1\tname\tthelma arnold\tlilburn\n"},
     "name",
     1,
     0,
     false},
    {"nor where two users have both",
     {.original = "1\tthelma arnold lilburn\n2\tred\n",
      .published = "p\tthelma arnold lilburn\nq\tthelma arnold lilburn\n",
      .truth = H "1\tname\tthelma arnold\tlilburn\n"},
     "name",
     1,
     0,
     false},
    {"part of a name is another name",
     {.original = "1\tthelma arnold\n1\tlilburn\n",
      .published = "p\tarnold palmer\np\tlilburn\n",
      .truth = H "1\tname\tthelma arnold\tlilburn\n"},
     "name",
     1,
     0,
     false},
    {"queries that only together are one person's",
     {.original = "1\tnumb fingers\n1\tdog\n1\t60 single men\n2\tdog\n3\tnumb fingers\n2\t60 "
                  "single men\n",
      .published =
          "p\tnumb fingers\np\tdog\np\t60 single men\nq\tdog\nr\tnumb fingers\nq\t60 single men\n",
      .truth = H "1\tpattern\tnumb fingers\tdog\t60 single men\n"},
     "pattern",
     1,
     1,
     false},
    {"fewer than were known are no proof",
     {.original = "1\tnumb fingers\n1\tdog\n1\t60 single men\n",
      .published = "p\tnumb fingers\np\tdog\n",
      .truth = H "1\tpattern\tnumb fingers\tdog\t60 single men\n"},
     "pattern",
     1,
     0,
     false},
    {"but are where fewer are asked for",
     {.original = "1\tnumb fingers\n1\tdog\n1\t60 single men\n",
      .published = "p\tnumb fingers\np\tdog\n",
      .truth = H "1\tpattern\tnumb fingers\tdog\t60 single men\n",
      .known = "2"},
     "pattern",
     1,
     1,
     false},
    {"whoever has as many hides them",
     {.original = "1\ta1\n1\tb1\n1\tc1\n1\td1\n",
      .published = "p\ta1\np\tb1\np\tc1\nq\tb1\nq\tc1\nq\td1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\td1\n"},
     "pattern",
     1,
     0,
     false},
    {"a query that holds more than the clue is another one",
     {.original = "1\ta1\n1\tb1\n1\tc1\n",
      .published = "p\ta1 x\np\tb1\np\tc1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\n"},
     "pattern",
     1,
     0,
     false},
    {"plurals and order aside it is the same",
     {.original = "1\tred cars\n1\tb1\n1\tc1\n",
      .published = "p\tcar red\np\tb1\np\tc1\n",
      .truth = H "1\tpattern\tred cars\tb1\tc1\n"},
     "pattern",
     1,
     1,
     false},
    {"with a map the right one must be found",
     {.original = "1\ta1\n1\tb1\n1\tc1\n2\ta1\n2\tb1\n",
      .published = "p\ta1\nq\ta1\nq\tb1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\n",
      .map = "1\tp\n2\tq\n",
      .known = "1"},
     "pattern",
     1,
     0,
     true},
    {"and is",
     {.original = "1\ta1\n1\tb1\n1\tc1\n2\ta1\n",
      .published = "p\ta1\np\tb1\nq\ta1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\n",
      .map = "1\tp\n2\tq\n",
      .known = "2"},
     "pattern",
     1,
     1,
     true},
    {"a person who was split is no rival of theirs",
     {.original = "1\ta1\n1\tb1\n1\tc1\n1\td1\n",
      .published = "p\ta1\np\tb1\nq\tc1\nq\td1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\td1\n",
      .map = "1\tp\n1\tq\n",
      .known = "2"},
     "pattern",
     1,
     1,
     true},
    {"but somebody else is",
     {.original = "1\ta1\n1\tb1\n1\tc1\n1\td1\n",
      .published = "p\ta1\np\tb1\nq\tc1\nq\td1\nr\tc1\nr\ta1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\td1\n",
      .map = "1\tp\n1\tq\n2\tr\n",
      .known = "2"},
     "pattern",
     1,
     0,
     true},
    {"one published user may be several persons",
     {.original = "0\tx\n1\tann lee\n1\tyork\n",
      .published = "p\tann lee\np\tyork\n",
      .truth = H "0\tnumber\t77\n1\tname\tann lee\tyork\n",
      .map = "0\tp\n1\tp\n"},
     "name",
     1,
     1,
     true},
    {"users who kept their names need none",
     {.original = "1\ta1\n1\tb1\n2\ta1\n2\tb1\n2\tc1\n",
      .published = "1\ta1\n1\tb1\n2\ta1\n2\tb1\n2\tc1\n",
      .truth = H "1\tpattern\ta1\tb1\tc1\n",
      .keep_users = true},
     "pattern",
     0,
     0,
     true},
};

static size_t users_count(const char *lines)
{
    size_t n = 0;
    for (const char *at = lines; *at; at = strchr(at, '\n') + 1) {
        const char *first = lines;
        while (strncmp(first, at, strcspn(at, "\t") + 1) != 0)
            first = strchr(first, '\n') + 1;
        n += first == at;
    }
    return n;
}

static void each_case_is_decided(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        const expectation *x = &cases[i];
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(a_run(ctx, &x->attack, doc, out), LETHE_OK);
        int64_t before = a_count(out, x->kind, "before"), after = a_count(out, x->kind, "after");
        if (before != x->before || after != x->after)
            print_error("%s: %lld, %lld\n", x->what, (long long)before, (long long)after);
        assert_int_equal(before, x->before);
        assert_int_equal(after, x->after);
        double planted = (double)lethe_json_int(lethe_json_get(out, "planted"));
        assert_int_equal(a_count(out, x->kind, "planted"), 1);
        assert_true(lethe_json_real(lethe_json_get(out, "success")) == (double)x->after / planted);
        assert_true(lethe_json_real(lethe_json_get(out, "before")) == (double)x->before / planted);
        assert_true(lethe_json_real(lethe_json_get(out, "baseline")) ==
                    1 / (double)users_count(x->attack.published));
        assert_int_equal(lethe_json_bool(lethe_json_get(out, "confirmed")), x->confirmed);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

static void nobody_planted_is_nobody_found(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    attack a = {.original = "1\ta\n", .published = "p\ta\n", .truth = H};
    assert_int_equal(a_run(ctx, &a, doc, out), LETHE_OK);
    assert_int_equal(lethe_json_int(lethe_json_get(out, "planted")), 0);
    assert_true(lethe_json_real(lethe_json_get(out, "success")) == 0);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* Not a map at all, empty, or that of another release: nobody would be found with it. */
static void a_map_of_something_else_is_refused(void **state)
{
    (void)state;
    static const char *const maps[] = {"no tab\n", "", "1\tq\n", "p\t1\n", "1\tpp\n2\tq\n"};
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(maps); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        attack a = {.original = "1\ta\n",
                    .published = "p\ta\n",
                    .truth = H "1\tnumber\t1\n",
                    .map = maps[i]};
        assert_int_equal(a_run(ctx, &a, doc, out), LETHE_EINPUT);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

static void a_map_may_know_more(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    attack a = {.original = "1\ta\n",
                .published = "p\ta\n",
                .truth = H "1\tnumber\t1\n",
                .map = "0\ta\n1\tp\n2\tz\n"};
    assert_int_equal(a_run(ctx, &a, doc, out), LETHE_OK);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* Opening the dictionary takes most allocations, so few of them are tried one by one. */
static void lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    uint64_t n = 1, step = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n += step) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(n);
        err = a_run(ctx, &cases[15].attack, doc, out);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 30);
    lethe_ctx_free(ctx);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_is_decided),
        cmocka_unit_test(nobody_planted_is_nobody_found),
        cmocka_unit_test(a_map_of_something_else_is_refused),
        cmocka_unit_test(a_map_may_know_more),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
