/* SPDX-License-Identifier: Apache-2.0 */
/* most_pairs.c - augmenting paths on sets of bits. */
#include "algo/match/most_pairs.h"

struct lethe_most_pairs {
    size_t words;
    uint64_t *free, *met, *dead; /* columns: without a row; met by a search; of no use any more */
    uint32_t *to;                /* of each row: its column, or LETHE_NONE */
    uint32_t *queue;             /* of rows */
    uint32_t *owner;             /* of each column: its row, */
    uint32_t *via;               /* and the row from which it was met */
};

lethe_most_pairs *lethe_most_pairs_new(size_t rows, size_t columns)
{
    lethe_most_pairs *p = lethe_alloc_zero(1, sizeof *p);
    if (!p) return NULL;
    p->words = lethe_bits_words(columns);
    p->free = lethe_alloc(p->words, 3 * sizeof *p->free);
    p->to = lethe_alloc(rows, 2 * sizeof *p->to);
    p->owner = lethe_alloc(columns, 2 * sizeof *p->owner);
    if (!p->free || !p->to || !p->owner) {
        lethe_most_pairs_free(p);
        return NULL;
    }
    p->met = p->free + p->words;
    p->dead = p->met + p->words;
    p->queue = p->to + rows;
    p->via = p->owner + columns;
    return p;
}

void lethe_most_pairs_free(lethe_most_pairs *p)
{
    if (!p) return;
    lethe_free(p->free);
    lethe_free(p->to);
    lethe_free(p->owner);
    lethe_free(p);
}

static uint32_t bit_at(size_t word, uint64_t bits)
{
    return (uint32_t)(word * LETHE_BITS_WORD) + (uint32_t)__builtin_ctzll(bits);
}

/* The first free column of a row, which is free no more; LETHE_NONE: none. */
static uint32_t take_free(lethe_most_pairs *p, const uint64_t *row, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t both = row[i] & p->free[i];
        if (!both) continue;
        p->free[i] ^= both & -both;
        return bit_at(i, both);
    }
    return LETHE_NONE;
}

/* Moves every row on the path on by one column. */
static void augment(lethe_most_pairs *p, uint32_t row, uint32_t column)
{
    for (uint32_t had; column != LETHE_NONE; column = had, row = p->via[had]) {
        had = p->to[row];
        p->to[row] = column;
        p->owner[column] = row;
        if (had == LETHE_NONE) return;
    }
}

/* Meets the columns of a row that no search has met; their rows come next. */
static void meet(lethe_most_pairs *p, const uint64_t *row, uint32_t from, size_t words, uint32_t *n)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t more = row[i] & ~p->met[i];
        p->met[i] |= more;
        for (; more; more &= more - 1) {
            uint32_t column = bit_at(i, more);
            p->via[column] = from;
            p->queue[(*n)++] = p->owner[column];
        }
    }
}

static bool find_path(lethe_most_pairs *p, const uint64_t *rows, uint32_t from, size_t words)
{
    uint32_t n = 0;
    p->queue[n++] = from;
    p->to[from] = LETHE_NONE;
    memcpy(p->met, p->dead, words * sizeof *p->met);
    for (uint32_t head = 0; head < n; head++) {
        uint32_t row = p->queue[head], column = take_free(p, rows + row * words, words);
        if (column != LETHE_NONE) {
            augment(p, row, column);
            return true;
        }
        meet(p, rows + row * words, row, words, &n);
    }
    memcpy(p->dead, p->met, words * sizeof *p->met);
    return false;
}

uint32_t lethe_most_pairs_of(lethe_most_pairs *p, const uint64_t *row, uint32_t n_rows,
                             uint32_t n_columns)
{
    size_t words = lethe_bits_words(n_columns);
    uint32_t n = 0;
    assert(words <= p->words);
    memset(p->free, 0xff, words * sizeof *p->free);
    memset(p->dead, 0, words * sizeof *p->dead);
    for (uint32_t i = 0; i < n_rows && n < n_columns; i++)
        n += find_path(p, row, i, words);
    return n;
}
