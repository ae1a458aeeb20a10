/* What XML would choke on, made good, wherever the bytes are cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "core/mem.h"
#include "lexicon/odp/odp_internal.h"

#define BAD "\xEF\xBF\xBD"

static const struct {
    const char *in;
    size_t n;
    const char *out;
    uint64_t repaired;
} cases[] = {
    {"", 0, "", 0},
    {"<a>plain\ttext\r\n</a>", 19, "<a>plain\ttext\r\n</a>", 0},
    {"a\0b\x01"
     "c\x1f"
     "d\x7f",
     8, "a b c d\x7f", 3},
    {"&amp;&lt;&gt;&quot;&apos;", 25, "&amp;&lt;&gt;&quot;&apos;", 0},
    {"R&D", 3, "R&amp;D", 1},
    {"AT&T; x", 7, "AT&amp;T; x", 1},
    {"a &", 3, "a &amp;", 1},
    {"&&amp;", 6, "&amp;&amp;", 1},
    {"&eacute;", 8, "&amp;eacute;", 1},
    {"&AMP;", 5, "&amp;AMP;", 1},
    {"?a=1&b=2;", 9, "?a=1&amp;b=2;", 1},
    {"&#38;&#x26;&#x1F375;", 20, "&#38;&#x26;&#x1F375;", 0},
    {"&#0;&#26;&#x1a;&#xD800;&#xFFFE;", 31, "     ", 5},
    {"&#9;&#10;&#xd;", 14, "&#9;&#10;&#xd;", 0},
    {"&#1114111;&#1114112;", 20, "&#1114111; ", 1},
    {"&#;&#x;&#-1;&#1 ;&#xG;", 22, "&amp;#;&amp;#x;&amp;#-1;&amp;#1 ;&amp;#xG;", 5},
    {"&#0000000000000038;", 19, "&amp;#0000000000000038;", 1},
    {"a < b <3 << <", 13, "a &lt; b &lt;3 &lt;&lt; &lt;", 5},
    {"<_a/><?p?><!-- -->", 18, "<_a/><?p?><!-- -->", 0},
    {"a ]]> ]]]> ]] > ]", 17, "a ]]&gt; ]]]&gt; ]] > ]", 2},
    {"<![CDATA[a & b < &amp; ]]]>&", 28, "<![CDATA[a & b < &amp; ]]]>&amp;", 1},
    {"<![CDATA[\x01\xE9<!--]]>&", 19, "<![CDATA[ " BAD "<!--]]>&amp;", 3},
    {"<!-- & < ]]> -- <![CDATA[ -->&", 30, "<!-- & < ]]> -- <![CDATA[ -->&amp;", 1},
    {"<?p & < > ]]> -?>&", 18, "<?p & < > ]]> -?>&amp;", 1},
    {"<![CDAT[&]]>", 12, "<![CDAT[&amp;]]&gt;", 2},
    {"<!-->-->&", 9, "<!-->-->&amp;", 1},
    {"<![CDATA", 8, "<![CDATA", 0},
    {"<![CDATA[]", 10, "<![CDATA[]", 0},
    {"<", 1, "&lt;", 1},
    {"caf\xE9!", 5, "caf" BAD "!", 1},
    {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8D\xB5", 9, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8D\xB5", 0},
    {"\xED\xA0\x80", 3, BAD BAD BAD, 3},
    {"\xEF\xBF\xBE\xEF\xBF\xBF", 6, BAD BAD, 2},
    {"\xF0\x9F\x8D", 3, BAD, 1},
    {"\xC0\xAF", 2, BAD BAD, 2},
};

/* In pieces of `step` bytes, what was not used given again. */
static uint64_t repair(const char *in, size_t n, size_t step, lethe_buf *out)
{
    uint64_t repaired = 0;
    size_t from = 0, to = 0, used;
    lethe_rdf_place place = LETHE_RDF_TEXT;
    out->n = 0;
    while (to < n) {
        to = LETHE_MIN(to + step, n);
        assert_int_equal(lethe_rdf_repair(&place, (lethe_str){in + from, to - from}, false, out,
                                          &used, &repaired),
                         LETHE_OK);
        from += used;
        assert_true(from <= to && to - from <= LETHE_RDF_AHEAD);
    }
    assert_int_equal(
        lethe_rdf_repair(&place, (lethe_str){in + from, n - from}, true, out, &used, &repaired),
        LETHE_OK);
    assert_int_equal(from + used, n);
    return repaired;
}

static void bad_characters_are_made_good(void **state)
{
    (void)state;
    lethe_buf out = {0};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        for (size_t step = 1; step <= 32; step++) {
            char *exact = malloc(cases[i].n ? cases[i].n : 1); // one byte too far is noticed
            memcpy(exact, cases[i].in, cases[i].n);
            assert_int_equal(repair(exact, cases[i].n, step, &out), cases[i].repaired);
            assert_int_equal(out.n, strlen(cases[i].out));
            if (out.n > 0) assert_memory_equal(out.at, cases[i].out, out.n);
            free(exact);
        }
    }
    lethe_buf_free(&out);
}

/* What has been repaired needs no repair. */
static void repairing_twice_is_as_once(void **state)
{
    (void)state;
    static const char bytes[] = "&<;#x1aT/!?->] \0\x1a\xC3\xA9\xEF\xBF\xF0\xFF";
    lethe_buf once = {0}, twice = {0};
    uint32_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        char in[24];
        size_t n = (size_t)round % sizeof in;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            in[i] = bytes[(seed >> 16) % (sizeof bytes - 1)];
        }
        (void)repair(in, n, 24, &once);
        assert_int_equal(repair(once.n ? (const char *)once.at : "", once.n, 5, &twice), 0);
        assert_int_equal(once.n, twice.n);
        if (once.n > 0) assert_memory_equal(once.at, twice.at, once.n);
    }
    lethe_buf_free(&once);
    lethe_buf_free(&twice);
}

static void lack_of_memory_is_handed_on(void **state)
{
    (void)state;
    lethe_buf out = {0};
    uint64_t repaired = 0;
    size_t used;
    lethe_rdf_place place = LETHE_RDF_TEXT;
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_rdf_repair(&place, LETHE_LIT("a & b"), true, &out, &used, &repaired),
                     LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    lethe_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_characters_are_made_good),
        cmocka_unit_test(repairing_twice_is_as_once),
        cmocka_unit_test(lack_of_memory_is_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
