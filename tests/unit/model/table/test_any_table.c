/* SPDX-License-Identifier: Apache-2.0 */
/* Any CSV file into columns: values as they stand, lines, and what is rejected or refused. */
#include "published_harness.h"
#include "model/table/any_table.h"

/* The table as text: a column per `|`, a row per `/` with its line. */
static void table_print(const lethe_any_table *t, char *out)
{
    char *at = out;
    for (size_t c = 0; c < t->table.n_columns; c++)
        at += sprintf(at, "%s%.*s", c ? "|" : "", (int)t->table.column[c].name.n,
                      t->table.column[c].name.at);
    for (size_t i = 0; i < t->table.n; i++) {
        at += sprintf(at, "/%u:", (unsigned)t->line[i]);
        for (size_t c = 0; c < t->table.n_columns; c++) {
            const lethe_published_column *column = &t->table.column[c];
            lethe_str v = lethe_dict_at(column->values, column->code[i]);
            at += sprintf(at, "%s%.*s", c ? "|" : "", (int)v.n, v.at);
        }
    }
}

static void reads(const char *in, char delimiter, const char *want)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_any_table *t = NULL;
    char got[1024];
    assert_int_equal(lethe_any_table_memory(ctx, lethe_str_of(in), delimiter, true, &t), LETHE_OK);
    assert_int_equal(h.n, 0);
    table_print(t, got);
    assert_string_equal(got, want);
    assert_int_equal(t->read, t->table.n);
    lethe_any_table_free(t);
    lethe_ctx_free(ctx);
}

static void refuses(lethe_str in, lethe_err err, uint64_t line, const char *says)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_any_table *t = NULL;
    assert_int_equal(lethe_any_table_memory(ctx, in, 0, true, &t), err);
    assert_null(t);
    assert_int_equal(h.n, 1);
    assert_string_equal(h.text, says);
    assert_int_equal(h.line, line);
    lethe_ctx_free(ctx);
}
#define REFUSES(in, line, says) refuses(LETHE_LIT(in), LETHE_EINPUT, line, says)

static void values_stand_as_they_are(void **state)
{
    (void)state;
    reads("a,b\n1,2\n", 0, "a|b/2:1|2");
    reads("\xEF\xBB\xBF a ; b\r\n\r\n 1 ; 2\r\n3;4,5", 0, "a|b/3:1|2/4:3|4,5");
    reads("a\tb\n*\t30-39\n", 0, "a|b/2:*|30-39");
    reads("a,b\n,?\n", 0, "a|b/2:?|?");
    reads("a,b\n\"x, \"\"y\"\"\",\"two\nlines\"\nz,w\n", 0, "a|b/2:x, \"y\"|two\nlines/4:z|w");
    reads("a,b\ncaf\xE9,caf\xE8\n", 0, "a|b/2:caf\xE9|caf\xE8");
    reads(",a,\n1,2,3\n", 0, "column 1|a|column 3/2:1|2|3");
    reads("a\n1\n\n2\n", 0, "a/2:1/4:2");
    reads("a|b\n1|2\n", ',', "a|b/2:1|2");
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    REFUSES("", 0, "'memory' is empty: it has no header");
    REFUSES("a,b\n", 0, "no rows after the header");
    REFUSES("a,b,a\n1,2,3\n", 1, "column 'a' is named twice");
    REFUSES("a,\"b\n1,2\n", 1, "quote not closed");
    REFUSES("a,b\n1,2\n1\n", 3, "fewer fields than the header");
    REFUSES("a,b\n1,2,3\n", 2, "more fields than the header");
    REFUSES("a,b\n1,\"2\n", 2, "quote not closed");
    REFUSES("a,b\n1,\"2\"3\n", 2, "text after a closing quote");
    REFUSES("a,b\n1, \"2\"\n", 2, "quote after a space at the beginning of a field");
    REFUSES("a,b\n1,2\0\n", 2, "NUL byte");
    REFUSES("a,\xE9\n1,2\n", 1, "a column's name is not utf-8");
    REFUSES("a,\"b\001c\"\n1,2\n", 1, "a control character in a column's name");
    REFUSES("\xFF\xFE"
            "a\0,\0b\0\n\0",
            1, "a column's name is not utf-8");
}

static void bad_rows_are_counted(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_any_table *t = NULL;
    char in[512] = "a,b\n1\n";
    (void)state;
    for (int i = 0; i < 9; i++)
        strcat(in, "1,\xFF\n");
    assert_int_equal(lethe_any_table_memory(ctx, lethe_str_of(in), 0, false, &t), LETHE_OK);
    assert_int_equal(t->read, 10);
    assert_int_equal(t->rejected, 1);
    assert_int_equal(t->table.n, 9);
    assert_int_equal(t->invalid_utf8, 9);
    assert_int_equal(t->line[0], 3);
    assert_int_equal(t->delimiter, ',');
    lethe_any_table_free(t);
    t = NULL;
    assert_int_equal(lethe_any_table_memory(ctx, LETHE_LIT("a,b\n1\n1,2\n"), 0, false, &t),
                     LETHE_EINPUT);
    assert_string_equal(h.text, "1 of 2 rows rejected: not the table that is meant?");
    assert_int_equal(lethe_any_table_memory(ctx, LETHE_LIT("a\n1\n"), '"', false, &t),
                     LETHE_EUSAGE);
    assert_null(t);
    lethe_ctx_free(ctx);
}

static void columns_are_found(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_arena *a = lethe_arena_new();
    lethe_any_table *t = NULL;
    uint32_t *at;
    size_t n;
    (void)state;
    assert_int_equal(
        lethe_any_table_memory(ctx, LETHE_LIT("age,sex,\"x,y\"\n1,2,3\n"), 0, true, &t), LETHE_OK);
    assert_int_equal(lethe_any_table_columns(d, a, t, "--qi", "\"x,y\", age", &at, &n), LETHE_OK);
    assert_int_equal(n, 2);
    assert_int_equal(at[0], 2);
    assert_int_equal(at[1], 0);
    assert_int_equal(lethe_any_table_columns(d, a, t, "--qi", NULL, &at, &n), LETHE_OK);
    assert_int_equal(n, 0);
    assert_int_equal(lethe_any_table_columns(d, a, t, "--qi", "Agee", &at, &n), LETHE_EINPUT);
    assert_string_equal(
        h.text, "--qi: unknown column 'Agee': the columns are age, sex, x,y (did you mean 'age'?)");
    assert_int_equal(lethe_any_table_columns(d, a, t, "--qi", "age,age", &at, &n), LETHE_EUSAGE);
    lethe_any_table_free(t);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

static void memory_may_lack(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    (void)state;
    while (e == LETHE_ENOMEM) {
        lethe_any_table *t = NULL;
        lethe_arena *a = lethe_arena_new();
        uint32_t *at;
        size_t n_at;
        h.n = 0;
        lethe_alloc_fail_at(++n);
        e = lethe_any_table_memory(ctx, LETHE_LIT("a,b,\n1,\"2\"\"\",x\n3,4,y\n"), 0, true, &t);
        if (e == LETHE_OK)
            e = lethe_any_table_columns(lethe_ctx_diag(ctx), a, t, "--qi", "b,a", &at, &n_at);
        lethe_alloc_fail_at(0);
        assert_int_equal(h.n, e == LETHE_ENOMEM);
        lethe_any_table_free(t);
        lethe_arena_free(a);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 15);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stand_as_they_are), cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(bad_rows_are_counted),     cmocka_unit_test(columns_are_found),
        cmocka_unit_test(memory_may_lack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
