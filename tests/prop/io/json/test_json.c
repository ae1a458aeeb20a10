/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees and lines.  A tree written and read again is the same tree; a line's fields are
 * those that a walk over the tree finds; a damaged text is refused or read the same way by both
 * readers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/rng.h"
#include "io/json/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 4000 };

static lethe_rng stream(uint64_t seed)
{
    lethe_secret *secret;
    assert_int_equal(lethe_secret_from_seed(seed, &secret), LETHE_OK);
    lethe_rng r = lethe_rng_stream(secret, "json", 0);
    lethe_secret_free(secret);
    return r;
}

static unsigned below(lethe_rng *r, unsigned n) { return (unsigned)lethe_rng_below(r, n); }

/* --- random trees --- */

/* A text of characters from every corner of UTF-8; `nul`: U+0000 too. */
static size_t random_text(lethe_rng *r, char *out, bool nul)
{
    static const uint32_t corners[] = {0x1F,   0x20,   '"',    '\\',   '/',    0x7F,    0x80,
                                       0x9F,   0xA0,   0x7FF,  0x800,  0x2027, 0x2028,  0x2029,
                                       0x202A, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF};
    size_t n = 0;
    for (unsigned i = below(r, 6); i > 0; i--) {
        uint32_t c = below(r, 3) ? 'a' + below(r, 3) : corners[below(r, LETHE_COUNT(corners))];
        if (below(r, 10) == 0) c = below(r, 32);
        if (c == 0 && !nul) c = '.';
        uint8_t *p = (uint8_t *)out + n;
        if (c < 0x80) {
            p[0] = (uint8_t)c, n += 1;
        } else if (c < 0x800) {
            p[0] = (uint8_t)(0xC0 | c >> 6), p[1] = (uint8_t)(0x80 | (c & 63)), n += 2;
        } else if (c < 0x10000) {
            p[0] = (uint8_t)(0xE0 | c >> 12), p[1] = (uint8_t)(0x80 | (c >> 6 & 63));
            p[2] = (uint8_t)(0x80 | (c & 63)), n += 3;
        } else {
            p[0] = (uint8_t)(0xF0 | c >> 18), p[1] = (uint8_t)(0x80 | (c >> 12 & 63));
            p[2] = (uint8_t)(0x80 | (c >> 6 & 63)), p[3] = (uint8_t)(0x80 | (c & 63)), n += 4;
        }
    }
    out[n] = '\0';
    return n;
}

static double random_real(lethe_rng *r)
{
    uint64_t bits = lethe_rng_u64(r);
    double x;
    memcpy(&x, &bits, sizeof x);
    switch (below(r, 5)) {
    case 0:
        return below(r, 2) ? -0.0 : (double)below(r, 1000) / 8;
    case 1:
        return (double)(int64_t)bits;
    case 2:
        return lethe_rng_unit(r);
    case 3:
        return ldexp((double)below(r, 1000), -1074); // below the smallest normal
    default:
        return isfinite(x) ? x : 1e308;
    }
}

static lethe_json *random_tree(lethe_rng *r, lethe_json_doc *doc, unsigned depth)
{
    char text[64], name[64];
    lethe_json *v;
    switch (below(r, depth ? 8 : 6)) {
    case 0:
        return lethe_json_new_real(doc, NAN);
    case 1:
        return lethe_json_new_bool(doc, below(r, 2));
    case 2:
        return lethe_json_new_int(doc, (int64_t)(lethe_rng_u64(r) >> below(r, 64)));
    case 3:
        return lethe_json_new_real(doc, random_real(r));
    case 4:
    case 5: {
        size_t n = random_text(r, text, true);
        return lethe_json_new_text(doc, (lethe_str){text, n});
    }
    case 6:
        v = lethe_json_array(doc);
        for (unsigned i = below(r, 5); i > 0; i--)
            lethe_json_push(doc, v, random_tree(r, doc, depth - 1));
        return v;
    default:
        v = lethe_json_object(doc);
        for (unsigned i = below(r, 5); i > 0; i--) {
            random_text(r, name, false);
            lethe_json_set(doc, v, name, random_tree(r, doc, depth - 1));
        }
        return v;
    }
}

static bool same(const lethe_json *a, const lethe_json *b)
{
    lethe_json_type type = lethe_json_kind(a);
    if (type != lethe_json_kind(b) || lethe_json_count(a) != lethe_json_count(b)) return false;
    double x = lethe_json_real(a), y = lethe_json_real(b);
    if (type == LETHE_JSON_REAL && memcmp(&x, &y, sizeof x) != 0) return false; // -0 is not 0
    if (type == LETHE_JSON_INT && lethe_json_int(a) != lethe_json_int(b)) return false;
    if (type == LETHE_JSON_BOOL && lethe_json_bool(a) != lethe_json_bool(b)) return false;
    if (!lethe_str_eq(lethe_json_text(a), lethe_json_text(b))) return false;
    for (size_t i = 0; i < lethe_json_count(a); i++)
        if (!lethe_str_eq(lethe_json_name(a, i), lethe_json_name(b, i)) ||
            !same(lethe_json_at(a, i), lethe_json_at(b, i)))
            return false;
    return true;
}

static void trees_survive_writing_and_reading(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        lethe_rng r = stream(seed);
        lethe_json_doc *doc = lethe_json_doc_new(), *again;
        lethe_json *v = random_tree(&r, doc, 5), *back;
        for (int indent = 0; indent <= 2; indent += 2) {
            size_t n;
            char *text = lethe_json_write(v, indent, &n);
            if (lethe_json_parse(NULL, "f", (lethe_str){text, n}, &again, &back) != LETHE_OK)
                fail_msg("seed %lu: not read: %s", (unsigned long)seed, text);
            if (!same(v, back)) fail_msg("seed %lu: changed: %s", (unsigned long)seed, text);
            if (indent == 0 && (strchr(text, '\n') || strlen(text) != n))
                fail_msg("seed %lu: more than a line: %s", (unsigned long)seed, text);
            lethe_json *copy = lethe_json_copy(again, v);
            if (!same(v, copy)) fail_msg("seed %lu: the copy differs", (unsigned long)seed);
            lethe_json_text_free(text);
            lethe_json_doc_free(again);
        }
        lethe_json_doc_free(doc);
    }
}

/* --- the picker --- */

/* Small names, with dots, so that paths meet. */
static const char *random_name(lethe_rng *r)
{
    static const char *const names[] = {"a", "b", "0", "1", "a.b", "b.0", "", ".", "a.1.b", "ab"};
    return names[below(r, LETHE_COUNT(names))];
}

static lethe_json *random_line(lethe_rng *r, lethe_json_doc *doc, unsigned depth, bool object)
{
    unsigned kind = object ? 4 : below(r, depth ? 6 : 3);
    lethe_json *v;
    switch (kind) {
    case 0:
        return lethe_json_new_int(doc, below(r, 100));
    case 1:
        return lethe_json_new_text(doc, below(r, 2) ? LETHE_LIT("te\"xt") : LETHE_LIT(""));
    case 2:
        return below(r, 2) ? lethe_json_copy(doc, NULL) : lethe_json_new_bool(doc, true);
    case 3:
        v = lethe_json_array(doc);
        for (unsigned i = below(r, 4); i > 0; i--)
            lethe_json_push(doc, v, random_line(r, doc, depth - 1, false));
        return v;
    default:
        v = lethe_json_object(doc);
        for (unsigned i = 1 + below(r, 9); i > 0; i--) {
            const char *name = random_name(r);
            lethe_json_set(doc, v, name, random_line(r, doc, depth - 1, false));
        }
        return v;
    }
}

/* The first value, in the order of the text, whose path is `name`; as text, NULL if there is none.
 */
static char *walk(const lethe_json *v, const char *path, bool root, const char *name)
{
    lethe_json_type type = lethe_json_kind(v);
    if (type != LETHE_JSON_OBJECT && type != LETHE_JSON_ARRAY) {
        if (type == LETHE_JSON_NULL || strcmp(path, name) != 0) return NULL;
        lethe_str s = lethe_json_text(v);
        return type == LETHE_JSON_TEXT ? strndup(s.at, s.n) : lethe_json_write(v, 0, NULL);
    }
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        char inner[512];
        lethe_str part = lethe_json_name(v, i);
        if (type == LETHE_JSON_ARRAY)
            snprintf(inner, sizeof inner, "%s%s%zu", path, root ? "" : ".", i);
        else
            snprintf(inner, sizeof inner, "%s%s%.*s", path, root ? "" : ".", (int)part.n, part.at);
        char *found = walk(lethe_json_at(v, i), inner, false, name);
        if (found) return found;
    }
    return NULL;
}

static void fields_are_those_of_the_tree(void **state)
{
    (void)state;
    size_t n_found = 0;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        lethe_rng r = stream(seed + 1000000);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *v = random_line(&r, doc, 4, true);
        char *text = lethe_json_write(v, below(&r, 2) ? 2 : 0, NULL), names[4][64];
        const char *list[4], *cause;
        for (int i = 0; i < 4; i++) {
            size_t n = (size_t)snprintf(names[i], 64, "%s", random_name(&r));
            for (unsigned more = below(&r, 2); more > 0; more--)
                n += (size_t)snprintf(names[i] + n, 64 - n, ".%s", random_name(&r));
            list[i] = names[i];
        }
        lethe_json_picker *p = lethe_json_picker_new(list, 4);
        lethe_str f[4];
        assert_int_equal(lethe_json_pick(p, lethe_str_of(text), f, &cause), LETHE_OK);
        if (cause) fail_msg("seed %lu: %s: %s", (unsigned long)seed, cause, text);
        for (int i = 0; i < 4; i++) {
            char *want = walk(v, "", true, list[i]);
            if (!want != !f[i].at || (want && strcmp(want, f[i].at) != 0))
                fail_msg("seed %lu: '%s' is '%s', not '%s' in %s", (unsigned long)seed, list[i],
                         f[i].at ? f[i].at : "-", want ? want : "-", text);
            n_found += want != NULL;
            free(want);
        }
        lethe_json_picker_free(p);
        lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
    assert_true(n_found > ROUNDS / 4); // the names do meet
}

/* --- damage --- */

/* An independent reader of JSON's grammar (RFC 8259), by recursion; it accepts any bytes from 0x80
 * on inside a text.  The length of what it read at p, 0 if that is not JSON. */
static size_t grammar(const char *p, size_t n, int depth);

static size_t spaces(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] && strchr(" \t\r\n", p[i]))
        i++;
    return i;
}

static size_t digits(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] >= '0' && p[i] <= '9')
        i++;
    return i;
}

static size_t number(const char *p, size_t n)
{
    size_t i = n > 0 && p[0] == '-', k = digits(p + i, n - i);
    if (k == 0 || (k > 1 && p[i] == '0')) return 0;
    i += k;
    if (i < n && p[i] == '.') {
        k = digits(p + i + 1, n - i - 1);
        if (k == 0) return 0;
        i += 1 + k;
    }
    if (i < n && (p[i] == 'e' || p[i] == 'E')) {
        i++;
        if (i < n && (p[i] == '+' || p[i] == '-')) i++;
        k = digits(p + i, n - i);
        if (k == 0) return 0;
        i += k;
    }
    return i;
}

static size_t quoted(const char *p, size_t n)
{
    if (n == 0 || p[0] != '"') return 0;
    for (size_t i = 1; i < n; i++) {
        if (p[i] == '"') return i + 1;
        if ((unsigned char)p[i] < 0x20) return 0;
        if (p[i] != '\\') continue;
        if (++i >= n || !p[i] || !strchr("\"\\/bfnrtu", p[i])) return 0;
        if (p[i] != 'u') continue;
        for (int k = 0; k < 4; k++)
            if (++i >= n || !p[i] || !strchr("0123456789abcdefABCDEF", p[i])) return 0;
    }
    return 0;
}

static size_t list(const char *p, size_t n, int depth, char close)
{
    size_t i = 1, k;
    if (depth == 0) return 0;
    i += spaces(p + i, n - i);
    if (i < n && p[i] == close) return i + 1;
    for (;;) {
        i += spaces(p + i, n - i);
        if (close == '}') {
            if ((k = quoted(p + i, n - i)) == 0) return 0;
            i += k;
            i += spaces(p + i, n - i);
            if (i >= n || p[i++] != ':') return 0;
        }
        if ((k = grammar(p + i, n - i, depth - 1)) == 0) return 0;
        i += k;
        if (i < n && p[i] == close) return i + 1;
        if (i >= n || p[i++] != ',') return 0;
    }
}

static size_t grammar(const char *p, size_t n, int depth)
{
    size_t i = spaces(p, n), k;
    if (i >= n) return 0;
    const char *at = p + i;
    size_t left = n - i;
    if (*at == '{' || *at == '[')
        k = list(at, left, depth, *at == '{' ? '}' : ']');
    else if (*at == '"')
        k = quoted(at, left);
    else if (left >= 4 && (memcmp(at, "true", 4) == 0 || memcmp(at, "null", 4) == 0))
        k = 4;
    else if (left >= 5 && memcmp(at, "false", 5) == 0)
        k = 5;
    else
        k = number(at, left);
    if (k == 0) return 0;
    i += k;
    return i + spaces(p + i, n - i);
}

static void damage(lethe_rng *r, char *text, size_t *n)
{
    static const char bytes[] = "{}[],:\"\\ \n\t\v\f09-+.eEtfnu/*'dD8\x80\xC3\xFF\x01";
    for (unsigned k = 1 + below(r, 3); k > 0 && *n > 0; k--) {
        size_t at = below(r, (unsigned)*n);
        switch (below(r, 3)) {
        case 0:
            text[at] = bytes[below(r, sizeof bytes)];
            break; // NUL among them
        case 1:
            memmove(text + at, text + at + 1, *n - at - 1);
            --*n;
            break;
        default:
            *n = at;
            break;
        }
    }
}

static void damaged_lines_are_judged_by_the_grammar(void **state)
{
    (void)state;
    size_t n_good = 0, n_bad = 0;
    const char *name = "a";
    lethe_json_picker *p = lethe_json_picker_new(&name, 1);
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        lethe_rng r = stream(seed + 2000000);
        lethe_json_doc *doc = lethe_json_doc_new(), *again = NULL;
        lethe_json *v = lethe_json_object(doc), *back;
        lethe_json_set(doc, v, "x", random_tree(&r, doc, 3));
        lethe_json_set(doc, v, "a", random_tree(&r, doc, 3));
        size_t n;
        char *text = lethe_json_write(v, 0, &n);
        damage(&r, text, &n);
        char *exact = malloc(n ? n : 1); // a step past the end is seen
        memcpy(exact, text, n);
        lethe_str line = {exact, n}, f;
        const char *cause;
        assert_int_equal(lethe_json_pick(p, line, &f, &cause), LETHE_OK);
        size_t begin = spaces(exact, n);
        bool good = n > 0 && grammar(exact, n, 64) == n && exact[begin] == '{';
        if (good == (cause != NULL))
            fail_msg("seed %lu: %s: %.*s", (unsigned long)seed, cause ? cause : "taken", (int)n,
                     exact);
        bool read = lethe_json_parse(NULL, "f", line, &again, &back) == LETHE_OK;
        if (read && grammar(exact, n, 64) != n)
            fail_msg("seed %lu: read: %.*s", (unsigned long)seed, (int)n, exact);
        n_good += good;
        n_bad += !good;
        if (read) lethe_json_doc_free(again);
        free(exact);
        lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
    lethe_json_picker_free(p);
    assert_true(n_good > ROUNDS / 50 && n_bad > ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_survive_writing_and_reading),
        cmocka_unit_test(fields_are_those_of_the_tree),
        cmocka_unit_test(damaged_lines_are_judged_by_the_grammar),
    };
    return cmocka_run_group_tests_name("prop_json", tests, NULL, NULL);
}
