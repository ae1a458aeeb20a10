/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of hierarchies: which file is read for which column. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lexicon/hierarchies.h"
#include "table_text.h"

static const char *const files[] = {"age.csv",     "sex.tsv", "both.csv",           "both.tsv",
                                    ".hidden.csv", "bad.csv", "native country.csv", "folder.csv"};
static char dir[64];

static void put(const char *name, const char *bytes)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(bytes, f) >= 0 && fclose(f) == 0);
}

static int begin(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/lethe-hierarchies-XXXXXX");
    if (!mkdtemp(dir)) return -1;
    char path[128];
    put("age.csv", "17;young;*\n18;young;*\n90;old;*\n");
    put("sex.tsv", "M\t*\nF\t*\n");
    put("both.csv", "a;*\n");
    put("both.tsv", "a\t*\n");
    put(".hidden.csv", "a;*\n");
    put("bad.csv", "a;b;*\na;c;*\n");
    put("native country.csv", "France;Europe\nSpain;Europe\n");
    snprintf(path, sizeof path, "%s/folder.csv", dir);
    return mkdir(path, 0700);
}

static int end(void **state)
{
    (void)state;
    char path[128];
    for (size_t i = 0; i < LETHE_COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        if (unlink(path) != 0) rmdir(path);
    }
    return rmdir(dir);
}

static void each_column_has_its_file_or_none(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_hierarchies h = {0};
    char escape[128];
    snprintf(escape, sizeof escape, "../%s/age", dir + 5);
    const lethe_str column[] = {LETHE_LIT("sex"),     LETHE_LIT("zip"),
                                LETHE_LIT("age"),     LETHE_LIT(".hidden"),
                                LETHE_LIT("./age"),   LETHE_LIT("native country"),
                                lethe_str_of(escape), {"age\0", 4}};
    assert_int_equal(lethe_hierarchies_read(ctx, dir, column, LETHE_COUNT(column), &h), LETHE_OK);
    static const char *const want[LETHE_COUNT(column)] = {
        "*[M F]", NULL, "*[young[17 18] old[90]]", NULL, NULL, "Europe[France Spain]", NULL, NULL};
    assert_int_equal(h.n, LETHE_COUNT(column));
    for (size_t i = 0; i < h.n; i++) {
        text t = {0};
        assert_true(!h.at[i] == !want[i]);
        if (!want[i]) continue;
        subtree_text(&t, h.at[i], 0);
        assert_string_equal(t.at, want[i]);
        free(t.at);
    }
    assert_string_equal(o.messages.at, "");
    lethe_hierarchies_free(&h);
    assert_true(h.n == 0 && !h.at);
    assert_int_equal(lethe_hierarchies_read(ctx, dir, NULL, 0, &h), LETHE_OK);
    lethe_hierarchies_free(&h);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void long_names_have_no_file(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_hierarchies h = {0};
    char name[5000];
    memset(name, 'a', sizeof name);
    for (size_t n = 251; n <= sizeof name; n += sizeof name - 251) {
        lethe_str column = {name, n};
        assert_int_equal(lethe_hierarchies_read(ctx, dir, &column, 1, &h), LETHE_OK);
        assert_null(h.at[0]);
        lethe_hierarchies_free(&h);
    }
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    char file[128], said[5][256];
    snprintf(file, sizeof file, "%s/age.csv", dir);
    snprintf(said[0], 256, "E no folder '/nonexistent/hierarchies' with hierarchies\n");
    snprintf(said[1], 256, "E '%s' is not a folder\n", file);
    snprintf(said[2], 256, "E '%s' has both 'both.csv' and 'both.tsv': remove one of them\n", dir);
    snprintf(said[3], 256, "E %s/bad.csv:2:2 a name has two parents; line 1 gave it the first\n",
             dir);
    snprintf(said[4], 256, "folder.csv");
    const struct {
        const char *dir, *column;
        lethe_err err;
    } bad[] = {
        {"/nonexistent/hierarchies", "age", LETHE_EUSAGE},
        {file, "age", LETHE_EUSAGE},
        {dir, "both", LETHE_EINPUT},
        {dir, "bad", LETHE_EINPUT},
        {dir, "folder", LETHE_EIO},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_hierarchies h = {0};
        lethe_str column[] = {LETHE_LIT("sex"), lethe_str_of(bad[i].column)};
        assert_int_equal(lethe_hierarchies_read(ctx, bad[i].dir, column, 2, &h), bad[i].err);
        assert_true(h.n == 0 && !h.at);
        if (i < 4)
            assert_string_equal(o.messages.at, said[i]);
        else
            assert_non_null(strstr(o.messages.at, said[i]));
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_hierarchies h = {0};
        lethe_str column[] = {LETHE_LIT("sex"), LETHE_LIT("zip"), LETHE_LIT("age")};
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_hierarchies_read(ctx, dir, column, 3, &h);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done) assert_int_equal(e, LETHE_ENOMEM);
        if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        assert_true(done == (h.at != NULL) && (!done || n > 10));
        lethe_hierarchies_free(&h);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_column_has_its_file_or_none),
        cmocka_unit_test(long_names_have_no_file),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
