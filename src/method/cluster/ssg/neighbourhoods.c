#include "method/cluster/ssg/neighbourhoods.h"

enum {
    BALLS_MOST = 16 << 20,  /* entries that are kept */
    BALLS_WHOLE = 12 << 20, /* of balls as a whole; then there is room for what is nearest only, */
    BALL_NEAREST = 256      /* so many of each */
};

lethe_err lethe_ssg_neighbourhoods_new(const lethe_meaning *m, const uint32_t *terms, size_t n,
                                       lethe_ssg_neighbourhoods **out)
{
    lethe_ssg_neighbourhoods *b = lethe_alloc_zero(1, sizeof *b);
    if (!b) return LETHE_ENOMEM;
    b->end = n ? terms[n - 1] + 1 : 0;
    b->n_slots = (uint32_t)n;
    b->room = BALLS_MOST;
    b->room_whole = BALLS_WHOLE;
    b->nearest = BALL_NEAREST;
    b->slot = lethe_alloc_zero(b->end, sizeof *b->slot);
    b->ball = lethe_alloc_zero(n, sizeof *b->ball);
    b->n = lethe_alloc_zero(n, sizeof *b->n);
    b->n_kept = lethe_alloc_zero(n, sizeof *b->n_kept);
    b->arena = lethe_arena_new();
    bool ok = b->slot && b->ball && b->n && b->n_kept && b->arena;
    if (!ok || lethe_meaning_asker_new(m, &b->asker) != LETHE_OK) {
        lethe_ssg_neighbourhoods_free(b);
        return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        b->slot[terms[i]] = i;
    *out = b;
    return LETHE_OK;
}

void lethe_ssg_neighbourhoods_free(lethe_ssg_neighbourhoods *b)
{
    if (!b) return;
    lethe_meaning_asker_free(b->asker);
    lethe_free(b->slot);
    lethe_free(b->ball);
    lethe_free(b->n);
    lethe_free(b->n_kept);
    lethe_arena_free(b->arena);
    lethe_free(b);
}

/* Asks for a ball, and keeps it, or what of it there is room for. */
static const lethe_meaning_neighbour *ask(lethe_ssg_neighbourhoods *b, uint32_t term, size_t *n)
{
    uint32_t slot = b->slot[term];
    const lethe_meaning_neighbour *ball = lethe_meaning_neighbourhood(b->asker, term, n);
    if (b->n[slot] > 0) return ball; // was asked for, and did not fit
    size_t keep = b->kept + *n <= b->room_whole ? *n : LETHE_MIN(*n, b->nearest);
    b->n[slot] = (uint32_t)*n;
    if (b->kept + keep > b->room) return ball;
    lethe_meaning_neighbour *copy = lethe_new(b->arena, lethe_meaning_neighbour, keep);
    if (!copy) return ball; // only slower without
    memcpy(copy, ball, keep * sizeof *copy);
    b->ball[slot] = copy;
    b->n_kept[slot] = (uint32_t)keep;
    b->kept += keep;
    return ball;
}

const lethe_meaning_neighbour *lethe_ssg_neighbourhoods_of(lethe_ssg_neighbourhoods *b,
                                                           uint32_t term, size_t *n)
{
    uint32_t slot = b->slot[term];
    if (!b->ball[slot] || b->n_kept[slot] < b->n[slot]) return ask(b, term, n);
    *n = b->n[slot];
    return b->ball[slot];
}

const lethe_meaning_neighbour *
lethe_ssg_neighbourhoods_nearest(lethe_ssg_neighbourhoods *b, uint32_t term, size_t *n, bool *whole)
{
    uint32_t slot = b->slot[term];
    const lethe_meaning_neighbour *ball = b->ball[slot];
    *n = b->n_kept[slot];
    if (!ball) ball = ask(b, term, n);
    *whole = *n == b->n[slot];
    return ball;
}
