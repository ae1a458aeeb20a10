/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that tell something of all their members. */
/* suite: threads */
#include "log_attack_harness.h"
#include "table_harness.h"

static const lethe_compare_fn *fn = &lethe_adversary_homogeneity.run;

/* Two groups of two: one shows an item of both, the other a general term. */
static const against groups = {
    .tree = "fruit\tfood\napple\tfruit\npear\tfruit\nmilk\tfood\n",
    .original = "ann\tapple milk\nbob\tapple pear\ncat\tpear\ndan\tapple\n",
    .published = "apple\napple\nfruit\nfruit\n",
    .map = "ann\t1\nbob\t2\ncat\t3\ndan\t4\n",
    .manifest = "{\"claims\":[{\"notion\":\"record-k-anonymity\",\"k\":2}]}"};

/* apple is right of ann and bob; of the others the release as a whole tells more: apple in half of
 * it, a fruit one of two in half of it.  So apple is named of all, and is wrong of cat. */
static void records(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    for (unsigned threads = 1; threads <= 4; threads++) {
        char *text =
            against_text(&groups, *fn, lethe_adversary_homogeneity.options, threads, &h, &e);
        assert_non_null(strstr(text, "\"success\":0.75,\"before\":1.0,\"baseline\":0.75,"
                                     "\"certain\":0.5,\"certain_before\":1.0,\"misled\":0.0,"
                                     "\"prior\":0.6875,"));
        assert_non_null(strstr(text, "\"knows\":\"group\""));
        lethe_json_text_free(text);
    }
}

/* Without a map the adversary knows items: all of each person's here, so nothing more. */
static void without_a_map_items_are_known(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    against a = groups;
    a.map = NULL;
    char *text = against_text(&a, *fn, lethe_adversary_homogeneity.options, 1, &h, &e);
    assert_non_null(strstr(text, "\"knows\":\"items\""));
    assert_non_null(strstr(text, "\"certain\":0.0"));
    lethe_json_text_free(text);
}

/* All members issued the first text. */
static const la_case list = {.adversary = &lethe_adversary_homogeneity,
                             .original = "ann\tflu\t2006-03-01 10:00:00\t\t\n"
                                         "ann\tcats\t2006-03-01 10:00:00\t\t\n"
                                         "bob\tflu\t2006-03-01 10:00:00\t\t\n",
                             .published = "u1\tcats\t\t\t\nu1\tflu\t\t\t\n"
                                          "u2\tcats\t\t\t\nu2\tflu\t\t\t\n",
                             .map = "ann\tu1\nbob\tu2\n",
                             .options = {NULL}};

static void lists(void **state)
{
    (void)state;
    char *text = la_text(&list, 2);
    assert_non_null(strstr(text, "\"success\":0.75,\"before\":1.0,\"baseline\":0.75,"
                                 "\"certain\":1.0,"));
    lethe_json_text_free(text);
    la_out_of_memory(&list);
}

/* The table of the thesis, by its cut a: two groups of two with two values, a star, and five rows
 * of which two are of the commonest. */
static void tables(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    beside b = {.original = T_ROWS,
                .roles = {.qi = "edu,country", .sa = "disease"},
                .tree = {T_EDU, T_COUNTRY},
                .taxonomy = T_TAXONOMY_A,
                .published = "edu,country,disease\nJr,Eu,Asthma\nJr,Eu,Flu\nSr,Eu,Cancer\n"
                             "Sr,Eu,Flu\nUni,Am,Asthma\nUni,Am,Asthma\nUni,Am,Cancer\n"
                             "Uni,Am,Cancer\nUni,Am,Flu\nUni,Eu,*\n"};
    char *text = t_text(&b, *fn, lethe_adversary_homogeneity.options, &h, &e);
    assert_non_null(strstr(text, "{\"success\":0.4,\"before\":1.0,\"baseline\":0.3,\"certain\":0.0,"
                                 "\"certain_before\":1.0,\"lift\":1.3333333333333335,"
                                 "\"persons\":10,\"knows\":\"group\",\"guessed\":\"disease\","));
    lethe_json_text_free(text);
    t_out_of_memory(&b, *fn, lethe_adversary_homogeneity.options);
    b.option = "guess";
    b.value = "edu";
    assert_null(t_text(&b, *fn, lethe_adversary_homogeneity.options, &h, &e));
    assert_int_equal(e, LETHE_EUSAGE);
}

/* Every allocation fails in turn, of records that are not in groups. */
static void no_memory_for_records(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    against a = groups;
    a.manifest = NULL;
    bound b = bind_text(ctx, a.tree, a.original);
    for (uint64_t n = 1;; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        h.n = 0;
        lethe_alloc_fail_at(n);
        lethe_err e =
            against_bound(ctx, &a, &b, *fn, lethe_adversary_homogeneity.options, doc, out);
        lethe_alloc_fail_at(0);
        lethe_json_doc_free(doc);
        if (e == LETHE_OK) break;
        assert_int_equal(e, LETHE_ENOMEM);
        assert_int_equal(h.n, 1);
        assert_true(n < 10000);
    }
    bound_free(&b);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),
        cmocka_unit_test(without_a_map_items_are_known),
        cmocka_unit_test(lists),
        cmocka_unit_test(tables),
        cmocka_unit_test(no_memory_for_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
