/* SPDX-License-Identifier: Apache-2.0 */
/* microagg at its edges: what is refused, what is left out and why, and what its options change. */
/* suite: threads */
#include "microagg_harness.h"
#include "core/ctx.h"
#include "core/mem.h"
#include "io/read/blocks.h"

static char said[2048];

static void hear(void *user, const lethe_message *m)
{
    (void)user;
    size_t n = strlen(said);
    snprintf(said + n, sizeof said - n, "%s\n", m->text);
}

static lethe_ctx *ctx_of(unsigned threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.n_threads = threads, .on_message = hear};
    said[0] = '\0';
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

/* --- logs written as one line: "user:query@second", parted by ; --- */

static olog log_of(const char *text)
{
    olog log = {calloc(256, sizeof(orow)), 0};
    char copy[4096], *save = NULL;
    strcpy(copy, text);
    for (char *part = strtok_r(copy, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        orow *r = &log.at[log.n++];
        char *colon = strchr(part, ':'), *when = strrchr(part, '@');
        assert_non_null(colon);
        if (when) *when = '\0';
        snprintf(r->user, sizeof r->user, "%.*s", (int)(colon - part), part);
        strcpy(r->owner, r->user);
        strcpy(r->query, colon + 1);
        r->time = when ? 1141171200 + atoi(when + 1) : LETHE_NO_TIME;
        r->rank = LETHE_NO_RANK;
    }
    return log;
}

static const char directory[] = "barca\tSports/Soccer/UEFA/Spain\n"
                                "messi\tSports/Soccer/Players\n"
                                "nba\tSports/Basketball/Professional\n"
                                "python\tComputers/Programming/Languages\n"
                                "java\tComputers/Programming/Languages\n"
                                "linux\tComputers/Software/OS\n"
                                "paella\tHome/Cooking/Spanish\n"
                                "sushi\tHome/Cooking/Japanese\n";
static const char seven[] =
    "u1:barca@0;u1:barca@1;u1:barca@2;u1:messi@3;u2:messi@0;u2:barca@1;u2:nba@2;u3:python@0;"
    "u3:java@1;u3:linux@2;u3:python@3;u4:java@0;u4:linux@1;u5:paella@0;u5:sushi@1;u5:barca@2;"
    "u6:paella@0;u6:paella@1;u7:sushi@0;u7:python@1";

typedef struct trial {
    harness h;
    olog log;
    char path[64];
    lethe_err err;
} trial;

static trial try_log(const char *lines, olog log, const char *options, uint64_t seed)
{
    trial t = {.log = log};
    h_directory(lines, t.path);
    h_begin(&t.h, ctx_of(2));
    t.err = h_run_rows(&t.h, &t.log, &(h_how){options, t.path, seed, 0, NULL});
    h_sort(&t.h.rows);
    return t;
}

static trial try_with(const char *lines, const char *log, const char *options)
{
    return try_log(lines, log_of(log), options, 1);
}

static void trial_end(trial *t)
{
    lethe_ctx *ctx = t->h.ctx;
    h_end(&t->h);
    lethe_ctx_free(ctx);
    o_free(&t->log);
    unlink(t->path);
}

static bool publishes(const harness *h, const char *user, const char *query)
{
    for (size_t i = 0; i < h->rows.n; i++)
        if (strcmp(h->rows.at[i].query, query) == 0 &&
            (!user || strcmp(h->rows.at[i].user, user) == 0))
            return true;
    return false;
}

static void refused(const char *lines, const char *log, const char *options, lethe_err want,
                    const char *words)
{
    trial t = try_with(lines, log, options);
    assert_int_equal(t.err, want);
    if (!strstr(said, words)) fail_msg("said '%s'", said);
    if (strstr(strstr(said, words) + 1, words)) fail_msg("said twice: '%s'", said);
    trial_end(&t);
}

/* --- tests --- */

/* Nouns are reduced, and their category is that of the dictionary. */
static void wordnet_is_a_directory(void **state)
{
    (void)state;
    harness h;
    lethe_ctx *ctx = ctx_of(2);
    olog log = log_of("a:cars@0;a:cars@1;b:car@0;b:geese zz@1;b:cars@2;b:cars@3");
    h_begin(&h, ctx);
    assert_int_equal(
        h_run_rows(&h, &log, &(h_how){"k=2 levels=1 min-users=2", "wordnet", 1, 0, NULL}),
        LETHE_OK);
    const lethe_json *classified = lethe_json_get(h.metrics, "classified");
    double share = lethe_json_real(lethe_json_at(classified, 0)) - 6. / 7;
    assert_true(share < 1e-12 && share > -1e-12);
    assert_true(publishes(&h, "a", "cars") && !publishes(&h, "a", "car"));
    h_end(&h);
    lethe_ctx_free(ctx);
    o_free(&log);
}

static void all_users_of_a_group_have_one_list(void **state)
{
    (void)state;
    trial t = try_with(directory, seven, "k=2 levels=3 min-users=1");
    assert_int_equal(t.err, LETHE_OK);
    assert_int_equal(h_figure(&t.h, "clusters"), 3);
    assert_int_equal(h_figure(&t.h, "rows_out"), t.h.rows.n);
    assert_int_equal(t.h.kept + t.h.dropped, t.log.n);
    assert_true(h_holds(&t.h, 0));
    for (size_t i = 0; i < t.h.rows.n; i++) {
        const orow *r = &t.h.rows.at[i];
        assert_string_equal(r->user, r->owner);
        assert_true(r->time == LETHE_NO_TIME && r->rank == LETHE_NO_RANK && !*r->url);
    }
    /* odp-04: u1 u2; u3 u4 u7; u5 u6 */
    assert_false(publishes(&t.h, "u1", "paella") || publishes(&t.h, "u2", "java"));
    assert_true(publishes(&t.h, "u1", "barca") && publishes(&t.h, "u2", "barca"));
    assert_true(publishes(&t.h, "u7", "python") && publishes(&t.h, "u4", "python"));
    trial_end(&t);
}

static void too_few_users_are_refused(void **state)
{
    (void)state;
    refused(directory, seven, "k=8", LETHE_ANSWER_NO,
            "fewer than k users: there are 7, and k is 8");
    refused(directory, "a:barca", "k=2", LETHE_ANSWER_NO, "fewer than k users: there are 1");
    refused(directory, "a:barca@0;a:messi@1", "k=2", LETHE_ANSWER_NO, "fewer than k users");
}

static void renamed_users_are_refused(void **state)
{
    (void)state;
    olog log = log_of(seven);
    strcpy(log.at[3].user, "persona");
    trial t = try_log(directory, log, "k=2", 1);
    assert_int_equal(t.err, LETHE_EUSAGE);
    assert_non_null(strstr(said, "several names"));
    assert_int_equal(t.h.rows.n, 0);
    trial_end(&t);
}

static void a_directory_without_the_words_is_refused(void **state)
{
    (void)state;
    static const char other[] = "zebra\tAnimals/Africa\n";
    refused(other, seven, "k=2", LETHE_ANSWER_NO, "no word of the queries is in the directory");
    refused(other, seven, "k=2 levels=auto", LETHE_ANSWER_NO, "no word of the queries");
    trial t = try_with(other, seven, "k=2 cluster=random min-users=1");
    assert_int_equal(t.err, LETHE_OK);
    const lethe_json *srp = lethe_json_get(t.h.metrics, "srp");
    assert_int_equal(lethe_json_count(srp), 5);
    assert_int_equal(lethe_json_kind(lethe_json_at(srp, 0)), LETHE_JSON_NULL);
    trial_end(&t);
    refused(other, seven, "k=2 cluster=random synthetic=1", LETHE_ANSWER_NO, "nothing is left");
    refused("bad line\n", seven, "k=2", LETHE_EINPUT, "no tab");
}

static void users_without_a_category_are_units_too(void **state)
{
    (void)state;
    trial t =
        try_with(directory,
                 "a:barca@0;a:barca@1;b:barca@0;b:barca@1;c:xx yy@0;d:zz@0;d:!@1;e:xx yy@0;e:zz@1",
                 "k=2 levels=2 min-users=2");
    assert_int_equal(t.err, LETHE_OK);
    assert_int_equal(h_figure(&t.h, "clusters"), 2);
    assert_int_equal(t.h.kept + t.h.dropped, t.log.n);
    assert_true(h_holds(&t.h, 0));
    assert_true(publishes(&t.h, "a", "barca") && publishes(&t.h, "b", "barca"));
    assert_false(publishes(&t.h, "c", "barca"));
    assert_int_equal(h_dropped(&t.h, "too few users"), 1); /* the sign alone */
    trial_end(&t);
}

static void a_text_of_one_user_stays_at_home(void **state)
{
    (void)state;
    static const char log[] = "a:barca@0;a:barca@1;a:ann lee barca@2;a:ann lee barca@3;"
                              "a:ann lee barca@4;b:barca@0;b:barca@1";
    trial t = try_with(directory, log, "k=2 min-users=2");
    assert_int_equal(t.err, LETHE_OK);
    assert_false(publishes(&t.h, NULL, "ann lee barca"));
    assert_int_equal(h_dropped(&t.h, "too few users"), 3);
    trial_end(&t);
    t = try_with(directory, log, "k=2 min-users=1");
    assert_true(publishes(&t.h, "a", "ann lee barca") && publishes(&t.h, "b", "ann lee barca"));
    trial_end(&t);
    refused(directory, log, "k=2", LETHE_ANSWER_NO, "nothing is left to publish");
}

/* |Q| counts what is left in the lists: without the lone text each has 2 of 4 queries. */
static void quotas_go_by_what_is_left(void **state)
{
    (void)state;
    trial t = try_with(directory, "a:barca@0;a:barca@1;a:lone@2;a:lone@3;b:barca@0;b:barca@1",
                       "k=2 min-users=2 list=paper");
    assert_int_equal(t.err, LETHE_OK);
    assert_int_equal(t.h.rows.n, 4); /* half of 2, thrown no coin for, by two, for two */
    assert_int_equal(t.h.kept, 4);
    trial_end(&t);
}

static void lines_of_one_time_are_one_query(void **state)
{
    (void)state;
    /* 3 clicks of one query: of |Q| = 1 in 2, half a copy each; with repetitions it would be 3 */
    trial t = try_with(directory, "a:barca@0;a:barca@0;a:barca@0;b:barca@0;b:barca@0;b:barca@0",
                       "k=2 min-users=2 list=paper");
    assert_true(t.h.rows.n <= 4 && t.h.kept + t.h.dropped == 6);
    trial_end(&t);
    t = try_with(directory,
                 "a:barca@0;a:barca@1;a:barca@2;a:barca@3;b:barca@0;b:barca@1;"
                 "b:barca@2;b:barca@3",
                 "k=2 min-users=2 list=paper");
    assert_int_equal(t.h.rows.n, 8); /* 4 * 4 / 8 = 2 each, for certain, for two */
    trial_end(&t);
    /* without times they cannot be told apart */
    t = try_with(directory, "a:barca;a:barca;a:barca;a:barca;b:barca;b:barca;b:barca;b:barca",
                 "k=2 min-users=2 list=paper");
    assert_true(t.h.rows.n <= 4);
    trial_end(&t);
}

static size_t copies(const harness *h, const char *user, const char *query)
{
    size_t n = 0;
    for (size_t i = 0; i < h->rows.n; i++)
        n += strcmp(h->rows.at[i].query, query) == 0 && strcmp(h->rows.at[i].user, user) == 0;
    return n;
}

/* --list coverage: what is in the list of two users, as text and number of copies. */
static void a_list_covers_its_members(void **state)
{
    (void)state;
    static const struct {
        const char *name, *log, *options;
        const char *text[3];
        size_t copies[3], rows; /* rows: of one user */
    } cases[] = {
        /* Each member counts alike: python is all that b has, barca a third of what a has. */
        {"the light member too",
         "a:barca@0;a:barca@1;a:nba@2;b:python@0",
         "min-users=1",
         {"python", "barca"},
         {1, 1},
         2},
        /* What may not be published is stood for by what has its categories. */
        {"stands for others",
         "a:barca@0;a:barca a@1;a:barca b@2;a:barca c@3;b:barca@0;b:barca d@1;b:barca e@2;"
         "b:barca f@3",
         "min-users=2",
         {"barca"},
         {4},
         4},
        /* Texts of the same categories have a part each, by how often they were asked. */
        {"java and python",
         "a:java@0;a:python@1;a:java@2;a:java@3;a:java@4;a:java@5;b:java@0;b:python@1;b:java@2;"
         "b:java@3;b:java@4;b:java@5",
         "min-users=2",
         {"java", "python"},
         {5, 1},
         6},
        /* One in two of the queries without a category, those that were asked most. */
        {"without a category",
         "a:barca@0;a:zz@1;a:zz@2;b:barca@0;b:zz@1;b:yy@2;a:yy@3;b:xx@4",
         "min-users=1",
         {"zz", "yy", "barca"},
         {2, 1, 1},
         4},
        /* Nothing is left to cover: what was asked most, no more often than it was asked. */
        {"filled",
         "a:barca@0;a:lone@1;a:rare@2;a:only@3;b:barca@0;b:one@1;b:two@2;b:three@3",
         "min-users=2",
         {"barca"},
         {2},
         2},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char options[64];
        snprintf(options, sizeof options, "k=2 %s", cases[i].options);
        trial t = try_with(directory, cases[i].log, options);
        assert_int_equal(t.err, LETHE_OK);
        for (size_t k = 0; k < 3 && cases[i].text[k]; k++)
            for (const char *user = "a"; user; user = *user == 'a' ? "b" : NULL)
                if (copies(&t.h, user, cases[i].text[k]) != cases[i].copies[k])
                    fail_msg("%s: %zu of '%s'", cases[i].name, copies(&t.h, user, cases[i].text[k]),
                             cases[i].text[k]);
        if (t.h.rows.n != 2 * cases[i].rows) fail_msg("%s: %zu rows", cases[i].name, t.h.rows.n);
        trial_end(&t);
    }
}

static void personal_data_is_masked_first(void **state)
{
    (void)state;
    static const char log[] = "a:call 212-555-0187 barca@0;a:call 212-555-0187 barca@1;"
                              "b:call 415-555-0123 barca@0;b:call 415-555-0123 barca@1";
    trial t = try_with(directory, log, "k=2 min-users=2");
    assert_int_equal(t.err, LETHE_OK);
    assert_true(publishes(&t.h, "a", "call [phone] barca")); /* two users now */
    assert_int_equal(lethe_json_count(t.h.claims), 2);
    assert_true(h_holds(&t.h, 0) && h_holds(&t.h, 1));
    trial_end(&t);
    refused(directory, log, "k=2 no-scrub=1", LETHE_ANSWER_NO,
            "nothing is left"); /* two lone texts */
    t = try_with(directory, log, "k=2 no-scrub=1 min-users=1");
    assert_int_equal(t.err, LETHE_OK);
    assert_true(publishes(&t.h, "b", "call 212-555-0187 barca"));
    assert_int_equal(lethe_json_count(t.h.claims), 1); /* and nothing else is promised */
    trial_end(&t);
}

static void hashes_of_an_earlier_step_pass(void **state)
{
    (void)state;
    static const char hash[] = "#01234567890123456789012345678901";
    static const char claims[] = "[{\"notion\":\"query-threshold\",\"rare\":\"hash\"}]";
    lethe_json_doc *doc = NULL;
    lethe_json *before = NULL;
    char log[400], path[64];
    snprintf(log, sizeof log, "a:%s@0;a:%s@1;a:barca@2;b:%s@0;b:%s@1;b:barca@2", hash, hash, hash,
             hash);
    assert_int_equal(lethe_json_parse(NULL, "claims", LETHE_LIT(claims), &doc, &before), LETHE_OK);
    h_directory(directory, path);
    for (int allowed = 0; allowed < 2; allowed++) {
        harness h;
        olog rows = log_of(log);
        lethe_ctx *ctx = ctx_of(1);
        h_begin(&h, ctx);
        assert_int_equal(
            h_run_rows(&h, &rows, &(h_how){"k=2 min-users=2", path, 1, 0, allowed ? before : NULL}),
            LETHE_OK);
        assert_int_equal(publishes(&h, "a", hash), allowed);
        h_end(&h);
        o_free(&rows);
        lethe_ctx_free(ctx);
    }
    lethe_json_doc_free(doc);
    unlink(path);
}

/* Rows that outgrow a line when masked are left out; their user is a person still. */
static void a_user_of_whom_nothing_is_left_is_still_one(void **state)
{
    (void)state;
    char path[64], *text = NULL;
    size_t n;
    harness h;
    lethe_log *log = NULL;
    lethe_ctx *ctx = ctx_of(1);
    FILE *f = open_memstream(&text, &n);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    fputs("a\tbarca\t2006-03-01 10:00:00\t\t\na\tbarca\t2006-03-01 10:00:01\t\t\n", f);
    fputs("b\t", f);
    for (size_t i = 0; i + 8 < LETHE_LINE_MAX - 256; i += 7)
        fputs("a@b.co ", f); /* a mask is longer */
    fputs("barca\t2006-03-01 10:00:00\t\t\n", f);
    fclose(f);
    lethe_read_options reading = {0};
    assert_int_equal(lethe_log_memory(ctx, (lethe_str){text, n}, &reading, &log), LETHE_OK);
    h_directory(directory, path);
    h_begin(&h, ctx);
    assert_int_equal(h_run(&h, log, &(h_how){"k=2 min-users=1", path, 1, 0, NULL}), LETHE_OK);
    assert_int_equal(h_figure(&h, "clusters"), 1);
    assert_int_equal(h_dropped(&h, "too long once masked"), 1);
    assert_int_equal(h.kept, 2);
    assert_true(publishes(&h, "b", "barca") && h_holds(&h, 0));
    h_end(&h);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    unlink(path);
    free(text);
}

/* A text that fits beside its own user's name need not fit beside another's. */
static void a_text_must_fit_beside_every_name(void **state)
{
    (void)state;
    char path[64], *text = NULL;
    size_t n;
    harness h;
    lethe_log *log = NULL;
    lethe_ctx *ctx = ctx_of(1);
    FILE *f = open_memstream(&text, &n);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\na\tbarca ", f);
    for (size_t i = 0; i < LETHE_LINE_MAX - 200; i += 2)
        fputs("x ", f);
    fputs("z\t2006-03-01 10:00:00\t\t\na\tbarca\t2006-03-01 10:00:01\t\t\n", f);
    fprintf(f, "%0100d\tbarca\t2006-03-01 10:00:00\t\t\n", 7);
    fclose(f);
    lethe_read_options reading = {0};
    assert_int_equal(lethe_log_memory(ctx, (lethe_str){text, n}, &reading, &log), LETHE_OK);
    h_directory(directory, path);
    h_begin(&h, ctx);
    lethe_err err = h_run(&h, log, &(h_how){"k=2 min-users=1 no-scrub=1", path, 1, 0, NULL});
    assert_true(err == LETHE_OK || err == LETHE_ANSWER_NO); /* as the coins fall */
    assert_int_equal(h_dropped(&h, "too long to be published with every name"), 1);
    assert_int_equal(h.kept + h.dropped, 3);
    h_end(&h);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    unlink(path);
    free(text);
}

static void labels_stand_for_words(void **state)
{
    (void)state;
    static const char log[] = "a:barca messi hm@0;a:barca messi hm@1;b:messi Oh barca@0;"
                              "b:messi barca@1;b:hm@2";
    /* different texts, the same labels in another order */
    trial t = try_with(directory, log, "k=2 levels=2 synthetic=1 min-users=2 list=paper");
    assert_int_equal(t.err, LETHE_OK);
    assert_true(publishes(&t.h, "a", "soccer soccer") && publishes(&t.h, "b", "soccer soccer"));
    assert_int_equal(h_dropped(&t.h, "without a word"), 1);
    assert_int_equal(t.h.kept, 4);
    assert_int_equal(t.h.rows.n, 4);
    trial_end(&t);
    t = try_with(directory, log, "k=2 levels=9 synthetic=1 min-users=1");
    assert_true(publishes(&t.h, "b", "spain players") || publishes(&t.h, "b", "players spain"));
    trial_end(&t);
    refused(directory, log, "k=2 levels=3 synthetic=1 min-users=2", LETHE_ANSWER_NO,
            "nothing is left");
}

/* A category's name is looked through as a query is. */
static void labels_are_scrubbed_and_normal(void **state)
{
    (void)state;
    static const char lines[] = "aa\tTop/Call  212-555-0187 NOW\nbb\tTop/  \xc3\x89T\xc3\x89 \n";
    static const char log[] = "a:aa@0;a:aa@1;a:bb@2;a:bb@3;b:aa@0;b:aa@1;b:bb@2;b:bb@3";
    trial t = try_with(lines, log, "k=2 synthetic=1 min-users=2");
    assert_int_equal(t.err, LETHE_OK);
    assert_true(publishes(&t.h, "a", "call [phone] now"));
    assert_true(publishes(&t.h, "a", "\xc3\xa9t\xc3\xa9"));
    assert_true(h_holds(&t.h, 0) && h_holds(&t.h, 1));
    trial_end(&t);
    t = try_with(lines, log, "k=2 synthetic=1 no-scrub=1 min-users=2");
    assert_true(publishes(&t.h, "a", "call 212-555-0187 now"));
    trial_end(&t);
}

static void a_path_of_a_thousand_levels_counts(void **state)
{
    (void)state;
    char *lines = NULL;
    size_t n;
    FILE *f = open_memstream(&lines, &n);
    fputs("deep\t0", f);
    for (int i = 1; i < 1000; i++)
        fprintf(f, "/%d", i);
    fputs("\nflat\ttop\n", f);
    fclose(f);
    static const char log[] = "a:deep@0;a:deep@1;b:deep@0;b:deep@1;b:flat@2;a:flat@2";
    static const struct {
        const char *options;
        size_t levels;
    } cases[] = {{"k=2 min-users=2 levels=1000", 1000},
                 {"k=2 min-users=2 levels=auto", 1000},
                 {"k=2 min-users=2 levels=5", 5},
                 {"k=2 min-users=2 levels=10000", 10000}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        trial t = try_with(lines, log, cases[i].options);
        const lethe_json *classified = lethe_json_get(t.h.metrics, "classified");
        assert_int_equal(t.err, LETHE_OK);
        assert_int_equal(lethe_json_count(classified), cases[i].levels);
        assert_true(lethe_json_real(lethe_json_at(classified, 0)) == 1);
        double last = lethe_json_real(lethe_json_at(classified, cases[i].levels - 1));
        assert_true(cases[i].levels == 10000 ? last == 0 : last > 0.6 && last < 0.7);
        trial_end(&t);
    }
    trial t = try_with(lines, log, "k=2 levels=1000 synthetic=1 min-users=2");
    assert_true(publishes(&t.h, "a", "999"));
    trial_end(&t);
    free(lines);
}

static void levels_go_as_deep_as_half_of_the_queries(void **state)
{
    (void)state;
    static const char lines[] = "w1\ta\nw2\ta/b\nw3\ta/b/c\nw3\tx/y/z/v\n";
    static const struct {
        const char *log, *options;
        size_t levels;
    } cases[] = {
        {"a:w1@0;b:w1@0", "levels=auto", 1},
        {"a:w1@0;a:w2@1;b:w1@0;b:w2@1", "levels=auto", 2}, /* half is enough */
        {"a:w1@0;b:w1@0;b:w2@1", "levels=auto", 1},
        {"a:w1 w1 w2@0;b:w1@0", "levels=auto", 2}, /* any of its words */
        {"a:w3@0;b:w3@0", "levels=auto", 4},       /* any of its categories */
        {"a:w3@0;b:w3@0", "levels=auto categories=1", 3},
        {"a:w1@0;b:zz@0;b:yy@1", "levels=auto", 1}, /* at least 1 */
        {"a:w3 zz zz@0;b:zz@0", "levels=auto", 4},
        {"a:w3@0;b:zz@0;b:yy@1", "levels=auto", 1},           /* queries without a category count */
        {"a:w3@0;b:[email]@0;b:[email]@1", "levels=auto", 1}, /* masks too */
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char options[128];
        snprintf(options, sizeof options, "k=2 min-users=1 %s", cases[i].options);
        trial t = try_with(lines, cases[i].log, options);
        size_t got = lethe_json_count(lethe_json_get(t.h.metrics, "classified"));
        if (got != cases[i].levels) fail_msg("case %zu: %zu levels", i, got);
        trial_end(&t);
    }
}

/* Whoever is with whom, there are enough; and it is not always the same. */
static void chance_makes_groups_of_k_at_least(void **state)
{
    (void)state;
    static const struct {
        size_t n, k;
    } cases[] = {{2, 2}, {3, 2}, {5, 3}, {7, 3}, {8, 3}, {9, 5}, {12, 4}};
    for (size_t c = 0; c < LETHE_COUNT(cases); c++) {
        char first[8192] = "";
        size_t differ = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            char log[4096] = "", options[64], lists[8192] = "";
            for (size_t u = 0; u < cases[c].n; u++)
                for (size_t i = 0; i < 12; i++)
                    sprintf(log + strlen(log), "%zu:%c own%zu@%zu;", u, 'a' + (char)u, u, i);
            snprintf(options, sizeof options, "k=%zu cluster=random min-users=1", cases[c].k);
            trial t = try_log(directory, log_of(log), options, seed);
            assert_int_equal(t.err, LETHE_OK);
            assert_int_equal(h_figure(&t.h, "clusters"), cases[c].n / cases[c].k);
            assert_true(h_holds(&t.h, 0));
            for (size_t i = 0; i < t.h.rows.n && strlen(lists) < 8000; i++)
                sprintf(lists + strlen(lists), "%s%s;", t.h.rows.at[i].user, t.h.rows.at[i].query);
            if (seed == 0) strcpy(first, lists);
            differ += strcmp(first, lists) != 0;
            trial_end(&t);
        }
        if (cases[c].n / cases[c].k > 1) assert_true(differ > 10);
    }
}

/* Lists that are drawn differ by the seed, those that are chosen do not. */
static void decided_by_the_seed(const char *options, bool by_seed)
{
    static const unsigned threads[] = {1, 2, 7};
    static const uint64_t memory[] = {0, 1 << 20};
    olog log = {calloc(3000, sizeof(orow)), 0}, first[2] = {{0}};
    uint64_t draw = 5;
    char path[64];
    static const char *const words[] = {"barca", "messi",  "nba",   "python", "java",
                                        "linux", "paella", "sushi", "other"};
    while (log.n < 3000) {
        orow *r = &log.at[log.n++];
        snprintf(r->user, sizeof r->user, "%zu", o_below(&draw, 200));
        strcpy(r->owner, r->user);
        snprintf(r->query, sizeof r->query, "%s %s", words[o_below(&draw, 9)],
                 words[o_below(&draw, 9)]);
        r->time = (int64_t)o_below(&draw, 100000);
        r->rank = LETHE_NO_RANK;
    }
    h_directory(directory, path);
    for (uint64_t seed = 0; seed < 2; seed++)
        for (size_t i = 0; i < LETHE_COUNT(threads) * LETHE_COUNT(memory); i++) {
            harness h;
            lethe_ctx *ctx = ctx_of(threads[i / LETHE_COUNT(memory)]);
            h_begin(&h, ctx);
            h_how how = {options, path, seed, memory[i % LETHE_COUNT(memory)], NULL};
            assert_int_equal(h_run_rows(&h, &log, &how), LETHE_OK);
            h_sort(&h.rows);
            if (i == 0) {
                first[seed] = h.rows;
                h.rows = (olog){0};
            } else {
                assert_int_equal(h.rows.n, first[seed].n);
                for (size_t k = 0; k < h.rows.n; k++)
                    assert_int_equal(h_by_all(&h.rows.at[k], &first[seed].at[k]), 0);
            }
            h_end(&h);
            lethe_ctx_free(ctx);
        }
    bool same = first[0].n == first[1].n;
    for (size_t i = 0; same && i < first[0].n; i++)
        same = h_by_all(&first[0].at[i], &first[1].at[i]) == 0;
    assert_int_equal(same, !by_seed);
    o_free(&first[0]);
    o_free(&first[1]);
    o_free(&log);
    unlink(path);
}

static void the_seed_decides_and_nothing_else(void **state)
{
    (void)state;
    decided_by_the_seed("k=3 list=paper", true);
    decided_by_the_seed("k=3", false);
    decided_by_the_seed("k=3 cluster=random", true);
}

static void options_say_what_is_not_protected(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *words[7];
    } cases[] = {
        {"k=2", {"word for word", "more often than", "no category"}},
        {"k=2 min-users=1", {"--min-users 1", "word for word", "more often than", "no category"}},
        {"k=2 no-scrub=1", {"--no-scrub", "word for word", "more often than", "no category"}},
        {"k=2 min-users=1 no-scrub=1 synthetic=1 cluster=random list=paper",
         {"--min-users 1: labels", "--no-scrub", "--synthetic", "keep a --seed as secret",
          "heavy user", "--cluster random"}},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        h_options o;
        const char *out[LETHE_WARNS_MAX];
        h_set(&o, cases[i].options);
        size_t n = lethe_method_microagg.warns(&o.values, out);
        for (size_t k = 0; k < LETHE_COUNT(cases[i].words); k++) {
            assert_int_equal(k < n, cases[i].words[k] != NULL);
            if (k < n) assert_non_null(strstr(out[k], cases[i].words[k]));
        }
    }
}

static void options_out_of_range_are_bad_usage(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"k", "1"},           {"k", "0"},
        {"k", "-3"},          {"k", "2.5"},
        {"levels", "0"},      {"levels", "10001"},
        {"levels", "all"},    {"categories", "0"},
        {"categories", "-1"}, {"categories", "auto"},
        {"min-users", "0"},   {"cluster", "chance"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        h_options o;
        size_t at = 0;
        h_set(&o, "");
        while (strcmp(o.values.table[at].name, bad[i][0]) != 0)
            at++;
        if (lethe_values_set(&o.values, at, bad[i][1], NULL) != LETHE_EUSAGE)
            fail_msg("%s %s is taken", bad[i][0], bad[i][1]);
    }
    h_options o;
    h_set(&o, "");
    assert_int_equal(lethe_values_check(&o.values, "microagg", NULL), LETHE_EUSAGE); /* k */
    assert_true(lethe_method_microagg.samples && !lethe_method_microagg.renames);
    assert_ptr_equal(lethe_method_find("microagg"), &lethe_method_microagg);
}

static void stopping_stops_it(void **state)
{
    (void)state;
    char path[64];
    harness h;
    lethe_ctx *ctx = ctx_of(2);
    olog log = log_of(seven);
    lethe_log *in = h_store(ctx, &log);
    h_directory(directory, path);
    h_begin(&h, ctx);
    lethe_ctx_cancel(ctx);
    assert_int_equal(h_run(&h, in, &(h_how){"k=2", path, 1, 0, NULL}), LETHE_ECANCEL);
    assert_int_equal(h.rows.n, 0);
    h_end(&h);
    lethe_log_free(in);
    lethe_ctx_free(ctx);
    o_free(&log);
    unlink(path);
}

static lethe_err run_failing(const char *options, const char *path, const olog *log, uint64_t n)
{
    harness h;
    lethe_ctx *ctx = ctx_of(1);
    lethe_log *in = h_store(ctx, log);
    h_begin(&h, ctx);
    lethe_alloc_fail_at(n);
    lethe_err err = h_run(&h, in, &(h_how){options, path, 1, 0, NULL});
    lethe_alloc_fail_at(0);
    h_end(&h);
    lethe_log_free(in);
    lethe_ctx_free(ctx);
    return err;
}

static void every_failing_allocation_is_said(void **state)
{
    (void)state;
    static const char *const options[] = {"k=2 levels=auto min-users=1",
                                          "k=2 min-users=1 list=paper",
                                          "k=3 synthetic=1 cluster=random levels=2 min-users=2"};
    char path[64];
    olog log = log_of(seven);
    strcpy(log.at[2].query, "joe@aol.com barca");
    h_directory(directory, path);
    for (size_t i = 0; i < LETHE_COUNT(options); i++) {
        lethe_err err = LETHE_ENOMEM;
        uint64_t n = 1;
        for (; err != LETHE_OK; n++) {
            err = run_failing(options[i], path, &log, n);
            if (err != LETHE_OK && err != LETHE_ENOMEM)
                fail_msg("allocation %d: %s: %s", (int)n, lethe_err_name(err), said);
            assert_true(n < 10000);
        }
        assert_true(n > 60);
    }
    o_free(&log);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wordnet_is_a_directory),
        cmocka_unit_test(all_users_of_a_group_have_one_list),
        cmocka_unit_test(too_few_users_are_refused),
        cmocka_unit_test(renamed_users_are_refused),
        cmocka_unit_test(a_directory_without_the_words_is_refused),
        cmocka_unit_test(users_without_a_category_are_units_too),
        cmocka_unit_test(a_text_of_one_user_stays_at_home),
        cmocka_unit_test(quotas_go_by_what_is_left),
        cmocka_unit_test(lines_of_one_time_are_one_query),
        cmocka_unit_test(a_list_covers_its_members),
        cmocka_unit_test(personal_data_is_masked_first),
        cmocka_unit_test(hashes_of_an_earlier_step_pass),
        cmocka_unit_test(a_user_of_whom_nothing_is_left_is_still_one),
        cmocka_unit_test(a_text_must_fit_beside_every_name),
        cmocka_unit_test(labels_stand_for_words),
        cmocka_unit_test(labels_are_scrubbed_and_normal),
        cmocka_unit_test(a_path_of_a_thousand_levels_counts),
        cmocka_unit_test(levels_go_as_deep_as_half_of_the_queries),
        cmocka_unit_test(chance_makes_groups_of_k_at_least),
        cmocka_unit_test(the_seed_decides_and_nothing_else),
        cmocka_unit_test(options_say_what_is_not_protected),
        cmocka_unit_test(options_out_of_range_are_bad_usage),
        cmocka_unit_test(stopping_stops_it),
        cmocka_unit_test(every_failing_allocation_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
