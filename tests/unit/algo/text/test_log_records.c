/* SPDX-License-Identifier: Apache-2.0 */
/* A log becomes records: what is one query, what is one record, what is a term, in which order. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "algo/text/log_records.h"
#include "records_text.h"

enum { MINUTE = 60, HOUR = 3600 };

/* All that comes of a log in memory, as text: the records, then the counts. */
static char *records_of(outcome *o, const char *tsv, const lethe_log_records_options *how,
                        unsigned threads, uint64_t memory)
{
    text t = {0};
    lethe_records *r = NULL;
    lethe_log *log = NULL;
    lethe_log_records_result c = {0};
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_ctx *ctx = records_ctx(o, threads, memory);
    o->err = lethe_log_memory(ctx, lethe_str_of(tsv), &reading, &log);
    if (o->err == LETHE_OK) o->err = lethe_log_to_records(ctx, log, how, &c, &r);
    if (o->err == LETHE_OK) {
        records_text(&t, r, NULL);
        assert_null(records_fault(r));
        assert_non_null(r->owners);
        assert_int_equal(r->counts.read, lethe_log_counts(log)->lines);
        assert_int_equal(r->counts.rejected, lethe_log_counts(log)->rejected);
        text_add(&t, "%llu queries %llu unclicked %llu terms %llu other %llu empty",
                 (unsigned long long)c.queries, (unsigned long long)c.unclicked,
                 (unsigned long long)c.terms, (unsigned long long)c.other_words,
                 (unsigned long long)c.empty);
    }
    lethe_records_free(r);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    return t.at;
}

static void check(const char *tsv, const lethe_log_records_options *how, const char *want)
{
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        outcome o;
        char *got = records_of(&o, tsv, how, threads[i], (uint64_t)1 << 20);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(got, want);
        free(got);
        outcome_end(&o);
    }
}

#define DAY "2006-03-01 "

static void clicks_of_one_query_are_one_query(void **state)
{
    (void)state;
    lethe_log_records_options all = {.gap_s = LETHE_GAP_ALL};
    check("1\tred wine\t" DAY "10:00:00\t1\ta.com\n"
          "1\tRed  WINE\t" DAY "10:00:00\t2\tb.com\n" // the same once normalised
          "1\tred wine\t" DAY "10:00:01\t\t\n"
          "2\tred wine\t" DAY "10:00:00\t\t\n",
          &all,
          "0 0=1: red wine red wine\n3 1=2: red wine\n"
          "3 queries 0 unclicked 6 terms 0 other 0 empty");
}

static void a_pause_longer_than_the_gap_begins_a_record(void **state)
{
    (void)state;
    static const char log[] = "1\ta\t" DAY "10:00:00\n"
                              "1\tb\t" DAY "10:30:00\n" // exactly the gap: no new record
                              "1\tc\t" DAY "11:00:01\n"
                              "1\td\t" DAY "11:00:02\n";
    check(log, &(lethe_log_records_options){.gap_s = 30 * MINUTE},
          "0 0=1: a b\n2 0=1: c d\n4 queries 0 unclicked 4 terms 0 other 0 empty");
    check(log, &(lethe_log_records_options){.gap_s = 30 * MINUTE + 1},
          "0 0=1: a b c d\n4 queries 0 unclicked 4 terms 0 other 0 empty");
    check(log, &(lethe_log_records_options){.gap_s = 0},
          "0 0=1: a\n1 0=1: b\n2 0=1: c\n3 0=1: d\n"
          "4 queries 0 unclicked 4 terms 0 other 0 empty");
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL},
          "0 0=1: a b c d\n4 queries 0 unclicked 4 terms 0 other 0 empty");
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL - 1},
          "0 0=1: a b c d\n4 queries 0 unclicked 4 terms 0 other 0 empty");
}

static void queries_without_a_click_may_be_left_out(void **state)
{
    (void)state;
    /* b has a click in one of its rows only; without c the pause is over the gap */
    static const char log[] = "1\tb\t" DAY "10:00:00\t\t\n"
                              "1\tb\t" DAY "10:00:00\t1\tx.com\n"
                              "1\tc\t" DAY "10:20:00\t\t\n"
                              "1\td\t" DAY "10:40:00\t2\ty.com\n"
                              "2\te\t" DAY "10:00:00\t\t\n"
                              "1\tf\t" DAY "10:41:00\t3\t\n"; // a rank alone is no click
    check(log, &(lethe_log_records_options){.gap_s = 30 * MINUTE, .clicked = true},
          "0 0=1: b\n3 0=1: d\n5 queries 3 unclicked 2 terms 0 other 0 empty");
    check(log, &(lethe_log_records_options){.gap_s = 30 * MINUTE},
          "0 0=1: b c d f\n4 1=2: e\n5 queries 0 unclicked 5 terms 0 other 0 empty");
    check(log,
          &(lethe_log_records_options){.gap_s = 30 * MINUTE, .clicked = true, .distinct = true},
          "0 0=1: b\n3 0=1: d\n5 queries 3 unclicked 2 terms 0 other 0 empty");
}

static void distinct_keeps_the_first_copy_in_a_record(void **state)
{
    (void)state;
    check("1\ta b a\t" DAY "10:00:00\n1\tb c\t" DAY "10:00:01\n"
          "1\ta\t" DAY "18:00:00\n2\ta a\t" DAY "10:00:00\n",
          &(lethe_log_records_options){.gap_s = HOUR, .distinct = true},
          "0 0=1: a b c\n2 0=1: a\n3 1=2: a\n4 queries 0 unclicked 8 terms 0 other 0 empty");
}

static void records_stand_as_first_seen_and_items_by_time(void **state)
{
    (void)state;
    /* the file is in no order: the record's origin is its lowest row, its items follow the clock */
    check("9\tlate\t" DAY "12:00:00\n"
          "5\tz\t" DAY "10:00:00\n"
          "9\tearly\t" DAY "10:00:00\n"
          "9\tearlier still\t" DAY "09:59:00\n"
          "5\tmuch later\t" DAY "20:00:00\n"
          "5\tb\t" DAY "10:00:00\n"
          "5\ta x\t" DAY "10:00:00\n",
          &(lethe_log_records_options){.gap_s = HOUR},
          "0 0=9: late\n1 1=5: a x b z\n2 0=9: earlier still early\n4 1=5: much later\n"
          "7 queries 0 unclicked 10 terms 0 other 0 empty");
    check("9\tlate\t" DAY "12:00:00\n5\tz\t" DAY "10:00:00\n9\tearly\t" DAY "10:00:00\n",
          &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL},
          "0 0=9: early late\n1 1=5: z\n3 queries 0 unclicked 3 terms 0 other 0 empty");
}

static void the_first_row_may_be_one_more_click(void **state)
{
    (void)state;
    /* the record's first query in time was clicked again in the file's first line */
    check("1\tb\t" DAY "10:00:00\t1\tz.com\n2\tc\t" DAY "10:00:00\n1\tb\t" DAY
          "10:00:00\t1\ta.com\n"
          "1\ta\t" DAY "09:59:00\n",
          &(lethe_log_records_options){.gap_s = HOUR},
          "0 0=1: a b\n1 1=2: c\n3 queries 0 unclicked 3 terms 0 other 0 empty");
}

static void queries_without_terms_still_part_time(void **state)
{
    (void)state;
    /* "!!!" and a mask hold no term, but the user was there */
    static const char log[] = "1\ta\t" DAY "10:00:00\n1\t!!!\t" DAY "10:50:00\n"
                              "1\tb [phone]\t" DAY "11:40:00\n2\t[email]\t" DAY "10:00:00\n"
                              "1\t???\t" DAY "23:00:00\n3\t... !\t" DAY "10:00:00\n";
    check(log, &(lethe_log_records_options){.gap_s = HOUR},
          "0 0=1: a b\n6 queries 0 unclicked 2 terms 2 other 3 empty");
    check("1\t!!!\t" DAY "10:00:00\n2\ta\t" DAY "10:00:00\n1\tb\t" DAY "10:00:01\n",
          &(lethe_log_records_options){.gap_s = HOUR},
          "0 0=1: b\n1 1=2: a\n3 queries 0 unclicked 2 terms 0 other 0 empty");
}

static void a_log_of_no_terms_gives_no_record(void **state)
{
    (void)state;
    check("1\t!!!\t" DAY "10:00:01\n2\t?\t" DAY "10:00:00\n",
          &(lethe_log_records_options){.gap_s = 0},
          "2 queries 0 unclicked 0 terms 0 other 2 empty");
}

/* --- rows that no file has --- */

typedef struct stored {
    uint64_t origin;
    const char *owner, *user, *query;
    int64_t time;
    const char *url;
} stored;

static char *store_records(const stored *rows, size_t n, const lethe_log_records_options *how,
                           unsigned threads)
{
    text t = {0};
    outcome o;
    lethe_records *r = NULL;
    lethe_log *log = NULL;
    lethe_log_records_result c;
    lethe_ctx *ctx = records_ctx(&o, threads, 1 << 20);
    assert_int_equal(lethe_log_store(ctx, 1 << 20, &log), LETHE_OK);
    for (size_t i = 0; i < n; i++) {
        lethe_row row = {.origin = rows[i].origin,
                         .owner = lethe_str_of(rows[i].owner),
                         .user = lethe_str_of(rows[i].user),
                         .query = lethe_str_of(rows[i].query),
                         .url = lethe_str_of(rows[i].url ? rows[i].url : ""),
                         .time = rows[i].time,
                         .rank = LETHE_NO_RANK};
        assert_int_equal(lethe_log_append(log, 0, &row), LETHE_OK);
    }
    assert_int_equal(lethe_log_to_records(ctx, log, how, &c, &r), LETHE_OK);
    assert_null(records_fault(r));
    records_text(&t, r, NULL);
    lethe_records_free(r);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    return t.at;
}

static void check_stored(const stored *rows, size_t n, const lethe_log_records_options *how,
                         const char *want)
{
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        char *got = store_records(rows, n, how, threads);
        assert_string_equal(got, want);
        free(got);
    }
}

static void the_person_is_the_owner(void **state)
{
    (void)state;
    /* ann was split in two personas: two records, one person */
    static const stored rows[] = {{0, "ann", "p1", "a", 100, 0},
                                  {1, "bob", "p2", "b", 100, 0},
                                  {2, "ann", "p3", "c", 101, 0},
                                  {3, "ann", "p1", "d", 102, 0}};
    check_stored(rows, 4, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL},
                 "0 0=ann: a d\n1 1=bob: b\n2 0=ann: c\n");
}

static void a_record_is_never_of_two_persons(void **state)
{
    (void)state;
    /* the same user, query and time, but another person */
    static const stored rows[] = {{0, "ann", "p", "a", 100, 0},
                                  {1, "bob", "p", "a", 100, 0},
                                  {2, "ann", "p", "b", 101, 0},
                                  {3, "p", "p", "c", 101, 0}};
    check_stored(rows, 4, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL},
                 "0 0=ann: a b\n1 1=bob: a\n3 2=p: c\n");
}

static void rows_of_one_line_are_told_apart_by_names(void **state)
{
    (void)state;
    static const stored rows[] = {{7, "zoe", "p9", "a", 100, 0}, {7, "ann", "p3", "b", 100, 0},
                                  {7, "ann", "p1", "c", 100, 0}, {7, "ann", "p1", "d", 9000, 0},
                                  {7, "ann", "p1", "e", 500, 0}, {3, "zoe", "zoe", "f", 100, 0}};
    check_stored(rows, 6, &(lethe_log_records_options){.gap_s = 60},
                 "3 0=zoe: f\n7 1=ann: c\n7 1=ann: e\n7 1=ann: d\n7 1=ann: b\n7 0=zoe: a\n");
}

static void queries_without_a_time_make_records_of_their_own(void **state)
{
    (void)state;
    static const stored rows[] = {{0, "u", "u", "late", 5000, 0},
                                  {1, "u", "u", "none b", LETHE_NO_TIME, 0},
                                  {2, "u", "u", "none a", LETHE_NO_TIME, 0},
                                  {3, "u", "u", "old", -62135596800, 0},
                                  {4, "u", "u", "none a", LETHE_NO_TIME, "x.com"},
                                  {5, "v", "v", "none", LETHE_NO_TIME, 0}};
    check_stored(rows, 6, &(lethe_log_records_options){.gap_s = INT64_MAX - 1},
                 "0 0=u: old late\n1 0=u: none a none b\n5 1=v: none\n");
    check_stored(rows, 6, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL},
                 "0 0=u: none a none b old late\n5 1=v: none\n");
    check_stored(rows, 6, &(lethe_log_records_options){.gap_s = 10, .clicked = true},
                 "2 0=u: none a\n");
}

static void large_origins_are_sorted(void **state)
{
    (void)state;
    static const stored rows[] = {{UINT64_MAX, "c", "c", "x", 1, 0},
                                  {(uint64_t)1 << 62, "b", "b", "y", 1, 0},
                                  {(uint64_t)1 << 33, "a", "a", "z", 1, 0},
                                  {2047, "d", "d", "w", 1, 0},
                                  {2048, "e", "e", "v", 1, 0}};
    check_stored(rows, 5, &(lethe_log_records_options){.gap_s = 1},
                 "2047 0=d: w\n2048 1=e: v\n8589934592 2=a: z\n4611686018427387904 3=b: y\n"
                 "18446744073709551615 4=c: x\n");
}

/* --- nouns --- */

static lethe_wordnet *open_wordnet(lethe_ctx *ctx)
{
    lethe_wordnet *wn = NULL;
    if (lethe_wordnet_open(ctx, NULL, &wn) != LETHE_OK) {
        print_message("skipped: no WordNet\n");
        lethe_ctx_free(ctx);
        skip();
    }
    return wn;
}

static void nouns_are_reduced(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 2, 0);
    lethe_wordnet *wn = open_wordnet(ctx);
    static const char log[] = "1\tred wines of the children\t" DAY "10:00:00\n"
                              "1\tcars auto automobile wine xqzzy\t" DAY "10:00:01\n"
                              "2\t[ssn] of the\t" DAY "10:00:00\n";
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .nouns = wn},
          "0 0=1: red wine child car auto automobile wine\n"
          "3 queries 0 unclicked 7 terms 6 other 1 empty");
    /* one word for a synset's; then they are copies */
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .nouns = wn, .merge = true},
          "0 0=1: red wine child car car car wine\n"
          "3 queries 0 unclicked 7 terms 6 other 1 empty");
    check(log,
          &(lethe_log_records_options){
              .gap_s = LETHE_GAP_ALL, .nouns = wn, .merge = true, .distinct = true},
          "0 0=1: red wine child car\n3 queries 0 unclicked 7 terms 6 other 1 empty");
    /* words that are asked for, nouns or not; without nouns all are there anyway */
    lethe_dict *also = lethe_dict_new();
    uint32_t id;
    assert_int_equal(lethe_dict_add(also, LETHE_LIT("wine"), &id), LETHE_OK);
    assert_int_equal(lethe_dict_add(also, LETHE_LIT("the"), &id), LETHE_OK);
    assert_int_equal(lethe_dict_add(also, LETHE_LIT("xqzzy"), &id), LETHE_OK);
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .nouns = wn, .also = also},
          "0 0=1: red wine the child car auto automobile wine xqzzy\n2 1=2: the\n"
          "3 queries 0 unclicked 10 terms 3 other 0 empty");
    check(log,
          &(lethe_log_records_options){
              .gap_s = LETHE_GAP_ALL, .nouns = wn, .merge = true, .distinct = true, .also = also},
          "0 0=1: red wine the child car xqzzy\n2 1=2: the\n"
          "3 queries 0 unclicked 10 terms 3 other 0 empty");
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .distinct = true, .also = also},
          "0 0=1: red wines of the children cars auto automobile wine xqzzy\n"
          "2 1=2: of the\n3 queries 0 unclicked 12 terms 1 other 0 empty");
    lethe_dict_free(also);
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .distinct = true},
          "0 0=1: red wines of the children cars auto automobile wine xqzzy\n"
          "2 1=2: of the\n3 queries 0 unclicked 12 terms 1 other 0 empty");
    lethe_wordnet_free(wn);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void function_words_are_no_nouns(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_wordnet *wn = open_wordnet(ctx);
    static const char log[] = "1\tdoes a wine age in it how\t" DAY "10:00:00\n"
                              "2\tis he in us\t" DAY "10:00:00\n"
                              "3\twhat was his will in may\t" DAY "10:00:00\n"
                              "4\tdoe hi-fi indium\t" DAY "10:00:00\n";
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .nouns = wn},
          "0 0=1: wine age\n2 1=3: may\n3 2=4: doe hi-fi indium\n"
          "4 queries 0 unclicked 6 terms 14 other 1 empty");
    /* asked for by the noun that they are reduced to: his, hi; does, doe */
    lethe_dict *also = lethe_dict_new();
    uint32_t id;
    assert_int_equal(lethe_dict_add(also, LETHE_LIT("hi"), &id), LETHE_OK);
    assert_int_equal(lethe_dict_add(also, LETHE_LIT("doe"), &id), LETHE_OK);
    check(log, &(lethe_log_records_options){.gap_s = LETHE_GAP_ALL, .nouns = wn, .also = also},
          "0 0=1: doe wine age\n2 1=3: hi may\n3 2=4: doe hi-fi indium\n"
          "4 queries 0 unclicked 8 terms 12 other 1 empty");
    lethe_dict_free(also);
    lethe_wordnet_free(wn);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

/* --- larger --- */

/* Many users, many blocks, spilling: the same for any threads and memory. */
static void threads_and_memory_do_not_matter(void **state)
{
    (void)state;
    text log = {0};
    uint64_t s = 5;
    for (int i = 0; i < 60000; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        unsigned user = (unsigned)(s >> 40) % 3000, word = (unsigned)(s >> 33) % 4096;
        text_add(&log, "%u\tw%u v%u %s\t2006-03-%02u 10:%02u:%02u\t\t%s\n", user, word,
                 word * word % 977, word % 3 ? "caf\xC3\xA9" : "", 1 + word % 5, word % 60,
                 user % 60, word % 2 ? "x.com" : "");
    }
    for (int form = 0; form < 2; form++) {
        lethe_log_records_options how = {
            .gap_s = form ? LETHE_GAP_ALL : HOUR, .clicked = form, .distinct = form};
        char *first = NULL;
        for (unsigned threads = 1; threads <= 7; threads = threads == 1 ? 2 : threads + 5) {
            for (int small = 0; small < 2; small++) {
                outcome o;
                uint64_t memory = small ? (uint64_t)1 << 20 : (uint64_t)1 << 30;
                char *got = records_of(&o, log.at, &how, threads, memory);
                assert_int_equal(o.err, LETHE_OK);
                if (first)
                    assert_true(strcmp(first, got) == 0);
                else
                    first = strdup(got);
                free(got);
                outcome_end(&o);
            }
        }
        free(first);
    }
    free(log.at);
}

static void lack_of_memory_is_clean(void **state)
{
    (void)state;
    static const char log[] = "1\ta b\t" DAY "10:00:00\n2\tc [ssn]\t" DAY "10:00:00\t1\tx.com\n"
                              "1\td\t" DAY "20:00:00\n";
    lethe_log_records_options how = {.gap_s = HOUR, .distinct = true};
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    for (unsigned threads = 1; threads <= 2; threads++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, threads, 1 << 20);
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            lethe_records *r = NULL;
            lethe_log_records_result counts = {.queries = 99};
            lethe_log *l = NULL;
            assert_int_equal(lethe_log_memory(ctx, lethe_str_of(log), &reading, &l), LETHE_OK);
            lethe_alloc_fail_at(n);
            lethe_err e = lethe_log_to_records(ctx, l, &how, &counts, &r);
            lethe_alloc_fail_at(0);
            done = e == LETHE_OK;
            if (!done && e != LETHE_ENOMEM)
                fail_msg("allocation %llu: %d", (unsigned long long)n, e);
            assert_true(done ? n > 20 && r && counts.queries == 3 : !r && counts.queries == 99);
            lethe_records_free(r);
            lethe_log_free(l);
        }
        assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

static void faults_of_the_log_are_passed_on(void **state)
{
    (void)state;
    outcome o;
    lethe_log_records_options how = {.gap_s = HOUR};
    assert_null(records_of(&o, "", &how, 2, 1 << 20));
    assert_int_equal(o.err, LETHE_EINPUT);
    outcome_end(&o);
    assert_null(records_of(&o, "1\ta\t" DAY "10:00:00\nnonsense\n", &how, 2, 1 << 20));
    assert_int_equal(o.err, LETHE_EINPUT);
    outcome_end(&o);
}

static void a_cancelled_run_says_so(void **state)
{
    (void)state;
    outcome o;
    lethe_records *r = NULL;
    lethe_log_records_result counts;
    lethe_log *log = NULL;
    lethe_ctx *ctx = records_ctx(&o, 2, 1 << 20);
    lethe_str in = LETHE_LIT("1\ta\t" DAY "10:00:00\n");
    assert_int_equal(lethe_log_memory(ctx, in, NULL, &log), LETHE_OK);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_log_to_records(ctx, log, &(lethe_log_records_options){0}, &counts, &r),
                     LETHE_ECANCEL);
    assert_null(r);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clicks_of_one_query_are_one_query),
        cmocka_unit_test(a_pause_longer_than_the_gap_begins_a_record),
        cmocka_unit_test(queries_without_a_click_may_be_left_out),
        cmocka_unit_test(distinct_keeps_the_first_copy_in_a_record),
        cmocka_unit_test(records_stand_as_first_seen_and_items_by_time),
        cmocka_unit_test(the_first_row_may_be_one_more_click),
        cmocka_unit_test(queries_without_terms_still_part_time),
        cmocka_unit_test(a_log_of_no_terms_gives_no_record),
        cmocka_unit_test(the_person_is_the_owner),
        cmocka_unit_test(a_record_is_never_of_two_persons),
        cmocka_unit_test(rows_of_one_line_are_told_apart_by_names),
        cmocka_unit_test(queries_without_a_time_make_records_of_their_own),
        cmocka_unit_test(large_origins_are_sorted),
        cmocka_unit_test(nouns_are_reduced),
        cmocka_unit_test(function_words_are_no_nouns),
        cmocka_unit_test(threads_and_memory_do_not_matter),
        cmocka_unit_test(lack_of_memory_is_clean),
        cmocka_unit_test(faults_of_the_log_are_passed_on),
        cmocka_unit_test(a_cancelled_run_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
