/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of sensitive items: the user's, and sensitive.txt. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "model/knowledge/sensitive.h"
#include "published_harness.h"
#include <zstd.h>

/* The names, parted by "/", each with its line. */
static const char *shown(const lethe_sensitive *s)
{
    static char text[512];
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < lethe_dict_count(s->names); i++) {
        lethe_str name = lethe_dict_at(s->names, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s:%llu/", (int)name.n, name.at,
                              (unsigned long long)s->line[i]);
    }
    return text;
}

static lethe_err read_list(heard *h, lethe_str bytes, lethe_naming naming, lethe_sensitive **out)
{
    lethe_ctx *ctx = heard_ctx(h, 1);
    *out = NULL;
    lethe_err e = lethe_sensitive_memory(ctx, bytes, naming, out);
    lethe_ctx_free(ctx);
    return e;
}

static void a_list_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lethe_naming naming;
        const char *want;
    } cases[] = {
        {"hiv\ncancer\n", LETHE_NAMES_ITEMS, "hiv:1/cancer:2/"},
        {"hiv\ncancer", LETHE_NAMES_ITEMS, "hiv:1/cancer:2/"},
        {"hiv\r\ncancer\r\n", LETHE_NAMES_ITEMS, "hiv:1/cancer:2/"},
        {"hiv\ncancer\nhiv\nflu\n", LETHE_NAMES_ITEMS, "hiv:1/cancer:2/flu:4/"},
        {"\xef\xbb\xbfhiv\n", LETHE_NAMES_ITEMS, "hiv:1/"},
        {"breast cancer\n", LETHE_NAMES_ITEMS, "breast_cancer:1/"},
        {"breast cancer\nbreast_cancer\n", LETHE_NAMES_ITEMS, "breast_cancer:1/"},
        {"breast cancer\n", LETHE_NAMES_RAW, "breast cancer:1/"},
        {"HIV\n", LETHE_NAMES_ITEMS, "HIV:1/"},
        {"HIV\n Breast   CANCER \nhiv\n", LETHE_NAMES_TERMS, "hiv:1/breast_cancer:2/"},
        {"GRIPP\xc3\x89\n", LETHE_NAMES_TERMS, "gripp\xc3\xa9:1/"},
        {"a|b\n", LETHE_NAMES_ITEMS, "a|b:1/"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_sensitive *s;
        assert_int_equal(read_list(&h, lethe_str_of(cases[i].text), cases[i].naming, &s), 0);
        assert_string_equal(shown(s), cases[i].want);
        assert_int_equal(h.n, 0);
        lethe_sensitive_free(s);
    }
}

static void a_bad_list_is_refused_where_it_is_bad(void **state)
{
    (void)state;
    static const struct {
        lethe_str text;
        lethe_naming naming;
        uint64_t line;
        uint32_t column;
        const char *said;
    } cases[] = {
        {{"", 0}, LETHE_NAMES_ITEMS, 1, 0, "is empty"},
        {{"\xef\xbb\xbf", 3}, LETHE_NAMES_ITEMS, 1, 0, "is empty"},
        {{"\n", 1}, LETHE_NAMES_ITEMS, 1, 0, "an empty line"},
        {{"\r\n", 2}, LETHE_NAMES_ITEMS, 1, 0, "an empty line"},
        {{"a\n\nb\n", 5}, LETHE_NAMES_ITEMS, 2, 0, "an empty line"},
        {{"a\nb\n\n", 5}, LETHE_NAMES_ITEMS, 3, 0, "an empty line"},
        {{"a\nb\0c\n", 6}, LETHE_NAMES_ITEMS, 2, 2, "NUL"},
        {{"a\rb\n", 4}, LETHE_NAMES_ITEMS, 1, 2, "carriage return"},
        {{"a\r\r\n", 4}, LETHE_NAMES_ITEMS, 1, 2, "carriage return"},
        {{"a\nab\xff\n", 6}, LETHE_NAMES_ITEMS, 2, 3, "utf-8"},
        {{"a\tb\n", 4}, LETHE_NAMES_ITEMS, 1, 2, "a tab"},
        {{"ab\n \n", 5}, LETHE_NAMES_TERMS, 2, 0, "empty after"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_sensitive *s;
        assert_int_equal(read_list(&h, cases[i].text, cases[i].naming, &s), LETHE_EINPUT);
        if (h.n != 1 || h.line != cases[i].line || h.column != cases[i].column || !h.file[0] ||
            !strstr(h.text, cases[i].said))
            fail_msg("case %zu: %s:%llu:%u: %s", i, h.file, (unsigned long long)h.line, h.column,
                     h.text);
        assert_null(s);
    }
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    (void)state;
    heard h;
    lethe_sensitive *s;
    size_t n = ((size_t)1 << 20) + 2;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, 'x', n);
    assert_int_equal(read_list(&h, (lethe_str){text, n}, LETHE_NAMES_ITEMS, &s), LETHE_EINPUT);
    assert_int_equal(h.line, 1);
    free(text);
}

static void a_file_is_read_and_may_be_compressed(void **state)
{
    (void)state;
    char path[64], name[80], packed[256];
    heard h;
    lethe_sensitive *s = NULL;
    int dirfd = o_folder(path);
    size_t n = ZSTD_compress(packed, sizeof packed, "hiv\nflu\n", 8, 3);
    assert_false(ZSTD_isError(n));
    o_write(dirfd, "list.zst", packed, n);
    o_write(dirfd, "bad", "hiv\n\n", 5);
    lethe_ctx *ctx = heard_ctx(&h, 1);
    snprintf(name, sizeof name, "%s/list.zst", path);
    assert_int_equal(lethe_sensitive_read(ctx, name, LETHE_NAMES_ITEMS, &s), LETHE_OK);
    assert_string_equal(shown(s), "hiv:1/flu:2/");
    lethe_sensitive_free(s);
    snprintf(name, sizeof name, "%s/bad", path);
    assert_int_equal(lethe_sensitive_read(ctx, name, LETHE_NAMES_ITEMS, &s), LETHE_EINPUT);
    assert_non_null(strstr(h.file, "bad"));
    assert_int_equal(h.line, 2);
    snprintf(name, sizeof name, "%s/none", path);
    assert_int_equal(lethe_sensitive_read(ctx, name, LETHE_NAMES_ITEMS, &s), LETHE_EIO);
    lethe_ctx_free(ctx);
    unlinkat(dirfd, "list.zst", 0);
    unlinkat(dirfd, "bad", 0);
    o_folder_gone(dirfd, path);
}

/* Takes an s off the end. */
static lethe_str singular(const void *arg, lethe_str name)
{
    (void)arg;
    return name.n > 1 && name.at[name.n - 1] == 's' ? (lethe_str){name.at, name.n - 1} : name;
}

static void names_that_become_one_keep_the_first_line(void **state)
{
    (void)state;
    heard h;
    lethe_sensitive *s = NULL;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    assert_int_equal(lethe_sensitive_memory(ctx, LETHE_LIT("flu\ncancers\ncancer\nflus\nhiv\n"),
                                            LETHE_NAMES_ITEMS, &s),
                     LETHE_OK);
    assert_int_equal(lethe_sensitive_rename(ctx, s, singular, NULL), LETHE_OK);
    assert_string_equal(shown(s), "flu:1/cancer:2/hiv:5/");
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_sensitive_rename(ctx, s, singular, NULL), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_string_equal(shown(s), "flu:1/cancer:2/hiv:5/");
    lethe_sensitive_free(s);
    lethe_sensitive_free(NULL);
    lethe_ctx_free(ctx);
}

static void a_node_of_the_taxonomy_is_refused(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_tree *t = NULL;
    lethe_sensitive *s = NULL;
    assert_int_equal(
        lethe_tree_memory(ctx, LETHE_LIT("milk\tfood\ntea\tfood\n"), LETHE_NAMES_ITEMS, &t), 0);
    assert_int_equal(
        lethe_sensitive_memory(ctx, LETHE_LIT("hiv\ntea\nfood\n"), LETHE_NAMES_ITEMS, &s), 0);
    assert_int_equal(lethe_sensitive_apart(ctx, s, t, false), LETHE_EINPUT);
    assert_int_equal(h.line, 2);
    assert_true(h.file[0] != '\0');
    assert_string_equal(h.text, "the sensitive item is also in the taxonomy");
    assert_int_equal(lethe_sensitive_apart(ctx, s, t, true), LETHE_EINPUT);
    assert_int_equal(h.line, 3); // an inner node
    lethe_sensitive_free(s);
    assert_int_equal(lethe_sensitive_memory(ctx, LETHE_LIT("hiv\ntea\n"), LETHE_NAMES_ITEMS, &s),
                     0);
    assert_int_equal(lethe_sensitive_apart(ctx, s, t, true), LETHE_OK);
    lethe_sensitive_free(s);
    assert_int_equal(lethe_sensitive_memory(ctx, LETHE_LIT("hiv\n"), LETHE_NAMES_ITEMS, &s), 0);
    assert_int_equal(lethe_sensitive_apart(ctx, s, t, false), LETHE_OK);
    lethe_sensitive_free(s);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

/* --- sensitive.txt --- */

static lethe_dict *dict_of(const char *words)
{
    lethe_dict *d = lethe_dict_new();
    uint32_t id;
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, "/");
        assert_int_equal(lethe_dict_add(d, (lethe_str){p, n}, &id), LETHE_OK);
        p += n + (p[n] == '/');
    }
    return d;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_buf b = {0};
    lethe_dict *names = dict_of("hiv/a!/a/\xc3\xa9/b|c"), *again = NULL;
    assert_int_equal(lethe_buf_put(&b, "x\n", 2), LETHE_OK);
    assert_int_equal(lethe_sensitive_write(lethe_ctx_diag(ctx), names, &b), LETHE_OK);
    assert_int_equal(b.n, strlen("x\na\na!\nb|c\nhiv\n\xc3\xa9\n"));
    assert_memory_equal(b.at, "x\na\na!\nb|c\nhiv\n\xc3\xa9\n", b.n);
    lethe_str text = {(const char *)b.at + 2, b.n - 2};
    assert_int_equal(lethe_published_sensitive_memory(ctx, text, &again), LETHE_OK);
    assert_int_equal(lethe_dict_count(again), 5);
    assert_true(lethe_str_eq(lethe_dict_at(again, 0), LETHE_LIT("a")));
    assert_true(lethe_str_eq(lethe_dict_at(again, 4), LETHE_LIT("\xc3\xa9")));
    lethe_sensitive *s = NULL; // and is a list
    assert_int_equal(lethe_sensitive_of(ctx, again, &s), LETHE_OK);
    assert_string_equal(shown(s), "a:1/a!:2/b|c:3/hiv:4/\xc3\xa9:5/");
    assert_string_equal(s->file, "sensitive.txt");
    lethe_sensitive_free(s);
    lethe_dict_free(names);
    lethe_buf_free(&b);
    lethe_ctx_free(ctx);
}

static void what_could_not_be_read_again_is_not_written(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    static const char *const bad[] = {"a b", "a\tb", "a\nb", "a\rb", "\xff"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_buf b = {0};
        lethe_dict *names = dict_of(bad[i]);
        assert_int_equal(lethe_sensitive_write(lethe_ctx_diag(ctx), names, &b), LETHE_EINPUT);
        assert_int_equal(b.n, 0);
        lethe_dict_free(names);
        lethe_buf_free(&b);
    }
    lethe_ctx_free(ctx);
}

static void a_published_list_is_read_strictly(void **state)
{
    (void)state;
    static const struct {
        lethe_str text;
        uint64_t line;
        uint32_t column;
    } cases[] = {
        {{"a", 1}, 1, 0},
        {{"a\nb", 3}, 2, 0},
        {{"\n", 1}, 1, 0},
        {{"a\n\n", 3}, 2, 0},
        {{"b\na\n", 4}, 2, 0},
        {{"a\na\n", 4}, 2, 0},
        {{"a\nb c\n", 6}, 2, 2},
        {{"a\tb\n", 4}, 1, 2},
        {{"a\r\nb\r\n", 6}, 1, 2},
        {{"a\0\n", 3}, 1, 2},
        {{"a\n\xc3\n", 4}, 2, 1},
        {{"\xef\xbb\xbf"
          "b\na\n",
          7},
         2,
         0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_ctx *ctx = heard_ctx(&h, 1);
        lethe_dict *names = NULL;
        lethe_err e = lethe_published_sensitive_memory(ctx, cases[i].text, &names);
        if (e != LETHE_EINPUT || names || h.n != 1 || h.line != cases[i].line ||
            h.column != cases[i].column || strcmp(h.file, "sensitive.txt") != 0)
            fail_msg("case %zu: %s: %s:%llu:%u: %s", i, lethe_err_name(e), h.file,
                     (unsigned long long)h.line, h.column, h.text);
        lethe_ctx_free(ctx);
    }
}

/* Nothing of the list is published: then the file holds nothing. */
static void a_published_list_may_be_empty(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_dict *names = NULL;
    assert_int_equal(lethe_published_sensitive_memory(ctx, (lethe_str){"", 0}, &names), LETHE_OK);
    assert_int_equal(lethe_dict_count(names), 0);
    assert_int_equal(h.n, 0);
    lethe_dict_free(names);
    lethe_ctx_free(ctx);
}

static void the_file_of_a_folder_is_read(void **state)
{
    (void)state;
    char path[64];
    heard h;
    lethe_dict *names = NULL;
    int dirfd = o_folder(path);
    lethe_ctx *ctx = heard_ctx(&h, 1);
    names = (lethe_dict *)&h; // to be seen to change
    assert_int_equal(lethe_published_sensitive_read(ctx, dirfd, &names), LETHE_OK);
    assert_null(names);
    o_write(dirfd, "sensitive.txt", "a\nb\n", 4);
    assert_int_equal(lethe_published_sensitive_read(ctx, dirfd, &names), LETHE_OK);
    assert_int_equal(lethe_dict_count(names), 2);
    lethe_dict_free(names);
    unlinkat(dirfd, "sensitive.txt", 0);
    assert_int_equal(symlinkat("/etc/passwd", dirfd, "sensitive.txt"), 0);
    assert_int_equal(lethe_published_sensitive_read(ctx, dirfd, &names), LETHE_EIO);
    unlinkat(dirfd, "sensitive.txt", 0);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

static lethe_err all_of_it(lethe_ctx *ctx)
{
    lethe_sensitive *s = NULL, *again = NULL;
    lethe_dict *names = NULL;
    lethe_buf b = {0};
    lethe_err e =
        lethe_sensitive_memory(ctx, LETHE_LIT("HIV a\nflu\nhiv  a\n"), LETHE_NAMES_TERMS, &s);
    if (e == LETHE_OK) e = lethe_sensitive_rename(ctx, s, singular, NULL);
    if (e == LETHE_OK) e = lethe_sensitive_write(lethe_ctx_diag(ctx), s->names, &b);
    if (e == LETHE_OK)
        e = lethe_published_sensitive_memory(ctx, (lethe_str){(const char *)b.at, b.n}, &names);
    if (e == LETHE_OK) e = lethe_sensitive_of(ctx, names, &again);
    lethe_sensitive_free(s);
    lethe_sensitive_free(again);
    lethe_buf_free(&b);
    return e;
}

static void lack_of_memory_is_said_once_and_clean(void **state)
{
    (void)state;
    heard h;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 1;
    for (; e != LETHE_OK; n++) {
        lethe_ctx *ctx = heard_ctx(&h, 1);
        lethe_alloc_fail_at(n);
        e = all_of_it(ctx);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK && (e != LETHE_ENOMEM || h.n != 1))
            fail_msg("allocation %llu: %s, said %u times", (unsigned long long)n, lethe_err_name(e),
                     h.n);
        lethe_ctx_free(ctx);
    }
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read),
        cmocka_unit_test(a_bad_list_is_refused_where_it_is_bad),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
        cmocka_unit_test(a_file_is_read_and_may_be_compressed),
        cmocka_unit_test(names_that_become_one_keep_the_first_line),
        cmocka_unit_test(a_node_of_the_taxonomy_is_refused),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_could_not_be_read_again_is_not_written),
        cmocka_unit_test(a_published_list_is_read_strictly),
        cmocka_unit_test(a_published_list_may_be_empty),
        cmocka_unit_test(the_file_of_a_folder_is_read),
        cmocka_unit_test(lack_of_memory_is_said_once_and_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
