/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a normalised text into words by a table of ASCII and, beyond it, Unicode's categories. */
#include "text/words.h"
#include "text/pii/pii.h"
#include "text/utf8.h"
#include "core/sort.h"
#include <stdlib.h>
#include <utf8proc.h>

/* What a byte is to a word: part of one, between two parts, perhaps the beginning of a mask, or a
 * byte of a character that has several. */
enum { WORD = 1, JOIN, MASK, WIDE };

/* clang-format off */
static const uint8_t ascii[128] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, JOIN, JOIN, 0, 0, 0, 0, 0, JOIN, JOIN, 0,
    WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, 0, 0, 0, 0, 0, 0,
    0, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD,
    WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, MASK, 0, 0, 0, JOIN,
    0, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD,
    WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, 0, 0, 0, 0, 0,
};
/* clang-format on */

static uint8_t kind_of(char c) { return (uint8_t)c < 0x80 ? ascii[(uint8_t)c] : WIDE; }

#define QUOTE "\xE2\x80\x99" /* U+2019, the apostrophe that word processors make */

/* All beyond ASCII but punctuation and spaces: what says something must not go for a sign between
 * words, and that a code point is a letter is not known of those assigned after this Unicode. */
static bool is_word_cp(uint32_t cp)
{
    if (cp == 0xFFFD) return false; // stands for bytes that were broken
    switch (utf8proc_category((utf8proc_int32_t)cp)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return false;
    default:
        return true;
    }
}

/* Length of the character at `p`, of more than one byte; *word: whether it is part of a word. */
static size_t wide_at(const char *p, const char *end, bool *word)
{
    uint32_t cp;
    bool ok;
    size_t n = lethe_utf8_step((const uint8_t *)p, (const uint8_t *)end, &cp, &ok);
    *word = ok && is_word_cp(cp);
    return n;
}

/* Length of the character of a word at `p`; 0: there is none. */
static size_t word_char_at(const char *p, const char *end)
{
    if (p == end) return 0;
    uint8_t kind = kind_of(*p);
    if (kind != WIDE) return kind == WORD;
    bool word;
    size_t n = wide_at(p, end, &word);
    return word ? n : 0;
}

static size_t joiner_at(const char *p, const char *end)
{
    if (p == end) return 0;
    if (kind_of(*p) == JOIN) return 1;
    size_t n = sizeof QUOTE - 1;
    return (size_t)(end - p) >= n && memcmp(p, QUOTE, n) == 0 ? n : 0;
}

/* Where the word ends that has its first character before `p`. */
static const char *word_end(const char *p, const char *end)
{
    for (;;) {
        while (p < end && kind_of(*p) == WORD)
            p++;
        size_t n = word_char_at(p, end);
        if (n == 0) {
            size_t joiner = joiner_at(p, end);
            n = joiner > 0 ? word_char_at(p + joiner, end) : 0;
            if (n == 0) return p;
            p += joiner;
        }
        p += n;
    }
}

lethe_words lethe_words_of(lethe_str normal)
{
    if (normal.n == 0) return (lethe_words){"", ""};
    return (lethe_words){normal.at, normal.at + normal.n};
}

static bool take(lethe_words *w, const char *from, const char *to, bool mask, lethe_word *out)
{
    *out = (lethe_word){.text = {from, (size_t)(to - from)}, .mask = mask};
    w->at = to;
    return true;
}

bool lethe_words_next(lethe_words *w, lethe_word *out)
{
    const char *p = w->at, *end = w->end;
    while (p < end) {
        uint8_t kind = kind_of(*p);
        size_t n = 1;
        bool word = kind == WORD;
        if (kind == WIDE) n = wide_at(p, end, &word);
        if (word) return take(w, p, word_end(p + n, end), false, out);
        if (kind == MASK) {
            size_t mask = lethe_pii_mask_at((lethe_str){p, (size_t)(end - p)}, 0);
            if (mask > 0) return take(w, p, p + mask, true, out);
        }
        p += n;
    }
    w->at = end;
    return false;
}

uint32_t lethe_words_count(lethe_str normal)
{
    lethe_words w = lethe_words_of(normal);
    lethe_word word;
    uint32_t n = 0;
    while (lethe_words_next(&w, &word))
        n++;
    return n;
}

void lethe_words_sort(lethe_str *at, size_t n)
{
    enum { FEW = 16 }; /* what nearly every query has */
    if (n > FEW) {
        qsort(at, n, sizeof *at, lethe_strs_cmp);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        lethe_str x = at[i];
        size_t j = i;
        for (; j > 0 && lethe_str_cmp(at[j - 1], x) > 0; j--)
            at[j] = at[j - 1];
        at[j] = x;
    }
}
