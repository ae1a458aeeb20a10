/* SPDX-License-Identifier: Apache-2.0 */
/* Reading logs: layouts, headers, rejected lines, messages; the same for any number of threads. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/read/blocks.h"
#include "log_rows.h"

#define D1 "2006-03-01 16:01:20"
#define D2 "2006-03-02 08:00:00"
#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
#define NOTE "N 'memory': first line taken for a header\n"
#define DOUBT                                                                                      \
    "N 'memory': the header has no known names for user, query and time: the columns are taken "   \
    "as user, query, time, rank, URL (change this with --columns)\n"
#define R "\xEF\xBF\xBD"
#define MORE "\xE2\x80\xA6 and "
#define NO_TIMES                                                                                   \
    "W 'memory': no column is known to be the time: no times are read (--columns time= names "     \
    "it)\n"
#define FORMS "N (forms of times)\n"

typedef struct sample {
    const char *name;
    const char *in;
    size_t n; /* 0: up to the NUL */
    lethe_read_options reading;
    lethe_err err;
    const char *rows;
    const char *messages;
    uint64_t lines, empty, rejected, invalid;
} sample;

/* Lines enough that one rejected is not too many. */
#define NINE                                                                                       \
    "9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2             \
    "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n"
#define NINE_ROWS(a, b, c, d, e, f, g, h, i)                                                       \
    a NINE_ROW b NINE_ROW c NINE_ROW d NINE_ROW e NINE_ROW f NINE_ROW g NINE_ROW h NINE_ROW i      \
        NINE_ROW
#define NINE_ROW "|9|nine|" D2 "||\n"
#define ROWS_0 NINE_ROWS("0", "1", "2", "3", "4", "5", "6", "7", "8")
#define ROWS_1 NINE_ROWS("1", "2", "3", "4", "5", "6", "7", "8", "9")

static void check_at(const sample *s, unsigned threads)
{
    outcome o;
    outcome_begin(&o);
    size_t n = s->n ? s->n : strlen(s->in);
    char *exact = malloc(n ? n : 1); // so that sanitizers see a read past the end
    assert_non_null(exact);
    memcpy(exact, s->in, n);
    outcome_of(&o, (lethe_str){exact, n}, &s->reading, threads);
    free(exact);
    const char *why = o.err != s->err                           ? "error"
                      : strcmp(o.rows.at, s->rows) != 0         ? "rows"
                      : strcmp(o.messages.at, s->messages) != 0 ? "messages"
                      : o.counts.lines != s->lines              ? "lines"
                      : o.counts.empty != s->empty              ? "empty"
                      : o.counts.rejected != s->rejected        ? "rejected"
                      : o.counts.invalid_utf8 != s->invalid     ? "invalid"
                      : o.counts.rows + o.counts.empty + o.counts.rejected != o.counts.lines
                          ? "sum of counts"
                          : NULL;
    if (why)
        fail_msg(
            "%s, %u threads: %s\nerr %d (want %d), lines %llu empty %llu rejected %llu invalid "
            "%llu\nrows:\n%s\nwant:\n%s\nmessages:\n%s\nwant:\n%s",
            s->name, threads, why, o.err, s->err, (unsigned long long)o.counts.lines,
            (unsigned long long)o.counts.empty, (unsigned long long)o.counts.rejected,
            (unsigned long long)o.counts.invalid_utf8, o.rows.at, s->rows, o.messages.at,
            s->messages);
    outcome_end(&o);
}

static void check(const sample *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_at(&table[i], 1);
        check_at(&table[i], 2);
        check_at(&table[i], 7);
    }
}

/* --- TSV --- */

static void tsv_is_read(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "five columns",
         .in = HEADER "1\tfoo\t" D1 "\t3\thttp://a.com\n2\tBar  Baz\t" D2 "\t\t\n",
         .rows = "0|1|foo|" D1 "|3|http://a.com\n1|2|bar baz|" D2 "||\n",
         .messages = NOTE,
         .lines = 2},
        {.name = "no header, three and four columns",
         .in = "1\tfoo\t" D1 "\n1\tfoo\t" D2 "\t7\n",
         .rows = "0|1|foo|" D1 "||\n1|1|foo|" D2 "|7|\n",
         .messages = "",
         .lines = 2},
        {.name = "no final newline",
         .in = "1\tfoo\t" D1 "\n2\tbar\t" D2 "\t1\tU",
         .rows = "0|1|foo|" D1 "||\n1|2|bar|" D2 "|1|U\n",
         .messages = "",
         .lines = 2},
        {.name = "CRLF",
         .in = "AnonID\tQuery\tQueryTime\r\n1\tfoo\t" D1 "\r\n2\tbar\t" D2 "\r\n",
         .rows = "0|1|foo|" D1 "||\n1|2|bar|" D2 "||\n",
         .messages = NOTE,
         .lines = 2},
        {.name = "byte order mark",
         .in = "\xEF\xBB\xBF" HEADER "1\tfoo\t" D1 "\t\t\n",
         .rows = "0|1|foo|" D1 "||\n",
         .messages = NOTE,
         .lines = 1},
        {.name = "user and URL are trimmed and keep their case",
         .in = "  Bob \t Foo \t" D1 "\t 5 \t http://A.com/X \n",
         .rows = "0|Bob|foo|" D1 "|5|http://A.com/X\n",
         .messages = "",
         .lines = 1},
        {.name = "empty queries are counted",
         .in = "1\t\t" D1 "\n1\t  \t" D1 "\n1\t\xE2\x80\x8B\t" D1 "\n1\tx\t" D1 "\n",
         .rows = "3|1|x|" D1 "||\n",
         .messages = "",
         .lines = 4,
         .empty = 3},
        {.name = "invalid UTF-8 is counted once a line",
         .in = "\xFFu\t\xFEq\t" D1 "\t\th\xE9\n2\tcaf\xC3\x89\t" D1 "\n3\t\x80\t" D2 "\n",
         .rows = "0|" R "u|" R "q|" D1 "||h" R "\n1|2|caf\xC3\xA9|" D1 "||\n2|3|" R "|" D2 "||\n",
         .messages = "",
         .lines = 3,
         .invalid = 2},
        {.name = "times of other forms",
         .in = "1\ta\t2006-03-01T17:01:20.5+01:00\n1\tb\t1141228880\n1\tc\t1141228880123\n"
               "1\td\t060301160120\n1\te\t2006-03-01\n",
         .rows = "0|1|a|" D1 "||\n1|1|b|" D1 "||\n2|1|c|" D1 "||\n3|1|d|" D1
                 "||\n4|1|e|2006-03-01 00:00:00||\n",
         .messages = "",
         .lines = 5},
        {.name = "a first line without a good time is a header",
         .in = "1\tfoo\t2006-13-01 00:00:00\n2\tbar\t" D2 "\n",
         .rows = "0|2|bar|" D2 "||\n",
         .messages = DOUBT NOTE,
         .lines = 1},
        {.name = "a first line that is too short is not",
         .in = "rubbish\n" NINE,
         .rows = ROWS_1,
         .messages = "W memory:1:2 too few columns\n",
         .lines = 10,
         .rejected = 1},
        {.name = "other delimiter",
         .in = "1,foo,bar," D1 "\n",
         .reading = {.format = LETHE_FORMAT_AOL,
                     .delimiter = ',',
                     .columns = "user=1,query=2,time=4"},
         .rows = "0|1|foo|" D1 "||\n",
         .messages = "",
         .lines = 1},
    };
    check(table, LETHE_COUNT(table));
}

static void tsv_headers_may_name_another_order(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "another order",
         .in = "timestamp\tUser_ID\tposition\tQ\textra\tmore\n" D1 "\tu\t4\tFoo\tx\ty\n" D2
               "\tu\t\tBar\n",
         .rows = "0|u|foo|" D1 "|4|\n1|u|bar|" D2 "||\n",
         .messages =
             "N 'memory': columns taken from the header: user=2,query=4,time=1,rank=3\n" NOTE,
         .lines = 2},
        {.name = "without the time it is AOL's",
         .in = "user\tquery\twhen\nu\tfoo\t" D1 "\n",
         .rows = "0|u|foo|" D1 "||\n",
         .messages = DOUBT NOTE,
         .lines = 1},
        {.name = "without the time, against AOL's order, nothing is guessed",
         .in = "query\tuser\twhen\nfoo\tu\t" D1 "\n",
         .rows = "",
         .err = LETHE_EINPUT,
         .messages = "E memory:1:2 the header names the user here, but not all of user, query and "
                     "time: name them with --columns\n"},
        {.name = "the surest name wins",
         .in = "session\tuser_id\tquery\ttime\ns\tu\tfoo\t" D1 "\n",
         .rows = "0|u|foo|" D1 "||\n",
         .messages = "N 'memory': columns taken from the header: user=2,query=3,time=4\n" NOTE,
         .lines = 1},
        {.name = "twice the same name",
         .in = "user\tuser\tquery\ttime\nu\tv\tfoo\t" D1 "\n",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E memory:1:2 two columns are called 'user'; say which by --columns\n"},
    };
    check(table, LETHE_COUNT(table));
}

static void bad_lines_are_rejected_with_their_cause(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "empty line",
         .in = NINE "\n",
         .rows = ROWS_0,
         .messages = "W memory:10:0 empty line\n",
         .lines = 10,
         .rejected = 1},
        {.name = "empty line first",
         .in = "\n" NINE,
         .rows = ROWS_1,
         .messages = "W memory:1:0 empty line\n",
         .lines = 10,
         .rejected = 1},
        {.name = "CRLF alone",
         .in = NINE "\r\n",
         .rows = ROWS_0,
         .messages = "W memory:10:0 empty line\n",
         .lines = 10,
         .rejected = 1},
        {.name = "too few",
         .in = NINE "1\tfoo\n",
         .rows = ROWS_0,
         .messages = "W memory:10:3 too few columns\n",
         .lines = 10,
         .rejected = 1},
        {.name = "too many",
         .in = NINE "1\tfoo\t" D1 "\t\t\t\n",
         .rows = ROWS_0,
         .messages = "W memory:10:6 too many columns\n",
         .lines = 10,
         .rejected = 1},
        {.name = "no user",
         .in = NINE "  \tfoo\t" D1 "\n",
         .rows = ROWS_0,
         .messages = "W memory:10:1 no user\n",
         .lines = 10,
         .rejected = 1},
        {.name = "no time",
         .in = NINE "1\tfoo\t\n",
         .rows = ROWS_0,
         .messages = "W memory:10:3 no time\n",
         .lines = 10,
         .rejected = 1},
        {.name = "bad time",
         .in = NINE "1\tfoo\t2006-02-29 00:00:00\n",
         .rows = ROWS_0,
         .messages = "W memory:10:3 time not understood: '9999-99-99 99:99:99'\n" FORMS,
         .lines = 10,
         .rejected = 1},
        {.name = "bad time of an empty query",
         .in = NINE "1\t\tx\n",
         .rows = ROWS_0,
         .messages = "W memory:10:3 time not understood: 'x'\n" FORMS,
         .lines = 10,
         .rejected = 1},
        {.name = "bad rank",
         .in = NINE "1\tfoo\t" D1 "\t1.5\t\n",
         .rows = ROWS_0,
         .messages = "W memory:10:4 rank is not a whole number\n",
         .lines = 10,
         .rejected = 1},
        {.name = "negative rank",
         .in = NINE "1\tfoo\t" D1 "\t-1\t\n",
         .rows = ROWS_0,
         .messages = "W memory:10:4 rank is not a whole number\n",
         .lines = 10,
         .rejected = 1},
        {.name = "absurd rank",
         .in = NINE "1\tfoo\t" D1 "\t4294967295\t\n",
         .rows = ROWS_0,
         .messages = "W memory:10:4 rank is not a whole number\n",
         .lines = 10,
         .rejected = 1},
        {.name = "NUL",
         .in = NINE "1\tf\0o\t" D1 "\n",
         .n = sizeof(NINE "1\tf\0o\t" D1 "\n") - 1,
         .rows = ROWS_0,
         .messages = "W memory:10:2 NUL byte in a field\n",
         .lines = 10,
         .rejected = 1},
        {.name = "CR inside",
         .in = NINE "1\tf\ro\t" D1 "\n",
         .rows = ROWS_0,
         .messages = "W memory:10:2 carriage return in a field\n",
         .lines = 10,
         .rejected = 1},
        {.name = "two CRs at the end",
         .in = NINE "1\tfoo\t" D1 "\t\tu\r\r\n",
         .rows = ROWS_0,
         .messages = "W memory:10:5 carriage return in a field\n",
         .lines = 10,
         .rejected = 1},
        {.name = "tab inside, where commas part",
         .in = "9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2
               "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n1,f\to," D1 "\n",
         .reading = {.format = LETHE_FORMAT_AOL, .delimiter = ','},
         .rows = ROWS_0,
         .messages = "W memory:10:2 tab in a field\n",
         .lines = 10,
         .rejected = 1},
        {.name = "a rejected line's bytes are not counted as repaired",
         .in = NINE "\xFF\tfoo\tx\n",
         .rows = ROWS_0,
         .messages = "W memory:10:3 time not understood: 'x'\n" FORMS,
         .lines = 10,
         .rejected = 1},
    };
    check(table, LETHE_COUNT(table));
}

static void a_tenth_may_be_rejected_and_no_more(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "one of ten",
         .in = NINE "x\n",
         .rows = ROWS_0,
         .messages = "W memory:10:2 too few columns\n",
         .lines = 10,
         .rejected = 1},
        {.name = "two of eleven",
         .in = NINE "x\ny\n",
         .err = LETHE_EINPUT,
         .rows = ROWS_0,
         .messages = "W memory:10:2 too few columns\nW memory:11:2 too few columns\n"
                     "E 2 of 11 lines rejected: not a log of this format? (--from and --columns "
                     "say how to read it)\n",
         .lines = 11,
         .rejected = 2},
        {.name = "all",
         .in = "x\ny\n",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "W memory:1:2 too few columns\nW memory:2:2 too few columns\n"
                     "E 'memory': 2 of 2 lines rejected: not a log of this format? (--from and "
                     "--columns say how to read it)\n",
         .lines = 2,
         .rejected = 2},
        {.name = "nothing",
         .in = "",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E 'memory' is empty\n"},
        {.name = "a mark and nothing",
         .in = "\xEF\xBB\xBF",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E 'memory' is empty\n"},
        {.name = "a header and nothing",
         .in = HEADER,
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = NOTE "E 'memory' holds only a header\n"},
        {.name = "a header without line end",
         .in = "user\tquery\ttime",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = NOTE "E 'memory' holds only a header\n"},
        {.name = "binary",
         .in = "\x7f"
               "ELF\0\0\1\n\0\0\n\2\3",
         .n = 14,
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "W memory:1:2 too few columns\nW memory:2:2 too few columns\n"
                     "W memory:3:2 too few columns\n"
                     "E 'memory': 3 of 3 lines rejected: not a log of this format? (--from and "
                     "--columns say how to read it)\n",
         .lines = 3,
         .rejected = 3},
        {.name = "not JSON at all",
         .in = NINE,
         .reading = {.format = LETHE_FORMAT_JSONL},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "W memory:1:0 not a JSON object\nW memory:2:0 not a JSON object\n"
                     "W memory:3:0 not a JSON object\nW memory:0:0 " MORE
                     "6 more lines: not a JSON object\n"
                     "E 'memory': 9 of 9 lines rejected: not a log of this format? (--from and "
                     "--columns say how to read it)\n",
         .lines = 9,
         .rejected = 9},
    };
    check(table, LETHE_COUNT(table));
}

/* --- CSV --- */

static void csv_is_read(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "named columns",
         .in = "time;\"user\";query\n" D1 ";u;\"Foo \"\"bar\"\"; x\"\n",
         .reading = {.format = LETHE_FORMAT_CSV},
         .rows = "0|u|foo \"bar\"; x|" D1 "||\n",
         .messages = "N 'memory': columns taken from the header: user=2,query=3,time=1\n" NOTE,
         .lines = 1},
        {.name = "guessed from the content",
         .in = "u,foo," D1 ",2,http://a\nu,bar," D2 ",,\n",
         .rows = "0|u|foo|" D1 "|2|http://a\n1|u|bar|" D2 "||\n",
         .messages = "",
         .lines = 2},
        {.name = "AOL's names in AOL's order",
         .in = "AnonID,Query,QueryTime\nu,foo," D1 "\n",
         .rows = "0|u|foo|" D1 "||\n",
         .messages = NOTE,
         .lines = 1},
        {.name = "unknown name of the time",
         .in = "user,query,when\nu,foo," D1 "\n",
         .rows = "0|u|foo|" D1 "||\n",
         .messages = DOUBT NOTE,
         .lines = 1},
        {.name = "no time",
         .in = "query,user\nfoo,u\n",
         .rows = "0|u|foo|||\n",
         .messages = "N 'memory': columns taken from the header: user=2,query=1\n"
                     "W 'memory': the header has no time column: no times are read (--columns "
                     "time= names it)\n" NOTE,
         .lines = 1},
        {.name = "unquoted spaces are trimmed",
         .in = "u, foo , " D1 " , 3 , h \n",
         .reading = {.format = LETHE_FORMAT_CSV},
         .rows = "0|u|foo|" D1 "|3|h\n",
         .messages = "",
         .lines = 1},
        {.name = "a record of several lines is rejected, and origins count lines",
         .in = "u,a," D1 "\nu,\"x\ny\nz\"," D1 "\nu,b," D1 "\nu,b," D1 "\nu,b," D1 "\nu,b," D1
               "\nu,b," D1 "\nu,b," D1 "\nu,b," D1 "\nu,b," D1 "\n",
         .rows = "0|u|a|" D1 "||\n4|u|b|" D1 "||\n5|u|b|" D1 "||\n6|u|b|" D1 "||\n7|u|b|" D1
                 "||\n8|u|b|" D1 "||\n9|u|b|" D1 "||\n10|u|b|" D1 "||\n11|u|b|" D1 "||\n",
         .messages = "W memory:2:2 line feed in a field\n",
         .lines = 10,
         .rejected = 1},
        {.name = "what a wrong quote takes with it is rejected line by line",
         .in = "u,a," D1 "\nu,b," D1 "\nu,\"x," D1 "\nu,c," D1 "\nu,d," D1 "\n",
         .err = LETHE_EINPUT,
         .rows = "0|u|a|" D1 "||\n1|u|b|" D1 "||\n",
         .messages = "W memory:3:2 quote not closed\n"
                     "E 3 of 5 lines rejected: not a log of this format? "
                     "(--from and --columns say how to read it)\n",
         .lines = 5,
         .rejected = 3},
        {.name = "a header of two lines",
         .in = "\"user\",query,time,\"odd\nname\"\nu,foo," D1 ",\n",
         .reading = {.format = LETHE_FORMAT_CSV},
         .rows = "0|u|foo|" D1 "||\n",
         .messages = "N 'memory': columns taken from the header: user=1,query=2,time=3\n" NOTE,
         .lines = 1},
        {.name = "text after a quote",
         .in = "9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2
               "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n1,\"f\"o," D1 "\n",
         .rows = ROWS_0,
         .messages = "W memory:10:2 text after a closing quote\n",
         .lines = 10,
         .rejected = 1},
        {.name = "open quote",
         .in = "9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2
               "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n9,nine," D2 "\n1,\"foo," D1 "\n",
         .rows = ROWS_0,
         .messages = "W memory:10:2 quote not closed\n",
         .lines = 10,
         .rejected = 1},
        {.name = "a quoted tab, where tabs part",
         .in = NINE "1\t\"f\to\"\t" D1 "\n",
         .reading = {.format = LETHE_FORMAT_CSV, .delimiter = '\t'},
         .rows = ROWS_0,
         .messages = "W memory:10:2 tab in a field\n",
         .lines = 10,
         .rejected = 1},
        {.name = "forbidden bytes in a column nobody asked for are none of our business",
         .in = "u,\"a\nb\tc\",foo," D1 "\n",
         .reading = {.format = LETHE_FORMAT_CSV, .columns = "user=1,query=3,time=4"},
         .rows = "0|u|foo|" D1 "||\n",
         .messages = "",
         .lines = 1},
    };
    check(table, LETHE_COUNT(table));
}

/* --- JSON Lines --- */

static void json_lines_are_read(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "known names, numbers, null",
         .in = "{\"user_id\": 7, \"query\": \"F\\u00e9e\", \"timestamp\": 1141228880, \"rank\": "
               "null}\n"
               "{\"user_id\": \"8\", \"query\": \"x\", \"timestamp\": \"" D2
               "\", \"rank\": 3, \"url\": \"http://a\"}\r\n",
         .rows = "0|7|f\xC3\xA9"
                 "e|" D1 "||\n1|8|x|" D2 "|3|http://a\n",
         .messages = "",
         .lines = 2},
        {.name = "any case",
         .in = "{\"AnonID\":\"1\",\"Query\":\"a\",\"QueryTime\":\"" D1 "\"}\n"
               "{\"AnonID\":\"1\",\"Query\":\"b\",\"QueryTime\":\"" D1
               "\",\"ItemRank\":1,\"ClickURL\":\"u\"}",
         .rows = "0|1|a|" D1 "||\n1|1|b|" D1 "|1|u\n",
         .messages = "",
         .lines = 2},
        {.name = "the surest name wins, and names are not mixed",
         .in = "{\"session\":\"s\",\"user\":\"u\",\"q\":\"a\",\"time\":5}\n",
         .rows = "0|u|a|1970-01-01 00:00:05||\n",
         .messages = "",
         .lines = 1},
        {.name = "whatever the order, and in all lines alike",
         .in = "{\"user\":\"u\",\"session\":\"s\",\"q\":\"a\",\"time\":5}\n"
               "{\"session\":\"s\",\"q\":\"a\",\"time\":5}\n",
         .err = LETHE_EINPUT,
         .rows = "0|u|a|1970-01-01 00:00:05||\n",
         .messages = "W memory:2:0 no user\nE 1 of 2 lines rejected: not a log of this format? "
                     "(--from and --columns say how to read it)\n",
         .lines = 2,
         .rejected = 1},
        {.name = "dotted names",
         .in = "{\"who\":{\"id\":\"u\"},\"q\":{\"text\":\"a b\"},\"t\":\"" D1 "\"}\n",
         .reading = {.columns = "user=who.id,query=q.text,time=t"},
         .rows = "0|u|a b|" D1 "||\n",
         .messages = "",
         .lines = 1},
        {.name = "no time",
         .in = "{\"user\":\"u\",\"query\":\"a\"}\n",
         .rows = "0|u|a|||\n",
         .messages = "W 'memory': cannot tell which member is the time: no times are read "
                     "(--columns time= names "
                     "it)\n",
         .lines = 1},
        {.name = "an empty query is empty, a missing one is not",
         .in = "{\"user\":\"u\",\"query\":\"\",\"time\":1}\n{\"user\":\"u\",\"time\":1}\n"
               "{\"query\":\"x\",\"time\":1}\n{\"user\":\"u\",\"query\":\"a\"}\n\n"
               "{\"user\":\"u\",\"query\":\"a\",\"time\":\"x\"}\n",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "W memory:2:0 no query\nW memory:3:0 no user\nW memory:4:0 no time\n"
                     "W memory:5:0 empty line\nW memory:6:0 time not understood: 'x'\n" FORMS
                     "E 5 of 6 lines rejected: not a log of this format? (--from and --columns say "
                     "how to read it)\n",
         .lines = 6,
         .empty = 1,
         .rejected = 5},
        {.name = "forbidden bytes",
         .in = "{\"user\":\"u\",\"query\":\"a\\u0000b\",\"time\":1}\n"
               "{\"user\":\"u\",\"query\":\"a\\tb\",\"time\":1}\n"
               "{\"user\":\"u\\n\",\"query\":\"a\",\"time\":1}\n"
               "{\"user\":\"u\",\"query\":\"a\",\"time\":1,\"url\":\"\\r\"}\n",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "W memory:1:0 NUL byte in a field\nW memory:2:0 tab in a field\n"
                     "W memory:3:0 line feed in a field\nW memory:4:0 carriage return in a field\n"
                     "E 'memory': 4 of 4 lines rejected: not a log of this format? (--from and "
                     "--columns say how to read it)\n",
         .lines = 4,
         .rejected = 4},
        {.name = "invalid UTF-8",
         .in = "{\"user\":\"u\",\"query\":\"a\xFF\",\"time\":1}\n",
         .rows = "0|u|a" R "|1970-01-01 00:00:01||\n",
         .messages = "",
         .lines = 1,
         .invalid = 1},
        {.name = "no known user",
         .in = "{\"u\":\"u\",\"query\":\"a\",\"time\":1}\n",
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E 'memory': cannot tell which member is the user: name it with --columns\n"},
        {.name = "positions",
         .in = "{\"user\":\"u\"}\n",
         .reading = {.columns = "user=1,query=2"},
         .err = LETHE_EUSAGE,
         .rows = "",
         .messages = "E 'memory': the columns of JSON Lines are names, not numbers\n"},
    };
    check(table, LETHE_COUNT(table));
}

/* --- --columns --- */

static void columns_say_where_things_are(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "positions, no header",
         .in = "u\t970916105432\tFoo\nu\t970916105433\t\n",
         .reading = {.columns = "user=1,time=2,query=3"},
         .rows = "0|u|foo|1997-09-16 10:54:32||\n",
         .messages = "",
         .lines = 2,
         .empty = 1},
        {.name = "positions and a header",
         .in = "a\tb\tc\nu\t970916105432\tFoo\n",
         .reading = {.columns = "user=1,time=2,query=3"},
         .rows = "0|u|foo|1997-09-16 10:54:32||\n",
         .messages = NOTE,
         .lines = 1},
        {.name = "no time column: known names make a header",
         .in = "q\tuser\nfoo\tu\n",
         .reading = {.columns = "user=2,query=1"},
         .rows = "0|u|foo|||\n",
         .messages = NO_TIMES NOTE,
         .lines = 1},
        {.name = "no time column: other first lines are data",
         .in = "foo\tu\nbar\tu\n",
         .reading = {.columns = "user=2,query=1"},
         .rows = "0|u|foo|||\n1|u|bar|||\n",
         .messages = NO_TIMES,
         .lines = 2},
        {.name = "names",
         .in = "When,Who,What,Else\n" D1 ",u,foo,9\n",
         .reading = {.format = LETHE_FORMAT_CSV, .columns = "user=who, query=What ,time=When"},
         .rows = "0|u|foo|" D1 "||\n",
         .messages = NOTE,
         .lines = 1},
        {.name = "names and a position",
         .in = "a\tb\tc\nfoo\tu\t" D1 "\n",
         .reading = {.columns = "user=b,query=1,time=c"},
         .rows = "0|u|foo|" D1 "||\n",
         .messages = NOTE,
         .lines = 1},
        {.name = "an exact name before one of other case",
         .in = "Who,who,q\nx,u,foo\n",
         .reading = {.format = LETHE_FORMAT_CSV, .columns = "user=who,query=q"},
         .rows = "0|u|foo|||\n",
         .messages = NO_TIMES NOTE,
         .lines = 1},
        {.name = "a name that is not there",
         .in = "a\tb\tc\nfoo\tu\t" D1 "\n",
         .reading = {.columns = "user=b,query=query,time=c"},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E memory:1:0 --columns: unknown column 'query': the columns are a, b, c\n"},
        {.name = "a name that is there twice",
         .in = "a\tb\tb\nfoo\tu\t" D1 "\n",
         .reading = {.columns = "user=b,query=a"},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E 'memory': two columns are called 'b'\n"},
        {.name = "a name and the position of the same",
         .in = "a\tb\tc\nfoo\tu\t" D1 "\n",
         .reading = {.columns = "user=b,query=2"},
         .err = LETHE_EUSAGE,
         .rows = "",
         .messages = "E 'memory': user and query are the same column\n"},
        {.name = "names and nothing",
         .in = "",
         .reading = {.columns = "user=b,query=q"},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E memory:1:0 no column is called 'b'\n"},
        {.name = "what is not named is in its place",
         .in = "u\tfoo\t" D1 "\t3\tU\n",
         .reading = {.columns = "query=2"},
         .rows = "0|u|foo|" D1 "|3|U\n",
         .messages = "N 'memory': columns that --columns does not name: "
                     "user=1,time=3,rank=4,url=5\n",
         .lines = 1},
        {.name = "rank and URL are not guessed where others have moved",
         .in = "foo\tu\t" D1 "\t3\tU\n",
         .reading = {.columns = "query=1,user=2"},
         .rows = "0|u|foo|" D1 "||\n",
         .messages = "N 'memory': columns that --columns does not name: time=3\n",
         .lines = 1},
        {.name = "what is not named is under its name",
         .in = "Time,a,b,Query\n" D1 ",x,u,foo\n",
         .reading = {.format = LETHE_FORMAT_CSV, .columns = "user=b"},
         .rows = "0|u|foo|" D1 "||\n",
         .messages = "N 'memory': columns that --columns does not name: query=4,time=1\n" NOTE,
         .lines = 1},
        {.name = "nobody knows which is the query",
         .in = "a,b,c\nx,y,z\n",
         .reading = {.format = LETHE_FORMAT_CSV, .columns = "user=b"},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = "E 'memory': cannot tell which column is the query: name it with "
                     "--columns\n"},
        {.name = "rank and URL may be missing, what is needed may not",
         .in = "u\tfoo\nu\tfoo\t4\nu\tfoo\t4\turl\tmore\tand more\nu\n",
         .reading = {.columns = "user=1,query=2,rank=3,url=4"},
         .err = LETHE_EINPUT,
         .rows = "0|u|foo|||\n1|u|foo||4|\n2|u|foo||4|url\n",
         .messages = NO_TIMES
         "W memory:4:2 too few columns\n"
         "E 1 of 4 lines rejected: not a log of this format? (--from and --columns say "
         "how to read it)\n",
         .lines = 4,
         .rejected = 1},
    };
    check(table, LETHE_COUNT(table));
}

static void bad_columns_are_bad_usage(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *message;
    } table[] = {
        {"", "not KEY=COLUMN:"},
        {"user", "not KEY=COLUMN: 'user'"},
        {"user=1,query=2,", "not KEY=COLUMN:"},
        {"user=1,query=", "no column for 'query'"},
        {"user=1,query=2,user=3", "twice 'user'"},
        {"user=1,query=2,what=3", "keys are user, query, time, rank, url, not 'what'"},
        {"User=1,query=2", "keys are user, query, time, rank, url, not 'User'"},
        {"user=0,query=2", "positions go from 1 to 4096, not '0'"},
        {"user=4097,query=2", "positions go from 1 to 4096, not '4097'"},
        {"user=99999999999999999999999,query=2",
         "positions go from 1 to 4096, not '99999999999999999999999'"},
        {"user=1,query=1", "one column for two keys, the second being 'query'"},
        {"user=a,query=a", "one column for two keys, the second being 'query'"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        char want[256];
        snprintf(want, sizeof want, "E bad columns '%s': %s\n", table[i].columns, table[i].message);
        sample s = {.name = table[i].columns,
                    .in = NINE,
                    .reading = {.columns = table[i].columns},
                    .err = LETHE_EUSAGE,
                    .rows = "",
                    .messages = want};
        check(&s, 1);
    }
    sample last = {.name = "4096",
                   .in = NINE,
                   .reading = {.columns = "user=1,query=4096"},
                   .err = LETHE_EINPUT,
                   .rows = "",
                   .lines = 9,
                   .rejected = 9,
                   .messages = "N 'memory': columns that --columns does not name: time=3\n"
                               "W memory:1:4 too few columns\nW memory:2:4 too few columns\n"
                               "W memory:3:4 too few columns\nW memory:0:0 " MORE
                               "6 more lines: too few columns\n"
                               "E 'memory': 9 of 9 lines rejected: not a log of this format? "
                               "(--from and --columns say how to read it)\n"};
    check(&last, 1);
    for (const char *c = "\n\r\""; *c; c++) {
        sample s = {.name = "delimiter",
                    .in = NINE,
                    .reading = {.delimiter = *c},
                    .err = LETHE_EUSAGE,
                    .rows = "",
                    .messages = "E the column separator cannot be a quote or a line end\n"};
        check(&s, 1);
    }
}

static void users_with_is_parsed(void **state)
{
    (void)state;
    lethe_read_options r = {0};
    assert_true(lethe_users_with_parse("100-300", &r));
    assert_true(r.has_users_with && r.users_with_min == 100 && r.users_with_max == 300);
    assert_true(lethe_users_with_parse("7-", &r));
    assert_true(r.users_with_min == 7 && r.users_with_max == UINT64_MAX);
    assert_true(lethe_users_with_parse("5", &r));
    assert_true(r.users_with_min == 5 && r.users_with_max == 5);
    assert_true(lethe_users_with_parse("0-0", &r));
    static const char *const bad[] = {"",    "-",     "-5", "5-4",   "a",
                                      "1-b", "1-2-3", " 1", "1 - 2", "99999999999999999999"};
    lethe_read_options before = r;
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        if (lethe_users_with_parse(bad[i], &r)) fail_msg("'%s'", bad[i]);
    assert_memory_equal(&r, &before, sizeof r);
}

/* --- strict --- */

static void strict_ends_at_the_lowest_bad_line(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "good",
         .in = "u\ta\t" D1 "\n",
         .reading = {.strict = true},
         .rows = "0|u|a|" D1 "||\n",
         .messages = "",
         .lines = 1},
        {.name = "bad",
         .in = "u\ta\t" D1 "\nu\tb\tx\nu\tc\n",
         .reading = {.strict = true},
         .err = LETHE_EINPUT,
         .rows = "0|u|a|" D1 "||\n",
         .messages = "E memory:2:3 time not understood: 'x'\n" FORMS,
         .lines = 2,
         .rejected = 1},
    };
    check(table, LETHE_COUNT(table));
}

/* --- a part of the lines --- */

#define UNTOLD                                                                                     \
    "E 'memory': the dates do not tell whether the day or the month is first: name their form, "   \
    "such as --time-format '%d/%m/%Y %H:%M:%S' or --time-format '%m/%d/%Y'\n"
#define DAY_FIRST                                                                                  \
    "N 'memory': dates are read as day/month/year, because some can be read in no other way\n"

/* What only all lines tell is not asked of a part of them, and what one part cannot know for the
 * others is not guessed. */
static void a_part_is_not_judged_as_a_whole(void **state)
{
    (void)state;
    static const sample table[] = {
        {.name = "whole: dates that tell",
         .in = "u\ta\t25/12/2006\nu\tb\t04/05/2006\n",
         .rows = "0|u|a|2006-12-25 00:00:00||\n1|u|b|2006-05-04 00:00:00||\n",
         .messages = DAY_FIRST,
         .lines = 2},
        {.name = "part: another may tell otherwise",
         .in = "u\ta\t25/12/2006\nu\tb\t04/05/2006\n",
         .reading = {.part = true},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = UNTOLD},
        {.name = "part: none tells",
         .in = "u\tb\t04/05/2006\n",
         .reading = {.part = true},
         .err = LETHE_EINPUT,
         .rows = "",
         .messages = UNTOLD},
        {.name = "part: their form is named",
         .in = "u\tb\t04/05/2006\n",
         .reading = {.part = true, .time_format = "%d/%m/%Y"},
         .rows = "0|u|b|2006-05-04 00:00:00||\n",
         .messages = "",
         .lines = 1},
        {.name = "part: dates that are read in one way",
         .in = "u\tb\t2006-05-04\n",
         .reading = {.part = true},
         .rows = "0|u|b|2006-05-04 00:00:00||\n",
         .messages = "",
         .lines = 1},
        {.name = "part: most lines are bad",
         .in = "u\ta\t" D1 "\nu\tb\tx\nu\tc\ty\n",
         .reading = {.part = true},
         .rows = "0|u|a|" D1 "||\n",
         .messages = "W memory:2:3 time not understood: 'x'\n"
                     "W memory:3:3 time not understood: 'x'\n" FORMS,
         .lines = 3,
         .rejected = 2},
        {.name = "part: no line is good",
         .in = HEADER "u\tb\tx\n",
         .reading = {.part = true},
         .rows = "",
         .messages = NOTE "W memory:2:3 time not understood: 'x'\n" FORMS,
         .lines = 1,
         .rejected = 1},
        {.name = "part: strict",
         .in = "u\ta\t" D1 "\nu\tb\tx\nu\tc\n",
         .reading = {.part = true, .strict = true},
         .err = LETHE_EINPUT,
         .rows = "0|u|a|" D1 "||\n",
         .messages = "E memory:2:3 time not understood: 'x'\n" FORMS,
         .lines = 2,
         .rejected = 1},
    };
    check(table, LETHE_COUNT(table));
}

/* --- long lines --- */

static void a_line_over_a_megabyte_is_rejected(void **state)
{
    (void)state;
    text t = {0};
    for (int i = 0; i < 9; i++)
        text_add(&t, "9\tnine\t" D2 "\n");
    text_add(&t, "1\t");
    for (size_t i = 0; i < LETHE_LINE_MAX / 8 + 1; i++)
        text_put(&t, "abcdefg ", 8);
    text_add(&t, "\t" D1 "\n9\tnine\t" D2 "\n");
    sample s = {.name = "long",
                .in = t.at,
                .n = t.n,
                .rows = ROWS_0 "10" NINE_ROW,
                .messages = "W memory:10:0 line over 1 MiB\n",
                .lines = 11,
                .rejected = 1};
    check(&s, 1);
    s.reading.strict = true;
    s.err = LETHE_EINPUT;
    s.messages = "E memory:10:0 line over 1 MiB\n";
    outcome o;
    outcome_begin(&o);
    outcome_of(&o, (lethe_str){t.at, t.n}, &s.reading, 7);
    assert_int_equal(o.err, LETHE_EINPUT);
    assert_string_equal(o.messages.at, s.messages);
    outcome_end(&o);
    free(t.at);
}

static void a_line_that_grows_over_a_megabyte_is_rejected(void **state)
{
    (void)state;
    text t = {0};
    for (int i = 0; i < 9; i++)
        text_add(&t, "9\tnine\t" D2 "\n");
    text_add(&t, "1\t");
    for (size_t i = 0; i < 50000; i++) // 3 bytes become 33
        text_put(&t, "\xEF\xB7\xBA", 3);
    text_add(&t, "\t" D1 "\n");
    sample s = {.name = "grows",
                .in = t.at,
                .n = t.n,
                .rows = ROWS_0,
                .messages = "W memory:10:2 line over 1 MiB after normalization\n",
                .lines = 10,
                .rejected = 1};
    check(&s, 1);
    free(t.at);
}

static void a_first_line_without_end_is_not_a_header(void **state)
{
    (void)state;
    text t = {0};
    for (size_t i = 0; i < LETHE_LINE_MAX / 8 + 100; i++)
        text_put(&t, "a\tb\tc\td ", 8);
    text_put(&t, "\n", 1);
    for (int i = 0; i < 9; i++)
        text_add(&t, "9\tnine\t" D2 "\n");
    sample s = {.name = "first",
                .in = t.at,
                .n = t.n,
                .rows = ROWS_1,
                .messages = "W memory:1:0 line over 1 MiB\n",
                .lines = 10,
                .rejected = 1};
    check(&s, 1);
    free(t.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tsv_is_read),
        cmocka_unit_test(tsv_headers_may_name_another_order),
        cmocka_unit_test(bad_lines_are_rejected_with_their_cause),
        cmocka_unit_test(a_tenth_may_be_rejected_and_no_more),
        cmocka_unit_test(csv_is_read),
        cmocka_unit_test(json_lines_are_read),
        cmocka_unit_test(columns_say_where_things_are),
        cmocka_unit_test(bad_columns_are_bad_usage),
        cmocka_unit_test(users_with_is_parsed),
        cmocka_unit_test(strict_ends_at_the_lowest_bad_line),
        cmocka_unit_test(a_part_is_not_judged_as_a_whole),
        cmocka_unit_test(a_line_over_a_megabyte_is_rejected),
        cmocka_unit_test(a_line_that_grows_over_a_megabyte_is_rejected),
        cmocka_unit_test(a_first_line_without_end_is_not_a_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
