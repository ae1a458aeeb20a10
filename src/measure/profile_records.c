/* SPDX-License-Identifier: Apache-2.0 */
/* profile_records.c - what is in records (baskets), and how identifying it is.
 *
 * A person's items are those of all its records, each once.  A set of items singles a person out if
 * nobody else has all of them.  Whether some set of at most two or three does is decided without
 * going through the sets: person p has, for everybody else q, the mask of those of its items that q
 * has too.  Items a and b are joined by all q who have both; what none of these q has, a third item
 * c of p's, makes {a, b, c} p's alone. */
#include "measure/measure.h"
#include "core/rng.h"
#include "io/json/json.h"
#include <stdlib.h>

enum { PERSON_PART = 8 }; /* of all work, what one person may take */

typedef struct lists {
    uint64_t *start; /* n + 1 */
    uint32_t *at;
} lists;

typedef struct survey {
    lethe_ctx *ctx;
    const lethe_records *in;
    lethe_arena *arena;
    uint32_t n_items;
    lists items;       /* of each person, distinct, the rarest first */
    lists persons;     /* of each item, ascending */
    uint32_t *of_rare; /* persons whom no single item singles out; the first `tried` were tried */
    size_t n_rare, tried, undecided;
    size_t
        by[LETHE_SINGLED_MAX + 1]; /* persons whom some n of their items single out, and no fewer */
    /* Of the person at hand: */
    uint32_t *slot; /* of everybody: where the mask is; LETHE_NONE: nothing in common */
    lethe_buf masks;
    size_t n_words;
    uint64_t work, most; /* words of masks that were looked at, so that no result depends on time */
} survey;

static uint64_t length(const lists *l, uint32_t i) { return l->start[i + 1] - l->start[i]; }

static bool lists_new(lethe_arena *a, lists *l, size_t n, uint64_t total)
{
    l->start = lethe_new(a, uint64_t, n + 2); // one more while they are filled
    l->at = lethe_new(a, uint32_t, total + 1);
    if (l->start) memset(l->start, 0, (n + 2) * sizeof *l->start);
    return l->start && l->at;
}

/* Lengths, in start[i + 2], become starts, in start[i + 1]; who fills a list moves it on by one. */
static void lists_begin(lists *l, size_t n)
{
    for (size_t i = 2; i < n + 2; i++)
        l->start[i] += l->start[i - 1];
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* --- persons and items --- */

/* All items of each person, with copies. */
static bool gather(survey *s, lists *all)
{
    const lethe_records *r = s->in;
    if (!lists_new(s->arena, all, r->n_owners, r->start[r->n])) return false;
    for (size_t i = 0; i < r->n; i++)
        all->start[r->owner[i] + 2] += lethe_record_size(r, i);
    lists_begin(all, r->n_owners);
    for (size_t i = 0; i < r->n; i++)
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
            all->at[all->start[r->owner[i] + 1]++] = r->item[k];
    return true;
}

/* Sorts each list and drops copies, in place. */
static void distinct(lists *l, size_t n)
{
    uint64_t to = 0, from = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t end = l->start[i + 1], first = to;
        if (end > from) qsort(l->at + from, end - from, sizeof *l->at, by_number);
        for (uint64_t k = from; k < end; k++)
            if (to == first || l->at[to - 1] != l->at[k]) l->at[to++] = l->at[k];
        from = end;
        l->start[i + 1] = to;
    }
}

static bool persons_of_items(survey *s)
{
    uint32_t n = s->in->n_owners;
    if (!lists_new(s->arena, &s->persons, s->n_items, s->items.start[n])) return false;
    for (uint64_t k = 0; k < s->items.start[n]; k++)
        s->persons.start[s->items.at[k] + 2]++;
    lists_begin(&s->persons, s->n_items);
    for (uint32_t p = 0; p < n; p++)
        for (uint64_t k = s->items.start[p]; k < s->items.start[p + 1]; k++)
            s->persons.at[s->persons.start[s->items.at[k] + 1]++] = p;
    return true;
}

/* Items are renumbered by how many persons have them: so the lists of persons are in that order. */
static bool rarest_first(survey *s)
{
    uint32_t *order = lethe_new(s->arena, uint32_t, s->n_items + 1),
             *rank = lethe_new(s->arena, uint32_t, s->n_items + 1);
    uint64_t *from = lethe_new(s->arena, uint64_t, (size_t)s->in->n_owners + 2);
    if (!order || !rank || !from) return false;
    memset(from, 0, ((size_t)s->in->n_owners + 2) * sizeof *from);
    for (uint32_t i = 0; i < s->n_items; i++)
        from[length(&s->persons, i) + 1]++;
    for (size_t i = 1; i < (size_t)s->in->n_owners + 2; i++)
        from[i] += from[i - 1];
    for (uint32_t i = 0; i < s->n_items; i++)
        order[from[length(&s->persons, i)]++] = i;
    for (uint32_t i = 0; i < s->n_items; i++)
        rank[order[i]] = i;
    for (uint64_t k = 0; k < s->items.start[s->in->n_owners]; k++)
        s->items.at[k] = rank[s->items.at[k]];
    for (uint32_t p = 0; p < s->in->n_owners; p++)
        qsort(s->items.at + s->items.start[p], length(&s->items, p), sizeof *s->items.at,
              by_number);
    return persons_of_items(s);
}

/* --- who is singled out --- */

static const uint64_t *mask_of(const survey *s, uint32_t q)
{
    return (const uint64_t *)s->masks.at + (size_t)s->slot[q] * s->n_words;
}

/* What each other person has of p's items.  *fits: false if that is too much. */
static lethe_err masks_make(survey *s, uint32_t p, bool *fits)
{
    const uint32_t *item = s->items.at + s->items.start[p];
    size_t n = length(&s->items, p), others = 0, shared = 0;
    for (size_t i = 0; i < n; i++)
        shared += length(&s->persons, item[i]) - 1;
    s->n_words = (n + 63) / 64;
    size_t room = LETHE_MIN(shared, (size_t)s->in->n_owners) * s->n_words;
    *fits = room <= LETHE_PROFILE_MASKS && shared <= s->most / PERSON_PART;
    if (!*fits) return LETHE_OK;
    s->masks.n = 0;
    if (lethe_buf_reserve(&s->masks, (room + 1) * sizeof(uint64_t)) != LETHE_OK)
        return lethe_no_memory(s->ctx);
    uint64_t *masks = (uint64_t *)s->masks.at;
    for (size_t i = 0; i < n; i++)
        for (uint64_t k = s->persons.start[item[i]]; k < s->persons.start[item[i] + 1]; k++) {
            uint32_t q = s->persons.at[k];
            if (q == p) continue;
            if (s->slot[q] == LETHE_NONE) {
                s->slot[q] = (uint32_t)others++;
                memset(masks + s->slot[q] * s->n_words, 0, s->n_words * sizeof *masks);
            }
            masks[s->slot[q] * s->n_words + i / 64] |= UINT64_C(1) << i % 64;
        }
    s->work += shared;
    return LETHE_OK;
}

static void masks_forget(survey *s, uint32_t p)
{
    for (uint64_t i = s->items.start[p]; i < s->items.start[p + 1]; i++)
        for (uint64_t k = s->persons.start[s->items.at[i]];
             k < s->persons.start[s->items.at[i] + 1]; k++)
            s->slot[s->persons.at[k]] = LETHE_NONE;
}

static bool has_bit(const uint64_t *mask, size_t i) { return mask[i / 64] >> i % 64 & 1; }

/* Is there an item of p's that nobody else has together with its items a and b?  a = b: with a. */
static bool third_is_alone(survey *s, uint32_t p, size_t a, size_t b, uint64_t *seen)
{
    uint32_t item = s->items.at[s->items.start[p] + a];
    size_t n = length(&s->items, p), left = n;
    memset(seen, 0, s->n_words * sizeof *seen);
    for (uint64_t k = s->persons.start[item]; k < s->persons.start[item + 1] && left > 0; k++) {
        s->work++;
        if (s->persons.at[k] == p) continue;
        const uint64_t *mask = mask_of(s, s->persons.at[k]);
        if (!has_bit(mask, b)) continue;
        for (size_t w = 0; w < s->n_words; w++) {
            left -= (size_t)__builtin_popcountll(mask[w] & ~seen[w]);
            seen[w] |= mask[w];
        }
        s->work += s->n_words;
    }
    return left > 0;
}

/* The least number of p's items that single it out: 2, 3, or 0 for more.  *decided: false if the
 * answer would take too long. */
static unsigned singled_by(survey *s, uint32_t p, uint64_t *seen, bool *decided)
{
    uint64_t limit = s->work + s->most / PERSON_PART;
    size_t n = length(&s->items, p);
    for (unsigned m = 2; m <= LETHE_SINGLED_MAX; m++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = m == 2 ? a : a + 1; b < (m == 2 ? a + 1 : n); b++) {
                if (third_is_alone(s, p, a, b, seen)) return m;
                *decided = s->work < limit;
                if (!*decided) return 0;
            }
    return 0;
}

/* Persons whom a single item singles out, and the others, in an order drawn at random. */
static lethe_err persons_draw(survey *s)
{
    lethe_secret *key = NULL;
    LETHE_TRY(lethe_secret_from_seed(1, &key)); // the same sample in each run
    lethe_rng rng = lethe_rng_stream(key, "profile records", 0);
    lethe_secret_free(key);
    for (uint32_t p = 0; p < s->in->n_owners; p++) {
        bool alone =
            length(&s->items, p) > 0 && length(&s->persons, s->items.at[s->items.start[p]]) == 1;
        s->by[1] += alone;
        if (!alone) s->of_rare[s->n_rare++] = p;
    }
    for (size_t i = s->n_rare; i > 1; i--) {
        size_t k = lethe_rng_below(&rng, i);
        uint32_t other = s->of_rare[k];
        s->of_rare[k] = s->of_rare[i - 1];
        s->of_rare[i - 1] = other;
    }
    lethe_rng_wipe(&rng);
    return LETHE_OK;
}

static lethe_err singling_count(survey *s)
{
    uint64_t longest = 0;
    for (uint32_t p = 0; p < s->in->n_owners; p++)
        longest = LETHE_MAX(longest, length(&s->items, p));
    uint64_t *seen = lethe_new(s->arena, uint64_t, longest / 64 + 1);
    s->of_rare = lethe_new(s->arena, uint32_t, (size_t)s->in->n_owners + 1);
    s->slot = lethe_new(s->arena, uint32_t, (size_t)s->in->n_owners + 1);
    if (!seen || !s->of_rare || !s->slot) return lethe_no_memory(s->ctx);
    memset(s->slot, 0xFF, ((size_t)s->in->n_owners + 1) * sizeof *s->slot);
    LETHE_TRY(persons_draw(s));
    lethe_ctx_phase(s->ctx, "singling out", s->n_rare);
    for (; s->tried < s->n_rare && s->work < s->most; s->tried++) {
        uint32_t p = s->of_rare[s->tried];
        bool decided;
        if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(masks_make(s, p, &decided));
        if (decided) {
            s->by[singled_by(s, p, seen, &decided)]++;
            masks_forget(s, p);
        }
        s->undecided += !decided;
        lethe_ctx_advance(s->ctx, 1);
    }
    return LETHE_OK;
}

/* --- figures --- */

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* Of those who were tried, as a part of all: the others are like them. */
static void singled_set(const survey *s, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *list = lethe_json_array(doc);
    size_t found = 0;
    for (unsigned m = 1; m <= LETHE_SINGLED_MAX; m++) {
        lethe_json *o = lethe_json_object(doc);
        if (m > 1) found += s->by[m];
        double more = share(found, s->tried) * (double)s->n_rare;
        lethe_set_count(doc, o, "items", m);
        lethe_set_real(doc, o, "share",
                       s->in->n_owners ? ((double)s->by[1] + more) / s->in->n_owners : 0);
        lethe_json_push(doc, list, o);
    }
    lethe_json_set(doc, out, "singled_out", list);
    lethe_set_count(doc, out, "singled_others", s->n_rare);
    lethe_set_count(doc, out, "singled_tried", s->tried);
    lethe_set_count(doc, out, "singled_undecided", s->undecided);
}

/* What is left of a record if an item needs t persons. */
static void survival_set(const survey *s, const uint64_t *n_persons, lethe_json_doc *doc,
                         lethe_json *out)
{
    const lethe_records *r = s->in;
    lethe_json *list = lethe_json_array(doc);
    for (size_t i = 0; i < LETHE_N_SURVIVAL; i++) {
        uint64_t t = lethe_survival_t[i], items = 0, occurrences = 0, records = 0;
        for (uint32_t k = 0; k < s->n_items; k++)
            items += n_persons[k] >= t;
        for (size_t k = 0; k < r->n; k++) {
            uint64_t before = occurrences;
            for (uint64_t at = r->start[k]; at < r->start[k + 1]; at++)
                occurrences += n_persons[r->item[at]] >= t;
            records += occurrences > before;
        }
        lethe_json *o = lethe_json_object(doc);
        lethe_set_count(doc, o, "t", t);
        lethe_set_count(doc, o, "items", items);
        lethe_set_real(doc, o, "occurrences", share(occurrences, r->start[r->n]));
        lethe_set_real(doc, o, "records", share(records, r->n));
        lethe_json_push(doc, list, o);
    }
    lethe_json_set(doc, out, "survival", list);
}

static lethe_err lengths_set(const survey *s, const uint64_t *n_persons, lethe_json_doc *doc,
                             lethe_json *out)
{
    const lethe_records *r = s->in;
    lethe_json *histograms = lethe_json_object(doc);
    uint64_t by_persons[LETHE_N_BUCKETS] = {0}, by_items[LETHE_N_BUCKETS] = {0}, empty = 0;
    lethe_spread *of = lethe_alloc_zero(2, sizeof *of); // large
    lethe_err e = of ? LETHE_OK : LETHE_ENOMEM;
    for (size_t i = 0; i < r->n && e == LETHE_OK; i++) {
        empty += lethe_record_size(r, i) == 0;
        e = lethe_spread_add(&of[0], lethe_record_size(r, i));
    }
    for (uint32_t p = 0; p < r->n_owners && e == LETHE_OK; p++) {
        by_items[lethe_bucket_of(length(&s->items, p))]++;
        e = lethe_spread_add(&of[1], length(&s->items, p));
    }
    for (uint32_t i = 0; i < s->n_items; i++)
        by_persons[lethe_bucket_of(n_persons[i])]++;
    if (e == LETHE_OK) {
        lethe_set_count(doc, out, "empty", empty);
        lethe_measure_set_spread(doc, out, "items_per_record", lethe_spread_summarize(&of[0]));
        lethe_measure_set_spread(doc, out, "items_per_person", lethe_spread_summarize(&of[1]));
        lethe_measure_set_histogram(doc, histograms, "items_by_persons", by_persons);
        lethe_measure_set_histogram(doc, histograms, "persons_by_items", by_items);
        lethe_json_set(doc, out, "histograms", histograms);
    }
    for (int i = 0; of && i < 2; i++)
        lethe_spread_free(&of[i]);
    lethe_free(of);
    return e == LETHE_OK ? e : lethe_no_memory(s->ctx);
}

static lethe_err records_survey(survey *s, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_records *r = s->in;
    uint64_t *n_persons = lethe_new(s->arena, uint64_t, s->n_items + 1), once = 0;
    if (!n_persons || !gather(s, &s->items)) return lethe_no_memory(s->ctx);
    distinct(&s->items, r->n_owners);
    if (!persons_of_items(s)) return lethe_no_memory(s->ctx);
    for (uint32_t i = 0; i < s->n_items; i++)
        once += (n_persons[i] = length(&s->persons, i)) == 1;
    lethe_set_count(doc, out, "records", r->n);
    lethe_set_count(doc, out, "persons", r->n_owners);
    lethe_set_count(doc, out, "items", r->start[r->n]);
    lethe_set_count(doc, out, "distinct_items", s->n_items);
    lethe_set_count(doc, out, "rejected", r->counts.rejected);
    lethe_set_count(doc, out, "invalid_utf8", r->counts.invalid_utf8);
    lethe_set_real(doc, out, "once_share", share(once, s->n_items));
    LETHE_TRY(lengths_set(s, n_persons, doc, out));
    survival_set(s, n_persons, doc, out);
    if (!rarest_first(s)) return lethe_no_memory(s->ctx);
    LETHE_TRY(singling_count(s));
    singled_set(s, doc, out);
    lethe_set_real(doc, out, "unique_person_share", share(s->by[1], r->n_owners));
    return lethe_json_failed(doc) ? lethe_no_memory(s->ctx) : LETHE_OK;
}

lethe_err lethe_profile_records(lethe_ctx *ctx, const lethe_records *in, uint64_t most,
                                lethe_json_doc *doc, lethe_json *out)
{
    survey s = {.ctx = ctx, .in = in, .most = most, .arena = lethe_arena_new()};
    if (!s.arena) return lethe_no_memory(ctx);
    s.n_items = (uint32_t)lethe_dict_count(in->items);
    lethe_err e = records_survey(&s, doc, out);
    lethe_buf_free(&s.masks);
    lethe_arena_free(s.arena);
    return e;
}
