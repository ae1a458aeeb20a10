/* SPDX-License-Identifier: Apache-2.0 */
/* Who knows quasi-identifiers looks persons up in a table. */
/* suite: threads */
#include "table_harness.h"
#include "attack/attack.h"

#define MEANING                                                                                    \
    ",\"meaning\":\"how often the best guess at a person's sensitive value (without a sensitive "  \
    "column: at the person's row) is right, for an adversary who knows the quasi-identifiers of "  \
    "all persons, by the best of several strategies; before: in the original; baseline: the "      \
    "value of a published row chosen at random\"}"

static char *attack_text(const beside *b, heard *h, lethe_err *e)
{
    return t_text(b, lethe_adversary_linking.run, lethe_adversary_linking.options, h, e);
}

static void attack_is(const beside *b, const char *want)
{
    heard h;
    lethe_err e;
    char *text = attack_text(b, &h, &e);
    if (e != LETHE_OK) fail_msg("%s:%d: %s", h.file, (int)h.line, h.text);
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

#define THESIS                                                                                     \
    .original = T_ROWS, .roles = {.qi = "edu,country", .sa = "disease"},                           \
    .tree = {T_EDU, T_COUNTRY}, .taxonomy = T_TAXONOMY_A
static const char published_a[] = "edu,country,disease\nJr,Eu,Asthma\nJr,Eu,Flu\nSr,Eu,Cancer\n"
                                  "Sr,Eu,Flu\nUni,Am,Asthma\nUni,Am,Asthma\nUni,Am,Cancer\n"
                                  "Uni,Am,Cancer\nUni,Am,Flu\nUni,Eu,*\n";

/* All but the two <Grad, Ca> are alone before, and everybody's value is certain.  After: 2, 2, 2,
 * 2, a star, five of five; confidence 1/2 of four, 0 of the star, 2/5 of five, and Asthma or Flu is
 * guessed of the star: 3/10. */
static void everybody_of_the_original_is_looked_up(void **state)
{
    (void)state;
    attack_is(
        &(beside){THESIS, .published = published_a},
        "{\"success\":0.43,\"before\":1.0,\"baseline\":0.27,\"commonest\":0.3,\"persons\":10,"
        "\"unknown\":0,\"linked\":1.0,"
        "\"candidates_before\":{\"unique\":0.8,\"candidates_mean\":1.2,\"candidates_median\":1.0,"
        "\"confidence\":1.0,\"certain\":1.0},"
        "\"candidates_after\":{\"unique\":0.1,\"candidates_mean\":3.4,\"candidates_median\":3.5,"
        "\"confidence\":0.4,\"certain\":0.0},\"revealed\":0.0,\"row_success\":0.4000000000000001,"
        "\"row_before\":0.9" MEANING);
}

/* With a star for the one value that its group lacks, who knows the scheme knows the value. */
static void stars_for_the_last_value_tell_it(void **state)
{
    (void)state;
#define VIO_SA(rest) "{\"steps\":[{\"parameters\":{\"suppress\":\"vioSA\"" rest "}}]}"
    beside b = {.original = "a,s\nx,1\nx,1\nx,2\ny,1\ny,2\n",
                .roles = {.qi = "a", .sa = "s"},
                .published = "a,s\nx,*\nx,*\nx,2\ny,1\ny,2\n",
                .taxonomy = "a=*\t\t2\na=x\ta=*\t1\na=y\ta=*\t1\n",
                .manifest = VIO_SA("")};
#define BY(shares, suppressed, named, one, best)                                                   \
    ",\"suppressed\":{\"rows\":2,\"named\":" named ",\"groups\":1,\"one_candidate\":" one          \
    ",\"recovered\":" one "},\"strategy\":\"" best                                                 \
    "\",\"strategies\":{\"shares\":{\"success\":" shares                                           \
    "},\"suppressed\":{\"success\":" suppressed "}}"
#define AFTER(success, confidence, revealed)                                                       \
    "{\"success\":" success ",\"before\":0.6,\"baseline\":0.2,\"commonest\":0.4,\"persons\":5,"    \
    "\"unknown\":0,\"linked\":1.0,"                                                                \
    "\"candidates_before\":{\"unique\":0.0,\"candidates_mean\":2.6,\"candidates_median\":3.0,"     \
    "\"confidence\":0.6,\"certain\":0.0},"                                                         \
    "\"candidates_after\":{\"unique\":0.0,\"candidates_mean\":2.6,\"candidates_median\":3.0,"      \
    "\"confidence\":" confidence ",\"certain\":0.0},\"revealed\":" revealed                        \
    ",\"row_success\":0.4,\"row_before\":0.4"
    attack_is(&b, AFTER("0.6", "0.6", "0.6") BY("0.6", "0.6", "1.0", "1", "shares") MEANING);
    // a cut that is more general than need be is suppressed anew: the stars are whole all the same
    b.manifest = VIO_SA(",\"precaution\":0.1");
    attack_is(&b, AFTER("0.6", "0.6", "0.6") BY("0.6", "0.6", "1.0", "1", "shares") MEANING);
    // where stars may be any value, they tell nothing for certain; what the group lacks is guessed
    b.manifest = "{\"steps\":[{\"parameters\":{\"suppress\":\"allSA\"}}]}";
    attack_is(&b, AFTER("0.6", "0.4", "0.0") BY("0.4", "0.6", "1.0", "1", "suppressed") MEANING);
    b.manifest = NULL;
    attack_is(&b, AFTER("0.4", "0.4", "0.0") MEANING);
    // certain, where there is nothing else
    b.original = "a,s\nx,1\nx,1\n";
    b.published = "a,s\nx,*\nx,*\n";
    b.taxonomy = "a=*\t\t1\na=x\ta=*\t1\n";
    b.manifest = VIO_SA("");
    attack_is(
        &b,
        "{\"success\":1.0,\"before\":1.0,\"baseline\":0.0,\"commonest\":0.0,\"persons\":2,"
        "\"unknown\":0,\"linked\":1.0,"
        "\"candidates_before\":{\"unique\":0.0,\"candidates_mean\":2.0,\"candidates_median\":2.0,"
        "\"confidence\":1.0,\"certain\":1.0},"
        "\"candidates_after\":{\"unique\":0.0,\"candidates_mean\":2.0,\"candidates_median\":2.0,"
        "\"confidence\":1.0,\"certain\":1.0},\"revealed\":1.0,\"row_success\":0.5,\"row_before\":0."
        "5" BY("1.0", "0.0", "0.0", "0", "shares") MEANING);
}

/* 1 was deleted until it has 1 of 3 rows: who knows that there were five knows that both had it. */
static void deletions_tell_the_value_at_its_threshold(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    beside b = {.original = "a,s\nx,1\nx,1\nx,1\nx,2\nx,3\n",
                .roles = {.qi = "a", .sa = "s"},
                .published = "a,s\nx,1\nx,2\nx,3\n",
                .taxonomy = "a=*\t\t1\na=x\ta=*\t1\n",
                .manifest = "{\"steps\":[{\"parameters\":{\"suppress\":\"vioRec\"}}],\"claims\":[{"
                            "\"notion\":\"l-plus-diversity\",\"sa\":\"s\",\"theta\":\"1/3\"}]}"};
    char *text = attack_text(&b, &h, &e);
    assert_non_null(text);
    // all three values stand at floor(3 / 3): each is as common, and the first is taken
    assert_non_null(strstr(text,
                           "\"suppressed\":{\"rows\":2,\"named\":1.0,\"groups\":1,"
                           "\"one_candidate\":0,\"recovered\":0},\"strategy\":\"suppressed\""));
    lethe_json_text_free(text);
    b.published = "a,s\nx,1\nx,1\nx,2\nx,3\n";
    b.original = "a,s\nx,1\nx,1\nx,1\nx,2\nx,3\n";
    b.manifest = "{\"steps\":[{\"parameters\":{\"suppress\":\"vioRec\"}}],\"claims\":[{"
                 "\"notion\":\"l-plus-diversity\",\"sa\":\"s\",\"theta\":\"1/2\"}]}";
    text = attack_text(&b, &h, &e);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"suppressed\":{\"rows\":1,\"named\":1.0,\"groups\":1,"
                                 "\"one_candidate\":1,\"recovered\":1}"));
    assert_non_null(strstr(text, "\"suppressed\":{\"success\":0.6,\"above\":1.0}"));
    lethe_json_text_free(text);
}

/* Of the six: two are there, one is in a group without being in the original, one has a value that
 * is above a leaf, one a value of nowhere, one would be in a group that is not. */
static void others_are_looked_up(void **state)
{
    (void)state;
    static const char want[] =
        "{\"success\":0.3833333333333333,\"before\":0.5333333333333333,\"baseline\":0.27,"
        "\"commonest\":0.3,\"persons\":6,\"unknown\":2,"
        "\"linked\":0.5,"
        "\"candidates_before\":{\"unique\":0.3333333333333333,\"candidates_mean\":1.0,"
        "\"candidates_median\":1.0,\"confidence\":1.0,\"certain\":0.3333333333333333},"
        "\"candidates_after\":{\"unique\":0.0,\"candidates_mean\":3.0,\"candidates_median\":2.0,"
        "\"confidence\":0.4666666666666666,\"certain\":0.0},\"revealed\":0.0,\"row_success\":0."
        "19999999999999998,\"row_before\":0.3333333333333333" MEANING;
    static const char *const files[] = {
        "name,edu,country\nann,Jr,Fr\nbob,Jr,UK\ncid,Grad,USA\ndan,Sec,UK\neve,Jr,Mars\n"
        "fay,Jr,USA\n",
        "\xef\xbb\xbf"
        "country;edu\r\nFr;Jr\r\n UK ;Jr\r\n\"USA\";\"Grad\"\r\nUK;Sec\r\nMars;Jr\r\n\r\nUSA;Jr",
    };
    for (size_t i = 0; i < LETHE_COUNT(files); i++) {
        // <Grad, USA> is in the original here, so another stands for it
        beside b = {THESIS, .published = published_a, .external = files[i]};
        b.original = "edu,country,disease\nJr,Fr,Flu\nJr,UK,Asthma\nSr,Fr,Flu\nSr,UK,Cancer\n"
                     "Ba,UK,Asthma\nBa,Ca,Asthma\nBa,USA,Flu\nBa,USA,Asthma\nGrad,Ca,Cancer\n"
                     "Grad,Ca,Cancer\n";
        attack_is(&b, want);
    }
}

/* Numbers in any form; missing values; values that name an inner node. */
static void values_are_taken_as_from_an_input(void **state)
{
    (void)state;
    beside b = {.original = "age,b\n20,v\n21,w\n?,v\n22,u\n",
                .roles = {.qi = "age,b"},
                .ranges = "age=20-29:10",
                .tree = {NULL, "u\t*\nv\tu\nw\tu\n"},
                .published = "age,b\n20,v\n21,w\n22,=u\n?,v\n",
                .taxonomy = "age=*\t\t11\nage=20-29\tage=*\t10\nage=20\tage=20-29\t1\n"
                            "age=21\tage=20-29\t1\nage=22\tage=20-29\t1\nage=?\tage=*\t1\n"
                            "b=*\t\t3\nb=u\tb=*\t3\nb==u\tb=u\t1\nb=v\tb=u\t1\nb=w\tb=u\t1\n",
                .external = "age,b\n020.0,v\n,v\n22,u\n20-29,v\n30,v\nx,v\n"};
    attack_is(
        &b,
        "{\"success\":0.625,\"before\":0.625,\"baseline\":0.25,\"commonest\":0.25,\"persons\":6,"
        "\"unknown\":3,\"linked\":0.5,"
        "\"candidates_before\":{\"unique\":0.5,\"candidates_mean\":1.0,\"candidates_median\":1.0,"
        "\"confidence\":1.0,\"certain\":0.5},"
        "\"candidates_after\":{\"unique\":0.5,\"candidates_mean\":1.0,\"candidates_median\":1.0,"
        "\"confidence\":1.0,\"certain\":0.5}" MEANING);
}

/* Nothing is sensitive: which row is it? */
static void rows_are_guessed_where_nothing_is_sensitive(void **state)
{
    (void)state;
    attack_is(
        &(beside){.original = "a\nx\nx\ny\nz\n",
                  .roles = {.qi = "a"},
                  .tree = {"u\t*\nx\tu\ny\tu\nz\t*\n"},
                  .published = "a\nu\nu\nu\n",
                  .taxonomy = "a=*\t\t3\na=u\ta=*\t2\n"},
        "{\"success\":0.3333333333333333,\"before\":0.75,\"baseline\":0.3333333333333333,"
        "\"commonest\":0.3333333333333333,\"persons\":4,"
        "\"unknown\":0,\"linked\":0.75,"
        "\"candidates_before\":{\"unique\":0.5,\"candidates_mean\":1.5,\"candidates_median\":1.5,"
        "\"confidence\":0.75,\"certain\":0.5},"
        "\"candidates_after\":{\"unique\":0.0,\"candidates_mean\":3.0,\"candidates_median\":3.0,"
        "\"confidence\":0.3333333333333333,\"certain\":0.0}" MEANING);
}

static void nobody_found_leaves_the_commonest_value(void **state)
{
    (void)state;
    attack_is(
        &(beside){THESIS, .published = published_a, .external = "edu,country\nJr,Mars\n"},
        "{\"success\":0.3,\"before\":0.3,\"baseline\":0.27,\"commonest\":0.3,\"persons\":1,"
        "\"unknown\":1,\"linked\":0.0,"
        "\"candidates_before\":{\"unique\":0.0,\"candidates_mean\":null,\"candidates_median\":null,"
        "\"confidence\":null,\"certain\":0.0},"
        "\"candidates_after\":{\"unique\":0.0,\"candidates_mean\":null,\"candidates_median\":null,"
        "\"confidence\":null,\"certain\":0.0},\"revealed\":0.0,\"row_success\":0.0,\"row_before\":"
        "0.0" MEANING);
}

static void broken_tables_of_persons_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *external, *text;
        uint64_t line;
        uint32_t column;
    } cases[] = {
        {"", "no header", 0, 0},
        {"\n\n", "no header", 0, 0},
        {"edu,country\n", "no row", 0, 0},
        {"edu,land\nJr,Fr\n", "no column 'country'", 1, 0},
        {"edu\nJr\n", "no column 'country'", 1, 0},
        {"edu,country,edu\nJr,Fr,Jr\n", "duplicate column name", 1, 3},
        {"edu,country\nJr,Fr\nJr\n", "1 fields where the header has 2", 3, 0},
        {"edu,country\nJr,Fr,x\n", "3 fields where the header has 2", 2, 0},
        {"edu,country\nJr,\"Fr\n", "a quote is not closed", 2, 2},
        {"edu,country\n\"Jr\"x,Fr\n", "text after a closing quote", 2, 1},
        {"edu,country,note\n\"Jr\",Fr,\"two\nlines\"\nJr,Fr\n", "2 fields where the header has 3",
         4, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_err e;
        beside b = {THESIS, .published = published_a, .external = cases[i].external};
        assert_null(attack_text(&b, &h, &e));
        if (e != LETHE_EINPUT || !strstr(h.text, cases[i].text))
            fail_msg("case %zu: %s", i, h.text);
        assert_int_equal(h.line, cases[i].line);
        assert_int_equal(h.column, cases[i].column);
    }
}

/* A file by itself: a NUL, a row that is too long, many columns, none there. */
static void files_of_persons_may_be_anything(void **state)
{
    (void)state;
    static char text[3 << 20];
    heard h;
    beside b = {THESIS, .published = published_a};
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_table *t = t_read(ctx, &b);
    for (int kind = 0; kind < 4; kind++) {
        char path[64], file[80];
        size_t n = (size_t)sprintf(text, "edu,country,z\n");
        int dirfd = o_folder(path);
        if (kind == 0) n += (size_t)sprintf(text + n, "Jr,Fr,%c\n", 0);
        if (kind == 1) {
            n += (size_t)sprintf(text + n, "Jr,Fr,");
            memset(text + n, 'x', 2 << 20);
            n += 2 << 20;
        }
        if (kind == 2) {
            for (n = 0; n < 4000; n++)
                text[n] = ',';
            n += (size_t)sprintf(text + n, "edu,country\n");
            memset(text + n, ',', 4000);
            n += 4000;
            n += (size_t)sprintf(text + n, "Jr,Fr\n");
        }
        snprintf(file, sizeof file, "%s/external", path);
        if (kind < 3) o_write(dirfd, "external", text, n);
        lethe_json_doc *doc = lethe_json_doc_new();
        b.option = "external";
        b.value = file;
        lethe_err e = t_run(ctx, &b, t, lethe_adversary_linking.run,
                            lethe_adversary_linking.options, doc, lethe_json_object(doc));
        static const lethe_err want[] = {LETHE_EINPUT, LETHE_EINPUT, LETHE_OK, LETHE_EIO};
        if (e != want[kind]) fail_msg("kind %d: %s", kind, h.text);
        if (kind == 0) assert_string_equal(h.text, "a NUL byte");
        if (kind == 1) assert_string_equal(h.text, "a row is too long");
        lethe_json_doc_free(doc);
        unlinkat(dirfd, "external", 0);
        o_folder_gone(dirfd, path);
    }
    lethe_table_free(t);
    lethe_ctx_free(ctx);
}

static void broken_releases_are_refused(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    beside b = {THESIS, .published = "edu,country,disease\nSec,Eu,Flu\nSr,Eu,Flu\n"};
    assert_null(attack_text(&b, &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
    b.published = "edu,country\nSr,Eu\n";
    assert_null(attack_text(&b, &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
}

/* --- groups that overlap --- */

#define OVERLAP                                                                                    \
    .original = "a,s\nx,1\nx,1\ny,2\nz,2\n", .roles = {.qi = "a", .sa = "s"},                      \
    .tree = {"xy\t*\nx\txy\ny\txy\nz\t*\n"}, .published = "a,s\n*,1\n*,2\nxy,1\nxy,2\n",           \
    .taxonomy = "a=*\t\t3\na=xy\ta=*\t2\n", .manifest = "{\"claims\":[{\"groups\":\"overlap\"}]}"

/* x and y fit both groups, z only `*`: 2 of 4 rows, 1 of 2.  Three persons fit xy of two rows, four
 * the other: counting rules out nothing. */
static void candidates_are_those_of_all_groups(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    beside b = {OVERLAP};
    char *text = attack_text(&b, &h, &e);
    assert_non_null(text);
    assert_non_null(strstr(text, "{\"success\":0.5,"));
    assert_non_null(strstr(text, "\"candidates_mean\":3.5,"));
    assert_non_null(strstr(text, "\"groups_mean\":1.75,\"fit_several\":0.75,"));
    assert_non_null(strstr(text, "\"counted\":{\"success\":0.5,\"persons\":0.0}"));
    assert_non_null(strstr(text, "groups of this release overlap"));
    lethe_json_text_free(text);
    // two persons, two rows: x is in xy, and z, which is left, in `*`
    b.original = "a,s\nx,1\nx,1\nz,2\nz,1\n";
    text = attack_text(&b, &h, &e);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"counted\":{\"success\":0.5,\"persons\":0.5}"));
    lethe_json_text_free(text);
    // without the word that they overlap it is no release of ours
    b.manifest = NULL;
    assert_null(attack_text(&b, &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
}

/* --- hierarchies that are not at hand --- */

#define UNKNOWN                                                                                    \
    .original = "a,s\nx,1\nx,1\ny,2\nz,2\n", .roles = {.qi = "a", .sa = "s"},                      \
    .published = "a,s\nxy,1\nxy,1\nxy,2\nz,2\n",                                                   \
    .taxonomy = "a=*\t\t3\na=xy\ta=*\t2\na=z\ta=*\t1\n", .lacks_hierarchies = true

static void what_is_not_shown_is_not_guessed(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    beside b = {UNKNOWN};
    assert_null(attack_text(&b, &h, &e));
    assert_int_equal(e, LETHE_EUSAGE);
    assert_non_null(strstr(h.text, "--hierarchies DIR or --map FILE"));
    b.map = "2\t2\n3\t3\n4\t4\n5\t5\n";
    char *text = attack_text(&b, &h, &e);
    assert_non_null(text);
    assert_non_null(strstr(text, "{\"success\":0.75,"));
    assert_null(strstr(text, "undecided"));
    lethe_json_text_free(text);
    // of others it is not known whether the hierarchy has them
    b.external = "a\nx\n";
    assert_null(attack_text(&b, &h, &e));
    assert_int_equal(e, LETHE_EUSAGE);
}

/* Two of 22 persons are undecided: what needs everybody is not tried, and that is said. */
static void what_is_not_tried_is_said(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    char original[256] = "a,s,c\nx,1,p\ny,2,q\n", published[256] = "a,s,c\nxy,1,p\nxy,2,q\n";
    for (int i = 0; i < 20; i++) {
        strcat(original, i < 10 ? "z,1,p\n" : "z,2,q\n");
        strcat(published, i < 10 ? "z,1,p\n" : "z,2,q\n");
    }
    beside b = {.original = original,
                .roles = {.qi = "a", .sa = "s", .class = "c"},
                .published = published,
                .taxonomy = "a=*\t\t3\na=xy\ta=*\t2\na=z\ta=*\t1\n",
                .lacks_hierarchies = true};
    char *text = attack_text(&b, &h, &e);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"undecided\":2"));
    assert_non_null(strstr(text, "\"not_tried\":\"The strategies suppressed and class"));
    assert_null(strstr(text, "\"strategies\""));
    lethe_json_text_free(text);
    b.lacks_hierarchies = false; // x and y stand below xy by the tree
    b.tree[0] = "xy\t*\nx\txy\ny\txy\nz\t*\n";
    text = attack_text(&b, &h, &e);
    assert_non_null(text);
    assert_null(strstr(text, "not_tried"));
    assert_non_null(strstr(text, "\"strategy\":\"class\""));
    lethe_json_text_free(text);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    beside b = {THESIS, .published = published_a};
    t_out_of_memory(&b, lethe_adversary_linking.run, lethe_adversary_linking.options);
    b.external = "edu;country\nJr;Fr\n\"Jr\";\"U\xffK\"\n";
    t_out_of_memory(&b, lethe_adversary_linking.run, lethe_adversary_linking.options);
    b = (beside){OVERLAP};
    t_out_of_memory(&b, lethe_adversary_linking.run, lethe_adversary_linking.options);
    b = (beside){UNKNOWN, .map = "2\t2\n3\t3\n4\t4\n5\t5\n"};
    t_out_of_memory(&b, lethe_adversary_linking.run, lethe_adversary_linking.options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_of_the_original_is_looked_up),
        cmocka_unit_test(what_is_not_tried_is_said),
        cmocka_unit_test(stars_for_the_last_value_tell_it),
        cmocka_unit_test(deletions_tell_the_value_at_its_threshold),
        cmocka_unit_test(others_are_looked_up),
        cmocka_unit_test(values_are_taken_as_from_an_input),
        cmocka_unit_test(rows_are_guessed_where_nothing_is_sensitive),
        cmocka_unit_test(nobody_found_leaves_the_commonest_value),
        cmocka_unit_test(broken_tables_of_persons_are_refused),
        cmocka_unit_test(files_of_persons_may_be_anything),
        cmocka_unit_test(broken_releases_are_refused),
        cmocka_unit_test(candidates_are_those_of_all_groups),
        cmocka_unit_test(what_is_not_shown_is_not_guessed),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
