/* SPDX-License-Identifier: Apache-2.0 */
/* The owner's list of phrases. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/normalize.h"
#include "text/pii/pii.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The last message of a failure, and where. */
typedef struct said {
    char text[256], file[256];
    uint64_t line;
    int n;
} said;

static void hear(void *to, const lethe_message *m)
{
    said *s = to;
    snprintf(s->text, sizeof s->text, "%s", m->text);
    snprintf(s->file, sizeof s->file, "%s", m->file ? m->file : "");
    s->line = m->line;
    s->n++;
}

static lethe_phrases *list_of(const char *bytes)
{
    lethe_phrases *p = NULL;
    assert_int_equal(lethe_phrases_memory(NULL, lethe_str_of(bytes), &p), LETHE_OK);
    return p;
}

static void check(const lethe_phrases *p, unsigned kinds, const char *text, const char *want)
{
    lethe_detector d = {kinds, p};
    lethe_buf normal = {0}, buf = {0};
    lethe_str s, out;
    bool invalid;
    uint64_t found[LETHE_N_PII] = {0};
    assert_int_equal(lethe_normalize(lethe_str_of(text), &normal, &s, &invalid), LETHE_OK);
    assert_int_equal(lethe_pii_mask(&d, s, &buf, &out, found), LETHE_OK);
    if (!lethe_str_eq(out, lethe_str_of(want)))
        fail_msg("'%s' gives '%.*s', want '%s'", text, (int)out.n, out.at, want);
    lethe_buf_free(&normal);
    lethe_buf_free(&buf);
}

static void phrases_are_whole_words_in_a_row(void **state)
{
    (void)state;
    lethe_phrases *p = list_of("# the widow and her town\n"
                               "Thelma Arnold\n"
                               "lilburn\n"
                               "\n"
                               "O'Brien\n"
                               "M\xC3\x9CLLER\n"
                               "smith\n"
                               "jane   smith-jones\n"
                               "4417\n");
    assert_int_equal(lethe_phrases_count(p), 7);
    static const char *const rows[][2] = {
        {"thelma arnold", "[list]"},
        {"THELMA  ARNOLD", "[list]"},
        {"thelma, arnold", "[list]"},
        {"thelma.arnold", "[list]"},
        {"thelma_arnold", "[list]"},
        {"dr thelma-arnold md", "dr [list] md"},
        {"thelma", "thelma"},
        {"arnold thelma", "arnold thelma"},
        {"thelma a arnold", "thelma a arnold"},
        {"thelmaarnold", "thelmaarnold"},
        {"thelma arnolds", "thelma arnolds"},
        {"lilburn lilburn", "[list] [list]"},
        {"lilburns", "lilburns"},
        {"lilburn's", "[list]'s"},
        {"www.lilburn.ga.us", "www.[list].ga.us"},
        {"o brien", "[list]"},
        {"o\xE2\x80\x99"
         "brien",
         "[list]"},
        {"obrien", "obrien"},
        {"m\xC3\xBCller", "[list]"},
        {"mu\xCC\x88ller", "[list]"},
        {"m\xC3\xBCllers", "m\xC3\xBCllers"},
        {"muller", "muller"},
        // the longest that begins first
        {"jane smith jones", "[list]"},
        {"jane smith", "jane [list]"},
        {"jane smith-jane smith jones", "jane [list]-[list]"},
        {"4417 maple", "[list] maple"},
        {"44170", "44170"},
        // masks part words
        {"thelma [ssn] arnold", "thelma [ssn] arnold"},
        {"lilburn[ssn]lilburn", "[list][ssn][list]"},
        {"", ""},
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        check(p, 0, rows[i][0], rows[i][1]);
    lethe_phrases_free(p);
}

static void phrases_stand_beside_the_other_kinds(void **state)
{
    (void)state;
    lethe_phrases *p = list_of("john\nmaple\nnumber\nssn\nlist\nhauptstrasse\n");
    static const char *const rows[][2] = {
        {"john@aol.com", "[email]"},
        {"x.john@aol.com", "[email]"},
        {"john 555-12-1234", "[list] [ssn]"},
        {"4417 maple ave", "[address]"},
        {"maple 4417 maple ave", "[list] [address]"},
        {"hauptstrasse 12", "[address]"},
        {"john5551234567", "[list][number]"}, // the number goes first and sets the word free
        {"number", "[list]"},
        {"[number] [ssn] [list] ssn", "[number] [ssn] [list] [list]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        check(p, LETHE_PII_ALL, rows[i][0], rows[i][1]);
    // a bit for the list among the kinds changes nothing
    check(p, 1u << LETHE_PII_LIST, "john 555-12-1234", "[list] 555-12-1234");
    lethe_phrases_free(p);
}

static void lists_are_read_as_lines(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t count;
    } rows[] = {
        {"a", 1},
        {"a\n", 1},
        {"a\r\nb\r\n", 2},
        {"\n\r\n  \n\ta\n", 1},
        {"a b\nA  B\na-b\nb a\n", 2},
        {"#x\na\n#\n", 1},
        {"\xEF\xBB\xBF"
         "a\n",
         1},
        {"c#\n", 1},
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        lethe_phrases *p = list_of(rows[i].bytes);
        assert_int_equal(lethe_phrases_count(p), rows[i].count);
        lethe_phrases_free(p);
    }
    lethe_phrases_free(NULL);
}

static void bad_lists_are_refused_with_their_line(void **state)
{
    (void)state;
    static char long_line[(64 << 10) + 8], longer[(1 << 20) + 16];
    memset(long_line, 'a', sizeof long_line);
    memcpy(long_line, "b\n", 2);
    memset(longer, 'a', sizeof longer);
    memcpy(longer, "b\n", 2);
    static const char many[] = "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a";
    const struct {
        lethe_str bytes;
        uint64_t line;
        const char *why;
    } rows[] = {
        {LETHE_LIT(""), 0, "the list has no phrase"},
        {LETHE_LIT("\n\n# x\n"), 0, "the list has no phrase"},
        {LETHE_LIT("a\n---\n"), 2, "a phrase without a word"},
        {LETHE_LIT("a\nb\n\xFF\n"), 3, "not UTF-8"},
        {LETHE_LIT("a\nb\xC3"), 2, "not UTF-8"},
        {LETHE_LIT("a\0b\n"), 1, "a NUL byte"},
        {LETHE_LIT("a\nb [ssn] c\n"), 2, "a phrase with a mask in it"},
        {LETHE_LIT("[ssn]\n"), 1, "a phrase with a mask in it"},
        {{many, sizeof many - 1}, 1, "a phrase of more than 32 words"},
        {{long_line, sizeof long_line}, 2, "a line of more than 64 KiB"},
        {{longer, sizeof longer}, 2, "a line of more than 64 KiB"},
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        said s = {0};
        lethe_diag *d = lethe_diag_new(hear, &s);
        lethe_phrases *p = (lethe_phrases *)&s;
        assert_int_equal(lethe_phrases_memory(d, rows[i].bytes, &p), LETHE_EINPUT);
        assert_ptr_equal(p, &s);
        assert_string_equal(s.text, rows[i].why);
        assert_int_equal(s.line, rows[i].line);
        assert_int_equal(s.n, 1);
        lethe_diag_free(d);
    }
    // as much as is allowed
    lethe_phrases *p;
    long_line[2 + (64 << 10)] = '\n';
    assert_int_equal(lethe_phrases_memory(NULL, (lethe_str){long_line, 3 + (64 << 10)}, &p),
                     LETHE_OK);
    assert_int_equal(lethe_phrases_count(p), 2);
    lethe_phrases_free(p);
    assert_int_equal(lethe_phrases_memory(NULL, (lethe_str){many, sizeof many - 3}, &p), LETHE_OK);
    check(p, 0, many, "[list] a");
    lethe_phrases_free(p);
}

static void lists_come_from_files(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-list-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "Thelma\n--\n", 10), 10);
    said s = {0};
    lethe_diag *d = lethe_diag_new(hear, &s);
    lethe_phrases *p = NULL;
    assert_int_equal(lethe_phrases_read(d, path, &p), LETHE_EINPUT);
    assert_string_equal(s.file, path);
    assert_int_equal(s.line, 2);
    assert_int_equal(ftruncate(fd, 7), 0);
    assert_int_equal(lethe_phrases_read(d, path, &p), LETHE_OK);
    check(p, 0, "thelma", "[list]");
    lethe_phrases_free(p);
    close(fd);
    unlink(path);
    assert_int_equal(lethe_phrases_read(d, path, &p), LETHE_EIO);
    assert_int_equal(lethe_phrases_read(d, "/", &p), LETHE_EIO);
    lethe_diag_free(d);
}

static void every_lack_of_memory_is_told(void **state)
{
    (void)state;
    int n = 1;
    for (;; n++) {
        lethe_phrases *p = NULL;
        lethe_alloc_fail_at((uint64_t)n);
        lethe_err e = lethe_phrases_memory(NULL, LETHE_LIT("a b\nM\xC3\x9CLLER\nc\n"), &p);
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) {
            lethe_phrases_free(p);
            break;
        }
        assert_int_equal(e, LETHE_ENOMEM);
        assert_null(p);
    }
    assert_true(n > 8);
}

/* 100,000 phrases of one to four words: each is found, what is nearly one is not. */
static void a_long_list_is_found_in(void **state)
{
    (void)state;
    enum { N = 100000 };
    lethe_buf b = {0};
    char line[128];
    for (unsigned i = 0; i < N; i++) {
        int n = snprintf(line, sizeof line, "w%u", i % 1000);
        for (unsigned k = 0; k < i % 4; k++)
            n += snprintf(line + n, sizeof line - (size_t)n, " v%u", (i >> k) % 5000);
        n += snprintf(line + n, sizeof line - (size_t)n, " u%u\n", i);
        assert_int_equal(lethe_buf_put(&b, line, (size_t)n), LETHE_OK);
    }
    lethe_phrases *p;
    assert_int_equal(lethe_phrases_memory(NULL, (lethe_str){(const char *)b.at, b.n}, &p),
                     LETHE_OK);
    assert_int_equal(lethe_phrases_count(p), N);
    lethe_detector d = {0, p};
    const char *at = (const char *)b.at, *end = at + b.n;
    while (at < end) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        lethe_str s = {at, (size_t)(lf - at)}, cut = {at, s.n - 1};
        lethe_finding f;
        assert_true(lethe_pii_next(&d, s, 0, &f));
        assert_true(f.at == 0 && f.n == s.n);
        // without its last digit it may be another phrase, but not this one
        if (lethe_pii_next(&d, cut, 0, &f)) assert_true(f.n <= cut.n);
        at = lf + 1;
    }
    lethe_buf_free(&b);
    lethe_phrases_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phrases_are_whole_words_in_a_row),
        cmocka_unit_test(phrases_stand_beside_the_other_kinds),
        cmocka_unit_test(lists_are_read_as_lines),
        cmocka_unit_test(bad_lists_are_refused_with_their_line),
        cmocka_unit_test(lists_come_from_files),
        cmocka_unit_test(every_lack_of_memory_is_told),
        cmocka_unit_test(a_long_list_is_found_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
