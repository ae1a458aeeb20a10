/* SPDX-License-Identifier: Apache-2.0 */
/* Sites of URLs, and whether a text names them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/text/click_sites.h"

static void a_site_is_a_host_without_www(void **state)
{
    (void)state;
    static const struct {
        const char *url, *site;
        bool has_host;
    } is[] = {
        {"http://www.a.com/x", "a.com", true},
        {"http://WWW.A.com:80/x", "a.com", true},
        {"www.a.com", "a.com", true},
        {"http://a.com", "a.com", true},
        {"http://www2.a.com", "www2.a.com", true},
        {"http://www.www.a.com", "www.a.com", true},
        {"http://www/", "www", true},
        {"http://www.com/", "com", true},
        {"http://10.0.0.1/", "10.0.0.1", true},
        {"mailto:bob@a.com", "mailto:bob@a.com", false},
        {"bob", "bob", false},
        {"WWW.", "WWW.", false},
        {"", "", false},
    };
    lethe_buf buf = {0};
    for (size_t i = 0; i < LETHE_COUNT(is); i++) {
        lethe_str site;
        bool has_host;
        assert_int_equal(lethe_site_of_url(lethe_str_of(is[i].url), &buf, &site, &has_host),
                         LETHE_OK);
        if (!lethe_str_eq(site, lethe_str_of(is[i].site)))
            fail_msg("%s: '%.*s'", is[i].url, (int)site.n, site.at);
        assert_int_equal(has_host, is[i].has_host);
    }
    lethe_buf_free(&buf);
}

static void texts_become_labels(void **state)
{
    (void)state;
    static const char *const is[][2] = {
        {"", "."},
        {"a", ".a."},
        {"red cars", ".red.cars."},
        {"..a!!b_c..", ".a.b.c."},
        {"a-1\xC3\xA9", ".a-1\xC3\xA9."},
        {"?!", "."},
        {"A", "."},
    };
    lethe_buf buf = {0};
    for (size_t i = 0; i < LETHE_COUNT(is); i++) {
        assert_int_equal(lethe_dotted(lethe_str_of(is[i][0]), &buf), LETHE_OK);
        assert_true(lethe_str_eq((lethe_str){(const char *)buf.at, buf.n}, lethe_str_of(is[i][1])));
    }
    lethe_buf_free(&buf);
}

static void a_text_names_the_domain(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host;
        bool names;
    } is[] = {
        {"example.com", "example.com", true},
        {"www.example.com", "example.com", true},
        {"example.com", "www.example.com", true},
        {"example com", "a.b.example.com", true},
        {"http://shop.example.com/x", "mail.example.com", true},
        {"buy at example.com!", "example.com", true},
        {"example", "example.com", false},
        {"myexample.com", "example.com", false},
        {"example.community", "example.com", false},
        {"com example", "example.com", false},
        {"ex-ample.com", "ample.com", false},
        {"bbc.co.uk", "news.bbc.co.uk", true},
        {"co.uk", "news.bbc.co.uk", false},
        {"bbc co uk weather", "bbc.co.uk", true},
        {"co.uk", "co.uk", true},
        {"web.de", "www.web.de", true},
        {"web.de", "web.de", true},
        {"heise.de", "www.heise.de", true}, /* five letters: no second level */
        {"heise.de", "shop.heise.de", true},
        {"gmx.net", "www.gmx.net", true}, /* three letters: no country */
        {"gmx.net", "mail.gmx.net", true},
        {"1.2.3.4", "1.2.3.4", true},
        {"3.4", "1.2.3.4", false},
        {"11.2.3.4", "1.2.3.4", false},
        {"my own.net", "my_own.net", true},
        {"localhost", "localhost", true},
        {"www.com", "www.com", true},
        {"com", "www.com", false},
        {"x", "[::1]", false},
        {"[fe80::1]", "[fe80::1]", true},
        {"x", "[::]", false},
        {"x", "", false},
        {"\xC3\xA9.com", "xn--9ca.com", false},
    };
    lethe_buf text = {0}, buf = {0};
    for (size_t i = 0; i < LETHE_COUNT(is); i++) {
        bool names;
        assert_int_equal(lethe_dotted(lethe_str_of(is[i].text), &text), LETHE_OK);
        assert_int_equal(lethe_dotted_names((lethe_str){(const char *)text.at, text.n},
                                            lethe_str_of(is[i].host), &buf, &names),
                         LETHE_OK);
        if (names != is[i].names) fail_msg("'%s' and %s", is[i].text, is[i].host);
    }
    lethe_buf_free(&text);
    lethe_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_site_is_a_host_without_www),
        cmocka_unit_test(texts_become_labels),
        cmocka_unit_test(a_text_names_the_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
