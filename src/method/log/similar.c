/* SPDX-License-Identifier: Apache-2.0 */
/* similar.c - the three indexes of similar.h: results by text, words by set size, and texts by
 * length with their counts of letters and their segments. */
#include "method/log/similar.h"
#include "text/distance.h"
#include "text/utf8.h"
#include "text/words.h"
#include "core/sort.h"
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    MILLION = 1000000,
    N_LETTERS = 32, /* classes of characters that are counted */
    BROKEN = 0x110000,
    EXACT_LENGTHS = 64, /* below: one shelf per length; above: four per octave */
    N_SHELVES = EXACT_LENGTHS + 4 * 26,
    FIRST_CHUNK = 4,
    LAST_CHUNK = 256,
    SEGMENT = 3, /* symbols */
    SEEN_LOG = 16,
};

/* Occurrences of each class of characters; 255 means that or more. */
typedef struct letters {
    uint8_t n[N_LETTERS];
} letters;

/* Texts of one length, or of neighbouring lengths. */
typedef struct shelf {
    letters *letters;
    uint32_t *index; /* ascending */
    size_t n, cap;
} shelf;

/* Numbers of texts, ascending, in chunks that never move. */
typedef struct chunk {
    struct chunk *next;
    uint32_t n, cap;
    uint32_t at[];
} chunk;

/* The texts with a word that have `size` words in all. */
typedef struct posting {
    struct posting *next; /* of the same word, another size */
    uint32_t size;
    chunk *head, *tail;
} posting;

typedef struct word_entry {
    posting *postings;
    uint32_t n_texts;
} word_entry;

typedef struct text_entry {
    uint32_t *words; /* by number, ascending */
    uint32_t n_words;
    uint32_t n_segments;
    uint16_t *segments; /* hashes of the pieces of SEGMENT symbols that it consists of */
} text_entry;

struct lethe_similar {
    uint64_t edit, overlap; /* in millionths */
    double edit_share;
    lethe_dict *texts, *words, *results;
    lethe_arena *arena;
    text_entry *at; /* one per text */
    size_t cap_at;
    word_entry *by_word; /* one per word */
    size_t cap_by_word;
    uint32_t *first_with; /* one per result: the first text that had it */
    size_t cap_first_with;
    uint32_t first_with_words; /* the first text that has any */
    shelf shelves[N_SHELVES];
    lethe_buf scratch;                   /* words of the current text */
    lethe_buf symbols;                   /* its symbols */
    uint64_t seen[(1 << SEEN_LOG) / 64]; /* a bit for each hash of SEGMENT symbols in sequence */
    lethe_distance_scratch distance;
};

/* --- create and clear --- */

static lethe_err open_tables(lethe_similar *s)
{
    s->texts = lethe_dict_new();
    s->words = lethe_dict_new();
    s->results = lethe_dict_new();
    return s->texts && s->words && s->results ? LETHE_OK : LETHE_ENOMEM;
}

static void close_tables(lethe_similar *s)
{
    lethe_dict_free(s->texts);
    lethe_dict_free(s->words);
    lethe_dict_free(s->results);
    s->texts = s->words = s->results = NULL;
}

lethe_similar *lethe_similar_new(double edit, double overlap)
{
    assert(edit >= 0 && edit <= 1 && overlap >= 0 && overlap <= 1);
    lethe_similar *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return NULL;
    s->edit = (uint64_t)(edit * MILLION + 0.5);
    s->overlap = (uint64_t)(overlap * MILLION + 0.5);
    s->edit_share = edit;
    s->first_with_words = LETHE_NONE;
    s->arena = lethe_arena_new();
    if (!s->arena || open_tables(s) != LETHE_OK) {
        lethe_similar_free(s);
        return NULL;
    }
    return s;
}

void lethe_similar_free(lethe_similar *s)
{
    if (!s) return;
    close_tables(s);
    lethe_arena_free(s->arena);
    lethe_buf_free(&s->scratch);
    lethe_buf_free(&s->symbols);
    lethe_distance_scratch_free(&s->distance);
    lethe_free(s);
}

lethe_err lethe_similar_clear(lethe_similar *s)
{
    if (lethe_dict_count(s->texts) == 0) return LETHE_OK;
    close_tables(s);
    lethe_arena_reset(s->arena);
    s->at = NULL;
    s->by_word = NULL;
    s->first_with = NULL;
    s->cap_at = s->cap_by_word = s->cap_first_with = 0;
    s->first_with_words = LETHE_NONE;
    memset(s->shelves, 0, sizeof s->shelves);
    return open_tables(s);
}

/* Grows an array of *cap elements to at least n; NULL: no memory. */
static void *room_for(lethe_arena *a, void *at, size_t *cap, size_t n, size_t size)
{
    if (n <= *cap) return at;
    size_t more = LETHE_MAX(n, 2 * *cap);
    void *moved = lethe_arena_grow(a, at, *cap * size, more * size);
    if (moved) *cap = more;
    return moved;
}

/* --- results --- */

static lethe_err ask_results(lethe_similar *s, const uint64_t *results, size_t n, uint32_t index,
                             uint32_t *best)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t id, before = lethe_dict_count(s->results);
        LETHE_TRY(lethe_dict_add(s->results, (lethe_str){(const char *)&results[i], 8}, &id));
        if (id < before) {
            *best = LETHE_MIN(*best, s->first_with[id]); /* itself, if it has a result twice */
            continue;
        }
        uint32_t *to = room_for(s->arena, s->first_with, &s->cap_first_with, (size_t)id + 1,
                                sizeof *s->first_with);
        if (!to) return LETHE_ENOMEM;
        s->first_with = to;
        to[id] = index;
    }
    if (*best == index) *best = LETHE_NONE;
    return LETHE_OK;
}

/* --- overlap --- */

/* Puts the text's words, by number, ascending and distinct, into its entry; numbers new words. */
static lethe_err read_words(lethe_similar *s, lethe_str text, text_entry *out)
{
    lethe_words w = lethe_words_of(text);
    lethe_word word;
    s->scratch.n = 0;
    while (lethe_words_next(&w, &word)) {
        uint32_t id;
        LETHE_TRY(lethe_dict_add(s->words, word.text, &id));
        LETHE_TRY(lethe_buf_put(&s->scratch, &id, sizeof id));
    }
    uint32_t *ids = (uint32_t *)(void *)s->scratch.at, n_kept = 0;
    size_t n = s->scratch.n / sizeof *ids;
    if (n > 1) qsort(ids, n, sizeof *ids, lethe_u32_cmp);
    for (size_t i = 0; i < n; i++)
        if (n_kept == 0 || ids[n_kept - 1] != ids[i]) ids[n_kept++] = ids[i];
    *out = (text_entry){.words = lethe_new(s->arena, uint32_t, n_kept), .n_words = n_kept};
    if (!out->words) return LETHE_ENOMEM;
    if (n_kept > 0) memcpy(out->words, ids, n_kept * sizeof *ids);
    size_t n_words = lethe_dict_count(s->words);
    word_entry *by_word = room_for(s->arena, s->by_word, &s->cap_by_word, n_words, sizeof *by_word);
    if (!by_word && n_words > 0) return LETHE_ENOMEM;
    s->by_word = by_word;
    return LETHE_OK;
}

/* Words that sets of n and m must have in common: the smallest c with c >= overlap (n + m - c). */
static uint64_t needed(const lethe_similar *s, uint64_t n, uint64_t m)
{
    uint64_t over = s->overlap * (n + m), under = MILLION + s->overlap;
    return (over + under - 1) / under;
}

static bool have_in_common(const text_entry *a, const text_entry *b, uint64_t c)
{
    uint64_t both = 0;
    for (uint32_t i = 0, j = 0; i < a->n_words && j < b->n_words;) {
        uint32_t x = a->words[i], y = b->words[j];
        both += x == y;
        i += x <= y;
        j += y <= x;
    }
    return both >= c;
}

/* The first text of the posting before *best that has c words in common with x. */
static void scan_posting(const lethe_similar *s, const posting *p, const text_entry *x, uint64_t c,
                         uint32_t *best)
{
    for (const chunk *k = p->head; k; k = k->next) {
        for (uint32_t i = 0; i < k->n; i++) {
            uint32_t j = k->at[i];
            if (j >= *best) return;
            if (!have_in_common(x, &s->at[j], c)) continue;
            *best = j;
            return;
        }
    }
}

/* Sorts words, the rarest first. */
static void sort_by_rarity(const lethe_similar *s, uint32_t *ids, uint32_t n)
{
    enum { FEW = 64 }; /* beyond, any order is correct, only slower */
    uint32_t end = LETHE_MIN(n, (uint32_t)FEW);
    for (uint32_t i = 1; i < end; i++) {
        uint32_t id = ids[i], j = i;
        for (; j > 0 && s->by_word[ids[j - 1]].n_texts > s->by_word[id].n_texts; j--)
            ids[j] = ids[j - 1];
        ids[j] = id;
    }
}

/* Sets of m words need to be searched for only as many of the rarest words as the prefix filter
 * requires. */
static void ask_words(lethe_similar *s, const text_entry *x, uint32_t *best)
{
    if (s->overlap == 0) { /* any two texts are similar if one of them has a word */
        uint32_t j = x->n_words > 0 ? 0 : s->first_with_words;
        *best = LETHE_MIN(*best, j);
        return;
    }
    uint32_t *ids = (uint32_t *)(void *)s->scratch.at; /* as read_words() left them */
    sort_by_rarity(s, ids, x->n_words);
    for (uint32_t i = 0; i < x->n_words; i++) {
        for (const posting *p = s->by_word[ids[i]].postings; p; p = p->next) {
            uint64_t c = needed(s, x->n_words, p->size);
            if (c > LETHE_MIN(x->n_words, p->size) || i + c > x->n_words) continue;
            scan_posting(s, p, x, c, best);
        }
    }
}

static lethe_err posting_put(lethe_similar *s, posting *p, uint32_t index)
{
    chunk *k = p->tail;
    if (!k || k->n == k->cap) {
        uint32_t cap = k ? LETHE_MIN(2 * k->cap, (uint32_t)LAST_CHUNK) : (uint32_t)FIRST_CHUNK;
        chunk *more = lethe_arena_get(s->arena, 1, sizeof *more + cap * sizeof more->at[0]);
        if (!more) return LETHE_ENOMEM;
        more->cap = cap;
        *(k ? &k->next : &p->head) = more;
        p->tail = k = more;
    }
    k->at[k->n++] = index;
    return LETHE_OK;
}

static lethe_err put_words(lethe_similar *s, const text_entry *x, uint32_t index)
{
    if (x->n_words > 0) s->first_with_words = LETHE_MIN(s->first_with_words, index);
    for (uint32_t i = 0; i < x->n_words; i++) {
        word_entry *w = &s->by_word[x->words[i]];
        posting *p = w->postings;
        while (p && p->size != x->n_words)
            p = p->next;
        if (!p) {
            p = lethe_new(s->arena, posting, 1);
            if (!p) return LETHE_ENOMEM;
            *p = (posting){.next = w->postings, .size = x->n_words};
            w->postings = p;
        }
        LETHE_TRY(posting_put(s, p, index));
        w->n_texts++;
    }
    return LETHE_OK;
}

/* --- edit --- */

/* Any classes are correct; these separate characters that often occur together: letters, digits
 * (half of them with the rarest letters), and ideographs. */
static unsigned letter_of(uint32_t symbol)
{
    static const uint8_t digits[10] = {27,        28,        29,        30,        31,
                                       'j' - 'a', 'q' - 'a', 'x' - 'a', 'z' - 'a', 'k' - 'a'};
    if (symbol - 'a' < 26) return symbol - 'a';
    if (symbol == ' ') return 26;
    return symbol - '0' < 10 ? digits[symbol - '0'] : symbol % N_LETTERS;
}

/* Reads the text's symbols, as text/distance.c defines them, into s->symbols, and counts letters.
 */
static lethe_err read_symbols(lethe_similar *s, lethe_str text, uint32_t *n_symbols, letters *x)
{
    s->symbols.n = 0;
    LETHE_TRY(lethe_buf_reserve(&s->symbols, (text.n + 1) * sizeof(uint32_t)));
    const uint8_t *p = (const uint8_t *)text.at, *end = text.n > 0 ? p + text.n : p;
    uint32_t *to = (uint32_t *)(void *)s->symbols.at, n = 0;
    while (p < end) {
        uint32_t cp = *p;
        bool ok = true;
        size_t taken = cp < 0x80 ? 1 : lethe_utf8_step(p, end, &cp, &ok);
        to[n] = ok ? cp : BROKEN + (uint32_t)*p;
        uint8_t *count = &x->n[letter_of(to[n++])];
        *count = (uint8_t)(*count + (*count < UINT8_MAX));
        p += ok ? taken : 1;
    }
    *n_symbols = n;
    return LETHE_OK;
}

/* Letters of x that are not among those of y: a lower bound of the edits between them. */
static inline uint32_t surplus(const letters *x, const letters *y)
{
#ifdef __SSE2__
    const __m128i *a = (const __m128i *)(const void *)x, *b = (const __m128i *)(const void *)y;
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_subs_epu8(_mm_loadu_si128(a), _mm_loadu_si128(b));
    __m128i high = _mm_subs_epu8(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
    __m128i sum = _mm_add_epi64(_mm_sad_epu8(low, zero), _mm_sad_epu8(high, zero));
    return (uint32_t)(_mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4));
#else
    uint32_t sum = 0;
    for (size_t i = 0; i < N_LETTERS; i++)
        sum += x->n[i] > y->n[i] ? (uint32_t)(x->n[i] - y->n[i]) : 0;
    return sum;
#endif
}

static uint16_t segment_hash(const uint32_t *at)
{
    uint64_t h = at[0] + at[1] * UINT64_C(0x110200) + at[2] * UINT64_C(0x1210443C0400);
    return (uint16_t)(h * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SEEN_LOG));
}

/* Marks all SEGMENT symbols in sequence in s->seen, and puts those that begin at a multiple of it
 * into the entry. */
static lethe_err cut_segments(lethe_similar *s, const uint32_t *symbols, uint32_t n,
                              text_entry *out)
{
    out->n_segments = n / SEGMENT;
    out->segments = lethe_new(s->arena, uint16_t, out->n_segments);
    if (!out->segments) return LETHE_ENOMEM;
    memset(s->seen, 0, sizeof s->seen);
    for (uint32_t i = 0; i + SEGMENT <= n; i++) {
        uint16_t hash = segment_hash(symbols + i);
        s->seen[hash / 64] |= UINT64_C(1) << hash % 64;
        if (i % SEGMENT == 0) out->segments[i / SEGMENT] = hash;
    }
    return LETHE_OK;
}

/* Are more than `bound` pieces of y missing in the current text?  An edit breaks at most one piece,
 * and unbroken pieces are present, so then there are more edits than that between them.  Letters
 * alone hardly distinguish long texts, or numbers. */
static bool segments_miss(const lethe_similar *s, const text_entry *y, uint64_t bound)
{
    uint64_t lost = 0;
    if (y->n_segments <= bound) return false;
    for (uint32_t i = 0; i < y->n_segments && lost <= bound; i++)
        lost += ~s->seen[y->segments[i] / 64] >> y->segments[i] % 64 & 1;
    return lost > bound;
}

static size_t shelf_of(uint32_t length)
{
    if (length < EXACT_LENGTHS) return length;
    unsigned octave = 31 - (unsigned)__builtin_clz(length);
    return EXACT_LENGTHS + (octave - 6) * 4 + (length >> (octave - 2) & 3);
}

/* The smallest length on a shelf. */
static uint64_t shelf_start(size_t i)
{
    if (i < EXACT_LENGTHS) return i;
    size_t octave = 6 + (i - EXACT_LENGTHS) / 4, part = (i - EXACT_LENGTHS) % 4;
    return (UINT64_C(4) + part) << (octave - 2);
}

/* Edits allowed between a text of this length and a shorter one. */
static uint64_t edits(const lethe_similar *s, uint64_t length)
{
    return s->edit * length / MILLION;
}

static lethe_err scan_shelf(lethe_similar *s, const shelf *h, lethe_str text, const letters *x,
                            bool longer, uint64_t bound, uint32_t *best)
{
    for (size_t i = 0; i < h->n; i++) {
        uint32_t j = h->index[i];
        bool near;
        if (j >= *best) return LETHE_OK;
        const letters *y = &h->letters[i];
        if ((longer ? surplus(y, x) : surplus(x, y)) > bound) continue;
        if (segments_miss(s, &s->at[j], bound)) continue;
        LETHE_TRY(lethe_edit_within(text, lethe_dict_at(s->texts, j), s->edit_share, &s->distance,
                                    &near));
        if (!near) continue;
        *best = j;
        return LETHE_OK;
    }
    return LETHE_OK;
}

/* Lengths from n - edits(n) up to the last l with l - edits(l) <= n. */
static lethe_err ask_lengths(lethe_similar *s, lethe_str text, const letters *x, uint32_t n,
                             uint32_t *best)
{
    for (size_t i = shelf_of((uint32_t)(n - edits(s, n))); i < N_SHELVES; i++) {
        uint64_t least = shelf_start(i), most = shelf_start(i + 1) - 1;
        if (least > n && least - edits(s, least) > n) break;
        uint64_t bound = edits(s, LETHE_MAX(most, n));
        if (bound == 0) continue; /* only the same text is so close */
        LETHE_TRY(scan_shelf(s, &s->shelves[i], text, x, least >= n, bound, best));
    }
    return LETHE_OK;
}

static lethe_err put_shelf(lethe_similar *s, const letters *x, uint32_t n, uint32_t index)
{
    shelf *h = &s->shelves[shelf_of(n)];
    size_t cap = h->cap;
    letters *all = room_for(s->arena, h->letters, &cap, h->n + 1, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    h->letters = all;
    uint32_t *indices = room_for(s->arena, h->index, &h->cap, h->n + 1, sizeof *indices);
    if (!indices) return LETHE_ENOMEM;
    h->index = indices;
    h->letters[h->n] = *x;
    h->index[h->n++] = index;
    return LETHE_OK;
}

/* --- all three --- */

lethe_err lethe_similar_add(lethe_similar *s, lethe_str text, const uint64_t *results,
                            size_t n_results, uint32_t *index, uint32_t *first)
{
    uint32_t i, best = LETHE_NONE, before = lethe_dict_count(s->texts);
    letters x = {{0}};
    LETHE_TRY(lethe_dict_add(s->texts, text, &i));
    *index = *first = i;
    if (i < before) return LETHE_OK;
    text_entry *at = room_for(s->arena, s->at, &s->cap_at, (size_t)i + 1, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    s->at = at;
    LETHE_TRY(ask_results(s, results, n_results, i, &best));
    LETHE_TRY(read_words(s, text, &at[i]));
    uint32_t n;
    LETHE_TRY(read_symbols(s, text, &n, &x));
    const uint32_t *symbols = (const uint32_t *)(const void *)s->symbols.at;
    LETHE_TRY(cut_segments(s, symbols, n, &at[i]));
    if (i > 0) {
        ask_words(s, &at[i], &best);
        LETHE_TRY(ask_lengths(s, text, &x, n, &best));
    }
    LETHE_TRY(put_words(s, &at[i], i));
    LETHE_TRY(put_shelf(s, &x, n, i));
    *first = best;
    return LETHE_OK;
}
