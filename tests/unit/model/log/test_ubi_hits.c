/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to searches: which hits there are, on which lines, and what is no such answer. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include "ubi_lines.h"
#include "model/log/log_internal.h"

/* "line:hit|" for each, and what is said in the end, with the bytes in pieces of this size. */
static text read_in_pieces(const char *in, size_t n, size_t piece)
{
    text t = {0};
    lethe_ubi_hits *h = lethe_ubi_hits_new();
    lethe_ubi_hit hit;
    lethe_ubi_fault fault = {0};
    assert_non_null(h);
    text_put(&t, "", 0);
    for (size_t i = 0; i < n && !fault.cause; i += piece) {
        lethe_str s = {in + i, LETHE_MIN(piece, n - i)};
        while (s.n > 0 && !fault.cause) {
            bool found;
            assert_int_equal(lethe_ubi_hits_next(h, &s, &hit, &found, &fault), LETHE_OK);
            if (!found) continue;
            text_add(&t, "%llu:", (unsigned long long)hit.line);
            text_put(&t, hit.text.at, LETHE_MIN(hit.text.n, (size_t)40));
            text_put(&t, hit.too_long ? "...|" : "|", hit.too_long ? 4 : 1);
        }
    }
    lethe_ubi_answer a = {0};
    if (!fault.cause) a = lethe_ubi_hits_end(h, &fault);
    if (fault.cause)
        text_add(&t, " %llu: %s", (unsigned long long)fault.line, fault.cause);
    else
        text_add(&t, " %llu of %llu%s, %llu lines", (unsigned long long)a.hits,
                 (unsigned long long)a.total, a.partial ? ", partial" : "",
                 (unsigned long long)a.last_line);
    lethe_ubi_hits_free(h);
    return t;
}

#define NOT " not valid JSON"
#define CUT " the answer to a search is cut off in the middle"
#define NONE " a JSON document without hits.hits, the array of a search's hits"

static void hits_are_found_in_pieces_of_any_size(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"{\"hits\":{\"hits\":[]}}", " 0 of 0, 1 lines"},
        {"{\"took\":1,\"hits\":{\"total\":{\"value\":2},\"hits\":[{\"a\":1},{\"b\":[2]}]}}",
         "1:{\"a\":1}|2:{\"b\":[2]}| 2 of 2, 2 lines"},
        {"{\n \"hits\": {\n  \"total\": 7,\n  \"hits\": [\n   {\n   },\n   {}\n  ]\n }\n}\n",
         "5:{\n   }|7:{}| 2 of 7, 11 lines"},
        {"{\"hits\":{\"hits\":[{\"a\":\"]}\\\"{\"},{\"b\":\"\\\\\"}]}}",
         "1:{\"a\":\"]}\\\"{\"}|2:{\"b\":\"\\\\\"}| 2 of 0, 2 lines"},
        {"{\"hits\":{\"hits\":[{}]},\"timed_out\":true}", "1:{}| 1 of 0, partial, 1 lines"},
        {"{\"_shards\":{\"failed\":1},\"hits\":{\"hits\":[{}]}}", "1:{}| 1 of 0, partial, 1 lines"},
        // several answers; names of the same kind elsewhere
        {"{\"hits\":{\"hits\":[{}]}}\n\n {\"hits\":{\"hits\":[{},{}]}}",
         "1:{}|3:{}|4:{}| 3 of 0, 4 lines"},
        {"{\"a\":{\"hits\":[1]},\"hits\":{\"x\":{\"hits\":[2]},\"hits\":[{\"hits\":{\"hits\":[]}}]}"
         "}",
         "1:{\"hits\":{\"hits\":[]}}| 1 of 0, 1 lines"},
        {"{\"x\":\"hits\",\"y\":[{}],\"hits\":{\"x\":\"hits\",\"hits\":[{}]}}",
         "1:{}| 1 of 0, 1 lines"},
        {"", " 0 of 0, 1 lines"},
        // no such answers
        {"{\"error\":{\"hits\":[]},\n\"status\":404}", " 1:" NONE},
        {"{\"hits\":[{}]}", " 1:" NONE},
        {"[{\"hits\":{\"hits\":[]}}]", " 1:" NOT},
        {"x", " 1:" NOT},
        {"{\"hits\":{\"hits\":[]}}\nx", " 2:" NOT},
        {"{\"hits\":{\"hits\":[\n1]}}", " 2:" NOT},
        {"{\"hits\":{\"hits\":[{}{}]}}", "1:{}| 1:" NOT},
        {"{\"hits\":{\"hits\":[{},]}}", "1:{}| 1:" NOT},
        {"{\"hits\":{\"hits\":[,{}]}}", " 1:" NOT},
        {"{\"hits\":{\n\"hits\":[{},\n{}]\n,,}}", "2:{}|3:{}| 4:" NOT},
        {"{\"a\" 1,\n\"hits\":{\n\"hits\":[{},\n{}]}}", "3:{}|4:{}| 1:" NOT},
        {"{\"hits\":{\"hits\":[{}],\n\"hits\":[{}]}}",
         "1:{}| 2: hits.hits stands twice in the answer to a search"},
        {"{\"hits\":{\"hits\":[{}\n,{\"a\":", "1:{}| 2:" CUT},
        {"{\"hits\":{\"hits\":[{}\n]", "1:{}| 2:" CUT},
        {"{\"hits", " 1:" CUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        for (size_t piece = 1; piece <= strlen(table[i][0]) + 1; piece++) {
            text t = read_in_pieces(table[i][0], strlen(table[i][0]), piece);
            if (strcmp(t.at, table[i][1]) != 0)
                fail_msg("%s, pieces of %zu: %s", table[i][0], piece, t.at);
            free(t.at);
        }
    }
}

static void what_is_too_long_takes_no_memory(void **state)
{
    (void)state;
    text in = {0};
    text_add(&in, "{\"hits\":{\"hits\":[{\"a\":\"");
    for (size_t i = 0; i < LETHE_LINE_MAX; i++)
        text_put(&in, "x", 1);
    size_t around = in.n;
    text_add(&in, "\"},{}]}}");
    text t = read_in_pieces(in.at, in.n, 65536);
    assert_string_equal(t.at,
                        "1:{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...|2:{}| 2 of 0, 2 lines");
    free(t.at);
    in.n = around;
    in.at[2] = 'H'; // so that the array is not that of the hits, and all stands around it
    t = read_in_pieces(in.at, in.n, 65536);
    assert_string_equal(t.at, " 1: more than 1 MiB in the answer to a search besides its hits");
    free(t.at);
    free(in.at);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char in[] = "{\"hits\":{\"hits\":[{\"a\":1},{\"b\":2}]}}";
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        lethe_alloc_fail_at(n);
        lethe_ubi_hits *h = lethe_ubi_hits_new();
        lethe_str s = LETHE_LIT(in);
        lethe_ubi_hit hit;
        lethe_ubi_fault fault = {0};
        bool found;
        lethe_err e = h ? LETHE_OK : LETHE_ENOMEM;
        while (e == LETHE_OK && s.n > 0)
            e = lethe_ubi_hits_next(h, &s, &hit, &found, &fault);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        assert_true(done || e == LETHE_ENOMEM);
        lethe_ubi_hits_free(h);
    }
}

/* Documents as elasticdump writes them, one a line. */
static void documents_in_hits_are_read(void **state)
{
    (void)state;
    static const char in[] =
        "{\"_index\":\"ubi_queries\",\"_id\":\"1\",\"_source\":{\"query_id\":\"q\",\"client_id\":"
        "\"ann\","
        "\"user_query\":\"shoes\",\"timestamp\":\"" T1 "\"}}\n"
        "{\"_index\":\"ubi_events\",\"_source\":{\"query_id\":\"q\",\"action_name\":\"click\","
        "\"event_attributes\":{\"object\":{\"object_id\":\"B1\"}}},\"action_name\":\"impression\"}"
        "\n"
        "{\"_index\":\"ubi_events\",\"_source\":{}}\n" TWENTY;
    static const lethe_read_options readings[] = {{.format = LETHE_FORMAT_GUESS},
                                                  {.format = LETHE_FORMAT_UBI}};
    for (size_t i = 0; i < LETHE_COUNT(readings); i++) {
        outcome o;
        outcome_begin(&o);
        outcome_of(&o, LETHE_LIT(in), &readings[i], 1);
        assert_int_equal(o.err, LETHE_OK);
        assert_int_equal(strncmp(o.rows.at, "1|ann|shoes|" W1 "||=B1\n3|n|nine|", 42), 0);
        assert_string_equal(o.messages.at, "W memory:3:0 neither a query nor an event\n");
        outcome_end(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_found_in_pieces_of_any_size),
        cmocka_unit_test(what_is_too_long_takes_no_memory),
        cmocka_unit_test(lack_of_memory_is_said),
        cmocka_unit_test(documents_in_hits_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
