#include "algo/balls.h"

enum { BALLS_MOST = 16 << 20 }; /* entries that are kept */

lethe_err lethe_balls_new(const lethe_meaning *m, const uint32_t *terms, size_t n,
                          lethe_balls **out)
{
    lethe_balls *b = lethe_alloc_zero(1, sizeof *b);
    if (!b) return LETHE_ENOMEM;
    b->end = n ? terms[n - 1] + 1 : 0;
    b->n_slots = (uint32_t)n;
    b->slot = lethe_alloc_zero(b->end, sizeof *b->slot);
    b->ball = lethe_alloc_zero(n, sizeof *b->ball);
    b->n = lethe_alloc_zero(n, sizeof *b->n);
    b->arena = lethe_arena_new();
    if (!b->slot || !b->ball || !b->n || !b->arena || lethe_asker_new(m, &b->asker) != LETHE_OK) {
        lethe_balls_free(b);
        return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        b->slot[terms[i]] = i;
    *out = b;
    return LETHE_OK;
}

void lethe_balls_free(lethe_balls *b)
{
    if (!b) return;
    lethe_asker_free(b->asker);
    lethe_free(b->slot);
    lethe_free(b->ball);
    lethe_free(b->n);
    lethe_arena_free(b->arena);
    lethe_free(b);
}

const lethe_near *lethe_balls_of(lethe_balls *b, uint32_t term, size_t *n)
{
    uint32_t slot = b->slot[term];
    if (b->ball[slot]) {
        *n = b->n[slot];
        return b->ball[slot];
    }
    const lethe_near *ball = lethe_asker_ball(b->asker, term, n);
    if (b->kept + *n > BALLS_MOST) return ball;
    lethe_near *copy = lethe_new(b->arena, lethe_near, *n);
    if (!copy) return ball; // only slower without
    memcpy(copy, ball, *n * sizeof *copy);
    b->ball[slot] = copy;
    b->n[slot] = (uint32_t)*n;
    b->kept += *n;
    return copy;
}
