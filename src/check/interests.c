/* SPDX-License-Identifier: Apache-2.0 */
/* interests.c - compares the texts of a persona with each other, in bit masks of letters first and
 * in full only where these allow it. */
#include "check/interests.h"
#include "core/dict.h"
#include "text/distance.h"
#include "text/utf8.h"
#include "text/words.h"

#define MILLION UINT64_C(1000000)
#define PIECE 3      /* characters */
#define PIECES 65536 /* numbers that a piece may have */

struct text {
    lethe_str text;
    int64_t time;     /* the first */
    lethe_str *words; /* sorted, each once */
    uint64_t *urls;   /* its results */
    uint16_t *pieces; /* the text cut in pieces of PIECE characters, each as a number */
    uint32_t n_words, n_urls, n_pieces;
    uint32_t leader; /* leads to the one that stands for all that are alike at one time */
    bool grounded;   /* of that one: some of them need no other; else they are loose */
};

/* What tells most pairs of texts apart. */
struct sketch {
    uint64_t words;   /* a bit for each word */
    uint64_t letters; /* a bit for each kind of character that is there, one more if it is twice */
    uint32_t length;  /* in characters */
    uint32_t n_words; /* distinct */
};

struct lethe_interests {
    lethe_likeness how;
    uint64_t edit, overlap; /* in millionths */
    lethe_arena *arena;
    struct text *texts;
    struct sketch *sketches; /* as many */
    size_t n_texts, cap_texts;
    uint64_t n_loose;        /* while texts of one time are looked at: groups that are loose */
    lethe_dict *seen, *urls; /* texts, and results */
    lethe_buf holders;       /* of each result, the first text that has it */
    lethe_buf chars;
    uint32_t probe; /* the text whose pieces, wherever they begin, are in `has`; LETHE_NONE: none */
    uint64_t has[PIECES / 64];
    lethe_distance_scratch distance;
};

/* --- making, clearing --- */

lethe_interests *lethe_interests_new(const lethe_likeness *how)
{
    lethe_interests *x = lethe_alloc_zero(1, sizeof *x);
    if (!x) return NULL;
    x->how = *how;
    x->edit = (uint64_t)(how->edit * (double)MILLION + 0.5);
    x->overlap = (uint64_t)(how->overlap * (double)MILLION + 0.5);
    x->arena = lethe_arena_new();
    if (x->arena && lethe_interests_clear(x) == LETHE_OK) return x;
    lethe_interests_free(x);
    return NULL;
}

static void close_tables(lethe_interests *x)
{
    lethe_dict_free(x->seen);
    lethe_dict_free(x->urls);
    x->seen = x->urls = NULL;
}

void lethe_interests_free(lethe_interests *x)
{
    if (!x) return;
    close_tables(x);
    lethe_arena_free(x->arena);
    lethe_buf_free(&x->holders);
    lethe_buf_free(&x->chars);
    lethe_distance_scratch_free(&x->distance);
    lethe_free(x);
}

lethe_err lethe_interests_clear(lethe_interests *x)
{
    close_tables(x);
    lethe_arena_reset(x->arena);
    x->texts = NULL;
    x->sketches = NULL;
    x->n_texts = x->cap_texts = 0;
    x->probe = LETHE_NONE;
    x->seen = lethe_dict_new();
    return x->seen ? LETHE_OK : LETHE_ENOMEM;
}

/* --- one text --- */

/* The text's characters into x->chars; *n of them. */
static lethe_err chars_of(lethe_interests *x, lethe_str text, uint32_t *n)
{
    x->chars.n = 0;
    LETHE_TRY(lethe_buf_reserve(&x->chars, (text.n + 1) * sizeof(uint32_t)));
    const uint8_t *p = (const uint8_t *)text.at, *end = text.n > 0 ? p + text.n : p;
    uint32_t *to = (uint32_t *)(void *)x->chars.at;
    bool ok; /* what is published is valid */
    for (*n = 0; p < end; ++*n)
        p += lethe_utf8_step(p, end, &to[*n], &ok);
    return LETHE_OK;
}

static uint16_t piece_at(const uint32_t *chars)
{
    return (uint16_t)((chars[0] * 1009 + chars[1] * 31 + chars[2]) % PIECES);
}

static lethe_err room_for_one(lethe_interests *x)
{
    size_t old = x->cap_texts, cap = 2 * old + 16, text = sizeof(struct text);
    size_t sketch = sizeof(struct sketch);
    if (x->n_texts < old) return LETHE_OK;
    struct text *texts = lethe_arena_grow(x->arena, x->texts, old * text, cap * text);
    if (!texts) return LETHE_ENOMEM;
    x->texts = texts;
    x->sketches = lethe_arena_grow(x->arena, x->sketches, old * sketch, cap * sketch);
    if (!x->sketches) return LETHE_ENOMEM;
    x->cap_texts = cap;
    return LETHE_OK;
}

/* The results of a text: those of the file, or else those that came with it. */
static lethe_err set_urls(lethe_interests *x, struct text *t, const uint64_t *urls, size_t n)
{
    const uint32_t *listed = NULL;
    if (x->how.results) {
        listed = lethe_results_of(x->how.results, t->text, &n);
        n = LETHE_MIN(n, x->how.top);
    }
    t->urls = lethe_new(x->arena, uint64_t, n + 1);
    if (!t->urls) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        t->urls[i] = listed ? listed[i] : urls[i];
    t->n_urls = (uint32_t)n;
    return LETHE_OK;
}

lethe_err lethe_interests_add(lethe_interests *x, lethe_str text, int64_t time,
                              const uint64_t *urls, size_t n_urls)
{
    uint32_t id;
    LETHE_TRY(lethe_dict_add(x->seen, text, &id));
    if (id < x->n_texts) return LETHE_OK;
    LETHE_TRY(room_for_one(x));
    struct text *t = &x->texts[x->n_texts];
    struct sketch *k = &x->sketches[x->n_texts++];
    *t = (struct text){.text = lethe_dict_at(x->seen, id), .time = time};
    *k = (struct sketch){0};
    LETHE_TRY(set_urls(x, t, urls, n_urls));
    size_t n = lethe_words_count(t->text);
    lethe_words w = lethe_words_of(t->text);
    lethe_word word;
    t->words = lethe_new(x->arena, lethe_str, n + 1);
    if (!t->words) return LETHE_ENOMEM;
    for (size_t i = 0; i < n && lethe_words_next(&w, &word); i++)
        t->words[i] = word.text;
    lethe_words_sort(t->words, n);
    for (size_t i = 0; i < n; i++) {
        lethe_str s = t->words[i];
        if (t->n_words > 0 && lethe_str_eq(t->words[t->n_words - 1], s)) continue;
        t->words[t->n_words++] = s;
        uint64_t hash = s.n;
        for (size_t b = 0; b < s.n; b++)
            hash = hash * 31 + (uint8_t)s.at[b];
        k->words |= UINT64_C(1) << hash % 61;
    }
    k->n_words = t->n_words;
    LETHE_TRY(chars_of(x, t->text, &k->length));
    const uint32_t *chars = (const uint32_t *)(const void *)x->chars.at;
    t->n_pieces = k->length / PIECE;
    t->pieces = lethe_new(x->arena, uint16_t, t->n_pieces + 1);
    if (!t->pieces) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < k->length; i++) {
        uint64_t once = UINT64_C(1) << chars[i] % 32;
        k->letters |= k->letters & once ? once << 32 : once;
    }
    for (uint32_t i = 0; i < t->n_pieces; i++)
        t->pieces[i] = piece_at(chars + (size_t)i * PIECE);
    return LETHE_OK;
}

/* --- are two texts similar, as texts? --- */

static bool share_words(const lethe_interests *x, const struct text *a, const struct text *b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a->n_words && j < b->n_words;) {
        int order = lethe_str_cmp(a->words[i], b->words[j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    size_t all = (size_t)a->n_words + b->n_words - common;
    return all > 0 && common * MILLION >= x->overlap * all;
}

/* A cheap no: words of a whose bits b has not are not in b. */
static inline bool may_share_words(const lethe_interests *x, const struct sketch *a,
                                   const struct sketch *b)
{
    if (x->overlap == 0) return true;
    if (!(a->words & b->words)) return false;
    uint64_t common = a->n_words, n = (uint64_t)a->n_words + b->n_words;
    for (uint64_t bits = a->words & ~b->words; bits; bits &= bits - 1)
        common--;
    return common * (MILLION + x->overlap) >= n * x->overlap; /* of n - common words */
}

/* Are more than n bits set? */
static inline bool has_more_bits(uint64_t bits, uint64_t n)
{
    for (; bits && n > 0; n--)
        bits &= bits - 1;
    return bits != 0;
}

/* Another: an edit changes the length by one at most, and takes away one
 * character at most. */
static inline bool may_be_near(const struct sketch *a, const struct sketch *b, uint64_t edits)
{
    return LETHE_MAX(a->length, b->length) - LETHE_MIN(a->length, b->length) <= edits &&
           !has_more_bits(a->letters & ~b->letters, edits) &&
           !has_more_bits(b->letters & ~a->letters, edits);
}

static lethe_err probe_set(lethe_interests *x, uint32_t probe)
{
    uint32_t n;
    if (x->probe == probe) return LETHE_OK;
    LETHE_TRY(chars_of(x, x->texts[probe].text, &n));
    const uint32_t *chars = (const uint32_t *)(const void *)x->chars.at;
    memset(x->has, 0, sizeof x->has);
    for (uint32_t i = 0; i + PIECE <= n; i++) {
        uint16_t piece = piece_at(chars + i);
        x->has[piece / 64] |= UINT64_C(1) << piece % 64;
    }
    x->probe = probe;
    return LETHE_OK;
}

/* Is the text surely more than so many edits away from the probe?  An edit breaks one piece at
 * most.
 */
static lethe_err is_far(lethe_interests *x, uint32_t probe, uint32_t i, uint64_t edits, bool *far)
{
    const struct text *t = &x->texts[i];
    uint64_t lost = 0;
    *far = false;
    if (t->n_pieces <= edits) return LETHE_OK;
    LETHE_TRY(probe_set(x, probe));
    for (uint32_t k = 0; k < t->n_pieces && lost <= edits; k++)
        lost += !(x->has[t->pieces[k] / 64] >> t->pieces[k] % 64 & 1);
    *far = lost > edits;
    return LETHE_OK;
}

/* Where one is compared with many, that one is the probe. */
static lethe_err are_similar(lethe_interests *x, uint32_t probe, uint32_t i, bool *yes)
{
    const struct sketch *a = &x->sketches[probe], *b = &x->sketches[i];
    const struct text *s = &x->texts[probe], *t = &x->texts[i];
    uint64_t edits = x->edit * LETHE_MAX(a->length, b->length) / MILLION;
    bool far;
    *yes = may_share_words(x, a, b) && share_words(x, s, t);
    if (*yes || !may_be_near(a, b, edits)) return LETHE_OK;
    LETHE_TRY(is_far(x, probe, i, edits, &far));
    return far ? LETHE_OK : lethe_edit_within(s->text, t->text, x->how.edit, &x->distance, yes);
}

/* --- texts of one time: which are alike, and which need no other --- */

static uint32_t leader_of(const lethe_interests *x, uint32_t i)
{
    struct text *at = x->texts;
    for (; at[i].leader != i; i = at[i].leader)
        at[i].leader = at[at[i].leader].leader;
    return i;
}

/* The text is similar to one of an earlier time. */
static void ground(lethe_interests *x, uint32_t i)
{
    struct text *t = &x->texts[leader_of(x, i)];
    x->n_loose -= !t->grounded;
    t->grounded = true;
}

/* Two texts of one time are similar; the first one stands for both. */
static void join(lethe_interests *x, uint32_t i, uint32_t j)
{
    uint32_t a = leader_of(x, i), b = leader_of(x, j);
    struct text *first = &x->texts[LETHE_MIN(a, b)], *second = &x->texts[LETHE_MAX(a, b)];
    if (a == b) return;
    x->n_loose -= !first->grounded || !second->grounded;
    first->grounded = first->grounded || second->grounded;
    second->leader = LETHE_MIN(a, b);
}

/* Texts [from, to) have the same first time.  Those that are alike can stand one behind the other,
 * so one of them must be similar to a text before, or be the persona's first; x->n_loose groups of
 * them are neither. */
static lethe_err settle(lethe_interests *x, const lethe_ctx *ctx, bool by_urls, uint32_t from,
                        uint32_t to)
{
    for (uint32_t j = from; j < to; j++) {
        x->texts[j].leader = j;
        x->texts[j].grounded = j == 0;
    }
    x->n_loose = to - from - (from == 0);
    /* Who has a result is similar to the first that has it; so all that have it are alike. */
    for (uint32_t j = from; by_urls && j < to; j++) {
        const struct text *t = &x->texts[j];
        for (uint32_t k = 0; k < t->n_urls; k++) {
            uint32_t id, n = lethe_dict_count(x->urls), holder;
            LETHE_TRY(lethe_dict_add(x->urls, (lethe_str){(const char *)&t->urls[k], 8}, &id));
            if (id == n) LETHE_TRY(lethe_buf_put(&x->holders, &j, sizeof j));
            memcpy(&holder, x->holders.at + id * sizeof holder, sizeof holder);
            if (holder < from)
                ground(x, j);
            else
                join(x, holder, j);
        }
    }
    for (uint32_t j = from; j < to && x->n_loose > 0; j++) {
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (!x->texts[leader_of(x, j)].grounded) {
            /* Looks for a text of an earlier time that is similar to j: among the first and the
             * last by turns, for a persona grows around what it began with, or goes from one thing
             * to the next. */
            bool yes = false;
            for (uint32_t k = 0; k < from && !yes; k++) {
                uint32_t i = k % 2 ? from - 1 - k / 2 : k / 2;
                LETHE_TRY(are_similar(x, j, i, &yes));
            }
            if (yes) ground(x, j);
        }
    }
    for (uint32_t i = from; i < to && x->n_loose > 0; i++) {
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        for (uint32_t j = i + 1; j < to && x->n_loose > 0; j++) {
            const struct text *a = &x->texts[leader_of(x, i)], *b = &x->texts[leader_of(x, j)];
            bool yes;
            if (a == b || (a->grounded && b->grounded)) continue;
            LETHE_TRY(are_similar(x, i, j, &yes));
            if (yes) join(x, i, j);
        }
    }
    return LETHE_OK;
}

lethe_err lethe_interests_loose(lethe_interests *x, const lethe_ctx *ctx, bool by_urls,
                                uint64_t *loose, lethe_str *first)
{
    uint32_t n = (uint32_t)x->n_texts;
    uint64_t sum = 0;
    if (by_urls) {
        lethe_dict_free(x->urls);
        x->urls = lethe_dict_new();
        x->holders.n = 0;
        if (!x->urls) return LETHE_ENOMEM;
    }
    for (uint32_t from = 0, to; from < n; from = to) {
        to = from + 1;
        while (to < n && x->texts[to].time == x->texts[from].time)
            to++;
        LETHE_TRY(settle(x, ctx, by_urls, from, to));
        uint32_t j = from;
        while (x->n_loose > 0 && (x->texts[j].leader != j || x->texts[j].grounded))
            j++;
        if (sum == 0 && x->n_loose > 0) *first = x->texts[j].text;
        sum += x->n_loose;
    }
    *loose = sum;
    return LETHE_OK;
}
