/* SPDX-License-Identifier: Apache-2.0 */
/* json_write.c - a tree as text. */
#include "io/json/json_events.h" /* lethe_utf8_take */
#include "io/json/json_tree.h"
#include "core/parse.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct writer {
    lethe_buf b;
    int indent;
    int depth;
    bool failed;
} writer;

static void put(writer *w, const void *p, size_t n)
{
    if (!w->failed && lethe_buf_put(&w->b, p, n) != LETHE_OK) w->failed = true;
}

static void put_lit(writer *w, const char *s) { put(w, s, strlen(s)); }

static void new_line(writer *w)
{
    static const char spaces[] = "                                ";
    if (w->indent <= 0) return;
    put(w, "\n", 1);
    for (size_t left = (size_t)w->indent * (size_t)w->depth; left > 0;) {
        size_t n = LETHE_MIN(left, sizeof spaces - 1);
        put(w, spaces, n);
        left -= n;
    }
}

/* --- texts --- */

/* The escape of a character that is not written as it is; 0: it is. */
static size_t escape_of(const uint8_t *p, size_t n, char out[8])
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *at = p[0] ? strchr(plain, p[0]) : NULL;
    if (at) {
        out[0] = '\\';
        out[1] = letter[at - plain];
        return 2;
    }
    unsigned c = 0x100;
    if (p[0] < 0x20 || p[0] == 0x7F) c = p[0];
    if (n == 2 && p[0] == 0xC2 && p[1] < 0xA0) c = p[1]; // the second set of controls
    if (n == 3 && p[0] == 0xE2 && p[1] == 0x80 && (p[2] & 0xFE) == 0xA8) c = 0x2000 + (p[2] & 0x3F);
    if (c == 0x100) return 0;
    snprintf(out, 8, "\\u%04x", c);
    return 6;
}

static bool is_plain(uint8_t c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

/* Runs of plain characters go out at once. */
static void put_text(writer *w, lethe_str s)
{
    const uint8_t *p = (const uint8_t *)s.at;
    size_t begin = 0;
    put(w, "\"", 1);
    for (size_t i = 0; i < s.n;) {
        if (is_plain(p[i])) {
            i++;
            continue;
        }
        bool good;
        char escape[8];
        size_t n = lethe_utf8_take(p + i, s.n - i, &good);
        size_t n_escape = good ? escape_of(p + i, n, escape) : 0;
        if (!good || n_escape) {
            put(w, s.at + begin, i - begin);
            put(w, good ? escape : "\xEF\xBF\xBD", good ? n_escape : 3);
            begin = i + n;
        }
        i += n;
    }
    if (s.n > begin) put(w, s.at + begin, s.n - begin);
    put(w, "\"", 1);
}

/* --- numbers --- */

/* 15 digits always survive the way through a double, 17 always bring it back; where 15 do not, 16
 * may. Only below DBL_MIN can fewer than 15 do that %.15g would not find by itself. */
static void put_real(writer *w, double x)
{
    char s[40];
    for (int digits = fabs(x) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        double back;
        snprintf(s, sizeof s, "%.*g", digits, x);
        char *point = s + strspn(s, "-0123456789"); // another locale's printf has another point
        if (*point && *point != 'e') *point = '.';
        if (lethe_parse_real(lethe_str_of(s), &back) && back == x) break;
    }
    put_lit(w, s);
    if (!strpbrk(s, ".e")) put_lit(w, ".0"); // so that it reads back as a real
}

static void put_int(writer *w, int64_t i)
{
    char s[24];
    snprintf(s, sizeof s, "%lld", (long long)i);
    put_lit(w, s);
}

/* --- the tree --- */

static void put_value(writer *w, const lethe_json *v);

static void put_list(writer *w, const lethe_json *v)
{
    bool object = v->type == LETHE_JSON_OBJECT;
    put_lit(w, object ? "{" : "[");
    w->depth++;
    for (size_t i = 0; i < v->list.n && !w->failed; i++) {
        if (i > 0) put_lit(w, ",");
        new_line(w);
        if (object) {
            put_text(w, v->list.at[i].name);
            put_lit(w, w->indent > 0 ? ": " : ":");
        }
        put_value(w, v->list.at[i].value);
    }
    w->depth--;
    if (v->list.n > 0) new_line(w);
    put_lit(w, object ? "}" : "]");
}

static void put_value(writer *w, const lethe_json *v)
{
    switch (lethe_json_kind(v)) {
    case LETHE_JSON_NULL:
        put_lit(w, "null");
        break;
    case LETHE_JSON_BOOL:
        put_lit(w, v->b ? "true" : "false");
        break;
    case LETHE_JSON_INT:
        put_int(w, v->i);
        break;
    case LETHE_JSON_REAL:
        put_real(w, v->x);
        break;
    case LETHE_JSON_TEXT:
        put_text(w, v->text);
        break;
    case LETHE_JSON_ARRAY:
    case LETHE_JSON_OBJECT:
        put_list(w, v);
        break;
    }
}

char *lethe_json_write(const lethe_json *v, int indent, size_t *n)
{
    writer w = {.indent = indent};
    put_value(&w, v);
    put(&w, "", 1);
    if (w.failed) {
        lethe_buf_free(&w.b);
        return NULL;
    }
    if (n) *n = w.b.n - 1;
    return (char *)w.b.at;
}

void lethe_json_text_free(char *text) { lethe_free(text); }
