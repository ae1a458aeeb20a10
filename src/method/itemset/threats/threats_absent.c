/* SPDX-License-Identifier: Apache-2.0 */
/* threats_absent.c - the enumeration tree, below items that are present: items that are absent.
 * J. Liu, 2010, section 4.3.4.  What has j absent are the sets of the itemset but for those
 * that have j, so that the counts of all j give the supports of all extensions.
 *
 * Each item takes away the sets that have it, and what may still be taken away is bounded by the
 * power that is left: where that is not enough for a threat, nothing below is looked at. */
#include "method/itemset/threats/threats_internal.h"
#include <stdlib.h>

/* May item j be said to be absent beside what is present?  What is at or above a present item never
 * is; what is below one, only in strict. */
static bool may_be_absent(const threats_walk *w, const threats_frame *f, uint32_t j)
{
    const threats_base *b = w->base;
    if (b->node[j] == LETHE_NONE) return false;
    if (!lethe_kl_within(w->kl, (uint32_t)w->n_present - 1, f->leaves + b->leaves[j])) return false;
    if (f->item < b->n && b->end[j] > f->item) return false; // above another that is absent
    for (size_t i = 1; i < w->n_present; i++) {
        uint32_t p = w->frame[i].item;
        if (threats_covers(b, j, p) || (!w->kl->strict && threats_covers(b, p, j))) return false;
    }
    return true;
}

/* --- how far the power reaches --- */

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* w->top becomes the greatest counts of lowest items, descending, as many as `leaves` allow.  An
 * item with so many leaves has no more lowest items below, and takes away no more than these. Where
 * a lowest item does not fit, or all sets have it, this is so for all above it. */
static lethe_err list_greatest_counts(threats_walk *w, const threats_frame *f, uint64_t leaves)
{
    enum { FEW = 16 };
    const threats_base *b = w->base;
    threats_numbers *top = &w->top;
    top->n = 0;
    LETHE_TRY(lethe_threats_numbers_reserve(top, w->seen.n + 1));
    for (size_t i = 0; i < w->seen.n; i++) {
        uint32_t j = w->seen.at[i], sum = w->cell[j].sum;
        if (j >= f->item || !b->lowest[j] || sum == f->sum || !may_be_absent(w, f, j)) continue;
        if (leaves > FEW) {
            top->at[top->n++] = sum;
            continue;
        }
        if (top->n == leaves && top->at[top->n - 1] >= sum) continue;
        size_t k = top->n == leaves ? top->n - 1 : top->n++;
        for (; k > 0 && top->at[k - 1] < sum; k--)
            top->at[k] = top->at[k - 1];
        top->at[k] = sum;
    }
    if (leaves > FEW && top->n > 1) qsort(top->at, top->n, sizeof *top->at, descending);
    if (top->n > leaves) top->n = (size_t)leaves;
    return LETHE_OK;
}

/* Can an itemset of `sum` sets come to be a threat by so many more leaves that are absent? */
static bool may_become_threat(const threats_walk *w, uint64_t sum, uint64_t leaves)
{
    uint64_t least = sum;
    for (size_t i = 0; i < w->top.n && i < leaves; i++)
        least -= LETHE_MIN(least, w->top.at[i]);
    return least < w->kl->k || (w->kl->l > 1 && lethe_kl_tells(w->kl, w->most_all, least));
}

/* --- one itemset --- */

/* Of the sets without child c: do more than 1/l have one sensitive item? */
static bool reveals_sensitive_without(threats_walk *w, const threats_frame *f,
                                      const threats_child *c)
{
    uint32_t left = f->sum - c->sum;
    bool told = false;
    if (!lethe_kl_tells(w->kl, w->most_all, left)) return false;
    lethe_threats_marks(w, w->place + c->at, c->n, w->marks, &w->seen_marks);
    for (size_t i = 0; i < w->seen_all.n && !told; i++) {
        uint32_t s = w->seen_all.at[i];
        told = lethe_kl_tells(w->kl, w->all[s] - w->marks[s], left);
    }
    for (size_t i = 0; i < w->seen_marks.n; i++)
        w->marks[w->seen_marks.at[i]] = 0;
    w->seen_marks.n = 0;
    return told;
}

static lethe_err judge_absent(threats_walk *w, const threats_frame *f, threats_child *c, bool *skip)
{
    uint32_t left = f->sum - c->sum;
    uint64_t leaves = w->base->leaves[c->item];
    bool prunes = threats_uses(w, LETHE_PRUNE_LOCAL), threat;
    c->enter = *skip = false;
    if (left == 0) return LETHE_OK; // yet there may be some without what is below it
    w->nodes++;
    LETHE_TRY(lethe_threats_strip(w, c->item));
    const threats_store *stores[] = {w->store, &w->own};
    for (size_t i = 0; w->store && !*skip && i < LETHE_COUNT(stores); i++)
        LETHE_TRY(
            lethe_threats_store_covers(stores[i], w->base, w->set.at, w->set.n, &w->tmp, skip));
    if (*skip) return LETHE_OK;
    threat = lethe_kl_names(w->kl, left) || (w->kl->l > 1 && reveals_sensitive_without(w, f, c));
    if (threat) LETHE_TRY(lethe_threats_keep(w));
    *skip = threat && prunes;
    uint64_t rest = w->kl->n - f->leaves - leaves; // of the power
    c->enter = !(threat && prunes) && rest > 0 &&
               (!threats_uses(w, LETHE_PRUNE_GENERIC) || may_become_threat(w, left, rest));
    return LETHE_OK;
}

/* Judges the children of the frame: the items that were counted, or without Pruning III all. */
static lethe_err extend_absent(threats_walk *w, threats_frame *f)
{
    uint32_t skip_to = 0;
    size_t n = 0;
    if (!threats_uses(w, LETHE_PRUNE_GENERIC))
        for (uint32_t j = 0; j < f->item; j++)
            if (w->cell[j].places == 0) w->seen.at[w->seen.n++] = j;
    LETHE_TRY(lethe_threats_list(w, f, f->item));
    for (size_t i = 0; i < f->n_child; i++) {
        threats_child *c = &w->child[f->child + i];
        c->enter = w->kl->l > 1; // its places are needed
        if (may_be_absent(w, f, c->item)) w->child[f->child + n++] = *c;
    }
    f->n_child = n;
    w->n_children = f->child + n;
    if (w->kl->l > 1) LETHE_TRY(lethe_threats_deliver(w, f, true));
    for (size_t i = 0; i < f->n_child && !(w->one && w->stored > 0); i++) {
        threats_child *c = &w->child[f->child + i];
        bool skip = false;
        c->enter = false;
        if (c->item < skip_to) continue;
        LETHE_TRY(judge_absent(w, f, c, &skip));
        if (skip) skip_to = w->base->end[c->item];
    }
    return LETHE_OK;
}

static lethe_err visit_absent(threats_walk *w)
{
    threats_frame f = w->frame[w->n_frames - 1];
    uint64_t leaves = w->kl->n - f.leaves;
    LETHE_TRY(lethe_threats_tally(w, &f, true));
    w->most_all = 0; // the sensitive items of all sets of the frame
    if (w->kl->l > 1) lethe_threats_marks(w, w->place + f.at, f.n, w->all, &w->seen_all);
    for (size_t i = 0; i < w->seen_all.n; i++)
        w->most_all = LETHE_MAX(w->most_all, w->all[w->seen_all.at[i]]);
    LETHE_TRY(list_greatest_counts(w, &f, leaves));
    f.n_child = 0;
    bool some = w->kl->k > 1 || w->most_all > 0; // else nothing can be told
    if (some && (!threats_uses(w, LETHE_PRUNE_GENERIC) || may_become_threat(w, f.sum, leaves)))
        LETHE_TRY(extend_absent(w, &f));
    for (size_t i = 0; i < w->seen_all.n; i++)
        w->all[w->seen_all.at[i]] = 0;
    w->seen_all.n = 0;
    lethe_threats_untally(w);
    f.top = w->n_places = f.at + f.n; // what was delivered was for the counts
    w->frame[w->n_frames - 1] = f;
    return LETHE_OK;
}

static bool set_has_item(const threats_rows *s, uint32_t set, uint32_t item)
{
    uint64_t lo = s->start[set], hi = s->start[set + 1];
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (s->item[mid] < item)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->start[set + 1] && s->item[lo] == item;
}

/* The sets of frame `from` that lack `item`, behind all others. */
static lethe_err copy_sets_without(threats_walk *w, const threats_frame *from, uint32_t item,
                                   threats_frame *f)
{
    size_t n = 0;
    f->at = w->n_places;
    LETHE_TRY(lethe_threats_places(w, from->n));
    for (uint32_t i = 0; i < from->n; i++) {
        threats_place p = w->place[from->at + i];
        if (!set_has_item(&w->base->sets, p.set, item)) w->place[f->at + n++] = p;
    }
    f->n = (uint32_t)n;
    w->n_places += n;
    return LETHE_OK;
}

static lethe_err enter_absent(threats_walk *w, const threats_frame *from, const threats_child *c)
{
    threats_frame f = {.item = c->item,
                       .sum = from->sum - c->sum,
                       .child = w->n_children,
                       .leaves = from->leaves + w->base->leaves[c->item]};
    LETHE_TRY(copy_sets_without(w, from, c->item, &f));
    LETHE_TRY(lethe_threats_push(w, f));
    return visit_absent(w);
}

static lethe_err walk_below(threats_walk *w, size_t bottom)
{
    while (w->n_frames > bottom && !(w->one && w->stored > 0)) {
        threats_frame *f = &w->frame[w->n_frames - 1];
        if (f->next == f->n_child) {
            w->n_places = f->at;
            w->n_children = f->child;
            w->n_frames--;
            continue;
        }
        threats_child c = w->child[f->child + f->next++];
        threats_frame from = *f;
        if (c.enter) LETHE_TRY(enter_absent(w, &from, &c));
    }
    w->n_frames = bottom;
    return LETHE_OK;
}

lethe_err lethe_threats_absent(threats_walk *w)
{
    size_t bottom = w->n_frames, n_children = w->n_children, n_places = w->n_places;
    threats_frame last = w->frame[w->n_frames - 1];
    threats_frame f = {.item = w->base->n, .sum = last.sum, .child = w->n_children};
    /* Its places are copied, so that frames lie one behind the other. */
    f.at = w->n_places;
    LETHE_TRY(copy_sets_without(w, &last, LETHE_NONE, &f));
    LETHE_TRY(lethe_threats_push(w, f));
    LETHE_TRY(visit_absent(w));
    LETHE_TRY(walk_below(w, bottom));
    w->n_children = n_children;
    w->n_places = n_places;
    return LETHE_OK;
}
