/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - well-formed HTML: elements nest, texts are escaped, and the first failure is kept. */
#include "release/page/html.h"
#include "text/utf8.h"
#include <stdarg.h>
#include <stdio.h>

static void put(lethe_html *h, const void *p, size_t n)
{
    if (h->err == LETHE_OK) h->err = lethe_buf_put(h->out, p, n);
}

static void put_words(lethe_html *h, const char *s) { put(h, s, strlen(s)); }

static bool is_any(const char *name, const char *const *of, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, of[i]) == 0) return true;
    return false;
}

/* Elements without content: closed in their own tag. */
static bool is_void(const char *name)
{
    static const char *const names[] = {"meta", "br",   "hr",     "rect",
                                        "line", "path", "circle", "polyline"};
    return is_any(name, names, LETHE_COUNT(names));
}

static bool is_name(const char *name)
{
    if (!name[0]) return false;
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-'))
            return false;
    return true;
}

void lethe_html_init(lethe_html *h, lethe_buf *out) { *h = (lethe_html){.out = out}; }

lethe_err lethe_html_finish(const lethe_html *h)
{
    assert(h->depth == 0);
    return h->err;
}

static void close_tag(lethe_html *h)
{
    if (!h->in_tag) return;
    h->in_tag = false;
    put(h, ">", 1);
}

void lethe_html_doctype(lethe_html *h)
{
    assert(h->depth == 0);
    put_words(h, "<!DOCTYPE html>");
}

void lethe_html_begin(lethe_html *h, const char *name)
{
    assert(is_name(name) && h->depth < LETHE_HTML_DEPTH);
    assert(h->depth == 0 || !is_void(h->open[h->depth - 1]));
    assert(strcmp(name, "script") != 0);
    close_tag(h);
    // other elements begin a line of the file, so that people can read it
    static const char *const inside[] = {"a",    "b",  "bdi", "code", "em", "span", "strong",
                                         "abbr", "dd", "td",  "th",   "br", "small"};
    if (!is_any(name, inside, LETHE_COUNT(inside))) put(h, "\n", 1);
    put(h, "<", 1);
    put_words(h, name);
    h->open[h->depth++] = name;
    h->in_tag = true;
}

void lethe_html_end(lethe_html *h)
{
    assert(h->depth > 0);
    const char *name = h->open[--h->depth];
    if (is_void(name)) {
        h->in_tag = false;
        put_words(h, " />");
        return;
    }
    close_tag(h);
    put_words(h, "</");
    put_words(h, name);
    put(h, ">", 1);
}

/* --- text --- */

/* What no page of ours shows as it is.  U+202A to U+202E and U+2066 to U+2069 would turn round what
 * stands behind them; the rest is forbidden by HTML or XML. */
static bool is_hidden(uint32_t cp)
{
    if (cp < 0x20) return cp != '\n' && cp != '\t';
    return (cp >= 0x7F && cp <= 0x9F) || (cp >= 0x202A && cp <= 0x202E) ||
           (cp >= 0x2066 && cp <= 0x2069) || cp == 0x2028 || cp == 0x2029 ||
           (cp >= 0xFDD0 && cp <= 0xFDEF) || (cp & 0xFFFE) == 0xFFFE;
}

/* Up to `max` characters; returns the bytes taken. */
static size_t put_escaped(lethe_html *h, lethe_str text, size_t max)
{
    static const char *const entities[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"};
    const uint8_t *p = (const uint8_t *)text.at, *start = p, *end = text.n ? p + text.n : p;
    for (size_t i = 0; p < end && i < max && h->err == LETHE_OK; i++) {
        uint32_t cp;
        bool ok;
        uint8_t bytes[4];
        p += lethe_utf8_step(p, end, &cp, &ok);
        const char *as = cp < LETHE_COUNT(entities) ? entities[cp] : NULL;
        if (as)
            put_words(h, as);
        else
            put(h, bytes, lethe_utf8_put(is_hidden(cp) ? LETHE_REPLACEMENT : cp, bytes));
    }
    return (size_t)(p - start);
}

void lethe_html_text(lethe_html *h, lethe_str text)
{
    assert(h->depth > 0 && !is_void(h->open[h->depth - 1]));
    close_tag(h);
    put_escaped(h, text, SIZE_MAX);
}

void lethe_html_words(lethe_html *h, const char *text) { lethe_html_text(h, lethe_str_of(text)); }

void lethe_html_cut(lethe_html *h, lethe_str text, size_t max)
{
    close_tag(h);
    size_t n = put_escaped(h, text, max);
    if (n < text.n) put_words(h, "\u2026");
}

/* What the format gives, in memory that the caller frees; NULL: none. */
static char *formatted(lethe_html *h, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = n >= 0 ? lethe_alloc((size_t)n + 1, 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)n + 1, fmt, args);
    else if (h->err == LETHE_OK)
        h->err = LETHE_ENOMEM;
    return text;
}

void lethe_html_format(lethe_html *h, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = formatted(h, fmt, args);
    va_end(args);
    if (text) lethe_html_words(h, text);
    lethe_free(text);
}

/* --- attributes --- */

void lethe_html_attr(lethe_html *h, const char *name, const char *value)
{
    assert(h->in_tag && is_name(name));
    assert(strncmp(name, "on", 2) != 0 && strcmp(name, "style") != 0 && strcmp(name, "src") != 0);
    assert(strcmp(name, "href") != 0 || value[0] == '#' || strncmp(value, "releases/", 9) == 0);
    put(h, " ", 1);
    put_words(h, name);
    put(h, "=\"", 2);
    put_escaped(h, lethe_str_of(value), SIZE_MAX);
    put(h, "\"", 1);
}

void lethe_html_attr_format(lethe_html *h, const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = formatted(h, fmt, args);
    va_end(args);
    if (text) lethe_html_attr(h, name, text);
    lethe_free(text);
}

void lethe_html_leaf(lethe_html *h, const char *name, const char *class_name, const char *text)
{
    lethe_html_begin(h, name);
    if (class_name) lethe_html_attr(h, "class", class_name);
    lethe_html_words(h, text);
    lethe_html_end(h);
}

void lethe_html_style(lethe_html *h, const char *const *css)
{
    lethe_html_begin(h, "style");
    close_tag(h);
    for (; *css; css++) {
        assert(!strpbrk(*css, "<&"));
        put_words(h, *css);
    }
    lethe_html_end(h);
}
