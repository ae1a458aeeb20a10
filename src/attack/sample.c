/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - draws persons, and for each the items that the adversary knows, from one random stream
 * per person. */
#include "attack/sample.h"
#include "core/rng.h"
#include "core/sort.h"
#include <stdlib.h>

struct drawer {
    const lethe_records *r;
    const lethe_person_sample_options *by;
    const lethe_secret *secret;
    lethe_arena *a;
    lethe_person_sample *d;
    uint32_t *place;  /* by owner: which person; LETHE_NONE: not drawn */
    uint32_t *number; /* by node: its number among the items there are */
    uint32_t *item;   /* public items that some record has, ascending */
    uint32_t n_items;
    bool *taken;   /* by number in what a person lacks */
    lethe_buf own; /* uint32_t each */
};

static bool is_public(const struct drawer *w, uint64_t at)
{
    uint32_t v = w->r->item[at];
    return v < w->by->n_public && !(w->by->unknown && w->by->unknown[v]);
}

/* Can something be known of the record: a public item and, where these are known, a sensitive one?
 */
static bool is_eligible(const struct drawer *w, size_t record)
{
    bool public = false, sensitive = w->by->sensitive == 0;
    for (uint64_t i = w->r->start[record]; i < w->r->start[record + 1]; i++) {
        public = public || is_public(w, i);
        sensitive = sensitive || !is_public(w, i);
    }
    return public && sensitive;
}

/* The public items of some records, ascending and distinct, in `own`; how many. */
static lethe_err own_gather(struct drawer *w, const size_t *record, size_t n, size_t *n_own)
{
    w->own.n = *n_own = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t k = w->r->start[record[i]]; k < w->r->start[record[i] + 1]; k++)
            if (is_public(w, k)) LETHE_TRY(lethe_buf_put(&w->own, &w->r->item[k], 4));
    uint32_t *at = (uint32_t *)(void *)w->own.at;
    size_t all = w->own.n / sizeof *at;
    if (all > 1) qsort(at, all, sizeof *at, lethe_u32_cmp);
    for (size_t i = 0; i < all; i++)
        if (*n_own == 0 || at[*n_own - 1] != at[i]) at[(*n_own)++] = at[i];
    return LETHE_OK;
}

/* Some of the record's sensitive items go behind the n that `to` has; how many it then has.
 * Sensitive items are numbered behind public ones, and ascend: order and order of items agree. */
static size_t sensitive_draw(const struct drawer *w, uint32_t owner, size_t record, uint32_t *to,
                             size_t n)
{
    lethe_rng rng = lethe_rng_stream(w->secret, "presence sensitive", owner);
    uint64_t left = 0, wanted;
    for (uint64_t i = w->r->start[record]; i < w->r->start[record + 1]; i++)
        left += !is_public(w, i);
    wanted = LETHE_MIN(left, w->by->sensitive);
    for (uint64_t i = w->r->start[record]; i < w->r->start[record + 1] && wanted > 0; i++) {
        if (is_public(w, i)) continue;
        bool takes = lethe_rng_below(&rng, left--) < wanted;
        if (takes) to[n++] = w->r->item[i];
        wanted -= takes;
    }
    lethe_rng_wipe(&rng);
    return n;
}

/* One of the person's records that can be known, and items of it. */
static lethe_err present_draw(struct drawer *w, lethe_sampled_person *p)
{
    lethe_rng rng = lethe_rng_stream(w->secret, "presence items", p->owner);
    uint64_t n_full = 0;
    size_t record = 0, size = 0, n = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t one = w->d->record[p->first + i];
        if (is_eligible(w, one) && lethe_rng_below(&rng, ++n_full) == 0) record = one;
    }
    lethe_err e = own_gather(w, &record, 1, &size);
    size_t wanted = (size_t)LETHE_MIN(size, w->by->present);
    size_t most = wanted + (size_t)LETHE_MIN(w->by->sensitive, lethe_record_size(w->r, record));
    uint32_t *to = e == LETHE_OK ? lethe_new(w->a, uint32_t, most + 1) : NULL;
    for (size_t i = 0; to && n < wanted; i++)
        if (lethe_rng_below(&rng, size - i) < wanted - n)
            to[n++] = ((const uint32_t *)(const void *)w->own.at)[i];
    lethe_rng_wipe(&rng);
    if (to && w->by->sensitive > 0) n = sensitive_draw(w, p->owner, record, to, n);
    p->present = to;
    p->n_present = n;
    return to ? LETHE_OK : LETHE_ENOMEM;
}

/* R. Floyd's way to draw some of many, each set as likely as any other, in as many steps. */
static lethe_err absent_draw(struct drawer *w, lethe_sampled_person *p)
{
    size_t n_own, n = 0;
    LETHE_TRY(own_gather(w, w->d->record + p->first, p->n, &n_own));
    uint64_t lacks = w->n_items - n_own, wanted = LETHE_MIN(lacks, w->by->absent);
    uint32_t *to = lethe_new(w->a, uint32_t, wanted + 1);
    if (!to) return LETHE_ENOMEM;
    lethe_rng rng = lethe_rng_stream(w->secret, "absence items", p->owner);
    for (uint64_t last = lacks - wanted; last < lacks; last++) {
        uint64_t one = lethe_rng_below(&rng, last + 1);
        if (w->taken[one]) one = last;
        w->taken[one] = true;
        to[n++] = (uint32_t)one;
    }
    lethe_rng_wipe(&rng);
    const uint32_t *own = (const uint32_t *)(const void *)w->own.at;
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = n_own; // own items before the to[i]-th that is lacking
        w->taken[to[i]] = false;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (w->number[own[middle]] - middle <= to[i])
                low = middle + 1;
            else
                high = middle;
        }
        to[i] = w->item[to[i] + low];
    }
    if (n > 1) qsort(to, n, sizeof *to, lethe_u32_cmp);
    p->absent = to;
    p->n_absent = n;
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err draw(struct drawer *w)
{
    lethe_person_sample *d = w->d;
    const lethe_records *r = w->r;
    size_t all = 0;
    w->number = lethe_new(w->a, uint32_t, (size_t)w->by->n_nodes + 1);
    w->item = lethe_new(w->a, uint32_t, (size_t)w->by->n_nodes + 1);
    w->taken = lethe_new(w->a, bool, (size_t)w->by->n_nodes + 1);
    w->place = lethe_new(w->a, uint32_t, (size_t)r->n_owners + 1);
    uint32_t *list = lethe_new(w->a, uint32_t, (size_t)r->n_owners + 1);
    if (!w->number || !w->item || !w->taken || !w->place || !list) return LETHE_ENOMEM;
    // persons of whom something can be known, in the order of their numbers
    for (size_t i = 0; i < r->n; i++)
        if (is_eligible(w, i)) w->place[r->owner[i]] = 1;
    for (uint32_t o = 0; o < r->n_owners; o++)
        if (w->place[o]) list[d->n_eligible++] = o;
    d->n = (size_t)LETHE_MIN(d->n_eligible, w->by->persons);
    d->person = lethe_new(w->a, lethe_sampled_person, d->n + 1);
    if (!d->person) return LETHE_ENOMEM;
    lethe_rng rng = lethe_rng_stream(w->secret, "presence persons", 0);
    memset(w->place, 0xff, r->n_owners * sizeof *w->place); // LETHE_NONE
    for (size_t i = 0; i < d->n; i++) {                     // without putting back
        size_t j = i + (size_t)lethe_rng_below(&rng, d->n_eligible - i);
        d->person[i].owner = list[j];
        w->place[list[j]] = (uint32_t)i;
        list[j] = list[i];
    }
    lethe_rng_wipe(&rng);
    // which records are whose
    for (size_t i = 0; i < r->n; i++)
        if (w->place[r->owner[i]] != LETHE_NONE) d->person[w->place[r->owner[i]]].n++;
    for (size_t i = 0; i < d->n; i++) {
        d->person[i].first = all;
        all += d->person[i].n;
        d->person[i].n = 0;
    }
    d->record = lethe_new(w->a, size_t, all + 1);
    if (!d->record) return LETHE_ENOMEM;
    for (size_t i = 0; i < r->n; i++) {
        if (w->place[r->owner[i]] == LETHE_NONE) continue;
        lethe_sampled_person *p = &d->person[w->place[r->owner[i]]];
        d->record[p->first + p->n++] = i;
    }
    for (uint64_t i = 0; i < r->start[r->n]; i++)
        if (is_public(w, i)) w->number[r->item[i]] = 1;
    for (uint32_t v = 0; v < w->by->n_public; v++) {
        if (w->number[v] == 0) continue;
        w->number[v] = w->n_items;
        w->item[w->n_items++] = v;
    }
    for (size_t i = 0; i < d->n; i++) {
        LETHE_TRY(present_draw(w, &d->person[i]));
        LETHE_TRY(absent_draw(w, &d->person[i]));
    }
    return LETHE_OK;
}

lethe_err lethe_person_sample_draw(const lethe_records *r, const lethe_person_sample_options *by,
                                   lethe_arena *a, lethe_person_sample *out)
{
    lethe_secret *secret = NULL;
    lethe_person_sample made = {0};
    struct drawer w = {.r = r, .by = by, .a = a, .d = &made};
    lethe_err e = lethe_secret_from_seed(by->seed, &secret);
    w.secret = secret;
    if (e == LETHE_OK) e = draw(&w);
    lethe_secret_free(secret);
    lethe_buf_free(&w.own);
    if (e == LETHE_OK) *out = made;
    return e;
}
