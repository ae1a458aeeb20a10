/* SPDX-License-Identifier: Apache-2.0 */
/* User Behavior Insights: which documents there are, how they are joined, what is rejected. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include "ubi_lines.h"

typedef struct want {
    const char *name, *in, *rows, *messages;
    lethe_err err;
    uint64_t lines, n_rows, empty, rejected;
    bool strict, filler; /* the rows of TWENTY, which stands at the end, are not looked at */
} want;

static void check_counts(const char *name, const lethe_read_counts *c, const want *w)
{
    if (c->lines != w->lines || c->rows != w->n_rows || c->empty != w->empty ||
        c->rejected != w->rejected)
        fail_msg("%s: lines %llu rows %llu empty %llu rejected %llu", name,
                 (unsigned long long)c->lines, (unsigned long long)c->rows,
                 (unsigned long long)c->empty, (unsigned long long)c->rejected);
    assert_int_equal(c->lines, c->rows + c->empty + c->rejected);
}

static void check_table(const want *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const want *w = &table[i];
        text in = {0};
        text_put(&in, w->in, strlen(w->in));
        if (w->filler) text_put(&in, TWENTY, strlen(TWENTY));
        lethe_read_options reading = ubi;
        reading.strict = w->strict;
        outcome o;
        outcome_begin(&o);
        outcome_of(&o, (lethe_str){in.at, in.n}, &reading, 1);
        if (o.err != w->err) fail_msg("%s: error %d: %s", w->name, o.err, o.messages.at);
        if (w->filler && w->err == LETHE_OK) {
            char *nine = strstr(o.rows.at, "|n|nine|");
            assert_non_null(nine);
            while (nine > o.rows.at && nine[-1] != '\n')
                nine--;
            *nine = '\0';
        }
        if (strcmp(o.rows.at, w->rows) != 0) fail_msg("%s: rows: %s", w->name, o.rows.at);
        if (strcmp(o.messages.at, w->messages) != 0)
            fail_msg("%s: said: %s", w->name, o.messages.at);
        if (w->err == LETHE_OK) check_counts(w->name, &o.counts, w);
        assert_true(o.in_order);
        outcome_end(&o);
        free(in.at);
    }
}

/* --- what becomes a row --- */

static void queries_and_clicks_are_joined(void **state)
{
    (void)state;
    static const want table[] = {
        {.name = "a query without a click",
         .in = DOC("q", "ann", " Red  Shoes ", T1),
         .rows = "0|ann|red shoes|" W1 "||\n",
         .messages = "",
         .lines = 1,
         .n_rows = 1},
        {.name = "clicks, with the query's time",
         .in =
             DOC("q", "ann", "shoes", T1) CLICK("q", "ann", "B1", "2") CLICK("q", "ann", "B2", "0"),
         .rows = "1|ann|shoes|" W1 "|2|=B1\n2|ann|shoes|" W1 "|0|=B2\n",
         .messages = "",
         .lines = 2,
         .n_rows = 2},
        {.name = "clicks before their query",
         .in = CLICK("q", "ann", "B1", "2") CLICK("r", "bob", "B1", "3") DOC("r", "bob", "hat", T2)
             DOC("q", "ann", "shoes", T1),
         .rows = "0|ann|shoes|" W1 "|2|=B1\n1|bob|hat|" W2 "|3|=B1\n",
         .messages = "",
         .lines = 2,
         .n_rows = 2},
        {.name = "a bulk file",
         .in = ACTION("ubi_queries") DOC("q", "ann", "shoes", T1) ACTION("ubi_events")
             CLICK("q", "ann", "B1", "2") "{\"create\":{}}\n" DOC("r", "bob", "hat", T2),
         .rows = "3|ann|shoes|" W1 "|2|=B1\n5|bob|hat|" W2 "||\n",
         .messages = "",
         .lines = 2,
         .n_rows = 2},
        {.name = "events that are no clicks",
         .in = DOC("q", "ann", "shoes", T1) EVENT("impression", "q") EVENT("item_click", "q")
             EVENT("", "none") "{\"action_name\":\"Click\"}\n",
         .rows = "0|ann|shoes|" W1 "||\n",
         .messages =
             "N 4 events that are no clicks: left out (Click 1, impression 1, item_click 1, "
             "others 1)\n",
         .lines = 1,
         .n_rows = 1},
        {.name = "the schema's other name of a click",
         .in = DOC("q", "ann", "shoes",
                   T1) "{\"action_name\":\"click_through\",\"query_id\":\"q\","
                       "\"event_attributes\":{\"object\":{\"object_id\":7}}}\n" EVENT("view", "q"),
         .rows = "1|ann|shoes|" W1 "||=7\n",
         .messages = "N 1 event that is no click: left out (view 1)\n",
         .lines = 1,
         .n_rows = 1},
        {.name = "epoch milliseconds",
         .in = "{\"query_id\":\"q\",\"client_id\":\"ann\",\"user_query\":\"shoes\","
               "\"timestamp\":1717527762080}\n",
         .rows = "0|ann|shoes|2024-06-04 19:02:42||\n",
         .messages = "",
         .lines = 1,
         .n_rows = 1},
        {.name = "an empty query and its clicks",
         .in = DOC("q", "ann", "", T1) DOC("r", "ann", " \\u00a0", T1) CLICK("r", "ann", "B1", "1")
             CLICK("r", "ann", "B2", "1") DOC("s", "ann", "x", T1),
         .rows = "4|ann|x|" W1 "||\n",
         .messages = "",
         .lines = 4,
         .n_rows = 1,
         .empty = 3},
        {.name = "a repeated query document",
         .in = DOC("q", "ann", "shoes", T1) DOC("q", " ann", "SHOES ", "1737703912000")
             CLICK("q", "ann", "B1", "1"),
         .rows = "2|ann|shoes|" W1 "|1|=B1\n",
         .messages = "N 1 query document that repeats another: counted once\n",
         .lines = 1,
         .n_rows = 1},
        {.name = "the same query twice is two queries, and one to whoever counts them",
         .in = DOC("q", "ann", "shoes", T1) DOC("r", "ann", "shoes", T1),
         .rows = "0|ann|shoes|" W1 "||\n1|ann|shoes|" W1 "||\n",
         .messages = "",
         .lines = 2,
         .n_rows = 2},
        {.name = "a click that does not say whose it is",
         .in = DOC("q", "ann", "shoes", T1) "{\"action_name\":\"click\",\"query_id\":\"q\","
                                            "\"client_id\":null,\"event_attributes\":{\"object\":"
                                            "{\"object_id\":\"B1\"}}}\n",
         .rows = "1|ann|shoes|" W1 "||=B1\n",
         .messages = "",
         .lines = 1,
         .n_rows = 1},
        {.name = "CRLF, no final line end, a byte order mark",
         .in = "\xEF\xBB\xBF"
               "{\"query_id\":\"q\",\"client_id\":\"ann\",\"user_query\":\"shoes\","
               "\"timestamp\":\"" T1 "\"}\r\n"
               "{\"query_id\":\"r\",\"client_id\":\"ann\",\"user_query\":\"hat\",\"timestamp\":0}",
         .rows = "0|ann|shoes|" W1 "||\n1|ann|hat|1970-01-01 00:00:00||\n",
         .messages = "",
         .lines = 2,
         .n_rows = 2},
        {.name = "names with dots",
         .in = DOC("q", "ann", "shoes", T1) "{\"action_name\":\"click\",\"query_id\":\"q\","
                                            "\"event_attributes.object.object_id\":\"B1\","
                                            "\"event_attributes.position.ordinal\":4}\n",
         .rows = "1|ann|shoes|" W1 "|4|=B1\n",
         .messages = "",
         .lines = 1,
         .n_rows = 1},
    };
    check_table(table, LETHE_COUNT(table));
}

static void an_address_is_preferred_to_an_id(void **state)
{
    (void)state;
    static const char *const objects[][2] = {
        {"\"url\":\"http://a.com/x\",\"object_url\":\"o\",\"object_id\":\"i\"", "http://a.com/x"},
        {"\"object_id\":\"i\",\"object_url\":\" o \",\"url\":\"  \"", "=o"},
        {"\"object_id\":\"i\",\"object_url\":null,\"url\":{}", "=i"},
        {"\"object_id\":3760170840499,\"internal_id\":\"n\"", "=3760170840499"},
        // a URL has a host with a dot; an id that is one has a scheme too
        {"\"url\":\"shop.com/p?q=1\"", "shop.com/p?q=1"},
        {"\"url\":\"/p/12\"", "=/p/12"},
        {"\"url\":\"http://intranet/p\"", "=http://intranet/p"},
        {"\"url\":\"http://[::1]/p\"", "http://[::1]/p"},
        {"\"object_id\":\"https://shop.com/p\"", "https://shop.com/p"},
        {"\"object_id\":\"//shop.com/p\"", "//shop.com/p"},
        {"\"object_id\":\"shop.com/p\"", "=shop.com/p"},
        {"\"object_id\":\"john.smith\"", "=john.smith"},
        {"\"object_id\":\"shop.com/?u=http://a.com\"", "=shop.com/?u=http://a.com"},
        {"\"object_id\":\"mailto:ann@a.com\"", "=mailto:ann@a.com"},
    };
    for (size_t i = 0; i < LETHE_COUNT(objects); i++) {
        text in = {0};
        char rows[200];
        text_add(&in,
                 DOC("q", "ann", "shoes", T1) "{\"action_name\":\"click\",\"query_id\":\"q\",");
        text_add(&in, "\"event_attributes\":{\"object\":{%s}}}\n", objects[i][0]);
        snprintf(rows, sizeof rows, "1|ann|shoes|" W1 "||%s\n", objects[i][1]);
        want w = {.name = objects[i][0],
                  .in = in.at,
                  .rows = rows,
                  .messages = "",
                  .lines = 1,
                  .n_rows = 1};
        check_table(&w, 1);
        free(in.at);
    }
}

static void positions_that_are_no_ranks_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *ordinal, *rank;
        bool odd;
    } table[] = {
        {"3", "3", false},
        {"0", "0", false},
        {"\"12\"", "12", false},
        {"3.0", "3", false},
        {"7.000", "7", false},
        {"null", "", false},
        {"4294967294", "4294967294", false},
        {"4294967295", "", true},
        {"-1", "", true},
        {"1.5", "", true},
        {"1e2", "", true},
        {"\"first\"", "", true},
        {"\".0\"", "", true},
        {"\"3.\"", "", true},
        {"true", "", true},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        text in = {0};
        char rows[200];
        text_add(&in,
                 DOC("q", "ann", "shoes", T1) "{\"action_name\":\"click\",\"query_id\":\"q\",");
        text_add(&in, "\"event_attributes\":{\"object\":{\"object_id\":1},\"position\":");
        text_add(&in, "{\"ordinal\":%s}}}\n", table[i].ordinal);
        snprintf(rows, sizeof rows, "1|ann|shoes|" W1 "|%s|=1\n", table[i].rank);
        want w = {.name = table[i].ordinal,
                  .in = in.at,
                  .rows = rows,
                  .messages =
                      table[i].odd
                          ? "W no click has a rank: 1 have a position "
                            "(event_attributes.position.ordinal) that is no whole number under "
                            "4294967295\n"
                          : "",
                  .lines = 1,
                  .n_rows = 1};
        check_table(&w, 1);
        free(in.at);
    }
}

/* --- what is rejected --- */

static void every_lost_thing_is_named(void **state)
{
    (void)state;
#define BAD(name_, in_, message)                                                                   \
    {                                                                                              \
        .name = name_, .in = in_, .rows = "", .messages = "W memory:" message "\n", .lines = 21,   \
        .n_rows = 20, .rejected = 1, .filler = true                                                \
    }
    static const want table[] = {
        BAD("no object", "[1]\n", "1:1 not a JSON object"),
        BAD("text", "  user\tquery\n", "1:3 not a JSON object"),
        BAD("grammar", "{\"query_id\":\"q\",,}\n", "1:17 not valid JSON"),
        BAD("cut", "{\"query_id\":\"q\",\"user\n", "1:22 cut off in the middle"),
        BAD("two objects", "{} {}\n", "1:4 text after the object"),
        BAD("blank", "\n", "1:0 empty line"),
        BAD("spaces", "  \n", "1:3 not a JSON object"),
        BAD("another document", "{\"user\":\"ann\",\"query\":\"shoes\"}\n",
            "1:0 neither a query nor an event"),
        BAD("an empty document", "{}\n", "1:0 neither a query nor an event"),
        BAD("a query's null", "{\"query_id\":\"q\",\"client_id\":\"ann\",\"user_query\":null}\n",
            "1:0 neither a query nor an event"),
        BAD("deletion", "{\"delete\":{\"_index\":\"ubi_queries\",\"_id\":\"x\"}}\n",
            "1:0 bulk action other than index and create"),
        BAD("update", "{ \"update\" : {} }\n", "1:0 bulk action other than index and create"),
        BAD("no action, two members", "{\"index\":{},\"create\":{}}\n",
            "1:0 neither a query nor an event"),
        BAD("no action, no object", "{\"index\":7}\n", "1:0 neither a query nor an event"),
        BAD("no action, an array", "{\"index\":[{}]}\n", "1:0 neither a query nor an event"),
        BAD("no id", "{\"client_id\":\"ann\",\"user_query\":\"x\",\"timestamp\":0}\n",
            "1:0 no query id"),
        BAD("empty id", DOC("", "ann", "x", T1), "1:0 no query id"),
        BAD("no client", "{\"query_id\":\"q\",\"user_query\":\"x\",\"timestamp\":0}\n",
            "1:0 no client id"),
        BAD("a user is no client",
            "{\"query_id\":\"q\",\"user_id\":\"u\",\"user_query\":\"x\",\"timestamp\":0}\n",
            "1:0 no client id"),
        BAD("client of spaces", DOC("q", "  ", "x", T1), "1:0 no client id"),
        BAD("no time", "{\"query_id\":\"q\",\"client_id\":\"ann\",\"user_query\":\"x\"}\n",
            "1:0 no time"),
        BAD("bad time", DOC("q", "ann", "x", "yesterday"), "1:0 time not understood"),
        BAD("NUL in the id", DOC("q\\u0000", "ann", "x", T1), "1:0 NUL byte in a field"),
        BAD("tab in the client", DOC("q", "an\\tn", "x", T1), "1:0 tab in a field"),
        BAD("line feed in the query", DOC("q", "ann", "x\\ny", T1), "1:0 line feed in a field"),
        BAD("an event without its name",
            "{\"query_id\":\"q\",\"client_id\":\"ann\",\"user_query\":\"x\",\"timestamp\":0,"
            "\"action_name\":null,\"message_type\":\"QUERY\"}\n",
            "1:0 event without an action name"),
        BAD("a click without its query", CLICK("z", "ann", "B1", "1"),
            "1:0 no query document with its query id"),
        BAD("a click without an id", CLICK("", "ann", "B1", "1"), "1:0 no query id"),
        BAD("a click on nothing", CLICK("a1", "n", "", "1"), "1:0 click without an object"),
        BAD("CR in an object", CLICK("a1", "n", "B\\r1", "1"), "1:0 carriage return in a field"),
    };
#undef BAD
    check_table(table, LETHE_COUNT(table));
    static const want more[] = {
        {.name = "a second query of another text or user",
         .in = DOC("q", "ann", "shoes", T1) DOC("q", "ann", "shoe", T1) DOC("q", "bob", "shoes", T1)
             DOC("q", "ann", "shoes", T1),
         .rows = "0|ann|shoes|" W1 "||\n",
         .messages = "W memory:2:0 another query document has its query id\n"
                     "W memory:3:0 another query document has its query id\n"
                     "N 1 query document that repeats another: counted once\n",
         .lines = 23,
         .n_rows = 21,
         .rejected = 2,
         .filler = true},
        {.name = "a second query of another time",
         .in = DOC("q", "ann", "shoes", T2) DOC("q", "ann", "shoes", T1),
         .rows = "0|ann|shoes|" W2 "||\n",
         .messages = "N 1 query document that repeats another: counted once\n",
         .lines = 21,
         .n_rows = 21,
         .filler = true},
        {.name = "a click of another client",
         .in = DOC("q", "ann", "shoes", T1) CLICK("q", "bob", "B1", "1"),
         .rows = "0|ann|shoes|" W1 "||\n",
         .messages = "W memory:2:0 client id is not that of its query\n",
         .lines = 22,
         .n_rows = 21,
         .rejected = 1,
         .filler = true},
        {.name = "clicks of a query that is rejected",
         .in = DOC("q", "ann", "x", "") CLICK("q", "ann", "B1", "1"),
         .rows = "",
         .messages = "W memory:1:0 no time\nW memory:2:0 no query document with its query id\n",
         .lines = 22,
         .n_rows = 20,
         .rejected = 2,
         .filler = true},
    };
    check_table(more, LETHE_COUNT(more));
}

static void a_file_cut_in_the_middle_is_named(void **state)
{
    (void)state;
    static const want table[] = {
        {.name = "in a document",
         .in = TWENTY DOC("q", "ann", "x", T1) "{\"query_id\":\"r\",\"client_id\":\"ann\",\"use",
         .rows = "",
         .messages = "W memory:22:39 cut off in the middle\n",
         .lines = 22,
         .n_rows = 21,
         .rejected = 1},
        {.name = "in an action",
         .in = TWENTY "{\"index\": {\"_in",
         .rows = "",
         .messages = "W memory:21:16 cut off in the middle\n",
         .lines = 21,
         .n_rows = 20,
         .rejected = 1},
        {.name = "behind an action",
         .in = TWENTY "{\"index\": {}}",
         .rows = "",
         .messages = "W memory:21:0 bulk action without its document\n",
         .lines = 21,
         .n_rows = 20,
         .rejected = 1},
        {.name = "behind an action and its line end",
         .in = TWENTY ACTION("ubi_queries"),
         .rows = "",
         .messages = "W memory:21:0 bulk action without its document\n",
         .lines = 21,
         .n_rows = 20,
         .rejected = 1},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        outcome o;
        outcome_begin(&o);
        outcome_of(&o, lethe_str_of(table[i].in), &ubi, 2);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.messages.at, table[i].messages);
        check_counts(table[i].name, &o.counts, &table[i]);
        outcome_end(&o);
    }
}

static void what_is_no_such_log_is_refused(void **state)
{
    (void)state;
    static const want table[] = {
        {.name = "empty", .in = "", .messages = "E 'memory' is empty\n"},
        {.name = "another log",
         .in = "1\tshoes\t2006-03-01 10:00:00\n2\that\t2006-03-01 10:00:00\n",
         .messages = "W memory:1:1 not a JSON object\nW memory:2:1 not a JSON object\n"
                     "E 'memory': 2 of 2 lines rejected: not a log of this format? " HOW},
        {.name = "another log of JSON Lines",
         .in = "{\"user\":1,\"query\":\"a\",\"time\":0}\n",
         .messages = "W memory:1:0 neither a query nor an event\n"
                     "E 'memory': 1 of 1 lines rejected: not a log of this format? " HOW},
        {.name = "actions alone",
         .in = ACTION("ubi_queries") ACTION("ubi_queries"),
         .messages = "W memory:2:0 bulk action without its document\n"
                     "E 'memory': 1 of 1 lines rejected: not a log of this format? " HOW},
        {.name = "events alone",
         .in = EVENT("impression", "q") EVENT("view", "q"),
         .messages = "N 2 events that are no clicks: left out (impression 1, view 1)\nE no queries "
                     "and no clicks\n"},
        {.name = "clicks alone",
         .in = CLICK("q", "ann", "B1", "1"),
         .messages = "W memory:1:0 no query document with its query id\n"
                     "E 1 of 1 lines rejected: not a log of this format? " HOW},
        {.name = "strict: a click whose query is missing stands before a line that does not parse",
         .in = DOC("q", "ann", "x", T1) CLICK("z", "ann", "B1", "1") "{\n" TWENTY,
         .messages = "E memory:2:0 no query document with its query id\n",
         .strict = true},
        {.name = "strict: and behind it",
         .in = DOC("q", "ann", "x", T1) "{\n" CLICK("z", "ann", "B1", "1") TWENTY,
         .messages = "E memory:2:2 cut off in the middle\n",
         .strict = true},
        {.name = "strict: nothing but that",
         .in = "x\ny\n",
         .messages = "E memory:1:1 not a JSON object\n",
         .strict = true},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        want w = table[i];
        w.rows = "";
        w.err = LETHE_EINPUT;
        check_table(&w, 1);
    }
    want fine = {.name = "strict: nothing to say",
                 .in = DOC("q", "ann", "x", T1) CLICK("q", "ann", "B1", "1") EVENT("view", "z"),
                 .rows = "1|ann|x|" W1 "|1|=B1\n",
                 .messages = "N 1 event that is no click: left out (view 1)\n",
                 .lines = 1,
                 .n_rows = 1,
                 .strict = true};
    check_table(&fine, 1);
}

static void bytes_that_are_no_text_are_counted(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    outcome_of(&o,
               lethe_str_of(DOC("q", "ann\xFF", "x", T1) CLICK("q", "ann\xFE", "B1", "1")    // row
                            CLICK("q", "ann\xFF", "B\xC3", "1")                              // row
                            DOC("r\xFF", "bob", "\xFF", T1) CLICK("r\xFF", "bob", "B1", "1") // row
                            DOC("s", "bob", "y", T1) CLICK("s", "bob", "\\ud800", "1")),
               &ubi, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.rows.at, "1|ann\xEF\xBF\xBD|x|" W1 "|1|=B1\n"
                                   "2|ann\xEF\xBF\xBD|x|" W1 "|1|=B\xEF\xBF\xBD\n"
                                   "4|bob|\xEF\xBF\xBD|" W1 "|1|=B1\n"
                                   "6|bob|y|" W1 "|1|=\xEF\xBF\xBD\n");
    assert_int_equal(o.counts.invalid_utf8, 3);
    outcome_end(&o);
}

/* A line of `n` bytes, LF not among them. */
static void add_long(text *t, const char *before, const char *after, size_t n)
{
    text_put(t, before, strlen(before));
    for (size_t i = strlen(before) + strlen(after); i < n; i++)
        text_put(t, "u", 1);
    text_put(t, after, strlen(after));
    text_put(t, "\n", 1);
}

static void long_lines_are_rejected(void **state)
{
    (void)state;
    static const char doc[] = "{\"query_id\":\"q\",\"client_id\":\"ann\",\"timestamp\":0,"
                              "\"user_query\":\"",
                      click[] =
                          "{\"action_name\":\"click\",\"query_id\":\"q\",\"event_attributes\":"
                          "{\"object\":{\"object_id\":\"";
    text t = {0};
    add_long(&t, doc, "\"}", (size_t)600 << 10);
    add_long(&t, click, "\"}}}", (size_t)1 << 10);
    add_long(&t, click, "\"}}}", (size_t)600 << 10); // too long with its query alone
    add_long(&t, click, "\"}}}", ((size_t)1 << 20) + 1);
    text_put(&t, TWENTY, strlen(TWENTY));
    outcome o;
    outcome_begin(&o);
    outcome_of(&o, (lethe_str){t.at, t.n}, &ubi, 2);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.messages.at, "W memory:3:0 line over 1 MiB after normalization\n"
                                       "W memory:4:0 line over 1 MiB\n");
    assert_int_equal(o.counts.rows, 21);
    assert_int_equal(o.counts.rejected, 2);
    outcome_end(&o);
    free(t.at);
}

static void the_ids_of_what_cannot_be_joined_are_shown_when_asked_for(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    o.show_content = true;
    outcome_of(&o, lethe_str_of(TWENTY "{nothing\n" CLICK("z9", "ann", "B1", "1")), &ubi, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.messages.at, "W memory:21:3 not valid JSON [{nothing]\n"
                                       "W memory:22:0 no query document with its query id [z9]\n");
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_and_clicks_are_joined),
        cmocka_unit_test(an_address_is_preferred_to_an_id),
        cmocka_unit_test(positions_that_are_no_ranks_are_counted),
        cmocka_unit_test(every_lost_thing_is_named),
        cmocka_unit_test(a_file_cut_in_the_middle_is_named),
        cmocka_unit_test(what_is_no_such_log_is_refused),
        cmocka_unit_test(bytes_that_are_no_text_are_counted),
        cmocka_unit_test(long_lines_are_rejected),
        cmocka_unit_test(the_ids_of_what_cannot_be_joined_are_shown_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
