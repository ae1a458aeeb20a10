/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - HTML, and the SVG in it, written so that nothing unescaped gets out.
 *
 * There is no way to write a byte of markup but by element and attribute names, which are literals
 * of ours; all else is text.  Texts may be anybody's: markup in them is escaped, and what is not
 * UTF-8, no character of XML, a control character, or turns the direction of what follows, becomes
 * U+FFFD. What is written is well-formed as XML too: every element is closed, every attribute
 * quoted.
 *
 * Lack of memory is remembered, so that a long row of calls is checked once at its end. */
#ifndef LETHE_RELEASE_PAGE_HTML_H
#define LETHE_RELEASE_PAGE_HTML_H
#include "core/mem.h"

enum { LETHE_HTML_DEPTH = 32 };

typedef struct lethe_html {
    lethe_buf *out;
    lethe_err err;
    const char *open[LETHE_HTML_DEPTH]; /* elements that are not closed, outermost first */
    unsigned depth;
    bool in_tag; /* attributes may follow */
} lethe_html;

/* Writes behind what `out` holds. */
void lethe_html_init(lethe_html *h, lethe_buf *out);
/* LETHE_OK or LETHE_ENOMEM.  All elements must be closed. */
LETHE_MUST_CHECK lethe_err lethe_html_finish(const lethe_html *h);

void lethe_html_doctype(lethe_html *h);
/* Names are literals of lower-case letters, digits and '-' (of SVG, 'viewBox' and the like). */
void lethe_html_begin(lethe_html *h, const char *name);
void lethe_html_end(lethe_html *h); /* of the innermost element that is open */
/* Right after begin.  Not for what could run or load: `on...`, `style`, `src`; and an `href` leads
 * to a place of the page itself, or to a release of a study beside it. */
void lethe_html_attr(lethe_html *h, const char *name, const char *value);
LETHE_PRINTF(3, 4)
void lethe_html_attr_format(lethe_html *h, const char *name, const char *fmt, ...);

void lethe_html_text(lethe_html *h, lethe_str text);
void lethe_html_words(lethe_html *h, const char *text);
LETHE_PRINTF(2, 3) void lethe_html_format(lethe_html *h, const char *fmt, ...);
/* At most `max` > 0 characters of it, and an ellipsis where it was cut. */
void lethe_html_cut(lethe_html *h, lethe_str text, size_t max);

/* <name>text</name>, with a class or (NULL) without. */
void lethe_html_leaf(lethe_html *h, const char *name, const char *class_name, const char *text);
/* A style sheet: literals of ours that hold neither '<' nor '&'; ends with NULL. */
void lethe_html_style(lethe_html *h, const char *const *css);

#endif
