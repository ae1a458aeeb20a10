/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a line of WordNet's files, separated by one space.  A file that is cut or altered
 * is noticed here first, so every field is checked, whether it is used or not. */
#include "lexicon/wordnet/wordnet_internal.h"

bool lethe_wn_line_at(lethe_wn_line *l, const char *p, const char *end)
{
    const char *lf = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    *l = (lethe_wn_line){.begin = p, .p = p, .end = lf ? lf : end};
    if (!lf)
        l->cause = "the last line is cut off";
    else if (lf > p && lf[-1] == '\r')
        l->cause = "the line ends with CR LF, not LF";
    return !l->cause;
}

/* Printable ASCII; 2: a capital letter. */
static int char_class(char c) { return c > ' ' && c <= '~' ? 1 + (c >= 'A' && c <= 'Z') : 0; }

bool lethe_wn_word(lethe_wn_line *l, bool lower, lethe_str *out)
{
    const char *p = l->p;
    int worst = 1;
    while (p < l->end && *p != ' ') {
        int class = char_class(*p++);
        if (class == 0) return lethe_wn_wrong(l, "a word is not printable ASCII");
        if (class > worst) worst = class;
    }
    size_t n = (size_t)(p - l->p);
    if (n == 0) return lethe_wn_wrong(l, "a word is missing");
    if (n > LETHE_WN_WORD_MAX) return lethe_wn_wrong(l, "a word is too long");
    if (lower && worst > 1) return lethe_wn_wrong(l, "a word is not in lower case");
    *out = (lethe_str){l->p, n};
    l->p = p + (p < l->end);
    return true;
}

static int digit_of(char c, unsigned base)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (base == 16 && c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

static bool number(lethe_wn_line *l, unsigned base, size_t least, size_t most, uint32_t *out)
{
    const char *p = l->p;
    uint32_t v = 0;
    int digit;
    while (p < l->end && (size_t)(p - l->p) < most && (digit = digit_of(*p, base)) >= 0) {
        v = v * base + (uint32_t)digit;
        p++;
    }
    if ((size_t)(p - l->p) < least || (p < l->end && *p != ' '))
        return lethe_wn_wrong(l, "a number is malformed");
    *out = v;
    l->p = p + (p < l->end);
    return true;
}

bool lethe_wn_count(lethe_wn_line *l, uint32_t *out) { return number(l, 10, 1, 6, out); }
bool lethe_wn_decimal(lethe_wn_line *l, unsigned digits, uint32_t *out)
{
    return number(l, 10, digits, digits, out);
}
bool lethe_wn_hex(lethe_wn_line *l, unsigned digits, uint32_t *out)
{
    return number(l, 16, digits, digits, out);
}

bool lethe_wn_letter(lethe_wn_line *l, const char *any_of, char *out)
{
    if (l->p == l->end || !*l->p || !strchr(any_of, *l->p) || (l->p + 1 < l->end && l->p[1] != ' '))
        return lethe_wn_wrong(l, "the part of speech is malformed");
    *out = *l->p;
    l->p += l->p + 1 < l->end ? 2 : 1;
    return true;
}

lethe_err lethe_wn_fault(lethe_diag *d, const lethe_wn_file *file, const lethe_wn_line *l)
{
    uint64_t line = 1;
    const char *p = file->text.at;
    while (p < l->begin && (p = memchr(p, '\n', (size_t)(l->begin - p)))) {
        p++;
        line++;
    }
    return lethe_fail_at(d, LETHE_EINPUT, file->name, line, (uint32_t)(l->p - l->begin) + 1, "%s",
                         l->cause);
}
