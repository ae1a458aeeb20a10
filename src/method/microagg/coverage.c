/* SPDX-License-Identifier: Apache-2.0 */
/* coverage.c - the list with the greatest gains, text by text. */
#include "method/microagg/coverage.h"
#include "core/sort.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* A member's count of a category, and what each of these is worth to the member. */
struct share {
    uint32_t count, worth;
};

/* What a category is still worth: it is covered `covered` times, and the members from shares[at] on
 * have a higher count. */
struct need {
    uint32_t category;
    uint64_t at, end; /* in the shares, by count */
    uint64_t covered;
    uint64_t worth; /* of one more: the sum of theirs */
};

/* A text of some member that may be published. */
struct candidate {
    uint32_t published, source;
    uint64_t place; /* among all texts of the members */
    uint64_t times; /* that the members asked it */
    uint64_t copies;
    uint64_t gain; /* of one more copy, or a bound */
};

lethe_err lethe_coverage_new(const lethe_directory *dir, uint32_t levels, lethe_coverage *out)
{
    size_t n = lethe_directory_categories(dir);
    lethe_coverage c = {.slot = lethe_alloc(n, sizeof *c.slot),
                        .total = lethe_alloc(levels, sizeof *c.total)};
    lethe_err err = c.slot && c.total ? lethe_microagg_tally_new(dir, &c.text) : LETHE_ENOMEM;
    for (size_t i = 0; err == LETHE_OK && i < n; i++)
        c.slot[i] = LETHE_NONE;
    if (err == LETHE_OK)
        *out = c;
    else
        lethe_coverage_free(&c);
    return err;
}

void lethe_coverage_free(lethe_coverage *c)
{
    lethe_microagg_tally_free(&c->text);
    lethe_free(c->slot);
    lethe_free(c->total);
    lethe_buf_free(&c->needs);
    lethe_buf_free(&c->shares);
    lethe_buf_free(&c->candidates);
    lethe_buf_free(&c->heap);
    *c = (lethe_coverage){0};
}

static struct need *needs_of(const lethe_coverage *c) { return (struct need *)(void *)c->needs.at; }

static struct candidate *candidates_of(const lethe_coverage *c)
{
    return (struct candidate *)(void *)c->candidates.at;
}

/* --- what the members need --- */

static int by_count(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    return (x->count > y->count) - (x->count < y->count);
}

/* Adds the categories of a member, and counts in `end` the members who have each. */
static lethe_err count_needs(lethe_coverage *c, const lethe_microagg_interests *of, uint32_t user)
{
    for (uint64_t i = of->start[user]; i < of->start[user + 1]; i++) {
        uint32_t *slot = &c->slot[of->category[i]];
        struct need new = {.category = of->category[i]};
        if (*slot == LETHE_NONE) {
            *slot = (uint32_t)(c->needs.n / sizeof new);
            if (lethe_buf_put(&c->needs, &new, sizeof new) != LETHE_OK) {
                *slot = LETHE_NONE;
                return LETHE_ENOMEM;
            }
        }
        needs_of(c)[*slot].end++;
    }
    return LETHE_OK;
}

static void write_shares(lethe_coverage *c, const lethe_coverage_source *s, uint32_t user)
{
    const lethe_microagg_interests *of = s->interests;
    struct share *shares = (struct share *)(void *)c->shares.at;
    memset(c->total, 0, s->levels * sizeof *c->total);
    for (uint64_t i = of->start[user]; i < of->start[user + 1]; i++)
        c->total[lethe_directory_level(c->text.dir, of->category[i]) - 1] += of->count[i];
    for (uint64_t i = of->start[user]; i < of->start[user + 1]; i++) {
        struct need *need = &needs_of(c)[c->slot[of->category[i]]];
        uint64_t total = c->total[lethe_directory_level(c->text.dir, of->category[i]) - 1];
        uint32_t worth = (uint32_t)(LETHE_COVERAGE_UNIT / total);
        shares[need->end++] = (struct share){of->count[i], worth};
        need->worth += worth;
    }
}

/* The counts of all members, category by category, each in order of counts. */
static lethe_err find_needs(lethe_coverage *c, const lethe_coverage_source *s,
                            const uint32_t *member, size_t n)
{
    uint64_t all = 0;
    c->needs.n = c->shares.n = 0;
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(count_needs(c, s->interests, member[i]));
    struct need *needs = needs_of(c);
    size_t n_needs = c->needs.n / sizeof *needs;
    for (size_t i = 0; i < n_needs; i++) {
        uint64_t members = needs[i].end;
        needs[i].at = needs[i].end = all;
        all += members;
    }
    LETHE_TRY(lethe_buf_reserve(&c->shares, all * sizeof(struct share)));
    for (size_t i = 0; i < n; i++)
        write_shares(c, s, member[i]);
    struct share *shares = (struct share *)(void *)c->shares.at;
    for (size_t i = 0; i < n_needs; i++)
        qsort(shares + needs[i].at, needs[i].end - needs[i].at, sizeof *shares, by_count);
    return LETHE_OK;
}

static void forget_needs(lethe_coverage *c)
{
    for (size_t i = 0; i < c->needs.n / sizeof(struct need); i++)
        c->slot[needs_of(c)[i].category] = LETHE_NONE;
}

/* What a category gains if it is covered `times` times more.  Fits 64 bits: no text is worth more
 * than all interests of all members. */
static uint64_t cover(const lethe_coverage *c, struct need *need, uint64_t times)
{
    const struct share *shares = (const struct share *)(const void *)c->shares.at;
    uint64_t gain = 0, end = need->covered + times;
    while (need->at < need->end && need->covered < end) {
        uint64_t next = LETHE_MIN(end, shares[need->at].count);
        gain += (next - need->covered) * need->worth;
        need->covered = next;
        for (; need->at < need->end && shares[need->at].count == need->covered; need->at++)
            need->worth -= shares[need->at].worth;
    }
    need->covered = end;
    return gain;
}

static void read_text(lethe_coverage *c, const lethe_coverage_source *s, uint32_t text)
{
    lethe_microagg_tally_clear(&c->text);
    lethe_microagg_tally_add(&c->text, s->classes, text, 1, s->best);
}

static uint64_t gain_of(lethe_coverage *c, const lethe_coverage_source *s, uint32_t text)
{
    uint64_t gain = 0;
    read_text(c, s, text);
    for (uint32_t i = 0; i < c->text.n; i++) {
        uint32_t category = c->text.touched[i];
        struct need need = needs_of(c)[c->slot[category]];
        gain += cover(c, &need, c->text.count[category]);
    }
    return gain;
}

static void cover_text(lethe_coverage *c, const lethe_coverage_source *s, uint32_t text)
{
    read_text(c, s, text);
    for (uint32_t i = 0; i < c->text.n; i++) {
        uint32_t category = c->text.touched[i];
        (void)cover(c, &needs_of(c)[c->slot[category]], c->text.count[category]);
    }
}

/* --- what may be taken --- */

static int by_published(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->published != y->published) return x->published < y->published ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Lists what the members may be published with, each text once, in order of the first member who
 * has it and of that member's queries.  *queries: of all members, also those that are barred. */
static lethe_err find_candidates(lethe_coverage *c, const lethe_coverage_source *s,
                                 const uint32_t *member, size_t members, uint64_t *queries,
                                 size_t *n)
{
    const lethe_user_texts *t = s->texts->of;
    uint64_t place = 0;
    c->candidates.n = 0;
    *queries = *n = 0;
    for (size_t m = 0; m < members; m++)
        for (uint64_t i = t->start[member[m]]; i < t->start[member[m] + 1]; i++) {
            uint32_t published = lethe_centroid_published(s->texts, t->text[i]);
            struct candidate new = {published, t->text[i], place++, t->queries[i], 0, 0};
            *queries += t->queries[i];
            if (published == LETHE_NONE || s->texts->barred[published]) continue;
            LETHE_TRY(lethe_buf_put(&c->candidates, &new, sizeof new));
        }
    struct candidate *at = candidates_of(c);
    size_t all = c->candidates.n / sizeof *at;
    if (all == 0) return LETHE_OK;
    qsort(at, all, sizeof *at, by_published);
    for (size_t i = 0; i < all; i++)
        if (*n > 0 && at[*n - 1].published == at[i].published)
            at[*n - 1].times += at[i].times;
        else
            at[(*n)++] = at[i];
    qsort(at, *n, sizeof *at, by_place);
    return LETHE_OK;
}

/* --- three ways of taking texts --- */

static int by_remainder(const void *a, const void *b)
{
    const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return by_place(x, y);
}

/* Texts without a category: as many copies as the members asked on average, by largest remainders.
 * Returns the sum of the copies. */
static uint64_t take_unclassified(lethe_coverage *c, const lethe_coverage_source *s, size_t n,
                                  size_t members)
{
    struct candidate *at = candidates_of(c), **some = (struct candidate **)(void *)c->heap.at;
    uint64_t queries = 0, taken = 0;
    size_t n_some = 0;
    for (size_t i = 0; i < n; i++) {
        read_text(c, s, at[i].source);
        if (c->text.n > 0) continue;
        queries += at[i].times;
        taken += at[i].copies = at[i].times / members;
        at[i].gain = at[i].times % members;
        some[n_some++] = &at[i];
    }
    uint64_t quota = lethe_centroid_quota(queries, members);
    if (n_some > 1) qsort(some, n_some, sizeof(struct candidate *), by_remainder);
    for (size_t i = 0; taken < quota; i++, taken++)
        some[i]->copies++;
    return taken;
}

/* Is x taken before y?  By its gain; then by how few copies there are for the times that it was
 * asked, so that texts of the same categories have a part each; then by its place. */
static bool before(const struct candidate *x, const struct candidate *y)
{
    if (x->gain != y->gain) return x->gain > y->gain;
    wide mine = (wide)(x->copies + 1) * y->times, theirs = (wide)(y->copies + 1) * x->times;
    return mine != theirs ? mine < theirs : x->place < y->place;
}

static void sift_down(struct candidate **heap, size_t n, size_t i)
{
    struct candidate *x = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(heap[child + 1], heap[child])) child++;
        if (before(x, heap[child])) break;
        heap[i] = heap[child];
    }
    heap[i] = x;
}

/* At most `most` times the text with the greatest gain, while there is any.  Gains only fall, so
 * that one which was computed before is a bound, and the first of the heap is the next one if its
 * own has not changed.  Returns how many were taken. */
static uint64_t take_coverage(lethe_coverage *c, const lethe_coverage_source *s, size_t n,
                              uint64_t most)
{
    struct candidate *at = candidates_of(c), **heap = (struct candidate **)(void *)c->heap.at;
    uint64_t taken = 0;
    size_t in_heap = 0;
    for (size_t i = 0; i < n; i++) {
        at[i].gain = gain_of(c, s, at[i].source);
        if (at[i].gain > 0) heap[in_heap++] = &at[i];
    }
    for (size_t i = in_heap / 2; i-- > 0;)
        sift_down(heap, in_heap, i);
    while (in_heap > 0 && taken < most) {
        struct candidate *first = heap[0];
        uint64_t gain = gain_of(c, s, first->source);
        if (gain == first->gain) {
            cover_text(c, s, first->source);
            first->copies++;
            taken++;
            gain = gain_of(c, s, first->source);
        }
        first->gain = gain;
        if (gain == 0) heap[0] = heap[--in_heap];
        if (in_heap > 0) sift_down(heap, in_heap, 0);
    }
    return taken;
}

static int by_times(const void *a, const void *b)
{
    const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;
    if (x->times != y->times) return x->times > y->times ? -1 : 1;
    return by_place(x, y);
}

/* The texts that were asked most, none more often than it was asked. */
static void fill(lethe_coverage *c, size_t n, uint64_t most)
{
    struct candidate *at = candidates_of(c), **order = (struct candidate **)(void *)c->heap.at;
    if (n == 0 || most == 0) return;
    for (size_t i = 0; i < n; i++)
        order[i] = &at[i];
    qsort(order, n, sizeof(struct candidate *), by_times);
    for (size_t i = 0; i < n && most > 0; i++) {
        uint64_t left = order[i]->times - LETHE_MIN(order[i]->times, order[i]->copies);
        uint64_t more = LETHE_MIN(left, most);
        order[i]->copies += more;
        most -= more;
    }
}

/* --- the list --- */

static lethe_err choose(lethe_coverage *c, const lethe_coverage_source *s, const uint32_t *member,
                        size_t n, lethe_centroid *list)
{
    uint64_t queries;
    size_t found;
    LETHE_TRY(find_needs(c, s, member, n));
    LETHE_TRY(find_candidates(c, s, member, n, &queries, &found));
    LETHE_TRY(lethe_buf_reserve(&c->heap, found * sizeof(struct candidate *)));
    uint64_t length = lethe_centroid_quota(queries, n);
    length -= take_unclassified(c, s, found, n);
    length -= take_coverage(c, s, found, length);
    fill(c, found, length);
    const struct candidate *at = candidates_of(c);
    for (size_t i = 0; i < found; i++) {
        lethe_centroid_query q = {at[i].published, at[i].source, at[i].copies};
        if (q.copies > 0) LETHE_TRY(lethe_centroid_add(list, &q));
    }
    return LETHE_OK;
}

lethe_err lethe_coverage_choose(lethe_coverage *c, const lethe_coverage_source *s,
                                const uint32_t *member, size_t n, lethe_centroid *list)
{
    lethe_centroid_clear(list);
    lethe_err err = choose(c, s, member, n, list);
    forget_needs(c);
    if (err == LETHE_OK) lethe_centroid_close(list);
    return err;
}
