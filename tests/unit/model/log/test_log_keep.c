/* SPDX-License-Identifier: Apache-2.0 */
/* Further columns of a log: how they are asked for, found in each format, packed with their rows,
 * and read back. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "log_rows.h"
#include "model/log/log_internal.h"

/* --- asking --- */

/* The names under which these columns are published, with `;` between; or "!" where it is refused.
 */
static const char *names_of(const char *bytes)
{
    static char out[4096];
    char buf[LETHE_KEEP_NAME_MAX];
    lethe_keep k;
    size_t n = 0;
    if (lethe_keep_parse(NULL, bytes, &k) != LETHE_OK) return "!";
    out[0] = '\0';
    for (size_t i = 0; i < k.n; i++) {
        lethe_str name = lethe_keep_name(&k, i, buf);
        n +=
            (size_t)snprintf(out + n, sizeof out - n, "%s%.*s", i ? ";" : "", (int)name.n, name.at);
    }
    return out;
}

static void names_are_checked(void **state)
{
    (void)state;
    char long_name[LETHE_KEEP_NAME_MAX + 2], seventeen[] = "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q";
    static const struct {
        const char *text, *names;
    } cases[] = {
        {NULL, ""},
        {"device", "device"},
        {" device , country ", "device;country"},
        {"7,device", "column7;device"},
        {"4096", "column4096"},
        {"4097", "!"},
        {"0", "!"},
        {"07", "!"}, // one column would have two names
        {"99999999999999999999", "!"},
        {"7a", "7a"},
        {"a=b", "a=b"},
        {"a b", "a b"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"caf\xe9", "!"},
        {"", "!"},
        {"a,", "!"},
        {",a", "!"},
        {"a,,b", "!"},
        {"a,a", "!"},
        {"a,A", "a;A"},
        {"7,column7", "!"},
        {"column7,7", "!"},
        {"column8,7", "column8;column7"},
        {"AnonID", "!"},
        {"query", "!"},
        {"QUERYTIME", "!"},
        {"itemRank", "!"},
        {"ClickUrl", "!"},
        {"a\tb", "!"},
        {"a\nb", "!"},
        {"a\033[1mb", "!"},
        {"a\x7f", "!"},
        {"a\xc2\x85", "!"}, // NEL, which a terminal obeys too
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        assert_string_equal(names_of(cases[i].text), cases[i].names);
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    assert_string_equal(names_of(long_name), "!");
    assert_string_equal(names_of(long_name + 1), long_name + 1);
    assert_string_equal(names_of(seventeen), "!");
    seventeen[strlen(seventeen) - 2] = '\0';
    assert_string_not_equal(names_of(seventeen), "!");
}

/* --- reading --- */

static void read_as(const char *bytes, const char *columns, const char *keep, lethe_err err,
                    const char *rows, const char *message)
{
    outcome o;
    lethe_keep k;
    assert_int_equal(lethe_keep_parse(NULL, keep, &k), LETHE_OK);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        outcome_begin(&o);
        const lethe_read_options reading = {.columns = columns, .keep = &k};
        outcome_of(&o, lethe_str_of(bytes), &reading, threads);
        if (o.err != err || strcmp(o.rows.at, rows) != 0 || !strstr(o.messages.at, message))
            fail_msg("%s, --keep %s: %d\n%s%s", bytes, keep, (int)o.err, o.rows.at, o.messages.at);
        outcome_end(&o);
    }
}

#define LONG "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\tdevice\tcountry\n"
#define TIME "2006-03-01 10:00:00"

static void columns_are_found_by_name(void **state)
{
    (void)state;
    const char tsv[] = LONG "1\tA b\t" TIME "\t\t\t phone \tde\n2\tc\t" TIME "\t\t\t\t\n";
    read_as(tsv, NULL, "device", LETHE_OK, "0|1|a b|" TIME "|||phone\n1|2|c|" TIME "||\n", "");
    read_as(tsv, NULL, "country,device", LETHE_OK,
            "0|1|a b|" TIME "|||de|phone\n1|2|c|" TIME "||||\n", "");
    read_as(tsv, NULL, "DEVICE,7", LETHE_OK, "0|1|a b|" TIME "|||phone|de\n1|2|c|" TIME "||||\n",
            "");
    read_as("x,user,query,time,A,a\n9,1,q," TIME ",5,\"6, \"\"\"\n", NULL, "a,A,x", LETHE_OK,
            "0|1|q|" TIME "|||6, \"|5|9\n", "");
    read_as("{\"user\": \"1\", \"query\": \"q\", \"time\": \"" TIME "\", \"d\": 5}\n"
            "{\"d\": \" x \", \"user\": \"1\", \"query\": \"q\", \"time\": \"" TIME
            "\", \"c\": \"y\"}\n"
            "{\"user\": \"1\", \"query\": \"q\", \"time\": \"" TIME "\"}\n",
            NULL, "c,d", LETHE_OK,
            "0|1|q|" TIME "||||5\n1|1|q|" TIME "|||y|x\n2|1|q|" TIME "||||\n", "");
}

static void columns_are_found_by_number(void **state)
{
    (void)state;
    const char bare[] = "1\tq\t" TIME "\t\t\tphone\tde\n2\tq\t" TIME "\n3\tq\t" TIME "\t\t\tx\n";
    read_as(bare, NULL, "7", LETHE_OK, "0|1|q|" TIME "|||de\n1|2|q|" TIME "||\n2|3|q|" TIME "||\n",
            "");
    read_as(bare, NULL, "7,6", LETHE_OK,
            "0|1|q|" TIME "|||de|phone\n1|2|q|" TIME "||||\n2|3|q|" TIME "||||x\n", "");
    read_as("de,1,q," TIME "\n", "user=2,query=3,time=4", "1", LETHE_OK, "0|1|q|" TIME "|||de\n",
            "");
}

static void what_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    const char tsv[] = LONG "1\tq\t" TIME "\t\t\tp\tde\n", bare[] = "1\tq\t" TIME "\t\t\tp\tde\n";
    read_as(tsv, NULL, "devise", LETHE_EINPUT, "", "did you mean 'device'?");
    read_as(tsv, NULL, "8", LETHE_EINPUT, "", "--keep 8: the first line has 7 columns");
    read_as(tsv, NULL, "6,device", LETHE_EINPUT, "", "two names of the list are this column");
    read_as(tsv, NULL, "3", LETHE_EINPUT, "", "the column of the time");
    read_as(bare, NULL, "p", LETHE_EINPUT, "", "the first line is no header");
    read_as("user,query,d,D\n1,q,a,b\n", NULL, "dD", LETHE_EINPUT, "", "unknown column 'dD'");
    read_as("user,query,when,d,d\n1,q," TIME ",a,b\n", "time=when,user=user,query=query", "d",
            LETHE_EINPUT, "", "two columns are called so");
    read_as("{\"user\": \"1\", \"query\": \"q\"}\n", NULL, "d", LETHE_EINPUT, "",
            "unknown column 'd'");
    read_as("{\"user\": \"1\", \"query\": \"q\"}\n", NULL, "2", LETHE_EUSAGE, "",
            "names, not numbers");
    read_as("{\"user\": \"1\", \"q\": \"x\"}\n", NULL, "q", LETHE_EINPUT, "", "published anyway");
    read_as("", NULL, "d", LETHE_EINPUT, "", "is empty");
    read_as("{\"index\":{\"_index\":\"ubi_queries\"}}\n{\"client_id\":\"a\",\"query_id\":\"1\","
            "\"user_query\":\"x\",\"timestamp\":\"2025-01-21T07:31:52Z\"}\n",
            NULL, "d", LETHE_EUSAGE, "", "User Behavior Insights");
}

static void values_that_cannot_be_published_reject_their_line(void **state)
{
    (void)state;
    const char good[] = "1,q," TIME ",,,b\n";
    char bytes[2048] = "user,query,time,rank,url,d\n1,q," TIME ",,,\"a\tb\"\n";
    for (int i = 0; i < 20; i++)
        strcat(bytes, good);
    outcome o;
    outcome_begin(&o);
    const lethe_keep k = {1, {LETHE_LIT("d")}};
    outcome_of(&o, lethe_str_of(bytes), &(lethe_read_options){.keep = &k}, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.counts.rejected, 1);
    assert_non_null(strstr(o.messages.at, ":2:6 tab in a field"));
    outcome_end(&o);
    strcpy(bytes, "1\tq\t" TIME "\t\t\tb\xff\n");
    outcome_begin(&o);
    const lethe_keep number = {1, {LETHE_LIT("6")}};
    outcome_of(&o, lethe_str_of(bytes), &(lethe_read_options){.keep = &number}, 1);
    assert_string_equal(o.rows.at, "0|1|q|" TIME "|||b\xef\xbf\xbd\n");
    assert_int_equal(o.counts.invalid_utf8, 1);
    outcome_end(&o);
}

/* --- what was published --- */

static void published_as(const char *bytes, const lethe_keep *expected, lethe_err err,
                         const char *rows, const char *message)
{
    char path[64];
    outcome o;
    int dirfd = o_folder(path);
    const lethe_log_form form = {.any_user = true, .times = LETHE_TIME_DAY, .keep = expected};
    o_write(dirfd, "data.tsv", bytes, strlen(bytes));
    outcome_begin(&o);
    lethe_ctx *ctx = outcome_ctx(&o, 2, (uint64_t)1 << 20);
    lethe_log *log = NULL;
    o.err = lethe_log_published(ctx, dirfd, "data.tsv", &log);
    if (o.err == LETHE_OK) {
        lethe_log_expect(log, expected ? &form : NULL);
        outcome_walk(&o, ctx, log);
    }
    if (o.err != err || strcmp(o.rows.at, rows) != 0 || !strstr(o.messages.at, message))
        fail_msg("%s: %d\n%s%s", bytes, (int)o.err, o.rows.at, o.messages.at);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    o_folder_gone(dirfd, path);
}

#define HEAD "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
#define DAY "2006-03-01 00:00:00"
static const char no_header[] = "not the header of a published log",
                  row5[] = "1\tq\t2006-03-01\t\t";

static void published_columns_are_read_back(void **state)
{
    (void)state;
    char bytes[8192];
    const lethe_keep two = {2, {LETHE_LIT("d"), LETHE_LIT("7")}},
                     other = {2, {LETHE_LIT("7"), LETHE_LIT("d")}}, one = {1, {LETHE_LIT("d")}};
    snprintf(bytes, sizeof bytes, HEAD "\td\tcolumn7\n%s\t\t\n%s\tx\ty z\n", row5, row5);
    const char rows[] = "0|1|q|" DAY "||||\n1|1|q|" DAY "|||x|y z\n";
    published_as(bytes, NULL, LETHE_OK, rows, "");
    published_as(bytes, &two, LETHE_OK, rows, "");
    published_as(bytes, &other, LETHE_EINPUT, "", "other columns than the release says");
    published_as(bytes, &one, LETHE_EINPUT, "", "other columns than the release says");
    published_as(bytes, &(lethe_keep){.n = 0}, LETHE_EINPUT, "",
                 "other columns than the release says");
    snprintf(bytes, sizeof bytes, HEAD "\n%s\n", row5);
    published_as(bytes, &one, LETHE_EINPUT, "", "other columns than the release says");
    static const char *const heads[] = {"\t",    "\td\t", "\td\td", "\t7", "\tQuery", "\td ",
                                        "\ta,b", " d",    "d",      "\r",  "\ta\x01", "\t\xff"};
    for (size_t i = 0; i < LETHE_COUNT(heads); i++) {
        snprintf(bytes, sizeof bytes, HEAD "%s\n", heads[i]);
        published_as(bytes, NULL, LETHE_EINPUT, "", no_header);
    }
    strcpy(bytes, HEAD);
    for (int i = 0; i < 17; i++)
        sprintf(bytes + strlen(bytes), "\tc%d", i);
    strcat(bytes, "\n");
    published_as(bytes, NULL, LETHE_EINPUT, "", no_header);
    published_as(HEAD "\td", NULL, LETHE_EINPUT, "", no_header);
    static const struct {
        const char *kept, *cause;
    } bad[] = {{"", "not as many columns"},     {"\ta\tb\tc", "not as many columns"},
               {"\ta", "not as many columns"},  {"\t a\tb", "space at an end"},
               {"\ta\tb ", "space at an end"},  {"\ta\xff\tb", "not UTF-8"},
               {"\ta\rc\tb", "carriage return"}};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        snprintf(bytes, sizeof bytes, HEAD "\td\te\n%s%s\n", row5, bad[i].kept);
        published_as(bytes, NULL, LETHE_EINPUT, "", bad[i].cause);
    }
}

/* --- on the way --- */

static void rows_keep_them_in_a_store_and_by_users(void **state)
{
    (void)state;
    outcome o;
    lethe_log *store = NULL;
    outcome_begin(&o);
    lethe_ctx *ctx = outcome_ctx(&o, 1, (uint64_t)1 << 20);
    assert_int_equal(lethe_log_store(ctx, 1 << 20, &store), LETHE_OK);
    const lethe_row rows[] = {{.origin = 0,
                               .owner = LETHE_LIT("a"),
                               .user = LETHE_LIT("p"),
                               .query = LETHE_LIT("q"),
                               .url = LETHE_LIT("u.com"),
                               .kept = LETHE_LIT("x\ty"),
                               .time = LETHE_NO_TIME,
                               .rank = 3},
                              {.origin = 1,
                               .owner = LETHE_LIT("a"),
                               .user = LETHE_LIT("a"),
                               .query = LETHE_LIT("q"),
                               .kept = LETHE_LIT("\t"),
                               .time = LETHE_NO_TIME,
                               .rank = LETHE_NO_RANK}};
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        assert_int_equal(lethe_log_append(store, 0, &rows[i]), LETHE_OK);
    outcome_walk(&o, ctx, store);
    assert_string_equal(o.rows.at, "0|p<a|q||3|u.com|x|y\n1|a|q|||||\n");
    lethe_log_free(store);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    outcome_begin(&o);
    const lethe_keep k = {1, {LETHE_LIT("6")}};
    const lethe_read_options reading = {
        .keep = &k, .has_users_with = true, .users_with_min = 1, .users_with_max = 9};
    outcome_of(&o, LETHE_LIT("1\tq\t" TIME "\t1\tu.com\tphone\n2\tq\t" TIME "\t\t\tphone\n"),
               &reading, 1);
    assert_string_equal(o.rows.at, "0|1|q|" TIME "|1|u.com|phone\n");
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(columns_are_found_by_number),
        cmocka_unit_test(what_cannot_be_kept_is_refused),
        cmocka_unit_test(values_that_cannot_be_published_reject_their_line),
        cmocka_unit_test(published_columns_are_read_back),
        cmocka_unit_test(rows_keep_them_in_a_store_and_by_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
