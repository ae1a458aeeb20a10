/* SPDX-License-Identifier: Apache-2.0 */
/* Do the groups of a published table hide who is who, and what each has?  The examples of the
 * thesis, claims, counterexamples, and files that cannot be trusted. */
#include "table_check_harness.h"

static const lethe_notion *const lplus = &lethe_notion_l_plus_diversity,
                                 *const kanon = &lethe_notion_k_anonymity,
                                 *const distinct = &lethe_notion_distinct_l;

#define QI "\"qi\":[\"edu\",\"land\"]"
#define THETA(t) "{\"notion\":\"l-plus-diversity\"," QI ",\"sa\":\"sick\",\"theta\":\"" t "\"}"
#define K(k) "{\"notion\":\"k-anonymity\"," QI ",\"k\":" #k "}"
#define L(l) "{\"notion\":\"distinct-l\"," QI ",\"sa\":\"sick\",\"l\":" #l "}"

/* Of Jr, Sr, Uni and Europe, America: Table 3.3(a). */
#define TAXONOMY                                                                                   \
    "edu=AnyEdu\t\t4\nedu=Sec\tedu=AnyEdu\t2\nedu=Jr\tedu=Sec\t1\nedu=Sr\tedu=Sec\t1\n"            \
    "edu=Uni\tedu=AnyEdu\t2\nland=Any\t\t4\nland=Am\tland=Any\t2\nland=Eu\tland=Any\t2\n"
#define CUT_A                                                                                      \
    "edu,land,sick\nJr,Eu,Asthma\nJr,Eu,Flu\nSr,Eu,Cancer\nSr,Eu,Flu\nUni,Am,Asthma\n"             \
    "Uni,Am,Asthma\nUni,Am,Cancer\nUni,Am,Cancer\nUni,Am,Flu\n"
/* And record 5, which is alone. */
#define CUT_A_WHOLE CUT_A "Uni,Eu,Asthma\n"

static const tc_files cut_a = {CUT_A, TAXONOMY, NULL};
static const tc_files whole = {CUT_A_WHOLE, TAXONOMY, NULL};

/* --- l-plus-diversity --- */

static void groups_of_example_3_4(void **state)
{
    (void)state;
    tc_holds(lplus, THETA("1/2"), cut_a);
    tc_holds(lplus, THETA("0.5"), cut_a);
    tc_broken(lplus, THETA("1/2"), whole,
              "{\"line\":11,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Asthma\",\"with\":1,\"of\":1,\"theta\":\"0.5\"}");
    // just below a half, the first row of the file is the first that tells too much
    tc_broken(lplus, THETA("0.499999999"), cut_a,
              "{\"line\":2,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Asthma\",\"with\":1,\"of\":2,\"theta\":\"0.499999999\"}");
}

/* Table 3.2, Example 3.1: thresholds of 30, 40 and 50 %, two of three starred. */
static void starred_values_count_in_the_denominator(void **state)
{
    (void)state;
    static const char tree[] = "edu=Grad\t\t1\nland=Am\t\t2\n";
    tc_files f = {"edu,land,sick\nGrad,Am,*\nGrad,Am,*\nGrad,Am,Asthma\n", tree, "Asthma\t0.4\n"};
    tc_holds(lplus, THETA("listed"), f);
    f.theta = "Asthma\t1/3\n";
    tc_holds(lplus, THETA("listed"), f); // exactly a third
    f.theta = "Asthma\t0.333333333\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"line\":4,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Asthma\",\"with\":1,\"of\":3,\"theta\":\"0.333333333\"}");
    // one star less
    f.data = "edu,land,sick\nGrad,Am,*\nGrad,Am,Asthma\n";
    f.theta = "Asthma\t0.4\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"line\":3,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Asthma\",\"with\":1,\"of\":2,\"theta\":\"0.4\"}");
    // the original: Cancer is two thirds
    f.data = "edu,land,sick\nGrad,Am,Asthma\nGrad,Am,Cancer\nGrad,Am,Cancer\n";
    f.theta = "Asthma\t0.4\nCancer\t0.3\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"line\":3,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Cancer\",\"with\":2,\"of\":3,\"theta\":\"0.3\"}");
}

static void thresholds_of_nothing_and_of_all(void **state)
{
    (void)state;
    static const char tree[] = "edu=Grad\t\t1\nland=Am\t\t2\n";
    tc_files stars = {"edu,land,sick\nGrad,Am,*\nGrad,Am,*\n", tree, NULL};
    tc_holds(lplus, THETA("0"), stars); // no value is told
    tc_holds(lplus, THETA("1"), whole); // any may be
    tc_broken(lplus, THETA("0"), whole,
              "{\"line\":2,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Asthma\",\"with\":1,\"of\":2,\"theta\":\"0\"}");
    // the star of another column is a value like any other there
    tc_files other = {"sick,edu,land,x\nflu,*,Am,*\n", "edu=*\t\t1\nland=Am\t\t2\n", NULL};
    tc_holds(lplus, THETA("1"), other);
    tc_broken(lplus, THETA("0.9"), other,
              "{\"line\":2,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"flu\",\"with\":1,\"of\":1,\"theta\":\"0.9\"}");
}

#define COUNTING(t)                                                                                \
    "{\"notion\":\"l-plus-diversity\"," QI ",\"sa\":\"sick\",\"theta\":\"" t                       \
    "\",\"counting\":\"fixed-cut\"}"

/* Stars are equally likely each of the values that are shown most often. */
static void stars_must_not_stand_out(void **state)
{
    (void)state;
    static const char tree[] = "edu=Grad\t\t1\nland=Am\t\t2\n",
                      both[] = "edu=Any\t\t2\nedu=Grad\tedu=Any\t1\nedu=Uni\tedu=Any\t1\n"
                               "land=Am\t\t2\n";
#define ROWS "edu,land,sick\nGrad,Am,*\nGrad,Am,*\nGrad,Am,Asthma\nGrad,Am,Flu\n"
    tc_files f = {ROWS, tree, NULL}; // each may be 1 + 2 / 2 of 4
    tc_holds(lplus, COUNTING("1/2"), f);
    tc_holds(lplus, THETA("0.4"), f);
    tc_broken(lplus, COUNTING("0.499"), f,
              "{\"line\":2,\"reason\":\"who counts the stars of a group learns too much\"}");
    // one value alone is shown most often: (2 + 1) of 4
    f.data = "edu,land,sick\nGrad,Am,*\nGrad,Am,Asthma\nGrad,Am,Asthma\nGrad,Am,Flu\n";
    tc_holds(lplus, THETA("1/2"), f);
    tc_broken(lplus, COUNTING("1/2"), f,
              "{\"line\":2,\"reason\":\"who counts the stars of a group learns too much\"}");
    tc_holds(lplus, COUNTING("3/4"), f);
    // where all is starred, any value of the table may be: two
    f = (tc_files){ROWS "Uni,Am,*\n", both, NULL};
    tc_holds(lplus, COUNTING("1/2"), f);
    f.data = "edu,land,sick\nGrad,Am,Asthma\nGrad,Am,Flu\nUni,Am,*\n";
    tc_holds(lplus, COUNTING("1/2"), f);
    f.data = "edu,land,sick\nGrad,Am,*\nGrad,Am,Flu\nGrad,Am,Flu\nUni,Am,*\n";
    tc_broken(lplus, COUNTING("0.99"), f,
              "{\"line\":2,\"reason\":\"who counts the stars of a group learns too much\"}");
    f.data = "edu,land,sick\nGrad,Am,*\nUni,Am,*\n"; // the release names no value
    tc_holds(lplus, COUNTING("1/2"), f);
    tc_holds(lplus, COUNTING("1/2"), cut_a); // and without stars nothing is hidden
    tc_refused(lplus, COUNTING("listed"), f, LETHE_EINPUT,
               "malformed claim: counting is for one theta for all values, in groups "
               "that do not overlap");
}

static void thresholds_are_listed(void **state)
{
    (void)state;
    tc_files f = {CUT_A, TAXONOMY, "Asthma\t1/2\nCancer\t1/2\nFlu\t1\n"};
    tc_holds(lplus, THETA("listed"), f);
    f.theta = "Asthma\t1/2\nCancer\t0.4\nFlu\t1\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"line\":4,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"Cancer\",\"with\":1,\"of\":2,\"theta\":\"0.4\"}");
    f.theta = "Asthma\t1\nFlu\t1\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"line\":4,\"reason\":\"theta.tsv has no threshold for the value\","
              "\"column\":\"sick\",\"value\":\"Cancer\"}");
    f.theta = "Asthma\t1\nCancer\t1\nFlu\t1\nGout\t1\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"reason\":\"theta.tsv lists a value that is not published\",\"value\":\"Gout\"}");
    f.theta = "Asthma\t1\nFlu\t1\nCancer\t1\n";
    assert_int_equal(tc_check(lplus, THETA("listed"), f, &(heard){0}).err, LETHE_EINPUT);
    f.theta = "Asthma\t1\nCancer\t1.5\nFlu\t1\n";
    assert_int_equal(tc_check(lplus, THETA("listed"), f, &(heard){0}).err, LETHE_EINPUT);
    f.theta = "";
    assert_int_equal(tc_check(lplus, THETA("listed"), f, &(heard){0}).err, LETHE_EINPUT);
    f.theta = NULL;
    assert_int_equal(tc_check(lplus, THETA("listed"), f, &(heard){0}).err, LETHE_EIO);
}

/* Where all is starred there is nothing to list. */
static void stars_have_no_threshold(void **state)
{
    (void)state;
    static const char tree[] = "edu=Grad\t\t1\nland=Am\t\t2\n";
    tc_files f = {"edu,land,sick\nGrad,Am,*\nGrad,Am,*\n", tree, NULL};
    tc_holds(lplus, THETA("listed"), f);
    f.theta = "";
    tc_holds(lplus, THETA("listed"), f);
    f.theta = "Gout\t1\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"reason\":\"theta.tsv lists a value that is not published\",\"value\":\"Gout\"}");
    f.theta = "*\t1\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"reason\":\"theta.tsv lists a value that is not published\",\"value\":\"*\"}");
    f.data = "edu,land,sick\nGrad,Am,*\nGrad,Am,Gout\n";
    f.theta = "*\t1\nGout\t1\n";
    tc_broken(lplus, THETA("listed"), f,
              "{\"reason\":\"theta.tsv lists a value that is not published\",\"value\":\"*\"}");
}

/* A column before the quasi-identifiers parts their groups in the file. */
static void groups_need_not_stand_together(void **state)
{
    (void)state;
    tc_files f = {"land,sick,x,edu\nAm,flu,1,Uni\nAm,gout,1,Jr\nAm,gout,2,Uni\nAm,pox,1,Jr\n"
                  "Eu,pox,1,Jr\nEu,rash,1,Jr\n",
                  "edu=Any\t\t4\nedu=Jr\tedu=Any\t1\nedu=Uni\tedu=Any\t2\nland=Any\t\t4\n"
                  "land=Am\tland=Any\t2\nland=Eu\tland=Any\t2\n",
                  NULL};
    tc_holds(lplus, THETA("1/2"), f);
    tc_holds(kanon, K(2), f);
    tc_holds(distinct, L(2), f);
    tc_broken(kanon, K(3), f,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":2,\"needed\":3}");
    // each column by itself is not enough
    f.data = "land,sick,x,edu\nAm,flu,1,Uni\nAm,gout,1,Jr\nEu,pox,1,Uni\nEu,rash,1,Jr\n";
    tc_broken(kanon, K(2), f,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":1,\"needed\":2}");
}

/* --- k-anonymity --- */

static void groups_have_k_rows(void **state)
{
    (void)state;
    tc_holds(kanon, K(1), whole);
    tc_holds(kanon, K(2), cut_a);
    tc_broken(kanon, K(2), whole,
              "{\"line\":11,\"reason\":\"the group has too few rows\",\"equal\":1,\"needed\":2}");
    tc_broken(kanon, K(3), cut_a,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":2,\"needed\":3}");
    tc_broken(kanon, K(9223372036854775807), cut_a,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":2,"
              "\"needed\":9223372036854775807}");
    // a table of quasi-identifiers alone
    tc_files f = {"a\nx\nx\ny\ny\ny\n", "a=z\t\t2\na=x\ta=z\t1\na=y\ta=z\t1\n", NULL};
    tc_holds(kanon, "{\"notion\":\"k-anonymity\",\"qi\":[\"a\"],\"k\":2}", f);
    tc_broken(kanon, "{\"notion\":\"k-anonymity\",\"qi\":[\"a\"],\"k\":3}", f,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":2,\"needed\":3}");
    tc_files one = {"a\nx\n", "a=x\t\t1\n", NULL};
    tc_holds(kanon, "{\"notion\":\"k-anonymity\",\"qi\":[\"a\"],\"k\":1}", one);
    tc_broken(kanon, "{\"notion\":\"k-anonymity\",\"qi\":[\"a\"],\"k\":2}", one,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":1,\"needed\":2}");
}

/* --- distinct-l --- */

static void groups_show_l_values_or_none(void **state)
{
    (void)state;
    tc_holds(distinct, L(1), whole);
    tc_holds(distinct, L(2), cut_a);
    tc_broken(distinct, L(3), cut_a,
              "{\"line\":2,\"reason\":\"the group shows too few sensitive values\",\"rows\":2,"
              "\"different\":2,\"needed\":3}");
    tc_broken(distinct, L(2), whole,
              "{\"line\":11,\"reason\":\"the group shows too few sensitive values\",\"rows\":1,"
              "\"different\":1,\"needed\":2}");
    static const char tree[] =
        "edu=Any\t\t2\nedu=Jr\tedu=Any\t1\nedu=Sr\tedu=Any\t1\nland=Am\t\t2\n";
    tc_files f = {"edu,land,sick\nJr,Am,*\nJr,Am,*\nSr,Am,flu\nSr,Am,gout\n", tree, NULL};
    tc_holds(distinct, L(2), f);
    tc_holds(distinct, L(2),
             (tc_files){"edu,land,sick\nJr,Am,*\nSr,Am,*\n", tree, NULL}); // nothing is shown
    f.data = "edu,land,sick\nJr,Am,*\nJr,Am,gout\nJr,Am,gout\nSr,Am,flu\nSr,Am,gout\n";
    tc_broken(distinct, L(2), f, // the star is no value
              "{\"line\":2,\"reason\":\"the group shows too few sensitive values\",\"rows\":3,"
              "\"different\":1,\"needed\":2}");
    f.data = "edu,land,sick\nJr,Am,?\nJr,Am,flu\nSr,Am,flu\nSr,Am,gout\n";
    tc_holds(distinct, L(2), f); // a missing one is
}

/* --- groups that are not what they seem --- */

static void values_must_not_overlap(void **state)
{
    (void)state;
    tc_files f = {"edu,land,sick\nJr,Eu,flu\nJr,Eu,gout\nSec,Eu,flu\nSec,Eu,gout\n",
                  "edu=AnyEdu\t\t4\nedu=Sec\tedu=AnyEdu\t2\nedu=Jr\tedu=Sec\t1\nland=Eu\t\t2\n",
                  NULL};
    static const char why[] =
        "{\"line\":2,\"reason\":\"the value is below another published value\","
        "\"column\":\"edu\",\"value\":\"Jr\",\"above\":\"Sec\"}";
    tc_broken(lplus, THETA("1"), f, why);
    tc_broken(kanon, K(1), f, why);
    tc_broken(distinct, L(1), f, why);
    // not only right above: the root, in the second column
    f.data = "edu,land,sick\nSec,Any,flu\nSec,UK,gout\n";
    f.taxonomy = "edu=Sec\t\t2\nland=Any\t\t4\nland=Eu\tland=Any\t2\nland=UK\tland=Eu\t1\n";
    tc_broken(kanon, K(1), f,
              "{\"line\":3,\"reason\":\"the value is below another published value\","
              "\"column\":\"land\",\"value\":\"UK\",\"above\":\"Any\"}");
    // beside each other at different heights they do not
    f.data = "edu,land,sick\nSec,Am,flu\nSec,UK,gout\n";
    f.taxonomy = "edu=Sec\t\t2\nland=Any\t\t4\nland=Eu\tland=Any\t2\nland=UK\tland=Eu\t1\n"
                 "land=Am\tland=Any\t2\n";
    tc_holds(kanon, K(1), f);
}

/* Each group keeps its promise, whatever stands above it. */
static void groups_may_overlap_where_the_claim_says_so(void **state)
{
    (void)state;
#define OVERLAP ",\"groups\":\"overlap\"}"
    static const char k2[] = "{" QI ",\"k\":2" OVERLAP, k3[] = "{" QI ",\"k\":3" OVERLAP,
                      theta[] = "{" QI ",\"sa\":\"sick\",\"theta\":\"1/2\"" OVERLAP,
                      l2[] = "{" QI ",\"sa\":\"sick\",\"l\":2" OVERLAP;
    tc_files f = {"edu,land,sick\nJr,Eu,flu\nJr,Eu,gout\nSec,Eu,flu\nSec,Eu,gout\n",
                  "edu=AnyEdu\t\t4\nedu=Sec\tedu=AnyEdu\t2\nedu=Jr\tedu=Sec\t1\nland=Eu\t\t2\n",
                  NULL};
    tc_holds(kanon, k2, f);
    tc_holds(lplus, theta, f);
    tc_holds(distinct, l2, f);
    // rows that fit a person of `Jr` are four, and yet a group has two
    tc_broken(kanon, k3, f,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":2,\"needed\":3}");
    // a row less, a value moved to another group, a value that is told too often
    f.data = "edu,land,sick\nJr,Eu,flu\nSec,Eu,flu\nSec,Eu,gout\n";
    tc_broken(kanon, k2, f,
              "{\"line\":2,\"reason\":\"the group has too few rows\",\"equal\":1,\"needed\":2}");
    f.data = "edu,land,sick\nJr,Eu,flu\nSec,Eu,flu\nSec,Eu,gout\nSec,Eu,gout\n";
    tc_broken(distinct, l2, f,
              "{\"line\":2,\"reason\":\"the group shows too few sensitive values\",\"rows\":1,"
              "\"different\":1,\"needed\":2}");
    f.data = "edu,land,sick\nJr,Eu,flu\nJr,Eu,flu\nSec,Eu,gout\nSec,Eu,gout\n";
    tc_broken(lplus, theta, f,
              "{\"line\":2,\"reason\":\"the value is too frequent in its group\","
              "\"value\":\"flu\",\"with\":2,\"of\":2,\"theta\":\"0.5\"}");
    // all else is demanded as before
    f.data = "edu,land,sick\nSec,Eu,flu\nSec,Eu,gout\n";
    tc_broken(kanon, k2, f,
              "{\"reason\":\"the taxonomy lists a node that is not published\",\"column\":\"edu\","
              "\"value\":\"Jr\"}");
    f.data = "edu,land,sick\nJr,Eu,flu\nJr,Eu,gout\nSr,Eu,flu\nSr,Eu,gout\n";
    tc_broken(kanon, k2, f,
              "{\"line\":4,\"reason\":\"the value is not in the taxonomy\",\"column\":\"edu\","
              "\"value\":\"Sr\"}");
    tc_refused(kanon, "{" QI ",\"k\":2,\"groups\":\"apart\"}", f, LETHE_EINPUT,
               "malformed claim: groups must be the text overlap");
    tc_refused(kanon, "{" QI ",\"k\":2,\"groups\":true}", f, LETHE_EINPUT,
               "malformed claim: groups must be the text overlap");
}

/* Ranges of values have numbers in common, where the claim allows it. */
static void ranges_of_values_overlap(void **state)
{
    (void)state;
    static const char data[] = "age\n17-30\n17-30\n25-90\n25-90\n30\n30\n",
                      tree[] = "age=17-90\t\t9\nage=17-30\tage=17-90\t5\n"
                               "age=25-90\tage=17-90\t6\nage=30\tage=17-90\t1\n",
                      k2[] = "{\"qi\":[\"age\"],\"k\":2}",
                      overlap[] = "{\"qi\":[\"age\"],\"k\":2" OVERLAP;
    tc_files f = {data, tree, NULL};
    tc_holds(kanon, overlap, f);
    tc_broken(kanon, k2, f, "{\"reason\":\"the ranges of a column overlap\",\"column\":\"age\"}");
    // a value that is no range, or outside the root: a hierarchy whose leaves cannot be
    static const char *const bad[] = {
        "age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=25-91\tage=17-90\t6\n"
        "age=30\tage=17-90\t1\n",
        "age=17-90\t\t9\nage=16-30\tage=17-90\t5\nage=25-90\tage=17-90\t6\n"
        "age=30\tage=17-90\t1\n",
        "age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=old\tage=17-90\t6\n"
        "age=30\tage=17-90\t1\n",
        "age=17-90\t\t9\nage=30-17\tage=17-90\t5\nage=25-90\tage=17-90\t6\n"
        "age=30\tage=17-90\t1\n",
        "age=17-90\t\t9\nage=017-30\tage=17-90\t5\nage=25-90\tage=17-90\t6\n"
        "age=30\tage=17-90\t1\n",
        "age=*\t\t9\nage=17-30\tage=*\t5\nage=25-90\tage=*\t6\nage=30\tage=*\t1\n",
        "age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=25-90\tage=17-90\t6\n"
        "age=30\tage=17-90\t2\n",
        "age=17-90\t\t9\nage=17-30\tage=17-90\t5\nage=25-90\tage=17-90\t10\n"
        "age=30\tage=17-90\t1\n",
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        f.taxonomy = bad[i];
        tc_refused(kanon, overlap, f, LETHE_EINPUT, "fewer leaves than its children have");
    }
}

static void values_must_be_in_the_taxonomy(void **state)
{
    (void)state;
    static const char tree[] =
        "edu=Any\t\t2\nedu=Jr\tedu=Any\t1\nedu=Sr\tedu=Any\t1\nland=Am\t\t2\n";
    tc_files f = {"edu,land,sick\nJr,Am,flu\nSr,Am,flu\nUni,Am,flu\n", tree, NULL};
    static const char why[] = "{\"line\":4,\"reason\":\"the value is not in the taxonomy\","
                              "\"column\":\"edu\",\"value\":\"Uni\"}";
    tc_broken(lplus, THETA("1"), f, why);
    tc_broken(kanon, K(1), f, why);
    tc_broken(distinct, L(1), f, why);
    // one of another column's
    f.data = "edu,land,sick\nJr,Am,flu\nSr,Jr,flu\n";
    tc_broken(kanon, K(1), f,
              "{\"line\":3,\"reason\":\"the value is not in the taxonomy\",\"column\":\"land\","
              "\"value\":\"Jr\"}");
    // the header for the second time
    f.data = "edu,land,sick\nJr,Am,flu\nSr,Am,flu\nedu,land,sick\n";
    tc_broken(kanon, K(1), f,
              "{\"line\":4,\"reason\":\"the value is not in the taxonomy\",\"column\":\"edu\","
              "\"value\":\"edu\"}");
    // empty
    f.data = "edu,land,sick\n,Am,flu\nJr,Am,flu\nSr,Am,flu\n";
    tc_broken(kanon, K(1), f,
              "{\"line\":2,\"reason\":\"the value is not in the taxonomy\",\"column\":\"edu\","
              "\"value\":\"\"}");
}

/* Rows were deleted, and the taxonomy still tells of them. */
static void the_taxonomy_lists_nothing_else(void **state)
{
    (void)state;
    tc_files f = {"edu,land,sick\nJr,Am,flu\n",
                  "edu=Any\t\t2\nedu=Jr\tedu=Any\t1\nedu=Sr\tedu=Any\t1\nland=Am\t\t2\n", NULL};
    static const char why[] = "{\"reason\":\"the taxonomy lists a node that is not published\","
                              "\"column\":\"edu\",\"value\":\"Sr\"}";
    tc_broken(lplus, THETA("1"), f, why);
    tc_broken(kanon, K(1), f, why);
    tc_broken(distinct, L(1), f, why);
    f.taxonomy = "edu=Jr\t\t1\nland=Am\t\t2\nland=Ohio\tland=Am\t1\n"; // below a published value
    tc_broken(kanon, K(1), f,
              "{\"reason\":\"the taxonomy lists a node that is not published\",\"column\":\"land\","
              "\"value\":\"Ohio\"}");
}

/* --- files --- */

static void malformed_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        tc_files f;
        lethe_err err;
        const char *says;
    } bad[] = {
        {{"edu,land,sick\nSr,Eu,flu\nJr,Eu,flu\n", TAXONOMY, NULL},
         LETHE_EINPUT,
         "a row out of order"},
        {{"edu,land,sick\nJr,Eu\n", TAXONOMY, NULL},
         LETHE_EINPUT,
         "fewer fields than the header has"},
        {{"edu,land,sick,edu\nJr,Eu,flu,Jr\n", TAXONOMY, NULL},
         LETHE_EINPUT,
         "two columns have the same name"},
        {{"edu,land,sick\n", TAXONOMY, NULL}, LETHE_EINPUT, "a header, and no row"},
        {{"", TAXONOMY, NULL}, LETHE_EINPUT, "the file is empty"},
        {{CUT_A, "", NULL}, LETHE_EINPUT, "the file is empty"},
        {{CUT_A, "edu=*\t\t4\n", NULL}, LETHE_EINPUT, "a column is missing"},
        {{CUT_A, "land=*\t\t4\nedu=*\t\t4\n", NULL}, LETHE_EINPUT, "not the column expected here"},
        {{NULL, TAXONOMY, NULL}, LETHE_EIO, "cannot open 'data.csv': no such file or directory"},
        {{CUT_A, NULL, NULL}, LETHE_EIO, "cannot open 'taxonomy.tsv': no such file or directory"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        tc_refused(lplus, THETA("1"), bad[i].f, bad[i].err, bad[i].says);
        tc_refused(kanon, K(1), bad[i].f, bad[i].err, bad[i].says);
        tc_refused(distinct, L(1), bad[i].f, bad[i].err, bad[i].says);
    }
}

/* What looks like another value, and is none, must not count as one. */
static void sensitive_values_have_no_spaces_at_their_ends(void **state)
{
    (void)state;
    static const char *const rows[] = {"Jr,Eu,flu\nJr,Eu,flu \n", "Jr,Eu, flu\nJr,Eu,flu\n",
                                       "Jr,Eu,\nJr,Eu,flu\n", "Jr,Eu, \nJr,Eu,flu\n"};
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        char data[80];
        snprintf(data, sizeof data, "edu,land,sick\n%s", rows[i]);
        const tc_files f = {data, TAXONOMY, NULL};
        static const char says[] =
            "'data.csv' has a sensitive value that is empty or has a space at an end";
        tc_refused(lplus, THETA("0.5"), f, LETHE_EINPUT, says);
        tc_refused(distinct, L(2), f, LETHE_EINPUT, says);
    }
}

/* --- claims --- */

#define NO_LIST                                                                                    \
    "malformed claim: qi must be a list of 1 to 64 different names of columns, without '=' and "   \
    "tabs"

static void malformed_claims_are_refused(void **state)
{
    (void)state;
    static const struct {
        const lethe_notion *notion;
        const char *claim, *says;
    } bad[] = {
        {&lethe_notion_k_anonymity, "[]", "malformed claim: not an object"},
        {&lethe_notion_k_anonymity, "{\"k\":2}", "malformed claim: qi is missing"},
        {&lethe_notion_k_anonymity, "{\"qi\":[],\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":\"edu\",\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":{\"edu\":\"edu\"},\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"edu\",1],\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"\"],\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"a=b\"],\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"a\\tb\"],\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"edu\",\"land\",\"edu\"],\"k\":2}", NO_LIST},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"edu\",\"lan\"],\"k\":2}",
         "malformed claim: 'data.csv' has no column 'lan'"},
        {&lethe_notion_k_anonymity, "{" QI "}", "malformed claim: k is missing"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":0}",
         "malformed claim: k must be a whole number of at least 1"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":-1}",
         "malformed claim: k must be a whole number of at least 1"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":2.0}",
         "malformed claim: k must be a whole number of at least 1"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":\"2\"}",
         "malformed claim: k must be a whole number of at least 1"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":99999999999999999999}",
         "malformed claim: k must be a whole number of at least 1"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":2,\"sa\":\"sick\"}",
         "malformed claim: k-anonymity has no parameter 'sa': it takes qi, k, groups"},
        {&lethe_notion_k_anonymity, "{" QI ",\"k\":2,\"l\":2}",
         "malformed claim: k-anonymity has no parameter 'l': it takes qi, k, groups"},
        {&lethe_notion_distinct_l, "{" QI ",\"l\":2}", "malformed claim: sa is missing"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"\",\"l\":2}",
         "malformed claim: sa must be the name of a column"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":[\"sick\"],\"l\":2}",
         "malformed claim: sa must be the name of a column"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"land\",\"l\":2}",
         "malformed claim: sa is one of qi"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"ill\",\"l\":2}",
         "malformed claim: 'data.csv' has no column 'ill'"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"sick\"}", "malformed claim: l is missing"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"sick\",\"l\":0}",
         "malformed claim: l must be a whole number of at least 1"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"sick\",\"l\":1.5}",
         "malformed claim: l must be a whole number of at least 1"},
        {&lethe_notion_distinct_l, "{" QI ",\"sa\":\"sick\",\"l\":2,\"k\":2}",
         "malformed claim: distinct-l has no parameter 'k': it takes qi, sa, l, groups"},
#define NO_THETA "malformed claim: theta must be a share from 0 to 1, or 'listed'"
#define NO_TEXT "malformed claim: theta must be a text"
        {&lethe_notion_l_plus_diversity, "{" QI ",\"sa\":\"sick\"}",
         "malformed claim: theta is missing"},
        {&lethe_notion_l_plus_diversity, "{" QI ",\"sa\":\"sick\",\"theta\":0.5}", NO_TEXT},
        {&lethe_notion_l_plus_diversity, "{" QI ",\"sa\":\"sick\",\"theta\":1}", NO_TEXT},
        {&lethe_notion_l_plus_diversity, THETA(""), NO_THETA},
        {&lethe_notion_l_plus_diversity, THETA("half"), NO_THETA},
        {&lethe_notion_l_plus_diversity, THETA("1.1"), NO_THETA},
        {&lethe_notion_l_plus_diversity, THETA("-0.1"), NO_THETA},
        {&lethe_notion_l_plus_diversity, THETA("2/1"), NO_THETA},
        {&lethe_notion_l_plus_diversity, THETA("1/0"), NO_THETA},
        {&lethe_notion_l_plus_diversity, THETA("Listed"), NO_THETA},
        {&lethe_notion_l_plus_diversity, "{\"sa\":\"sick\",\"theta\":\"1\"}",
         "malformed claim: qi is missing"},
        {&lethe_notion_l_plus_diversity, "{" QI ",\"theta\":\"1\"}",
         "malformed claim: sa is missing"},
        {&lethe_notion_l_plus_diversity, "{" QI ",\"sa\":\"sick\",\"theta\":\"1\",\"k\":2}",
         "malformed claim: l-plus-diversity has no parameter 'k': it takes qi, sa, theta, groups, "
         "counting"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        tc_refused(bad[i].notion, bad[i].claim, cut_a, LETHE_EINPUT, bad[i].says);
}

static void quasi_identifiers_have_a_greatest_number(void **state)
{
    (void)state;
    char claim[1024] = "{\"qi\":[", *to = claim + strlen(claim);
    for (int i = 0; i < 65; i++)
        to += sprintf(to, "%s\"%d\"", i ? "," : "", i);
    strcpy(to, "],\"k\":1}");
    tc_refused(kanon, claim, cut_a, LETHE_EINPUT, NO_LIST);
    char data[1024] = "", tree[1024] = "";
    to = claim + strlen("{\"qi\":[");
    for (int i = 0; i < 64; i++) {
        to += sprintf(to, "%s\"%d\"", i ? "," : "", i);
        sprintf(data + strlen(data), "%s%d", i ? "," : "", i);
        sprintf(tree + strlen(tree), "%d=x\t\t1\n", i);
    }
    strcpy(to, "],\"k\":2}");
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 64; i++)
            strcat(data, i ? ",x" : "\nx");
    strcat(data, "\n");
    tc_holds(kanon, claim, (tc_files){data, tree, NULL});
}

/* --- the rest --- */

static void the_notions_are_in_the_table(void **state)
{
    (void)state;
    static const char *const names[] = {"l-plus-diversity", "k-anonymity", "distinct-l"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        const lethe_notion *n = lethe_notion_find(lethe_str_of(names[i]));
        assert_non_null(n);
        assert_int_equal(n->shapes, LETHE_SHAPE_TABLE);
        assert_null(n->persons); // each row is a person
    }
}

static void lack_of_memory_decides_nothing(void **state)
{
    (void)state;
    tc_files f = {CUT_A, TAXONOMY, "Asthma\t1/2\nCancer\t1/2\nFlu\t1\n"};
    tc_lacks_memory(lplus, THETA("1/2"), cut_a, true);
    tc_lacks_memory(lplus, THETA("1/3"), cut_a, false);
    tc_lacks_memory(lplus, THETA("listed"), f, true);
    f.theta = "Asthma\t1/2\nFlu\t1\n";
    tc_lacks_memory(lplus, THETA("listed"), f, false);
    tc_lacks_memory(kanon, K(2), cut_a, true);
    tc_lacks_memory(kanon, K(3), cut_a, false);
    tc_lacks_memory(distinct, L(2), cut_a, true);
    tc_lacks_memory(distinct, L(3), cut_a, false);
    f.data = "edu,land,sick\nJr,Eu,flu\nSec,Eu,flu\n";
    tc_lacks_memory(kanon, K(1), f, false);
}

static void a_stop_is_heard(void **state)
{
    (void)state;
    char path[64];
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    int dirfd = o_folder(path);
    tc_write(dirfd, &cut_a);
    lethe_ctx_cancel(ctx);
    tc_verdict v = tc_check_in(ctx, dirfd, kanon, K(2));
    assert_int_equal(v.err, LETHE_ECANCEL);
    assert_false(v.holds);
    assert_string_equal(v.why, "");
    tc_unlink(dirfd);
    o_folder_gone(dirfd, path);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_example_3_4),
        cmocka_unit_test(starred_values_count_in_the_denominator),
        cmocka_unit_test(thresholds_of_nothing_and_of_all),
        cmocka_unit_test(stars_must_not_stand_out),
        cmocka_unit_test(thresholds_are_listed),
        cmocka_unit_test(stars_have_no_threshold),
        cmocka_unit_test(groups_need_not_stand_together),
        cmocka_unit_test(groups_have_k_rows),
        cmocka_unit_test(groups_show_l_values_or_none),
        cmocka_unit_test(values_must_not_overlap),
        cmocka_unit_test(groups_may_overlap_where_the_claim_says_so),
        cmocka_unit_test(ranges_of_values_overlap),
        cmocka_unit_test(values_must_be_in_the_taxonomy),
        cmocka_unit_test(the_taxonomy_lists_nothing_else),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(sensitive_values_have_no_spaces_at_their_ends),
        cmocka_unit_test(malformed_claims_are_refused),
        cmocka_unit_test(quasi_identifiers_have_a_greatest_number),
        cmocka_unit_test(the_notions_are_in_the_table),
        cmocka_unit_test(lack_of_memory_decides_nothing),
        cmocka_unit_test(a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
