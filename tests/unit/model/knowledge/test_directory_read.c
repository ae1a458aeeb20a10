/* SPDX-License-Identifier: Apache-2.0 */
/* Directories from text files: what is taken, in which order, and what is refused, with its place.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include <zlib.h>
#include "core/mem.h"
#include "io/read/blocks.h"
#include "model/tree/forest.h"
#include "directory_harness.h"

static lethe_ctx *ctx;
static said last;

static int begin(void **state)
{
    (void)state;
    ctx = ctx_of(1, 0, &last);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

static lethe_directory *taken(const char *bytes, size_t n)
{
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_directory_memory(ctx, (lethe_str){bytes, n}, &dir), LETHE_OK);
    return dir;
}

static void the_first_line_is_the_best_category(void **state)
{
    (void)state;
    static const char text[] = "apple\tFood/Fruit\nbank\tMoney\napple\tFirms/Computers\n"
                               "bank\tRivers/Shores\napple\tFood\n";
    lethe_directory *dir = taken(text, sizeof text - 1);
    assert_string_equal(of_term(dir, "apple"), "Food/Fruit | Firms/Computers | Food");
    assert_string_equal(of_term(dir, "bank"), "Money | Rivers/Shores");
    assert_string_equal(of_term(dir, "pear"), "");
    assert_string_equal(of_term(dir, ""), "");
    assert_int_equal(lethe_directory_categories(dir), 7);
    uint32_t out[2] = {9, 9};
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("apple"), 1, out), 1);
    assert_int_equal(out[1], 9);
    assert_int_equal(lethe_directory_level(dir, out[0]), 2);
    lethe_directory_free(dir);
}

/* Of the same name below different parents. */
static void a_category_is_its_whole_path(void **state)
{
    (void)state;
    static const char text[] = "x\tA/B\nx\tB\nx\tB/B\nx\tA/B/B\n";
    lethe_directory *dir = taken(text, sizeof text - 1);
    assert_string_equal(of_term(dir, "x"), "A/B | B | B/B | A/B/B");
    assert_int_equal(lethe_directory_categories(dir), 5);
    lethe_directory_free(dir);
}

static void a_repeated_line_counts_once(void **state)
{
    (void)state;
    static const char text[] = "a\tX\na\tY\na\tX\nb\tY\nA\tY\na\tZ\n";
    lethe_directory *dir = taken(text, sizeof text - 1);
    assert_string_equal(of_term(dir, "a"), "X | Y | Z");
    assert_string_equal(of_term(dir, "b"), "Y");
    lethe_directory_free(dir);
}

static void terms_are_normalised_and_names_are_not(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF A Can  OF Worms\tSpace/ Form /C_o n/\xC3\x89\t248\r\n"
                               "\r\n\nSTRASSE\tX\t\t1/2\nstra\xC3\x9F"
                               "e\tY";
    lethe_directory *dir = taken(text, sizeof text - 1);
    assert_string_equal(of_term(dir, "a can of worms"), "Space/Form/C_o n/\xC3\x89");
    assert_string_equal(of_term(dir, "strasse"), "X | Y");
    lethe_directory_free(dir);
}

static void what_is_no_line_of_a_directory_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint64_t line;
        uint32_t column;
        const char *cause;
    } bad[] = {
        {"", 0, 1, 0, "empty: no term in it"},
        {"\n\r\n", 3, 1, 0, "empty: no term in it"},
        {"a\tX\nb", 5, 2, 0, "no tab: expected a term and a path"},
        {"a\tX\n\n \n", 7, 3, 0, "no tab: expected a term and a path"},
        {"\tX\n", 3, 1, 1, "no term"},
        {"  \tX\n", 5, 1, 1, "no term"},
        {"a\t\n", 3, 1, 2, "no path"},
        {"a\t\tX\n", 5, 1, 2, "no path"},
        {"a\tX//Y\n", 7, 1, 2, "an empty part of the path"},
        {"a\t/X\n", 5, 1, 2, "an empty part of the path"},
        {"a\tX/\n", 5, 1, 2, "an empty part of the path"},
        {"a\tX/ /Y\n", 8, 1, 2, "an empty part of the path"},
        {"a\tX\nb\0c\tX\n", 10, 2, 1, "the term: a control character"},
        {"b\tX\rY\n", 6, 1, 2, "the path: a control character"},
        {"b\tX\0Y\n", 6, 1, 2, "the path: a control character"},
        {"b\xFF\tX\n", 5, 1, 1, "the term: not valid utf-8"},
        {"b\tX\xC3\n", 5, 1, 2, "the path: not valid utf-8"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_directory *dir = NULL;
        last = (said){0};
        assert_int_equal(lethe_directory_memory(ctx, (lethe_str){bad[i].text, bad[i].n}, &dir),
                         LETHE_EINPUT);
        assert_null(dir);
        assert_string_equal(last.text, bad[i].cause);
        assert_int_equal(last.line, bad[i].line);
        assert_int_equal(last.column, bad[i].column);
        assert_int_equal(last.errors, 1);
    }
}

/* `levels` parts: "a TAB p0/p1/.." */
static char *deep_line(unsigned levels, size_t *n)
{
    char *text = malloc(16 + (size_t)levels * 8);
    size_t len = (size_t)sprintf(text, "a\t");
    for (unsigned i = 0; i < levels; i++)
        len += (size_t)sprintf(text + len, "%sp%u", i ? "/" : "", i % 10);
    *n = len;
    return text;
}

static void a_path_may_have_many_levels(void **state)
{
    (void)state;
    static const unsigned levels[] = {1000, LETHE_PATH_LEVELS_MAX};
    for (size_t i = 0; i < LETHE_COUNT(levels); i++) {
        size_t n;
        uint32_t c;
        char *text = deep_line(levels[i], &n);
        lethe_directory *dir = taken(text, n);
        assert_int_equal(lethe_directory_find(dir, LETHE_LIT("a"), 1, &c), 1);
        assert_int_equal(lethe_directory_level(dir, c), levels[i]);
        assert_int_equal(lethe_directory_categories(dir), levels[i]);
        lethe_directory_free(dir);
        free(text);
    }
    size_t n;
    lethe_directory *dir = NULL;
    char *text = deep_line(LETHE_PATH_LEVELS_MAX + 1, &n);
    assert_int_equal(lethe_directory_memory(ctx, (lethe_str){text, n}, &dir), LETHE_EINPUT);
    assert_string_equal(last.text, "a path of more than 10000 levels");
    free(text);
}

static void a_huge_line_is_refused_and_named(void **state)
{
    (void)state;
    size_t n = LETHE_LINE_MAX + 100;
    char *text = malloc(n);
    lethe_directory *dir = NULL;
    memset(text, 'q', n);
    memcpy(text, "q\ta\n", 4);
    const char *path = file_of(text, n);
    assert_int_equal(lethe_directory_read(ctx, path, &dir), LETHE_EINPUT);
    assert_string_equal(last.file, path);
    assert_int_equal(last.line, 2);
    unlink(path);
    assert_int_equal(lethe_directory_read(ctx, path, &dir), LETHE_EIO);
    assert_null(dir);
    free(text);
}

static void a_compressed_file_is_one_too(void **state)
{
    (void)state;
    const char *path = file_of("", 0);
    gzFile f = gzopen(path, "wb");
    assert_int_equal(gzputs(f, "a\tX/Y\n"), 6);
    gzclose(f);
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_directory_read(ctx, path, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "a"), "X/Y");
    lethe_directory_free(dir);
    unlink(path);
}

static void who_cancels_is_heard(void **state)
{
    (void)state;
    lethe_ctx *other = ctx_of(1, 0, NULL);
    lethe_directory *dir = NULL;
    char *text = malloc(5 * 8192);
    for (size_t i = 0; i < 8192; i++)
        memcpy(text + 4 * i, "a\tX\n", 4);
    lethe_ctx_cancel(other);
    assert_int_equal(lethe_directory_memory(other, (lethe_str){text, 4 * 8192}, &dir),
                     LETHE_ECANCEL);
    assert_null(dir);
    lethe_ctx_free(other);
    free(text);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char text[] = "Apple\tFood/Fruit\napple\tFirms\nb\tFood\n";
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK) {
        lethe_directory *dir = NULL;
        last.errors = 0;
        lethe_alloc_fail_at(++n);
        e = lethe_directory_memory(ctx, (lethe_str){text, sizeof text - 1}, &dir);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_true((e == LETHE_OK) == (dir != NULL));
        assert_true((e == LETHE_OK) == (last.errors == 0));
        lethe_directory_free(dir);
    }
    assert_true(n > 10);
}

/* --- forests --- */

static void categories_are_numbered_as_they_come(void **state)
{
    (void)state;
    static const struct {
        uint32_t parent;
        const char *name;
    } all[] = {{LETHE_NONE, "b"},   {0, "z"}, {LETHE_NONE, "a"}, {0, "a"}, {2, "c"},
               {LETHE_NONE, "a b"}, {4, ""},  {LETHE_NONE, "c"}};
    lethe_forest *f = lethe_forest_new();
    uint32_t id;
    assert_non_null(f);
    for (uint32_t i = 0; i < LETHE_COUNT(all); i++) {
        assert_int_equal(lethe_forest_add(f, all[i].parent, lethe_str_of(all[i].name), &id),
                         LETHE_OK);
        assert_int_equal(id, i);
    }
    assert_int_equal(lethe_forest_add(f, 0, LETHE_LIT("z"), &id), LETHE_OK);
    assert_int_equal(id, 1);
    assert_int_equal(lethe_forest_count(f), 8);
    assert_int_equal(lethe_forest_parent(f, 4), 2);
    assert_int_equal(lethe_forest_parent(f, 2), LETHE_NONE);
    assert_true(lethe_str_eq(lethe_forest_name(f, 5), LETHE_LIT("a b")));
    lethe_forest_free(f);
    lethe_forest_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_is_the_best_category),
        cmocka_unit_test(a_category_is_its_whole_path),
        cmocka_unit_test(a_repeated_line_counts_once),
        cmocka_unit_test(terms_are_normalised_and_names_are_not),
        cmocka_unit_test(what_is_no_line_of_a_directory_is_refused),
        cmocka_unit_test(a_path_may_have_many_levels),
        cmocka_unit_test(a_huge_line_is_refused_and_named),
        cmocka_unit_test(a_compressed_file_is_one_too),
        cmocka_unit_test(who_cancels_is_heard),
        cmocka_unit_test(lack_of_memory_is_said),
        cmocka_unit_test(categories_are_numbered_as_they_come),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
