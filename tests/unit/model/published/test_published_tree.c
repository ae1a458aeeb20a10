/* SPDX-License-Identifier: Apache-2.0 */
/* taxonomy.tsv: written, read back strictly, read as any taxonomy, and everything that is refused.
 */
#include "published_harness.h"
#include "model/published/published_tree.h"
#include "tree_oracle.h"
#include <stdlib.h>

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

static char *written(const lethe_tree *t, const char *const *name, size_t n)
{
    uint32_t node[16];
    lethe_buf b = {0};
    for (size_t i = 0; i < n; i++)
        node[i] = lethe_tree_find(t, lethe_str_of(name[i]));
    assert_int_equal(lethe_taxonomy_write(NULL, t, node, n, &b), LETHE_OK);
    char *text = strndup((char *)b.at, b.n);
    lethe_buf_free(&b);
    return text;
}

static void what_is_published_and_all_above_is_written(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        const char *name[4], *want;
    } cases[] = {
        {0, {NULL}, "food\t\t8\n"},
        {1, {"food"}, "food\t\t8\n"},
        {2, {"meat", "food"}, "food\t\t8\nmeat\tfood\t2\n"},
        {4,
         {"milk", "fruit", "milk", "apple"},
         "food\t\t8\napple\tfruit\t1\ndairy\tfood\t2\nfruit\tfood\t4\nmilk\tdairy\t1\n"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(food), LETHE_NAMES_ITEMS, &t), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char *text = written(t, cases[i].name, cases[i].n);
        assert_string_equal(text, cases[i].want);
        free(text);
    }
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

static void it_is_read_back(void **state)
{
    (void)state;
    static const char text[] =
        "food\t\t8\napple\tfruit\t1\ndairy\tfood\t2\nfruit\tfood\t4\nmilk\tdairy\t1\n";
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_tree *p = NULL;
    assert_int_equal(lethe_published_tree_memory(ctx, lethe_str_of(text), &p), LETHE_OK);
    assert_null(tree_fault(p->tree));
    assert_int_equal(p->tree->n, 5);
    assert_int_equal(p->leaves[0], 8);
    uint32_t fruit = lethe_tree_find(p->tree, LETHE_LIT("fruit"));
    uint32_t apple = lethe_tree_find(p->tree, LETHE_LIT("apple"));
    assert_int_equal(p->leaves[fruit], 4);
    assert_int_equal(p->tree->leaves[fruit], 1); // of those listed
    assert_int_equal(p->tree->parent[apple], fruit);
    assert_int_equal(p->leaves[apple], 1);
    // and as a taxonomy like any other
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(text), LETHE_NAMES_ITEMS, &t), LETHE_OK);
    assert_int_equal(t->n, p->tree->n);
    for (uint32_t v = 0; v < t->n; v++) {
        assert_int_equal(t->parent[v], p->tree->parent[v]);
        assert_true(lethe_str_eq(lethe_tree_name(t, v), lethe_tree_name(p->tree, v)));
    }
    lethe_tree_free(t);
    lethe_published_tree_free(p);
    lethe_published_tree_free(NULL);
    assert_int_equal(lethe_published_tree_memory(ctx, LETHE_LIT("all\t\t70\n"), &p), LETHE_OK);
    assert_int_equal(p->tree->n, 1);
    assert_int_equal(p->leaves[0], 70);
    lethe_published_tree_free(p);
    assert_int_equal(h.n, 0);
    lethe_ctx_free(ctx);
}

static void all_else_is_refused(void **state)
{
    (void)state;
#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }
    static const struct {
        lethe_str text;
        uint64_t line;
        uint32_t column;
        const char *says;
    } bad[] = {
        {TEXT(""), 1, 0, "the file is empty"},
        {TEXT("r\t\t2"), 1, 0, "the last line does not end in LF"},
        {TEXT("r\t\t2\r\n"), 1, 5, "a CR"},
        {TEXT("r\t\t2\na\0\tr\t1\n"), 2, 2, "a NUL"},
        {TEXT("r\xff\t\t2\n"), 1, 2, "not valid utf-8"},
        {TEXT("\n"), 1, 0, "not three columns: child, parent, leaves"},
        {TEXT("r\t2\n"), 1, 0, "not three columns: child, parent, leaves"},
        {TEXT("r\t\t2\na\tr\t1\t\n"), 2, 0, "not three columns: child, parent, leaves"},
        {TEXT("r\t\t2\na\tr\t1\n\n"), 3, 0, "not three columns: child, parent, leaves"},
        {TEXT("a\tr\t1\n"), 1, 2, "the first line is not the root's"},
        {TEXT("r\t\t2\na\t\t1\n"), 2, 2, "a name is empty"},
        {TEXT("\t\t2\n"), 1, 1, "a name is empty"},
        {TEXT("r\t\t2\n\tr\t1\n"), 2, 1, "a name is empty"},
        {TEXT("r\t\t2\na b\tr\t1\n"), 2, 1, "a space in a name"},
        {TEXT("r s\t\t2\n"), 1, 1, "a space in a name"},
        {TEXT("r\t\t0\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t02\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t-2\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t+2\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t 2\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t1.5\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t4294967295\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t99999999999999999999\n"), 1, 3, "leaves are not a whole number above 0"},
        {TEXT("r\t\t2\nb\tr\t1\na\tr\t1\n"), 3, 0, "a line out of order"},
        {TEXT("r\t\t2\na\tr\t1\na\tr\t1\n"), 3, 0, "a line out of order"},
        {TEXT("r\t\t3\na\tr\t1\na\tr\t2\n"), 3, 1, "a name has two lines; line 2 is the first"},
        {TEXT("r\t\t3\na\tr\t1\nr\ta\t1\n"), 3, 1, "a name has two lines; line 1 is the first"},
        {TEXT("r\t\t3\na\ta\t1\n"), 2, 2, "a name is its own parent"},
        {TEXT("r\t\t3\na\tx\t1\n"), 2, 0, "a second root: its name never gets a parent"},
        {TEXT("r\t\t3\na\tb\t1\nb\ta\t1\n"), 3, 0, "the edge closes a cycle"},
        {TEXT("r\t\t2\na\tr\t2\nb\tr\t1\n"), 1, 3, "fewer leaves than its children have"},
        {TEXT("r\t\t5\na\tr\t1\nx\ta\t2\n"), 2, 3, "fewer leaves than its children have"},
        {TEXT("r\t\t4294967294\na\tr\t4294967294\nb\tr\t4294967294\n"), 1, 3,
         "fewer leaves than its children have"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_published_tree *p = NULL;
        h = (heard){0};
        if (lethe_published_tree_memory(ctx, bad[i].text, &p) != LETHE_EINPUT)
            fail_msg("case %zu is taken", i);
        assert_null(p);
        if (strcmp(h.text, bad[i].says) != 0) fail_msg("case %zu: %s", i, h.text);
        assert_int_equal(h.n, 1);
        assert_string_equal(h.file, "taxonomy.tsv");
        assert_int_equal(h.line, bad[i].line);
        assert_int_equal(h.column, bad[i].column);
    }
    lethe_ctx_free(ctx);
}

static void a_name_that_cannot_be_written_is_not(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_tree *t = NULL;
    lethe_buf b = {0};
    assert_int_equal(
        lethe_tree_memory(ctx, LETHE_LIT("red wine\tr\ncheese\tr\n"), LETHE_NAMES_RAW, &t),
        LETHE_OK);
    uint32_t wine = lethe_tree_find(t, LETHE_LIT("red wine"));
    uint32_t cheese = lethe_tree_find(t, LETHE_LIT("cheese"));
    assert_int_equal(lethe_buf_put(&b, "before", 6), LETHE_OK);
    assert_int_equal(lethe_taxonomy_write(lethe_ctx_diag(ctx), t, &wine, 1, &b), LETHE_EINPUT);
    assert_int_equal(b.n, 6);
    assert_int_equal(h.n, 1);
    // what is not listed does not matter
    assert_int_equal(lethe_taxonomy_write(lethe_ctx_diag(ctx), t, &cheese, 1, &b), LETHE_OK);
    assert_memory_equal(b.at, "beforer\t\t2\ncheese\tr\t1\n", b.n);
    lethe_buf_free(&b);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

static void there_need_be_none(void **state)
{
    (void)state;
    char path[64];
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_tree *p = (lethe_published_tree *)(void *)&h;
    int dirfd = o_folder(path);
    assert_int_equal(lethe_published_tree_read(ctx, dirfd, &p), LETHE_OK);
    assert_null(p);
    assert_int_equal(symlinkat("nowhere", dirfd, "taxonomy.tsv"), 0);
    assert_int_equal(lethe_published_tree_read(ctx, dirfd, &p), LETHE_EIO); // that is no absence
    assert_int_equal(unlinkat(dirfd, "taxonomy.tsv", 0), 0);
    o_write(dirfd, "taxonomy.tsv", "r\t\t1\n", 5);
    assert_int_equal(lethe_published_tree_read(ctx, dirfd, &p), LETHE_OK);
    assert_int_equal(p->tree->n, 1);
    lethe_published_tree_free(p);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    o_folder_gone(dirfd, path);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_published_tree *p = NULL;
        h = (heard){0};
        lethe_alloc_fail_at(++n);
        e = lethe_published_tree_memory(ctx, LETHE_LIT("r\t\t3\na\tr\t2\nb\ta\t1\n"), &p);
        lethe_alloc_fail_at(0);
        assert_true((e == LETHE_OK) == (p != NULL));
        assert_int_equal(h.n, e != LETHE_OK);
        lethe_published_tree_free(p);
    }
    assert_int_equal(e, LETHE_OK);
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(food), LETHE_NAMES_ITEMS, &t), LETHE_OK);
    for (e = LETHE_ENOMEM, n = 0; e == LETHE_ENOMEM;) {
        lethe_buf b = {0};
        lethe_alloc_fail_at(++n);
        e = lethe_taxonomy_write(NULL, t, (uint32_t[]){1, 2, 7}, 3, &b);
        lethe_alloc_fail_at(0);
        lethe_buf_free(&b);
    }
    assert_int_equal(e, LETHE_OK);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_published_and_all_above_is_written),
        cmocka_unit_test(it_is_read_back),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(a_name_that_cannot_be_written_is_not),
        cmocka_unit_test(there_need_be_none),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
