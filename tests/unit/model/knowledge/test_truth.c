/* SPDX-License-Identifier: Apache-2.0 */
/* The truth file: what is taken, and what is refused, with its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "model/knowledge/truth.h"

#define HEADER "AnonID\tKind\tClues\n"

static lethe_ctx *ctx;
static lethe_message last;
static char said[256], in_file[256];
static int n_said;

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    last = *m;
    snprintf(said, sizeof said, "%s", m->text);
    snprintf(in_file, sizeof in_file, "%s", m->file ? m->file : "");
    n_said++;
}

static int begin(void **state)
{
    (void)state;
    lethe_settings s = {.n_threads = 1, .on_message = keep_message};
    return lethe_ctx_new(&s, &ctx) == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

static lethe_err read_bytes(const char *bytes, size_t n, lethe_truth **out)
{
    *out = NULL;
    n_said = 0;
    return lethe_truth_memory(ctx, (lethe_str){bytes, n}, out);
}

static void is_text(lethe_str s, const char *want)
{
    if (!lethe_str_eq(s, lethe_str_of(want))) fail_msg("'%.*s', not '%s'", (int)s.n, s.at, want);
}

static void three_kinds_are_read(void **state)
{
    (void)state;
    static const char text[] = HEADER "12\tnumber\t734-12-1234\tann@example.com\n"
                                      "Bob the 2nd\tname\tann lee\tlilburn\n"
                                      "7\tpattern\tnumb fingers\tcafé hours\tdog food\n";
    lethe_truth *t;
    assert_int_equal(read_bytes(text, sizeof text - 1, &t), LETHE_OK);
    assert_int_equal(t->n, 3);
    is_text(t->at[0].user, "12");
    assert_int_equal(t->at[0].kind, LETHE_PLANT_NUMBER);
    assert_int_equal(t->at[0].n_clues, 2);
    is_text(t->at[0].clues[0], "734-12-1234");
    is_text(t->at[0].clues[1], "ann@example.com");
    is_text(t->at[1].user, "Bob the 2nd");
    assert_int_equal(t->at[1].kind, LETHE_PLANT_NAME);
    is_text(t->at[1].clues[1], "lilburn");
    assert_int_equal(t->at[2].kind, LETHE_PLANT_PATTERN);
    assert_int_equal(t->at[2].n_clues, 3);
    is_text(t->at[2].clues[1], "café hours");
    lethe_truth_free(t);
    lethe_truth_free(NULL);
}

static void nobody_is_fine(void **state)
{
    (void)state;
    lethe_truth *t;
    static const char *const texts[] = {HEADER, "AnonID\tKind\tClues", "AnonID\tKind\tClues\r\n"};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        assert_int_equal(read_bytes(texts[i], strlen(texts[i]), &t), LETHE_OK);
        assert_int_equal(t->n, 0);
        lethe_truth_free(t);
    }
}

static void line_ends_may_differ(void **state)
{
    (void)state;
    static const char text[] = "AnonID\tKind\tClues\r\n1\tname\tann lee\tlilburn\r\n2\tnumber\t7";
    lethe_truth *t;
    assert_int_equal(read_bytes(text, sizeof text - 1, &t), LETHE_OK);
    assert_int_equal(t->n, 2);
    is_text(t->at[0].clues[1], "lilburn");
    is_text(t->at[1].clues[0], "7");
    lethe_truth_free(t);
}

static void sixty_four_clues_are_the_most(void **state)
{
    (void)state;
    char text[1024];
    for (int n = 63; n <= 65; n++) {
        lethe_truth *t;
        size_t at = (size_t)sprintf(text, HEADER "1\tpattern");
        for (int i = 0; i < n; i++)
            at += (size_t)sprintf(text + at, "\tq %d", i);
        assert_int_equal(read_bytes(text, at, &t), n <= 64 ? LETHE_OK : LETHE_EINPUT);
        if (n > 64) continue;
        assert_int_equal(t->at[0].n_clues, n);
        is_text(t->at[0].clues[62], "q 62");
        lethe_truth_free(t);
    }
    assert_string_equal(said, "too many clues for the kind 'pattern': at most 64");
}

/* With NULs in them: so lengths are given. */
#define BAD(text, line, column, cause)                                                             \
    {                                                                                              \
        text, sizeof text - 1, line, column, cause                                                 \
    }

static void faults_have_a_place_and_a_cause(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint64_t line;
        uint32_t column;
        const char *cause;
    } bad[] = {
        BAD("", 1, 0, "empty: not a truth file"),
        BAD("\n", 1, 0, "not a truth file: the first line is not its header"),
        BAD("AnonID\tKind\n", 1, 0, "not a truth file: the first line is not its header"),
        BAD("AnonID\tKind\tClues\t\n", 1, 0, "not a truth file: the first line is not its header"),
        BAD("1\tname\tann lee\tlilburn\n", 1, 0,
            "not a truth file: the first line is not its header"),
        BAD(HEADER "\n", 2, 0, "no tab: expected user, kind and clues"),
        BAD(HEADER "1\n", 2, 0, "no tab: expected user, kind and clues"),
        BAD(HEADER "\tname\ta b\tc\n", 2, 1, "no user"),
        BAD(HEADER "a\0b\tname\ta b\tc\n", 2, 1, "no user"),
        BAD(HEADER "\xff\tname\ta b\tc\n", 2, 1, "no user"),
        BAD(HEADER "1\tnames\ta b\tc\n", 2, 2, "neither number, name nor pattern"),
        BAD(HEADER "1\t\ta b\tc\n", 2, 2, "neither number, name nor pattern"),
        BAD(HEADER "1\tName\ta b\tc\n", 2, 2, "neither number, name nor pattern"),
        BAD(HEADER "1\tnumber\n", 2, 0, "too few clues for the kind 'number': at least 1"),
        BAD(HEADER "1\tname\ta b\n", 2, 0, "too few clues for the kind 'name': at least 2"),
        BAD(HEADER "1\tname\ta b\tc\td\n", 2, 0, "too many clues for the kind 'name': at most 2"),
        BAD(HEADER "1\tpattern\ta b\n", 2, 0, "too few clues for the kind 'pattern': at least 2"),
        BAD(HEADER "1\tnumber\t\n", 2, 3, "an empty clue"),
        BAD(HEADER "1\tnumber\t7\t\n", 2, 4, "an empty clue"),
        BAD(HEADER "1\tpattern\ta\tB\n", 2, 4, "a clue that is not normalized"),
        BAD(HEADER "1\tpattern\ta  b\tc\n", 2, 3, "a clue that is not normalized"),
        BAD(HEADER "1\tpattern\ta \tc\n", 2, 3, "a clue that is not normalized"),
        BAD(HEADER "1\tpattern\ta\0\tc\n", 2, 3, "a clue that is not normalized"),
        BAD(HEADER "1\tpattern\t\xc3\tc\n", 2, 3, "a clue that is not normalized"),
        BAD(HEADER "1\tnumber\t7\n2\tnumber\t8\n1\tname\ta\tb\n", 4, 1,
            "the user has an earlier line"),
        BAD(HEADER "1\tnumber\t7\r\r\n", 2, 3, "a clue that is not normalized"),
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_truth *t;
        lethe_err e = read_bytes(bad[i].text, bad[i].n, &t);
        if (e != LETHE_EINPUT || strcmp(said, bad[i].cause) != 0)
            fail_msg("%zu: %s, '%s'", i, lethe_err_name(e), said);
        assert_null(t);
        assert_int_equal(n_said, 1);
        assert_int_equal(last.line, bad[i].line);
        assert_int_equal(last.column, bad[i].column);
        assert_true(*in_file);
    }
}

static void a_huge_line_is_refused(void **state)
{
    (void)state;
    size_t n = sizeof HEADER - 1 + (3u << 20);
    char *text = malloc(n);
    lethe_truth *t;
    memset(text, 'a', n);
    memcpy(text, HEADER "1\tnumber\t", sizeof HEADER + 8);
    assert_int_equal(read_bytes(text, n, &t), LETHE_EINPUT);
    assert_int_equal(last.line, 2);
    free(text);
}

static void files_are_read_too(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-truth-XXXXXX";
    int fd = mkstemp(path);
    static const char text[] = HEADER "1\tnumber\t7\n1\tnumber\t7\n";
    lethe_truth *t = NULL;
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(lethe_truth_read(ctx, path, &t), LETHE_EINPUT);
    assert_string_equal(in_file, path);
    assert_int_equal(last.line, 3);
    assert_int_equal(ftruncate(fd, sizeof text - 1 - 11), 0);
    assert_int_equal(lethe_truth_read(ctx, path, &t), LETHE_OK);
    assert_int_equal(t->n, 1);
    lethe_truth_free(t);
    t = NULL;
    close(fd);
    unlink(path);
    assert_int_equal(lethe_truth_read(ctx, path, &t), LETHE_EIO);
    assert_int_equal(lethe_truth_read(ctx, "/tmp", &t), LETHE_EIO);
    assert_null(t);
}

/* Many persons: the array grows, and all stay. */
static void many_are_read(void **state)
{
    (void)state;
    enum { N = 5000 };
    char *text = malloc(N * 40 + 64);
    size_t n = (size_t)sprintf(text, HEADER);
    lethe_truth *t;
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "u%d\tname\tann %d\ttown %d\n", i, i, i);
    assert_int_equal(read_bytes(text, n, &t), LETHE_OK);
    assert_int_equal(t->n, N);
    for (int i = 0; i < N; i++) {
        char want[32];
        sprintf(want, "town %d", i);
        is_text(t->at[i].clues[1], want);
    }
    lethe_truth_free(t);
    free(text);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    static const char text[] = HEADER "12\tnumber\t7\n2\tname\tann lee\tlilburn\n"
                                      "7\tpattern\tcafé hours\tdog food\n";
    uint64_t n = 1;
    for (lethe_err e = LETHE_ENOMEM; e != LETHE_OK; n++) {
        lethe_truth *t;
        lethe_alloc_fail_at(n);
        e = read_bytes(text, sizeof text - 1, &t);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        assert_int_equal(t == NULL, e != LETHE_OK);
        lethe_truth_free(t);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_kinds_are_read),
        cmocka_unit_test(nobody_is_fine),
        cmocka_unit_test(line_ends_may_differ),
        cmocka_unit_test(sixty_four_clues_are_the_most),
        cmocka_unit_test(faults_have_a_place_and_a_cause),
        cmocka_unit_test(a_huge_line_is_refused),
        cmocka_unit_test(files_are_read_too),
        cmocka_unit_test(many_are_read),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
