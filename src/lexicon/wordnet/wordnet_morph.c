/* SPDX-License-Identifier: Apache-2.0 */
/* How words as people write them become nouns: noun.exc, and the rules of detachment of
 * morphy(7WN). */
#define XXH_INLINE_ALL
#include "lexicon/wordnet/wordnet_internal.h"
#include "io/read/fields.h"
#include <xxhash.h>

/* --- the tables --- */

lethe_err lethe_wn_table_new(size_t n, lethe_wn_table *out)
{
    unsigned bits = 4;
    while ((size_t)1 << bits < 2 * n)
        bits++;
    uint64_t *slots = lethe_alloc_zero((size_t)1 << bits, sizeof *slots);
    if (!slots) return LETHE_ENOMEM;
    *out = (lethe_wn_table){slots, bits};
    return LETHE_OK;
}

uint32_t lethe_wn_tag(const lethe_wordnet *wn, lethe_str word)
{
    return (uint32_t)(XXH3_64bits_withSeed(word.at, word.n, wn->seed) >> 32);
}

static size_t home_of(const lethe_wn_table *t, uint32_t tag) { return tag >> (32 - t->bits); }

void lethe_wn_table_put(lethe_wn_table *t, uint32_t tag, uint32_t number)
{
    size_t mask = ((size_t)1 << t->bits) - 1, i = home_of(t, tag);
    while (t->slots[i])
        i = (i + 1) & mask;
    t->slots[i] = (uint64_t)tag << 32 | (number + 1);
}

static uint32_t table_find(const lethe_wn_table *t, const char *text, const uint32_t *at,
                           lethe_str word, uint32_t tag)
{
    size_t mask = ((size_t)1 << t->bits) - 1, i = home_of(t, tag);
    for (uint64_t slot; (slot = t->slots[i]) != 0; i = (i + 1) & mask) {
        uint32_t number = (uint32_t)slot - 1;
        if (slot >> 32 == tag && lethe_str_eq(lethe_wn_text(text, at, number), word)) return number;
    }
    return LETHE_NONE;
}

uint32_t lethe_wn_find(const lethe_wordnet *wn, lethe_str word, uint32_t tag)
{
    return table_find(&wn->table, wn->text, wn->word_at, word, tag);
}

uint32_t lethe_wordnet_find(const lethe_wordnet *wn, lethe_str word)
{
    if (word.n > LETHE_WN_WORD_MAX) return LETHE_NONE;
    return lethe_wn_find(wn, word, lethe_wn_tag(wn, word));
}

/* --- the exception list --- */

static uint32_t exception_find(const lethe_wordnet *wn, lethe_str word, uint32_t tag)
{
    return table_find(&wn->exception_table, wn->exception_text, wn->exception_at, word, tag);
}

/* `word base...`: kept if one of the bases is a noun, the first of them being what it is reduced
 * to.  A word that stands on two lines has the bases of both. */
static bool exception_line(lethe_wordnet *wn, lethe_wn_line *l)
{
    lethe_str word, base;
    uint32_t noun = LETHE_NONE;
    if (!lethe_wn_word(l, true, &word)) return false;
    do {
        if (!lethe_wn_word(l, true, &base)) return false;
        if (noun == LETHE_NONE) noun = lethe_wordnet_find(wn, base);
    } while (l->p < l->end);
    if (l->end[-1] == ' ') return lethe_wn_wrong(l, "a space at the end of the line");
    uint32_t tag = lethe_wn_tag(wn, word), n = wn->n_exceptions;
    if (noun == LETHE_NONE || exception_find(wn, word, tag) != LETHE_NONE) return true;
    memcpy(wn->exception_text + wn->exception_at[n], word.at, word.n);
    wn->exception_at[n + 1] = wn->exception_at[n] + (uint32_t)word.n;
    wn->exception_noun[n] = noun;
    lethe_wn_table_put(&wn->exception_table, tag, n);
    wn->n_exceptions = n + 1;
    return true;
}

lethe_err lethe_wn_exceptions(lethe_diag *d, const lethe_wn_file *file, lethe_wordnet *wn)
{
    const char *p = file->text.at, *end = p + file->text.n;
    size_t most = (size_t)lethe_count_lines(file->text) + 1; // each gives one at most
    wn->exception_text = lethe_alloc(file->text.n, 1);
    wn->exception_at = lethe_alloc(most + 1, sizeof *wn->exception_at);
    wn->exception_noun = lethe_alloc(most, sizeof *wn->exception_noun);
    if (!wn->exception_text || !wn->exception_at || !wn->exception_noun) return LETHE_ENOMEM;
    LETHE_TRY(lethe_wn_table_new(most, &wn->exception_table));
    wn->exception_at[0] = 0;
    while (p < end) {
        lethe_wn_line l;
        if (!lethe_wn_line_at(&l, p, end) || !exception_line(wn, &l))
            return lethe_wn_fault(d, file, &l);
        p = l.end + 1;
    }
    return LETHE_OK;
}

/* --- reduction --- */

typedef struct detachment {
    lethe_str suffix, ending;
} detachment;

/* No rule takes more than two letters away. */
enum { FORM_MAX = LETHE_WN_WORD_MAX + 2 };

/* In the order of morphy(7WN), which is the order in which they are tried. */
static const detachment rules[] = {
    {{"s", 1}, {"", 0}},      {{"ses", 3}, {"s", 1}},   {{"xes", 3}, {"x", 1}},
    {{"zes", 3}, {"z", 1}},   {{"ches", 4}, {"ch", 2}}, {{"shes", 4}, {"sh", 2}},
    {{"men", 3}, {"man", 3}}, {{"ies", 3}, {"y", 1}},
};

static bool ends_with(lethe_str s, lethe_str end)
{
    return s.n >= end.n && memcmp(s.at + s.n - end.n, end.at, end.n) == 0;
}

/* The noun that is left of `stem` by one of the rules; with `tail` behind it, if there is one, and
 * then both must be nouns (boxes, box, boxful). */
static uint32_t detach(const lethe_wordnet *wn, lethe_str stem, lethe_str tail)
{
    char buf[FORM_MAX];
    char last = stem.n > 0 ? stem.at[stem.n - 1] : '\0';
    if (last != 's' && last != 'n') return LETHE_NONE; // no rule ends in anything else
    for (size_t i = 0; i < LETHE_COUNT(rules); i++) {
        lethe_str suffix = rules[i].suffix, ending = rules[i].ending;
        if (!ends_with(stem, suffix)) continue;
        size_t kept = stem.n - suffix.n, n = kept + ending.n;
        memcpy(buf, stem.at, kept);
        memcpy(buf + kept, ending.at, ending.n);
        uint32_t noun = lethe_wordnet_find(wn, (lethe_str){buf, n});
        if (noun != LETHE_NONE && tail.n) {
            memcpy(buf + n, tail.at, tail.n);
            noun = lethe_wordnet_find(wn, (lethe_str){buf, n + tail.n});
        }
        if (noun != LETHE_NONE) return noun;
    }
    return LETHE_NONE;
}

static uint32_t reduce(const lethe_wordnet *wn, lethe_str word)
{
    const lethe_str ful = LETHE_LIT("ful");
    uint32_t tag = lethe_wn_tag(wn, word), found = exception_find(wn, word, tag);
    if (found != LETHE_NONE) return wn->exception_noun[found];
    found = lethe_wn_find(wn, word, tag);
    if (found != LETHE_NONE) return found;
    if (ends_with(word, ful)) return detach(wn, (lethe_str){word.at, word.n - ful.n}, ful);
    if (word.n <= 2 || ends_with(word, LETHE_LIT("ss"))) return LETHE_NONE;
    return detach(wn, word, LETHE_LIT(""));
}

uint32_t lethe_wordnet_reduce(const lethe_wordnet *wn, lethe_str word)
{
    char buf[FORM_MAX];
    if (word.n == 0 || word.n > FORM_MAX) return LETHE_NONE;
    if (!memchr(word.at, ' ', word.n)) return reduce(wn, word);
    for (size_t i = 0; i < word.n; i++)
        buf[i] = word.at[i] == ' ' ? '_' : word.at[i];
    return reduce(wn, (lethe_str){buf, word.n});
}
