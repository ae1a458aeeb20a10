/* SPDX-License-Identifier: Apache-2.0 */
/* Levenshtein's distance by bit vectors (Myers 1999; blocks: Hyyro 2003), and Jaccard's
 * coefficient of words. */
#include "text/distance.h"
#include "text/utf8.h"
#include "text/words.h"

enum {
    WORD_BITS = 64,
    N_ASCII = 128,
    FEW_SLOTS = 128,   /* for a pattern of one machine word */
    BROKEN = 0x110000, /* past the last code point: bytes that are not UTF-8 */
};

void lethe_distance_scratch_free(lethe_distance_scratch *tmp) { lethe_buf_free(&tmp->buf); }

/* --- symbols --- */

/* Code points, or bytes where these are none; returns how many. */
static size_t symbols_of(lethe_str s, uint32_t *out)
{
    if (s.n == 0) return 0;
    const uint8_t *p = (const uint8_t *)s.at, *end = p + s.n;
    size_t n = 0;
    while (p < end) {
        uint32_t cp = *p;
        bool ok = true;
        size_t k = cp < 0x80 ? 1 : lethe_utf8_step(p, end, &cp, &ok);
        out[n++] = ok ? cp : BROKEN + (uint32_t)*p;
        p += ok ? k : 1;
    }
    return n;
}

/* The two texts without the beginning and the end that they share; p is not the longer one. */
typedef struct pair {
    const uint32_t *p, *t;
    size_t m, n;
} pair;

static pair pair_of(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
    while (n_a > 0 && n_b > 0 && a[n_a - 1] == b[n_b - 1]) {
        n_a--;
        n_b--;
    }
    while (n_a > 0 && n_b > 0 && *a == *b) {
        a++, n_a--;
        b++, n_b--;
    }
    return n_a <= n_b ? (pair){a, b, n_a, n_b} : (pair){b, a, n_b, n_a};
}

static size_t slot_of(uint32_t symbol, size_t mask)
{
    return (symbol * UINT32_C(0x9E3779B1) >> 7) & mask;
}

/* --- a pattern of one machine word --- */

/* Where each symbol stands in the pattern, as bits. */
typedef struct places {
    uint64_t ascii[N_ASCII];
    bool wide; /* there are others */
    struct {
        uint64_t bits;
        uint32_t symbol;
    } other[FEW_SLOTS]; /* no bits: free */
} places;

static size_t places_find(const places *x, uint32_t symbol)
{
    size_t i = slot_of(symbol, FEW_SLOTS - 1);
    while (x->other[i].bits && x->other[i].symbol != symbol)
        i = (i + 1) & (FEW_SLOTS - 1); /* half are free */
    return i;
}

static void places_add(places *x, uint32_t symbol, uint64_t bit)
{
    if (symbol < N_ASCII) {
        x->ascii[symbol] |= bit;
        return;
    }
    if (!x->wide) memset(x->other, 0, sizeof x->other);
    x->wide = true;
    size_t i = places_find(x, symbol);
    x->other[i].symbol = symbol;
    x->other[i].bits |= bit;
}

static uint64_t places_of(const places *x, uint32_t symbol)
{
    if (symbol < N_ASCII) return x->ascii[symbol];
    return x->wide ? x->other[places_find(x, symbol)].bits : 0;
}

/* A column of differences down the table: bit i of pv (mv) says that row i + 1 is one above (below)
 * row i. */
typedef struct column {
    uint64_t pv, mv;
} column;

/* Myers, figure 8 (a block and the difference that comes in from above it), with the names of
 * Hyyro: from the column of one symbol to that of the next.  `last` is the bit of the lowest row,
 * whose difference is returned. */
static inline int advance(column *c, uint64_t eq, int above, uint64_t last)
{
    uint64_t xv = eq | c->mv;
    eq |= above < 0;
    uint64_t xh = (((eq & c->pv) + c->pv) ^ c->pv) | eq;
    uint64_t ph = c->mv | ~(xh | c->pv), mh = c->pv & xh;
    int below = ((ph & last) != 0) - ((mh & last) != 0);
    ph = ph << 1 | (above > 0);
    mh = mh << 1 | (above < 0);
    c->pv = mh | ~(xv | ph);
    c->mv = ph & xv;
    return below;
}

/* 0 < m <= 64; the distance, or k + 1 where it is above k. */
static size_t distance_short(const pair *x, size_t k)
{
    places at;
    memset(at.ascii, 0, sizeof at.ascii);
    at.wide = false;
    for (size_t i = 0; i < x->m; i++)
        places_add(&at, x->p[i], UINT64_C(1) << i);
    column c = {.pv = ~UINT64_C(0)};
    uint64_t last = UINT64_C(1) << (x->m - 1);
    size_t score = x->m;
    for (size_t j = 0; j < x->n; j++) {
        score += (size_t)advance(&c, places_of(&at, x->t[j]), 1, last);
        if (score > k + (x->n - 1 - j)) return k + 1; /* it falls by at most one per column */
    }
    return score;
}

/* --- longer patterns, in blocks --- */

/* A symbol's places are its runs: a block it stands in and where, in order of blocks.  So all take
 * no more room than the pattern, however many symbols there are. */
typedef struct symbol_slot {
    uint32_t symbol;
    uint32_t n;        /* runs; 0: free */
    uint32_t from, to; /* of the runs; `from` moves on with the first block that matters */
} symbol_slot;

typedef struct blocks {
    size_t n;
    column *columns; /* one per block */
    uint64_t *bits;  /* one a run */
    uint32_t *block;
    symbol_slot *slots; /* N_ASCII of them by symbol, the rest by hash */
    size_t mask;        /* of the hashed ones */
} blocks;

static symbol_slot *blocks_slot(const blocks *b, uint32_t symbol)
{
    if (symbol < N_ASCII) return &b->slots[symbol];
    symbol_slot *slots = b->slots + N_ASCII;
    size_t i = slot_of(symbol, b->mask);
    while (slots[i].n > 0 && slots[i].symbol != symbol)
        i = (i + 1) & b->mask;
    return &slots[i];
}

static size_t hashed_slots(const pair *x)
{
    size_t wide = 0, cap = 1;
    for (size_t i = 0; i < x->m; i++)
        wide += x->p[i] >= N_ASCII;
    while (cap < 2 * wide + 1)
        cap *= 2;
    return cap;
}

/* Divides `at` (see blocks_bytes) among the arrays; those of eight bytes come first. */
static void blocks_place(blocks *b, const pair *x, size_t n_hashed, uint8_t *at)
{
    b->n = (x->m + WORD_BITS - 1) / WORD_BITS;
    b->mask = n_hashed - 1;
    b->columns = (column *)(void *)at;
    b->bits = (uint64_t *)(void *)(b->columns + b->n);
    b->block = (uint32_t *)(void *)(b->bits + x->m);
    b->slots = (symbol_slot *)(void *)(b->block + x->m);
    memset(b->slots, 0, (N_ASCII + n_hashed) * sizeof *b->slots);
}

static size_t blocks_bytes(const pair *x, size_t n_hashed)
{
    return (x->m / WORD_BITS + 1) * sizeof(column) + x->m * (sizeof(uint64_t) + sizeof(uint32_t)) +
           (N_ASCII + n_hashed) * sizeof(symbol_slot);
}

/* Counts runs, gives each symbol its place, and fills them in. */
static void blocks_fill(blocks *b, const pair *x)
{
    for (size_t i = 0; i < x->m; i++) {
        symbol_slot *s = blocks_slot(b, x->p[i]);
        uint32_t block = (uint32_t)(i / WORD_BITS);
        if (s->n == 0 || s->to != block) s->n++;
        s->symbol = x->p[i];
        s->to = block; /* until all are known: the last block it was seen in */
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < N_ASCII + b->mask + 1; i++) {
        b->slots[i].from = b->slots[i].to = sum;
        sum += b->slots[i].n;
    }
    for (size_t i = 0; i < x->m; i++) {
        symbol_slot *s = blocks_slot(b, x->p[i]);
        uint32_t block = (uint32_t)(i / WORD_BITS);
        if (s->to == s->from || b->block[s->to - 1] != block) {
            b->block[s->to] = block;
            b->bits[s->to++] = 0;
        }
        b->bits[s->to - 1] |= UINT64_C(1) << i % WORD_BITS;
    }
}

/* One column, from block `first` to `last`; the difference in the lowest row of all. */
static int blocks_advance(blocks *b, uint32_t symbol, size_t first, size_t last, uint64_t low)
{
    symbol_slot *s = blocks_slot(b, symbol);
    while (s->from < s->to && b->block[s->from] < first)
        s->from++;
    int difference = 1;
    for (size_t i = first, run = s->from; i <= last; i++) {
        uint64_t eq = run < s->to && b->block[run] == i ? b->bits[run++] : 0;
        difference = advance(&b->columns[i], eq, difference,
                             i == last ? low : UINT64_C(1) << (WORD_BITS - 1));
    }
    return difference;
}

/* m > 64; the distance, or k + 1 where it is above k.
 *
 * A way through the table that leaves the diagonals from -s to (n - m) + s, s = (k - (n - m)) / 2,
 * costs more than k (Ukkonen 1985), so only blocks that meet these are looked at.  Above the first
 * of them the table is taken to rise by one per column, in a new one below by one per row: both are
 * steps that can be made, so no value comes out too low, and none on those diagonals too high. */
static size_t distance_long(blocks *b, const pair *x, size_t k)
{
    size_t surplus = x->n - x->m, s = (k - surplus) / 2, n_active = 0, score = 0;
    for (size_t j = 1; j <= x->n; j++) {
        size_t low = LETHE_MIN(x->m, j + s), high = j > surplus + s ? j - surplus - s : 1;
        size_t first = (high - 1) / WORD_BITS, last = (low - 1) / WORD_BITS;
        for (; n_active <= last; n_active++) {
            b->columns[n_active] = (column){.pv = ~UINT64_C(0)};
            score += LETHE_MIN((size_t)WORD_BITS, x->m - n_active * WORD_BITS);
        }
        size_t lowest = LETHE_MIN((last + 1) * WORD_BITS, x->m) - 1;
        uint64_t bit = UINT64_C(1) << lowest % WORD_BITS;
        score += (size_t)blocks_advance(b, x->t[j - 1], first, last, bit);
        if (last + 1 == b->n && score > k + (x->n - j)) return k + 1;
    }
    return score;
}

/* --- Levenshtein --- */

/* The symbols of both texts, at the scratch's beginning. */
typedef struct texts {
    size_t n_a, n_b;
} texts;

static lethe_err read_both(lethe_str a, lethe_str b, lethe_distance_scratch *tmp, texts *out)
{
    assert(a.n <= INT32_MAX && b.n <= INT32_MAX);
    tmp->buf.n = 0;
    LETHE_TRY(lethe_buf_reserve(&tmp->buf, (a.n + b.n + 1) * sizeof(uint32_t)));
    uint32_t *at = (uint32_t *)(void *)tmp->buf.at;
    out->n_a = symbols_of(a, at);
    out->n_b = symbols_of(b, at + out->n_a);
    tmp->buf.n = (out->n_a + out->n_b) * sizeof *at;
    return LETHE_OK;
}

static pair pair_in(const lethe_distance_scratch *tmp, const texts *x)
{
    const uint32_t *at = (const uint32_t *)(const void *)tmp->buf.at;
    return pair_of(at, x->n_a, at + x->n_a, x->n_b);
}

static lethe_err long_distance(lethe_distance_scratch *tmp, const texts *both, size_t k,
                               size_t *out)
{
    pair x = pair_in(tmp, both);
    size_t n_hashed = hashed_slots(&x), used = (tmp->buf.n + 7) & ~(size_t)7;
    LETHE_TRY(lethe_buf_reserve(&tmp->buf, used - tmp->buf.n + blocks_bytes(&x, n_hashed)));
    x = pair_in(tmp, both); /* may have moved */
    blocks b;
    blocks_place(&b, &x, n_hashed, tmp->buf.at + used);
    blocks_fill(&b, &x);
    *out = distance_long(&b, &x, k);
    return LETHE_OK;
}

static lethe_err distance(lethe_distance_scratch *tmp, const texts *both, uint32_t bound,
                          uint32_t *out)
{
    pair x = pair_in(tmp, both);
    size_t k = LETHE_MIN((size_t)bound, x.n), d; /* no two texts are further apart than that */
    if (x.n - x.m > k)
        d = k + 1;
    else if (x.m == 0)
        d = x.n;
    else if (x.m <= WORD_BITS)
        d = distance_short(&x, k);
    else
        LETHE_TRY(long_distance(tmp, both, k, &d));
    *out = (uint32_t)d;
    return LETHE_OK;
}

lethe_err lethe_levenshtein(lethe_str a, lethe_str b, uint32_t bound, lethe_distance_scratch *tmp,
                            uint32_t *out)
{
    texts x;
    LETHE_TRY(read_both(a, b, tmp, &x));
    return distance(tmp, &x, bound, out);
}

lethe_err lethe_edit_within(lethe_str a, lethe_str b, double share, lethe_distance_scratch *tmp,
                            bool *out)
{
    const uint64_t million = 1000000;
    assert(share >= 0 && share <= 1);
    texts x;
    uint32_t d;
    LETHE_TRY(read_both(a, b, tmp, &x));
    uint64_t longer = LETHE_MAX(x.n_a, x.n_b);
    uint64_t bound = (uint64_t)(share * (double)million + 0.5) * longer / million;
    LETHE_TRY(distance(tmp, &x, (uint32_t)bound, &d));
    *out = d <= bound;
    return LETHE_OK;
}

/* --- Jaccard --- */

/* Puts the words of `s`, sorted and each once, behind what is in the scratch; *n of them. */
static lethe_err put_words(lethe_distance_scratch *tmp, lethe_str s, size_t *n)
{
    size_t before = tmp->buf.n;
    LETHE_TRY(lethe_buf_reserve(&tmp->buf, 1)); /* so that there is a place, words or not */
    lethe_words w = lethe_words_of(s);
    lethe_word word;
    while (lethe_words_next(&w, &word))
        LETHE_TRY(lethe_buf_put(&tmp->buf, &word.text, sizeof word.text));
    lethe_str *at = (lethe_str *)(void *)(tmp->buf.at + before);
    size_t n_all = (tmp->buf.n - before) / sizeof *at, n_kept = 0;
    lethe_words_sort(at, n_all);
    for (size_t i = 0; i < n_all; i++)
        if (n_kept == 0 || !lethe_str_eq(at[n_kept - 1], at[i])) at[n_kept++] = at[i];
    tmp->buf.n = before + n_kept * sizeof *at;
    *n = n_kept;
    return LETHE_OK;
}

lethe_err lethe_jaccard(lethe_str a, lethe_str b, lethe_distance_scratch *tmp, uint32_t *common,
                        uint32_t *all)
{
    size_t n_a, n_b, both = 0;
    tmp->buf.n = 0;
    LETHE_TRY(put_words(tmp, a, &n_a));
    LETHE_TRY(put_words(tmp, b, &n_b));
    const lethe_str *x = (const lethe_str *)(const void *)tmp->buf.at, *y = x + n_a;
    for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
        int c = lethe_str_cmp(x[i], y[j]);
        both += c == 0;
        i += c <= 0;
        j += c >= 0;
    }
    *common = (uint32_t)both;
    *all = (uint32_t)(n_a + n_b - both);
    return LETHE_OK;
}
