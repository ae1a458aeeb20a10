/* SPDX-License-Identifier: Apache-2.0 */
/* Rows packed, stored, chosen by users, and read back as published. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include "model/log/log_internal.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

/* --- packing --- */

static lethe_str some_text(uint64_t *s, char *room, size_t max)
{
    size_t n = next(s) % (max + 1);
    for (size_t i = 0; i < n; i++)
        room[i] = (char)(1 + next(s) % 255); // all but NUL
    return (lethe_str){room, n};
}

static int64_t some_time(uint64_t *s)
{
    switch (next(s) % 4) {
    case 0:
        return LETHE_NO_TIME;
    case 1:
        return -(int64_t)next(s);
    case 2:
        return (int64_t)next(s) % 3;
    default:
        return (int64_t)next(s);
    }
}

static bool rows_equal(const lethe_row *a, const lethe_row *b)
{
    return a->origin == b->origin && a->time == b->time && a->rank == b->rank &&
           lethe_str_eq(a->user, b->user) && lethe_str_eq(a->owner, b->owner) &&
           lethe_str_eq(a->query, b->query) && lethe_str_eq(a->url, b->url) &&
           lethe_str_eq(a->kept, b->kept);
}

typedef struct random_row {
    lethe_row row;
    char user[8], owner[8], query[8], url[8], kept[8];
} random_row;

static void random_row_fill(random_row *r, uint64_t *s)
{
    r->row = (lethe_row){.origin = next(s) % 3 ? next(s) % 5 : next(s) << 32 | next(s),
                         .user = some_text(s, r->user, 2),
                         .query = some_text(s, r->query, 3),
                         .url = some_text(s, r->url, 4),
                         .time = some_time(s),
                         .rank = next(s) % 2 ? LETHE_NO_RANK : (uint32_t)(next(s) % 3)};
    r->row.owner = next(s) % 2 ? r->row.user : some_text(s, r->owner, 3);
}

static void packing_is_undone_by_unpacking(void **state)
{
    (void)state;
    lethe_buf buf = {0};
    for (uint64_t seed = 1; seed <= 50000; seed++) {
        uint64_t s = seed;
        random_row r;
        random_row_fill(&r, &s);
        if (next(&s) % 2) r.row.kept = some_text(&s, r.kept, 4);
        if (next(&s) % 4 == 0 && r.row.url.n > 1) r.url[1] = '\0'; // as split has it for a while
        for (int p = LETHE_BY_QUERY; p <= LETHE_BY_USER; p++) {
            lethe_row back = {.kept = LETHE_LIT("not set")};
            assert_int_equal(lethe_row_pack(&r.row, (lethe_packing)p, &buf), LETHE_OK);
            char *exact = malloc(buf.n);
            assert_non_null(exact);
            memcpy(exact, buf.at, buf.n);
            lethe_row_unpack((lethe_str){exact, buf.n}, (lethe_packing)p, &back);
            if (!rows_equal(&r.row, &back)) fail_msg("seed %llu", (unsigned long long)seed);
            free(exact);
        }
    }
    lethe_buf_free(&buf);
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* The documented order, field by field. */
static int compare_rows(const lethe_row *a, const lethe_row *b, lethe_packing p)
{
    bool same_a = lethe_str_eq(a->user, a->owner), same_b = lethe_str_eq(b->user, b->owner);
    int c = 0;
    if (p == LETHE_BY_QUERY) {
        c = lethe_str_cmp(a->query, b->query);
        if (!c) c = lethe_str_cmp(a->owner, b->owner);
        if (!c) c = (same_b - same_a);
        if (!c && !same_a) c = lethe_str_cmp(a->user, b->user);
        if (!c) c = (a->time > b->time) - (a->time < b->time);
    } else {
        c = lethe_str_cmp(a->user, b->user);
        if (!c) c = (same_b - same_a);
        if (!c && !same_a) c = lethe_str_cmp(a->owner, b->owner);
        if (!c) c = (a->time > b->time) - (a->time < b->time);
        if (!c) c = lethe_str_cmp(a->query, b->query);
    }
    if (!c) c = compare(a->origin, b->origin);
    if (!c) c = compare((uint32_t)(a->rank + 1), (uint32_t)(b->rank + 1)); // none is the least
    return c ? c : lethe_str_cmp(a->url, b->url);
}

static void packed_bytes_have_the_order_of_rows(void **state)
{
    (void)state;
    lethe_buf x = {0}, y = {0};
    for (uint64_t seed = 1; seed <= 100000; seed++) {
        uint64_t s = seed;
        random_row a, b;
        random_row_fill(&a, &s);
        random_row_fill(&b, &s);
        if (next(&s) % 2) b.row.query = a.row.query;
        if (next(&s) % 2) b.row.user = a.row.user;
        if (next(&s) % 2) b.row.owner = a.row.owner;
        if (next(&s) % 2) b.row.time = a.row.time;
        for (int p = LETHE_BY_QUERY; p <= LETHE_BY_USER; p++) {
            assert_int_equal(lethe_row_pack(&a.row, (lethe_packing)p, &x), LETHE_OK);
            assert_int_equal(lethe_row_pack(&b.row, (lethe_packing)p, &y), LETHE_OK);
            int want = compare_rows(&a.row, &b.row, (lethe_packing)p);
            int got = lethe_str_cmp((lethe_str){(char *)x.at, x.n}, (lethe_str){(char *)y.at, y.n});
            if ((want > 0) != (got > 0) || (want < 0) != (got < 0))
                fail_msg("seed %llu, packing %d", (unsigned long long)seed, p);
        }
    }
    lethe_buf_free(&x);
    lethe_buf_free(&y);
}

static void rows_without_a_time_come_first(void **state)
{
    (void)state;
    lethe_buf x = {0}, y = {0};
    lethe_row a = {.user = LETHE_LIT("u"),
                   .owner = LETHE_LIT("u"),
                   .query = LETHE_LIT("q"),
                   .time = LETHE_NO_TIME},
              b = a;
    b.time = INT64_C(-62135596800);
    assert_int_equal(lethe_row_pack(&a, LETHE_BY_USER, &x), LETHE_OK);
    assert_int_equal(lethe_row_pack(&b, LETHE_BY_USER, &y), LETHE_OK);
    assert_true(lethe_str_cmp((lethe_str){(char *)x.at, x.n}, (lethe_str){(char *)y.at, y.n}) < 0);
    // the key is the user, up to the first NUL
    assert_int_equal(strlen((char *)x.at), 1);
    assert_int_equal(x.at[0], 'u');
    lethe_buf_free(&x);
    lethe_buf_free(&y);
}

/* --- the store --- */

static lethe_err fill(void *arg, size_t i, unsigned w)
{
    char user[16], owner[16], query[64], url[64];
    static char huge[300000];
    int u = snprintf(user, sizeof user, "p%zu", i % 91),
        o = snprintf(owner, sizeof owner, "o%zu", i % 17);
    int q = snprintf(query, sizeof query, "query number %zu", i);
    int l = snprintf(url, sizeof url, "http://a%zu.com", i % 5);
    lethe_row row = {.origin = i,
                     .user = {user, (size_t)u},
                     .query = {query, (size_t)q},
                     .url = {url, (size_t)l},
                     .time = (int64_t)i * 60,
                     .rank = i % 3 ? (uint32_t)i : LETHE_NO_RANK};
    row.owner = i % 2 ? row.user : (lethe_str){owner, (size_t)o};
    if (i % 100 == 7) row.url = (lethe_str){huge, sizeof huge};
    return lethe_log_append(arg, w, &row);
}

static lethe_err check_stored(void *arg, unsigned w, const lethe_row *row)
{
    outcome *o = arg;
    if (row->url.n > 1000) {
        lethe_row cut = *row;
        cut.url = LETHE_LIT("huge");
        return outcome_row(o, w, &cut);
    }
    return outcome_row(o, w, row);
}

static void check_walk(lethe_ctx *ctx, lethe_log *log, size_t n_rows, text *want)
{
    outcome o;
    outcome_begin(&o);
    lethe_row_visitor v = {check_stored, outcome_block, &o};
    assert_int_equal(lethe_log_walk(ctx, log, &v), LETHE_OK);
    assert_int_equal(o.n_seen, n_rows);
    assert_int_equal(lethe_log_counts(log)->rows, n_rows);
    assert_int_equal(lethe_log_counts(log)->lines, n_rows);
    assert_int_equal(o.n_blocks, o.max_block + 1);
    qsort(o.seen, o.n_seen, sizeof *o.seen, seen_by_origin);
    for (size_t i = 0; i < o.n_seen; i++) {
        assert_int_equal(o.seen[i].origin, i);
        text_put(&o.rows, o.seen[i].text, strlen(o.seen[i].text));
        text_put(&o.rows, "\n", 1);
    }
    if (!want->at) text_put(want, o.rows.at, o.rows.n);
    assert_string_equal(o.rows.at, want->at);
    outcome_end(&o);
}

static void stored_rows_come_back(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    static const unsigned threads[] = {1, 2, 7};
    static const uint64_t caps[] = {100 << 20, 200 << 10}; // in memory, and mostly on disk
    text want = {0};
    for (size_t t = 0; t < 3; t++) {
        for (size_t c = 0; c < 2; c++) {
            lethe_ctx *ctx = outcome_ctx(NULL, threads[t], 0);
            lethe_log *log = NULL;
            assert_non_null(ctx);
            assert_int_equal(lethe_log_store(ctx, caps[c], &log), LETHE_OK);
            assert_int_equal(lethe_pool_for(ctx, ROWS, fill, log), LETHE_OK);
            check_walk(ctx, log, ROWS, &want);
            check_walk(ctx, log, ROWS, &want); // it can be walked again
            lethe_log_free(log);
            lethe_ctx_free(ctx);
        }
    }
    assert_non_null(strstr(want.at, "p5|query number 5|1970-01-01 00:05:00|5|http://a0.com\n"));
    assert_non_null(strstr(want.at, "p4<o4|query number 4|"));
    assert_non_null(strstr(want.at, "|huge\n"));
    free(want.at);
}

static void the_store_spills_past_its_share_only(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        outcome o;
        outcome_begin(&o);
        lethe_ctx *ctx = outcome_ctx(&o, 2, 0);
        lethe_store *s = NULL;
        assert_non_null(ctx);
        assert_int_equal(lethe_store_new(ctx, round ? 1 << 10 : 64 << 20, &s), LETHE_OK);
        lethe_row row = {.user = LETHE_LIT("u"), .owner = LETHE_LIT("u"), .query = LETHE_LIT("q")};
        for (int i = 0; i < 20000; i++)
            assert_int_equal(lethe_store_append(s, (unsigned)i % 2, &row), LETHE_OK);
        assert_int_equal(lethe_store_rows(s), 20000);
        if (round)
            assert_true(lethe_store_spilled(s) > lethe_store_bytes(s) / 2);
        else
            assert_int_equal(lethe_store_spilled(s), 0);
        lethe_store_free(s);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

static void an_empty_store_is_walked(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    lethe_ctx *ctx = outcome_ctx(&o, 3, 0);
    lethe_log *log = NULL;
    assert_non_null(ctx);
    assert_int_equal(lethe_log_store(ctx, 1 << 20, &log), LETHE_OK);
    outcome_walk(&o, ctx, log);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.counts.lines, 0);
    assert_string_equal(o.rows.at, "");
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static lethe_err store_once(uint64_t cap)
{
    outcome o;
    outcome_begin(&o);
    lethe_ctx *ctx = outcome_ctx(&o, 1, 0);
    lethe_log *log = NULL;
    lethe_err e = ctx ? lethe_log_store(ctx, cap, &log) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = lethe_pool_for(ctx, 3000, fill, log);
    if (e == LETHE_OK)
        e = lethe_log_walk(ctx, log, &(lethe_row_visitor){outcome_row, outcome_block, &o});
    if (e == LETHE_OK) assert_int_equal(o.n_seen, 3000);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    return e;
}

static void a_store_without_memory_is_clean(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        lethe_err e = LETHE_ENOMEM;
        for (uint64_t n = 1; e != LETHE_OK; n++) {
            lethe_alloc_fail_at(n);
            e = store_once(round ? 1 << 10 : 1 << 30);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
            assert_true(e != LETHE_OK || n > 5);
        }
    }
}

/* --- --users-with --- */

#define D1 "2006-03-01 16:01:20"
#define D2 "2006-03-02 08:00:00"

static const char users_log[] = "c\tx\t" D1 "\t1\tu1\n" // c: 0..; one query with two clicks
                                "a\tx\t" D1 "\t\t\n"    // a: no click
                                "b\tx\t" D1 "\t1\tu1\n" // b: three clicked queries
                                "b\tx\t" D2 "\t1\tu1\n" //    the same text at another time
                                "c\tx\t" D1 "\t2\tu2\n"
                                "b\ty\t" D1 "\t1\tu1\n"
                                "b\ty\t" D1 "\t\t\n"
                                "b\tz\t" D1 "\t\t\n"
                                "ab\tx\t" D1 "\t1\tu1\n" // ab: one; not to be taken for a or b
                                "d\tx\t" D2 "\t1\tu1\n"  // d: two, of one text
                                "d\tx\t" D1 "\t1\tu1\n"
                                "\tx\t" D1 "\n"        // rejected
                                "c\t\t" D1 "\t1\tu\n"; // no query

static void check_users(const char *users_with, const char *rows, uint64_t filtered)
{
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o;
        outcome_begin(&o);
        lethe_read_options reading = {0};
        assert_true(lethe_users_with_parse(users_with, &reading));
        outcome_of(&o, LETHE_LIT(users_log), &reading, threads);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.rows.at, rows);
        assert_int_equal(o.counts.filtered, filtered);
        assert_int_equal(o.counts.lines, 13);
        assert_int_equal(o.counts.rows, 11);
        assert_int_equal(o.counts.empty, 1);
        assert_int_equal(o.counts.rejected, 1);
        assert_true(threads > 1 || o.in_order); // the input's, part after part
        outcome_end(&o);
    }
}

#define ROW_A "1|a|x|" D1 "||\n"
#define ROW_AB "8|ab|x|" D1 "|1|u1\n"
#define ROWS_D "9|d|x|" D2 "|1|u1\n10|d|x|" D1 "|1|u1\n"
#define ROWS_B3 "2|b|x|" D1 "|1|u1\n3|b|x|" D2 "|1|u1\n"
#define ROWS_B5 "5|b|y|" D1 "|1|u1\n6|b|y|" D1 "||\n7|b|z|" D1 "||\n"

static void users_are_chosen_by_their_clicked_queries(void **state)
{
    (void)state;
    check_users("0", ROW_A, 10);
    check_users("1", "0|c|x|" D1 "|1|u1\n4|c|x|" D1 "|2|u2\n" ROW_AB, 8);
    check_users("2", ROWS_D, 9);
    check_users("3", ROWS_B3 ROWS_B5, 6);
    check_users("1-2", "0|c|x|" D1 "|1|u1\n4|c|x|" D1 "|2|u2\n" ROW_AB ROWS_D, 6);
    check_users("4-", "", 11);
    check_users("0-",
                "0|c|x|" D1 "|1|u1\n" ROW_A ROWS_B3 "4|c|x|" D1 "|2|u2\n" ROWS_B5 ROW_AB ROWS_D, 0);
}

/* A larger log against a count by hand; small memory sends it through the sorter's files. */
static void many_users_are_chosen_too(void **state)
{
    (void)state;
    enum { USERS = 300, LINES = 20000 };
    text t = {0};
    uint64_t s = 5;
    static unsigned char clicked[USERS][40]; // by query, times being one a query
    static uint64_t rows[USERS];
    memset(clicked, 0, sizeof clicked);
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < LINES; i++) {
        unsigned u = (unsigned)(next(&s) * next(&s) % USERS), q = (unsigned)next(&s) % 40;
        bool click = next(&s) % 4 == 0;
        text_add(&t, "u%u\tquery %u\t%u\t\t%s\n", u, q, q * 100, click ? "http://x" : "");
        rows[u]++;
        clicked[u][q] |= click;
    }
    uint64_t want = 0;
    for (size_t u = 0; u < USERS; u++) {
        unsigned n = 0;
        for (size_t q = 0; q < 40; q++)
            n += clicked[u][q];
        if (n >= 10 && n <= 20) want += rows[u];
    }
    assert_true(want > 0 && want < LINES);
    text first = {0};
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o;
        outcome_begin(&o);
        lethe_read_options reading = {0};
        assert_true(lethe_users_with_parse("10-20", &reading));
        outcome_of(&o, (lethe_str){t.at, t.n}, &reading, threads);
        assert_int_equal(o.err, LETHE_OK);
        assert_int_equal(o.n_seen, want);
        assert_true(threads > 1 || o.in_order);
        assert_int_equal(o.counts.filtered, LINES - want);
        if (!first.at) text_put(&first, o.rows.at, o.rows.n);
        assert_string_equal(o.rows.at, first.at);
        assert_int_equal(o.n_blocks, o.max_block + 1);
        outcome_end(&o);
    }
    free(first.at);
    free(t.at);
}

/* --- published logs --- */

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

typedef struct folder {
    char path[64];
    int fd;
} folder;

static folder folder_new(const char *content, size_t n)
{
    folder f = {.path = "/tmp/lethe-pub-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    f.fd = open(f.path, O_RDONLY | O_DIRECTORY);
    assert_true(f.fd >= 0);
    int fd = openat(f.fd, "data.tsv", O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && write(fd, content, n) == (ssize_t)n);
    close(fd);
    return f;
}

static void folder_end(const folder *f)
{
    unlinkat(f->fd, "data.tsv", 0);
    unlinkat(f->fd, "link", 0);
    unlinkat(f->fd, "pipe", 0);
    close(f->fd);
    rmdir(f->path);
}

static void walk_published(outcome *o, const folder *f, const char *name, unsigned threads)
{
    lethe_ctx *ctx = outcome_ctx(o, threads, 1 << 20);
    lethe_log *log = NULL;
    assert_non_null(ctx);
    o->err = lethe_log_published(ctx, f->fd, name, &log);
    if (o->err == LETHE_OK) outcome_walk(o, ctx, log);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
}

typedef struct sample {
    const char *in;
    size_t n; /* 0: up to the NUL */
    const char *messages;
    const char *rows; /* NULL: refused */
} sample;

static void published_logs_are_read_strictly(void **state)
{
    (void)state;
    static const sample table[] = {
        {HEADER
         "u\tq\t2006-03-01 16\t\t\nu\tq\t2006-03-01 16:01:20\t3\ta.com\nv\tq\t2006-03-01\t\t\n"
         "w\tq\t\t\t\n",
         0, "",
         "0|u|q|2006-03-01 16:00:00||\n1|u|q|2006-03-01 16:01:20|3|a.com\n"
         "2|v|q|2006-03-01 00:00:00||\n3|w|q|||\n"},
        {"", 0, "E data.tsv:1:0 not the header of a published log\n", NULL},
        {"AnonID\tQuery\tQueryTime\tItemRank\tClickURL", 0,
         "E data.tsv:1:0 not the header of a published log\n", NULL},
        {"anonid\tQuery\tQueryTime\tItemRank\tClickURL\nu\tq\t\t\t\n", 0,
         "E data.tsv:1:0 not the header of a published log\n", NULL},
        {"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\r\nu\tq\t\t\t\n", 0,
         "E data.tsv:1:0 not the header of a published log\n", NULL},
        {"\xEF\xBB\xBF" HEADER "u\tq\t\t\t\n", 0,
         "E data.tsv:1:0 not the header of a published log\n", NULL},
        {"u\tq\t\t\t\n", 0, "E data.tsv:1:0 not the header of a published log\n", NULL},
        {HEADER, 0, "E 'data.tsv' holds only a header\n", NULL},
        {HEADER "u\tq\t\t\n", 0, "E data.tsv:2:0 not five columns\n", NULL},
        {HEADER "u\tq\t\t\t\t\n", 0, "E data.tsv:2:0 not five columns\n", NULL},
        {HEADER "\n", 0, "E data.tsv:2:0 not five columns\n", NULL},
        {HEADER "u\tq\t\t\t\nu\tq\t\t\t\r\n", 0, "E data.tsv:3:0 line does not end with LF\n",
         NULL},
        {HEADER "u\tq\t\t\t\nu\tq\t\t\t", 0, "E data.tsv:3:0 line does not end with LF\n", NULL},
        {HEADER "\tq\t\t\t\n", 0, "E data.tsv:2:1 no user\n", NULL},
        {HEADER "u\t\t\t\t\n", 0, "E data.tsv:2:2 query is empty or not normalized\n", NULL},
        {HEADER "u\tQ\t\t\t\n", 0, "E data.tsv:2:2 query is empty or not normalized\n", NULL},
        {HEADER "u\tq \t\t\t\n", 0, "E data.tsv:2:2 query is empty or not normalized\n", NULL},
        {HEADER "u\tq\xC3\x89\t\t\t\n", 0, "E data.tsv:2:2 query is empty or not normalized\n",
         NULL},
        {HEADER "u\tq\xFF\t\t\t\n", 0, "E data.tsv:2:2 not UTF-8\n", NULL},
        {HEADER "u\xFF\tq\t\t\t\n", 0, "E data.tsv:2:1 not UTF-8\n", NULL},
        {HEADER "u\tq\t\t\t\xFF\n", 0, "E data.tsv:2:5 not UTF-8\n", NULL},
        {HEADER "u\tq\t2006-03-01T16:01:20\t\t\n", 0, "E data.tsv:2:3 not a time as published\n",
         NULL},
        {HEADER "u\tq\t2006-03-01 16:01\t\t\n", 0, "E data.tsv:2:3 not a time as published\n",
         NULL},
        {HEADER "u\tq\t1141228880\t\t\n", 0, "E data.tsv:2:3 not a time as published\n", NULL},
        {HEADER "u\tq\t2006-02-29\t\t\n", 0, "E data.tsv:2:3 not a time as published\n", NULL},
        {HEADER "u\tq\t2005-12-31 23:59:60\t\t\n", 0, "E data.tsv:2:3 not a time as published\n",
         NULL},
        {HEADER "u\tq\t\tx\t\n", 0, "E data.tsv:2:4 rank is not a whole number\n", NULL},
        {HEADER "u\tq\t\t01\ta.com\n", 0, "E data.tsv:2:4 rank is not a whole number\n", NULL},
        {HEADER " u\tq\t\t\t\n", 0, "E data.tsv:2:1 space at an end of the user\n", NULL},
        {HEADER "u \tq\t\t\t\n", 0, "E data.tsv:2:1 space at an end of the user\n", NULL},
        {HEADER "u\tq\0\t\t\t\n", sizeof(HEADER "u\tq\0\t\t\t\n") - 1,
         "E data.tsv:2:2 NUL byte in a field\n", NULL},
        {HEADER "u\tq\t\t\ta\rb\n", 0, "E data.tsv:2:5 carriage return in a field\n", NULL},
        {HEADER "u\tq\t\t\t\nv\tq\t\t\t\nu\tr\t\t\t\n", 0,
         "E data.tsv:4:0 line out of order: it may reveal the order of the input\n", NULL},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            size_t n = table[i].n ? table[i].n : strlen(table[i].in);
            folder f = folder_new(table[i].in, n);
            outcome o;
            outcome_begin(&o);
            walk_published(&o, &f, "data.tsv", threads);
            if (o.err != (table[i].rows ? LETHE_OK : LETHE_EINPUT) ||
                strcmp(o.messages.at, table[i].messages) != 0)
                fail_msg("row %zu: error %d, %s", i, o.err, o.messages.at);
            if (table[i].rows) assert_string_equal(o.rows.at, table[i].rows);
            outcome_end(&o);
            folder_end(&f);
        }
    }
}

static void published_logs_are_plain_files(void **state)
{
    (void)state;
    folder f = folder_new(HEADER "u\tq\t\t\t\n", strlen(HEADER "u\tq\t\t\t\n"));
    outcome o;
    outcome_begin(&o);
    assert_int_equal(symlinkat("data.tsv", f.fd, "link"), 0);
    assert_int_equal(mkfifoat(f.fd, "pipe", 0600), 0);
    walk_published(&o, &f, "data.tsv", 1);
    assert_int_equal(o.err, LETHE_OK);
    walk_published(&o, &f, "link", 1);
    assert_int_equal(o.err, LETHE_EIO);
    walk_published(&o, &f, "pipe", 1);
    assert_int_equal(o.err, LETHE_EINPUT);
    walk_published(&o, &f, ".", 1);
    assert_int_equal(o.err, LETHE_EINPUT);
    walk_published(&o, &f, "none", 1);
    assert_int_equal(o.err, LETHE_EIO);
    assert_string_equal(o.messages.at,
                        "E cannot open 'link': too many levels of symbolic links\n"
                        "E 'pipe' is not a regular file\nE '.' is not a regular file\n"
                        "E cannot open 'none': no such file or directory\n");
    outcome_end(&o);
    folder_end(&f);
}

/* The lowest bad line is named, wherever the threads are. */
static void the_first_bad_published_line_is_named(void **state)
{
    (void)state;
    text t = {0};
    text_add(&t, HEADER);
    for (int i = 0; i < 60000; i++)
        text_add(&t, i % 7000 == 6999 ? "u\tBAD\t\t\t\n" : "u\tgood query\t2006-03-01\t\t\n");
    folder f = folder_new(t.at, t.n);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o;
        outcome_begin(&o);
        walk_published(&o, &f, "data.tsv", threads);
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_string_equal(o.messages.at, "E data.tsv:7001:2 query is empty or not normalized\n");
        outcome_end(&o);
    }
    folder_end(&f);
    free(t.at);
}

/* What a release says of its rows is looked at in every one of them. */
static void published_rows_are_as_coarse_as_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        lethe_log_form form;
        bool holds;
    } table[] = {
        {"abcdefghij234567\tq\t2006-03-01\t1\tfoo.com\n", {0}, true},
        {"abcdefghij234567\tq\t\t\t\n", {0}, true},
        {"abcdefghij23456\tq\t2006-03-01\t\t\n", {0}, false},
        {"abcdefghij234561\tq\t2006-03-01\t\t\n", {0}, false},
        {"Abcdefghij234567\tq\t2006-03-01\t\t\n", {0}, false},
        {"4417749\tq\t2006-03-01\t\t\n", {0}, false},
        {"4417749\tq\t2006-03-01\t\t\n", {.any_user = true}, true},
        {"abcdefghij234567\tq\t2006-03-01 10\t\t\n", {0}, false},
        {"abcdefghij234567\tq\t2006-03-01 10\t\t\n", {.times = LETHE_TIME_HOUR}, true},
        {"abcdefghij234567\tq\t2006-03-01 10:00:01\t\t\n", {.times = LETHE_TIME_HOUR}, false},
        {"abcdefghij234567\tq\t2006-03-01 10:00:01\t\t\n", {.times = LETHE_TIME_EXACT}, true},
        {"abcdefghij234567\tq\t2006-03-01\t\t\n", {.times = LETHE_TIME_DROP}, false},
        {"abcdefghij234567\tq\t2006-02-27\t\t\n", {.times = LETHE_TIME_WEEK}, true},
        {"abcdefghij234567\tq\t2006-03-01\t\t\n", {.times = LETHE_TIME_WEEK}, false},
        {"abcdefghij234567\tq\t2006-03\t\t\n", {.times = LETHE_TIME_WEEK}, false},
        {"abcdefghij234567\tq\t2006-03\t\t\n", {.times = LETHE_TIME_MONTH}, true},
        {"abcdefghij234567\tq\t2006-03-01\t\t\n", {.times = LETHE_TIME_MONTH}, false},
        {"abcdefghij234567\tq\t2006-13\t\t\n", {.times = LETHE_TIME_MONTH}, false},
        {"abcdefghij234567\tq\t\t\thttp://foo.com/me\n", {0}, false},
        {"abcdefghij234567\tq\t\t\tFoo.com\n", {0}, false},
        {"abcdefghij234567\tq\t\t\thttp://foo.com/me\n", {.urls = LETHE_URL_ANY}, true},
        {"abcdefghij234567\tq\t\t\tfoo.com\n", {.urls = LETHE_URL_ID}, false},
        {"abcdefghij234567\tq\t\t\tabcdefghij234567\n", {.urls = LETHE_URL_ID}, true},
        {"abcdefghij234567\tq\t\t\tfoo\n", {0}, true},
        {"abcdefghij234567\tq\t\t\tabcdefghij234567\n", {0}, false},
        {"abcdefghij234567\tq\t\t\tabcdefghij234567\n", {.object_ids = true}, true},
        {"abcdefghij234567\tq\t\t\tfoo.com\n", {.object_ids = true}, true},
        {"abcdefghij234567\tq\t\t\t[::1]\n", {.object_ids = true}, true},
        {"abcdefghij234567\tq\t\t\tb1\n", {.object_ids = true}, false},
        {"abcdefghij234567\tq\t\t\tB1\n", {.object_ids = true}, false},
        {"abcdefghij234567\tq\t\t\tfoo.com\n", {.urls = LETHE_URL_NONE}, false},
        {"abcdefghij234567\tq\t\t1\t\n", {.urls = LETHE_URL_NONE}, false},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        char content[200];
        int n = snprintf(content, sizeof content, "%s%s", HEADER, table[i].row);
        folder f = folder_new(content, (size_t)n);
        outcome o;
        outcome_begin(&o);
        lethe_ctx *ctx = outcome_ctx(&o, 1, 1 << 20);
        lethe_log *log = NULL;
        assert_int_equal(lethe_log_published(ctx, f.fd, "data.tsv", &log), LETHE_OK);
        lethe_log_expect(log, &table[i].form);
        outcome_walk(&o, ctx, log);
        if ((o.err == LETHE_OK) != table[i].holds) fail_msg("row %zu", i);
        lethe_log_free(log);
        lethe_ctx_free(ctx);
        outcome_end(&o);
        folder_end(&f);
    }
}

/* Each block is in order by itself; only where two of them meet is something wrong. */
static void blocks_out_of_order_are_noticed(void **state)
{
    (void)state;
    enum { LINES = 60000, LINE = 32 };
    for (int wrong = 0; wrong <= 1; wrong++) {
        text t = {0};
        char line[LINE + 1];
        text_add(&t, HEADER);
        for (int i = 0; i < LINES; i++) { // the second half first, where wrong
            int at = wrong ? (i + LINES / 2) % LINES : i;
            snprintf(line, sizeof line, "u%06d\tgood query\t2006-03-01\t\t\n", at);
            text_add(&t, "%s", line);
        }
        folder f = folder_new(t.at, t.n);
        for (unsigned threads = 1; threads <= 7; threads += 3) {
            outcome o;
            outcome_begin(&o);
            walk_published(&o, &f, "data.tsv", threads);
            assert_int_equal(o.err, wrong ? LETHE_EINPUT : LETHE_OK);
            outcome_end(&o);
        }
        folder_end(&f);
        free(t.at);
    }
}

/* Blocks are held against their neighbours in whatever order they come. */
static void edges_are_compared_in_the_order_of_blocks(void **state)
{
    (void)state;
    static const char *const lines[2][4][2] = {{{"a", "b"}, {"b", "c"}, {"c", "d"}, {"e", "e"}},
                                               {{"a", "b"}, {"b", "d"}, {"c", "e"}, {"e", "f"}}};
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
    for (size_t wrong = 0; wrong < 2; wrong++)
        for (size_t i = 0; i < LETHE_COUNT(orders); i++) {
            lethe_block_edges edges;
            lethe_block_edges_begin(&edges);
            for (size_t k = 0; k < 4; k++) {
                lethe_order_seen o = {0};
                for (size_t j = 0; j < 2; j++)
                    assert_true(lethe_order_line(&o, lethe_str_of(lines[wrong][orders[i][k]][j])));
                assert_int_equal(lethe_block_edges_add(&edges, &o, orders[i][k]), LETHE_OK);
            }
            assert_int_equal(edges.in_order, !wrong);
            assert_int_equal(edges.n,
                             1); // only the last line waits, for a block that will not come
            lethe_block_edges_end(&edges);
        }
    lethe_order_seen o = {0};
    assert_true(lethe_order_line(&o, LETHE_LIT("b")));
    assert_false(lethe_order_line(&o, LETHE_LIT("a")));
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_rows_are_as_coarse_as_is_said),
        cmocka_unit_test(blocks_out_of_order_are_noticed),
        cmocka_unit_test(edges_are_compared_in_the_order_of_blocks),
        cmocka_unit_test(packing_is_undone_by_unpacking),
        cmocka_unit_test(packed_bytes_have_the_order_of_rows),
        cmocka_unit_test(rows_without_a_time_come_first),
        cmocka_unit_test(stored_rows_come_back),
        cmocka_unit_test(the_store_spills_past_its_share_only),
        cmocka_unit_test(an_empty_store_is_walked),
        cmocka_unit_test(a_store_without_memory_is_clean),
        cmocka_unit_test(users_are_chosen_by_their_clicked_queries),
        cmocka_unit_test(many_users_are_chosen_too),
        cmocka_unit_test(published_logs_are_read_strictly),
        cmocka_unit_test(published_logs_are_plain_files),
        cmocka_unit_test(the_first_bad_published_line_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
