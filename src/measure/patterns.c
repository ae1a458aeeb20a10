/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.c - what mining still finds in records that were released.
 *
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", 2010, section 5.5.2: of the
 * top-n frequent closed patterns of the original, how much is found again among those of the
 * release (recall), and how far in meaning the nearest of those is (sDist).  Copies of an item
 * count once (section 5.6.3).  Distances are edges of the taxonomy with no limit to them; where
 * sizes differ, what is left unmatched is charged nothing (model 1): with no limit on distance, its
 * price by model 2 would have none either.  The empty set is no pattern: at no distance from
 * anything, it would make sDist 0.  A bag, which may be any of its members, is taken for the lowest
 * node above all of them: that is known to be true.
 *
 * Sensitive items stand beside the taxonomy, below a root that joins them with it: so they are far
 * from everything but themselves.  That root is no generalized item of the release's, and no
 * pattern.
 *
 * Section 4.5.1.2: how many generalized patterns of a support are in the release, and how wrong the
 * supports are of those that the original has too. */
#include "measure/measure.h"
#include "algo/mine/antichains.h"
#include "algo/match/assignment.h"
#include "core/sort.h"
#include "io/json/json.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include <math.h>

enum {
    TIES = 20,      /* times n: where ties make more patterns than that, they are left out */
    LONGEST = 1000, /* longer patterns are not matched: it would not end */
    MOST = 1000000, /* generalized patterns */
    FAR = (1 << 30) /* farther than any two nodes are */
};

typedef struct searcher { /* a worker's own */
    uint32_t *overlap;    /* by published pattern */
    uint32_t *met;        /* those with any */
    uint32_t *row;        /* the distances of a pattern's items to all published ones, */
    uint32_t *nearest;    /* and sums of those to the nearest, the least first */
    lethe_assign_pair *pair;
    lethe_assigner *assigner;
} searcher;

struct measurement {
    lethe_comparison *c;
    const lethe_tree *tree;
    lethe_arena *arena;
    lethe_published_records *published;
    lethe_transactions before,
        after; /* items are nodes; those that the tree lacks come after all */
    lethe_itemsets *original, *found; /* patterns of both */
    bool *apart;                      /* by pattern found: is it not matched? */
    uint64_t *first;   /* by item, n_items + 1: where the patterns found that hold it begin in */
    uint32_t *holding; /* this */
    uint32_t *known;   /* nodes in patterns that are matched, ascending; */
    uint32_t n_known;
    uint32_t *place;    /* and by item, which of them it is; LETHE_NONE: no node */
    uint32_t *best;     /* by original pattern: the most items that it shares with one found */
    uint64_t *distance; /* and the least distance; UINT64_MAX: none */
    searcher *searcher; /* by thread */
};

static uint32_t size_of(const lethe_itemsets *s, size_t i)
{
    return (uint32_t)(s->start[i + 1] - s->start[i]);
}

/* --- both sides as transactions --- */

static lethe_err sides_take(struct measurement *m)
{
    const lethe_published_records *p = m->published;
    uint32_t n = lethe_dict_count(p->items), n_items = m->tree->n;
    uint32_t *node = lethe_new(m->arena, uint32_t, (size_t)n + 1),
             *item = lethe_new(m->arena, uint32_t, p->start[p->n] + 1),
             *weight = lethe_new(m->arena, uint32_t, p->n + 1);
    lethe_published_items items;
    if (!node || !item || !weight ||
        lethe_published_items_read(m->tree, p->items, m->arena, &items) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < n; i++) {
        node[i] = lethe_item_above(&items, i);
        if (node[i] == LETHE_NONE) node[i] = n_items++;
    }
    for (uint64_t k = 0; k < p->start[p->n]; k++)
        item[k] = node[p->item[k]];
    for (size_t i = 0; i < p->n; i++)
        weight[i] = (uint32_t)LETHE_MIN(p->first[i + 1] - p->first[i], UINT32_MAX);
    m->before = lethe_transactions_of(m->c->original.records, n_items);
    m->after = (lethe_transactions){
        .n = p->n, .start = p->start, .item = item, .weight = weight, .n_items = n_items};
    if (n_items > m->tree->n)
        lethe_warn(
            lethe_ctx_diag(m->c->ctx),
            "%u published items are not in the taxonomy: their patterns are left out of sdist",
            n_items - m->tree->n);
    return LETHE_OK;
}

/* --- patterns of both --- */

static lethe_err mine(struct measurement *m, uint64_t n)
{
    lethe_closed_asked asked = {.n = n, .most = TIES * n};
    LETHE_TRY(lethe_closed_find(m->c->ctx, &m->before, &asked, &m->original));
    LETHE_TRY(lethe_closed_find(m->c->ctx, &m->after, &asked, &m->found));
    if (m->original->tied_out || m->found->tied_out)
        lethe_warn(m->c->ctx,
                   "patterns of support %llu are left out: with them there are more than %llu",
                   (unsigned long long)(m->original->tied_out ? m->original : m->found)->least - 1,
                   (unsigned long long)asked.most);
    return LETHE_OK;
}

/* Has the pattern found an item that the taxonomy lacks? */
static bool is_strange(const struct measurement *m, size_t found)
{
    const lethe_itemsets *f = m->found;
    return f->item[f->start[found + 1] - 1] >= m->tree->n; // none comes after it, and there is one
}

/* --- recall --- */

/* max |O and A| over the patterns found.  *nested: is one of them all in O, or O in it?  Then it is
 * at no distance, however long they are. */
static uint32_t most_shared(const struct measurement *m, searcher *s, size_t i, bool *nested)
{
    uint32_t best = 0, n = size_of(m->original, i);
    size_t n_met = 0;
    for (uint64_t k = m->original->start[i]; k < m->original->start[i + 1]; k++) {
        uint32_t x = m->original->item[k];
        for (uint64_t h = m->first[x]; h < m->first[x + 1]; h++) {
            uint32_t *overlap = &s->overlap[m->holding[h]];
            if (*overlap == 0) s->met[n_met++] = m->holding[h];
            ++*overlap;
            best = LETHE_MAX(best, *overlap);
            *nested |= *overlap == LETHE_MIN(n, size_of(m->found, m->holding[h])) &&
                       !is_strange(m, m->holding[h]);
        }
    }
    while (n_met > 0)
        s->overlap[s->met[--n_met]] = 0;
    return best;
}

/* --- sDist --- */

/* No matching of the pattern, whose items' distances are in s->row, with this one costs less: the
 * smaller is matched whole, each item of it with its nearest at best.  Where either has one item,
 * that is the distance. */
static uint64_t bound_of(const struct measurement *m, const searcher *s, uint32_t n, size_t found)
{
    const uint32_t *item = m->found->item + m->found->start[found];
    uint32_t n_found = size_of(m->found, found);
    bool whole = n <= n_found; // is it the original's that is matched whole?
    uint64_t sum = 0;
    for (uint32_t a = 0; a < (whole ? n : n_found); a++) {
        uint32_t least = FAR;
        for (uint32_t b = 0; b < (whole ? n_found : n); b++) {
            uint32_t o = whole ? a : b, f = whole ? b : a;
            least = LETHE_MIN(least, s->row[(size_t)o * m->n_known + m->place[item[f]]]);
        }
        sum += least;
    }
    return sum;
}

static lethe_err match(const struct measurement *m, searcher *s, uint32_t n, size_t found,
                       uint64_t *best)
{
    const uint32_t *item = m->found->item + m->found->start[found];
    lethe_assign_pairs p = {.n_left = n, .n_right = size_of(m->found, found), .at = s->pair};
    for (uint32_t o = 0; o < n; o++)
        for (uint32_t f = 0; f < p.n_right; f++)
            s->pair[p.n++] =
                (lethe_assign_pair){o, f, s->row[(size_t)o * m->n_known + m->place[item[f]]]};
    lethe_assign_cost price;
    bool within;
    LETHE_TRY(lethe_assign_price(s->assigner, &p, (lethe_assign_omega){LETHE_ASSIGN_OMEGA_NONE, 0},
                                 (lethe_assign_cost){0, *best - 1}, &price, &within));
    if (within) *best = price.weight;
    return LETHE_OK;
}

/* min distance(O, A) over the patterns found; UINT64_MAX: there is none. */
static lethe_err least_distance(const struct measurement *m, searcher *s, size_t i, uint64_t *out)
{
    const uint32_t *item = m->original->item + m->original->start[i];
    uint32_t n = size_of(m->original, i);
    *out = UINT64_MAX;
    /* The distances of a pattern's items, and sums of the least: k items cannot be matched for less
     * than s->nearest[k - 1], whatever with. */
    for (uint32_t o = 0; o < n; o++) {
        uint32_t *row = s->row + (size_t)o * m->n_known;
        s->nearest[o] = FAR;
        for (uint32_t k = 0; k < m->n_known; k++) {
            row[k] = lethe_tree_distance(m->tree, item[o], m->known[k]);
            s->nearest[o] = LETHE_MIN(s->nearest[o], row[k]);
        }
    }
    lethe_sort_u32(s->nearest, n);
    for (uint32_t o = 1; o < n; o++)
        s->nearest[o] = LETHE_MIN(s->nearest[o] + s->nearest[o - 1], FAR);
    for (size_t f = 0; f<m->found->n && * out> 0; f++) {
        if (m->apart[f] || s->nearest[LETHE_MIN(n, size_of(m->found, f)) - 1] >= *out) continue;
        uint64_t bound = bound_of(m, s, n, f);
        if (bound >= *out) continue;
        if (n == 1 || size_of(m->found, f) == 1)
            *out = bound;
        else
            LETHE_TRY(match(m, s, n, f, out));
    }
    return LETHE_OK;
}

/* --- all patterns of the original --- */

static uint32_t longest_of(const lethe_itemsets *s)
{
    uint32_t longest = 1;
    for (size_t i = 0; i < s->n; i++)
        if (size_of(s, i) <= LONGEST) longest = LETHE_MAX(longest, size_of(s, i));
    return longest;
}

static void searcher_free(searcher *s)
{
    lethe_free(s->overlap);
    lethe_free(s->met);
    lethe_free(s->row);
    lethe_free(s->nearest);
    lethe_free(s->pair);
    lethe_assigner_free(s->assigner);
}

static lethe_err pattern_search(void *arg, size_t i, unsigned w)
{
    struct measurement *m = arg;
    searcher *s = &m->searcher[w];
    if (!s->assigner) {
        searcher_free(s); // one that failed may be asked again
        *s = (searcher){0};
        size_t n = m->found->n + 1, rows = longest_of(m->original);
        s->overlap = lethe_alloc_zero(n, sizeof *s->overlap);
        s->met = lethe_alloc(n, sizeof *s->met);
        s->row = lethe_alloc(rows * ((size_t)m->n_known + 1), sizeof *s->row);
        s->nearest = lethe_alloc(rows, sizeof *s->nearest);
        s->pair = lethe_alloc(rows * longest_of(m->found), sizeof *s->pair);
        s->assigner = lethe_assigner_new();
        bool all = s->overlap && s->met && s->row && s->nearest && s->pair && s->assigner;
        if (!all) return LETHE_ENOMEM;
    }
    bool nested = false, apart = size_of(m->original, i) > LONGEST;
    m->best[i] = most_shared(m, s, i, &nested);
    m->distance[i] = nested ? 0 : UINT64_MAX;
    return apart || nested ? LETHE_OK : least_distance(m, s, i, &m->distance[i]);
}

/* --- figures --- */

/* What the rarest has; where there is none, what it would need. */
static uint64_t support_of(const lethe_itemsets *s)
{
    return s->n > 0 ? s->support[s->n - 1] : s->least;
}

/* How many transactions have an item at all. */
static uint64_t full_count(const lethe_transactions *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->start[i + 1] > t->start[i]) n += t->weight ? t->weight[i] : 1;
    return n;
}

static lethe_err generalized_figures(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    // the least whole number that is at least this share; what doubles add is let pass
    double share = lethe_value_of(m->c->values, "support")->real,
           least = ceil(share * (double)m->before.n * (1 - 1e-12));
    lethe_antichains_asked asked = {.tree = m->tree,
                                    .original = &m->before,
                                    .published = &m->after,
                                    .support = least < 1 ? 1 : (uint64_t)least,
                                    .most = MOST};
    lethe_antichains sums;
    LETHE_TRY(lethe_antichains_count(m->c->ctx, &asked, &sums));
    if (sums.all) {
        // the root that joins sensitive items with the taxonomy is a pattern by itself only
        uint64_t before = full_count(&m->before), after = full_count(&m->after);
        if (m->c->taxonomy && after >= asked.support) sums.published--;
        if (m->c->taxonomy && after >= asked.support && before >= asked.support) {
            sums.both--;
            sums.support -= before;
            sums.difference -= LETHE_MAX(before, after) - LETHE_MIN(before, after);
        }
        lethe_set_count(doc, out, "patterns", sums.published);
        lethe_measure_set_ratio(doc, out, "pattern_error", (double)sums.difference, sums.support);
        return LETHE_OK;
    }
    lethe_json_set(doc, out, "patterns", lethe_json_copy(doc, NULL));
    lethe_json_set(doc, out, "pattern_error", lethe_json_copy(doc, NULL));
    lethe_warn(m->c->ctx, "more than %d generalized patterns: give a greater --support", MOST);
    return LETHE_OK;
}

/* --- the whole --- */

/* Finds what each pattern of the original shares with those found, and its least distance. */
static lethe_err patterns_compare(struct measurement *m)
{
    const lethe_itemsets *f = m->found;
    size_t n_items = m->after.n_items;
    m->known = lethe_new(m->arena, uint32_t, n_items + 1);
    m->place = lethe_new(m->arena, uint32_t, n_items + 1);
    m->apart = lethe_new(m->arena, bool, f->n + 1);
    if (!m->known || !m->place || !m->apart ||
        lethe_itemsets_index(f, n_items, m->arena, &m->first, &m->holding) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    // the nodes in patterns that are matched, numbered
    memset(m->place, 0xff, n_items * sizeof *m->place); // LETHE_NONE
    for (size_t i = 0; i < f->n; i++) {
        m->apart[i] = is_strange(m, i) || size_of(f, i) > LONGEST;
        for (uint64_t k = f->start[i]; k < f->start[i + 1] && !m->apart[i]; k++)
            m->place[f->item[k]] = 0;
    }
    for (uint32_t v = 0; v < m->tree->n; v++)
        if (m->place[v] == 0) {
            m->place[v] = m->n_known;
            m->known[m->n_known++] = v;
        }
    unsigned n_searchers = lethe_pool_threads(lethe_ctx_pool(m->c->ctx));
    m->searcher = lethe_new(m->arena, searcher, n_searchers);
    m->best = lethe_new(m->arena, uint32_t, m->original->n + 1);
    m->distance = lethe_new(m->arena, uint64_t, m->original->n + 1);
    if (!m->searcher || !m->best || !m->distance) return lethe_no_memory(m->c->ctx);
    lethe_err e = lethe_pool_for(m->c->ctx, m->original->n, pattern_search, m);
    for (unsigned w = 0; w < n_searchers; w++)
        searcher_free(&m->searcher[w]);
    return e == LETHE_ENOMEM ? lethe_no_memory(m->c->ctx) : e;
}

static lethe_err figures_set(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    m->arena = lethe_arena_new();
    if (!m->arena) return lethe_no_memory(m->c->ctx);
    LETHE_TRY(lethe_published_records_read(m->c->ctx, m->c->published->dirfd, &m->published));
    LETHE_TRY(sides_take(m));
    LETHE_TRY(mine(m, (uint64_t)lethe_count_of(m->c->values, "patterns")));
    LETHE_TRY(patterns_compare(m));
    /* Those that were too long to be matched, where it would have changed anything. */
    size_t n = 0, n_found = 0;
    bool wanted = false;
    for (size_t i = 0; i < m->original->n; i++) {
        n += size_of(m->original, i) > LONGEST && m->distance[i] > 0;
        wanted |= size_of(m->original, i) <= LONGEST && m->distance[i] > 0;
    }
    for (size_t i = 0; i < m->found->n && wanted; i++)
        n_found += size_of(m->found, i) > LONGEST && !is_strange(m, i);
    if (n + n_found > 0)
        lethe_warn(m->c->ctx, "%zu patterns of more than %d items are left out of sdist",
                   n + n_found, (int)LONGEST);
    uint64_t shared = 0, items = 0, far = 0, matched = 0;
    for (size_t i = 0; i < m->original->n; i++) {
        shared += m->best[i];
        items += size_of(m->original, i);
        if (m->distance[i] == UINT64_MAX) continue;
        far += m->distance[i];
        matched += size_of(m->original, i);
    }
    lethe_json *mined = lethe_json_object(doc);
    lethe_set_count(doc, mined, "original", m->original->n);
    lethe_set_count(doc, mined, "published", m->found->n);
    lethe_set_count(doc, mined, "original_support", support_of(m->original));
    lethe_set_count(doc, mined, "published_support", support_of(m->found));
    lethe_json_set(doc, out, "closed_patterns", mined);
    lethe_measure_set_ratio(doc, out, "recall", (double)shared, items);
    lethe_measure_set_ratio(doc, out, "sdist", (double)far, matched);
    return lethe_value_of(m->c->values, "support")->present ? generalized_figures(m, doc, out)
                                                            : LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct measurement m = {.c = c, .tree = c->original.tree};
    lethe_ctx_phase(c->ctx, "mining", 0);
    lethe_err e = figures_set(&m, doc, out);
    lethe_itemsets_free(m.original);
    lethe_itemsets_free(m.found);
    lethe_published_records_free(m.published);
    lethe_arena_free(m.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(m.c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "compare the N most frequent closed patterns, with those as frequent as the last"},
    {.name = "support",
     .type = LETHE_OPT_REAL,
     .arg = "S",
     .min = 1e-6,
     .max = 1,
     .help = "count generalized patterns that this share of the records has, such as 0.01"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"closed_patterns", "closed patterns compared, and their least support", .better = 0,
     .label = "frequent patterns"},
    {"recall",
     "share of the items of the original's closed patterns that the release's patterns "
     "contain",
     .better = 1, .label = "items of patterns found again", .kind = LETHE_FIGURE_SHARE},
    {"sdist", "mean distance of such an item to the nearest pattern of the release", .better = -1,
     .label = "distance to the nearest pattern", .unit = "on average, 0 to 1", .detail = true},
    {"patterns", "with --support: number of generalized patterns with that support in the release",
     .better = 1, .label = "generalized patterns"},
    {"pattern_error",
     "with --support: error of the supports of those patterns that the original "
     "has too",
     .better = -1, .label = "error of their frequency"},
    {.name = NULL},
};

const lethe_measure lethe_measure_patterns = {
    .name = "patterns",
    .summary = "frequent patterns of the records that are found again in the release",
    .shapes = LETHE_SHAPE_RECORDS,
    .options = options,
    .figures = figures,
    .run = run,
};
