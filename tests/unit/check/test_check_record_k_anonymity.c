/* SPDX-License-Identifier: Apache-2.0 */
/* Is every record one of k equal ones?  Claims, counterexamples, and files that cannot be trusted.
 */
#include "published_harness.h"
#include "check/check.h"
#include "check/persons.h"

typedef struct verdict {
    lethe_err err;
    bool holds;
    char why[256]; /* as JSON; empty: none */
} verdict;

/* A NULL file is not there. */
static verdict check_all(lethe_ctx *ctx, const char *claim_text, const char *data,
                         const char *taxonomy, const char *sensitive)
{
    char path[64];
    verdict v = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    int dirfd = o_folder(path);
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    if (data) o_write(dirfd, "data.txt", data, strlen(data));
    if (taxonomy) o_write(dirfd, "taxonomy.tsv", taxonomy, strlen(taxonomy));
    if (sensitive) o_write(dirfd, "sensitive.txt", sensitive, strlen(sensitive));
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
    v.err = lethe_notion_record_k_anonymity.check(&p, claim, doc, &v.holds, &why);
    if (why) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(v.why, sizeof v.why, "%s", text);
        lethe_json_text_free(text);
    }
    unlinkat(dirfd, "data.txt", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    unlinkat(dirfd, "sensitive.txt", 0);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    return v;
}

static verdict check_with(lethe_ctx *ctx, const char *claim, const char *data, const char *taxonomy)
{
    return check_all(ctx, claim, data, taxonomy, NULL);
}

static verdict check(const char *claim, const char *data, const char *taxonomy)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    verdict v = check_with(ctx, claim, data, taxonomy);
    lethe_ctx_free(ctx);
    return v;
}

#define CLAIM(k) "{\"notion\":\"record-k-anonymity\",\"k\":" #k "}"

static void holds(const char *claim, const char *data, const char *taxonomy)
{
    verdict v = check(claim, data, taxonomy);
    assert_int_equal(v.err, LETHE_OK);
    assert_string_equal(v.why, "");
    assert_true(v.holds);
}

static void broken(const char *claim, const char *data, const char *taxonomy, const char *why)
{
    verdict v = check(claim, data, taxonomy);
    assert_int_equal(v.err, LETHE_OK);
    assert_false(v.holds);
    assert_string_equal(v.why, why);
}

static void equal_records_are_counted(void **state)
{
    (void)state;
    holds(CLAIM(2), "a\na\nb c\nb c\nb c\n", NULL);
    holds(CLAIM(1), "a\nb\n", NULL);
    holds(CLAIM(2), "\n\n", NULL); // records with no item are records
    holds(CLAIM(3), "a\na\na\n", NULL);
    broken(CLAIM(4), "a\na\na\n", NULL, "{\"line\":1,\"equal\":3,\"needed\":4}");
    broken(CLAIM(2), "a\n", NULL, "{\"line\":1,\"equal\":1,\"needed\":2}");
    broken(CLAIM(2), "a\na\nb\n", NULL, "{\"line\":3,\"equal\":1,\"needed\":2}");
    broken(CLAIM(2), "a\nb\nb\n", NULL, "{\"line\":1,\"equal\":1,\"needed\":2}");
    broken(CLAIM(3), "\n\na\na\na\nb\nb\n", NULL, "{\"line\":1,\"equal\":2,\"needed\":3}");
    broken(CLAIM(9223372036854775807), "a\na\n", NULL,
           "{\"line\":1,\"equal\":2,\"needed\":9223372036854775807}");
}

/* Copies, prefixes and parts are not equality. */
static void likeness_is_not_identity(void **state)
{
    (void)state;
    broken(CLAIM(2), "a\na a\n", NULL, "{\"line\":1,\"equal\":1,\"needed\":2}");
    broken(CLAIM(2), "a b\na b\na b b\n", NULL, "{\"line\":3,\"equal\":1,\"needed\":2}");
    broken(CLAIM(2), "A\na\n", NULL, "{\"line\":1,\"equal\":1,\"needed\":2}");
    broken(CLAIM(2), "a_b\nab\n", NULL, "{\"line\":1,\"equal\":1,\"needed\":2}");
}

static void items_are_nodes_of_the_taxonomy(void **state)
{
    (void)state;
    static const char tree[] = "r\t\t5\na\tr\t1\nb\tr\t3\nx\tb\t1\n";
    holds(CLAIM(2), "a b x\na b x\n", tree);
    holds(CLAIM(2), "a r x\na r x\n", tree); // b is above x
    holds(CLAIM(2), "r\nr\n", "r\t\t5\n");
    holds(CLAIM(2), "\n\n", "r\t\t5\n");
    broken(CLAIM(2), "a x y\na x y\n", tree,
           "{\"line\":1,\"item\":\"y\",\"reason\":\"the item is not in the taxonomy\"}");
    broken(CLAIM(2), "a x\na x\nz\nz\n", tree,
           "{\"line\":3,\"item\":\"z\",\"reason\":\"the item is not in the taxonomy\"}");
    broken(CLAIM(2), "a\na\n", tree,
           "{\"name\":\"x\",\"reason\":\"the taxonomy lists a node that is not published\"}");
    broken(CLAIM(2), "a b\na b\n", tree,
           "{\"name\":\"x\",\"reason\":\"the taxonomy lists a node that is not published\"}");
}

/* A bag is read as it was written, or not at all. */
static void bags_are_of_nodes_of_the_taxonomy(void **state)
{
    (void)state;
    static const char tree[] = "r\t\t9\na\tr\t1\nb\tr\t3\nx\tb\t1\ny\tb\t1\n";
    holds(CLAIM(2), "a|x y\na|x y\n", tree);
    holds(CLAIM(2), "a x|y\na x|y\n", tree);
    holds(CLAIM(2), "a|x|y\na|x|y\n", tree); // all members count as published
    holds(CLAIM(2), "a|b x y\na|b x y\n", tree);
    holds(CLAIM(2), "a|x\na|x\na|y\na|y\n", tree);
    holds(CLAIM(2), "a|x\na|x\n", NULL); // without a taxonomy nothing is said of items
    static const struct {
        const char *record, *item;
    } forged[] = {
        {"a x x|a y", "x|a"},     // out of order
        {"a a|y|x x y", "a|y|x"}, // further on
        {"a a|a x y", "a|a"},     // a member twice
        {"a a|x|x x y", "a|x|x"}, // further on
        {"a a|w x y", "a|w"},     // an unknown member
        {"A|a a x y", "A|a"},     // first
        {"a a|w|x x y", "a|w|x"}, // between others
        {"a a|z x y", "a|z"},     // b has three leaves: z may be one that is not listed
        {"a a||x x y", "a||x"},   // an empty member
        {"a x y |a", "|a"},       // first: `|` comes after letters
        {"a a| x y", "a|"},       // last
        {"a x y |", "|"},         // nothing but the joint
        {"a a|b|r|x|y|zz x y", "a|b|r|x|y|zz"},
    };
    for (size_t i = 0; i < LETHE_COUNT(forged); i++) {
        char data[128], why[128];
        snprintf(data, sizeof data, "%s\n%s\n", forged[i].record, forged[i].record);
        snprintf(why, sizeof why,
                 "{\"line\":1,\"item\":\"%s\",\"reason\":\"the item is not in the taxonomy\"}",
                 forged[i].item);
        broken(CLAIM(2), data, tree, why);
    }
    // what is in no bag and no item is not published
    broken(CLAIM(2), "a|x\na|x\n", tree,
           "{\"name\":\"y\",\"reason\":\"the taxonomy lists a node that is not published\"}");
    broken(CLAIM(2), "a|x y\na|y x\n", tree, "{\"line\":1,\"equal\":1,\"needed\":2}");
    // a member of a bag that is not taken shows nothing: y is not published by it
    broken(CLAIM(2), "a x y|x\na x y|x\n", tree,
           "{\"line\":1,\"item\":\"y|x\",\"reason\":\"the item is not in the taxonomy\"}");
}

static void sensitive_items_are_listed(void **state)
{
    (void)state;
    static const char tree[] = "food\t\t2\nmilk\tfood\t1\n";
    static const struct {
        const char *data, *sensitive;
        lethe_err e;
        const char *why;
    } cases[] = {
        {"hiv milk\nhiv milk\n", "hiv\n", LETHE_OK, ""},
        {"hiv milk\nhiv milk\n", "flu\n", LETHE_OK, "not in the taxonomy"},
        {"hiv milk\nmilk\n", "hiv\n", LETHE_OK, "\"equal\":1"}, // marks tell records apart
        {"milk\nmilk\n", "milk\n", LETHE_OK, "sensitive, and in the taxonomy"},
        {"hiv milk\nhiv milk\n", "hiv", LETHE_EINPUT, ""},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_ctx *ctx = heard_ctx(&h, 1);
        verdict v = check_all(ctx, CLAIM(2), cases[i].data, tree, cases[i].sensitive);
        assert_int_equal(v.err, cases[i].e);
        if (!strstr(v.why, cases[i].why)) fail_msg("case %zu: %s", i, v.why);
        assert_int_equal(v.holds, v.err == LETHE_OK && !cases[i].why[0]);
        lethe_ctx_free(ctx);
    }
}

static void malformed_claims_are_bad_input(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"notion\":\"record-k-anonymity\"}",
        CLAIM(0),
        CLAIM(-2),
        CLAIM(2.5),
        CLAIM(null),
        CLAIM("2"),
        "{\"notion\":\"record-k-anonymity\",\"k\":2,\"l\":3}",
        "{\"notion\":\"record-k-anonymity\",\"k\":2,\"persons\":\"person\"}",
        "{\"notion\":\"record-k-anonymity\",\"k\":2,\"persons\":true}",
        "[2]",
        "{}",
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        verdict v = check(bad[i], "a\na\n", NULL);
        assert_int_equal(v.err, LETHE_EINPUT);
        assert_false(v.holds);
    }
    holds("{\"notion\":\"record-k-anonymity\",\"k\":2,\"persons\":\"record\"}", "a\na\n", NULL);
}

static void what_cannot_be_read_is_not_kept(void **state)
{
    (void)state;
    static const struct {
        const char *data, *taxonomy;
        lethe_err err;
    } bad[] = {
        {NULL, NULL, LETHE_EIO},
        {"", NULL, LETHE_EINPUT},
        {"a\na", NULL, LETHE_EINPUT},
        {"a\r\na\r\n", NULL, LETHE_EINPUT},
        {"1\ta\n1\ta\n", NULL, LETHE_EINPUT}, // an ID
        {"b\nb\na\na\n", NULL, LETHE_EINPUT}, // the order of the input would show
        {"b a\nb a\n", NULL, LETHE_EINPUT},
        {"a \na \n", NULL, LETHE_EINPUT},
        {"\xff\n\xff\n", NULL, LETHE_EINPUT},
        {"a\na\n", "", LETHE_EINPUT},
        {"a\na\n", "a\tr\n", LETHE_EINPUT},
        {"a\na\n", "r\t\t1\na\tr\t2\n", LETHE_EINPUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        verdict v = check(CLAIM(2), bad[i].data, bad[i].taxonomy);
        assert_int_equal(v.err, bad[i].err);
        assert_false(v.holds);
    }
}

static void every_group_needs_k_persons(void **state)
{
    (void)state;
    static const struct {
        const char *claim;
        uint64_t want;
    } cases[] = {
        {CLAIM(5), 5},
        {"{\"notion\":\"record-k-anonymity\",\"k\":5,\"persons\":\"record\"}", 0},
        {"{\"notion\":\"record-k-anonymity\",\"k\":0}", UINT64_MAX},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_json_doc *doc = NULL;
        lethe_json *claim = NULL;
        assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(cases[i].claim), &doc, &claim),
                         LETHE_OK);
        uint64_t (*persons)(const lethe_json *, lethe_str) =
            lethe_notion_record_k_anonymity.persons;
        assert_true(persons(claim, LETHE_LIT("0")) == cases[i].want);
        assert_true(persons(claim, LETHE_LIT("")) == cases[i].want);
        lethe_json_doc_free(doc);
    }
}

/* Two records of one person do not make two persons. */
static void persons_behind_groups_are_counted(void **state)
{
    (void)state;
    for (int enough = 0; enough < 2; enough++) {
        lethe_ctx *ctx = o_ctx(2, 0);
        lethe_persons *p = NULL;
        lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
        lethe_json *claim = NULL, *why = NULL;
        bool kept = false;
        assert_int_equal(lethe_json_parse(NULL, "c", LETHE_LIT(CLAIM(2)), &claim_doc, &claim),
                         LETHE_OK);
        assert_int_equal(lethe_persons_new(ctx, 1 << 20, &p), LETHE_OK);
        assert_int_equal(lethe_persons_put(p, 0, LETHE_LIT("0"), LETHE_LIT("ann")), LETHE_OK);
        assert_int_equal(lethe_persons_put(p, 0, LETHE_LIT("0"), LETHE_LIT("bob")), LETHE_OK);
        assert_int_equal(lethe_persons_put(p, 0, LETHE_LIT("1"), LETHE_LIT("ann")), LETHE_OK);
        assert_int_equal(
            lethe_persons_put(p, 0, LETHE_LIT("1"), lethe_str_of(enough ? "cid" : "ann")),
            LETHE_OK);
        assert_int_equal(
            lethe_persons_check(p, &lethe_notion_record_k_anonymity, claim, doc, &kept, &why),
            LETHE_OK);
        assert_int_equal(kept, enough);
        lethe_persons_free(p);
        lethe_json_doc_free(claim_doc);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
}

static void lack_of_memory_decides_nothing(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    char path[64];
    int dirfd = o_folder(path);
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = NULL;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    o_write(dirfd, "data.txt", "a|b\na|b\nb\n", 10);
    o_write(dirfd, "taxonomy.tsv", "r\t\t2\na\tr\t1\nb\tr\t1\n", 18 - 1);
    assert_int_equal(lethe_json_parse(NULL, "c", LETHE_LIT(CLAIM(2)), &claim_doc, &claim),
                     LETHE_OK);
    while (e == LETHE_ENOMEM) {
        bool kept = false;
        lethe_json *why = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
        lethe_alloc_fail_at(++n);
        e = lethe_notion_record_k_anonymity.check(&p, claim, doc, &kept, &why);
        lethe_alloc_fail_at(0);
        assert_false(kept);
        assert_true((e == LETHE_OK) == (why != NULL));
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 5);
    unlinkat(dirfd, "data.txt", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(claim_doc);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_records_are_counted),
        cmocka_unit_test(likeness_is_not_identity),
        cmocka_unit_test(items_are_nodes_of_the_taxonomy),
        cmocka_unit_test(bags_are_of_nodes_of_the_taxonomy),
        cmocka_unit_test(sensitive_items_are_listed),
        cmocka_unit_test(malformed_claims_are_bad_input),
        cmocka_unit_test(what_cannot_be_read_is_not_kept),
        cmocka_unit_test(every_group_needs_k_persons),
        cmocka_unit_test(persons_behind_groups_are_counted),
        cmocka_unit_test(lack_of_memory_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
