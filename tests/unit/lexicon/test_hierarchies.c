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
    char file[128], said[5][512];
    snprintf(file, sizeof file, "%s/age.csv", dir);
    snprintf(said[0], 512, "E cannot open '/nonexistent/hierarchies': no such file or directory\n");
    snprintf(said[1], 512, "E cannot open '%s': not a directory\n", file);
    snprintf(said[2], 512,
             "E '%s' has both 'both.csv' and 'both.tsv' for column 'both': remove one of them\n",
             dir);
    snprintf(said[3], 512, "E %s/bad.csv:2:2 a name has two parents; line 1 gave it the first\n",
             dir);
    snprintf(said[4], 512, "folder.csv");
    const struct {
        const char *dir, *column;
        lethe_err err;
    } bad[] = {
        {"/nonexistent/hierarchies", "age", LETHE_EIO},
        {file, "age", LETHE_EIO},
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

/* --- names that ARX gives, and files that are for nobody --- */

/* A folder of its own with these files, each `a;*`; then hierarchies for some of its columns. */
static void of_table(const char *const *names, const char *wanted, const char *all, lethe_err err,
                     const char *want)
{
    char own[64], path[512], copy[2][256];
    lethe_str column[2][8];
    size_t n[2] = {0};
    outcome o;
    text got = {0};
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_hierarchies h = {0};
    snprintf(own, sizeof own, "%s/own", dir);
    assert_int_equal(mkdir(own, 0700), 0);
    for (size_t i = 0; names[i]; i++) { // the leaf tells which file it is
        snprintf(path, sizeof path, "own/%s", names[i]);
        snprintf(copy[0], sizeof copy[0], "%s;*\n", names[i]);
        put(path, copy[0]);
    }
    for (size_t k = 0; k < 2; k++) {
        snprintf(copy[k], sizeof copy[k], "%s", k ? all : wanted);
        for (char *word = strtok(copy[k], " "); word; word = strtok(NULL, " "))
            column[k][n[k]++] = lethe_str_of(word);
    }
    lethe_err e = lethe_hierarchies_of_table(ctx, own, column[0], n[0], column[1], n[1], &h);
    for (size_t i = 0; i < h.n; i++) {
        text_add(&got, i ? " " : "");
        if (h.at[i])
            subtree_text(&got, h.at[i], 0);
        else
            text_add(&got, "-");
    }
    if (e != err) fail_msg("%d for %s: %s", e, want, o.messages.at);
    if (e == LETHE_OK)
        assert_string_equal(got.at, want);
    else if (!strstr(o.messages.at, want))
        fail_msg("%s, not %s", o.messages.at, want);
    for (size_t i = 0; names[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", own, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(own), 0);
    lethe_hierarchies_free(&h);
    free(got.at);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}
#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void files_are_matched_by_their_endings(void **state)
{
    (void)state;
    of_table(FILES("age.csv", "zip.tsv"), "age zip", "zip age sex", LETHE_OK,
             "*[age.csv] *[zip.tsv]");
    of_table(FILES("adult_hierarchy_age.csv"), "age", "age sex", LETHE_OK,
             "*[adult_hierarchy_age.csv]");
    // the longest name that fits, whichever columns are asked for
    const char *const both[] = {"my_age.csv", "my_birth_age.csv", NULL};
    of_table(both, "age birth_age", "age birth_age", LETHE_OK, "*[my_age.csv] *[my_birth_age.csv]");
    of_table(both, "age", "birth_age age", LETHE_OK, "*[my_age.csv]");
    of_table(FILES("my_birth_age.csv", "sex.csv"), "age sex", "age birth_age sex", LETHE_OK,
             "- *[sex.csv]");
    of_table(FILES("birth_age.csv"), "age", "age sex", LETHE_OK, "*[birth_age.csv]");
    // columns that are not asked for, and files that are none
    of_table(FILES("age.csv", "sex.csv", "README.txt", ".x.csv"), "sex", "age sex", LETHE_OK,
             "*[sex.csv]");
}

static void files_for_nobody_are_refused(void **state)
{
    (void)state;
    of_table(FILES("age.csv", "sx.csv"), "age sex", "age sex zip", LETHE_EINPUT,
             "/own' matches no column: the columns are age, sex, zip (did you mean 'sex'?); the "
             "files are age.csv, sx.csv\n");
    of_table(FILES("age.csv", "storage.csv"), "age", "age", LETHE_EINPUT, "E 'storage.csv' in '");
    of_table(FILES("age.txt"), "age sex", "age sex zip", LETHE_EINPUT,
             "is for a quasi-identifier: these are age, sex; the files are age.txt (expected "
             "COLUMN.csv, COLUMN.tsv or NAME_COLUMN.csv)\n");
    of_table(FILES("zip.csv"), "age sex", "age sex zip", LETHE_EINPUT,
             "is for a quasi-identifier: these are age, sex; the files are zip.csv");
    of_table((const char *const[]){NULL}, "age", "age", LETHE_EINPUT, "the folder is empty");
    of_table(FILES("a_age.csv", "b_age.csv"), "age", "age", LETHE_EINPUT,
             "/own' has both 'a_age.csv' and 'b_age.csv' for column 'age': remove one of them\n");
    of_table(FILES("a_age.tsv", "age.csv"), "age", "age", LETHE_EINPUT, "remove one of them\n");
    // of a column that is not asked for, no file is read
    of_table(FILES("a_age.csv", "age.csv", "sex.csv"), "sex", "age sex", LETHE_OK, "*[sex.csv]");
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
        cmocka_unit_test(files_are_matched_by_their_endings),
        cmocka_unit_test(files_for_nobody_are_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
