/* SPDX-License-Identifier: Apache-2.0 */
/* threats_walk.c - the inverse itemset enumeration tree, depth first: items that are present.
 * J. Liu, 2010, sections 4.3.2 and 4.3.3.  An itemset is extended by items before its last,
 * in ascending order, so that a generalization is met before what it generalizes (Theorem 4.1). One
 * pass over its sets counts all extensions; a second one hands each that is entered its sets.
 *
 * What is absent is added to what is present, never the other way (threats_absent.c): beside an
 * itemset of present items few others matter.  So decorated items are not met in the order of
 * section 4.3.4, and a threat with absent items may be met before a generalization with fewer: the
 * list is brought to the most general at the end. */
#include "method/itemset/threats/threats_internal.h"
#include "core/sort.h"

/* --- room --- */

lethe_err lethe_threats_walk_new(threats_walk *w, lethe_ctx *ctx, const threats_base *b,
                                 const lethe_kl *kl, unsigned without)
{
    *w = (threats_walk){.ctx = ctx, .base = b, .kl = kl, .without = without};
    w->cell = lethe_alloc_zero((size_t)b->n + 1, sizeof *w->cell);
    w->bit = lethe_alloc_zero((size_t)b->n / 64 + 1, sizeof *w->bit);
    w->marks = lethe_alloc_zero((size_t)b->n_marks + 1, sizeof *w->marks);
    w->all = lethe_alloc_zero((size_t)b->n_marks + 1, sizeof *w->all);
    if (!w->cell || !w->bit || !w->marks || !w->all) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < b->n; j++)
        w->cell[j].slot = LETHE_NONE;
    LETHE_TRY(lethe_threats_numbers_reserve(&w->seen, b->n));
    LETHE_TRY(lethe_threats_numbers_reserve(&w->seen_marks, b->n_marks));
    return lethe_threats_numbers_reserve(&w->seen_all, b->n_marks);
}

void lethe_threats_walk_free(threats_walk *w)
{
    threats_numbers *numbers[] = {&w->seen, &w->seen_marks, &w->seen_all, &w->active,
                                  &w->tmp,  &w->set,        &w->top,      &w->found};
    for (size_t i = 0; i < LETHE_COUNT(numbers); i++)
        lethe_free(numbers[i]->at);
    lethe_threats_store_free(&w->own);
    lethe_free(w->cell);
    lethe_free(w->bit);
    lethe_free(w->marks);
    lethe_free(w->all);
    lethe_free(w->place);
    lethe_free(w->child);
    lethe_free(w->frame);
    *w = (threats_walk){0};
}

lethe_err lethe_threats_places(threats_walk *w, size_t more)
{
    if (w->cap_places - w->n_places >= more) return LETHE_OK;
    size_t cap = w->n_places + more + w->n_places / 2;
    threats_place *at = lethe_realloc(w->place, cap, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    w->place = at;
    w->cap_places = cap;
    return LETHE_OK;
}

static lethe_err children_room(threats_walk *w, size_t more)
{
    if (w->cap_children - w->n_children >= more) return LETHE_OK;
    size_t cap = w->n_children + more + w->n_children / 2;
    threats_child *at = lethe_realloc(w->child, cap, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    w->child = at;
    w->cap_children = cap;
    return LETHE_OK;
}

lethe_err lethe_threats_push(threats_walk *w, threats_frame f)
{
    if (w->n_frames == w->cap_frames) {
        size_t cap = 2 * w->cap_frames + 8;
        threats_frame *at = lethe_realloc(w->frame, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        w->frame = at;
        w->cap_frames = cap;
    }
    w->frame[w->n_frames++] = f;
    return LETHE_OK;
}

/* --- counting --- */

lethe_err lethe_threats_tally(threats_walk *w, const threats_frame *f, bool all)
{
    const threats_rows *s = &w->base->sets;
    for (uint32_t i = 0; i < f->n && !lethe_ctx_cancelled(w->ctx); i++) {
        threats_place p = w->place[f->at + i];
        const uint32_t *item = s->item + s->start[p.set];
        uint32_t n = all ? (uint32_t)(s->start[p.set + 1] - s->start[p.set]) : p.n;
        uint32_t weight = s->weight[p.set];
        uint32_t marked = s->mark_start[p.set + 1] > s->mark_start[p.set] ? weight : 0;
        for (uint32_t k = 0; k < n; k++) {
            threats_cell *c = &w->cell[item[k]];
            if (c->places++ == 0) w->seen.at[w->seen.n++] = item[k];
            c->sum += weight;
            c->marked += marked;
        }
    }
    return lethe_ctx_cancelled(w->ctx) ? LETHE_ECANCEL : LETHE_OK;
}

void lethe_threats_untally(threats_walk *w)
{
    for (size_t i = 0; i < w->seen.n; i++)
        w->cell[w->seen.at[i]] = (threats_cell){.slot = LETHE_NONE};
    w->seen.n = 0;
}

lethe_err lethe_threats_list(threats_walk *w, threats_frame *f, uint32_t before)
{
    uint32_t last = 0;
    f->child = w->n_children;
    LETHE_TRY(children_room(w, w->seen.n));
    for (size_t i = 0; i < w->seen.n; i++) {
        uint32_t j = w->seen.at[i];
        if (j >= before) continue;
        w->bit[j / 64] |= (uint64_t)1 << j % 64;
        last = LETHE_MAX(last, j / 64);
    }
    for (uint32_t k = 0; k <= last; k++) {
        for (; w->bit[k] != 0; w->bit[k] &= w->bit[k] - 1) {
            uint32_t j = k * 64 + (uint32_t)__builtin_ctzll(w->bit[k]);
            const threats_cell *c = &w->cell[j];
            w->child[w->n_children++] =
                (threats_child){.item = j, .sum = c->sum, .marked = c->marked, .n = c->places};
        }
    }
    f->n_child = w->n_children - f->child;
    return LETHE_OK;
}

lethe_err lethe_threats_deliver(threats_walk *w, const threats_frame *f, bool all)
{
    const threats_rows *s = &w->base->sets;
    size_t total = 0;
    for (size_t i = 0; i < f->n_child; i++)
        total += w->child[f->child + i].enter ? w->child[f->child + i].n : 0;
    if (total > UINT32_MAX - 1 - w->n_places) return LETHE_ENOMEM; // slots are 32 bits
    LETHE_TRY(lethe_threats_places(w, total));
    for (size_t i = 0; i < f->n_child; i++) {
        threats_child *c = &w->child[f->child + i];
        if (!c->enter) continue;
        c->at = w->n_places;
        w->cell[c->item].slot = (uint32_t)c->at;
        w->n_places += c->n;
    }
    for (uint32_t i = 0; i < f->n && total > 0; i++) {
        threats_place p = w->place[f->at + i];
        const uint32_t *item = s->item + s->start[p.set];
        uint32_t n = all ? (uint32_t)(s->start[p.set + 1] - s->start[p.set]) : p.n;
        for (uint32_t k = 0; k < n; k++) {
            threats_cell *c = &w->cell[item[k]];
            if (c->slot != LETHE_NONE) w->place[c->slot++] = (threats_place){p.set, k};
        }
    }
    return LETHE_OK;
}

void lethe_threats_marks(const threats_walk *w, const threats_place *p, uint32_t n, uint32_t *sum,
                         threats_numbers *seen)
{
    const threats_rows *s = &w->base->sets;
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t k = s->mark_start[p[i].set]; k < s->mark_start[p[i].set + 1]; k++) {
            threats_count c = s->mark[k];
            if (sum[c.mark] == 0) seen->at[seen->n++] = c.mark;
            sum[c.mark] += c.n;
        }
    }
}

/* Do more than 1/l of the sets of a child have one sensitive item? */
static bool reveals_sensitive(threats_walk *w, const threats_child *c)
{
    bool told = false;
    if (!lethe_kl_tells(w->kl, c->marked, c->sum)) return false; // not even any of them
    lethe_threats_marks(w, w->place + c->at, c->n, w->marks, &w->seen_marks);
    for (size_t i = 0; i < w->seen_marks.n; i++) {
        uint32_t *with = &w->marks[w->seen_marks.at[i]];
        told = told || lethe_kl_tells(w->kl, *with, c->sum);
        *with = 0;
    }
    w->seen_marks.n = 0;
    return told;
}

/* --- itemsets --- */

static lethe_err add_parts(threats_walk *w, uint32_t item)
{
    const threats_base *b = w->base;
    LETHE_TRY(lethe_threats_numbers_reserve(&w->set, 3));
    if (!b->parts || b->parts[item].n <= 1)
        w->set.at[w->set.n++] = item;
    else
        for (uint32_t i = 0; i < b->parts[item].n; i++)
            w->set.at[w->set.n++] = b->parts[item].item[i];
    return LETHE_OK;
}

lethe_err lethe_threats_strip(threats_walk *w, uint32_t item)
{
    uint32_t n = 0;
    w->set.n = 0;
    for (size_t i = 0; i < w->n_frames; i++)
        if (w->frame[i].item != w->base->n) LETHE_TRY(add_parts(w, w->frame[i].item));
    if (item != w->base->n) LETHE_TRY(add_parts(w, item));
    lethe_sort_u32(w->set.at, w->set.n);
    for (size_t i = 0; i < w->set.n; i++) // what is above the next, or is the next, says no more
        if (i + 1 == w->set.n || !threats_covers(w->base, w->set.at[i], w->set.at[i + 1]))
            w->set.at[n++] = w->set.at[i];
    w->set.n = n;
    return LETHE_OK;
}

lethe_err lethe_threats_keep(threats_walk *w)
{
    w->stored++;
    if (w->store) LETHE_TRY(lethe_threats_store_insert(&w->own, w->set.at, w->set.n));
    LETHE_TRY(lethe_threats_numbers_reserve(&w->found, w->set.n + 1));
    w->found.at[w->found.n++] = (uint32_t)w->set.n;
    memcpy(w->found.at + w->found.n, w->set.at, w->set.n * sizeof *w->set.at);
    w->found.n += w->set.n;
    return LETHE_OK;
}

/* --- Pruning I --- */

enum { OWN = 1 }; /* a node of a trie that is active: twice its number, and whose it is */

static const threats_slot *active_step(const threats_walk *w, uint32_t active, uint32_t item)
{
    return lethe_threats_store_find(active & OWN ? &w->own : w->store, active >> 1, item);
}

/* The nodes active at each frame: those at the frame before, and those its item leads to from
 * there. Threats found below begin with its itemset, so that this becomes a node now.  Frames that
 * were not asked for so far are the last. */
static lethe_err update_active_nodes(threats_walk *w)
{
    const threats_base *b = w->base;
    size_t i = w->n_frames;
    while (i > 0 && w->frame[i - 1].n_active == 0)
        i--;
    for (; i < w->n_frames; i++) {
        threats_frame *f = &w->frame[i], *last = f - 1;
        f->active = w->active.n;
        LETHE_TRY(lethe_threats_numbers_reserve(&w->active, 2 + (i > 0 ? last->n_active : 0)));
        if (i == 0) {
            w->active.at[w->active.n++] = 0;
            w->active.at[w->active.n++] = OWN;
            f->n_active = 2;
            continue;
        }
        LETHE_TRY(lethe_threats_store_child(&w->own, last->exact, f->item, &f->exact));
        memcpy(w->active.at + f->active, w->active.at + last->active,
               last->n_active * sizeof *w->active.at);
        w->active.n += last->n_active;
        for (size_t k = 0; k < last->n_active; k++) {
            for (uint32_t j = f->item; j != LETHE_NONE; j = b->up[j]) {
                if (last->item < b->n && threats_covers(b, j, last->item)) break;
                uint32_t from = w->active.at[f->active + k];
                const threats_slot *s = active_step(w, from, j);
                if (!s) continue;
                LETHE_TRY(lethe_threats_numbers_reserve(&w->active, 1));
                w->active.at[w->active.n++] = s->node << 1 | (from & OWN);
            }
        }
        f->n_active = w->active.n - f->active;
    }
    return LETHE_OK;
}

/* Is the itemset of the last frame, with `item`, a specialization of a threat?  That of the frame
 * is none, so that such a threat ends in what is at or above the item, and above no item of it. */
static lethe_err specializes_threat(threats_walk *w, uint32_t item, bool *out)
{
    const threats_base *b = w->base;
    *out = false;
    if (b->parts) {
        LETHE_TRY(lethe_threats_strip(w, item));
        LETHE_TRY(lethe_threats_store_covers(w->store, b, w->set.at, w->set.n, &w->tmp, out));
        if (*out) return LETHE_OK;
        return lethe_threats_store_covers(&w->own, b, w->set.at, w->set.n, &w->tmp, out);
    }
    LETHE_TRY(update_active_nodes(w));
    const threats_frame *f = &w->frame[w->n_frames - 1];
    for (uint32_t j = item; j != LETHE_NONE && !*out; j = b->up[j]) {
        if (f->item < b->n && threats_covers(b, j, f->item)) break;
        for (size_t i = 0; i < f->n_active && !*out; i++) {
            const threats_slot *s = active_step(w, w->active.at[f->active + i], j);
            *out = s && s->ends;
        }
    }
    return LETHE_OK;
}

/* --- one itemset --- */

/* A clause of two or three whose sets are those of fewer, or fall apart into those of two clauses
 * that share none, is a threat only where these are. */
static bool is_redundant_clause(const threats_walk *w, const threats_child *c)
{
    const threats_part *p = &w->base->parts[c->item];
    uint64_t single[3], rest;
    if (p->n <= 1) return false;
    for (uint32_t i = 0; i < p->n; i++)
        single[i] = w->cell[p->item[i]].sum;
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t a = single[(i + 1) % p->n], b = p->n == 3 ? single[(i + 2) % 3] : 0;
        rest = p->n == 3 && p->pair[i] != LETHE_NONE ? w->cell[p->pair[i]].sum : a + b;
        if (c->sum == rest || c->sum == rest + single[i]) return true;
    }
    return false;
}

/* The sets of what lacks the frame's item and has child c's: the frame before was asked for them.
 * *beside goes along its children, which are in order too. */
static uint32_t support_without_last(const threats_walk *w, const threats_child *c, size_t *beside)
{
    const threats_frame *last = &w->frame[w->n_frames - 2];
    if (w->n_frames == 2 && w->single) return w->single[c->item];
    while (*beside < last->n_child && w->child[last->child + *beside].item < c->item)
        ++*beside;
    assert(*beside < last->n_child && w->child[last->child + *beside].item == c->item);
    return w->child[last->child + *beside].sum;
}

/* Pruning III, and more: is child c satisfied by the same sets as one of these generalizations? The
 * frame; what has the item above in place of its item; what lacks the frame's item.  Then all below
 * c is satisfied by the same sets as that generalization with the same items added.  (The second
 * may be no itemset then, where one that is added is absent and below the item above.) */
static bool is_redundant(const threats_walk *w, const threats_frame *f, const threats_child *c,
                         size_t *beside)
{
    uint32_t above = w->base->up[c->item];
    if (c->sum == f->sum) return true;
    if ((w->kl->n == 0 || w->kl->strict) && above != LETHE_NONE && c->sum == w->cell[above].sum)
        return true;
    if (w->n_frames > 1 && c->sum == support_without_last(w, c, beside)) return true;
    return w->base->parts && is_redundant_clause(w, c);
}

/* Need it be asked whether child c is a specialization of a threat?  Not of one that few sets have
 * and no absent item, for then few have c; else where c is a threat, may be one, or is entered. */
static bool needs_store_lookup(const threats_walk *w, const threats_child *c, bool tested,
                               bool deeper)
{
    if (!w->store) return false;
    if (lethe_kl_names(w->kl, c->sum)) return true;
    if (w->kl->l <= 1 && w->kl->n == 0) return false;
    return deeper || (tested && w->kl->l > 1 && lethe_kl_tells(w->kl, c->marked, c->sum));
}

/* Judges a child: is it a threat, is it to be entered?  *skip: no item below it need be looked at.
 */
static lethe_err judge_child(threats_walk *w, const threats_frame *f, threats_child *c, bool tested,
                             size_t *beside, bool *skip)
{
    bool known = false, threat = false, deeper = w->hold || w->n_frames < w->to;
    c->enter = *skip = false;
    if (tested) w->nodes++;
    if (needs_store_lookup(w, c, tested, deeper)) LETHE_TRY(specializes_threat(w, c->item, &known));
    if (known) {
        *skip = true;
        return LETHE_OK;
    }
    if (threats_uses(w, LETHE_PRUNE_GENERIC) && is_redundant(w, f, c, beside)) return LETHE_OK;
    if (tested && (lethe_kl_names(w->kl, c->sum) || (w->kl->l > 1 && reveals_sensitive(w, c)))) {
        threat = true;
        LETHE_TRY(lethe_threats_strip(w, c->item));
        LETHE_TRY(lethe_threats_keep(w));
        *skip = threats_uses(w, LETHE_PRUNE_LOCAL);
    }
    c->enter = !(threat && threats_uses(w, LETHE_PRUNE_LOCAL)) && (w->kl->k > 1 || c->marked > 0);
    return LETHE_OK;
}

/* Nodes of the taxonomy, then clauses: what is a threat by itself is then known. */
static lethe_err judge_children(threats_walk *w, const threats_frame *f, bool tested, bool clauses)
{
    const threats_base *b = w->base;
    uint32_t skip_to = 0;
    size_t beside = 0;
    for (size_t i = 0; i < f->n_child && !(w->one && w->stored > 0); i++) {
        threats_child *c = &w->child[f->child + i];
        bool skip = false, clause = b->node[c->item] == LETHE_NONE;
        if (clause != clauses) continue;
        c->enter = false;
        if (c->item < skip_to || (f->item < b->n && b->end[c->item] > f->item)) continue;
        LETHE_TRY(judge_child(w, f, c, tested, &beside, &skip));
        if (skip && !clauses) skip_to = b->end[c->item];
    }
    return LETHE_OK;
}

/* Looks at all extensions of the last frame by one more item that is present; those to be entered
 * become its children. */
static lethe_err extend_present(threats_walk *w)
{
    threats_frame f = w->frame[w->n_frames - 1];
    uint32_t size = (uint32_t)w->n_frames; // of the extended
    bool tested = size >= w->from, deeper = size < w->to && !w->hold, all = w->base->parts;
    bool marks = tested && w->kl->l > 1;
    LETHE_TRY(lethe_threats_tally(w, &f, all));
    LETHE_TRY(lethe_threats_list(w, &f, f.item));
    for (size_t i = 0; marks && i < f.n_child; i++)
        w->child[f.child + i].enter = true;
    if (marks) LETHE_TRY(lethe_threats_deliver(w, &f, all));
    LETHE_TRY(judge_children(w, &f, tested, false));
    if (w->base->parts) LETHE_TRY(judge_children(w, &f, tested, true));
    if (!marks && deeper) LETHE_TRY(lethe_threats_deliver(w, &f, all));
    lethe_threats_untally(w);
    threats_frame *last = &w->frame[w->n_frames - 1];
    last->child = f.child;
    last->n_child = deeper || w->hold ? f.n_child : 0;
    last->top = w->n_places;
    return LETHE_OK;
}

/* Everything that is due at the last frame. */
static lethe_err visit_present(threats_walk *w)
{
    uint32_t size = (uint32_t)w->n_frames;
    w->n_present = w->n_frames;
    if (lethe_kl_within(w->kl, size, 0) && size <= w->to) LETHE_TRY(extend_present(w));
    if (w->kl->n > 0 && size >= w->from && size <= w->to) LETHE_TRY(lethe_threats_absent(w));
    return LETHE_OK;
}

static lethe_err enter_present(threats_walk *w, const threats_child *c)
{
    threats_frame f = {.item = c->item,
                       .sum = c->sum,
                       .n = c->n,
                       .at = c->at,
                       .top = w->n_places,
                       .child = w->n_children};
    LETHE_TRY(lethe_threats_push(w, f));
    return visit_present(w);
}

/* Visits everything below the current frames, and leaves them down to `bottom`. */
static lethe_err walk_below(threats_walk *w, size_t bottom)
{
    while (w->n_frames > bottom && !(w->one && w->stored > 0)) {
        threats_frame *f = &w->frame[w->n_frames - 1];
        if (f->next == f->n_child) {
            if (f->n_active > 0) w->active.n = f->active;
            if (--w->n_frames > 0) {
                f = &w->frame[w->n_frames - 1];
                w->n_places = f->top;
                w->n_children = f->child + f->n_child;
            }
            continue;
        }
        threats_child c = w->child[f->child + f->next++];
        if (c.enter) LETHE_TRY(enter_present(w, &c));
    }
    return LETHE_OK;
}

static void reset_walk(threats_walk *w)
{
    w->n_places = w->n_children = w->n_frames = 0;
    w->active.n = 0;
    lethe_threats_store_clear(&w->own);
}

lethe_err lethe_threats_walk_all(threats_walk *w)
{
    const threats_rows *s = &w->base->sets;
    threats_frame f = {.item = w->base->n, .sum = w->base->total, .n = s->n, .top = s->n};
    reset_walk(w);
    LETHE_TRY(lethe_threats_places(w, s->n));
    for (uint32_t i = 0; i < s->n; i++)
        w->place[w->n_places++] = (threats_place){i, (uint32_t)(s->start[i + 1] - s->start[i])};
    LETHE_TRY(lethe_threats_push(w, f));
    LETHE_TRY(visit_present(w));
    return w->hold ? LETHE_OK : walk_below(w, 0);
}

lethe_err lethe_threats_walk_from(threats_walk *w, uint32_t item, uint32_t sum,
                                  const threats_place *at, uint32_t n)
{
    threats_frame f = {.item = w->base->n};
    threats_child c = {.item = item, .sum = sum, .n = n, .enter = true};
    bool known = false;
    reset_walk(w);
    LETHE_TRY(lethe_threats_places(w, n));
    memcpy(w->place, at, n * sizeof *at);
    w->n_places = n;
    LETHE_TRY(lethe_threats_push(w, f));
    if (w->store) {
        LETHE_TRY(lethe_threats_strip(w, item));
        LETHE_TRY(
            lethe_threats_store_covers(w->store, w->base, w->set.at, w->set.n, &w->tmp, &known));
    }
    if (known) return LETHE_OK;
    LETHE_TRY(enter_present(w, &c));
    return walk_below(w, 1);
}
