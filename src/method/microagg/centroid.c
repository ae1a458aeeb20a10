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
    wide p = (wide)queries * times; // it may pass 64 bits
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

/* --- its list --- */

struct item {
    uint32_t shown, source;
    uint64_t times;
    uint64_t place; /* among the user's: sorting need not be stable */
};

static int by_shown(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->shown != y->shown) return x->shown < y->shown ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_times(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->times != y->times) return x->times < y->times ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Texts of which the same is published are one, in the place of the first. */
static size_t merge(struct item *at, size_t n)
{
    size_t kept = 0;
    if (n == 0) return 0;
    qsort(at, n, sizeof *at, by_shown);
    for (size_t i = 1; i < n; i++) {
        if (at[i].shown == at[kept].shown)
            at[kept].times += at[i].times;
        else
            at[++kept] = at[i];
    }
    return kept + 1;
}

static bool is_listed(const lethe_centroid_texts *l, uint32_t shown)
{
    return shown != LETHE_NONE && !l->barred[shown];
}

static uint64_t queries_of(const lethe_centroid_texts *l, uint32_t user)
{
    const lethe_user_texts *t = l->of;
    uint64_t n = 0;
    for (uint64_t i = t->start[user]; i < t->start[user + 1]; i++)
        if (is_listed(l, lethe_centroid_published(l, t->text[i]))) n += t->queries[i];
    return n;
}

static lethe_err load(lethe_centroid *c, const lethe_centroid_texts *l, uint32_t user, size_t *n)
{
    const lethe_user_texts *t = l->of;
    c->list.n = 0;
    for (uint64_t i = t->start[user]; i < t->start[user + 1]; i++) {
        struct item item = {lethe_centroid_published(l, t->text[i]), t->text[i], t->queries[i], i};
        if (is_listed(l, item.shown)) LETHE_TRY(lethe_buf_put(&c->list, &item, sizeof item));
    }
    struct item *at = (struct item *)(void *)c->list.at;
    *n = c->list.n / sizeof *at;
    if (l->shown) *n = merge(at, *n);
    if (*n > 1) qsort(at, *n, sizeof *at, by_times);
    return LETHE_OK;
}

/* --- a group --- */

static uint64_t *room_for(lethe_buf *b, size_t n)
{
    b->n = 0;
    return lethe_buf_reserve(b, n * sizeof(uint64_t)) == LETHE_OK ? (uint64_t *)(void *)b->at
                                                                  : NULL;
}

static lethe_err add(lethe_centroid *c, const struct item *item, uint64_t copies)
{
    lethe_centroid_query d = {item->shown, item->source, copies};
    if (copies == 0) return LETHE_OK;
    LETHE_TRY(lethe_buf_put(&c->shown, &d.shown, sizeof d.shown));
    return lethe_buf_put(&c->drawn, &d, sizeof d);
}

/* What a member gives to the list; `of`: the queries of all members. */
static lethe_err draw_from(lethe_centroid *c, const lethe_centroid_texts *l, uint32_t user,
                           size_t members, uint64_t of, lethe_centroid_coin_fn coin, void *arg)
{
    size_t n = 0;
    LETHE_TRY(load(c, l, user, &n));
    if (n == 0) return LETHE_OK;
    const struct item *item = (const struct item *)(const void *)c->list.at;
    uint64_t *times = room_for(&c->times, n), *copies = room_for(&c->copies, n);
    if (!times || !copies) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        times[i] = item[i].times;
    (void)lethe_centroid_take(times, n, members, of, coin, arg, copies);
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(add(c, &item[i], copies[i]));
    return LETHE_OK;
}

lethe_err lethe_centroid_draw(lethe_centroid *c, const lethe_centroid_texts *l,
                              const uint32_t *member, size_t n, lethe_centroid_coin_fn coin,
                              void *arg)
{
    uint64_t of = 0;
    c->drawn.n = c->shown.n = 0;
    for (size_t i = 0; i < n; i++)
        of += queries_of(l, member[i]);
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(draw_from(c, l, member[i], n, of, coin, arg));
    if (c->shown.n > 0)
        qsort(c->shown.at, c->shown.n / sizeof(uint32_t), sizeof(uint32_t), lethe_u32_cmp);
    return LETHE_OK;
}

const lethe_centroid_query *lethe_centroid_list(const lethe_centroid *c, size_t *n)
{
    *n = c->drawn.n / sizeof(lethe_centroid_query);
    return (const lethe_centroid_query *)(const void *)c->drawn.at;
}

bool lethe_centroid_has(const lethe_centroid *c, uint32_t shown)
{
    return c->shown.n > 0 && bsearch(&shown, c->shown.at, c->shown.n / sizeof shown, sizeof shown,
                                     lethe_u32_cmp) != NULL;
}

void lethe_centroid_free(lethe_centroid *c)
{
    lethe_buf_free(&c->list);
    lethe_buf_free(&c->times);
    lethe_buf_free(&c->copies);
    lethe_buf_free(&c->drawn);
    lethe_buf_free(&c->shown);
}
