/* SPDX-License-Identifier: Apache-2.0 */
/* Directories over a small kind of their own: categories 0 .. 5, terms by their first letter. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/dict.h"
#include "model/knowledge/directory.h"

typedef struct fake {
    int *n_freed;
    size_t *n_asked;
} fake;

static const char *const names[] = {"food", "fruit", "apple", "place", "town", "pear"};
static const uint32_t parents[] = {LETHE_NONE, 0, 1, LETHE_NONE, 3, 1};
enum { N = 6 };

/* "a": apple, fruit; "p": pear, town, place; anything else: nothing. */
static size_t fake_find(const void *self, lethe_str term, size_t max, uint32_t *out)
{
    static const uint32_t a[] = {2, 1}, p[] = {5, 4, 3};
    ++*((const fake *)self)->n_asked;
    if (term.n == 0 || (term.at[0] != 'a' && term.at[0] != 'p')) return 0;
    const uint32_t *all = term.at[0] == 'a' ? a : p;
    size_t n = LETHE_MIN(max, term.at[0] == 'a' ? LETHE_COUNT(a) : LETHE_COUNT(p));
    memcpy(out, all, n * sizeof *out);
    return n;
}

static lethe_str fake_name(const void *self, uint32_t category)
{
    (void)self;
    return lethe_str_of(names[category]);
}

static void fake_free(void *self)
{
    fake *f = self;
    ++*f->n_freed;
    lethe_free(f);
}

static const lethe_directory_kind kind = {fake_find, fake_name, fake_free};

static fake *fake_new(int *n_freed, size_t *n_asked)
{
    fake *f = lethe_alloc(1, sizeof *f);
    assert_non_null(f);
    *f = (fake){n_freed, n_asked};
    return f;
}

static void categories_form_a_forest(void **state)
{
    (void)state;
    static const uint32_t levels[] = {1, 2, 3, 1, 2, 3};
    int n_freed = 0;
    size_t n_asked = 0;
    lethe_directory *dir = NULL;
    uint32_t copy[N];
    memcpy(copy, parents, sizeof copy);
    assert_int_equal(lethe_directory_new(&kind, fake_new(&n_freed, &n_asked), N, copy, &dir),
                     LETHE_OK);
    memset(copy, 0, sizeof copy); // it was copied
    assert_int_equal(lethe_directory_categories(dir), N);
    for (uint32_t c = 0; c < N; c++) {
        assert_int_equal(lethe_directory_parent(dir, c), parents[c]);
        assert_int_equal(lethe_directory_level(dir, c), levels[c]);
        assert_true(lethe_str_eq(lethe_directory_name(dir, c), lethe_str_of(names[c])));
    }
    lethe_directory_free(dir);
    assert_int_equal(n_freed, 1);
}

static void terms_have_categories_best_first(void **state)
{
    (void)state;
    int n_freed = 0;
    size_t n_asked = 0;
    uint32_t out[4] = {9, 9, 9, 9};
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_directory_new(&kind, fake_new(&n_freed, &n_asked), N, parents, &dir),
                     LETHE_OK);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("pear"), 4, out), 3);
    assert_true(out[0] == 5 && out[1] == 4 && out[2] == 3 && out[3] == 9);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("apple"), 1, out), 1);
    assert_true(out[0] == 2 && out[1] == 4);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("x"), 4, out), 0);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT(""), 4, out), 0);
    assert_int_equal(n_asked, 4);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("pear"), 0, NULL), 0);
    assert_int_equal(n_asked, 4); // nothing was wanted: nobody is asked
    lethe_directory_free(dir);
    lethe_directory_free(NULL);
}

static void a_directory_may_be_empty(void **state)
{
    (void)state;
    int n_freed = 0;
    size_t n_asked = 0;
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_directory_new(&kind, fake_new(&n_freed, &n_asked), 0, parents, &dir),
                     LETHE_OK);
    assert_int_equal(lethe_directory_categories(dir), 0);
    lethe_directory_free(dir);
    assert_int_equal(n_freed, 1);
}

/* Levels need no recursion. */
static void a_path_may_be_long(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    int n_freed = 0;
    size_t n_asked = 0;
    lethe_directory *dir = NULL;
    uint32_t *parent = lethe_alloc(LONG, sizeof *parent);
    assert_non_null(parent);
    for (uint32_t c = 0; c < LONG; c++)
        parent[c] = c == 0 ? LETHE_NONE : c - 1;
    assert_int_equal(lethe_directory_new(&kind, fake_new(&n_freed, &n_asked), LONG, parent, &dir),
                     LETHE_OK);
    assert_int_equal(lethe_directory_level(dir, LONG - 1), LONG);
    lethe_directory_free(dir);
    lethe_free(parent);
}

static void self_is_freed_on_failure_too(void **state)
{
    (void)state;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK) {
        int n_freed = 0;
        size_t n_asked = 0;
        lethe_directory *dir = NULL;
        fake *self = fake_new(&n_freed, &n_asked);
        lethe_alloc_fail_at(++n);
        e = lethe_directory_new(&kind, self, N, parents, &dir);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) {
            assert_int_equal(e, LETHE_ENOMEM);
            assert_null(dir);
        }
        lethe_directory_free(dir);
        assert_int_equal(n_freed, 1);
    }
    assert_int_equal(n, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_form_a_forest),
        cmocka_unit_test(terms_have_categories_best_first),
        cmocka_unit_test(a_directory_may_be_empty),
        cmocka_unit_test(a_path_may_be_long),
        cmocka_unit_test(self_is_freed_on_failure_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
