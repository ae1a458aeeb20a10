/* SPDX-License-Identifier: Apache-2.0 */
/* t-closeness, entropy and recursive diversity, k-map: the examples of their papers, claims,
 * counterexamples, and files that cannot be trusted. */
#include "table_check_harness.h"
#include "io/write/sink.h"
#include "model/table/population.h"

static const lethe_notion *const closeness = &lethe_notion_t_closeness,
                                 *const entropy = &lethe_notion_entropy_l,
                                 *const recursive = &lethe_notion_recursive_cl,
                                 *const kmap = &lethe_notion_k_map;

#define T(t, distance)                                                                             \
    "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"t\":\"" t "\",\"distance\":\"" distance "\"}"
#define ENTROPY(l) "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"l\":\"" l "\"}"
#define RECURSIVE(c, l) "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"c\":\"" c "\",\"l\":" #l "}"

#define ZIPS "zip=any\t\t9\nzip=476\tzip=any\t3\nzip=477\tzip=any\t3\nzip=479\tzip=any\t3\n"

/* --- t-closeness --- */

/* Li, Li, Venkatasubramanian 2007, section 3.2 and Table 3: salaries of 3,000 to 11,000. */
#define SALARIES "zip,pay\n476,3\n476,4\n476,5\n477,11\n477,6\n477,8\n479,10\n479,7\n479,9\n"

static void distances_of_the_paper(void **state)
{
    (void)state;
    const tc_files f = {SALARIES, ZIPS, NULL};
    tc_holds(closeness, T("0.375", "ordered"), f);
    tc_holds(closeness, T("3/8", "ordered"), f);
    tc_broken(
        closeness, T("0.374999999", "ordered"), f,
        "{\"line\":2,\"reason\":\"the group's sensitive values are distributed too differently "
        "from the table's\",\"rows\":3,\"distance\":0.375,\"t\":\"0.374999999\"}");
    // {6, 8, 11} is 1/6 away, {7, 9, 10} is 5/24
    const tc_files other = {
        "zip,pay\n476,10\n476,3\n476,7\n477,11\n477,6\n477,8\n479,4\n479,5\n479,9\n", ZIPS, NULL};
    tc_broken(
        closeness, T("0.15", "ordered"), other,
        "{\"line\":5,\"reason\":\"the group's sensitive values are distributed too differently "
        "from the table's\",\"rows\":3,\"distance\":0.16666666666666666,\"t\":\"0.15\"}");
    // each group has a third of the values: 2/3 of it has to be changed
    tc_holds(closeness, T("2/3", "equal"), f);
    tc_broken(
        closeness, T("0.666666666", "equal"), f,
        "{\"line\":2,\"reason\":\"the group's sensitive values are distributed too differently "
        "from the table's\",\"rows\":3,\"distance\":0.6666666666666666,\"t\":\"0.666666666\"}");
}

static void numbers_are_values_however_they_are_written(void **state)
{
    (void)state;
    const tc_files f = {"zip,pay\n476,07\n476,8.50\n477,7.0\n477,8.5\n",
                        "zip=any\t\t9\nzip=476\tzip=any\t3\nzip=477\tzip=any\t3\n", NULL};
    tc_holds(closeness, T("0", "ordered"), f);
    tc_files bad = f;
    bad.data = "zip,pay\n476,7\n476,much\n477,7\n477,8\n";
    tc_broken(closeness, T("1", "ordered"), bad,
              "{\"line\":3,\"reason\":\"the sensitive value is not a number\",\"column\":\"pay\","
              "\"value\":\"much\"}");
    bad.data = "zip,pay\n476,7\n476,8\n477,*\n477,8\n";
    tc_broken(closeness, T("1", "equal"), bad,
              "{\"line\":4,\"reason\":\"the sensitive value is starred\",\"column\":\"pay\","
              "\"value\":\"*\"}");
    tc_broken(entropy, ENTROPY("1"), bad,
              "{\"line\":4,\"reason\":\"the sensitive value is starred\",\"column\":\"pay\","
              "\"value\":\"*\"}");
    tc_broken(recursive, RECURSIVE("9", 1), bad,
              "{\"line\":4,\"reason\":\"the sensitive value is starred\",\"column\":\"pay\","
              "\"value\":\"*\"}");
}

static void one_group_is_the_table(void **state)
{
    (void)state;
    const tc_files f = {"zip,pay\nany,1\nany,1\nany,7\n", "zip=any\t\t9\n", NULL};
    tc_holds(closeness, T("0", "equal"), f);
    tc_holds(closeness, T("0", "ordered"), f);
    const tc_files one = {"zip,pay\n476,1\n477,1\n",
                          "zip=any\t\t9\nzip=476\tzip=any\t3\nzip=477\tzip=any\t3\n", NULL};
    tc_holds(closeness, T("0", "equal"), one);
    tc_holds(closeness, T("0", "ordered"), one);
}

/* The check of files with sensitive.tsv beside them, where these are all claims. */
static tc_verdict tree_check(const char *claim_text, const char *all_claims, tc_files f,
                             const char *sensitive, heard *h)
{
    char path[64];
    lethe_ctx *ctx = heard_ctx(h, 1);
    int dirfd = o_folder(path);
    tc_verdict v = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *all_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = tc_claim(closeness, claim_text, &claim_doc), *all = NULL, *why = NULL;
    if (all_claims)
        assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(all_claims), &all_doc, &all),
                         LETHE_OK);
    tc_write(dirfd, &f);
    if (sensitive) o_write(dirfd, "sensitive.tsv", sensitive, strlen(sensitive));
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_TABLE, .claims = all};
    v.err = closeness->check(&p, claim, doc, &v.holds, &why);
    if (why) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(v.why, sizeof v.why, "%s", text);
        lethe_json_text_free(text);
    }
    unlinkat(dirfd, "sensitive.tsv", 0);
    tc_unlink(dirfd);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(all_doc);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return v;
}

#define ILLS                                                                                       \
    "pay=ill\t\t6\npay=lung\tpay=ill\t3\npay=flu\tpay=lung\t1\npay=cough\tpay=lung\t1\n"           \
    "pay=gut\tpay=ill\t3\npay=ulcer\tpay=gut\t1\n"

static void hierarchies_of_sensitive_values(void **state)
{
    (void)state;
    heard h;
    // flu and cough are 1/2 apart, ulcer 1 from both; the group of ulcers lacks 2/3 from the others
    const tc_files f = {"zip,pay\n476,cough\n476,flu\n477,ulcer\n",
                        "zip=any\t\t9\nzip=476\tzip=any\t3\nzip=477\tzip=any\t3\n", NULL};
    tc_verdict v = tree_check(T("2/3", "hierarchical"), NULL, f, ILLS, &h);
    assert_int_equal(v.err, LETHE_OK);
    assert_true(v.holds);
    v = tree_check(T("0.666666666", "hierarchical"), NULL, f, ILLS, &h);
    assert_false(v.holds);
    assert_string_equal(v.why, "{\"line\":4,\"reason\":\"the group's sensitive values are "
                               "distributed too differently from the table's\",\"rows\":1,"
                               "\"distance\":0.6666666666666666,\"t\":\"0.666666666\"}");
    // groups of flu and of cough: half the distance
    const tc_files near = {"zip,pay\n476,cough\n477,flu\n",
                           "zip=any\t\t9\nzip=476\tzip=any\t3\nzip=477\tzip=any\t3\n", NULL};
    static const char lungs[] = "pay=ill\t\t6\npay=lung\tpay=ill\t3\npay=flu\tpay=lung\t1\n"
                                "pay=cough\tpay=lung\t1\n";
    assert_true(tree_check(T("0.25", "hierarchical"), NULL, near, lungs, &h).holds);
    assert_false(tree_check(T("0.249999999", "hierarchical"), NULL, near, lungs, &h).holds);

    // altered files
    v = tree_check(T("1", "hierarchical"), NULL, near, ILLS, &h);
    assert_string_equal(v.why, "{\"reason\":\"sensitive.tsv lists a node that is not published\","
                               "\"column\":\"pay\",\"value\":\"ulcer\"}");
    assert_false(v.holds);
    v = tree_check(T("1", "hierarchical"), NULL, f, lungs, &h);
    assert_string_equal(v.why, "{\"line\":4,\"reason\":\"the sensitive value is not in "
                               "sensitive.tsv\",\"column\":\"pay\",\"value\":\"ulcer\"}");
    tc_files above = f;
    above.data = "zip,pay\n476,cough\n476,flu\n477,lung\n477,ulcer\n";
    v = tree_check(T("1", "hierarchical"), NULL, above, ILLS, &h);
    assert_string_equal(v.why, "{\"line\":4,\"reason\":\"the sensitive value is above others\","
                               "\"column\":\"pay\",\"value\":\"lung\"}");
    assert_int_equal(tree_check(T("1", "hierarchical"), NULL, f, NULL, &h).err, LETHE_EIO);
    assert_int_equal(tree_check(T("1", "hierarchical"), NULL, f, "", &h).err, LETHE_EINPUT);
    assert_int_equal(tree_check(T("1", "hierarchical"), NULL, f, ILLS "x=1\t\t1\n", &h).err,
                     LETHE_EINPUT);
    assert_int_equal(tree_check(T("1", "hierarchical"), NULL, f, "zip=a\t\t1\n", &h).err,
                     LETHE_EINPUT);
    // a file that is not needed is not read
    assert_true(tree_check(T("1", "equal"), NULL, f, "x", &h).holds);
}

/* Columns of sensitive.tsv are those of all claims by hierarchies, in their order. */
static void several_columns_share_a_file(void **state)
{
    (void)state;
    heard h;
#define CLAIM(sa, d)                                                                               \
    "{\"notion\":\"t-closeness\",\"qi\":[\"zip\"],\"sa\":\"" sa "\",\"t\":\"1\",\"distance\":\"" d \
    "\"}"
    static const char all[] = "[" CLAIM("x", "equal") "," CLAIM("job", "hierarchical") "," CLAIM(
        "pay", "hierarchical") "]";
    const tc_files f = {"zip,pay,job,x\n476,flu,cook,1\n", "zip=any\t\t9\nzip=476\tzip=any\t3\n",
                        NULL};
    static const char job[] = "job=cook\t\t1\n", pay[] = "pay=flu\t\t1\n";
    char both[64], wrong[64];
    snprintf(both, sizeof both, "%s%s", job, pay);
    snprintf(wrong, sizeof wrong, "%s%s", pay, job);
    assert_true(tree_check(T("0", "hierarchical"), all, f, both, &h).holds);
    assert_int_equal(tree_check(T("0", "hierarchical"), all, f, wrong, &h).err, LETHE_EINPUT);
    assert_int_equal(tree_check(T("0", "hierarchical"), all, f, pay, &h).err, LETHE_EINPUT);
    assert_int_equal(tree_check("{\"qi\":[\"zip\"],\"sa\":\"x\",\"t\":\"1\",\"distance\":"
                                "\"hierarchical\"}",
                                all, f, both, &h)
                         .err,
                     LETHE_EINPUT);
}

/* --- diversity --- */

#define UNEVEN "zip,pay\n476,a\n476,a\n476,a\n476,a\n476,b\n476,c\n476,d\n476,e\n"
#define ONE_ZIP "zip=any\t\t9\nzip=476\tzip=any\t3\n"

static void entropy_at_its_bound(void **state)
{
    (void)state;
    const tc_files f = {UNEVEN, ONE_ZIP, NULL}; // 8^8 = 4^8 4^4
    tc_holds(entropy, ENTROPY("4"), f);
    tc_holds(entropy, ENTROPY("4/1"), f);
    tc_holds(entropy, ENTROPY("3.999999999"), f);
    tc_broken(entropy, ENTROPY("4.000000001"), f,
              "{\"line\":2,\"reason\":\"the entropy of the group's sensitive values is too low\","
              "\"rows\":8,\"different\":5,\"entropy-l\":4.0,\"needed\":\"4.000000001\"}");
    const tc_files equal = {SALARIES, ZIPS, NULL};
    tc_holds(entropy, ENTROPY("3"), equal);
    tc_broken(entropy, ENTROPY("3.1"), equal,
              "{\"line\":2,\"reason\":\"the entropy of the group's sensitive values is too low\","
              "\"rows\":3,\"different\":3,\"entropy-l\":3.0,\"needed\":\"3.1\"}");
}

static void recursive_diversity_at_its_bound(void **state)
{
    (void)state;
    const tc_files f = {UNEVEN, ONE_ZIP, NULL}; // 4 1 1 1 1
    tc_holds(recursive, RECURSIVE("1.000000001", 2), f);
    tc_broken(recursive, RECURSIVE("1", 2), f,
              "{\"line\":2,\"reason\":\"a sensitive value is too frequent beside the rarer ones\","
              "\"rows\":8,\"with\":4,\"rest\":4,\"c\":\"1\",\"l\":2}");
    tc_holds(recursive, RECURSIVE("9/2", 5), f);
    tc_broken(recursive, RECURSIVE("4/1", 5), f,
              "{\"line\":2,\"reason\":\"a sensitive value is too frequent beside the rarer ones\","
              "\"rows\":8,\"with\":4,\"rest\":1,\"c\":\"4/1\",\"l\":5}");
    tc_broken(recursive, RECURSIVE("1000000", 6), f,
              "{\"line\":2,\"reason\":\"a sensitive value is too frequent beside the rarer ones\","
              "\"rows\":8,\"with\":4,\"rest\":0,\"c\":\"1000000\",\"l\":6}");
    tc_holds(recursive, RECURSIVE("0.6", 1), f);
    tc_holds(recursive, RECURSIVE("1.1", 1), f);
}

/* --- claims --- */

static void claims_are_read_strictly(void **state)
{
    (void)state;
    const tc_files f = {SALARIES, ZIPS, NULL};
    static const char *const bad_t[] = {
        T("1.1", "equal"),
        T("", "equal"),
        T("-0", "equal"),
        T("0.2", "far"),
        "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"t\":0.2,\"distance\":\"equal\"}",
        "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"t\":\"0.2\"}",
        "{\"qi\":[\"zip\"],\"t\":\"0.2\",\"distance\":\"equal\"}",
        "{\"qi\":[\"zip\"],\"sa\":\"zip\",\"t\":\"0.2\",\"distance\":\"equal\"}",
        "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"t\":\"1\",\"distance\":\"equal\",\"groups\":\"x\"}",
        "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"t\":\"1\",\"distance\":\"equal\",\"k\":1}"};
    static const char *const bad_entropy[] = {ENTROPY("0.9"), ENTROPY("x"), ENTROPY("1/0"),
                                              "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"l\":2}",
                                              "{\"qi\":[\"zip\"],\"l\":\"2\"}"};
    static const char *const bad_recursive[] = {
        RECURSIVE("0", 2),
        RECURSIVE("x", 2),
        RECURSIVE("1", 0),
        RECURSIVE("-1", 2),
        "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"c\":3,\"l\":2}",
        "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"c\":\"3\",\"l\":\"2\"}"};
    heard h;
    for (size_t i = 0; i < LETHE_COUNT(bad_t); i++)
        assert_int_equal(tc_check(closeness, bad_t[i], f, &h).err, LETHE_EINPUT);
    for (size_t i = 0; i < LETHE_COUNT(bad_entropy); i++)
        assert_int_equal(tc_check(entropy, bad_entropy[i], f, &h).err, LETHE_EINPUT);
    for (size_t i = 0; i < LETHE_COUNT(bad_recursive); i++)
        assert_int_equal(tc_check(recursive, bad_recursive[i], f, &h).err, LETHE_EINPUT);
}

/* `any` is above `476`: that is fine only where the claim says so. */
static void overlapping_groups_are_claimed(void **state)
{
    (void)state;
    const tc_files f = {"zip,pay\n476,1\n476,2\nany,1\nany,2\n", ONE_ZIP, NULL};
    static const char below[] = "{\"line\":2,\"reason\":\"the value is below another published "
                                "value\",\"column\":\"zip\",\"value\":\"476\",\"above\":\"any\"}";
    tc_broken(closeness, T("0", "equal"), f, below);
    tc_broken(entropy, ENTROPY("2"), f, below);
    tc_broken(recursive, RECURSIVE("2", 2), f, below);
#define OVERLAP ",\"groups\":\"overlap\"}"
    tc_holds(closeness,
             "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"t\":\"0\",\"distance\":\"equal\"" OVERLAP, f);
    tc_holds(entropy, "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"l\":\"2\"" OVERLAP, f);
    tc_holds(recursive, "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"c\":\"2\",\"l\":2" OVERLAP, f);
    tc_files listed = f;
    listed.taxonomy = ONE_ZIP "zip=478\tzip=any\t3\n";
    tc_broken(entropy, "{\"qi\":[\"zip\"],\"sa\":\"pay\",\"l\":\"2\"" OVERLAP, listed,
              "{\"reason\":\"the taxonomy lists a node that is not published\",\"column\":\"zip\","
              "\"value\":\"478\"}");
}

static void lack_of_memory_decides_nothing(void **state)
{
    (void)state;
    const tc_files f = {SALARIES, ZIPS, NULL}, uneven = {UNEVEN, ONE_ZIP, NULL};
    tc_lacks_memory(closeness, T("3/8", "ordered"), f, true);
    tc_lacks_memory(closeness, T("0.3", "ordered"), f, false);
    tc_lacks_memory(closeness, T("2/3", "equal"), f, true);
    tc_lacks_memory(entropy, ENTROPY("4"), uneven, true);
    tc_lacks_memory(entropy, ENTROPY("4.5"), uneven, false);
    tc_lacks_memory(recursive, RECURSIVE("2", 2), uneven, true);
    tc_lacks_memory(recursive, RECURSIVE("1", 2), uneven, false);
}

/* --- k-map --- */

#define K_TAXONOMY                                                                                 \
    "age=*\t\t90\nage=20-29\tage=*\t10\nage=30-39\tage=*\t10\n"                                    \
    "job=any\t\t4\njob=desk\tjob=any\t2\njob=cook\tjob=any\t1\n"
#define K_DATA "age,job\n20-29,desk\n30-39,cook\n30-39,cook\n30-39,desk\n"
#define JOBS "clerk\tdesk\nboss\tdesk\ncook\tany\ndesk\tany\nsmith\tany\n"
#define PEOPLE                                                                                     \
    "name,job,age\na,clerk,20\nb,boss,29\nc,clerk,30\nd,boss,39\ne,cook,30\nf,cook,35\n"           \
    "g,cook,40\nh,smith,30\ni,boss,?\nj,clerk,19\nk,pilot,25\n"

struct kmap_case {
    const char *data, *taxonomy, *people, *jobs; /* jobs NULL: no hierarchy */
    unsigned k;
    bool overlap;
};

/* The check beside a population, whose digest is claimed unless `digest` is given. */
static tc_verdict kmap_check(const struct kmap_case *c, const char *digest, const char **needs)
{
    char folder[64], path[96], claim[512];
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    int dirfd = o_folder(folder);
    lethe_tree *jobs = NULL;
    lethe_population_table people = {.rows = NULL};
    const lethe_str columns[] = {LETHE_LIT("age"), LETHE_LIT("job")};
    tc_verdict v = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *why = NULL;
    tc_write(dirfd, &(tc_files){c->data, c->taxonomy, NULL});
    if (c->people) o_write(dirfd, "people.csv", c->people, strlen(c->people));
    snprintf(path, sizeof path, "%s/people.csv", folder);
    if (c->jobs)
        assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(c->jobs), LETHE_NAMES_RAW, &jobs),
                         LETHE_OK);
    lethe_tree *trees[] = {NULL, jobs};
    if (c->people)
        assert_int_equal(lethe_population_read(ctx, path, columns, 2, trees, &people), LETHE_OK);
    snprintf(claim, sizeof claim, "{\"qi\":[\"age\",\"job\"],\"k\":%u,\"population\":\"%s\"%s}",
             c->k, digest ? digest : people.digest, c->overlap ? ",\"groups\":\"overlap\"" : "");
    lethe_json *claimed = tc_claim(kmap, claim, &claim_doc);
    lethe_published p = {.ctx = ctx,
                         .dirfd = dirfd,
                         .shape = LETHE_SHAPE_TABLE,
                         .population = c->people ? &people : NULL};
    v.err = kmap->check(&p, claimed, doc, &v.holds, &why);
    if (needs) *needs = p.needs;
    if (why) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(v.why, sizeof v.why, "%s", text);
        lethe_json_text_free(text);
    }
    lethe_population_free(&people);
    lethe_tree_free(jobs);
    unlinkat(dirfd, "people.csv", 0);
    tc_unlink(dirfd);
    o_folder_gone(dirfd, folder);
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return v;
}

static void populations_are_counted(void **state)
{
    (void)state;
    const char *needs = NULL;
    struct kmap_case c = {K_DATA, K_TAXONOMY, PEOPLE, JOBS, 2, false};
    tc_verdict v = kmap_check(&c, NULL, &needs);
    assert_int_equal(v.err, LETHE_OK);
    assert_string_equal(v.why, "");
    assert_true(v.holds && !needs);
    c.k = 3; // 20-29 at a desk are two
    v = kmap_check(&c, NULL, &needs);
    assert_string_equal(v.why, "{\"line\":2,\"reason\":\"too few rows of the population fall under "
                               "the group's values\",\"found\":2,\"needed\":3}");
    assert_true(!v.holds && !needs);
    c.k = 2;
    c.people = "age,job\n20,clerk\n20,boss\n30,cook\n40,cook\n30,clerk\n30,boss\n";
    v = kmap_check(&c, NULL, &needs); // one cook of 30-39
    assert_string_equal(v.why, "{\"line\":3,\"reason\":\"too few rows of the population fall under "
                               "the group's values\",\"found\":1,\"needed\":2}");
    // without the hierarchy nobody can tell who has a desk
    c.jobs = NULL;
    c.people = PEOPLE;
    v = kmap_check(&c, NULL, &needs);
    assert_true(v.err == LETHE_OK && !v.holds && needs);
    // but that there are too few cooks
    c.people = "age,job\n30,cook\n";
    v = kmap_check(&c, NULL, &needs);
    assert_true(v.err == LETHE_OK && !v.holds && !needs);
    // a population that has the published values themselves
    c.people = "age,job\n20-29,desk\n20-29,desk\n30,cook\n30,cook\n35,desk\n35,desk\n";
    assert_true(kmap_check(&c, NULL, &needs).holds);
}

static void stars_and_roots_cover_everybody(void **state)
{
    (void)state;
    struct kmap_case c = {"age,job\n*,any\n",
                          "age=*\t\t9\njob=any\t\t4\n",
                          "age,job\n1,clerk\nold,boss\n?,?\n7,pilot\n",
                          JOBS,
                          3,
                          false};
    assert_true(kmap_check(&c, NULL, NULL).holds); // the pilot is not in the hierarchy
    c.k = 4;
    assert_false(kmap_check(&c, NULL, NULL).holds);
    // a star that is no root is a value like any other
    c = (struct kmap_case){"age,job\n*,any\n",
                           "age=all\t\t9\nage=*\tage=all\t1\njob=any\t\t4\n",
                           "age,job\n1,clerk\n*,boss\n",
                           JOBS,
                           1,
                           false};
    assert_true(kmap_check(&c, NULL, NULL).holds);
    c.k = 2;
    assert_false(kmap_check(&c, NULL, NULL).holds);
}

static void ranges_are_read_as_numbers(void **state)
{
    (void)state;
    struct kmap_case c = {"age,job\n-5--1,any\n",
                          "age=*\t\t9\nage=-5--1\tage=*\t5\njob=any\t\t4\n",
                          "age,job\n-5,cook\n-1,cook\n0,cook\n-6,cook\n-2.5,cook\n",
                          JOBS,
                          3,
                          false};
    assert_true(kmap_check(&c, NULL, NULL).holds);
    c.k = 4;
    assert_false(kmap_check(&c, NULL, NULL).holds);
    c = (struct kmap_case){"age,job\n\"[20,25)\",any\n",
                           "age=*\t\t9\nage=[20,25)\tage=*\t5\njob=any\t\t4\n",
                           "age,job\n20,cook\n24.9,cook\n25,cook\n19.9,cook\n",
                           JOBS,
                           2,
                           false};
    assert_true(kmap_check(&c, NULL, NULL).holds);
    c.k = 3;
    assert_false(kmap_check(&c, NULL, NULL).holds);
}

/* Without ranges in its hierarchy, a column of digits may hold codes. */
static void codes_are_no_numbers(void **state)
{
    (void)state;
    struct kmap_case c = {"age,job\n7,any\n",
                          "age=*\t\t9\nage=7\tage=*\t1\njob=any\t\t4\n",
                          "age,job\n7,cook\n07,cook\n7.0,cook\n",
                          JOBS,
                          1,
                          false};
    assert_true(kmap_check(&c, NULL, NULL).holds);
    c.k = 2;
    assert_false(kmap_check(&c, NULL, NULL).holds);
    c.data = "age,job\n7,any\n8-9,any\n";
    c.taxonomy = "age=*\t\t9\nage=7\tage=*\t1\nage=8-9\tage=*\t1\njob=any\t\t4\n";
    c.people = "age,job\n7,cook\n07,cook\n7.0,cook\n8,cook\n9,cook\n08.50,cook\n";
    c.k = 3;
    assert_true(kmap_check(&c, NULL, NULL).holds);
    c.k = 4;
    assert_false(kmap_check(&c, NULL, NULL).holds);
}

static void groups_of_a_population_may_overlap(void **state)
{
    (void)state;
    struct kmap_case c = {"age,job\n30-34,any\n33-39,cook\n33-39,desk\n",
                          "age=30-39\t\t10\nage=30-34\tage=30-39\t5\nage=33-39\tage=30-39\t5\n"
                          "job=any\t\t4\njob=cook\tjob=any\t1\njob=desk\tjob=any\t2\n",
                          "age,job\n33,clerk\n34,cook\n34,boss\n35,cook\n",
                          JOBS,
                          2,
                          true};
    assert_true(kmap_check(&c, NULL, NULL).holds);
    c.k = 3;
    assert_string_equal(kmap_check(&c, NULL, NULL).why,
                        "{\"line\":3,\"reason\":\"too few rows of the population fall under the "
                        "group's values\",\"found\":2,\"needed\":3}");
}

static void populations_are_the_claimed_ones(void **state)
{
    (void)state;
    const char *needs = NULL;
    char digest[65];
    memset(digest, 'a', 64);
    digest[64] = '\0';
    struct kmap_case c = {K_DATA, K_TAXONOMY, PEOPLE, JOBS, 2, false};
    tc_verdict v = kmap_check(&c, digest, &needs);
    assert_true(v.err == LETHE_OK && !v.holds && !needs);
    assert_non_null(strstr(v.why, "the population table is not the one of the claim"));
    c.people = NULL;
    v = kmap_check(&c, digest, &needs);
    assert_true(v.err == LETHE_OK && !v.holds);
    assert_string_equal(needs, "k-map cannot be decided without the population table: use "
                               "--population FILE");
    // what is broken without a population is broken
    c.data = "age,job\n20-29,desk\n30-39,nobody\n";
    v = kmap_check(&c, digest, &needs);
    assert_true(v.err == LETHE_OK && !v.holds && !needs);
    c.data = K_DATA;
    assert_int_equal(kmap_check(&c, "abc", &needs).err, LETHE_EINPUT);
    digest[0] = 'A';
    assert_int_equal(kmap_check(&c, digest, &needs).err, LETHE_EINPUT);
    digest[0] = 'a';
    c.k = 0;
    assert_int_equal(kmap_check(&c, digest, &needs).err, LETHE_EINPUT);
}

/* The n-th allocation fails, for all n, where other files are beside the release. */
static void lack_of_memory_with_more_files(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    char folder[64], path[96], text[256];
    int dir = o_folder(folder);
    const lethe_str columns[] = {LETHE_LIT("age"), LETHE_LIT("job")};
    lethe_tree *jobs = NULL;
    lethe_population_table people = {.rows = NULL};
    static const char sick[] = "sick=ill\t\t2\nsick=flu\tsick=ill\t1\nsick=pox\tsick=ill\t1\n";
    tc_write(dir, &(tc_files){"age,job,sick\n20-29,desk,flu\n20-29,desk,pox\n30-39,desk,flu\n"
                              "30-39,desk,pox\n",
                              "age=*\t\t90\nage=20-29\tage=*\t10\nage=30-39\tage=*\t10\n"
                              "job=any\t\t4\njob=desk\tjob=any\t2\n",
                              NULL});
    o_write(dir, "sensitive.tsv", sick, strlen(sick));
    o_write(dir, "people.csv", PEOPLE, strlen(PEOPLE));
    snprintf(path, sizeof path, "%s/people.csv", folder);
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(JOBS), LETHE_NAMES_RAW, &jobs), LETHE_OK);
    lethe_tree *trees[] = {NULL, jobs};
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e == LETHE_ENOMEM; n++) {
        h.n = 0;
        lethe_alloc_fail_at(n);
        e = lethe_population_read(ctx, path, columns, 2, trees, &people);
        lethe_alloc_fail_at(0);
        assert_int_equal(h.n, e == LETHE_ENOMEM);
    }
    assert_int_equal(e, LETHE_OK);
    for (int i = 0; i < 2; i++) {
        lethe_json_doc *claim_doc = NULL;
        if (i == 0)
            snprintf(text, sizeof text, "{\"qi\":[\"age\",\"job\"],\"k\":2,\"population\":\"%s\"}",
                     people.digest);
        else
            snprintf(text, sizeof text,
                     "{\"qi\":[\"age\",\"job\"],\"sa\":\"sick\",\"t\":\"0\",\"distance\":"
                     "\"hierarchical\"}");
        const lethe_notion *notion = i == 0 ? kmap : closeness;
        lethe_json *claim = tc_claim(notion, text, &claim_doc);
        e = LETHE_ENOMEM;
        for (uint64_t n = 1; e == LETHE_ENOMEM; n++) {
            bool holds = false;
            lethe_json *why = NULL;
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_published p = {
                .ctx = ctx, .dirfd = dir, .shape = LETHE_SHAPE_TABLE, .population = &people};
            h.n = 0;
            lethe_alloc_fail_at(n);
            e = notion->check(&p, claim, doc, &holds, &why);
            lethe_alloc_fail_at(0);
            assert_int_equal(holds, e == LETHE_OK);
            assert_int_equal(h.n, e == LETHE_ENOMEM);
            lethe_json_doc_free(doc);
        }
        assert_int_equal(e, LETHE_OK);
        lethe_json_doc_free(claim_doc);
    }
    lethe_population_free(&people);
    lethe_tree_free(jobs);
    unlinkat(dir, "sensitive.tsv", 0);
    unlinkat(dir, "people.csv", 0);
    tc_unlink(dir);
    o_folder_gone(dir, folder);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_of_the_paper),
        cmocka_unit_test(numbers_are_values_however_they_are_written),
        cmocka_unit_test(one_group_is_the_table),
        cmocka_unit_test(hierarchies_of_sensitive_values),
        cmocka_unit_test(several_columns_share_a_file),
        cmocka_unit_test(entropy_at_its_bound),
        cmocka_unit_test(recursive_diversity_at_its_bound),
        cmocka_unit_test(claims_are_read_strictly),
        cmocka_unit_test(overlapping_groups_are_claimed),
        cmocka_unit_test(lack_of_memory_decides_nothing),
        cmocka_unit_test(populations_are_counted),
        cmocka_unit_test(stars_and_roots_cover_everybody),
        cmocka_unit_test(ranges_are_read_as_numbers),
        cmocka_unit_test(groups_of_a_population_may_overlap),
        cmocka_unit_test(populations_are_the_claimed_ones),
        cmocka_unit_test(codes_are_no_numbers),
        cmocka_unit_test(lack_of_memory_with_more_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
