/* SPDX-License-Identifier: Apache-2.0 */
/* The method partition, edge by edge. */
/* suite: threads */
#include "partition_harness.h"

/* 0 with children 1 (leaves 2, 3) and 4 (leaves 5, 6). */
static lethe_tree *small_tree(void)
{
    const uint32_t parent[] = {LETHE_NONE, 0, 1, 1, 0, 4, 4};
    return tree_of(parent, LETHE_COUNT(parent));
}

/* "0:2,3 1:5": records with their owners; "1:" is an empty one. */
static bags records_of(const char *text)
{
    bags b = {0};
    if (!*text) bags_none(&b);
    for (const char *p = text; *p;) {
        char *end;
        bags_begin(&b, (uint32_t)strtoul(p, &end, 10));
        for (p = end; *p == ':' || *p == ',';) {
            end = (char *)p + 1;
            if (*end >= '0' && *end <= '9') bags_item(&b, (uint32_t)strtoul(p + 1, &end, 10));
            p = end;
        }
        p += *p == ' ';
    }
    return b;
}

/* "GROUP:NODE,NODE ..", "-" for what is not published. */
static void text_of(const part_run *h, char *out, size_t cap)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < h->r->n && n < cap; i++) {
        if (i > 0) n += (size_t)snprintf(out + n, cap - n, " ");
        if (h->group[i] == LETHE_NONE) {
            n += (size_t)snprintf(out + n, cap - n, "-");
            continue;
        }
        n += (size_t)snprintf(out + n, cap - n, "%u:", h->group[i]);
        for (size_t k = 0; k < h->n_nodes[i] && n < cap; k++)
            n += (size_t)snprintf(out + n, cap - n, "%s%u", k ? "," : "", h->node[i][k]);
    }
}

typedef struct example {
    const char *what, *records;
    part_setting how;
    const char *want; /* NULL: refused */
} example;

static const example examples[] = {
    {"nothing", "", {0}, NULL},
    {"one record", "0:2", {0}, NULL},
    {"two records of one person", "0:2 0:2", {0}, NULL},
    {"two records, records count", "0:2 0:2", {.persons = "record"}, "0:2 0:2"},
    {"only empty ones", "0: 1: 2:", {0}, NULL},
    {"too few have items", "0:2 1: 2:", {0}, NULL},
    {"k is all there are", "0:2 1:5 2:3", {.k = "3"}, "0:0 0:0 0:0"},
    {"k is more", "0:2 1:5 2:3", {.k = "4"}, NULL},
    {"k over half: one group", "0:2 1:2 2:2 3:5 4:5", {.k = "3"}, "0:0 0:0 0:0 0:0 0:0"},
    {"all the same", "0:2,5 1:5,2 2:2,5", {0}, "0:2,5 0:2,5 0:2,5"},
    {"copies", "0:2,2,5 1:5,2,2 2:2,2,2,5", {.bag = true}, "0:2,2,5 0:2,2,5 0:2,2,5"},
    {"no copies", "0:2,2,5 1:5,2,2 2:2,2,2,5", {0}, "0:2,5 0:2,5 0:2,5"},
    {"two groups", "0:2 1:5 2:2 3:5", {0}, "0:2 1:5 0:2 1:5"},
    {"an empty one is left out", "0:2 1: 2:2", {0}, "0:2 - 0:2"},
    {"enough empty ones", "0:2 1: 2: 3:2", {0}, "0:2 1: 1: 0:2"},
    {"empty ones come first", "1: 0:2 2: 3:2", {0}, "0: 1:2 0: 1:2"},
    {"two empty ones of one person", "0:2 1: 1: 3:2", {0}, "0:2 - - 0:2"},
    {"these count as records", "0:2 1: 1: 3:2", {.persons = "record"}, "0:2 1: 1: 0:2"},
    // three records below 1 are of one person: no group, and with 4's they are the leftover
    {"a person is not many", "0:2 0:2 0:2 1:5 2:5 3:5", {0}, "0:0 0:0 0:0 0:0 1:5 1:5"},
    {"unless records count",
     "0:2 0:2 0:2 1:5 2:5 3:5",
     {.persons = "record"},
     "0:2 0:2 0:2 1:5 1:5 1:5"},
    // 1's first record is lent for the leftover of 0: 1 has another in its group, so that two
    // persons would lend and stay
    {"who has two can lend one", "0:2 1:5 1:5 2:5", {0}, "0:0 0:0 1:5 1:5"},
    // the leftover is 1's own: 1 brings no new person
    {"a person is not lent to itself", "1:2 1:5 2:5 3:5", {0}, "0:0 1:5 0:0 1:5"},
    // both of 2's group are needed, and 1 brings nobody: the group is folded, and none is left
    {"nobody can be lent", "1:2 1:5 2:5", {0}, "0:0 0:0 0:0"},
};

static void examples_are_met(void **state)
{
    lethe_tree *t = small_tree();
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(examples); i++) {
        const example *x = &examples[i];
        const char *const picks[] = {"gain", "mass"};
        for (size_t p = 0; p < LETHE_COUNT(picks); p++) {
            char got[256];
            bags b = records_of(x->records);
            part_run h = {0};
            part_setting how = x->how;
            how.pick = picks[p];
            lethe_err err = part_do(&h, t, &b.r, &how);
            text_of(&h, got, sizeof got);
            if (err != (x->want ? LETHE_OK : LETHE_ANSWER_NO))
                fail_msg("%s: %s", x->what, lethe_err_name(err));
            if (x->want && strcmp(got, x->want) != 0)
                fail_msg("%s: '%s', not '%s'", x->what, got, x->want);
            if (!x->want) assert_int_equal(h.n_published, 0);
            part_end(&h);
            bags_free(&b);
        }
    }
    lethe_tree_free(t);
}

static void says_why_it_refuses(void **state)
{
    lethe_tree *t = small_tree();
    bags b = records_of("0:2 0:3 1: 2:5");
    part_run h = {0};
    (void)state;
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){.k = "3"}), LETHE_ANSWER_NO);
    assert_string_equal(h.message, "only 2 persons have a record with an item, and k is 3");
    part_end(&h);
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){.k = "4", .persons = "record"}),
                     LETHE_ANSWER_NO);
    assert_string_equal(h.message, "only 3 records have an item, and k is 4");
    part_end(&h);
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){0}), LETHE_OK);
    assert_string_equal(h.message,
                        "records without items are left out (1): fewer than 2 persons have one");
    part_end(&h);
    bags_free(&b);
    lethe_tree_free(t);
}

/* --- options, claims, figures --- */

static void options_are_checked(void **state)
{
    static const struct {
        const char *name, *text;
        lethe_err want;
    } tries[] = {
        {"k", "0", LETHE_EUSAGE},        {"k", "1", LETHE_EUSAGE},
        {"k", "-3", LETHE_EUSAGE},       {"k", "2", LETHE_OK},
        {"k", "1e3", LETHE_EUSAGE},      {"k", "99999999999", LETHE_EUSAGE},
        {"pick", "gain", LETHE_OK},      {"pick", "mass", LETHE_OK},
        {"pick", "best", LETHE_EUSAGE},  {"persons", "record", LETHE_OK},
        {"persons", "me", LETHE_EUSAGE},
    };
    lethe_value at[32];
    lethe_values v;
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(tries); i++) {
        lethe_values_init(&v, lethe_method_partition.options, at);
        if (part_set(&v, tries[i].name, tries[i].text) != tries[i].want)
            fail_msg("--%s %s", tries[i].name, tries[i].text);
    }
    lethe_values_init(&v, lethe_method_partition.options, at);
    assert_int_equal(lethe_values_check(&v, "partition", NULL), LETHE_EUSAGE); // -k is required
}

static void claims_follow_from_options(void **state)
{
    lethe_tree *t = small_tree();
    bags b = records_of("0:2 1:2 2:2");
    (void)state;
    for (int i = 0; i < 2; i++) {
        part_run h = {0};
        part_setting how = {.k = "3", .persons = i ? "record" : "person"};
        assert_int_equal(part_do(&h, t, &b.r, &how), LETHE_OK);
        assert_int_equal(lethe_json_count(h.claims), 1);
        const lethe_json *c = lethe_json_at(h.claims, 0);
        assert_true(lethe_str_eq(lethe_json_text(lethe_json_get(c, "notion")),
                                 lethe_str_of(lethe_method_partition.notion)));
        assert_int_equal(lethe_json_int(lethe_json_get(c, "k")), 3);
        assert_int_equal(lethe_json_count(c), 2 + i);
        if (i)
            assert_true(
                lethe_str_eq(lethe_json_text(lethe_json_get(c, "persons")), LETHE_LIT("record")));
        part_end(&h);
    }
    bags_free(&b);
    lethe_tree_free(t);
}

/* Every figure of the table is set, and no other. */
static void figures_are_those_of_the_table(void **state)
{
    lethe_tree *t = small_tree();
    bags b = records_of("0:2,3 1:2,3 2:5");
    part_run h = {0};
    size_t n = 0;
    (void)state;
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){0}), LETHE_OK);
    for (const lethe_figure *f = lethe_method_partition.figures; f->name; f++, n++)
        assert_non_null(lethe_json_get(h.metrics, f->name));
    assert_int_equal(lethe_json_count(h.metrics), n);
    // 1 and 2 of two records each, and no lender: one group, published as the root
    part_expect(&h, "ggd", 3 * 1 + 2);
    part_expect(&h, "blm", (3 * 2.0 / 3 + 2) / 5);
    part_expect(&h, "gheight", 2);
    part_end(&h);
    bags_free(&b);
    lethe_tree_free(t);
}

/* --- shapes of trees and records --- */

static void a_tree_of_one_leaf(void **state)
{
    const uint32_t parent[] = {LETHE_NONE};
    lethe_tree *t = tree_of(parent, 1);
    bags b = records_of("0:0,0 1:0,0,0 2:0,0");
    (void)state;
    for (int bag = 0; bag < 2; bag++) {
        char got[64];
        part_run h = {0};
        assert_int_equal(part_do(&h, t, &b.r, &(part_setting){.bag = bag}), LETHE_OK);
        text_of(&h, got, sizeof got);
        assert_string_equal(got, bag ? "0:0,0 0:0,0 0:0,0" : "0:0 0:0 0:0");
        part_expect(&h, "ggd", bag ? 1 : 4); // what is suppressed: nothing else is lost
        part_expect(&h, "blm", bag ? 1 / 7.0 : 4 / 7.0);
        part_expect(&h, "gheight", 0);
        part_end(&h);
    }
    bags_free(&b);
    lethe_tree_free(t);
}

enum { DEPTH = 100000 };

/* A chain: every node but the last has one child.  All is gone down, nothing recurses. */
static void a_chain_of_a_hundred_thousand(void **state)
{
    uint32_t *parent = malloc(DEPTH * sizeof *parent);
    bags b = {0};
    (void)state;
    assert_non_null(parent);
    for (uint32_t i = 0; i < DEPTH; i++)
        parent[i] = i ? i - 1 : LETHE_NONE;
    lethe_tree *t = tree_of(parent, DEPTH);
    for (uint32_t i = 0; i < 50; i++) {
        bags_begin(&b, i);
        bags_item(&b, DEPTH - 1);
    }
    for (int mass = 0; mass < 2; mass++) {
        part_run h = {0};
        part_setting how = {.pick = mass ? "mass" : "gain"};
        assert_int_equal(part_do(&h, t, &b.r, &how), LETHE_OK);
        assert_int_equal(h.n_nodes[49], 1);
        assert_int_equal(h.node[49][0], DEPTH - 1);
        part_end(&h);
    }
    bags_free(&b);
    lethe_tree_free(t);
    free(parent);
}

/* A chain with a leaf at each node: odd nodes go on, even ones are leaves.  Records that have all
 * the leaves are parted nowhere; records that end at another depth each are the deepest recursion.
 */
static void a_caterpillar(void **state)
{
    enum { LINKS = 4000, SHORT = 300 };
    static uint32_t parent[2 * LINKS + 1];
    bags b = {0}, c = {0};
    part_run h = {0};
    (void)state;
    for (uint32_t i = 0; i <= 2 * LINKS; i++)
        parent[i] = i == 0 ? LETHE_NONE : i == 1 ? 0 : i % 2 ? i - 2 : i - 1;
    lethe_tree *t = tree_of(parent, 2 * LINKS + 1);
    for (uint32_t i = 0; i < 4; i++) {
        bags_begin(&b, i);
        for (uint32_t v = 0; v < t->n; v++) {
            if (lethe_tree_is_leaf(t, v)) bags_item(&b, v);
        }
    }
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){0}), LETHE_OK);
    assert_int_equal(h.n_nodes[0], lethe_record_size(&b.r, 0)); // every leaf is published
    part_end(&h);
    for (uint32_t i = 0; i < 2 * SHORT; i++) {
        uint32_t v = t->n; // the leaf that hangs i / 2 links down
        for (uint32_t n = 0, x = 0; x < t->n && v == t->n; x++) {
            if (lethe_tree_is_leaf(t, x) && n++ == i / 2) v = x;
        }
        bags_begin(&c, i);
        bags_item(&c, v);
    }
    assert_int_equal(part_do(&h, t, &c.r, &(part_setting){0}), LETHE_OK);
    part_expect(&h, "clusters", SHORT);
    part_expect(&h, "ggd", 0);
    part_end(&h);
    bags_free(&b);
    bags_free(&c);
    lethe_tree_free(t);
}

/* Two long records among short ones; and two long ones that are the same. */
static void a_record_of_a_million_items(void **state)
{
    enum { LEAVES = 20000, MILLION = 1000000 };
    static uint32_t parent[LEAVES + 1];
    (void)state;
    for (uint32_t i = 0; i <= LEAVES; i++)
        parent[i] = i == 0 ? LETHE_NONE : i % 100 == 1 ? 0 : i - (i - 1) % 100;
    lethe_tree *t = tree_of(parent, LEAVES + 1);
    for (uint32_t n_long = 1; n_long <= 2; n_long++) {
        bags b = {0};
        part_run h = {0};
        for (uint32_t i = 0; i < 5; i++) {
            bags_begin(&b, i);
            for (uint32_t k = 0, x = 7; k < (i < n_long ? MILLION : 3); k++) {
                x = x * 1103515245 + 12345;
                uint32_t v = 1 + (x >> 8) % LEAVES;
                bags_item(&b, v % 100 == 1 ? v + 1 : v);
            }
        }
        assert_int_equal(part_do(&h, t, &b.r, &(part_setting){.bag = true}), LETHE_OK);
        assert_int_equal(h.n_nodes[0], n_long == 2 ? MILLION : 3);
        assert_int_equal(h.n_nodes[4], 3);
        part_end(&h);
        bags_free(&b);
    }
    lethe_tree_free(t);
}

/* One person has all records but three: at most three groups can hold another one. */
static void one_person_has_most(void **state)
{
    lethe_tree *t = small_tree();
    bags b = {0};
    part_run h = {0};
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        static const uint32_t leaf[] = {2, 3, 5, 6};
        bags_begin(&b, i < 3 ? i + 1 : 0);
        bags_item(&b, leaf[i % 4]);
        if (i % 3 == 0) bags_item(&b, leaf[i / 4 % 4]);
    }
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){0}), LETHE_OK);
    assert_int_equal(h.n_published, 1000);
    for (size_t i = 0; i < 1000; i++) {
        bool other = false;
        for (size_t j = 0; j < 1000 && !other; j++)
            other = h.group[j] == h.group[i] && b.r.owner[j] != b.r.owner[i];
        assert_true(other);
    }
    part_end(&h);
    bags_free(&b);
    lethe_tree_free(t);
}

/* --- what goes wrong --- */

static bags many(void)
{
    bags b = {0};
    for (uint32_t i = 0; i < 700; i++) {
        static const uint32_t leaf[] = {2, 3, 5, 6};
        bags_begin(&b, i / 2);
        for (uint32_t k = 0; k <= i % 3; k++)
            bags_item(&b, leaf[(i * 7 + k * i) % 4]);
    }
    return b;
}

/* The n-th allocation fails, for every n, until none does; leaks are the sanitizer's to find. */
static void no_memory_is_an_error(void **state)
{
    lethe_tree *t = small_tree();
    bags b = many();
    lethe_err err = LETHE_ENOMEM;
    uint64_t n = 0;
    (void)state;
    while (err == LETHE_ENOMEM) {
        part_run h = {0};
        part_begin(&h, &b.r, 2);
        lethe_alloc_fail_at(++n);
        err = part_go(&h, t, &(part_setting){.bag = true});
        lethe_alloc_fail_at(0);
        part_end(&h);
    }
    assert_int_equal(err, LETHE_OK);
    assert_true(n > 40);
    bags_free(&b);
    lethe_tree_free(t);
}

static void cancelling_ends_it(void **state)
{
    lethe_tree *t = small_tree();
    bags b = many();
    (void)state;
    for (int i = 0; i < 2; i++) {
        part_run h = {.cancel_at = (uint64_t)i}; // before it begins; with the first record
        part_begin(&h, &b.r, 2);
        if (i == 0) lethe_ctx_cancel(h.ctx);
        assert_int_equal(part_go(&h, t, &(part_setting){0}), LETHE_ECANCEL);
        assert_true(h.n_published < b.r.n);
        part_end(&h);
    }
    bags_free(&b);
    lethe_tree_free(t);
}

static lethe_err refuse(lethe_result *out, size_t from, uint32_t group, const uint32_t *node,
                        size_t n)
{
    (void)out, (void)group, (void)node, (void)n;
    return from == 5 ? LETHE_EIO : LETHE_OK;
}

static void what_the_pipeline_says_is_passed_on(void **state)
{
    lethe_tree *t = small_tree();
    bags b = many();
    part_run h = {0};
    lethe_value at[32];
    lethe_values v;
    (void)state;
    part_begin(&h, &b.r, 1);
    lethe_values_init(&v, lethe_method_partition.options, at);
    assert_int_equal(part_set(&v, "k", "2"), LETHE_OK);
    lethe_run run = {.ctx = h.ctx, .values = &v};
    lethe_result out = {.pipeline = &h, .record = refuse, .doc = h.doc, .metrics = h.metrics};
    lethe_data in = {.shape = LETHE_SHAPE_RECORDS, .records = &b.r, .tree = t};
    assert_int_equal(lethe_method_partition.run(&run, &in, &out), LETHE_EIO);
    part_end(&h);
    bags_free(&b);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_met),
        cmocka_unit_test(says_why_it_refuses),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(claims_follow_from_options),
        cmocka_unit_test(figures_are_those_of_the_table),
        cmocka_unit_test(a_tree_of_one_leaf),
        cmocka_unit_test(a_chain_of_a_hundred_thousand),
        cmocka_unit_test(a_caterpillar),
        cmocka_unit_test(a_record_of_a_million_items),
        cmocka_unit_test(one_person_has_most),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(cancelling_ends_it),
        cmocka_unit_test(what_the_pipeline_says_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
