/* SPDX-License-Identifier: Apache-2.0 */
/* The owner's own list: phrases found as rows of whole words.
 *
 * A word is a run of letters, marks and digits; everything else separates words, so that "o'brien"
 * is two, "o brien" the same two, and "smith" is found in "smith's" and "john.smith@".  Words
 * become numbers, phrases paths in a tree of numbers; its edges are a table keyed by (node, word).
 * A text's word that begins no phrase is mostly refused by one bit, found by its first bytes and
 * its length. */
#include "text/pii/pii_internal.h"
#include "core/dict.h"
#include "io/read/blocks.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include <utf8proc.h>

enum {
    LINE_MAX_BYTES = 64 << 10,
    WORDS_MAX = 32, /* of a phrase: bounds what a text may cost */
    BLOCK_BYTES = 1 << 20,
    FILTER_MIN = 1 << 13, /* bits */
    FILTER_MAX = 1 << 23,
};

typedef struct edge {
    uint64_t key; /* (node, word) + 1; 0: free */
    uint32_t node;
} edge;

struct lethe_phrases {
    lethe_dict *words;
    edge *edges; /* open addressing, a power of two, at most half full */
    size_t n_edges, cap_edges;
    bool *ends; /* of each node: does a phrase end there?  Node 0 is the root. */
    uint32_t n_nodes, cap_nodes;
    uint64_t *filter; /* of first words */
    unsigned filter_shift;
    size_t count;
    size_t longest; /* bytes of a word */
};

/* --- words --- */

/* Bytes of the letter, mark or digit at `i`; 0: none. */
static size_t word_sign(lethe_str s, size_t i)
{
    if (i >= s.n) return 0;
    if ((signed char)s.at[i] >= 0) return lethe_pii_alnum(s.at[i]);
    uint32_t cp;
    bool ok;
    const uint8_t *p = (const uint8_t *)s.at;
    size_t n = lethe_utf8_step(p + i, p + s.n, &cp, &ok);
    if (!ok) return 0;
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_NO ? n : 0;
}

#define DIGITS(x)                                                                                  \
    ['0'] = (x), ['1'] = (x), ['2'] = (x), ['3'] = (x), ['4'] = (x), ['5'] = (x), ['6'] = (x),     \
    ['7'] = (x), ['8'] = (x), ['9'] = (x)
/* ASCII of words, in lower case; other bytes are looked at more closely. */
static const bool plain[256] = {
    DIGITS(true), ['a'] = true, ['b'] = true, ['c'] = true, ['d'] = true, ['e'] = true,
    ['f'] = true, ['g'] = true, ['h'] = true, ['i'] = true, ['j'] = true, ['k'] = true,
    ['l'] = true, ['m'] = true, ['n'] = true, ['o'] = true, ['p'] = true, ['q'] = true,
    ['r'] = true, ['s'] = true, ['t'] = true, ['u'] = true, ['v'] = true, ['w'] = true,
    ['x'] = true, ['y'] = true, ['z'] = true,
};

/* The end of the word at `i`, or a place in it at least `max` bytes on. */
static size_t word_end(lethe_str s, size_t i, size_t max)
{
    size_t stop = s.n - i > max ? i + max : s.n;
    while (i < stop) {
        while (i < stop && plain[(uint8_t)s.at[i]])
            i++;
        size_t n = i < stop ? word_sign(s, i) : 0;
        if (n == 0) break;
        i += n;
    }
    return i;
}

/* Where the next word begins, at `i` or after it; `stop` or more: not before that, or there is
 * none.  *mask: a mask comes first, and it is where that ends. */
static size_t word_start(lethe_str s, size_t i, size_t stop, bool *mask)
{
    *mask = false;
    while (i < stop && !plain[(uint8_t)s.at[i]] && word_sign(s, i) == 0) {
        size_t n = s.at[i] == '[' ? lethe_pii_mask_at(s, i) : 0;
        *mask = n > 0;
        if (*mask) return i + n;
        i++;
    }
    return i;
}

/* The next word at *i or after it, *i becoming its end; false: the text ends, or a mask or a word
 * of more than `max` bytes comes first. */
static bool next_word(lethe_str s, size_t *i, size_t max, lethe_str *word)
{
    bool mask;
    size_t from = word_start(s, *i, s.n, &mask);
    if (mask || from >= s.n) return false;
    *i = word_end(s, from, max + 1);
    *word = (lethe_str){s.at + from, *i - from};
    return word->n <= max;
}

/* --- the filter --- */

static uint64_t word_mix(lethe_str w)
{
    uint64_t x = 0;
    uint32_t a, b;
    if (w.n >= 8) {
        memcpy(&x, w.at, 8);
    } else if (w.n >= 4) {
        memcpy(&a, w.at, 4);
        memcpy(&b, w.at + w.n - 4, 4);
        x = (uint64_t)b << 32 | a;
    } else {
        for (size_t k = 0; k < w.n; k++)
            x = x << 8 | (uint8_t)w.at[k];
    }
    return (x ^ (uint64_t)w.n * 0xD6E8FEB86659FD93u) * 0x9E3779B97F4A7C15u;
}

static void filter_add(lethe_phrases *p, lethe_str w)
{
    uint64_t bit = word_mix(w) >> p->filter_shift;
    p->filter[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool filter_has(const lethe_phrases *p, lethe_str w)
{
    uint64_t bit = word_mix(w) >> p->filter_shift;
    return p->filter[bit / 64] >> bit % 64 & 1;
}

/* --- the tree --- */

static size_t edge_place(const lethe_phrases *p, uint64_t key)
{
    size_t mask = p->cap_edges - 1;
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    size_t k = (size_t)(h ^ h >> 32) & mask;
    while (p->edges[k].key != 0 && p->edges[k].key != key)
        k = (k + 1) & mask;
    return k;
}

static uint64_t edge_key(uint32_t node, uint32_t word) { return ((uint64_t)node << 32 | word) + 1; }

/* The node behind `node` by `word`; 0: none. */
static uint32_t child(const lethe_phrases *p, uint32_t node, uint32_t word)
{
    return p->edges[edge_place(p, edge_key(node, word))].node;
}

static lethe_err grow_edges(lethe_phrases *p)
{
    lethe_phrases old = *p;
    size_t cap = old.cap_edges ? old.cap_edges * 2 : 1024;
    edge *edges = lethe_alloc_zero(cap, sizeof *edges);
    if (!edges) return LETHE_ENOMEM;
    p->edges = edges;
    p->cap_edges = cap;
    for (size_t k = 0; k < old.cap_edges; k++)
        if (old.edges[k].key) edges[edge_place(p, old.edges[k].key)] = old.edges[k];
    lethe_free(old.edges);
    return LETHE_OK;
}

static lethe_err new_node(lethe_phrases *p, uint32_t *out)
{
    if (p->n_nodes == p->cap_nodes) {
        uint32_t cap = p->cap_nodes ? p->cap_nodes * 2 : 1024;
        bool *more = p->n_nodes < UINT32_MAX / 2 ? lethe_realloc(p->ends, cap, sizeof *more) : NULL;
        if (!more) return LETHE_ENOMEM;
        p->ends = more;
        p->cap_nodes = cap;
    }
    p->ends[p->n_nodes] = false;
    *out = p->n_nodes++;
    return LETHE_OK;
}

static lethe_err add_child(lethe_phrases *p, uint32_t node, uint32_t word, uint32_t *out)
{
    if (p->n_edges * 2 >= p->cap_edges) LETHE_TRY(grow_edges(p));
    edge *e = &p->edges[edge_place(p, edge_key(node, word))];
    if (e->key == 0) {
        uint32_t made;
        LETHE_TRY(new_node(p, &made));
        *e = (edge){edge_key(node, word), made};
        p->n_edges++;
    }
    *out = e->node;
    return LETHE_OK;
}

/* --- reading --- */

/* Where a line is, for messages. */
typedef struct place {
    lethe_diag *d;
    const char *file;
    uint64_t line;
} place;

static lethe_err refuse(const place *at, const char *why)
{
    return lethe_fail_at(at->d, LETHE_EINPUT, at->file, at->line, 0, "%s", why);
}

/* A phrase, normalised. */
static lethe_err add_phrase(lethe_phrases *p, const place *at, lethe_str s)
{
    uint32_t node = 0;
    unsigned words = 0;
    lethe_str w;
    size_t i = 0;
    for (; next_word(s, &i, s.n, &w); words++) {
        uint32_t id;
        if (words == WORDS_MAX) return refuse(at, "a phrase of more than 32 words");
        if (lethe_dict_add(p->words, w, &id) != LETHE_OK ||
            add_child(p, node, id, &node) != LETHE_OK)
            return lethe_no_memory(at->d);
        p->longest = LETHE_MAX(p->longest, w.n);
    }
    bool mask;
    word_start(s, i, s.n, &mask);
    if (mask) return refuse(at, "a phrase with a mask in it");
    if (words == 0) return refuse(at, "a phrase without a word");
    p->count += !p->ends[node];
    p->ends[node] = true;
    return LETHE_OK;
}

static lethe_err add_line(lethe_phrases *p, const place *at, lethe_str line, lethe_buf *buf)
{
    bool invalid;
    lethe_str s;
    if (line.n > 0 && line.at[line.n - 1] == '\r') line.n--;
    if (line.n > LINE_MAX_BYTES) return refuse(at, "a line of more than 64 KiB");
    if (line.n == 0 || line.at[0] == '#') return LETHE_OK;
    if (memchr(line.at, '\0', line.n)) return refuse(at, "a NUL byte");
    if (!lethe_utf8_valid(line)) return refuse(at, "not UTF-8");
    if (lethe_normalize(line, buf, &s, &invalid) != LETHE_OK) return lethe_no_memory(at->d);
    return s.n == 0 ? LETHE_OK : add_phrase(p, at, s);
}

static lethe_err add_block(lethe_phrases *p, place *at, const lethe_block *block, lethe_buf *buf)
{
    const char *s = block->text.at, *end = s + block->text.n;
    at->line = block->first_line;
    if (block->too_long) return refuse(at, "a line of more than 64 KiB");
    for (; s < end; at->line++) {
        const char *lf = memchr(s, '\n', (size_t)(end - s)), *stop = lf ? lf : end;
        LETHE_TRY(add_line(p, at, (lethe_str){s, (size_t)(stop - s)}, buf));
        s = stop + 1;
    }
    return LETHE_OK;
}

/* The first words' bits, once they are all known. */
static lethe_err make_filter(lethe_phrases *p)
{
    size_t bits = FILTER_MIN, first = 0;
    uint32_t n = lethe_dict_count(p->words);
    for (uint32_t k = 0; k < n; k++)
        first += child(p, 0, k) != 0;
    p->filter_shift = 64 - 13;
    while (bits < first * 16 && bits < FILTER_MAX) {
        bits *= 2;
        p->filter_shift--;
    }
    p->filter = lethe_alloc_zero(bits / 64, sizeof *p->filter);
    if (!p->filter) return LETHE_ENOMEM;
    for (uint32_t k = 0; k < n; k++)
        if (child(p, 0, k) != 0) filter_add(p, lethe_dict_at(p->words, k));
    return LETHE_OK;
}

static lethe_err read_all(lethe_phrases *p, lethe_diag *d, lethe_source *source)
{
    lethe_blocks *blocks;
    lethe_block block = {0};
    lethe_buf buf = {0};
    bool more = true;
    LETHE_TRY(lethe_blocks_new(d, source, LETHE_CUT_LINES, '\t', BLOCK_BYTES, &blocks));
    place at = {d, lethe_source_name(lethe_blocks_source(blocks)), 0};
    lethe_err e = LETHE_OK;
    while (e == LETHE_OK && (e = lethe_blocks_next(blocks, &block, &more)) == LETHE_OK && more)
        e = add_block(p, &at, &block, &buf);
    if (e == LETHE_OK && p->count == 0)
        e = lethe_fail_at(d, LETHE_EINPUT, at.file, 0, 0, "the list has no phrase");
    if (e == LETHE_OK && make_filter(p) != LETHE_OK) e = lethe_no_memory(d);
    lethe_buf_free(&buf);
    lethe_block_free(&block);
    lethe_blocks_free(blocks);
    return e;
}

static lethe_err phrases_from(lethe_diag *d, lethe_source *source, lethe_phrases **out)
{
    uint32_t root;
    lethe_phrases *p = lethe_alloc_zero(1, sizeof *p);
    if (p) p->words = lethe_dict_new();
    if (!p || !p->words || new_node(p, &root) != LETHE_OK || grow_edges(p) != LETHE_OK) {
        lethe_source_close(source);
        lethe_phrases_free(p);
        return lethe_no_memory(d);
    }
    lethe_err e = read_all(p, d, source);
    if (e == LETHE_OK)
        *out = p;
    else
        lethe_phrases_free(p);
    return e;
}

lethe_err lethe_phrases_read(lethe_diag *d, const char *path, lethe_phrases **out)
{
    lethe_source *source;
    LETHE_TRY(lethe_source_open(d, path, &source));
    return phrases_from(d, source, out);
}

lethe_err lethe_phrases_memory(lethe_diag *d, lethe_str bytes, lethe_phrases **out)
{
    lethe_source *source;
    LETHE_TRY(lethe_source_memory(d, bytes, &source));
    return phrases_from(d, source, out);
}

void lethe_phrases_free(lethe_phrases *p)
{
    if (!p) return;
    lethe_dict_free(p->words);
    lethe_free_all(p->edges, p->ends, p->filter, p);
}

size_t lethe_phrases_count(const lethe_phrases *p) { return p->count; }

/* --- finding --- */

/* The end of the longest phrase whose first word is `w`, which ends at `i`; 0: none. */
static size_t phrase_end(const lethe_phrases *p, lethe_str text, size_t i, lethe_str w)
{
    uint32_t node = 0;
    size_t end = 0;
    do {
        uint32_t id = lethe_dict_find(p->words, w);
        node = id == LETHE_NONE ? 0 : child(p, node, id);
        if (node != 0 && p->ends[node]) end = i;
    } while (node != 0 && next_word(text, &i, p->longest, &w));
    return end;
}

bool lethe_pii_phrase(const lethe_phrases *p, lethe_str text, lethe_pii_cursor *c, size_t limit,
                      lethe_finding *out)
{
    bool mask;
    while (c->at < limit) {
        if (c->inside) {
            c->at = word_end(text, c->at, limit - c->at);
            c->inside = c->at >= limit;
            continue;
        }
        size_t from = word_start(text, c->at, limit, &mask);
        c->at = from;
        if (mask) continue;
        if (from >= limit) break;
        c->at = word_end(text, from, p->longest + 1);
        c->inside = c->at - from > p->longest;
        lethe_str w = {text.at + from, c->at - from};
        size_t end = !c->inside && filter_has(p, w) ? phrase_end(p, text, c->at, w) : 0;
        if (end == 0) continue;
        *out = (lethe_finding){from, end - from, LETHE_PII_LIST};
        return true;
    }
    return false;
}
