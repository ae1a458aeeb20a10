/* SPDX-License-Identifier: Apache-2.0 */
/* centroid.c - Algorithm 5 of Erola and others: the share of each member in the list of its group.
 */
#include "method/microagg/centroid.h"
#include "core/sort.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* --- one member --- */

uint64_t lethe_centroid_quota(uint64_t queries, uint64_t members)
{
    assert(members > 0);
    uint64_t whole = queries / members, rest = queries % members;
    return whole + (rest >= members - rest);
}

lethe_centroid_copies lethe_centroid_expect(uint64_t queries, uint64_t times, uint64_t of)
{
    assert(of > 0 && queries <= of && times <= queries);
    wide p = (wide)queries * times; // may exceed 64 bits
    return (lethe_centroid_copies){(uint64_t)(p / of), (uint64_t)(p % of), of};
}

uint64_t lethe_centroid_take(const uint64_t *times, size_t n, uint64_t members, uint64_t of,
                             lethe_centroid_coin_fn coin, void *arg, uint64_t *copies)
{
    uint64_t queries = 0, taken = 0;
    for (size_t i = 0; i < n; i++)
        queries += times[i];
    uint64_t quota = lethe_centroid_quota(queries, members);
    for (size_t i = 0; i < n; i++) {
        copies[i] = 0;
        if (taken == quota) continue;
        lethe_centroid_copies e = lethe_centroid_expect(queries, times[i], of);
        uint64_t c = e.copies + (e.more > 0 && coin(arg, e.more, e.of));
        copies[i] = LETHE_MIN(c, quota - taken);
        taken += copies[i];
    }
    return taken;
}

/* --- a group --- */

struct item {
    uint32_t published, source;
    uint64_t times;
    uint64_t place; /* among the user's texts: sorting need not be stable */
};

static int by_published(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->published != y->published) return x->published < y->published ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_times(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->times != y->times) return x->times < y->times ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Lists the user's texts, as published, in order of repetitions. */
static lethe_err list_texts(lethe_centroid *c, const lethe_centroid_texts *l, uint32_t user,
                            size_t *n)
{
    const lethe_user_texts *t = l->of;
    c->list.n = 0;
    for (uint64_t i = t->start[user]; i < t->start[user + 1]; i++) {
        uint32_t published = lethe_centroid_published(l, t->text[i]);
        if (published == LETHE_NONE || l->barred[published]) continue;
        struct item item = {published, t->text[i], t->queries[i], i};
        LETHE_TRY(lethe_buf_put(&c->list, &item, sizeof item));
    }
    struct item *at = (struct item *)(void *)c->list.at;
    *n = c->list.n / sizeof *at;
    if (l->published && *n > 1) { // merge texts with one label, at the place of the first
        size_t last = 0;
        qsort(at, *n, sizeof *at, by_published);
        for (size_t i = 1; i < *n; i++) {
            if (at[i].published == at[last].published)
                at[last].times += at[i].times;
            else
                at[++last] = at[i];
        }
        *n = last + 1;
    }
    if (*n > 1) qsort(at, *n, sizeof *at, by_times);
    return LETHE_OK;
}

/* Adds a member's share to the list; `of`: the number of queries of all members. */
static lethe_err draw_from(lethe_centroid *c, const lethe_centroid_texts *l, uint32_t user,
                           size_t members, uint64_t of, lethe_centroid_coin_fn coin, void *arg)
{
    size_t n = 0;
    LETHE_TRY(list_texts(c, l, user, &n));
    if (n == 0) return LETHE_OK;
    const struct item *item = (const struct item *)(const void *)c->list.at;
    c->times.n = c->copies.n = 0;
    LETHE_TRY(lethe_buf_reserve(&c->times, n * sizeof(uint64_t)));
    LETHE_TRY(lethe_buf_reserve(&c->copies, n * sizeof(uint64_t)));
    uint64_t *times = (uint64_t *)(void *)c->times.at, *copies = (uint64_t *)(void *)c->copies.at;
    for (size_t i = 0; i < n; i++)
        times[i] = item[i].times;
    (void)lethe_centroid_take(times, n, members, of, coin, arg, copies);
    for (size_t i = 0; i < n; i++) {
        lethe_centroid_query d = {item[i].published, item[i].source, copies[i]};
        if (copies[i] > 0) LETHE_TRY(lethe_centroid_add(c, &d));
    }
    return LETHE_OK;
}

lethe_err lethe_centroid_draw(lethe_centroid *c, const lethe_centroid_texts *l,
                              const uint32_t *member, size_t n, lethe_centroid_coin_fn coin,
                              void *arg)
{
    const lethe_user_texts *t = l->of;
    uint64_t of = 0;
    lethe_centroid_clear(c);
    for (size_t i = 0; i < n; i++)
        for (uint64_t k = t->start[member[i]]; k < t->start[member[i] + 1]; k++) {
            uint32_t published = lethe_centroid_published(l, t->text[k]);
            if (published != LETHE_NONE && !l->barred[published]) of += t->queries[k];
        }
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(draw_from(c, l, member[i], n, of, coin, arg));
    lethe_centroid_close(c);
    return LETHE_OK;
}

/* --- the list --- */

void lethe_centroid_clear(lethe_centroid *c) { c->drawn.n = c->published.n = 0; }

lethe_err lethe_centroid_add(lethe_centroid *c, const lethe_centroid_query *q)
{
    LETHE_TRY(lethe_buf_put(&c->published, &q->published, sizeof q->published));
    return lethe_buf_put(&c->drawn, q, sizeof *q);
}

void lethe_centroid_close(lethe_centroid *c)
{
    if (c->published.n > 0)
        qsort(c->published.at, c->published.n / sizeof(uint32_t), sizeof(uint32_t), lethe_u32_cmp);
}

const lethe_centroid_query *lethe_centroid_list(const lethe_centroid *c, size_t *n)
{
    *n = c->drawn.n / sizeof(lethe_centroid_query);
    return (const lethe_centroid_query *)(const void *)c->drawn.at;
}

bool lethe_centroid_has(const lethe_centroid *c, uint32_t published)
{
    return c->published.n > 0 &&
           bsearch(&published, c->published.at, c->published.n / sizeof published, sizeof published,
                   lethe_u32_cmp) != NULL;
}

void lethe_centroid_free(lethe_centroid *c)
{
    lethe_buf_free(&c->list);
    lethe_buf_free(&c->times);
    lethe_buf_free(&c->copies);
    lethe_buf_free(&c->drawn);
    lethe_buf_free(&c->published);
}
