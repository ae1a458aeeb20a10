/* SPDX-License-Identifier: Apache-2.0 */
/* log_records.c - a log becomes records.
 * Junqiang Liu, "Enhancing Utility in Privacy Preserving Data Publishing", thesis, Simon Fraser
 * University 2010, Definition 5.1.
 *
 * Rows go through the sorter by user, and come out by user, time and text.  Each worker makes the
 * records of the users it gets, with numbers of its own for words and names.  Which worker gets
 * whom depends on the machine, so a last pass puts all records in order of their first row and
 * numbers items and owners anew, as they come. */
#include "algo/text/log_records.h"
#include "io/sort/sorter.h"
#include "model/data.h"
#include "text/function_words.h"
#include "text/words.h"
#include <stdatomic.h>
#include <stdlib.h>

/* A record as its worker keeps it; its items end where those of the next one start. */
struct made {
    uint64_t origin;
    uint64_t start;
    uint64_t rows;
    uint32_t owner, user; /* numbers in the worker's names */
};

/* A worker's own; on the heap by itself, so that workers do not share cache lines. */
struct worker {
    lethe_buf packed;
    lethe_arena *arena;
    lethe_dict *words; /* all that it has seen */
    lethe_dict *names; /* owners, and users where they are others */
    lethe_u32s term;   /* with nouns: of each word; LETHE_NONE: it is no term */
    lethe_u32s items;  /* numbers in `words`; or nouns, and behind them what is a term besides */
    lethe_u32s last;   /* the number, from 1, of the record that last had an item */
    uint32_t n_begun;  /* records so far, empty ones too */
    struct made *made;
    size_t n_made, cap_made;
    lethe_time_grain grain;
    lethe_row_places places; /* where wanted, in no order: numbers in `made` */
    size_t cap_places;
    lethe_sizes told; /* of it, when they were last added to those of all */
    uint64_t n_rows, n_rows_told;
    lethe_log_records_result counts;
};

struct job {
    lethe_ctx *ctx;
    const lethe_log_records_options *how;
    lethe_sorter *sorter;
    unsigned n_workers;
    struct worker **workers;
    lethe_row_places places; /* where wanted */
    /* of all workers together, for lethe_ctx_grows() */
    _Atomic uint64_t n, parts, persons, held;
    _Atomic uint64_t rows; /* read of them */
};

/* --- rows in --- */

/* Whether there was a click is all that is wanted of it; the shorter the row, the faster it is
 * sorted. */
static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct job *j = arg;
    lethe_buf *b = &j->workers[w]->packed;
    lethe_row plain = *row;
    lethe_time_grain_add(&j->workers[w]->grain, row->time);
    plain.rank = LETHE_NO_RANK;
    plain.url.n = LETHE_MIN(row->url.n, 1);
    if (lethe_row_pack(&plain, LETHE_BY_USER, b) != LETHE_OK) return lethe_no_memory(j->ctx);
    return lethe_sorter_put(j->sorter, w, b->at, b->n);
}

/* --- the terms of a query --- */

/* The noun that stands for a word, or a number after all nouns where it is a term though it is
 * none; LETHE_NONE: it is no term. */
static uint32_t term_of(const lethe_log_records_options *how, lethe_str word)
{
    uint32_t noun = lethe_wordnet_reduce(how->nouns, word), also;
    if (noun == LETHE_NONE) {
        also = how->also ? lethe_dict_find(how->also, word) : LETHE_NONE;
        return also == LETHE_NONE ? also : lethe_wordnet_nouns(how->nouns) + also;
    }
    if (how->merge) noun = lethe_wordnet_merged(how->nouns, noun);
    if (!lethe_is_function_word(word)) return noun;
    bool wanted =
        how->also && lethe_dict_find(how->also, lethe_wordnet_noun(how->nouns, noun)) != LETHE_NONE;
    return wanted ? noun : LETHE_NONE;
}

static lethe_err add_term(const struct job *j, struct worker *k, lethe_str word)
{
    uint32_t item;
    bool keep = true;
    LETHE_TRY(lethe_dict_add(k->words, word, &item));
    if (j->how->nouns) {
        if (item == k->term.n) { // the word is seen for the first time
            uint32_t term = term_of(j->how, word);
            LETHE_TRY(lethe_u32s_append(k->arena, &k->term, &term, 1));
        }
        item = k->term.at[item];
    }
    if (item == LETHE_NONE) {
        k->counts.other_words++;
        return LETHE_OK;
    }
    k->counts.terms++;
    if (j->how->distinct) {
        /* Is it the first of its kind in the record?  If so, the next is not. */
        static const uint32_t never[64] = {0};
        while (item >= k->last.n)
            LETHE_TRY(lethe_u32s_append(k->arena, &k->last, never, LETHE_COUNT(never)));
        keep = k->last.at[item] != k->n_begun;
        k->last.at[item] = k->n_begun;
    }
    return keep ? lethe_u32s_append(k->arena, &k->items, &item, 1) : LETHE_OK;
}

/* --- the records of a user --- */

/* Where a worker is in its part. */
struct row_reader {
    lethe_row row;   /* the last one of the query at hand */
    uint64_t origin; /* the query's lowest */
    uint64_t rows;   /* of the query */
    bool clicked;    /* the query */
    bool open;       /* is there a record at hand? */
    struct made record;
    int64_t time; /* of the record's last query */
};

static lethe_err push(struct worker *k, const struct made *m)
{
    if (k->n_made == k->cap_made) {
        size_t cap = k->cap_made + k->cap_made / 4 + 64;
        struct made *more = lethe_realloc(k->made, cap, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        k->made = more;
        k->cap_made = cap;
    }
    k->made[k->n_made++] = *m;
    return LETHE_OK;
}

/* Notes a row of the query at hand, of which it is not known yet what it will be part of. */
static lethe_err place_push(struct worker *k, uint64_t origin)
{
    if (k->places.n == k->cap_places) {
        size_t cap = k->cap_places + k->cap_places / 4 + 1024;
        lethe_row_place *more = lethe_realloc(k->places.at, cap, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        k->places.at = more;
        k->cap_places = cap;
    }
    k->places.at[k->places.n++] = (lethe_row_place){origin, LETHE_NONE};
    return LETHE_OK;
}

/* Ends the record at hand, of the owner and user of the row at hand. */
static lethe_err end_record(const struct job *j, struct worker *k, struct row_reader *r)
{
    struct made *m = &r->record;
    if (!r->open) return LETHE_OK;
    r->open = false;
    if (k->items.n == m->start && !j->how->places) {
        k->counts.empty++;
        return LETHE_OK;
    }
    LETHE_TRY(lethe_dict_add(k->names, r->row.owner, &m->owner));
    m->user = m->owner;
    if (!lethe_str_eq(r->row.user, r->row.owner))
        LETHE_TRY(lethe_dict_add(k->names, r->row.user, &m->user));
    return push(k, m);
}

/* All rows of the query at hand have been read. */
static lethe_err end_query(const struct job *j, struct worker *k, struct row_reader *r)
{
    k->counts.queries++;
    if (j->how->clicked && !r->clicked) {
        k->counts.unclicked++;
        return LETHE_OK;
    }
    /* Definition 5.1: q_i.QueryTime + sGap < q_{i+1}.QueryTime.  Times come in rising order,
     * queries without one before all others. */
    bool pause = r->time == LETHE_NO_TIME || r->row.time == LETHE_NO_TIME
                     ? r->time != r->row.time
                     : r->row.time - r->time > j->how->gap_s;
    if (r->open && pause && j->how->gap_s != LETHE_GAP_ALL) LETHE_TRY(end_record(j, k, r));
    if (!r->open) {
        if (++k->n_begun == 0) return LETHE_ENOMEM; // numbers must not come again
        r->open = true;
        r->record = (struct made){.origin = r->origin, .start = k->items.n};
    }
    r->record.origin = LETHE_MIN(r->record.origin, r->origin);
    r->record.rows += r->rows;
    for (uint64_t i = 0; j->how->places && i < r->rows; i++)
        k->places.at[k->places.n - 1 - i].record = (uint32_t)k->n_made;
    r->time = r->row.time;
    // a hash stands for a text that an earlier step has hidden: it has no words, as a mask has none
    bool hidden = j->how->no_hashes && lethe_is_text_hash(r->row.query);
    lethe_str text = hidden ? LETHE_LIT("") : r->row.query;
    lethe_words words = lethe_words_of(text);
    lethe_word word;
    while (lethe_words_next(&words, &word)) {
        if (word.mask)
            k->counts.other_words++;
        else
            LETHE_TRY(add_term(j, k, word.text));
    }
    return LETHE_OK;
}

/* --- how much there is --- */

enum { TOLD_ROWS = 1 << 14 }; /* a worker tells what it holds each time it has read so many */

/* With the bytes of the records as they will be in the end (number_all): what is held meanwhile
 * is not much more, and depends on the threads. */
static lethe_sizes worker_sizes(const struct worker *k)
{
    lethe_sizes s = {.things = "records",
                     .parts_are = "items",
                     .n = k->n_made,
                     .parts = k->items.n,
                     .distinct = lethe_dict_count(k->words),
                     .persons = lethe_dict_count(k->names)};
    s.held = s.n * (3 * sizeof(uint64_t) + sizeof(uint32_t)) + s.parts * sizeof(uint32_t) +
             2 * k->places.n * sizeof *k->places.at;
    return s;
}

static uint64_t add(_Atomic uint64_t *sum, uint64_t now, uint64_t before)
{
    return atomic_fetch_add_explicit(sum, now - before, memory_order_relaxed) + now - before;
}

/* Words are counted once for each worker: most workers have most of them. */
static lethe_err so_far_fits(struct job *j, struct worker *k)
{
    lethe_sizes own = worker_sizes(k), before = k->told, all = own;
    all.n = add(&j->n, own.n, before.n);
    all.parts = add(&j->parts, own.parts, before.parts);
    all.persons = add(&j->persons, own.persons, before.persons);
    all.held = add(&j->held, own.held, before.held);
    uint64_t rows = add(&j->rows, k->n_rows, k->n_rows_told);
    k->told = own;
    k->n_rows_told = k->n_rows;
    return lethe_ctx_grows(j->ctx, &all, rows, lethe_sorter_count(j->sorter));
}

static lethe_err users_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct job *j = arg;
    struct worker *k = j->workers[w];
    struct row_reader r = {0};
    lethe_str record;
    bool first = true;
    lethe_err e = LETHE_OK;
    (void)i;
    for (; e == LETHE_OK && lethe_sorted_next(it, &record); first = false) {
        lethe_row row;
        lethe_row_unpack(record, LETHE_BY_USER, &row);
        bool same =
            !first && lethe_str_eq(row.user, r.row.user) && lethe_str_eq(row.owner, r.row.owner);
        bool more = same && row.time == r.row.time && lethe_str_eq(row.query, r.row.query);
        if (!more && !first) e = end_query(j, k, &r);
        if (!same && !first && e == LETHE_OK) {
            e = end_record(j, k, &r);
            if (e == LETHE_OK && lethe_ctx_cancelled(j->ctx)) e = LETHE_ECANCEL;
        }
        if (!more) {
            r.clicked = false;
            r.origin = row.origin;
            r.rows = 0;
        }
        r.rows++;
        if (j->how->places && e == LETHE_OK) e = place_push(k, row.origin);
        r.clicked |= row.url.n > 0;
        r.origin = LETHE_MIN(r.origin, row.origin);
        r.row = row; // still valid at the next record, as the sorter promises
        if (++k->n_rows - k->n_rows_told == TOLD_ROWS) LETHE_TRY(so_far_fits(j, k));
    }
    if (e == LETHE_OK) LETHE_TRY(lethe_sorted_err(it)); // half a user must not pass for a whole one
    if (e == LETHE_OK && !first) e = end_query(j, k, &r);
    if (e == LETHE_OK && !first) e = end_record(j, k, &r);
    return e == LETHE_ENOMEM ? lethe_no_memory(j->ctx) : e;
}

/* --- all records in order --- */

/* Record i of worker w. */
struct ref {
    uint64_t origin;
    uint32_t w;
    uint32_t i;
};

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Two users' rows may stem from one line, after an earlier step: then names decide. */
static int by_names(const void *a, const void *b, void *arg)
{
    const struct job *j = arg;
    const struct ref *x = a, *y = b;
    const struct worker *kx = j->workers[x->w], *ky = j->workers[y->w];
    const struct made *mx = &kx->made[x->i], *my = &ky->made[y->i];
    int c = lethe_str_cmp(lethe_dict_at(kx->names, mx->owner), lethe_dict_at(ky->names, my->owner));
    if (c == 0)
        c = lethe_str_cmp(lethe_dict_at(kx->names, mx->user), lethe_dict_at(ky->names, my->user));
    return c ? c : (x->i > y->i) - (x->i < y->i); // one user's are one worker's, by time
}

/* Sorts refs by origin, with as much room at `other`; returns where they end up. */
static struct ref *sort_refs(struct job *j, struct ref *refs, struct ref *other, size_t n)
{
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = LETHE_MAX(most, refs[i].origin);
    for (unsigned shift = 0; shift < 64 && most >> shift; shift += DIGIT_BITS) {
        /* Sorts by the digit that begins at bit `shift`; equal ones keep their order. */
        size_t place[DIGITS + 1] = {0};
        for (size_t i = 0; i < n; i++)
            place[(refs[i].origin >> shift) % DIGITS + 1]++;
        for (size_t d = 1; d < DIGITS; d++)
            place[d] += place[d - 1];
        for (size_t i = 0; i < n; i++)
            other[place[(refs[i].origin >> shift) % DIGITS]++] = refs[i];
        struct ref *swap = refs;
        refs = other;
        other = swap;
    }
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && refs[end].origin == refs[i].origin;)
            end++;
        if (end - i > 1) qsort_r(refs + i, end - i, sizeof *refs, by_names, j);
    }
    return refs;
}

/* --- numbering anew --- */

static uint32_t *none(lethe_arena *a, size_t n)
{
    uint32_t *p = lethe_new(a, uint32_t, n);
    if (p) memset(p, 0xff, n * sizeof *p); // LETHE_NONE
    return p;
}

/* Numbers items and owners as they come.  `item_of`, for each worker: the new number of an item,
 * where nouns have one for all; `owner_of`: the owner with that name. */
static lethe_err number_all(struct job *j, lethe_arena *tmp, const struct ref *refs, size_t n,
                            uint64_t n_items, lethe_records *r)
{
    const lethe_wordnet *nouns = j->how->nouns;
    uint32_t n_nouns = nouns ? lethe_wordnet_nouns(nouns) : 0,
             n_terms = n_nouns + (j->how->also ? lethe_dict_count(j->how->also) : 0);
    uint32_t **item_of = lethe_new(tmp, uint32_t *, j->n_workers),
             **owner_of = lethe_new(tmp, uint32_t *, j->n_workers);
    if (!item_of || !owner_of) return LETHE_ENOMEM;
    for (unsigned w = 0; w < j->n_workers; w++) {
        if (!nouns)
            item_of[w] = none(tmp, lethe_dict_count(j->workers[w]->words));
        else
            item_of[w] = w ? item_of[0] : none(tmp, n_terms);
        owner_of[w] = none(tmp, lethe_dict_count(j->workers[w]->names));
        if (!item_of[w] || !owner_of[w]) return LETHE_ENOMEM;
    }
    uint64_t *start = lethe_new(r->arena, uint64_t, n + 1),
             *origin = lethe_new(r->arena, uint64_t, n), *lines = lethe_new(r->arena, uint64_t, n);
    uint32_t *owner = lethe_new(r->arena, uint32_t, n),
             *item = lethe_new(r->arena, uint32_t, n_items);
    r->items = lethe_dict_new();
    r->owners = lethe_dict_new();
    if (!r->items || !r->owners || !start || !origin || !lines || !owner || !item)
        return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const struct ref *ref = &refs[i];
        const struct worker *k = j->workers[ref->w];
        const struct made *made = &k->made[ref->i];
        uint32_t *known = &owner_of[ref->w][made->owner];
        if (*known == LETHE_NONE)
            LETHE_TRY(lethe_dict_add(r->owners, lethe_dict_at(k->names, made->owner), known));
        owner[i] = *known;
        start[i + 1] = start[i];
        for (uint64_t at = made->start; at < made[1].start; at++) {
            uint32_t old = k->items.at[at];
            known = &item_of[ref->w][old];
            if (*known == LETHE_NONE) {
                lethe_str name = !nouns          ? lethe_dict_at(k->words, old)
                                 : old < n_nouns ? lethe_wordnet_noun(nouns, old)
                                                 : lethe_dict_at(j->how->also, old - n_nouns);
                LETHE_TRY(lethe_dict_add(r->items, name, known));
            }
            item[start[i + 1]++] = *known;
        }
        origin[i] = ref->origin;
        lines[i] = made->rows;
    }
    r->n = n;
    r->start = start;
    r->origin = origin;
    r->lines = lines;
    r->of_log = true;
    r->owner = owner;
    r->item = item;
    r->n_owners = lethe_dict_count(r->owners);
    uint32_t *name = lethe_new(r->arena, uint32_t, r->n_owners);
    if (!name) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < r->n_owners; i++)
        name[i] = i;
    r->owner_name = name;
    return LETHE_OK;
}

static int by_origin(const void *a, const void *b)
{
    const lethe_row_place *x = a, *y = b;
    return (x->origin > y->origin) - (x->origin < y->origin);
}

/* The places of all workers' rows, with the records' numbers in the end. */
static lethe_err places_join(struct job *j, lethe_arena *tmp, const struct ref *refs, size_t n)
{
    uint32_t **number = lethe_new(tmp, uint32_t *, j->n_workers); // by worker and record of its
    size_t rows = 0;
    for (unsigned w = 0; number && w < j->n_workers; w++) {
        number[w] = lethe_new(tmp, uint32_t, j->workers[w]->n_made);
        if (!number[w]) return LETHE_ENOMEM;
        rows += j->workers[w]->places.n;
    }
    j->places.at = lethe_alloc(rows, sizeof *j->places.at);
    if (!number || !j->places.at) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        number[refs[i].w][refs[i].i] = (uint32_t)i;
    for (unsigned w = 0; w < j->n_workers; w++)
        for (size_t i = 0; i < j->workers[w]->places.n; i++) {
            lethe_row_place place = j->workers[w]->places.at[i];
            if (place.record == LETHE_NONE) continue; // without a click, where those are left out
            place.record = number[w][place.record];
            j->places.at[j->places.n++] = place;
        }
    if (j->places.n > 1) qsort(j->places.at, j->places.n, sizeof *j->places.at, by_origin);
    return LETHE_OK;
}

static lethe_err finish(struct job *j, lethe_arena *tmp, lethe_records *r)
{
    size_t n = 0, at = 0;
    uint64_t n_items = 0;
    for (unsigned w = 0; w < j->n_workers; w++) {
        struct worker *k = j->workers[w];
        if (k->n_made >= LETHE_NONE) return LETHE_ENOMEM;
        LETHE_TRY(push(k, &(struct made){.start = k->items.n})); // where the last one ends
        n += k->n_made - 1;
        n_items += k->items.n;
    }
    struct ref *refs = lethe_alloc(n, 2 * sizeof *refs); // and as many to sort them
    if (!refs) return LETHE_ENOMEM;
    for (unsigned w = 0; w < j->n_workers; w++)
        for (size_t i = 0; i + 1 < j->workers[w]->n_made; i++)
            refs[at++] = (struct ref){j->workers[w]->made[i].origin, w, (uint32_t)i};
    const struct ref *sorted = sort_refs(j, refs, refs + n, n);
    lethe_err e = number_all(j, tmp, sorted, n, n_items, r);
    if (e == LETHE_OK && j->how->places) e = places_join(j, tmp, sorted, n);
    lethe_free(refs);
    return e;
}

/* --- all of it --- */

/* Of whole days every pause is a day or none: records would be other sessions than were asked for.
 */
static lethe_err times_check(const struct job *j)
{
    lethe_time_grain grain = {0};
    for (unsigned w = 0; w < j->n_workers; w++)
        lethe_time_grain_join(&grain, &j->workers[w]->grain);
    bool any = j->how->coarse || j->how->gap_s == LETHE_GAP_ALL;
    const char *coarse = any ? NULL : lethe_time_grain_coarse(&grain, j->how->gap_s);
    if (!coarse) return LETHE_OK;
    return lethe_fail(j->ctx, LETHE_EINPUT,
                      "all times are whole %s, in which pauses of --gap cannot be seen: use a "
                      "longer --gap (1d: a record for days in a row), or --gap all",
                      coarse);
}

static lethe_err make(struct job *j, lethe_log *log, lethe_records *r)
{
    uint64_t share = lethe_ctx_memory(j->ctx) / 4; // the records have needs too
    j->workers = lethe_alloc_zero(j->n_workers, sizeof *j->workers);
    if (!j->workers) return lethe_no_memory(j->ctx);
    for (unsigned w = 0; w < j->n_workers; w++) {
        struct worker *k = j->workers[w] = lethe_alloc_zero(1, sizeof *k);
        if (!k) return lethe_no_memory(j->ctx);
        k->arena = lethe_arena_new();
        k->words = lethe_dict_new();
        k->names = lethe_dict_new();
        if (!k->arena || !k->words || !k->names) return lethe_no_memory(j->ctx);
    }
    LETHE_TRY(lethe_sorter_new(j->ctx, LETHE_ORDER_GROUP, share, &j->sorter));
    LETHE_TRY(lethe_log_walk(j->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = j}));
    LETHE_TRY(times_check(j));
    lethe_ctx_phase(j->ctx, "records", lethe_sorter_count(j->sorter));
    LETHE_TRY(lethe_sorter_each(j->sorter, users_part, j));
    lethe_sorter_free(j->sorter);
    j->sorter = NULL;
    lethe_arena *tmp = lethe_arena_new();
    lethe_err e = tmp ? finish(j, tmp, r) : LETHE_ENOMEM;
    lethe_arena_free(tmp);
    if (e != LETHE_OK) return lethe_no_memory(j->ctx);
    r->counts.read = lethe_log_counts(log)->lines;
    r->counts.rejected = lethe_log_counts(log)->rejected;
    return LETHE_OK;
}

lethe_err lethe_log_to_records(lethe_ctx *ctx, lethe_log *log, const lethe_log_records_options *how,
                               lethe_log_records_result *counts, lethe_records **out)
{
    struct job j = {.ctx = ctx, .how = how, .n_workers = lethe_ctx_threads(ctx)};
    lethe_arena *a = lethe_arena_new();
    lethe_records *r = a ? lethe_new(a, lethe_records, 1) : NULL;
    assert(how->gap_s >= 0);
    if (!r) {
        lethe_arena_free(a);
        return lethe_no_memory(ctx);
    }
    r->arena = a;
    lethe_err e = make(&j, log, r);
    if (e == LETHE_OK) {
        *counts = (lethe_log_records_result){0};
        for (unsigned w = 0; w < j.n_workers; w++) {
            const lethe_log_records_result *c = &j.workers[w]->counts;
            counts->queries += c->queries;
            counts->unclicked += c->unclicked;
            counts->terms += c->terms;
            counts->other_words += c->other_words;
            counts->empty += c->empty;
        }
        counts->places = j.places;
        *out = r;
    } else {
        lethe_free(j.places.at);
        lethe_records_free(r);
    }
    lethe_sorter_free(j.sorter);
    for (unsigned w = 0; j.workers && w < j.n_workers; w++) {
        struct worker *k = j.workers[w];
        if (!k) continue;
        lethe_buf_free(&k->packed);
        lethe_arena_free(k->arena);
        lethe_dict_free(k->words);
        lethe_dict_free(k->names);
        lethe_free(k->made);
        lethe_free(k->places.at);
        lethe_free(k);
    }
    lethe_free(j.workers);
    return e;
}
