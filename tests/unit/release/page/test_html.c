/* SPDX-License-Identifier: Apache-2.0 */
/* html.h: nothing unescaped gets out, and everything is closed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "release/page/html.h"
#include "text/normalize.h"
#include "well_formed.h"

static lethe_buf out;
static lethe_html h;

static int begin(void **state)
{
    (void)state;
    out.n = 0;
    lethe_html_init(&h, &out);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_buf_free(&out);
    out = (lethe_buf){0};
    return 0;
}

static const char *written(void)
{
    assert_int_equal(lethe_html_finish(&h), LETHE_OK);
    assert_int_equal(lethe_buf_put(&out, "", 1), LETHE_OK);
    return (const char *)out.at;
}

static const char *text_of(lethe_str text)
{
    out.n = 0;
    lethe_html_init(&h, &out);
    lethe_html_begin(&h, "b");
    lethe_html_text(&h, text);
    lethe_html_end(&h);
    return written();
}

static void text_is_escaped(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "<b></b>"},
        {"plain", "<b>plain</b>"},
        {"<script>alert(1)</script>", "<b>&lt;script&gt;alert(1)&lt;/script&gt;</b>"},
        {"a & b", "<b>a &amp; b</b>"},
        {"&lt;", "<b>&amp;lt;</b>"},
        {"\"'", "<b>&quot;&#39;</b>"},
        {"tab\there", "<b>tab\there</b>"},
        {"bell\x07"
         "esc\x1b[31m del\x7f",
         "<b>bell\uFFFD"
         "esc\uFFFD[31m del\uFFFD</b>"},
        {"cr\rlf\n", "<b>cr\uFFFDlf\n</b>"},
        {"c1 \xc2\x85", "<b>c1 \uFFFD</b>"},
        {"z\xc3\xbcrich \xf0\x9f\x98\x80", "<b>z\xc3\xbcrich \xf0\x9f\x98\x80</b>"},
        {"turn\u202Eround\u2066", "<b>turn\uFFFDround\uFFFD</b>"},
        {"line\u2028end", "<b>line\uFFFDend</b>"},
        {"no\uFFFE\uFDD0 character", "<b>no\uFFFD\uFFFD character</b>"},
        {"\xff\xfe", "<b>\uFFFD\uFFFD</b>"},
        {"cut \xe2\x82", "<b>cut \uFFFD</b>"},
        {"\xc0\xbcscript", "<b>\uFFFD\uFFFDscript</b>"}, // an overlong '<'
        {"\xed\xa0\x80", "<b>\uFFFD\uFFFD\uFFFD</b>"},   // a surrogate
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        assert_string_equal(text_of(lethe_str_of(cases[i].text)), cases[i].want);
        assert_string_equal(well_formed((const char *)out.at), "");
    }
}

static void a_zero_byte_is_replaced(void **state)
{
    (void)state;
    assert_string_equal(text_of((lethe_str){"a\0<b", 4}), "<b>a\uFFFD&lt;b</b>");
    assert_string_equal(text_of((lethe_str){NULL, 0}), "<b></b>");
}

static void attributes_are_escaped(void **state)
{
    (void)state;
    lethe_html_begin(&h, "p");
    lethe_html_attr(&h, "title", "\" onclick=\"x\" <&>'\n");
    lethe_html_attr_format(&h, "data-n", "%d%s", 5, "\"");
    lethe_html_format(&h, "%s of %d", "<i>", 2);
    lethe_html_end(&h);
    assert_string_equal(written(),
                        "\n<p title=\"&quot; onclick=&quot;x&quot; &lt;&amp;&gt;&#39;\n\" "
                        "data-n=\"5&quot;\">&lt;i&gt; of 2</p>");
    assert_string_equal(well_formed((const char *)out.at), "");
}

static void long_text_is_cut_at_a_character(void **state)
{
    (void)state;
    lethe_html_begin(&h, "b");
    lethe_html_cut(&h, LETHE_LIT("z\xc3\xbc\xc3\xbc<"), 3);
    lethe_html_cut(&h, LETHE_LIT("abc"), 3);
    lethe_html_cut(&h, LETHE_LIT("<<<<"), 2);
    lethe_html_end(&h);
    assert_string_equal(written(), "<b>z\xc3\xbc\xc3\xbc\u2026abc&lt;&lt;\u2026</b>");
}

static void empty_elements_close_themselves(void **state)
{
    static const char *const css[] = {"p{color:red}", NULL};
    (void)state;
    lethe_html_doctype(&h);
    lethe_html_begin(&h, "html");
    lethe_html_begin(&h, "meta");
    lethe_html_attr(&h, "charset", "utf-8");
    lethe_html_end(&h);
    lethe_html_style(&h, css);
    lethe_html_leaf(&h, "td", NULL, "");
    lethe_html_leaf(&h, "td", "n", "1 < 2");
    lethe_html_end(&h);
    assert_string_equal(written(), "<!DOCTYPE html>\n<html>\n<meta charset=\"utf-8\" />\n"
                                   "<style>p{color:red}</style><td></td><td class=\"n\">1 &lt; 2"
                                   "</td></html>");
    assert_string_equal(well_formed((const char *)out.at), "");
}

/* Whatever bytes come: well-formed, UTF-8, and no markup but ours. */
static void any_bytes_stay_text(void **state)
{
    uint32_t seed = 7;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char bytes[64];
        static const char often[] = "<>&\"'/=! s\xc3\xe2\x80\xae\xff\xf0";
        size_t n = (size_t)(round % 64);
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = seed >> 31 ? often[(seed >> 16) % (sizeof often - 1)] : (char)(seed >> 20);
        }
        const char *text = text_of((lethe_str){bytes, n});
        const char *fault = well_formed(text);
        if (fault[0]) fail_msg("round %d: %s", round, fault);
        assert_true(lethe_utf8_valid(lethe_str_of(text)));
        assert_ptr_equal(strchr(text + 3, '<'), text + strlen(text) - 4);
    }
}

static void lack_of_memory_is_remembered(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        lethe_buf fresh = {0};
        lethe_html_init(&h, &fresh);
        lethe_alloc_fail_at(n);
        lethe_html_begin(&h, "p");
        lethe_html_attr_format(&h, "id", "%s", "x");
        lethe_html_format(&h, "%d", 1);
        for (int i = 0; i < 100; i++)
            lethe_html_words(&h, "and so on");
        lethe_html_end(&h);
        lethe_alloc_fail_at(0);
        lethe_err e = lethe_html_finish(&h);
        lethe_buf_free(&fresh);
        if (e == LETHE_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(e, LETHE_ENOMEM);
    }
}

/* The checker itself must object. */
static void the_checker_objects(void **state)
{
    static const char *const bad[] = {"",
                                      "<p>",
                                      "</p>",
                                      "<p></b></p>",
                                      "<p class=x></p>",
                                      "<p a=\"1\" a=\"2\"></p>",
                                      "<p a=\"<\"></p>",
                                      "<p>&</p>",
                                      "<p>&nbsp;</p>",
                                      "<p>\x01</p>",
                                      "text",
                                      "<p>1 < 2</p>",
                                      "<p a=\"1></p>"};
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        if (!well_formed(bad[i])[0]) fail_msg("accepted: %s", bad[i]);
    assert_string_equal(well_formed("<p a=\"&lt;\">x<br /></p>"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(text_is_escaped, begin),
        cmocka_unit_test_setup(a_zero_byte_is_replaced, begin),
        cmocka_unit_test_setup(attributes_are_escaped, begin),
        cmocka_unit_test_setup(long_text_is_cut_at_a_character, begin),
        cmocka_unit_test_setup(empty_elements_close_themselves, begin),
        cmocka_unit_test_setup(any_bytes_stay_text, begin),
        cmocka_unit_test_setup(lack_of_memory_is_remembered, begin),
        cmocka_unit_test(the_checker_objects),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
