/* SPDX-License-Identifier: Apache-2.0 */
/* data.csv and the taxonomy.tsv of a table: what is taken, and everything that is refused, with its
 * place. */
#include "published_harness.h"
#include "model/published/published_table.h"
#include <stdlib.h>
#include <sys/stat.h>

#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }

/* --- data.csv --- */

/* "a|b;1|x;1|y;": the header and the rows, | between fields, ; after each line. */
static void table_join(const lethe_published_table *t, char *out)
{
    out[0] = '\0';
    for (size_t c = 0; c < t->n_columns; c++)
        sprintf(out + strlen(out), "%s%.*s", c ? "|" : "", (int)t->column[c].name.n,
                t->column[c].name.at);
    strcat(out, ";");
    for (size_t r = 0; r < t->n; r++) {
        for (size_t c = 0; c < t->n_columns; c++) {
            lethe_str v = lethe_dict_at(t->column[c].values, t->column[c].code[r]);
            sprintf(out + strlen(out), "%s%.*s", c ? "|" : "", (int)v.n, v.at);
        }
        strcat(out, ";");
    }
}

static void tables_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } good[] = {
        {"a\n1\n", "a;1;"},
        {"a,b\n1,x\n1,x\n1,y\n2,x\n", "a|b;1|x;1|x;1|y;2|x;"},
        {"z,y\n0,0\n", "z|y;0|0;"},           // the header counts for no order
        {"a,b\na,b\n", "a|b;a|b;"},           // a row that looks like it
        {"a,b\n,\n,x\n1,\n", "a|b;|;|x;1|;"}, // empty fields
        {"a\n\"\"\n\"\"\n1\n", "a;;;1;"},     // and alone
        {"a\n!\n\"\"\n#\n", "a;!;;#;"},       // by bytes: ! " #
        {"\"a,b\",\"c\"\"d\"\n1,2\n", "a,b|c\"d;1|2;"},
        {"a,b\n\"\"\"\",\",\"\n\"x,\"\"y\",z\n", "a|b;\"|,;x,\"y|z;"},
        {"a,b\n x , y z \n", "a|b; x | y z ;"}, // spaces are part of it
        {"a\n1\n1\x01\n", "a;1;1\x01;"},        // LF does not count for the order
        {"a\nz\n\xc3\xa9\n", "a;z;\xc3\xa9;"},
        {"a;b|c\n1;2\n", "a;b|c;1;2;"}, // no other delimiter
        {"\xef\xbb\xbf"
         "a\n1\n",
         "\xef\xbb\xbf"
         "a;1;"}, // a byte order mark is part of the name
        {"a,b\n*,*\n?,*\n", "a|b;*|*;?|*;"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char out[256];
        lethe_published_table *t = NULL;
        assert_int_equal(lethe_published_table_memory(ctx, lethe_str_of(good[i].text), &t),
                         LETHE_OK);
        table_join(t, out);
        assert_string_equal(out, good[i].want);
        lethe_published_table_free(t);
    }
    lethe_published_table_free(NULL);
    assert_int_equal(h.n, 0);
    lethe_ctx_free(ctx);
}

static void columns_have_names_and_numbers(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_table *t = NULL;
    static const uint32_t age[] = {0, 0, 1, 2}, sick[] = {0, 1, 1, 0};
    lethe_str text = LETHE_LIT("age,sick\n1,flu\n1,gout\n2,gout\n3,flu\n");
    assert_int_equal(lethe_published_table_memory(ctx, text, &t), LETHE_OK);
    assert_int_equal(t->n, 4);
    assert_int_equal(t->n_columns, 2);
    assert_memory_equal(t->column[0].code, age, sizeof age);
    assert_memory_equal(t->column[1].code, sick, sizeof sick);
    assert_int_equal(lethe_dict_count(t->column[1].values), 2);
    assert_int_equal(lethe_published_column_find(t, LETHE_LIT("age")), 0);
    assert_int_equal(lethe_published_column_find(t, LETHE_LIT("sick")), 1);
    assert_int_equal(lethe_published_column_find(t, LETHE_LIT("sic")), LETHE_NONE);
    assert_int_equal(lethe_published_column_find(t, LETHE_LIT("")), LETHE_NONE);
    lethe_published_table_free(t);
    lethe_ctx_free(ctx);
}

static void all_other_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        lethe_str text;
        uint64_t line;
        uint32_t column;
        const char *says;
    } bad[] = {
        {TEXT(""), 1, 0, "the file is empty"},
        {TEXT("a"), 1, 0, "the last line does not end in LF"},
        {TEXT("a,b\n1,2"), 2, 0, "the last line does not end in LF"},
        {TEXT("a,b\n"), 1, 0, "a header, and no row"},
        {TEXT("\n1\n"), 1, 1, "a column without a name"},
        {TEXT("a,\n1,2\n"), 1, 3, "a column without a name"},
        {TEXT(",a\n1,2\n"), 1, 1, "a column without a name"},
        {TEXT("\"\"\n1\n"), 1, 1, "a column without a name"},
        {TEXT("a,b,a\n1,2,3\n"), 1, 5, "two columns have the same name"},
        {TEXT("a,\"a\"\n1,2\n"), 1, 3, "unneeded quotes"},
        {TEXT("a,b\n1\n"), 2, 0, "fewer fields than the header has"},
        {TEXT("a,b\n\n"), 2, 0, "fewer fields than the header has"},
        {TEXT("a,b\n1,2,3\n"), 2, 5, "more fields than the header has"},
        {TEXT("a,b\n1,2,\n"), 2, 5, "more fields than the header has"},
        {TEXT("a\n1,2\n"), 2, 3, "more fields than the header has"},
        {TEXT("a\n\n"), 2, 0, "an empty line"},
        {TEXT("a\n1\n\n"), 3, 0, "a row out of order"},
        {TEXT("a,b\n2,x\n1,x\n"), 3, 0, "a row out of order"},
        {TEXT("a,b\n1,x\n2,x\n1,x\n"), 4, 0, "a row out of order"},
        {TEXT("a\n10\n1\n"), 3, 0, "a row out of order"},
        {TEXT("a,b\n1,\"x\"\n"), 2, 3, "unneeded quotes"},
        {TEXT("a,b\n\"\",x\n"), 2, 1, "unneeded quotes"},
        {TEXT("a,b\nx,\"\"\n"), 2, 3, "unneeded quotes"},
        {TEXT("a\n\"1;2\"\n"), 2, 1, "unneeded quotes"},
        {TEXT("a\n1\"\n"), 2, 2, "a quote in a field without quotes"},
        {TEXT("a,b\n1\"\"2,x\n"), 2, 2, "a quote in a field without quotes"},
        {TEXT("a,b\n\"1,2\n"), 2, 1, "an open quote"},
        {TEXT("a\n\"\n"), 2, 1, "an open quote"},
        {TEXT("a\n\"1,\"\"\n"), 2, 1, "an open quote"},
        {TEXT("a\n\"1,\n2\"\n"), 2, 1, "an open quote"}, // no field over several lines
        {TEXT("a\n\"1,2\"3\n"), 2, 6, "text after a closing quote"},
        {TEXT("a,b\n\"1,2\" ,x\n"), 2, 6, "text after a closing quote"},
        {TEXT("a,b\n1\t2,x\n"), 2, 2, "a tab"},
        {TEXT("a\tb\n1\t2\n"), 1, 2, "a tab"},
        {TEXT("a,b\n\"1,\t\",x\n"), 2, 4, "a tab"},
        {TEXT("a\r\n1\r\n"), 1, 2, "a CR"},
        {TEXT("a,b\n1,2\r\n"), 2, 4, "a CR"},
        {TEXT("a,b\n1,\0\n"), 2, 3, "a NUL"},
        {TEXT("a\n\xff\n"), 2, 1, "not valid utf-8"},
        {TEXT("a\nb\xc0\xaf\n"), 2, 2, "not valid utf-8"},
        {TEXT("\x1f\x8b\x08\x00\n"), 1, 2, "not valid utf-8"}, // gzip
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_published_table *t = NULL;
        h = (heard){0};
        assert_int_equal(lethe_published_table_memory(ctx, bad[i].text, &t), LETHE_EINPUT);
        assert_null(t);
        assert_int_equal(h.n, 1);
        assert_string_equal(h.text, bad[i].says);
        assert_string_equal(h.file, "data.csv");
        assert_int_equal(h.line, bad[i].line);
        assert_int_equal(h.column, bad[i].column);
    }
    lethe_ctx_free(ctx);
}

static void lines_have_a_greatest_length(void **state)
{
    (void)state;
    size_t n = LETHE_TABLE_LINE_MAX;
    char *text = malloc(n + 4);
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_table *t = NULL;
    memset(text, 'a', n + 4);
    text[1] = text[n + 2] = '\n';
    assert_int_equal(lethe_published_table_memory(ctx, (lethe_str){text, n + 3}, &t), LETHE_OK);
    assert_int_equal(lethe_dict_at(t->column[0].values, 0).n, n);
    lethe_published_table_free(t);
    t = NULL;
    text[n + 2] = 'a';
    text[n + 3] = '\n';
    assert_int_equal(lethe_published_table_memory(ctx, (lethe_str){text, n + 4}, &t), LETHE_EINPUT);
    assert_string_equal(h.text, "a line over 67108864 bytes");
    assert_int_equal(h.line, 2);
    assert_null(t);
    free(text);
    lethe_ctx_free(ctx);
}

/* A header of `n` columns, and a row of their numbers. */
static size_t wide_put(char *to, size_t n)
{
    size_t used = 0;
    for (size_t line = 0; line < 2; line++) {
        for (size_t i = 0; i < n; i++)
            used += (size_t)sprintf(to + used, "%s%zu", i ? "," : "", i);
        to[used++] = '\n';
    }
    return used;
}

static void columns_have_a_greatest_number(void **state)
{
    (void)state;
    char *text = malloc(2 * 6 * (LETHE_TABLE_COLUMNS_MAX + 1) + 8);
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_table *t = NULL;
    size_t n = wide_put(text, LETHE_TABLE_COLUMNS_MAX);
    assert_int_equal(lethe_published_table_memory(ctx, (lethe_str){text, n}, &t), LETHE_OK);
    assert_int_equal(t->n_columns, LETHE_TABLE_COLUMNS_MAX);
    assert_int_equal(lethe_published_column_find(t, LETHE_LIT("65535")), 65535);
    lethe_published_table_free(t);
    t = NULL;
    n = wide_put(text, LETHE_TABLE_COLUMNS_MAX + 1);
    assert_int_equal(lethe_published_table_memory(ctx, (lethe_str){text, n}, &t), LETHE_EINPUT);
    assert_string_equal(h.text, "more than 65536 columns");
    assert_int_equal(h.line, 1);
    assert_null(t);
    free(text);
    lethe_ctx_free(ctx);
}

static void a_table_is_read_where_it_stands(void **state)
{
    (void)state;
    char path[64];
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_table *t = NULL;
    int dirfd = o_folder(path);
    size_t n_rows = 30000, used = 4; // more than is read at once
    char *text = malloc(n_rows * 16);
    memcpy(text, "a,b\n", 4);
    for (size_t i = 0; i < n_rows; i++)
        used += (size_t)sprintf(text + used, "%05zu,%zu\n", i, i % 7);
    o_write(dirfd, "real", text, used);
    assert_int_equal(lethe_published_table_read(ctx, dirfd, &t), LETHE_EIO);
    assert_int_equal(h.n, 1);
    assert_int_equal(symlinkat("real", dirfd, "data.csv"), 0); // links are not followed
    assert_int_equal(lethe_published_table_read(ctx, dirfd, &t), LETHE_EIO);
    unlinkat(dirfd, "data.csv", 0);
    assert_int_equal(mkdirat(dirfd, "data.csv", 0700), 0);
    assert_int_equal(lethe_published_table_read(ctx, dirfd, &t), LETHE_EINPUT);
    assert_string_equal(h.text, "'data.csv' is not a regular file");
    unlinkat(dirfd, "data.csv", AT_REMOVEDIR);
    assert_null(t);
    o_write(dirfd, "data.csv", text, used);
    assert_int_equal(lethe_published_table_read(ctx, dirfd, &t), LETHE_OK);
    assert_int_equal(t->n, n_rows);
    for (uint32_t i = 0; i < n_rows; i++) {
        assert_int_equal(t->column[0].code[i], i);
        assert_int_equal(t->column[1].code[i], i % 7);
    }
    lethe_published_table_free(t);
    unlinkat(dirfd, "data.csv", 0);
    unlinkat(dirfd, "real", 0);
    o_folder_gone(dirfd, path);
    free(text);
    lethe_ctx_free(ctx);
}

static void a_table_without_memory_is_said_once(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_published_table *t = NULL;
        h = (heard){0};
        lethe_alloc_fail_at(++n);
        e = lethe_published_table_memory(ctx, LETHE_LIT("a,b\n\"1,2\",x\n1,x\n1,x\n2,\n"), &t);
        lethe_alloc_fail_at(0);
        assert_true((e == LETHE_OK) == (t != NULL));
        assert_int_equal(h.n, e != LETHE_OK);
        lethe_published_table_free(t);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 8);
    lethe_ctx_free(ctx);
}

/* --- taxonomy.tsv --- */

static const lethe_str two[] = {TEXT("age"), TEXT("edu")};

/* "age:*-1 9,1-2<0 4;" : column, then name-leaves and the parent's number. */
static void hierarchies_join(const lethe_published_hierarchies *all, char *out)
{
    out[0] = '\0';
    for (size_t i = 0; i < all->n; i++) {
        const lethe_published_hierarchy *x = &all->at[i];
        sprintf(out + strlen(out), "%.*s:", (int)x->column.n, x->column.at);
        assert_int_equal(lethe_dict_count(x->names), x->n);
        for (uint32_t v = 0; v < x->n; v++) {
            lethe_str name = lethe_dict_at(x->names, v);
            sprintf(out + strlen(out), "%s%.*s(%d,%llu)", v ? " " : "", (int)name.n, name.at,
                    (int)x->parent[v], (unsigned long long)x->leaves[v]);
        }
        strcat(out, ";");
    }
}

static void hierarchies_are_taken(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        const char *text, *want;
    } good[] = {
        {1, "age=*\t\t1\n", "age:*(-1,1);"},
        {2,
         "age=*\t\t9\nage=1-2\tage=*\t2\nedu=any\t\t4\nedu=Uni\tedu=any\t2\nedu=Ba\tedu=Uni\t1\n",
         "age:*(-1,9) 1-2(0,2);edu:any(-1,4) Uni(0,2) Ba(1,1);"},
        // children anywhere behind their parent, names with signs of their own, the same in both
        {2,
         "age=*\t\t5\nage=a\tage=*\t1\nage=b\tage=*\t2\nage=>=5\tage=b\t1\nage=edu=\tage=a\t1\n"
         "edu=*\t\t4294967294\nedu=a b\tedu=*\t1\n",
         "age:*(-1,5) a(0,1) b(0,2) >=5(2,1) edu=(1,1);edu:*(-1,4294967294) a b(0,1);"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char out[512];
        lethe_published_hierarchies *all = NULL;
        assert_int_equal(lethe_published_hierarchies_memory(ctx, lethe_str_of(good[i].text), two,
                                                            good[i].n, &all),
                         LETHE_OK);
        hierarchies_join(all, out);
        assert_string_equal(out, good[i].want);
        lethe_published_hierarchies_free(all);
    }
    lethe_published_hierarchies_free(NULL);
    assert_int_equal(h.n, 0);
    lethe_ctx_free(ctx);
}

/* Ranges of numbers may have leaves in common. */
static void ranges_of_values_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool spans, crossing;
    } cases[] = {
        {"age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=25-90\tage=17-90\t6\n", true, true},
        {"age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=31\tage=17-90\t1\n", true, false},
        {"age=17\t\t1\n", true, false},
        {"age=-5-1.5\t\t3\nage=-5--2\tage=-5-1.5\t2\nage=-2-1.5\tage=-5-1.5\t2\n", true, true},
        {"age=*\t\t9\nage=17-30\tage=*\t5\n", false, false},
        {"age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=18\tage=17-30\t1\n", false, false},
        {"age=17-90\t\t9\nage=17-91\tage=17-90\t5\n", false, false},
        {"age=17-90\t\t9\nage=18\tage=17-90\t2\n", false, false},
        {"age=17-90\t\t9\nage=18-19\tage=17-90\t1\n", false, false},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_published_hierarchies *all = NULL;
        assert_int_equal(
            lethe_published_hierarchies_memory(ctx, lethe_str_of(cases[i].text), two, 1, &all),
            LETHE_OK);
        assert_int_equal(all->at[0].spans, cases[i].spans);
        assert_int_equal(all->at[0].crossing, cases[i].crossing);
        lethe_published_hierarchies_free(all);
    }
    lethe_ctx_free(ctx);
}

static void all_other_hierarchies_are_refused(void **state)
{
    (void)state;
#define NOT_OWN "not the column expected here"
#define NO_NUMBER "leaves are not a whole number above 0"
#define NOT_THREE "not three columns: child, parent, leaves"
    static const struct {
        lethe_str text;
        uint64_t line;
        uint32_t column;
        const char *says;
    } bad[] = {
        {TEXT(""), 1, 0, "the file is empty"},
        {TEXT("age=*\t\t1\nedu=*\t\t1"), 2, 0, "the last line does not end in LF"},
        {TEXT("age=*\t\t1\r\n"), 1, 9, "a CR"},
        {TEXT("age=\xff\t\t1\n"), 1, 5, "not valid utf-8"},
        {TEXT("age=*\t\t1\n"), 1, 0, "a column is missing"},
        {TEXT("age=*\t\t1\nedu=*\t\t1\nage=*\t\t1\n"), 3, 7, "a second root"},
        {TEXT("edu=*\t\t1\nage=*\t\t1\n"), 1, 1, NOT_OWN},
        {TEXT("*\t\t1\nedu=*\t\t1\n"), 1, 1, NOT_OWN},
        {TEXT("age*\t\t1\nedu=*\t\t1\n"), 1, 1, NOT_OWN},
        {TEXT("age\t\t1\nedu=*\t\t1\n"), 1, 1, NOT_OWN},
        {TEXT("\t\t1\nedu=*\t\t1\n"), 1, 1, NOT_OWN},
        {TEXT("age=*\t\t1\nage=x\tedu=*\t1\nedu=*\t\t1\n"), 2, 7, NOT_OWN},
        {TEXT("age=*\t\t1\nedu=*\t\t1\nage=x\tage=*\t1\n"), 3, 1, NOT_OWN},
        {TEXT("age=\t\t1\nedu=*\t\t1\n"), 1, 1, "a name is empty"},
        {TEXT("age=*\t\t1\nage=x\tage=\t1\nedu=*\t\t1\n"), 2, 7, "a name is empty"},
        {TEXT("age=x\tage=*\t1\nage=*\t\t1\nedu=*\t\t1\n"), 1, 7, "the first line is not a root's"},
        {TEXT("age=*\t\t2\nage=x\tage=y\t1\nage=y\tage=*\t1\nedu=*\t\t1\n"), 2, 7,
         "a parent without an earlier line"},
        {TEXT("age=*\t\t2\nage=x\tage=x\t1\nedu=*\t\t1\n"), 2, 7,
         "a parent without an earlier line"},
        {TEXT("age=*\t\t2\nedu=*\t\t1\nedu=x\tedu=y\t1\n"), 3, 7,
         "a parent without an earlier line"},
        {TEXT("age=*\t\t2\nage=x\tage=*\t1\nage=x\tage=*\t1\nedu=*\t\t1\n"), 3, 1,
         "a name has two lines; line 2 is the first"},
        {TEXT("age=*\t\t2\nage=*\tage=*\t1\nedu=*\t\t1\n"), 2, 1,
         "a name has two lines; line 1 is the first"},
        {TEXT("age=*\t1\n"), 1, 0, NOT_THREE},
        {TEXT("age=*\n"), 1, 0, NOT_THREE},
        {TEXT("\n"), 1, 0, NOT_THREE},
        {TEXT("age=*\t\t1\t\n"), 1, 0, NOT_THREE},
        {TEXT("age=*\t\t\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t0\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t01\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t-1\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t1.0\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t4294967295\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t99999999999999999999\n"), 1, 8, NO_NUMBER},
        {TEXT("age=*\t\t2\nage=x\tage=*\t1\nage=y\tage=*\t2\nedu=*\t\t1\n"), 1, 0,
         "fewer leaves than its children have"},
        {TEXT("age=*\t\t2\nedu=*\t\t1\nedu=x\tedu=*\t2\n"), 2, 0,
         "fewer leaves than its children have"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_published_hierarchies *all = NULL;
        h = (heard){0};
        assert_int_equal(lethe_published_hierarchies_memory(ctx, bad[i].text, two, 2, &all),
                         LETHE_EINPUT);
        assert_null(all);
        assert_int_equal(h.n, 1);
        assert_string_equal(h.text, bad[i].says);
        assert_string_equal(h.file, "taxonomy.tsv");
        assert_int_equal(h.line, bad[i].line);
        assert_int_equal(h.column, bad[i].column);
    }
    lethe_ctx_free(ctx);
}

static void hierarchies_are_read_where_they_stand(void **state)
{
    (void)state;
    static const char text[] = "age=*\t\t1\nedu=*\t\t1\n";
    char path[64];
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_hierarchies *all = NULL;
    int dirfd = o_folder(path);
    assert_int_equal(lethe_published_hierarchies_read(ctx, dirfd, two, 2, &all), LETHE_EIO);
    o_write(dirfd, "real", text, sizeof text - 1);
    assert_int_equal(symlinkat("real", dirfd, "taxonomy.tsv"), 0);
    assert_int_equal(lethe_published_hierarchies_read(ctx, dirfd, two, 2, &all), LETHE_EIO);
    assert_null(all);
    assert_int_equal(h.n, 2);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    o_write(dirfd, "taxonomy.tsv", text, sizeof text - 1);
    assert_int_equal(lethe_published_hierarchies_read(ctx, dirfd, two, 2, &all), LETHE_OK);
    assert_int_equal(all->n, 2);
    lethe_published_hierarchies_free(all);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    unlinkat(dirfd, "real", 0);
    o_folder_gone(dirfd, path);
    lethe_ctx_free(ctx);
}

static void hierarchies_without_memory_are_said_once(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_published_hierarchies *all = NULL;
        lethe_str text = LETHE_LIT("age=*\t\t2\nage=x\tage=*\t2\nedu=*\t\t1\n");
        h = (heard){0};
        lethe_alloc_fail_at(++n);
        e = lethe_published_hierarchies_memory(ctx, text, two, 2, &all);
        lethe_alloc_fail_at(0);
        assert_true((e == LETHE_OK) == (all != NULL));
        assert_int_equal(h.n, e != LETHE_OK);
        lethe_published_hierarchies_free(all);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 8);
    lethe_ctx_free(ctx);
}

static void a_stop_is_heard(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_table *t = NULL;
    lethe_published_hierarchies *all = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_published_table_memory(ctx, LETHE_LIT("a\n1\n"), &t), LETHE_ECANCEL);
    assert_int_equal(
        lethe_published_hierarchies_memory(ctx, LETHE_LIT("age=*\t\t1\n"), two, 1, &all),
        LETHE_ECANCEL);
    assert_null(t);
    assert_null(all);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_taken),
        cmocka_unit_test(columns_have_names_and_numbers),
        cmocka_unit_test(all_other_tables_are_refused),
        cmocka_unit_test(lines_have_a_greatest_length),
        cmocka_unit_test(columns_have_a_greatest_number),
        cmocka_unit_test(a_table_is_read_where_it_stands),
        cmocka_unit_test(a_table_without_memory_is_said_once),
        cmocka_unit_test(hierarchies_are_taken),
        cmocka_unit_test(ranges_of_values_are_told),
        cmocka_unit_test(all_other_hierarchies_are_refused),
        cmocka_unit_test(hierarchies_are_read_where_they_stand),
        cmocka_unit_test(hierarchies_without_memory_are_said_once),
        cmocka_unit_test(a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
