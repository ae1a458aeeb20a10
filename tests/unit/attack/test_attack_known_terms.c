/* SPDX-License-Identifier: Apache-2.0 */
/* An adversary who knows a few terms of a person, before logs, sealed logs and records that are
 * small enough to count. */
/* suite: threads */
#include "scale_harness.h"
#include "lexicon/wordnet/wordnet.h"

#define T "\t2006-03-01 10:00:00\n"
#define D "\t2006-03-01\n"

/* Everything before the meaning. */
static char *answer(const sc_case *c, unsigned threads)
{
    heard h;
    lethe_err e;
    char *text = sc_text(c, lethe_adversary_known_terms.run, lethe_adversary_known_terms.options,
                         threads, &h, &e);
    if (e != LETHE_OK) fail_msg("%s", h.text);
    char *meaning = strstr(text, ",\"meaning\":\"chance of choosing");
    assert_non_null(meaning);
    *meaning = '\0';
    return text;
}

/* The same without the strategies, which have tests of their own. */
static char *figures(const sc_case *c, unsigned threads)
{
    char *text = answer(c, threads), *from = strstr(text, ",\"strategy\":");
    assert_non_null(from);
    char *to = strstr(from, "}}");
    assert_non_null(to);
    memmove(from, to + 2, strlen(to + 2) + 1);
    return text;
}

static void figures_are(const sc_case *c, const char *want)
{
    for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        char *text = figures(c, threads);
        assert_string_equal(text, want);
        lethe_json_text_free(text);
    }
}

#define TOLD(success, baseline, narrowed, among, persons, known, crowd, before, before_narrowed)   \
    "{\"success\":" success ",\"before\":" before ",\"baseline\":" baseline                        \
    ",\"narrowed\":" narrowed ",\"narrowed_before\":" before_narrowed ",\"among\":" among          \
    ",\"persons\":" persons ",\"known\":" known ",\"crowd\":" crowd ",\"confirmed\":true"
#define UNTOLD(success, baseline, narrowed, persons, known, crowd, before, before_narrowed)        \
    "{\"success\":" success ",\"before\":" before ",\"baseline\":" baseline                        \
    ",\"narrowed\":" narrowed ",\"narrowed_before\":" before_narrowed ",\"persons\":" persons      \
    ",\"known\":" known ",\"crowd\":" crowd ",\"confirmed\":false"
#define NOBODY ",\"note\":\"nothing was measured: no person has a term that could be known\""
#define USERS                                                                                      \
    ",\"note\":\"success is an upper bound, and a loose one where published users differ: "        \
    "without "                                                                                     \
    "--map, nobody knows who each user is\""
#define RECORDS                                                                                    \
    ",\"note\":\"success is an upper bound, and a loose one where published records differ: "      \
    "without --map, nobody knows whose record is which\""

static const char four[] = "ann\tred car" T "bob\tcar blue" T "cid\tbus" T "dan\tbus" T;

static void a_log_that_shows_all_shows_as_much(void **state)
{
    (void)state;
    // ann and bob are alone with what they asked for, cid and dan two
    sc_case c = {.log = four,
                 .published = "w\tred car" D "x\tcar blue" D "y\tbus" D "z\tbus" D,
                 .map = "ann\tw\nbob\tx\ncid\ty\ndan\tz\n",
                 .crowd = "2"};
    figures_are(&c, TOLD("0.75", "0.25", "0.5", "1.0", "4", "3", "2", "0.75", "0.5"));
    c.crowd = "3";
    figures_are(&c, TOLD("0.75", "0.25", "1.0", "1.0", "4", "3", "3", "0.75", "1.0"));
    c.map = NULL;
    figures_are(&c, UNTOLD("0.75", "0.25", "1.0", "4", "3", "3", "0.75", "1.0") USERS);
}

static void those_who_hold_most_are_candidates(void **state)
{
    (void)state;
    // ann has kept one word of two and so has bob; nobody shows a bus
    sc_case c = {.log = four,
                 .published = "w\tcar" D "x\tcar" D "y\tship" D,
                 .map = "ann\tw\nbob\tx\ncid\ty\n",
                 .crowd = "3"};
    figures_are(&c, TOLD("0.25", "0.3333333333333333", "0.5", "0.5", "4", "3", "3", "0.75", "1.0"));
    // whom somebody else's words point to is misled: bob's car is the only one
    c.published = "w\tship" D "x\tcar" D "y\tship" D;
    figures_are(&c,
                TOLD("0.25", "0.3333333333333333", "0.25", "0.25", "4", "3", "3", "0.75", "1.0"));
    // not to know that is to fear for ann too
    c.map = NULL;
    figures_are(&c, UNTOLD("0.5", "0.3333333333333333", "0.5", "4", "3", "3", "0.75", "1.0") USERS);
}

static void own_names_need_no_map(void **state)
{
    (void)state;
    sc_case c = {.log = four,
                 .published = "ann\tcar" D "bob\tcar" D "dan\tbus" D,
                 .keep_users = true,
                 .crowd = "2"};
    // cid is not there, though somebody has his bus
    figures_are(&c,
                TOLD("0.5", "0.3333333333333333", "0.25", "0.75", "4", "3", "2", "0.75", "0.5"));
}

static void one_person_may_be_several_users(void **state)
{
    (void)state;
    // both of ann's that hold a word are hers; a line of the map that comes again says no more
    sc_case c = {.log = "ann\tred" T "ann\tcar" T "bob\tbus" T,
                 .published = "w\tred" D "x\tcar" D "y\tbus" D "z\t[phone]" D,
                 .map = "ann\tw\nann\tx\nann\tx\nbob\ty\nbob\tz\n",
                 .crowd = "2",
                 .renamed = true};
    figures_are(&c, TOLD("1.0", "0.25", "0.5", "1.0", "2", "3", "2", "1.0", "1.0"));
    c.map = NULL;
    char *text = figures(&c, 1);
    assert_non_null(strstr(text, "{\"success\":0.75,"));
    assert_non_null(strstr(text, "a person may have several published users"));
    lethe_json_text_free(text);
    // and a user may be two persons'
    c.published = "w\tred car bus" D;
    c.map = "ann\tw\nbob\tw\n";
    figures_are(&c, TOLD("1.0", "1.0", "1.0", "1.0", "2", "3", "2", "1.0", "1.0"));
}

static void hashes_and_labels_hold_nothing(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\t0123456789abcdef0123456789abcdef" T "bob\tred" T,
                 .published = "w\t#0123456789abcdef0123456789abcdef" D "x\tred" D,
                 .map = "ann\tw\nbob\tx\n",
                 .manifest = "{\"claims\":[{\"notion\":\"query-threshold\",\"rare\":\"hash\"}]}"};
    figures_are(&c, TOLD("0.5", "0.5", "0.5", "0.5", "2", "3", "5", "1.0", "1.0"));
    c.manifest = "{\"steps\":[{\"parameters\":{\"synthetic\":true}}]}";
    figures_are(&c, TOLD("0.0", "0.5", "0.0", "0.0", "2", "3", "5", "1.0",
                         "1.0") ",\"note\":\"categories are published instead of texts: they are "
                                "not searched\"");
}

static void of_a_sealed_log_what_opens(void **state)
{
    (void)state;
    sc_case c = {.log = four,
                 .published = "y\tbus\t2006-03-01\nz\tbus\t2006-03-01\n",
                 .n_sealed = 4,
                 .map = "ann\tw\nbob\tx\ncid\ty\ndan\tz\n"};
    figures_are(&c, TOLD("0.25", "0.25", "0.5", "0.5", "4", "3", "5", "0.75", "1.0"));
}

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

static void a_node_holds_what_is_below_it(void **state)
{
    (void)state;
    sc_case c = {.records = "apple milk\norange butter\nbeef grape\nchicken banana\n",
                 .tree = food,
                 .published = "dairy fruit\ndairy fruit\nfruit meat\nfruit meat\n",
                 .map = "1\t1\n2\t2\n3\t3\n4\t4\n",
                 .crowd = "3"};
    figures_are(&c, TOLD("0.5", "0.25", "1.0", "1.0", "4", "3", "3", "1.0", "1.0"));
    c.map = NULL;
    figures_are(&c, UNTOLD("0.5", "0.25", "1.0", "4", "3", "3", "1.0", "1.0") RECORDS);
    c.published = "food\nfood\nfruit\nfruit\n";
    c.map = "1\t1\n2\t2\n3\t3\n4\t\n";
    heard h;
    lethe_err e;
    assert_null(sc_text(&c, lethe_adversary_known_terms.run, lethe_adversary_known_terms.options, 1,
                        &h, &e)); // a line that is nobody's
    assert_int_equal(e, LETHE_EINPUT);
    c.published = "food\nfood\nfruit\n";
    // food may be all that is known of anybody, fruit half: the third is taken for one of the first
    figures_are(&c, TOLD("0.25", "0.3333333333333333", "0.5", "0.5", "4", "3", "3", "1.0", "1.0"));
}

static void bags_hold_any_member(void **state)
{
    (void)state;
    sc_case c = {.records = "apple\nbeef\nmilk\n",
                 .tree = food,
                 .published = "apple|beef\nbeef|milk\nmilk\n",
                 .map = "1\t1\n2\t2\n3\t3\n"};
    // apple one, beef two, milk two
    figures_are(&c, TOLD("0.6666666666666666", "0.3333333333333333", "1.0", "1.0", "3", "3", "5",
                         "1.0", "1.0"));
}

static void a_persons_records_are_all_theirs(void **state)
{
    (void)state;
    sc_case c = {.records = "ann\tapple\nann\tapple\nbob\tapple\n",
                 .tree = food,
                 .published = "apple\napple\napple\n",
                 .map = "ann\t1\nann\t2\nbob\t3\n"};
    figures_are(&c, TOLD("0.5", "0.3333333333333333", "1.0", "1.0", "2", "3", "5", "0.5", "1.0"));
    c.map = NULL;
    figures_are(&c,
                UNTOLD("0.5", "0.3333333333333333", "1.0", "2", "3", "5", "0.5", "1.0") RECORDS);
}

static void inner_items_and_sensitive_ones_stand_somewhere(void **state)
{
    (void)state;
    sc_case c = {.records = "fruit\naids\n",
                 .tree = food,
                 .sets = true,
                 .sensitive = "aids\n",
                 .published = "aids\nfruit\n",
                 .map = "1\t2\n2\t1\n"};
    figures_are(&c, TOLD("1.0", "0.5", "1.0", "1.0", "2", "3", "5", "1.0", "1.0"));
    c.published = "=fruit\naids\n";
    c.map = "1\t1\n2\t2\n";
    figures_are(&c, TOLD("1.0", "0.5", "1.0", "1.0", "2", "3", "5", "1.0", "1.0"));
}

static void what_the_taxonomy_lacks_is_known_in_vain(void **state)
{
    (void)state;
    sc_case c = {.records = "apple stone\nstone\n",
                 .tree = food,
                 .loose = true,
                 .published = "\napple\n",
                 .map = "1\t2\n2\t1\n"};
    figures_are(&c, TOLD("0.5", "0.5", "0.5", "0.5", "2", "3", "5", "1.0", "1.0"));
}

static void strategies_are(const sc_case *c, const char *want)
{
    for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        char *text = answer(c, threads), *from = strstr(text, "\"strategy\":"),
             *to = from ? strstr(from, "}}") : NULL;
        assert_non_null(to);
        to[2] = '\0';
        assert_string_equal(from, want);
        lethe_json_text_free(text);
    }
}

#define BY(best, best_before, most, idf, bayes, near)                                              \
    "\"strategy\":\"" best "\",\"strategy_before\":\"" best_before "\",\"strategies\":{"           \
    "\"most\":{" most "},\"idf\":{" idf "},\"bayes\":{" bayes "},\"near\":{" near "}}"
#define OF(success, before) "\"success\":" success ",\"before\":" before

static void a_rare_term_weighs_more(void **state)
{
    (void)state;
    // of ann one word is shown, and everybody else shows the other
    sc_case c = {.log = "ann\trare common" T "bob\tcommon q" T "cid\tcommon b" T "dan\tcommon c" T,
                 .published = "w\trare" D "x\tcommon q" D "y\tcommon b" D "z\tcommon c" D,
                 .map = "ann\tw\nbob\tx\ncid\ty\ndan\tz\n"};
    static const char want[] = BY("idf", "most", OF("0.8125", "1.0"), OF("1.0", "1.0"),
                                  OF("1.0", "1.0"), OF("1.0", "1.0"));
    strategies_are(&c, want);
    c.map = NULL; // each strategy is bounded by itself
    strategies_are(&c, want);
}

static void a_small_profile_weighs_more(void **state)
{
    (void)state;
    // bob's only word is ann's too, and she has seven others
    sc_case c = {.log = "ann\tq b c d e f g h" T "bob\tq" T,
                 .published = "x\tq b c d e f g h" D "y\tq" D,
                 .map = "ann\tx\nbob\ty\n"};
    strategies_are(&c, BY("idf", "idf", OF("0.75", "0.75"), OF("1.0", "1.0"), OF("1.0", "1.0"),
                          OF("1.0", "1.0")));
    // a person with several users is found by any of them
    c.log = "ann\tq b" T "bob\tq b c d e f g h" T;
    c.published = "v\tq" D "w\tb" D "x\tq b c d e f g h" D;
    c.map = "ann\tv\nann\tw\nbob\tx\n";
    // x has both of ann's words, v and w one each and nothing else
    strategies_are(&c, BY("idf", "idf", OF("0.5", "0.75"), OF("1.0", "1.0"), OF("1.0", "1.0"),
                          OF("1.0", "1.0")));
}

static void function_words_of_a_log_are_not_known(void **state)
{
    (void)state;
    // bob is nobody to look for; of ann two words are known, and of cid one
    sc_case c = {.log = "ann\tdoes wine age" T "bob\twhat is it" T "cid\tthe wine" T,
                 .published = "x\twine age" D "y\twhat is it" D "z\tthe wine" D,
                 .map = "ann\tx\nbob\ty\ncid\tz\n"};
    char *text = answer(&c, 2);
    assert_non_null(strstr(text, "\"success\":0.75,"));
    assert_non_null(strstr(text, "\"persons\":2,"));
    lethe_json_text_free(text);
    // items of records are what they are called
    sc_case r = {.records = "ann\twho the\nbob\tapple\n",
                 .tree = "the\tfood\nwho\tfood\napple\tfood\n",
                 .published = "apple\nthe who\n",
                 .map = "ann\t2\nbob\t1\n"};
    text = answer(&r, 2);
    assert_non_null(strstr(text, "\"success\":1.0,"));
    assert_non_null(strstr(text, "\"persons\":2,"));
    lethe_json_text_free(text);
}

static void an_item_high_above_is_weak_evidence(void **state)
{
    (void)state;
    sc_case c = {.records = "apple\nbeef\nmilk\n",
                 .tree = food,
                 .published = "apple\nfood\nfood\n",
                 .map = "1\t1\n2\t2\n3\t3\n"};
    // all three may be apple's, and one says so
    strategies_are(&c, BY("idf", "most", OF("0.4444444444444444", "1.0"),
                          OF("0.6666666666666666", "1.0"), OF("0.6666666666666666", "1.0"),
                          OF("0.6666666666666666", "1.0")));
}

#define EPSILON(x, metric)                                                                         \
    "{\"steps\":[{\"parameters\":{\"epsilon\":" x ",\"metric\":\"" metric "\"}}]}"

static void a_term_may_stand_for_another(void **state)
{
    (void)state;
    // apple, beef and milk are found by what stands for them; grape is as near to apple as banana,
    // but where it stands for itself it does not stand for apple
    sc_case c = {.records = "ann\tapple grape\nbob\tbeef grape\ncid\tgrape\ndan\tmilk\n",
                 .tree = food,
                 .published = "banana grape\nbutter\nchicken grape\ngrape\n",
                 .map = "ann\t1\nbob\t3\ncid\t4\ndan\t2\n",
                 .manifest = EPSILON("2", "tree")};
    static const char near[] = BY("near", "idf", OF("0.25", "0.8333333333333334"),
                                  OF("0.25", "1.0"), OF("0.25", "1.0"), OF("1.0", "1.0"));
    static const char nothing_near[] = BY("most", "idf", OF("0.25", "0.8333333333333334"),
                                          OF("0.25", "1.0"), OF("0.25", "1.0"), OF("0.25", "1.0"));
    strategies_are(&c, near);
    c.manifest = EPSILON("1", "tree"); // siblings are two edges apart
    strategies_are(&c, nothing_near);
    c.manifest = EPSILON("6", "tree"); // all are near: the nearest decide
    strategies_are(&c, near);
    c.manifest = NULL; // a method that puts nothing in the place of something else
    strategies_are(&c, nothing_near);
}

/* Words are looked up as the step looked them up. */
static void plurals_of_a_log_are_nouns(void **state)
{
    (void)state;
    if (!lethe_wordnet_installed(NULL)) {
        puts("no WordNet");
        skip();
    }
    static const char tree[] = "dog\tentity.n.01\ncar\tentity.n.01\nauto\tentity.n.01\n";
    sc_case c = {.log = "ann\tdogs" T "bob\tquickly" T,
                 .tree = tree,
                 .loose = true,
                 .published = "\ndog\n",
                 .map = "ann\t2\nbob\t1\n",
                 .manifest = "{\"steps\":[{\"parameters\":{\"taxonomy\":\"wordnet\"}}]}"};
    figures_are(&c, TOLD("0.5", "0.5", "0.5", "0.5", "2", "3", "5", "1.0", "1.0"));
    // words are taken as they stand where the step took them so, and then looked up
    c.manifest = "{\"steps\":[{\"parameters\":{\"taxonomy\":\"wordnet\",\"terms\":\"words\"}}]}";
    figures_are(&c, TOLD("0.5", "0.5", "0.5", "0.5", "2", "3", "5", "1.0", "1.0"));
    c.manifest = "{\"steps\":[{\"parameters\":{}}]}";
    figures_are(&c, TOLD("0.0", "0.5", "0.0", "0.0", "2", "3", "5", "1.0", "1.0"));
    // what stands for a synonym is found by it
    c.log = "ann\tautos" T "bob\tquickly" T;
    c.published = "\ncar\n";
    c.manifest = "{\"steps\":[{\"parameters\":{\"taxonomy\":\"wordnet\",\"synonyms\":\"merge\"}}]}";
    figures_are(&c, TOLD("0.5", "0.5", "0.5", "0.5", "2", "3", "5", "1.0", "1.0"));
}

static void the_same_is_known_whatever_is_released(void **state)
{
    (void)state;
    char log[16384] = "", one[96];
    for (int i = 0; i < 100; i++) {
        snprintf(one, sizeof one, "u%d\tw%d w%d w%d w%d" T, i, i % 7, i % 11, i % 13, i % 3);
        strcat(log, one);
    }
    sc_case c = {.log = log, .published = "x\tw1 w2" D, .known = "2", .has_seed = true, .seed = 5};
    char *a = figures(&c, 1);
    c.published = "x\tw3" D "y\tw4" D;
    char *b = figures(&c, 2);
    size_t n_before = strcspn(strstr(a, "\"before\""), ",");
    assert_memory_equal(strstr(a, "\"before\""), strstr(b, "\"before\""), n_before);
    assert_string_not_equal(a, b);
    c.seed = 6;
    char *other = figures(&c, 2);
    assert_string_not_equal(b, other);
    lethe_json_text_free(a);
    lethe_json_text_free(b);
    lethe_json_text_free(other);
}

static void nobody_is_nobody(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\t???" T, .published = "x\t???" D};
    figures_are(&c, UNTOLD("0.0", "1.0", "0.0", "0", "3", "5", "0.0", "0.0") NOBODY);
    sc_case r = {.records = "\n", .tree = food, .published = "\n"};
    figures_are(&r, UNTOLD("0.0", "1.0", "0.0", "0", "3", "5", "0.0", "0.0") NOBODY);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    sc_case c = {.log = four, .published = "w\tcar" D, .map = "ann\tx\n"};
    assert_null(sc_text(&c, lethe_adversary_known_terms.run, lethe_adversary_known_terms.options, 1,
                        &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
    assert_string_equal(h.text, "the map does not match this release: it lacks a published user");
    c.map = "ann\n";
    assert_null(sc_text(&c, lethe_adversary_known_terms.run, lethe_adversary_known_terms.options, 1,
                        &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
    assert_int_equal(h.line, 1);
    sc_case r = {.records = "apple\n",
                 .tree = food,
                 .published = "fruit\n",
                 .taxonomy = "meat\t\t8\nfruit\tmeat\t4\n"};
    assert_null(sc_text(&r, lethe_adversary_known_terms.run, lethe_adversary_known_terms.options, 1,
                        &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    sc_case l = {
        .log = four, .published = "w\tred car" D "x\tcar blue" D, .map = "ann\tw\nbob\tx\n"};
    sc_fails_without_memory(&l, lethe_adversary_known_terms.run,
                            lethe_adversary_known_terms.options);
    sc_case r = {.records = "ann\tapple milk\nann\tbeef\nbob\tgrape\n",
                 .tree = food,
                 .published = "apple|orange dairy\nfruit\nmeat\n",
                 .map = "ann\t1\nann\t3\nbob\t2\n"};
    sc_fails_without_memory(&r, lethe_adversary_known_terms.run,
                            lethe_adversary_known_terms.options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_that_shows_all_shows_as_much),
        cmocka_unit_test(those_who_hold_most_are_candidates),
        cmocka_unit_test(own_names_need_no_map),
        cmocka_unit_test(one_person_may_be_several_users),
        cmocka_unit_test(hashes_and_labels_hold_nothing),
        cmocka_unit_test(of_a_sealed_log_what_opens),
        cmocka_unit_test(a_node_holds_what_is_below_it),
        cmocka_unit_test(bags_hold_any_member),
        cmocka_unit_test(a_persons_records_are_all_theirs),
        cmocka_unit_test(inner_items_and_sensitive_ones_stand_somewhere),
        cmocka_unit_test(what_the_taxonomy_lacks_is_known_in_vain),
        cmocka_unit_test(a_rare_term_weighs_more),
        cmocka_unit_test(a_small_profile_weighs_more),
        cmocka_unit_test(function_words_of_a_log_are_not_known),
        cmocka_unit_test(an_item_high_above_is_weak_evidence),
        cmocka_unit_test(a_term_may_stand_for_another),
        cmocka_unit_test(plurals_of_a_log_are_nouns),
        cmocka_unit_test(the_same_is_known_whatever_is_released),
        cmocka_unit_test(nobody_is_nobody),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
