/* SPDX-License-Identifier: Apache-2.0 */
/* CSV into tables: roles, values, missing values, hierarchies, and what is rejected or refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include <zlib.h>
#include "table_text.h"

/* What came of reading. */
typedef struct got {
    outcome o;
    lethe_ctx *ctx;
    lethe_err err;
    lethe_table *t;
    text rows, counts;
} got;

static void finish(got *g)
{
    text_put(&g->rows, "", 0);
    text_put(&g->counts, "", 0);
    assert_true((g->err == LETHE_OK) == (g->t != NULL));
    if (!g->t) return;
    if (table_fault(g->t)) fail_msg("%s", table_fault(g->t));
    table_text(&g->rows, g->t);
    counts_text(&g->counts, g->t);
}

static got read_bytes(lethe_str in, const lethe_table_read_options *how)
{
    got g = {0};
    g.ctx = records_ctx(&g.o, 1, 0);
    g.err = lethe_table_memory(g.ctx, in, how, &g.t);
    finish(&g);
    return g;
}
#define IN(s) ((lethe_str){(s), sizeof(s) - 1})
#define READ(s, ...) read_bytes(IN(s), &(lethe_table_read_options){__VA_ARGS__})

static void end(got *g)
{
    lethe_table_free(g->t);
    lethe_ctx_free(g->ctx);
    outcome_end(&g->o);
    free(g->rows.at);
    free(g->counts.at);
}

static void assert_got(got *g, const char *rows, const char *counts)
{
    assert_string_equal(g->o.messages.at, "");
    assert_int_equal(g->err, LETHE_OK);
    assert_string_equal(g->rows.at, rows);
    assert_string_equal(g->counts.at, counts);
    end(g);
}

static void assert_refused(got *g, lethe_err err, const char *said)
{
    assert_string_equal(g->o.messages.at, said);
    assert_int_equal(g->err, err);
    end(g);
}

static void assert_tree(const lethe_table *t, size_t qi, const char *want)
{
    text s = {0};
    subtree_text(&s, t->qi[qi].tree, 0);
    assert_string_equal(s.at, want);
    free(s.at);
}

/* --- rows --- */

static void rows_become_values(void **state)
{
    (void)state;
    got g = READ("\xEF\xBB\xBF\r\n id, age ,\"job\", sex,note,town\r\n"
                 "1, 30 ,\"cook, \"\"chief\"\"\",M,  ,x\r\n"
                 "\r\n   \n"
                 "2,20,cook ,F,n,y\n3,30,cook,\"M\",5\"6,x",
                 .roles = {.qi = "sex, age", .sa = "job", .class = "town", .keep = "note"});
    assert_tree(g.t, 0, "*[F M]");
    assert_tree(g.t, 1, "*[20 30]");
    assert_false(g.t->qi[0].ordered);
    assert_int_equal(g.t->n_qi, 2);
    assert_true(lethe_str_eq(g.t->qi[0].name, LETHE_LIT("sex")));
    assert_got(&g,
               "qi:age|sa:job|qi:sex|keep:note|class:town\n"
               "0|30|cook, \"chief\"|M|?|x\n1|20|cook|F|n|y\n2|30|cook|M|5\"6|x\n",
               "read 3 rejected 0 missing 0 invalid 0\n");
}

static void kept_columns_stand_as_in_the_header(void **state)
{
    (void)state;
    got g = READ("a,b,c,d\n1,2,3,4\n", .roles = {.qi = "c", .keep = "d,b,a"});
    assert_int_equal(g.t->n_keep, 3);
    assert_true(lethe_str_eq(g.t->keep[0].name, LETHE_LIT("a")));
    assert_true(lethe_str_eq(g.t->keep[2].name, LETHE_LIT("d")));
    assert_null(g.t->sa);
    assert_null(g.t->class);
    assert_got(&g, "keep:a|keep:b|qi:c|keep:d\n0|1|2|3|4\n",
               "read 1 rejected 0 missing 0 invalid 0\n");
}

static void one_column_and_one_row_are_a_table(void **state)
{
    (void)state;
    got g = READ("a\nx", .roles = {.qi = "a"});
    assert_tree(g.t, 0, "*[x]");
    assert_got(&g, "qi:a\n0|x\n", "read 1 rejected 0 missing 0 invalid 0\n");
    g = READ("a\n\"\"\n", .roles = {.qi = "a"}); // a blank line would be no row
    assert_tree(g.t, 0, "*[?]");
    assert_got(&g, "qi:a\n0|?\n", "read 1 rejected 0 missing 0 invalid 0\n");
}

static void the_header_tells_the_delimiter(void **state)
{
    (void)state;
    static const char *const same[] = {"a;b\n1,5;2\n", "a|b\n1,5|2\n", "a\tb\n1,5\t2\n",
                                       "\n\r\na;b\n1,5;2\n", "\"a\";\"b\"\n1,5;2\n"};
    for (size_t i = 0; i < LETHE_COUNT(same); i++) {
        got g = read_bytes(lethe_str_of(same[i]),
                           &(lethe_table_read_options){.roles = {.qi = "a", .sa = "b"}});
        assert_got(&g, "qi:a|sa:b\n0|1,5|2\n", "read 1 rejected 0 missing 0 invalid 0\n");
    }
    got g = READ("a,b;c\n1,x;y\n", .roles = {.qi = "\"a,b\"", .sa = "c"}, .delimiter = ';');
    assert_got(&g, "qi:a,b|sa:c\n0|1,x|y\n", "read 1 rejected 0 missing 0 invalid 0\n");
    g = READ("a,b\n1;2;3,4\n1;2;3,4\n", .roles = {.qi = "a"}); // not the rows
    assert_got(&g, "qi:a\n0|1;2;3\n1|1;2;3\n", "read 2 rejected 0 missing 0 invalid 0\n");
    static const char bad[] = "\"\r\n";
    for (size_t i = 0; i < 3; i++) {
        g = READ("a\n1\n", .roles = {.qi = "a"}, .delimiter = bad[i]);
        assert_refused(&g, LETHE_EUSAGE,
                       "E the column separator cannot be a quote or a line end\n");
    }
}

static void replaced_bytes_are_counted_by_row(void **state)
{
    (void)state;
    got g =
        READ("a,b,c\n\xFFx\xFF,\xFE,1\n\xC3\xA9,y,\xFF\nz,z,z\n", .roles = {.qi = "a", .sa = "b"});
    assert_got(&g, "qi:a|sa:b\n0|\xEF\xBF\xBDx\xEF\xBF\xBD|\xEF\xBF\xBD\n1|\xC3\xA9|y\n2|z|z\n",
               "read 3 rejected 0 missing 0 invalid 1\n");
}

/* --- missing values --- */

static lethe_tree *tree_of(const char *arx)
{
    lethe_ctx *ctx = NULL;
    lethe_tree *t = NULL;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(arx), LETHE_NAMES_RAW, &t), LETHE_OK);
    lethe_ctx_free(ctx);
    return t;
}

#define GAPS "a,b,s,k,z\n1,x,flu,p,\n,x,flu,p,1\n1,?,flu,p,1\n1, ? ,,p,1\n1,\"\",flu,\" \",1\n"

static void a_missing_value_is_a_value(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("w;*\nx;*\n");
    const lethe_tree *h[] = {NULL, t};
    got g = READ(GAPS, .roles = {.qi = "a,b", .sa = "s", .keep = "k"}, .hierarchy = h);
    assert_tree(g.t, 0, "*[1 ?]");
    assert_tree(g.t, 1, "*[w x ?]");
    assert_int_equal(t->n, 3); // the caller's is as it was
    assert_got(&g,
               "qi:a|qi:b|sa:s|keep:k\n0|1|x|flu|p\n1|?|x|flu|p\n2|1|?|flu|p\n3|1|?|?|p\n"
               "4|1|?|flu|?\n",
               "read 5 rejected 0 missing 0 invalid 0\n");
    lethe_tree_free(t);
}

static void rows_with_missing_values_can_be_dropped(void **state)
{
    (void)state;
    got g = READ(GAPS "2,y,cold,q,1\n", .roles = {.qi = "a,b", .sa = "s", .keep = "k"},
                 .drop_missing = true);
    assert_tree(g.t, 0, "*[1 2]");
    assert_tree(g.t, 1, "*[x y]");
    assert_got(&g, "qi:a|qi:b|sa:s|keep:k\n0|1|x|flu|p\n5|2|y|cold|q\n",
               "read 6 rejected 0 missing 4 invalid 0\n");
    // in a column that is used only
    g = READ(GAPS, .roles = {.qi = "z"}, .drop_missing = true);
    assert_got(&g, "qi:z\n1|1\n2|1\n3|1\n4|1\n", "read 5 rejected 0 missing 1 invalid 0\n");
    g = READ("a,b\n,1\n?,1\n", .roles = {.qi = "a"}, .drop_missing = true);
    assert_refused(&g, LETHE_EINPUT, "E no row without a missing value\n");
}

static void a_dropped_row_leaves_no_value(void **state)
{
    (void)state;
    got g = READ("a,s\nx,1\ny,?\n", .roles = {.qi = "a", .sa = "s"}, .drop_missing = true);
    assert_tree(g.t, 0, "*[x]");
    assert_int_equal(lethe_dict_count(g.t->sa->values), 1);
    end(&g);
}

static void a_hierarchy_may_have_the_missing_value(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("x;some;*\n?;none;*\n");
    const lethe_tree *h[] = {t};
    got g = READ("a\nx\n?\n", .roles = {.qi = "a"}, .hierarchy = h);
    assert_tree(g.t, 0, "*[some[x] none[?]]");
    assert_got(&g, "qi:a\n0|x\n1|?\n", "read 2 rejected 0 missing 0 invalid 0\n");
    g = READ("a\nx\n?\n", .roles = {.qi = "a"}, .hierarchy = h, .drop_missing = true);
    assert_got(&g, "qi:a\n0|x\n", "read 2 rejected 0 missing 1 invalid 0\n");
    lethe_tree_free(t);
}

/* --- hierarchies --- */

static void values_may_name_inner_nodes(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("x;low;*\ny;low;*\nz;high;*\n=low;high;*\n");
    const lethe_tree *h[] = {t};
    got g = READ("a\ny\nlow\n*\nz\n=low\n\n", .roles = {.qi = "a"}, .hierarchy = h);
    assert_tree(g.t, 0, "*[=* low[==low x y] high[z =low]]");
    assert_got(&g, "qi:a\n0|y\n1|==low\n2|=*\n3|z\n4|=low\n",
               "read 5 rejected 0 missing 0 invalid 0\n");
    lethe_tree_free(t);
}

static void a_tree_of_one_node_grows_for_the_missing_value(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("x\n");
    const lethe_tree *h[] = {t};
    got g = READ("a,b\nx,1\n,1\n", .roles = {.qi = "a"}, .hierarchy = h);
    assert_tree(g.t, 0, "x[=x ?]");
    assert_got(&g, "qi:a\n0|=x\n1|?\n", "read 2 rejected 0 missing 0 invalid 0\n");
    g = READ("a,b\nx,1\n", .roles = {.qi = "a"}, .hierarchy = h);
    assert_tree(g.t, 0, "x");
    end(&g);
    lethe_tree_free(t);
}

static void without_a_hierarchy_values_stand_below_one_root(void **state)
{
    (void)state;
    got g = READ("a,b\nb,*\n\xC3\xA9,*\n=*,*\nB,*\n*,*\n?,*\nb,*\n", .roles = {.qi = "a,b"});
    assert_tree(g.t, 0, "*[==* =* B b \xC3\xA9 ?]");
    assert_tree(g.t, 1, "*");
    assert_got(&g, "qi:a|qi:b\n0|b|*\n1|\xC3\xA9|*\n2|=*|*\n3|B|*\n4|==*|*\n5|?|*\n6|b|*\n",
               "read 7 rejected 0 missing 0 invalid 0\n");
}

static void ranges_make_a_hierarchy(void **state)
{
    (void)state;
    static const uint64_t five = 5;
    const lethe_ranges open = {.n = 1, .width = &five};
    const lethe_ranges closed = {
        .n = 1, .width = &five, .has_domain = true, .least = 8, .greatest = 10};
    const lethe_ranges *r[] = {&open, &closed, NULL};
    got g = READ("a,b,c\n7.0,8,8\n?,10,\n3,\"010\",x\n-0.5,,y\n", .roles = {.qi = "a,b,c"},
                 .ranges = r);
    assert_tree(g.t, 0, "*[-0.5 3 7 ?]");
    assert_tree(g.t, 1, "*[8-9[8 9] 10 ?]");
    assert_true(g.t->qi[0].ordered && g.t->qi[1].ordered && !g.t->qi[2].ordered);
    assert_got(&g, "qi:a|qi:b|qi:c\n0|7|8|8\n1|?|10|?\n2|3|10|x\n3|-0.5|?|y\n",
               "read 4 rejected 0 missing 0 invalid 0\n");
}

static void ranges_of_values_need_numbers(void **state)
{
    (void)state;
    const lethe_ranges values = {.values = true};
    const lethe_ranges *r[] = {&values, NULL};
    got g = READ("a,b\n7.0,x\n3,y\n07,z\n10,x\n", .roles = {.qi = "a,b"}, .ranges = r);
    assert_tree(g.t, 0, "3-10[3 7 10]");
    assert_true(g.t->qi[0].ordered && g.t->qi[0].position && !g.t->qi[1].position);
    assert_true(g.t->qi[0].position[3] == 1);
    assert_got(&g, "qi:a|qi:b\n0|7|x\n1|3|y\n2|7|z\n3|10|x\n",
               "read 4 rejected 0 missing 0 invalid 0\n");
    // one row is enough: it is not counted among the rejected
    g = READ("a,b\n7,x\nold,y\n3,z\n", .roles = {.qi = "a,b"}, .ranges = r);
    assert_refused(&g, LETHE_EINPUT,
                   "E memory:3:1 a: 'old' is not a number, and --ranges a=values needs numbers\n");
    g = READ("a,b\n7,x\n?,y\n3,z\n", .roles = {.qi = "a,b"}, .ranges = r);
    assert_refused(&g, LETHE_EINPUT,
                   "E memory:3:1 a: the value is missing, and --ranges a=values needs numbers; "
                   "--missing drop leaves such rows out\n");
    g = READ("a,b\n7,x\n,y\n3,?\n", .roles = {.qi = "a,b"}, .ranges = r, .drop_missing = true);
    assert_tree(g.t, 0, "7");
    assert_got(&g, "qi:a|qi:b\n0|7|x\n", "read 3 rejected 0 missing 2 invalid 0\n");
}

static void a_hierarchy_comes_before_ranges(void **state)
{
    (void)state;
    static const uint64_t five = 5;
    const lethe_ranges open = {.n = 1, .width = &five};
    lethe_tree *t = tree_of("7;*\n8;*\n");
    const lethe_ranges *r[] = {&open};
    const lethe_tree *h[] = {t};
    got g = READ("a\n7\n", .roles = {.qi = "a"}, .ranges = r, .hierarchy = h);
    assert_tree(g.t, 0, "*[7 8]");
    assert_false(g.t->qi[0].ordered);
    end(&g);
    g = READ("a\n07\n", .roles = {.qi = "a"}, .ranges = r, .hierarchy = h, .strict = true);
    assert_refused(&g, LETHE_EINPUT, "E memory:2:1 a: value is not in the hierarchy: '07'\n");
    lethe_tree_free(t);
}

/* --- rejected rows --- */

static void faults_are_named_by_line_column_and_name(void **state)
{
    (void)state;
#define BAD(s) s, sizeof(s) - 1
    static const struct {
        const char *row;
        size_t n;
        const char *said;
    } bad[] = {
        {BAD("x,7"), ":3 fewer fields than the header\n"},
        {BAD("x,7,flu"), ":4 fewer fields than the header\n"},
        {BAD("x"), ":2 fewer fields than the header\n"},
        {BAD("x,7,flu,u,"), ":5 more fields than the header\n"},
        {BAD("x,7,\"fl\nu\",u"), ":3 sick now: line feed in a field\n"},
        {BAD("x,7,flu,\"\n\""), ":4 not used: line feed in a field\n"},
        {BAD("x,7,flu\t,u"), ":3 sick now: tab in a field\n"},
        {BAD("x,7,\"fl\ru\",u"), ":3 sick now: carriage return in a field\n"},
        {BAD("x,7\r,flu,u"), ":2 b: carriage return in a field\n"},
        {BAD("x,7,flu,u\0"), ":4 not used: NUL byte\n"},
        {BAD("x,7,\"flu\" ,u"), ":3 text after a closing quote\n"},
        {BAD("x,7,\"flu\"\"\"x,u"), ":3 text after a closing quote\n"},
        {BAD("x,7,\"flu,u"), ":3 quote not closed\n"},
        {BAD("x,7, \"flu\",u"), ":3 sick now: quote after a space at the beginning of a field\n"},
        {BAD("y,7,flu,u"), ":1 a: value is not in the hierarchy: 'y'\n"},
        {BAD("X,7,flu,u"), ":1 a: value is not in the hierarchy: 'X'\n"},
        {BAD("x\xFF,7,flu,u"), ":1 a: value is not in the hierarchy: 'x\xEF\xBF\xBD'\n"},
        {BAD("x,seven,flu,u"), ":2 b: value is not a number: 'seven'\n"},
        {BAD("x,+7,flu,u"), ":2 b: value is not a number: '+7'\n"},
        {BAD("x,99999999999999999999999999999,flu,u"),
         ":2 b: value is not a number: '99999999999999999999999999999'\n"},
        {BAD("x,7.5,flu,u"), ":2 b: number outside the domain: '7.5'\n"},
        {BAD("x,11,flu,u"), ":2 b: number outside the domain: '11'\n"},
        {BAD("x,-7,flu,u"), ":2 b: number outside the domain: '-7'\n"},
        {BAD("x,7, * ,u"), ":3 sick now: the value '*' stands for what is not published\n"},
        {BAD("y,99,*,u"), ":1 a: value is not in the hierarchy: 'y'\n"}, // the leftmost
        {BAD("?,x,,u"), ":2 b: value is not a number: 'x'\n"},
    };
    static const uint64_t five = 5;
    lethe_tree *t = tree_of("x;*\n");
    const lethe_tree *h[] = {t, NULL};
    const lethe_ranges domain = {
        .n = 1, .width = &five, .has_domain = true, .least = 5, .greatest = 10};
    const lethe_ranges *r[] = {NULL, &domain};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        for (int drop = 0; drop < 2; drop++) {
            text in = {0};
            char said[256];
            text_put(&in, "a,b, sick now ,not used\nx,7,flu,u\n\nx,\"7\",flu,u\n", 47);
            text_put(&in, bad[i].row, bad[i].n);
            snprintf(said, sizeof said, "E memory:5%s", bad[i].said);
            lethe_table_read_options how = {.roles = {.qi = "a,b", .sa = "sick now"},
                                            .hierarchy = h,
                                            .ranges = r,
                                            .strict = true,
                                            .drop_missing = drop};
            got g = read_bytes((lethe_str){in.at, in.n}, &how);
            assert_refused(&g, LETHE_EINPUT, said);
            free(in.at);
        }
    }
    lethe_tree_free(t);
}

#define TEN "x\nx\nx\nx\nx\nx\nx\nx\nx\nx\n"
#define THIRTY TEN TEN TEN

static void three_of_a_kind_are_named_and_the_rest_counted(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("x;*\n");
    const lethe_tree *h[] = {t};
    got g = READ("a\ny\nx,x\n" THIRTY THIRTY "y\ny\nz\ny\n", .roles = {.qi = "a"}, .hierarchy = h);
    assert_int_equal(g.err, LETHE_OK);
    assert_string_equal(g.o.messages.at,
                        "W memory:2:1 a: value is not in the hierarchy: 'y'\n"
                        "W memory:3:2 more fields than the header\n"
                        "W memory:64:1 a: value is not in the hierarchy: 'y'\n"
                        "W memory:65:1 a: value is not in the hierarchy: 'y'\n"
                        "W memory:0:0 \xE2\x80\xA6 and 2 more lines: a: value is not in the "
                        "hierarchy\n"
                        "W 5 rows rejected because the hierarchy of 'a' lacks 2 values, such as "
                        "'y' (line 2)\n");
    assert_string_equal(g.counts.at, "read 66 rejected 6 missing 0 invalid 0\n");
    assert_int_equal(g.t->origin[0], 2);
    assert_int_equal(g.t->origin[59], 61);
    end(&g);
    lethe_tree_free(t);
}

static void a_tenth_may_be_rejected_and_no_more(void **state)
{
    (void)state;
    got g = READ("a\n" TEN "x,x\n", .roles = {.qi = "a"});
    assert_int_equal(g.err, LETHE_OK);
    end(&g);
    g = READ("a\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx,x\n", .roles = {.qi = "a"});
    assert_int_equal(g.err, LETHE_OK); // just a tenth
    end(&g);
    g = READ("a\nx\nx\nx\nx\nx\nx\nx\nx\nx,x\n", .roles = {.qi = "a"});
    assert_refused(&g, LETHE_EINPUT,
                   "W memory:10:2 more fields than the header\n"
                   "E 1 of 9 rows rejected: not the table that is meant?\n");
}

static void a_rejected_row_leaves_no_value(void **state)
{
    (void)state;
    got g = READ("a,s\nq,flu\nw,*\n"
                 "1,u\n2,u\n3,u\n1,u\n1,u\n1,u\n1,u\n1,u\n1,u\n1,u\n",
                 .roles = {.qi = "a", .sa = "s"});
    assert_tree(g.t, 0, "*[1 2 3 q]");
    assert_int_equal(lethe_dict_count(g.t->sa->values), 2);
    end(&g);
}

static void an_open_quote_counts_for_all_it_took(void **state)
{
    (void)state;
    got g = READ("a,b\n"
                 "1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n"
                 "1,\"2\n1,2\n1,2\n",
                 .roles = {.qi = "a"});
    assert_refused(&g, LETHE_EINPUT,
                   "W memory:13:2 quote not closed\n"
                   "E 3 of 14 rows rejected: not the table that is meant?\n");
    // a row over several lines is one, and the lines are still counted right
    g = READ("a,b\n"
             "1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n"
             "1,2\n1,2\n1,2\n1,2\n\"x\r\ny\n\n\",2\n3,2\n1\n",
             .roles = {.qi = "a"});
    assert_int_equal(g.err, LETHE_OK);
    assert_string_equal(g.o.messages.at, "W memory:20:1 a: carriage return in a field\n"
                                         "W memory:25:2 fewer fields than the header\n");
    assert_string_equal(g.counts.at, "read 21 rejected 2 missing 0 invalid 0\n");
    assert_int_equal(g.t->origin[18], 19);
    end(&g);
}

/* --- headers, roles --- */

static void headers_must_name_the_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *said;
    } bad[] = {
        {BAD(""), "E 'memory' is empty: it has no header\n"},
        {BAD("\n \r\n"), "E 'memory' is empty: it has no header\n"},
        {BAD("\n\r\n"), "E 'memory' is empty: it has no header\n"},
        {BAD("a,b\n"), "E no rows after the header\n"},
        {BAD("a,b\n\n\n"), "E no rows after the header\n"},
        {BAD("a,b"), "E no rows after the header\n"},
        {BAD("b1,c1\n1,2\n"), "E memory:1:0 unknown column 'a': the columns are b1, c1\n"},
        {BAD("b,A\n1,2\n"),
         "E memory:1:0 unknown column 'a': the columns are b, A (did you mean 'A'?)\n"},
        {BAD("a,b, a \n1,2,3\n"), "E memory:1:3 column 'a' is named twice\n"},
        {BAD("a,c,b,c\n1,2,3,4\n"), "E memory:1:4 column 'c' is named twice\n"},
        {BAD("a,,b\n1,2,3\n"), "E memory:1:2 a column's name is empty\n"},
        {BAD("a,b,\n1,2,3\n"), "E memory:1:3 a column's name is empty\n"},
        {BAD("a,b\xFF\n1,2\n"), "E memory:1:2 a column's name is not utf-8\n"},
        {BAD("a,b\0\n1,2\n"), "E memory:1:2 NUL byte\n"},
        {BAD("\n\na,\"b\nc\"\n1,2\n"), "E memory:3:2 line feed in a field\n"},
        {BAD("a,\"b\n1,2\n"), "E memory:1:2 quote not closed\n"},
        {BAD("a,\"b\"c\n1,2\n"), "E memory:1:2 text after a closing quote\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        got g = read_bytes((lethe_str){bad[i].text, bad[i].n},
                           &(lethe_table_read_options){.roles = {.qi = "a"}});
        assert_refused(&g, LETHE_EINPUT, bad[i].said);
    }
}

/* A long header is cut, a long name too; of several near names the nearest is suggested. */
static void unknown_columns_get_a_suggestion(void **state)
{
    (void)state;
    static const struct {
        const char *qi, *text, *said;
    } bad[] = {
        {"Age", "age,job\n1,2\n", "the columns are age, job (did you mean 'age'?)\n"},
        {"disaese", "discs,disease,zip\n1,2,3\n", "zip (did you mean 'disease'?)\n"},
        {"zip_code", "age,zip\n1,2\n", "the columns are age, zip\n"},
        {"STRA\u00dfE", "strasse,x\n1,2\n", "strasse, x (did you mean 'strasse'?)\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        char want[200];
        sprintf(want, "E memory:1:0 unknown column '%s': ", bad[i].qi);
        got g = read_bytes(lethe_str_of(bad[i].text),
                           &(lethe_table_read_options){.roles = {.qi = bad[i].qi}});
        assert_int_equal(g.err, LETHE_EINPUT);
        assert_non_null(strstr(g.o.messages.at, want));
        assert_non_null(strstr(g.o.messages.at, bad[i].said));
        end(&g);
    }
    char header[4000] = "";
    for (int i = 0; i < 300; i++)
        sprintf(header + strlen(header), "%sc%d", i ? "," : "", i);
    got g = read_bytes(lethe_str_of(header), &(lethe_table_read_options){.roles = {.qi = "other"}});
    assert_int_equal(g.err, LETHE_EINPUT);
    assert_non_null(strstr(g.o.messages.at, "the columns are c0, c1, "));
    assert_string_equal(g.o.messages.at + strlen(g.o.messages.at) - 6, ", ...\n");
    end(&g);
}

static void roles_must_fit_each_other(void **state)
{
    (void)state;
    char many[LETHE_QI_MAX * 4 + 16] = "c0";
    for (int i = 1; i <= LETHE_QI_MAX; i++)
        sprintf(many + strlen(many), ",c%d", i);
    const struct {
        lethe_roles roles;
        const char *said;
    } bad[] = {
        {{0}, "E no column is a quasi-identifier\n"},
        {{.sa = "a"}, "E no column is a quasi-identifier\n"},
        {{.qi = ""}, "E a column's name is empty\n"},
        {{.qi = "a,,b"}, "E a column's name is empty\n"},
        {{.qi = "a, "}, "E a column's name is empty\n"},
        {{.qi = "a", .sa = " "}, "E a column's name is empty\n"},
        {{.qi = "a", .keep = ""}, "E a column's name is empty\n"},
        {{.qi = "a,b, a"}, "E column 'a' is named twice\n"},
        {{.qi = "a", .keep = "b,b"}, "E column 'b' is named twice\n"},
        {{.qi = "a,b", .sa = "b"}, "E column 'b' has two roles\n"},
        {{.qi = "a", .sa = "b", .class = " b"}, "E column 'b' has two roles\n"},
        {{.qi = "a,b", .keep = "c,a"}, "E column 'a' has two roles\n"},
        {{.qi = "a", .class = "c", .keep = "c"}, "E column 'c' has two roles\n"},
        {{.qi = "\"a"}, "E a quote is not closed in the list of columns\n"},
        {{.qi = "\"a\"b"}, "E text after a closing quote in the list of columns\n"},
        {{.qi = "a\nb"}, "E a line end in the list of columns\n"},
        {{.qi = many}, "E too many quasi-identifiers: 65, the limit is 64\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        assert_int_equal(lethe_roles_check(lethe_ctx_diag(ctx), &bad[i].roles), LETHE_EUSAGE);
        assert_string_equal(o.messages.at, bad[i].said);
        lethe_ctx_free(ctx);
        outcome_end(&o);
        got g = READ("a,b,c\n1,2,3\n", .roles = bad[i].roles);
        assert_refused(&g, LETHE_EUSAGE, bad[i].said);
    }
    *strrchr(many, ',') = '\0';
    assert_int_equal(lethe_roles_check(NULL, &(lethe_roles){.qi = many, .sa = "s"}), LETHE_OK);
}

static void names_are_parted_by_commas(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    lethe_str *name = NULL;
    size_t n = 9;
    assert_int_equal(lethe_names_parse(NULL, a, NULL, &name, &n), LETHE_OK);
    assert_int_equal(n, 0);
    assert_int_equal(
        lethe_names_parse(NULL, a, " a b ,\"c,\"\"d\"\"\",\" e \",x\"y,\"f\"\"\"", &name, &n),
        LETHE_OK);
    static const char *const want[] = {"a b", "c,\"d\"", "e", "x\"y", "f\""};
    assert_int_equal(n, LETHE_COUNT(want));
    for (size_t i = 0; i < n; i++)
        assert_true(lethe_str_eq(name[i], lethe_str_of(want[i])));
    lethe_arena_free(a);
    got g = READ("\"a,b\",c\n1,2\n", .roles = {.qi = "c", .sa = "\"a,b\""});
    assert_got(&g, "sa:a,b|qi:c\n0|1|2\n", "read 1 rejected 0 missing 0 invalid 0\n");
}

static void several_columns_may_be_sensitive(void **state)
{
    (void)state;
    got g = READ("a,b,c,d,e\n1,2,3,4,5\n1,2,?,,5\n",
                 .roles = {.qi = "c", .sa = "d, a", .class = "e", .keep = "b"});
    assert_int_equal(g.t->n_sa, 2);
    assert_true(lethe_str_eq(g.t->sa[0].name, LETHE_LIT("d")));
    assert_true(lethe_str_eq(g.t->sa[1].name, LETHE_LIT("a")));
    assert_got(&g, "sa:a|keep:b|qi:c|sa:d|class:e\n0|1|2|3|4|5\n1|1|2|?|?|5\n",
               "read 2 rejected 0 missing 0 invalid 0\n");
    g = READ("a,b,c\n1,2,3\n", .roles = {.qi = "c", .sa = "a,a"});
    assert_refused(&g, LETHE_EUSAGE, "E column 'a' is named twice\n");
    g = READ("a,b,c\n1,2,3\n", .roles = {.qi = "c", .sa = "a,c"});
    assert_refused(&g, LETHE_EUSAGE, "E column 'c' has two roles\n");
}

/* Values stay as they are, and have leaves besides; others are rejected. */
static void a_sensitive_column_may_have_a_hierarchy(void **state)
{
    (void)state;
    lethe_tree *tree = tree_of("flu;lung;*\ncold;lung;*\nother;rest;*\n");
    const lethe_tree *of[] = {NULL, tree};
    got g = READ("a,s,i\n1,x,cold\n2,y,other\n3,z,cold\n", .roles = {.qi = "a", .sa = "s,i"},
                 .sensitive = of);
    assert_null(g.t->sa[0].tree);
    const lethe_column *c = &g.t->sa[1];
    assert_true(lethe_str_eq(lethe_tree_name(c->tree, c->leaf[0]), LETHE_LIT("cold")));
    assert_true(lethe_str_eq(lethe_tree_name(c->tree, c->leaf[1]), LETHE_LIT("other")));
    assert_got(&g, "qi:a|sa:s|sa:i\n0|1|x|cold\n1|2|y|other\n2|3|z|cold\n",
               "read 3 rejected 0 missing 0 invalid 0\n");
    lethe_tree_free(tree);
}

/* --- size --- */

/* Rows over several blocks, quoted line ends where blocks meet among them. */
static void blocks_make_no_difference(void **state)
{
    (void)state;
    enum { ROWS = 120000, EVERY = 13 };
    text in = {0}, want = {0};
    text_put(&in, "a,note,s\n", 9);
    text_put(&want, "qi:a|sa:s\n", 10);
    for (int i = 0; i < ROWS; i++) {
        if (i % EVERY == 0) {
            text_add(&in, "r%d,\"some text\nand more\nof it\",s%d\n", i % 100, i);
        } else {
            text_add(&in, "r%d,\"some, text\",s%d\n", i % 100, i % 77);
            text_add(&want, "%d|r%d|s%d\n", i, i % 100, i % 77);
        }
    }
    lethe_table_read_options how = {.roles = {.qi = "a", .sa = "s"}};
    got g = read_bytes((lethe_str){in.at, in.n}, &how);
    assert_int_equal(g.err, LETHE_OK);
    assert_string_equal(g.rows.at, want.at);
    assert_int_equal(g.t->counts.read, ROWS);
    assert_int_equal(g.t->counts.rejected, (ROWS + EVERY - 1) / EVERY);
    assert_non_null(strstr(g.o.messages.at, "W memory:2:2 note: line feed in a field\n"));
    assert_non_null(strstr(g.o.messages.at, "W memory:17:2 note: line feed in a field\n"));
    end(&g);
    free(in.at);
    free(want.at);
}

static void a_row_may_have_a_mebibyte(void **state)
{
    (void)state;
    size_t mib = (size_t)1 << 20;
    char *fill = malloc(mib + 64);
    assert_non_null(fill);
    memset(fill, 'y', mib + 64);
    for (size_t over = 0; over < 2; over++) {
        text in = {0};
        text_put(&in, "a,b\n", 4);
        for (int i = 0; i < 20; i++)
            text_put(&in, "x,1\n", 4);
        text_put(&in, fill, mib - 2 + over);
        text_put(&in, ",1\nz,1\n\"", 8);
        text_put(&in, fill, 5);
        text_put(&in, "\",1\n", 4);
        got g =
            read_bytes((lethe_str){in.at, in.n}, &(lethe_table_read_options){.roles = {.qi = "a"}});
        assert_int_equal(g.err, LETHE_OK);
        assert_string_equal(g.o.messages.at, over ? "W memory:22:0 row over 1 MiB\n" : "");
        assert_int_equal(g.t->counts.rejected, over);
        assert_int_equal(g.t->n, 23 - over);
        assert_int_equal(g.t->origin[g.t->n - 1], 22);
        end(&g);
        free(in.at);
    }
    text in = {0};
    text_put(&in, fill, mib + 1);
    text_put(&in, ",a\n1,2\n", 7);
    got g = read_bytes((lethe_str){in.at, in.n}, &(lethe_table_read_options){.roles = {.qi = "a"}});
    assert_refused(&g, LETHE_EINPUT, "E memory:1:0 a header over 1 MiB\n");
    // one that goes over lines counts for all of them
    in.n = 0;
    text_put(&in, "a,b\n", 4);
    for (int i = 0; i < 20; i++)
        text_put(&in, "x,1\n", 4);
    text_put(&in, "\"\n\n", 3);
    text_put(&in, fill, mib);
    text_put(&in, "\",1\n", 4);
    g = read_bytes((lethe_str){in.at, in.n}, &(lethe_table_read_options){.roles = {.qi = "a"}});
    assert_refused(&g, LETHE_EINPUT,
                   "W memory:22:0 row over 1 MiB\n"
                   "E 3 of 23 rows rejected: not the table that is meant?\n");
    free(in.at);
    free(fill);
}

static void many_columns_fit(void **state)
{
    (void)state;
    enum { COLUMNS = 3000 };
    text in = {0};
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < COLUMNS; i++)
            text_add(&in, "%s%d%s", i ? "," : "", row == 0 ? i : row, i == COLUMNS - 1 ? "\n" : "");
    got g = read_bytes((lethe_str){in.at, in.n},
                       &(lethe_table_read_options){.roles = {.qi = "2999", .keep = "0,1500"}});
    assert_got(&g, "keep:0|keep:1500|qi:2999\n0|1|1|1\n1|2|2|2\n",
               "read 2 rejected 0 missing 0 invalid 0\n");
    free(in.at);
}

/* --- files --- */

static void write_file(char *path, const char *bytes, bool zip)
{
    strcpy(path, "/tmp/lethe-table-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    if (zip) {
        gzFile f = gzdopen(fd, "w");
        assert_true(gzputs(f, bytes) >= 0 && gzclose(f) == Z_OK);
        return;
    }
    assert_true(write(fd, bytes, strlen(bytes)) == (ssize_t)strlen(bytes));
    close(fd);
}

static got read_two(const char *first, const char *second, unsigned threads,
                    const lethe_table_read_options *how)
{
    char path[2][32];
    got g = {0};
    write_file(path[0], first, false);
    write_file(path[1], second, true);
    const char *paths[] = {path[0], path[1]};
    g.ctx = records_ctx(&g.o, threads, 0);
    g.err = lethe_table_read(g.ctx, paths, 2, how, &g.t);
    finish(&g);
    unlink(path[0]);
    unlink(path[1]);
    return g;
}

static void files_are_read_as_one(void **state)
{
    (void)state;
    lethe_table_read_options how = {.roles = {.qi = "a", .sa = "s"}};
    for (unsigned threads = 1; threads < 8; threads += threads == 1 ? 1 : 5) {
        got g = read_two("a,s\nx,1\ny,2",
                         "\xEF\xBB\xBF"
                         "a;\"s\"\r\nz;2\r\nx;3\r\n",
                         threads, &how);
        assert_string_equal(g.o.messages.at, "");
        assert_tree(g.t, 0, "*[x y z]");
        assert_got(&g, "qi:a|sa:s\n0|x|1\n1|y|2\n2|z|2\n3|x|3\n",
                   "read 4 rejected 0 missing 0 invalid 0\n");
    }
    got g = read_two("a,s\n", "a,s\nx,1\n", 1, &how); // a file may have no row, all of them may not
    assert_got(&g, "qi:a|sa:s\n0|x|1\n", "read 1 rejected 0 missing 0 invalid 0\n");
}

static void other_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *second, *said;
    } bad[] = {
        {"s,a\n1,x\n", ":1:1 another column than in the first file\n"},
        {"\na,t\nx,1\n", ":2:2 another column than in the first file\n"},
        {"a\nx\n", ":1:2 another number of columns than in the first file\n"},
        {"a,s,\nx,1,1\n", ":1:3 another number of columns than in the first file\n"},
        {"", "' is empty: it has no header\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        got g = read_two("a,s\nx,1\n", bad[i].second, 1,
                         &(lethe_table_read_options){.roles = {.qi = "a"}});
        assert_int_equal(g.err, LETHE_EINPUT);
        assert_non_null(strstr(g.o.messages.at, bad[i].said));
        end(&g);
    }
}

static void rejected_rows_are_named_by_file(void **state)
{
    (void)state;
    got g = read_two("a\nx\nx,x\n" TEN, "a\n" TEN "x,x\n", 1,
                     &(lethe_table_read_options){.roles = {.qi = "a"}});
    assert_int_equal(g.err, LETHE_OK);
    assert_non_null(strstr(g.o.messages.at, ":3:2 more fields than the header\n"));
    assert_non_null(strstr(g.o.messages.at, ":12:2 more fields than the header\n"));
    assert_int_equal(g.t->origin[20], 21);
    end(&g);
}

static void what_cannot_be_opened_is_a_system_failure(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_table *t = NULL;
    lethe_table_read_options how = {.roles = {.qi = "a"}};
    assert_int_equal(lethe_table_read(ctx, (const char *const[]){"/nonexistent/t"}, 1, &how, &t),
                     LETHE_EIO);
    assert_int_equal(lethe_table_read(ctx, (const char *const[]){"/tmp"}, 1, &how, &t), LETHE_EIO);
    assert_int_equal(lethe_table_read(ctx, (const char *const[]){"-", "-"}, 2, &how, &t),
                     LETHE_EUSAGE);
    assert_non_null(strstr(o.messages.at, "E standard input can be read only once\n"));
    assert_null(t);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_table_memory(ctx, IN("a\n1\n"), &how, &t), LETHE_ECANCEL);
    assert_null(t);
    lethe_table_free(NULL);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    static const uint64_t five = 5;
    const lethe_ranges ranges = {.n = 1, .width = &five};
    lethe_tree *t = tree_of("x;*\n");
    const lethe_tree *h[] = {t, NULL, NULL};
    const lethe_ranges *r[] = {NULL, &ranges, NULL};
    lethe_table_read_options how = {.roles = {.qi = "a,b,c", .sa = "s", .class = "d", .keep = "k"},
                                    .hierarchy = h,
                                    .ranges = r};
    lethe_str in =
        IN("a,b,c,d,k,s\nx,1,\xFF,1,\"q\"\"\",u\n?,,,,,\n*,7,*,1,1,u\nx,5,e,\xC3\xA9,1,1\n"
           "x,1,1,1,1,1\nx,1,1,1,1,1\nx,1,1,1,1,1\nx,1,1,1,1,1\nx,1,1,1,1,1\n"
           "y,1,1,1,1,1\n");
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_table *table = NULL;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_table_memory(ctx, in, &how, &table);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done && e != LETHE_ENOMEM) fail_msg("allocation %llu: %d", (unsigned long long)n, e);
        if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        assert_true(!done || n > 50);
        assert_true(done == (table != NULL));
        lethe_table_free(table);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_values),
        cmocka_unit_test(kept_columns_stand_as_in_the_header),
        cmocka_unit_test(one_column_and_one_row_are_a_table),
        cmocka_unit_test(the_header_tells_the_delimiter),
        cmocka_unit_test(replaced_bytes_are_counted_by_row),
        cmocka_unit_test(a_missing_value_is_a_value),
        cmocka_unit_test(rows_with_missing_values_can_be_dropped),
        cmocka_unit_test(a_dropped_row_leaves_no_value),
        cmocka_unit_test(a_hierarchy_may_have_the_missing_value),
        cmocka_unit_test(values_may_name_inner_nodes),
        cmocka_unit_test(a_tree_of_one_node_grows_for_the_missing_value),
        cmocka_unit_test(without_a_hierarchy_values_stand_below_one_root),
        cmocka_unit_test(ranges_make_a_hierarchy),
        cmocka_unit_test(ranges_of_values_need_numbers),
        cmocka_unit_test(a_hierarchy_comes_before_ranges),
        cmocka_unit_test(faults_are_named_by_line_column_and_name),
        cmocka_unit_test(three_of_a_kind_are_named_and_the_rest_counted),
        cmocka_unit_test(a_tenth_may_be_rejected_and_no_more),
        cmocka_unit_test(a_rejected_row_leaves_no_value),
        cmocka_unit_test(an_open_quote_counts_for_all_it_took),
        cmocka_unit_test(headers_must_name_the_columns),
        cmocka_unit_test(unknown_columns_get_a_suggestion),
        cmocka_unit_test(roles_must_fit_each_other),
        cmocka_unit_test(names_are_parted_by_commas),
        cmocka_unit_test(several_columns_may_be_sensitive),
        cmocka_unit_test(a_sensitive_column_may_have_a_hierarchy),
        cmocka_unit_test(blocks_make_no_difference),
        cmocka_unit_test(a_row_may_have_a_mebibyte),
        cmocka_unit_test(many_columns_fit),
        cmocka_unit_test(files_are_read_as_one),
        cmocka_unit_test(other_headers_are_refused),
        cmocka_unit_test(rejected_rows_are_named_by_file),
        cmocka_unit_test(what_cannot_be_opened_is_a_system_failure),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
