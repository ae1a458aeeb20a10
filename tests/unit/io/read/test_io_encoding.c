/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: what is guessed, and what comes out, against tables written down here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/read/encoding.h"
#include "io/read/source.h"
#include <stdlib.h>

/* The code points of 0x80 to 0x9F in windows-1252; 0: none. */
static const uint16_t windows[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static void put(lethe_buf *b, uint32_t cp)
{
    uint8_t p[3];
    size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : 3;
    if (n == 1) p[0] = (uint8_t)cp;
    if (n == 2) p[0] = (uint8_t)(0xC0 | cp >> 6);
    if (n == 3) {
        p[0] = (uint8_t)(0xE0 | cp >> 12);
        p[1] = (uint8_t)(0x80 | (cp >> 6 & 0x3F));
    }
    if (n > 1) p[n - 1] = (uint8_t)(0x80 | (cp & 0x3F));
    assert_int_equal(lethe_buf_put(b, p, n), LETHE_OK);
}

static void check(const uint8_t *in, size_t n, const char *encoding, const lethe_buf *want,
                  uint64_t invalid)
{
    for (size_t step = 1; step <= 4096; step *= 8) {
        static char piece[4096];
        lethe_source *s;
        lethe_buf got = {0};
        size_t more = 1;
        assert_int_equal(lethe_source_memory(NULL, (lethe_str){(const char *)in, n}, &s), LETHE_OK);
        assert_int_equal(lethe_source_text(s, encoding, true), LETHE_OK);
        while (more > 0) {
            assert_int_equal(lethe_source_read(s, piece, step, &more), LETHE_OK);
            if (more) assert_int_equal(lethe_buf_put(&got, piece, more), LETHE_OK);
        }
        assert_int_equal(got.n, want->n);
        assert_memory_equal(got.at, want->at, want->n);
        assert_int_equal(lethe_source_invalid(s), invalid);
        lethe_source_close(s);
        lethe_buf_free(&got);
    }
}

static void every_byte_of_one_byte_encodings(void **state)
{
    (void)state;
    uint8_t in[512];
    lethe_buf latin = {0}, cp = {0};
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)(i + 'a'); // not as something packed begins
        put(&latin, in[i]);
        bool special = in[i] >= 0x80 && in[i] < 0xA0;
        uint32_t code = special ? windows[in[i] - 0x80] : in[i];
        put(&cp, code || !special ? code : 0xFFFD);
    }
    check(in, sizeof in, "latin1", &latin, 0);
    check(in, sizeof in, "ISO-8859-1", &latin, 0);
    check(in, sizeof in, "windows-1252", &cp, 10);
    check(in, sizeof in, NULL, &cp, 10);
    lethe_buf_free(&latin);
    lethe_buf_free(&cp);
}

static void utf16_with_its_faults(void **state)
{
    (void)state;
    static const uint8_t in[] = {0xFF, 0xFE, 'a',  0,    0xAC, 0x20, 0x00, 0xDC,
                                 'b',  0,    0x3D, 0xD8, 'c',  0,    0xE9, 0};
    lethe_buf want = {0};
    put(&want, 'a');
    put(&want, 0x20AC);
    put(&want, 0xFFFD); // the second half of a pair alone
    put(&want, 'b');
    put(&want, 0xFFFD); // and the first
    put(&want, 'c');
    put(&want, 0xE9);
    check(in, sizeof in, "utf-16", &want, 4);
    check(in, sizeof in, NULL, &want, 4);
    put(&want, 0xFFFD);
    uint8_t cut[sizeof in + 1];
    memcpy(cut, in, sizeof in);
    cut[sizeof in] = 'x';
    check(cut, sizeof cut, NULL, &want, 5);
    lethe_buf_free(&want);
}

static void the_guess(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } table[] = {
        {"", NULL},
        {"plain", NULL},
        {"caf\xC3\xA9", NULL},
        {"caf\xE9", "windows-1252"},
        {"caf\xC3\xA9 \xFF", NULL}, // as many right as wrong
        {"caf\xC3\xA9 \xFF\xFE", "windows-1252"},
        {"\xFF\xFE", "utf-16"},
        {"\xFE\xFF", "utf-16"},
        {"\xFF", "windows-1252"},
        {"\xEF\xBB\xBF\xFF\xFF", NULL}, // the mark decides
        {"\xC0\x80", "windows-1252"},   // overlong
        {"\xED\xA0\x80", "windows-1252"},
        {"\xF4\x90\x80\x80", "windows-1252"},
        {"\xF0\x9F\x98\x80", NULL},
        {"\xE2\x82", "windows-1252"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        const char *got = lethe_encoding_guess(lethe_str_of(table[i].text), true);
        if (!table[i].want)
            assert_null(got);
        else
            assert_string_equal(got, table[i].want);
    }
    // where more follows, a character that is cut off is not wrong
    assert_null(lethe_encoding_guess(LETHE_LIT("euro \xE2\x82"), false));
}

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"", "klingon", "utf-16//IGNORE", "latin1,utf-8", "a b"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        lethe_recoder *r = NULL;
        assert_int_equal(lethe_recoder_new(NULL, names[i], &r), LETHE_EUSAGE);
        assert_null(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_of_one_byte_encodings),
        cmocka_unit_test(utf16_with_its_faults),
        cmocka_unit_test(the_guess),
        cmocka_unit_test(what_is_not_known_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
