/* SPDX-License-Identifier: Apache-2.0 */
/* assignment.c - components of pairs, and the matching of small ones; prices; the greedy matching.
 */
#include "algo/match/assignment_internal.h"

#define SUM_LIMIT (UINT64_C(1) << 58)

lethe_assign_cost lethe_assign_cost_of(lethe_assign_omega omega, uint32_t n_left, uint32_t n_right,
                                       lethe_assign_matching m)
{
    uint64_t unmatched = (uint64_t)n_left + n_right - 2 * (uint64_t)m.matched;
    if (omega.kind == LETHE_ASSIGN_OMEGA_OVER) return (lethe_assign_cost){unmatched, m.weight};
    if (omega.kind == LETHE_ASSIGN_OMEGA_NONE) return (lethe_assign_cost){0, m.weight};
    return (lethe_assign_cost){0, unmatched * omega.value + m.weight};
}

/* --- working memory --- */

lethe_assigner *lethe_assigner_new(void) { return lethe_alloc_zero(1, sizeof(lethe_assigner)); }

void lethe_assigner_free(lethe_assigner *a)
{
    if (!a) return;
    lethe_free(a->left);
    lethe_free(a->right);
    lethe_free(a->order);
    lethe_free(a->heap);
    lethe_free(a->sorted);
    lethe_free(a->turned_pair);
    lethe_assigner_free(a->turned); // has none of its own
    lethe_free(a);
}

/* Without a copy: nothing in it outlives a call. */
static bool renew(void *array, size_t n, size_t size)
{
    void **at = array;
    lethe_free(*at);
    *at = lethe_alloc_zero(n, size);
    return *at != NULL;
}

static lethe_err reserve(lethe_assigner *a, size_t n_left, size_t n_right)
{
    if (n_left > a->cap_left || !a->left) {
        a->cap_left = 0;
        n_left = LETHE_MAX(n_left + n_left / 2, 16);
        if (!renew(&a->left, n_left + 1, sizeof *a->left)) return LETHE_ENOMEM;
        if (!renew(&a->order, n_left, 3 * sizeof *a->order)) return LETHE_ENOMEM;
        a->cap_left = n_left;
    }
    if (n_right > a->cap_right || !a->right) {
        a->cap_right = 0;
        n_right = LETHE_MAX(n_right + n_right / 2, 16);
        if (!renew(&a->right, n_right, sizeof *a->right)) return LETHE_ENOMEM;
        if (!renew(&a->heap, n_right, 2 * sizeof *a->heap)) return LETHE_ENOMEM;
        a->cap_right = n_right;
    }
    return LETHE_OK;
}

/* --- beginning --- */

/* Sets the cost of no partner, and checks that all sums stay small. */
static lethe_err begin_sums(lethe_assigner *a, const lethe_assign_pairs *p,
                            lethe_assign_omega omega)
{
    a->pairs = p;
    uint64_t sum = 0, terms = (uint64_t)p->n_left + p->n_right, heaviest = 0;
    for (size_t i = 0; i < p->n; i++) {
        assert(p->at[i].left < p->n_left && p->at[i].right < p->n_right);
        heaviest = LETHE_MAX(heaviest, p->at[i].weight);
        if (i + 1 < p->n && p->at[i + 1].left == p->at[i].left) continue;
        if (heaviest >= SUM_LIMIT || (sum += heaviest) >= SUM_LIMIT) return LETHE_EUSAGE;
        heaviest = 0;
    }
    a->nil = (int64_t)sum + 1;
    if (omega.kind != LETHE_ASSIGN_OMEGA_IS) return LETHE_OK;
    if (omega.value > (SUM_LIMIT - 1 - sum) / LETHE_MAX(terms, 2)) return LETHE_EUSAGE;
    a->nil = (int64_t)(2 * omega.value);
    return LETHE_OK;
}

static void begin_terms(lethe_assigner *a)
{
    const lethe_assign_pairs *p = a->pairs;
    size_t i = 0;
    for (uint32_t l = 0; l < p->n_left; l++) {
        lethe_assign_left *x = &a->left[l];
        x->first = i;
        x->to = LETHE_NONE;
        x->above = l;
        x->n_left = 1;
        x->n_right = 0;
        for (; i < p->n && p->at[i].left == l; i++)
            assert(i == x->first || p->at[i - 1].right < p->at[i].right);
    }
    assert(i == p->n);
    a->left[p->n_left].first = i;
    for (uint32_t r = 0; r < p->n_right; r++) {
        a->right[r].potential = 0;
        a->right[r].owner = a->right[r].first = LETHE_NONE;
    }
}

static uint32_t root_of(lethe_assigner *a, uint32_t l)
{
    lethe_assign_left *all = a->left;
    while (all[l].above != l) {
        all[l].above = all[all[l].above].above;
        l = all[l].above;
    }
    return l;
}

/* The least left term becomes the root, so that components are in the order of their first terms.
 */
static uint32_t join(lethe_assigner *a, uint32_t x, uint32_t y)
{
    if (x == y) return x;
    uint32_t up = LETHE_MIN(x, y), down = LETHE_MAX(x, y);
    a->left[down].above = up;
    a->left[up].n_left += a->left[down].n_left;
    a->left[up].n_right += a->left[down].n_right;
    return up;
}

static void find_components(lethe_assigner *a)
{
    const lethe_assign_pairs *p = a->pairs;
    for (uint32_t l = 0; l < p->n_left; l++) {
        uint32_t root = l; // l is alone so far
        for (size_t i = a->left[l].first; i < a->left[l + 1].first; i++) {
            if (p->at[i].weight > (uint64_t)a->nil) continue; // both unmatched is cheaper
            lethe_assign_right *r = &a->right[p->at[i].right];
            if (r->first == LETHE_NONE) {
                r->first = l;
                a->left[root].n_right++;
            } else {
                root = join(a, root, root_of(a, r->first));
            }
        }
    }
    uint32_t at = 0;
    for (uint32_t l = 0; l < p->n_left; l++) {
        uint32_t root = root_of(a, l);
        if (root == l) {
            a->left[l].at = at;
            at += a->left[l].n_left;
        }
        // Until all are placed, `at` of a root is where its next one goes.
        a->order[a->left[root].at++] = l;
    }
}

/* The component of a root; false: l is not a root. */
static bool component_at(const lethe_assigner *a, uint32_t l, lethe_assign_component *out)
{
    const lethe_assign_left *x = &a->left[l];
    if (x->above != l) return false;
    *out = (lethe_assign_component){a->order + (x->at - x->n_left), x->n_left, x->n_right};
    return true;
}

static bool is_star(const lethe_assign_component *c) { return c->n_left == 1 || c->n_right <= 1; }
static bool fits_table(const lethe_assign_component *c)
{
    return c->n_left <= LETHE_ASSIGN_TABLE_LEFT && c->n_right <= LETHE_ASSIGN_TABLE_RIGHT;
}
/* Paths begin on the smaller side, where most end at once. */
static bool is_turned(const lethe_assign_component *c) { return c->n_left > c->n_right; }

static lethe_err turn(lethe_assigner *a)
{
    const lethe_assign_pairs *p = a->pairs;
    if (!a->turned) a->turned = lethe_assigner_new();
    if (!a->turned) return LETHE_ENOMEM;
    LETHE_TRY(reserve(a->turned, p->n_right, p->n_left));
    if (p->n > a->cap_turned) {
        a->cap_turned = 0;
        if (!renew(&a->turned_pair, p->n + p->n / 2, sizeof *a->turned_pair)) return LETHE_ENOMEM;
        a->cap_turned = p->n + p->n / 2;
    }
    lethe_assigner *t = a->turned;
    for (size_t r = 0; r <= p->n_right; r++)
        t->left[r].first = 0;
    for (size_t i = 0; i < p->n; i++)
        t->left[(size_t)p->at[i].right + 1].first++;
    for (size_t r = 1; r <= p->n_right; r++)
        t->left[r].first += t->left[r - 1].first;
    for (size_t i = 0; i < p->n; i++) // by left term, so that the pairs of a right term ascend
        a->turned_pair[t->left[p->at[i].right].first++] =
            (lethe_assign_pair){p->at[i].right, p->at[i].left, p->at[i].weight};
    a->turned_pairs = (lethe_assign_pairs){p->n_right, p->n_left, p->n, a->turned_pair};
    t->pairs = &a->turned_pairs;
    t->nil = a->nil;
    begin_terms(t);
    return LETHE_OK;
}

/* To settle ties, every large component needs its pairs by right term, too. */
static lethe_err begin(lethe_assigner *a, bool with_ties)
{
    lethe_assign_component c;
    const lethe_assign_pairs *p = a->pairs;
    bool any_turned = false;
    LETHE_TRY(reserve(a, p->n_left, p->n_right));
    begin_terms(a);
    find_components(a);
    for (uint32_t l = 0; l < p->n_left && !any_turned; l++)
        any_turned = component_at(a, l, &c) && !is_star(&c) && !fits_table(&c) &&
                     (with_ties || is_turned(&c));
    return any_turned ? turn(a) : LETHE_OK;
}

/* The part of the problem whose least sum a table gives.  If nil is twice omega, only the sum
 * counts; otherwise nil is greater than all weights together. */
static lethe_assign_part table_part(const lethe_assigner *a, lethe_assign_omega omega, int64_t sum)
{
    if (omega.kind == LETHE_ASSIGN_OMEGA_IS) return (lethe_assign_part){0, sum};
    return sum < a->nil ? (lethe_assign_part){0, sum}
                        : (lethe_assign_part){(uint64_t)(sum / a->nil), sum % a->nil};
}

/* --- tiny problems, which are the most: a table over the sets of all right terms --- */

static bool is_tiny(const lethe_assign_pairs *p)
{
    return p->n_left <= LETHE_ASSIGN_TABLE_LEFT && p->n_right <= LETHE_ASSIGN_TINY_RIGHT;
}

/* One more left term, whose pairs end before *end: below[set] is the least cost of those after it
 * with the right terms of a set, row[set] the least cost with it.  Sets descend, so that both may
 * be the same row. */
static void tiny_row(const lethe_assigner *a, uint32_t l, size_t *end, const int64_t *below,
                     int64_t *row)
{
    const lethe_assign_pair *pair = a->pairs->at;
    size_t first = *end, last = *end;
    while (first > 0 && pair[first - 1].left == l)
        first--;
    *end = first;
    for (uint32_t set = 1u << a->pairs->n_right; set-- > 0;) {
        int64_t best = below[set] + a->nil;
        for (size_t i = first; i < last; i++) {
            uint32_t bit = 1u << pair[i].right;
            if (set & bit) best = LETHE_MIN(best, below[set ^ bit] + (int64_t)pair[i].weight);
        }
        row[set] = best;
    }
}

static lethe_assign_part tiny_price(lethe_assigner *a, lethe_assign_omega omega)
{
    size_t end = a->pairs->n, width = (size_t)1 << a->pairs->n_right;
    for (size_t i = 0; i < width; i++)
        a->table[i] = 0;
    for (uint32_t l = a->pairs->n_left; l-- > 0;)
        tiny_row(a, l, &end, a->table, a->table);
    assert(end == 0);
    return table_part(a, omega, a->table[width - 1]);
}

/* The rows of all left terms, the last first; then each takes the earliest right term that costs no
 * more. */
static void tiny_solve(lethe_assigner *a, uint32_t *to, lethe_assign_matching *out)
{
    const lethe_assign_pairs *p = a->pairs;
    size_t end = p->n, width = (size_t)1 << p->n_right, i = 0, set = width - 1;
    lethe_assign_matching m = {0};
    for (size_t k = 0; k < width; k++)
        a->table[p->n_left * width + k] = 0;
    for (uint32_t l = p->n_left; l-- > 0;)
        tiny_row(a, l, &end, a->table + (l + 1) * width, a->table + l * width);
    assert(end == 0);
    for (uint32_t l = 0; l < p->n_left; l++) {
        const int64_t *row = a->table + l * width, *below = row + width;
        to[l] = LETHE_NONE;
        for (; i < p->n && p->at[i].left == l; i++) {
            size_t bit = set & (size_t)1 << p->at[i].right;
            if (to[l] != LETHE_NONE || !bit) continue;
            if (below[set ^ bit] + (int64_t)p->at[i].weight != row[set]) continue;
            to[l] = p->at[i].right;
            m.matched++;
            m.weight += p->at[i].weight;
        }
        if (to[l] != LETHE_NONE) set ^= (size_t)1 << to[l];
    }
    *out = m;
}

/* --- components with one term on a side --- */

/* One left term: the lightest pair, ties to the first, unless no partner is cheaper.  One right
 * term: likewise, and the other left terms have no partner. */
static void solve_star(lethe_assigner *a, const lethe_assign_component *c, lethe_assign_part *part)
{
    const lethe_assign_pair *best = NULL;
    for (uint32_t i = 0; i < c->n_left; i++) {
        const lethe_assign_left *x = &a->left[c->left[i]];
        for (size_t k = x->first; k < x[1].first; k++) {
            const lethe_assign_pair *p = &a->pairs->at[k];
            if (p->weight <= (uint64_t)a->nil && (!best || p->weight < best->weight)) best = p;
        }
    }
    part->unmatched += c->n_left - (best != NULL);
    if (!best) return;
    part->weight += (int64_t)best->weight;
    a->left[best->left].to = best->right;
}

/* --- small components: a table over the sets of right terms --- */

static void number_rights(lethe_assigner *a, const lethe_assign_component *c)
{
    uint32_t n = 0;
    a->round++;
    for (uint32_t i = 0; i < c->n_left; i++) {
        const lethe_assign_left *x = &a->left[c->left[i]];
        for (size_t k = x->first; k < x[1].first; k++) {
            const lethe_assign_pair *p = &a->pairs->at[k];
            lethe_assign_right *r = &a->right[p->right];
            if (p->weight > (uint64_t)a->nil || r->seen == a->round) continue;
            r->seen = a->round;
            r->bit = 1u << n++;
        }
    }
}

/* The same for a component, by the bits of its right terms. */
static void table_row(lethe_assigner *a, const lethe_assign_component *c, uint32_t l,
                      const int64_t *below, int64_t *row)
{
    uint32_t bit[LETHE_ASSIGN_TABLE_RIGHT], n = 0;
    int64_t weight[LETHE_ASSIGN_TABLE_RIGHT];
    const lethe_assign_left *x = &a->left[l];
    for (size_t k = x->first; k < x[1].first; k++) {
        const lethe_assign_pair *p = &a->pairs->at[k];
        if (p->weight > (uint64_t)a->nil) continue;
        bit[n] = a->right[p->right].bit;
        weight[n++] = (int64_t)p->weight;
    }
    for (uint32_t set = 1u << c->n_right; set-- > 0;) {
        int64_t best = below[set] + a->nil;
        for (uint32_t i = 0; i < n; i++)
            if (set & bit[i]) best = LETHE_MIN(best, below[set ^ bit[i]] + weight[i]);
        row[set] = best;
    }
}

static void price_table(lethe_assigner *a, const lethe_assign_component *c,
                        lethe_assign_omega omega, lethe_assign_part *part)
{
    memset(a->table, 0, sizeof *a->table << c->n_right);
    number_rights(a, c);
    for (uint32_t i = c->n_left; i-- > 0;)
        table_row(a, c, c->left[i], a->table, a->table);
    *part = table_part(a, omega, a->table[(1u << c->n_right) - 1]);
}

/* The rows of all left terms, the last first; then each takes the earliest right term that costs no
 * more. */
static void solve_table(lethe_assigner *a, const lethe_assign_component *c, lethe_assign_part *part)
{
    uint32_t set = (1u << c->n_right) - 1;
    size_t width = (size_t)set + 1;
    memset(a->table + c->n_left * width, 0, width * sizeof *a->table);
    number_rights(a, c);
    for (uint32_t i = c->n_left; i-- > 0;)
        table_row(a, c, c->left[i], a->table + (i + 1) * width, a->table + i * width);
    for (uint32_t i = 0; i < c->n_left; i++) {
        const int64_t *row = a->table + i * width, *below = row + width;
        lethe_assign_left *x = &a->left[c->left[i]];
        for (size_t k = x->first; k < x[1].first && x->to == LETHE_NONE; k++) {
            const lethe_assign_pair *p = &a->pairs->at[k];
            uint32_t bit = p->weight > (uint64_t)a->nil ? 0 : a->right[p->right].bit & set;
            if (bit && below[set ^ bit] + (int64_t)p->weight == row[set]) {
                x->to = p->right;
                part->weight += (int64_t)p->weight;
                set ^= bit;
            }
        }
        part->unmatched += x->to == LETHE_NONE;
    }
}

/* --- prices --- */

/* The cost of left terms placed so, and of all right terms. */
static lethe_assign_cost price_of(const lethe_assigner *a, lethe_assign_omega omega,
                                  lethe_assign_part part)
{
    int64_t more = (int64_t)a->pairs->n_right - (int64_t)a->pairs->n_left;
    if (omega.kind == LETHE_ASSIGN_OMEGA_NONE) return (lethe_assign_cost){0, (uint64_t)part.weight};
    if (omega.kind == LETHE_ASSIGN_OMEGA_OVER)
        return (lethe_assign_cost){(uint64_t)((int64_t)(2 * part.unmatched) + more),
                                   (uint64_t)part.weight};
    int64_t sum = part.weight + (int64_t)part.unmatched * a->nil + more * (int64_t)omega.value;
    return (lethe_assign_cost){0, (uint64_t)sum};
}

static lethe_assign_part part_sum(lethe_assign_part a, lethe_assign_part b)
{
    return (lethe_assign_part){a.unmatched + b.unmatched, a.weight + b.weight};
}

static bool is_over(const lethe_assigner *a, lethe_assign_omega omega, lethe_assign_part part,
                    lethe_assign_cost bound)
{
    return lethe_assign_cost_cmp(price_of(a, omega, part), bound) > 0;
}

/* --- large components --- */

/* The right terms of a component, in the memory of the heap. */
static const uint32_t *rights_of(lethe_assigner *a, const lethe_assign_component *c)
{
    uint32_t n = 0;
    a->round++;
    for (uint32_t i = 0; i < c->n_left; i++) {
        const lethe_assign_left *x = &a->left[c->left[i]];
        for (size_t k = x->first; k < x[1].first; k++) {
            const lethe_assign_pair *p = &a->pairs->at[k];
            if (p->weight > (uint64_t)a->nil || a->right[p->right].seen == a->round) continue;
            a->right[p->right].seen = a->round;
            a->heap[n++] = p->right;
        }
    }
    assert(n == c->n_right);
    return a->heap;
}

/* The exchanged problem has potentials p <= nil for right terms and q <= 0 for left terms: u = nil
 * + q and v = p - nil are potentials of ours. */
static void turn_back(lethe_assigner *a, const lethe_assign_component *c)
{
    const lethe_assigner *t = a->turned;
    const uint32_t *rights = rights_of(a, c);
    for (uint32_t i = 0; i < c->n_right; i++) {
        a->right[rights[i]].potential = t->left[rights[i]].potential - a->nil;
        a->right[rights[i]].owner = t->left[rights[i]].to;
    }
    for (uint32_t i = 0; i < c->n_left; i++) {
        a->left[c->left[i]].potential = t->right[c->left[i]].potential + a->nil;
        a->left[c->left[i]].to = t->right[c->left[i]].owner;
    }
}

/* The least cost of everything else, and the greatest of the whole. */
typedef struct limit {
    lethe_assign_omega omega;
    lethe_assign_part others;
    lethe_assign_cost bound;
} limit;

/* Adds a large component to *part, which is empty; false: the limit (NULL: none) is certainly
 * exceeded.  One more term never makes a placement cheaper (in model 1 it can make it lighter), so
 * each step gives a bound. */
static bool place_all(lethe_assigner *a, const lethe_assign_component *c, const limit *most,
                      lethe_assign_part *part)
{
    bool turned = is_turned(c);
    const uint32_t *first = turned ? rights_of(a, c) : c->left;
    uint32_t n = turned ? c->n_right : c->n_left;
    if (turned) part->unmatched += c->n_left - c->n_right;
    for (uint32_t i = 0; i < n; i++) {
        lethe_assign_place(turned ? a->turned : a, first[i], part);
        if (!most || most->omega.kind == LETHE_ASSIGN_OMEGA_NONE) continue;
        if (is_over(a, most->omega, part_sum(most->others, *part), most->bound)) return false;
    }
    if (turned && !most) turn_back(a, c);
    return true;
}

/* --- the matching --- */

/* Where no right term has two partners, as in most small problems, each left term takes its
 * cheapest, of equal ones the first.  False: it is not so. */
static bool stars_solve(const lethe_assigner *a, uint32_t *to, lethe_assign_matching *out)
{
    const lethe_assign_pairs *p = a->pairs;
    uint64_t seen = 0, weight = 0;
    uint32_t matched = 0;
    if (p->n_right > 64) return false;
    for (size_t i = 0; i < p->n; i++) {
        uint64_t bit = UINT64_C(1) << p->at[i].right;
        if (p->at[i].weight > (uint64_t)a->nil) continue; // both unmatched is cheaper
        if (seen & bit) return false;
        seen |= bit;
    }
    for (size_t l = 0, i = 0; l < p->n_left; l++) {
        const lethe_assign_pair *best = NULL;
        for (; i < p->n && p->at[i].left == l; i++)
            if (best ? p->at[i].weight < best->weight : p->at[i].weight <= (uint64_t)a->nil)
                best = &p->at[i];
        to[l] = best ? best->right : LETHE_NONE;
        matched += best != NULL;
        weight += best ? best->weight : 0;
    }
    *out = (lethe_assign_matching){matched, weight};
    return true;
}

lethe_err lethe_assign(lethe_assigner *a, const lethe_assign_pairs *p, lethe_assign_omega omega,
                       uint32_t *to, lethe_assign_matching *out)
{
    lethe_assign_component c;
    lethe_assign_part part = {0};
    LETHE_TRY(begin_sums(a, p, omega));
    if (stars_solve(a, to, out)) return LETHE_OK;
    if (is_tiny(p)) {
        tiny_solve(a, to, out);
        return LETHE_OK;
    }
    LETHE_TRY(begin(a, true));
    for (uint32_t l = 0; l < p->n_left; l++) {
        if (!component_at(a, l, &c)) continue;
        if (is_star(&c)) {
            solve_star(a, &c, &part);
        } else if (fits_table(&c)) {
            solve_table(a, &c, &part);
        } else {
            lethe_assign_part own = {0};
            place_all(a, &c, NULL, &own);
            part = part_sum(part, own);
            lethe_assign_settle(a, &c);
        }
    }
    // settling ties can match more at the same cost, where a pair costs as much as no partner
    uint64_t unmatched = 0;
    for (uint32_t l = 0; l < p->n_left; l++) {
        to[l] = a->left[l].to;
        unmatched += to[l] == LETHE_NONE;
    }
    part.weight += a->nil * ((int64_t)part.unmatched - (int64_t)unmatched);
    *out = (lethe_assign_matching){p->n_left - (uint32_t)unmatched, (uint64_t)part.weight};
    return LETHE_OK;
}

/* --- the price --- */

/* A quick bound of the cost of a component.  In model 1 all of its weight may be saved by matching
 * others. */
static lethe_assign_part floor_of(const lethe_assigner *a, const lethe_assign_component *c,
                                  lethe_assign_omega omega)
{
    lethe_assign_part part = {.unmatched = c->n_left > c->n_right ? c->n_left - c->n_right : 0};
    if (part.unmatched > 0 || omega.kind == LETHE_ASSIGN_OMEGA_NONE) return part;
    for (uint32_t i = 0; i < c->n_left; i++) {
        const lethe_assign_left *x = &a->left[c->left[i]];
        uint64_t least = (uint64_t)a->nil;
        for (size_t k = x->first; k < x[1].first; k++)
            least = LETHE_MIN(least, a->pairs->at[k].weight);
        part.weight += (int64_t)least;
    }
    return part;
}

/* `least`: the bounds of all components; for those that are done, their costs. */
static bool price_within(lethe_assigner *a, lethe_assign_omega omega, lethe_assign_cost bound,
                         lethe_assign_part *least)
{
    lethe_assign_component c;
    for (uint32_t l = 0; l < a->pairs->n_left; l++) {
        if (!component_at(a, l, &c)) continue;
        lethe_assign_part part = {0}, before = floor_of(a, &c, omega);
        lethe_assign_part others = {least->unmatched - before.unmatched,
                                    least->weight - before.weight};
        if (is_star(&c))
            solve_star(a, &c, &part);
        else if (fits_table(&c))
            price_table(a, &c, omega, &part);
        else if (!place_all(a, &c, &(limit){omega, others, bound}, &part))
            return false;
        *least = part_sum(others, part);
        if (is_over(a, omega, *least, bound)) return false;
    }
    return true;
}

lethe_err lethe_assign_price(lethe_assigner *a, const lethe_assign_pairs *p,
                             lethe_assign_omega omega, lethe_assign_cost bound,
                             lethe_assign_cost *out, bool *within)
{
    lethe_assign_component c;
    lethe_assign_part least = {0};
    LETHE_TRY(begin_sums(a, p, omega));
    if (is_tiny(p)) {
        least = tiny_price(a, omega);
        *within = !is_over(a, omega, least, bound);
    } else {
        LETHE_TRY(begin(a, false));
        for (uint32_t l = 0; l < p->n_left; l++)
            if (component_at(a, l, &c)) least = part_sum(least, floor_of(a, &c, omega));
        *within = !is_over(a, omega, least, bound) && price_within(a, omega, bound, &least);
    }
    if (*within) *out = price_of(a, omega, least);
    return LETHE_OK;
}

/* --- greedy --- */

/* Byte by byte from the lowest, as many as the heaviest weight has; returns the array with the
 * result. */
static const lethe_assign_sorted_pair *radix_sort(lethe_assign_sorted_pair *at,
                                                  lethe_assign_sorted_pair *other, size_t n)
{
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= at[i].weight;
    for (unsigned shift = 0; shift < 64 && any >> shift; shift += 8) {
        size_t next[257] = {0};
        for (size_t i = 0; i < n; i++)
            next[(at[i].weight >> shift & 255) + 1]++;
        for (size_t k = 1; k < 257; k++)
            next[k] += next[k - 1];
        for (size_t i = 0; i < n; i++)
            other[next[at[i].weight >> shift & 255]++] = at[i];
        lethe_assign_sorted_pair *swap = at;
        at = other;
        other = swap;
    }
    return at;
}

/* Sorts pairs by weight, left, right: both sorts are stable. */
static lethe_err sort_pairs(lethe_assigner *a, const lethe_assign_sorted_pair **out)
{
    enum { FEW = 32 };
    const lethe_assign_pairs *p = a->pairs;
    if (p->n > a->cap_sorted || !a->sorted) {
        size_t cap = LETHE_MAX(p->n + p->n / 2, FEW);
        a->cap_sorted = 0;
        if (!renew(&a->sorted, cap, 2 * sizeof *a->sorted)) return LETHE_ENOMEM;
        a->cap_sorted = cap;
    }
    for (size_t i = 0; i < p->n; i++)
        a->sorted[i] = (lethe_assign_sorted_pair){p->at[i].weight, i};
    *out = a->sorted;
    if (p->n > FEW) *out = radix_sort(a->sorted, a->sorted + a->cap_sorted, p->n);
    for (size_t i = 1; p->n <= FEW && i < p->n; i++) {
        lethe_assign_sorted_pair x = a->sorted[i];
        size_t k = i;
        for (; k > 0 && a->sorted[k - 1].weight > x.weight; k--)
            a->sorted[k] = a->sorted[k - 1];
        a->sorted[k] = x;
    }
    return LETHE_OK;
}

lethe_err lethe_assign_greedy(lethe_assigner *a, const lethe_assign_pairs *p, uint32_t *to,
                              lethe_assign_matching *out)
{
    const lethe_assign_sorted_pair *sorted;
    lethe_assign_matching m = {0};
    LETHE_TRY(begin_sums(a, p, (lethe_assign_omega){.kind = LETHE_ASSIGN_OMEGA_OVER}));
    LETHE_TRY(reserve(a, p->n_left, p->n_right));
    LETHE_TRY(sort_pairs(a, &sorted));
    begin_terms(a);
    for (size_t i = 0; i < p->n; i++) {
        const lethe_assign_pair *pair = &p->at[sorted[i].i];
        if (a->left[pair->left].to != LETHE_NONE || a->right[pair->right].owner != LETHE_NONE)
            continue;
        a->left[pair->left].to = pair->right;
        a->right[pair->right].owner = pair->left;
        m.matched++;
        m.weight += pair->weight;
    }
    for (uint32_t l = 0; l < p->n_left; l++)
        to[l] = a->left[l].to;
    *out = m;
    return LETHE_OK;
}
