/* SPDX-License-Identifier: Apache-2.0 */
/* The normal form of queries, UTF-8 made valid, hosts of URLs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/normalize.h"
#include "text/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <utf8proc.h>

typedef struct pair {
    const char *in, *want;
    bool invalid;
} pair;

/* A copy at the very end of its allocation, so that sanitizers see a read past it. */
static lethe_str exact(lethe_str s)
{
    char *p = malloc(s.n ? s.n : 1);
    assert_non_null(p);
    if (s.n) memcpy(p, s.at, s.n);
    return (lethe_str){p, s.n};
}

static void check_normal(lethe_str in, lethe_str want, bool want_invalid)
{
    lethe_buf buf = {0};
    lethe_str out, copy = exact(in);
    bool invalid = !want_invalid;
    assert_int_equal(lethe_normalize(copy, &buf, &out, &invalid), LETHE_OK);
    if (!lethe_str_eq(out, want))
        fail_msg("'%.*s' gives '%.*s', want '%.*s'", (int)in.n, in.at, (int)out.n, out.at,
                 (int)want.n, want.at);
    assert_int_equal(invalid, want_invalid);
    lethe_buf_free(&buf);
    free((char *)copy.at);
}

static void texts_get_their_normal_form(void **state)
{
    (void)state;
    static const pair table[] = {
        {"", "", false},
        {"a", "a", false},
        {" ", "", false},
        {"   ", "", false},
        {"weather", "weather", false},
        {"Weather", "weather", false},
        {"  New   York \t City ", "new york city", false},
        {"a\x01\x02"
         "b\x7f",
         "a b", false},
        {"tab\there", "tab here", false},
        {"sixteen bytes ok", "sixteen bytes ok", false},
        {"sixteen bytes  k", "sixteen bytes k", false},
        {"fifteen bytes  x and much more of it", "fifteen bytes x and much more of it", false},
        {"fifteen bytes x  and much more of it", "fifteen bytes x and much more of it", false},
        {"CAF\xC3\x89", "caf\xC3\xA9", false},
        {"cafe\xCC\x81", "caf\xC3\xA9", false},
        {"caf\xC3\xA9", "caf\xC3\xA9", false},
        {"Stra\xC3\x9F"
         "e",
         "strasse", false},
        {"\xEF\xAC\x81sh", "fish", false},               // U+FB01
        {"\xEF\xBC\xA1\xEF\xBC\x91", "a1", false},       // full width
        {"\xF0\x9D\x90\x80", "a", false},                // mathematical bold A
        {"\xC4\xB0", "i\xCC\x87", false},                // dotted capital I
        {"\xCE\xA3\xCF\x82", "\xCF\x83\xCF\x83", false}, // sigmas
        {"a\xC2\xA0"
         "b",
         "a b", false}, // NBSP
        {"a\xE2\x80\x83\xE3\x80\x80"
         "b",
         "a b", false},                                           // em space, ideographic space
        {"\xE1\x9A\x80x\xE2\x80\xA8y\xE2\x80\xA9", "x y", false}, // Ogham space, line, paragraph
        {"\xC2\x85x", "x", false},                                // NEL
        {"so\xC2\xAD"
         "ft",
         "soft", false}, // soft hyphen
        {"zero\xE2\x80\x8Bwidth\xEF\xBB\xBF", "zerowidth", false},
        {"\xE2\x80\x8B", "", false},
        {"\xC2\xA8", "\xCC\x88", false}, // a diaeresis is a space and a mark; the space goes
        {"\xE6\x97\xA5\xE6\x9C\xAC", "\xE6\x97\xA5\xE6\x9C\xAC", false},
        {"\xE1\x84\x80\xE1\x85\xA1", "\xEA\xB0\x80", false}, // jamo compose
        // canonically equal texts with an iota subscript get one form
        {"\xCE\xB1\xCD\x85\xCC\x81", "\xCE\xAC\xCE\xB9", false},
        {"\xCE\xB1\xCC\x81\xCD\x85", "\xCE\xAC\xCE\xB9", false},
        {"\xE1\xBE\xB3\xCC\x81", "\xCE\xAC\xCE\xB9", false},
        {"\xE1\xBE\xB4", "\xCE\xAC\xCE\xB9", false},
        {"a\xFF"
         "B",
         "a\xEF\xBF\xBD"
         "b",
         true},
        {"\xC3", "\xEF\xBF\xBD", true},
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", true}, // a surrogate
        {"\xEF\xBF\xBD", "\xEF\xBF\xBD", false},                        // one that was there
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++)
        check_normal(lethe_str_of(table[i].in), lethe_str_of(table[i].want), table[i].invalid);
    check_normal((lethe_str){"a\0b", 3}, LETHE_LIT("a b"), false);
}

static void normal_ascii_is_not_copied(void **state)
{
    (void)state;
    lethe_buf buf = {0};
    lethe_str out, in = LETHE_LIT("how to tie a tie, quickly (2006)");
    bool invalid;
    for (size_t n = 0; n <= in.n; n++) {
        if (n > 0 && in.at[n - 1] == ' ') continue;
        assert_int_equal(lethe_normalize((lethe_str){in.at, n}, &buf, &out, &invalid), LETHE_OK);
        assert_ptr_equal(out.at, in.at);
        assert_int_equal(out.n, n);
    }
    for (size_t n = 1; n < 40; n++) { // a space at every place but the ends
        char text[40];
        for (size_t k = 1; k + 1 < n; k++) {
            memset(text, 'x', sizeof text);
            text[k] = ' ';
            assert_int_equal(lethe_normalize((lethe_str){text, n}, &buf, &out, &invalid), LETHE_OK);
            assert_ptr_equal(out.at, text);
        }
    }
    assert_null(buf.at);
}

/* --- against a plain loop --- */

static size_t plain_ascii(lethe_str in, char *out)
{
    size_t n = 0;
    bool space = false;
    for (size_t i = 0; i < in.n; i++) {
        char c = in.at[i];
        if ((unsigned char)c <= 32 || c == 127) {
            space = n > 0;
            continue;
        }
        if (space) out[n++] = ' ';
        space = false;
        out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return n;
}

static uint64_t next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

static void ascii_agrees_with_a_plain_loop(void **state)
{
    (void)state;
    static const char chars[] = "abcdefgh  zAZ@[`{09~\x7f\x1f\t\n!-";
    uint64_t s = 42;
    for (int i = 0; i < 200000; i++) {
        char in[48], want[48];
        size_t n = (size_t)next(&s) % sizeof in;
        // mostly letters, so that many are normal but for one byte
        for (size_t k = 0; k < n; k++)
            in[k] =
                next(&s) % 16 ? (char)('a' + next(&s) % 26) : chars[next(&s) % (sizeof chars - 1)];
        size_t w = plain_ascii((lethe_str){in, n}, want);
        check_normal((lethe_str){in, n}, (lethe_str){want, w}, false);
    }
    for (int c = 0; c < 128; c++) { // every byte at every place of a text of every length
        for (size_t n = 1; n < 40; n++) {
            char in[40], want[40];
            memset(in, 'x', sizeof in);
            in[(size_t)c * 7 % n] = (char)c;
            size_t w = plain_ascii((lethe_str){in, n}, want);
            check_normal((lethe_str){in, n}, (lethe_str){want, w}, false);
        }
    }
}

/* A non-ASCII text takes the other path; on the ASCII before it both must agree. */
static void both_paths_agree_on_ascii(void **state)
{
    (void)state;
    uint64_t s = 7;
    for (int i = 0; i < 20000; i++) {
        char in[64], want[64];
        size_t n = (size_t)next(&s) % 40;
        for (size_t k = 0; k < n; k++)
            in[k] = (char)(next(&s) % 128);
        size_t w = plain_ascii((lethe_str){in, n}, want);
        bool space = n > 0 && w > 0 && ((unsigned char)in[n - 1] <= 32 || in[n - 1] == 127);
        memcpy(in + n, "\xE6\x97\xA5", 3);
        if (space) want[w++] = ' ';
        memcpy(want + w, "\xE6\x97\xA5", 3);
        check_normal((lethe_str){in, n + 3}, (lethe_str){want, w + 3}, false);
    }
}

/* --- idempotent --- */

static void check_idempotent(lethe_str in, lethe_buf *a, lethe_buf *b)
{
    lethe_str once, twice;
    bool invalid;
    assert_int_equal(lethe_normalize(in, a, &once, &invalid), LETHE_OK);
    assert_int_equal(lethe_normalize(once, b, &twice, &invalid), LETHE_OK);
    if (!lethe_str_eq(once, twice) || invalid || !lethe_utf8_valid(once)) {
        fprintf(stderr, "in:");
        for (size_t i = 0; i < in.n; i++)
            fprintf(stderr, " %02x", (uint8_t)in.at[i]);
        fail_msg("not stable");
    }
}

static void every_code_point_is_stable(void **state)
{
    (void)state;
    lethe_buf a = {0}, b = {0};
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        uint8_t s[4];
        if (cp >= 0xD800 && cp < 0xE000) continue;
        size_t n = lethe_utf8_put(cp, s);
        check_idempotent((lethe_str){(char *)s, n}, &a, &b);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

static uint32_t some_point(uint64_t *s)
{
    switch (next(s) % 8) {
    case 0:
        return (uint32_t)(next(s) % 128);
    case 1:
        return (uint32_t)(0x300 + next(s) % 0x70); // marks
    case 2:
        return (uint32_t)(0x370 + next(s) % 0x90); // Greek
    case 3:
        return (uint32_t)(0x1E00 + next(s) % 0x200);
    case 4:
        return (uint32_t)(0x1100 + next(s) % 0x100); // jamo
    case 5:
        return (uint32_t)(0x2000 + next(s) % 0x70);
    case 6:
        return (uint32_t)(0xF900 + next(s) % 0x700);
    default:
        return (uint32_t)(next(s) % 0xD800);
    }
}

static void random_texts_are_stable(void **state)
{
    (void)state;
    lethe_buf a = {0}, b = {0};
    for (uint64_t seed = 1; seed <= 200000; seed++) {
        uint64_t s = seed;
        uint8_t in[32];
        size_t n = 0, points = 2 + next(&s) % 4;
        for (size_t i = 0; i < points; i++)
            n += lethe_utf8_put(some_point(&s), in + n);
        check_idempotent((lethe_str){(char *)in, n}, &a, &b);
    }
    for (uint64_t seed = 1; seed <= 50000; seed++) { // and bytes of any kind
        uint64_t s = seed;
        uint8_t in[24];
        size_t n = next(&s) % sizeof in;
        for (size_t i = 0; i < n; i++)
            in[i] = (uint8_t)(next(&s) % 3 ? 0x80 + next(&s) % 128 : next(&s) % 128);
        check_idempotent((lethe_str){(char *)in, n}, &a, &b);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

static void what_grows_out_of_the_stack_is_whole(void **state)
{
    (void)state;
    // U+FDFA becomes 18 code points; 2000 of them outgrow every fixed room
    lethe_buf in = {0}, buf = {0};
    lethe_str out;
    bool invalid;
    for (int i = 0; i < 2000; i++)
        assert_int_equal(lethe_buf_put(&in, "\xEF\xB7\xBA", 3), LETHE_OK);
    assert_int_equal(lethe_normalize((lethe_str){(char *)in.at, in.n}, &buf, &out, &invalid),
                     LETHE_OK);
    assert_int_equal(out.n, 2000 * 33);
    for (size_t i = 33; i < out.n; i++)
        assert_int_equal(out.at[i], out.at[i - 33]);
    lethe_buf_free(&in);
    lethe_buf_free(&buf);
}

static void lack_of_memory_is_clean(void **state)
{
    (void)state;
    char in[700];
    memset(in, 'A', sizeof in);
    memcpy(in + 600, "\xC3\x89\xFF", 3);
    for (uint64_t n = 1;; n++) {
        lethe_buf buf = {0};
        lethe_str out = {NULL, 99};
        bool invalid;
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_normalize((lethe_str){in, sizeof in}, &buf, &out, &invalid);
        lethe_alloc_fail_at(0);
        lethe_buf_free(&buf);
        if (e == LETHE_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(e, LETHE_ENOMEM);
        assert_int_equal(out.n, 99);
    }
}

/* --- UTF-8 --- */

static void broken_parts_become_one_replacement_each(void **state)
{
    (void)state;
#define R "\xEF\xBF\xBD"
    static const pair table[] = {
        {"plain", "plain", false},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", false},
        {"\x80", R, true},
        {"\xC0\xAF", R R, true},             // overlong
        {"\xE0\x80\xAF", R R R, true},       // overlong
        {"\xE0\x9F\xBF", R R R, true},       // overlong
        {"\xF0\x80\x80\xAF", R R R R, true}, // overlong
        {"\xED\xBF\xBF", R R R, true},       // surrogate
        {"\xF4\x90\x80\x80", R R R R, true}, // past U+10FFFF
        {"\xF5\x80", R R, true},
        {"\xFE\xFF", R R, true},
        {"\xE2\x82", R, true}, // cut off: one part
        {"\xE2\x82x", R "x", true},
        {"\xF0\x9F\x98", R, true},
        {"\xF0\x9F\x98x\xF0\x9F", R "x" R, true},
        {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", R R R R "A", true}, // Unicode 15.0, table 3-11
        {"longer than eight bytes \xFF and more", "longer than eight bytes " R " and more", true},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        lethe_buf buf = {0};
        lethe_str out, in = exact(lethe_str_of(table[i].in));
        bool invalid;
        assert_int_equal(lethe_utf8_valid(in), !table[i].invalid);
        assert_int_equal(lethe_utf8_repair(in, &buf, &out, &invalid), LETHE_OK);
        assert_int_equal(invalid, table[i].invalid);
        if (!lethe_str_eq(out, lethe_str_of(table[i].want))) fail_msg("row %zu", i);
        if (!invalid) assert_ptr_equal(out.at, in.at);
        assert_true(lethe_utf8_valid(out));
        free((char *)in.at);
        lethe_buf_free(&buf);
    }
}

static void code_points_round_trip(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        uint8_t s[4];
        uint32_t back;
        bool ok;
        if (cp >= 0xD800 && cp < 0xE000) continue;
        size_t n = lethe_utf8_put(cp, s);
        if (lethe_utf8_step(s, s + n, &back, &ok) != n || !ok || back != cp) fail_msg("U+%04X", cp);
    }
}

static void words_are_counted(void **state)
{
    (void)state;
    assert_int_equal(lethe_count_words(LETHE_LIT("")), 0);
    assert_int_equal(lethe_count_words(LETHE_LIT("one")), 1);
    assert_int_equal(lethe_count_words(LETHE_LIT("how to tie a tie")), 5);
    assert_int_equal(lethe_count_words(LETHE_LIT("  two  words ")), 2);
}

/* --- hosts --- */

static void hosts_are_cut_or_left_out(void **state)
{
    (void)state;
    static const pair table[] = {
        {"", "", false},
        {"http://www.Foo.com:80/x?y", "www.foo.com", false},
        {"http://www.foo.com", "www.foo.com", false},
        {"HTTPS://WWW.FOO.COM/A/B#C", "www.foo.com", false},
        {"foo.com", "foo.com", false},
        {"foo.com/path", "foo.com", false},
        {"foo.com?q=1", "foo.com", false},
        {"foo.com#x", "foo.com", false},
        {"foo.com:8080/x", "foo.com", false},
        {"localhost:80", "", false}, // without a scheme a single word may be anything
        {"http://localhost:80", "localhost", false},
        {"http://intranet/staff", "intranet", false},
        {"johnsmith", "", false},
        {"johnsmith.", "", false}, // the root's dot does not make it a host
        {"foo.com.", "foo.com", false},
        {"555-1234./x", "", false},
        {"john/secret", "", false},
        {"@john.com", "", false},
        {"me@foo.com", "", false},
        {"555-12-3456", "", false},
        {"http://555.12.3456/", "", false},
        {"http://5551234/", "", false},
        {"555.1234", "", false},
        {"http://1.2.3.256/", "", false},
        {"http://1.2.3/", "", false},
        {"http://a1.b2/", "a1.b2", false},
        {"//foo.com/x", "foo.com", false},
        {"http://user@foo.com/", "foo.com", false},
        {"http://user:pass@foo.com:1/x", "foo.com", false},
        {"http://a@b@foo.com/", "foo.com", false},
        {"http://foo.com\\@evil.com/", "foo.com", false},
        {"http://foo.com/@bar.com", "foo.com", false},
        {"http://foo.com?@bar.com", "foo.com", false},
        {"http://foo.com#@bar.com", "foo.com", false},
        {"ftp://files.foo.org/a", "files.foo.org", false},
        {"http://under_score.foo-bar.com", "under_score.foo-bar.com", false},
        {"http://foo.com./", "foo.com", false},
        {"http://foo.com:/", "foo.com", false},
        {"http://1.2.3.4/x", "1.2.3.4", false},
        {"1.2.3.4:80", "1.2.3.4", false},
        {"http://[::1]:80/x", "[::1]", false},
        {"http://[2001:DB8::A]/", "[2001:db8::a]", false},
        {"http://[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]", false},
        {"[::1]", "[::1]", false},
        {"http://[::1", "", false},
        {"http://[::1]x/", "", false},
        {"http://[fe80::1%25eth0]/", "", false},
        {"http://[x]/", "", false},
        {"http://[]/", "", false},
        {"javascript:alert(1)", "", false},
        {"data:text/html,x", "", false},
        {"mailto:bob@foo.com", "", false},
        {"tel:15551234567", "", false}, // no port has so many digits
        {"user:secret@foo.com", "", false},
        {"foo:80@bar.com", "", false},
        {"http:foo.com", "", false},
        {"http:/foo.com", "", false},
        {"http:\\\\foo.com", "", false},
        {"http:", "", false},
        {"http://", "", false},
        {"http:///x", "", false},
        {"file:///etc/passwd", "", false},
        {"/path/only", "", false},
        {"?q=my+name", "", false},
        {"http://foo.com:80x/", "", false},
        {"http://foo.com:123456/", "", false},
        {"http://foo%2ecom/", "", false},
        {"http://f\xC3\xB6\xC3\xB6.com/", "", false},
        {"http://foo bar.com/", "", false},
        {"bob smith", "", false},
        {" http://foo.com", "", false},
        {"http://foo..com/", "", false},
        {"http://.foo.com/", "", false},
        {"http://foo.com../", "", false},
        {"http://./", "", false},
        {".", "", false},
        {":80", "", false},
        {"@", "", false},
        {"http://foo.com,bar.com/", "", false},
        {"http://a*b.com", "", false},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        lethe_buf a = {0}, b = {0};
        lethe_str out, again, in = exact(lethe_str_of(table[i].in));
        assert_int_equal(lethe_url_host(in, &a, &out), LETHE_OK);
        if (!lethe_str_eq(out, lethe_str_of(table[i].want)))
            fail_msg("'%s' gives '%.*s', want '%s'", table[i].in, (int)out.n, out.at,
                     table[i].want);
        assert_int_equal(lethe_is_host(out), out.n > 0);
        char with_slashes[300];
        int n = snprintf(with_slashes, sizeof with_slashes, "//%.*s", (int)out.n, out.at);
        assert_int_equal(lethe_url_host((lethe_str){with_slashes, (size_t)n}, &b, &again),
                         LETHE_OK);
        assert_true(lethe_str_eq(out, again));
        free((char *)in.at);
        lethe_buf_free(&a);
        lethe_buf_free(&b);
    }
}

/* "http://" in lower case has a short way of its own; in upper case it takes the long one. */
static void the_short_way_to_a_host_is_the_long_one(void **state)
{
    (void)state;
    static const char signs[] = "ab0-_..//:?#@[]%\\A ";
    uint64_t x = 88172645463325252u; // xorshift
    lethe_buf a = {0}, b = {0};
    for (int i = 0; i < 200000; i++) {
        char plain[100] = "http://", other[100] = "HTTP://";
        size_t n = 7;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        for (uint64_t bits = x, k = x % 12; k > 0; k--, bits >>= 5, n++)
            plain[n] = other[n] = signs[bits % (sizeof signs - 1)];
        lethe_str short_way, long_way;
        assert_int_equal(lethe_url_host((lethe_str){plain, n}, &a, &short_way), LETHE_OK);
        assert_int_equal(lethe_url_host((lethe_str){other, n}, &b, &long_way), LETHE_OK);
        if (!lethe_str_eq(short_way, long_way)) fail_msg("%.*s", (int)n, plain);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

static void hosts_keep_to_their_lengths(void **state)
{
    (void)state;
    lethe_buf buf = {0};
    lethe_str out;
    char long_label[66], long_name[300];
    memset(long_label, 'a', sizeof long_label);
    memcpy(long_label, "//", 2);
    assert_int_equal(lethe_url_host((lethe_str){long_label, 65}, &buf, &out), LETHE_OK);
    assert_int_equal(out.n, 63);
    assert_int_equal(lethe_url_host((lethe_str){long_label, 66}, &buf, &out), LETHE_OK);
    assert_int_equal(out.n, 0);
    for (size_t i = 0; i < sizeof long_name; i++)
        long_name[i] = i % 50 == 49 ? '.' : 'b';
    assert_int_equal(lethe_url_host((lethe_str){long_name, 253}, &buf, &out), LETHE_OK);
    assert_int_equal(out.n, 253);
    assert_int_equal(lethe_url_host((lethe_str){long_name, 254}, &buf, &out), LETHE_OK);
    assert_int_equal(out.n, 0);
    lethe_alloc_fail_at(1);
    out = (lethe_str){NULL, 99};
    assert_int_equal(lethe_url_host(LETHE_LIT("WWW.A.COM"), &buf, &out), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_int_equal(out.n, 99);
    lethe_buf_free(&buf);
}

/* What becomes nothing but marks is known for every code point, or a row of it could be made. */
static void all_that_becomes_marks_is_cut(void **state)
{
    (void)state;
    lethe_buf many = {0}, buf = {0};
    for (uint32_t cp = 0x80; cp < 0x110000; cp++) {
        if (cp >= 0xD800 && cp < 0xE000) continue;
        utf8proc_int32_t points[64];
        int boundary = 0, marks = 0;
        utf8proc_ssize_t n =
            utf8proc_decompose_char((utf8proc_int32_t)cp, points, 64,
                                    UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE |
                                        UTF8PROC_CASEFOLD | UTF8PROC_IGNORE,
                                    &boundary);
        for (utf8proc_ssize_t i = 0; i < n; i++)
            marks += utf8proc_get_property(points[i])->combining_class != 0;
        if (n == 0 || marks < n) continue;
        uint8_t bytes[4];
        size_t len = lethe_utf8_put(cp, bytes);
        many.n = 0;
        for (int i = 0; i < 200; i++)
            assert_int_equal(lethe_buf_put(&many, bytes, len), LETHE_OK);
        lethe_str out;
        bool invalid;
        assert_int_equal(
            lethe_normalize((lethe_str){(const char *)many.at, many.n}, &buf, &out, &invalid),
            LETHE_OK);
        if (out.n > 31 * 3 * 4) fail_msg("U+%04X: %zu bytes left", cp, out.n);
    }
    lethe_buf_free(&many);
    lethe_buf_free(&buf);
}

/* Marks that must change places, a mebibyte of them, alone or with what is removed between them. */
static void a_line_of_marks_takes_no_time(void **state)
{
    (void)state;
    static const char *const units[] = {"\xCC\x81\xCC\xA3", "\xCC\x81\xE2\x80\x8B\xCC\xA3",
                                        "\xCC\xA3\xEF\xBE\x9E", "\xE0\xBD\xB3\xCC\xA3",
                                        "a\xCC\x81\xCC\xA3"};
    for (size_t u = 0; u < LETHE_COUNT(units); u++) {
        lethe_buf many = {0}, buf = {0};
        lethe_str out;
        bool invalid;
        while (many.n < 1 << 20)
            assert_int_equal(lethe_buf_str(&many, lethe_str_of(units[u])), LETHE_OK);
        clock_t begin = clock();
        assert_int_equal(
            lethe_normalize((lethe_str){(const char *)many.at, many.n}, &buf, &out, &invalid),
            LETHE_OK);
        assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
        assert_true(u == LETHE_COUNT(units) - 1 ? out.n > 1 << 18 : out.n < 400);
        lethe_buf again = {0};
        check_idempotent((lethe_str){(const char *)many.at, many.n}, &buf, &again);
        lethe_buf_free(&many);
        lethe_buf_free(&buf);
        lethe_buf_free(&again);
    }
}

/* Letters with marks of their own, and about as many more as are kept, in any order. */
static void rows_of_marks_are_stable(void **state)
{
    (void)state;
    static const char *const letters[] = {"\xC7\x96", "\xE1\xBB\x87", "\xE1\xBE\x82", "a",
                                          "\xC7\xB0"};
    static const char *const marks[] = {"\xCC\x81", "\xCC\xA3",     "\xCC\x84",     "\xCC\x9B",
                                        "\xCD\x85", "\xE0\xBD\xB3", "\xEF\xBE\x9E", "\xCC\xB8",
                                        "\xCD\x84", "\xE2\x80\x8B"};
    uint64_t seed = 7;
    lethe_buf a = {0}, b = {0}, text = {0};
    for (int i = 0; i < 20000; i++) {
        text.n = 0;
        for (int l = 0; l < 2; l++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            assert_int_equal(lethe_buf_str(&text, lethe_str_of(letters[(seed >> 33) % 5])),
                             LETHE_OK);
            for (uint64_t n = 26 + (seed >> 40) % 10; n > 0; n--) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                assert_int_equal(lethe_buf_str(&text, lethe_str_of(marks[(seed >> 33) % 10])),
                                 LETHE_OK);
            }
        }
        check_idempotent((lethe_str){(const char *)text.at, text.n}, &a, &b);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
    lethe_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_becomes_marks_is_cut),
        cmocka_unit_test(a_line_of_marks_takes_no_time),
        cmocka_unit_test(rows_of_marks_are_stable),
        cmocka_unit_test(texts_get_their_normal_form),
        cmocka_unit_test(normal_ascii_is_not_copied),
        cmocka_unit_test(ascii_agrees_with_a_plain_loop),
        cmocka_unit_test(both_paths_agree_on_ascii),
        cmocka_unit_test(every_code_point_is_stable),
        cmocka_unit_test(random_texts_are_stable),
        cmocka_unit_test(what_grows_out_of_the_stack_is_whole),
        cmocka_unit_test(lack_of_memory_is_clean),
        cmocka_unit_test(broken_parts_become_one_replacement_each),
        cmocka_unit_test(code_points_round_trip),
        cmocka_unit_test(words_are_counted),
        cmocka_unit_test(hosts_are_cut_or_left_out),
        cmocka_unit_test(the_short_way_to_a_host_is_the_long_one),
        cmocka_unit_test(hosts_keep_to_their_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
