/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_index.c - what a search goes through: candidates by size, in classes of equal
 * vocabularies, and lists of classes by term. */
#include "method/cluster/ssg/vocabulary_internal.h"
#include "core/sort.h"
#include <stdlib.h>

enum {
    SPARSE = 8,    /* slots for each segment from which a size has no table */
    NEAR = 4 << 20 /* words of rows of near slots: 32 MB */
};

/* --- lines of candidates --- */

static bool line_new(const lethe_ssg_search *s, struct lethe_ssg_line *l, const uint32_t *who)
{
    uint32_t n = (uint32_t)s->n;
    l->next = lethe_alloc((size_t)n + 1, sizeof *l->next);
    if (!l->next) return false;
    for (uint32_t i = 0; i <= n; i++)
        l->next[i] = i;
    if (!s->person) return true;
    l->jump = lethe_alloc((size_t)n + 1, sizeof *l->jump);
    if (!l->jump) return false;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t p = s->person[who ? who[i] : i];
        bool same = i + 1 < n && s->person[who ? who[i + 1] : i + 1] == p;
        l->jump[i] = same ? l->jump[i + 1] : i + 1;
    }
    return true;
}

static void line_free(struct lethe_ssg_line *l)
{
    lethe_free(l->next);
    lethe_free(l->jump);
}

uint32_t lethe_ssg_search_first(lethe_ssg_search *s)
{
    uint32_t c = lethe_ssg_line_from(&s->listed, 0);
    return c < s->n ? c : LETHE_NONE;
}

void lethe_ssg_search_remove(lethe_ssg_search *s, uint32_t c)
{
    s->sized.next[s->rank[c]] = s->rank[c] + 1;
    s->alike.next[s->place[c]] = s->place[c] + 1;
    s->listed.next[c] = c + 1;
    struct lethe_ssg_class *class = &s->class[s->class_of[c]];
    if (--class->left > 0) return;
    s->n_left_of_size[lethe_ssg_size_at(s, class->size)]--;
    s->seen[s->class_of[c]] = LETHE_SSG_GONE;
}

/* --- building --- */

static uint64_t hash_terms(const uint32_t *term, size_t n)
{
    uint64_t x = n;
    for (size_t i = 0; i < n; i++) {
        x = (x ^ term[i]) * UINT64_C(0x9E3779B97F4A7C15);
        x ^= x >> 29;
    }
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

uint64_t lethe_ssg_class_slot(const lethe_ssg_search *s, const uint32_t *term, size_t n)
{
    uint64_t i = hash_terms(term, n) & s->mask;
    for (; s->table[i] != LETHE_NONE; i = (i + 1) & s->mask) {
        const struct lethe_ssg_class *c = &s->class[s->table[i]];
        if (c->size == n && (n == 0 || memcmp(s->term + c->at, term, n * sizeof *term) == 0)) break;
    }
    return i;
}

/* Classes are numbered by size, because candidates are sorted by size. */
static void make_classes(lethe_ssg_search *s, const lethe_ssg_candidates *c)
{
    uint64_t end = 0;
    for (uint64_t i = 0; i <= s->mask; i++)
        s->table[i] = LETHE_NONE;
    for (size_t k = 0; k < s->n; k++) {
        uint32_t i = s->by_size[k], size = c->size[i];
        if (size > 0) memcpy(s->term + end, c->term[i], size * sizeof *s->term);
        if (!s->ordered) lethe_sort_u32(s->term + end, size);
        uint64_t at = lethe_ssg_class_slot(s, s->term + end, size);
        if (s->table[at] == LETHE_NONE) {
            if (s->n_sizes == 0 || s->sizes[s->n_sizes - 1] != size) s->sizes[s->n_sizes++] = size;
            s->class[s->n_classes] = (struct lethe_ssg_class){.at = end, .size = size};
            s->first_of_size[s->n_sizes - 1] = s->n_classes - s->n_of_size[s->n_sizes - 1]++;
            s->n_left_of_size[s->n_sizes - 1]++;
            s->of_size[s->n_classes] = s->n_classes;
            s->table[at] = s->n_classes++;
            for (uint32_t i_term = 0; i_term < size; i_term++) {
                uint32_t slot = s->neighbours->slot[s->term[end + i_term]];
                s->slot[end + i_term] = slot;
                s->class[s->table[at]].cells |= lethe_ssg_cell(s, slot);
                lethe_ssg_put_fine(s, s->class[s->table[at]].fine, slot);
            }
            end += size;
        }
        s->class_of[i] = s->table[at];
        s->class[s->class_of[i]].end++; // counts candidates so far
    }
    for (uint32_t i = 0, at = 0; i < s->n_classes; i++) {
        uint32_t n = s->class[i].end;
        s->class[i].first = s->class[i].end = at;
        s->class[i].left = n;
        at += n;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t place = s->class[s->class_of[i]].end++;
        s->member[place] = i;
        s->place[i] = place;
    }
}

/* Called twice: first to count, then to fill. */
static void walk_postings(lethe_ssg_search *s, uint64_t *count, bool fill)
{
    for (uint32_t i = 0; i < s->n_classes; i++) {
        const struct lethe_ssg_class *c = &s->class[i];
        for (uint32_t k = 0; k < c->size; k++) {
            uint32_t term = s->term[c->at + k];
            if (k > 0 && term == s->term[c->at + k - 1]) continue;
            uint64_t *at = &count[s->slot[c->at + k]];
            if (fill) s->posting[*at] = i;
            if (fill) s->posted[*at] = c->cells;
            (*at)++;
        }
    }
}

uint32_t lethe_ssg_size_at(const lethe_ssg_search *s, uint64_t size)
{
    return (uint32_t)lethe_gallop(s->sizes, s->n_sizes, (uint32_t)LETHE_MIN(size, UINT32_MAX));
}

static lethe_err make_segments(lethe_ssg_search *s, const uint64_t *end)
{
    uint64_t n = 0;
    for (int fill = 0; fill < 2; fill++) {
        n = 0;
        for (uint32_t slot = 0; slot < s->neighbours->n_slots; slot++) {
            if (fill) s->first_segment[slot] = n;
            uint64_t i = slot ? end[slot - 1] : 0;
            for (uint32_t last = LETHE_NONE; i < end[slot]; i++) {
                uint32_t size = s->class[s->posting[i]].size;
                if (size != last) {
                    if (fill)
                        s->segment[n] =
                            (struct lethe_ssg_segment){i, lethe_ssg_size_at(s, size), 0};
                    n++;
                }
                if (fill) s->segment[n - 1].n++;
                last = size;
            }
        }
        if (fill) break;
        s->segment = lethe_alloc(n, sizeof *s->segment);
        if (!s->segment) return LETHE_ENOMEM;
    }
    s->first_segment[s->neighbours->n_slots] = n;
    return LETHE_OK;
}

/* Where a size has many segments, they are looked up by slot. */
static lethe_err make_tables(lethe_ssg_search *s)
{
    uint32_t n_slots = s->neighbours->n_slots;
    uint64_t n = s->first_segment[n_slots];
    if (n >= LETHE_NONE) return LETHE_OK;
    for (uint64_t i = 0; i < n; i++)
        s->n_segments[s->segment[i].size]++;
    for (uint32_t i = 0; i < s->n_sizes; i++) {
        if (s->n_segments[i] < n_slots / SPARSE) continue;
        s->by_slot[i] = lethe_alloc(n_slots, sizeof *s->by_slot[i]);
        if (!s->by_slot[i]) return LETHE_ENOMEM;
        memset(s->by_slot[i], 0xff, n_slots * sizeof *s->by_slot[i]); // LETHE_NONE
    }
    for (uint32_t slot = 0; slot < n_slots; slot++)
        for (uint64_t i = s->first_segment[slot]; i < s->first_segment[slot + 1]; i++)
            if (s->by_slot[s->segment[i].size]) s->by_slot[s->segment[i].size][slot] = (uint32_t)i;
    return LETHE_OK;
}

static lethe_err make_postings(lethe_ssg_search *s)
{
    uint32_t n_slots = s->neighbours->n_slots;
    uint64_t sum = 0, *at = lethe_alloc_zero((size_t)n_slots + 1, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    walk_postings(s, at, false);
    for (uint32_t i = 0; i < n_slots; i++) {
        uint64_t n = at[i];
        s->n_postings[i] = (uint32_t)n; // classes
        at[i] = sum;
        sum += n;
    }
    lethe_err err = LETHE_ENOMEM;
    s->posting = lethe_alloc(sum, sizeof *s->posting);
    s->posted = lethe_alloc(sum, sizeof *s->posted);
    if (s->posting && s->posted) {
        walk_postings(s, at, true); // now at[] are the ends of the lists
        err = make_segments(s, at);
    }
    if (err == LETHE_OK) err = make_tables(s);
    lethe_free(at);
    return err;
}

static lethe_err reserve(lethe_ssg_search *s, const lethe_ssg_candidates *c)
{
    size_t n = s->n, n_terms = 0, room = 16;
    for (size_t i = 0; i < n; i++)
        n_terms += c->size[i];
    while (room < 2 * n)
        room *= 2;
    s->mask = room - 1;
    uint32_t **const arrays[] = {&s->by_size,  &s->rank,   &s->place,
                                 &s->class_of, &s->member, &s->of_size};
    for (size_t i = 0; i < LETHE_COUNT(arrays); i++) {
        *arrays[i] = lethe_alloc(n, sizeof **arrays[i]);
        if (!*arrays[i]) return LETHE_ENOMEM;
    }
    s->table = lethe_alloc(room, sizeof *s->table);
    s->class = lethe_alloc(n, sizeof *s->class);
    s->term = lethe_alloc(n_terms, sizeof *s->term);
    s->slot = lethe_alloc(n_terms, sizeof *s->slot);
    s->seen = lethe_alloc_zero(n, sizeof *s->seen);
    s->cells_near = lethe_alloc_zero(s->neighbours->n_slots, sizeof *s->cells_near);
    s->fine_near = lethe_alloc_zero(s->neighbours->n_slots, LETHE_SSG_FINE * sizeof *s->fine_near);
    s->n_postings = lethe_alloc_zero(s->neighbours->n_slots, sizeof *s->n_postings);
    s->mark = lethe_alloc_zero(s->neighbours->n_slots, sizeof *s->mark);
    s->reach = lethe_alloc_zero(s->neighbours->n_slots, sizeof *s->reach);
    s->first_segment = lethe_alloc((size_t)s->neighbours->n_slots + 1, sizeof *s->first_segment);
    s->n_words = ((size_t)s->neighbours->n_slots + 63) / 64;
    s->room_near = NEAR / LETHE_MAX(s->n_words, 1);
    s->near = lethe_alloc_zero(s->neighbours->n_slots, sizeof *s->near);
    s->relevant = lethe_alloc(s->n_words, sizeof *s->relevant);
    bool ok = s->table && s->class && s->term && s->slot && s->mark && s->reach && s->seen &&
              s->fine_near && s->near && s->relevant;
    return ok && s->cells_near && s->n_postings && s->first_segment ? LETHE_OK : LETHE_ENOMEM;
}

/* Once candidates are sorted by size. */
static lethe_err reserve_sizes(lethe_ssg_search *s, const lethe_ssg_candidates *c)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += i == 0 || c->size[s->by_size[i]] != c->size[s->by_size[i - 1]];
    uint32_t **const arrays[] = {&s->sizes, &s->first_of_size, &s->n_of_size, &s->n_left_of_size,
                                 &s->n_segments};
    for (size_t i = 0; i < LETHE_COUNT(arrays); i++) {
        *arrays[i] = lethe_alloc_zero(n, sizeof **arrays[i]);
        if (!*arrays[i]) return LETHE_ENOMEM;
    }
    s->by_slot = lethe_alloc_zero(n, sizeof *s->by_slot);
    s->visit = lethe_alloc(n, sizeof *s->visit);
    return s->by_slot && s->visit ? LETHE_OK : LETHE_ENOMEM;
}

static lethe_err build(lethe_ssg_search *s, const lethe_ssg_candidates *c)
{
    LETHE_TRY(reserve(s, c));
    uint64_t *key = lethe_alloc(s->n, sizeof *key);
    if (!key) return LETHE_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        key[i] = (uint64_t)c->size[i] << 32 | i;
    if (s->n > 0) qsort(key, s->n, sizeof *key, lethe_u64_cmp);
    for (uint32_t i = 0; i < s->n; i++) {
        s->by_size[i] = (uint32_t)key[i];
        s->rank[s->by_size[i]] = i;
    }
    lethe_free(key);
    LETHE_TRY(reserve_sizes(s, c));
    make_classes(s, c);
    LETHE_TRY(make_postings(s));
    bool ok = line_new(s, &s->sized, s->by_size) && line_new(s, &s->alike, s->member) &&
              line_new(s, &s->listed, NULL);
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

lethe_err lethe_ssg_search_new(lethe_ctx *ctx, lethe_hyper_work *work,
                               lethe_ssg_neighbourhoods *neighbours, const lethe_ssg_candidates *c,
                               lethe_ssg_search **out)
{
    lethe_ssg_search *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return LETHE_ENOMEM;
    s->ctx = ctx;
    s->work = work;
    s->neighbours = neighbours;
    s->n = c->n;
    s->person = c->person;
    s->omega = work->how->omega;
    s->ordered = work->how->greedy;
    lethe_err err = build(s, c);
    if (err == LETHE_OK)
        *out = s;
    else
        lethe_ssg_search_free(s);
    return err;
}

void lethe_ssg_search_free(lethe_ssg_search *s)
{
    if (!s) return;
    for (uint32_t i = 0; s->by_slot && i < s->n_sizes; i++)
        lethe_free(s->by_slot[i]);
    for (size_t i = 0; s->walk && i < s->room; i++)
        lethe_free(s->walk[i].own);
    for (uint32_t i = 0; s->near && i < s->neighbours->n_slots; i++)
        lethe_free(s->near[i]);
    lethe_free(s->near);
    lethe_free(s->relevant);
    lethe_free(s->row_at);
    void *const all[] = {
        s->by_size,   s->rank,          s->place,         s->class_of, s->member,
        s->sizes,     s->table,         s->class,         s->term,     s->slot,
        s->mark,      s->reach,         s->posting,       s->segment,  s->sorted,
        s->list,      s->first_segment, s->later,         s->at,       s->same,
        s->least,     s->walk,          s->visit,         s->ring,     s->of_size,
        s->n_of_size, s->first_of_size, s->n_segments,    s->by_slot,  s->n_postings,
        s->deferred,  s->cells_near,    s->cells,         s->row,      s->n_left_of_size,
        s->middle,    s->spread,        s->spread_sorted, s->seen,     s->posted,
        s->fine_near, s->fine};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    lethe_free(s->fan_term);
    lethe_free(s->fan_distance);
    lethe_meaning_fan_free(&s->fan);
    line_free(&s->sized);
    line_free(&s->alike);
    line_free(&s->listed);
    lethe_free(s);
}
