/* SPDX-License-Identifier: Apache-2.0 */
/* independent.c - reductions, pieces, their solution on all threads, and the set that follows. */
#include "method/disconnect/independent/independent_internal.h"

/* Effort for pieces that are too large for a certain solution: a total, shared by size, and a
 * minimum per set. */
enum { NODES = 1 << 16, NODES_EACH = 1, TRIALS = 1 << 20, ROUNDS_LEAST = 6, ROUNDS_MOST = 64 };

typedef struct solution {
    lethe_ctx *ctx;
    const lethe_click_graph *g;
    const uint64_t *weight;
    size_t n_starts;
    uint32_t *heaviest;  /* of each class its heaviest query, ties: the first seen */
    uint32_t *component; /* of each URL: a root of lethe_independent_unite */
    uint8_t **start;     /* of each start, of each class; then of each set */
    uint8_t *in;         /* of each class */
    uint8_t *in_set;     /* of each set of the pieces */
    uint8_t *exact;      /* of each piece */
    uint8_t *taken;      /* of each URL */
    uint64_t *start_weight;
    lethe_independent_kernel kernel;
    lethe_independent_pieces pieces;
    uint64_t n_large;                 /* sets of pieces that are searched */
    lethe_secret *secret;             /* of a fixed seed: the same each time */
    lethe_independent_exact **solver; /* of each worker */
} solution;

static bool has_urls(const lethe_click_graph *g, uint32_t c)
{
    return g->url_start[c] < g->url_start[c + 1];
}

/* --- weights --- */

static lethe_err make_kernel(solution *f)
{
    const lethe_click_graph *g = f->g;
    uint64_t sum = 0;
    for (uint32_t q = 0; q < g->n; q++) {
        if (f->weight[q] > INT64_MAX - sum)
            return lethe_fail(f->ctx, LETHE_EINPUT, "the weights of all queries reach 2^63");
        sum += f->weight[q];
    }
    uint64_t *of_class = lethe_alloc(g->n_classes, sizeof *of_class);
    if (!of_class) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < g->n_classes; c++) {
        f->heaviest[c] = LETHE_NONE; // only the class without URLs may have no query
        of_class[c] = 0;
        for (uint64_t i = g->member_start[c]; i < g->member_start[c + 1]; i++) {
            uint32_t q = g->member[i], h = f->heaviest[c];
            if (h == LETHE_NONE || f->weight[q] > f->weight[h]) f->heaviest[c] = q;
        }
        if (f->heaviest[c] != LETHE_NONE) of_class[c] = f->weight[f->heaviest[c]];
    }
    return lethe_independent_kernel_new(f->ctx, g, of_class, &f->kernel);
}

/* --- starts --- */

/* Reads the starts by class; each must be an independent set. */
static lethe_err read_starts(solution *f, const uint8_t *const *start)
{
    const lethe_click_graph *g = f->g;
    f->start = lethe_alloc_zero(f->n_starts, sizeof *f->start);
    f->start_weight = lethe_alloc_zero(f->n_starts, sizeof *f->start_weight);
    if (!f->start || !f->start_weight) return LETHE_ENOMEM;
    for (size_t k = 0; k < f->n_starts; k++) {
        memset(f->in, 0, g->n_classes);
        memset(f->taken, 0, g->n_urls);
        for (uint32_t q = 0; q < g->n; q++) {
            uint32_t c = g->class_of[q];
            if (!start[k][q]) continue;
            f->start_weight[k] += f->weight[q];
            if (!has_urls(g, c)) continue;
            for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
                assert(!f->taken[g->url[i]]);
                f->taken[g->url[i]] = 1;
            }
            f->in[c] = 1;
        }
        lethe_independent_kernel_follow(&f->kernel, f->in);
        f->start[k] = lethe_alloc(f->pieces.n_sets, 1);
        if (!f->start[k]) return LETHE_ENOMEM;
        for (uint32_t s = 0; s < f->pieces.n_sets; s++)
            f->start[k][s] = f->in[f->pieces.class_of[s]];
    }
    return LETHE_OK;
}

/* --- pieces --- */

static lethe_err search_piece(solution *f, const lethe_independent_piece *p, size_t i, uint8_t *in)
{
    uint32_t first = f->pieces.first_set[i];
    const uint8_t **start = lethe_alloc(f->n_starts, sizeof *start);
    if (!start) return LETHE_ENOMEM;
    for (size_t k = 0; k < f->n_starts; k++)
        start[k] = f->start[k] + first;
    lethe_rng rng = lethe_rng_stream(f->secret, "independent", f->pieces.class_of[first]);
    uint64_t rounds = LETHE_MIN(LETHE_MAX(TRIALS / f->n_large, ROUNDS_LEAST), ROUNDS_MOST);
    lethe_err e =
        lethe_independent_search_solve(f->ctx, p, &rng, (uint32_t)rounds, start, f->n_starts, in);
    lethe_rng_wipe(&rng);
    lethe_free(start);
    return e;
}

static lethe_err solve_piece(void *arg, size_t i, unsigned w)
{
    solution *f = arg;
    lethe_independent_piece p = lethe_independent_piece_at(&f->pieces, (uint32_t)i);
    uint8_t *in = f->in_set + f->pieces.first_set[i];
    if (!f->solver[w]) f->solver[w] = lethe_independent_exact_new();
    lethe_independent_exact *x = f->solver[w];
    if (!x) return LETHE_ENOMEM;
    if (p.n <= LETHE_INDEPENDENT_EXACT) {
        f->exact[i] = lethe_independent_exact_solve(x, &p, 0, 0, in);
        return LETHE_OK;
    }
    LETHE_TRY(search_piece(f, &p, i, in));
    if (p.n > LETHE_INDEPENDENT_TRIED) return LETHE_OK;
    uint64_t sum = 0;
    for (uint32_t s = 0; s < p.n; s++)
        sum += in[s] ? p.weight[s] : 0;
    uint64_t nodes = NODES * (uint64_t)p.n / f->n_large + NODES_EACH * (uint64_t)p.n;
    f->exact[i] = lethe_independent_exact_solve(x, &p, nodes, sum, in);
    return LETHE_OK;
}

/* --- components of the original graph --- */

/* Marks of each root: bit 0, there is a query; bit 1, there are two; bit 2, not certainly solved.
 */
static void count_components(solution *f, lethe_independent *out)
{
    const lethe_click_graph *g = f->g;
    uint32_t *component = f->component;
    uint8_t *mark = f->taken;
    for (uint32_t u = 0; u < g->n_urls; u++)
        component[u] = u;
    for (uint32_t c = 0; c < g->n_classes; c++)
        for (uint64_t i = g->url_start[c] + 1; i < g->url_start[c + 1]; i++)
            lethe_independent_unite(component, g->url[i - 1], g->url[i]);
    memset(mark, 0, g->n_urls);
    for (uint32_t c = 0; c < g->n_classes; c++) {
        if (!has_urls(g, c)) continue;
        uint8_t *m = &mark[lethe_independent_root(component, g->url[g->url_start[c]])];
        *m |= *m & 1 || g->member_start[c + 1] - g->member_start[c] > 1 ? 3 : 1;
    }
    for (uint32_t i = 0; i < f->pieces.n; i++) {
        uint32_t c = f->pieces.class_of[f->pieces.first_set[i]];
        if (!f->exact[i]) mark[lethe_independent_root(component, g->url[g->url_start[c]])] |= 4;
    }
    for (uint32_t u = 0; u < g->n_urls; u++) {
        out->components += (mark[u] & 2) != 0;
        out->exact += (mark[u] & 6) == 2;
    }
}

/* --- the answer --- */

/* The set of classes, checked against the weight that the reductions promise. */
static void choose_classes(solution *f)
{
    const lethe_click_graph *g = f->g;
    uint64_t promised = f->kernel.settled, sum = 0;
    memset(f->in, 0, g->n_classes);
    memset(f->taken, 0, g->n_urls);
    for (uint32_t s = 0; s < f->pieces.n_sets; s++) {
        if (!f->in_set[s]) continue;
        f->in[f->pieces.class_of[s]] = 1;
        promised += f->pieces.weight[s];
    }
    lethe_independent_kernel_undo(&f->kernel, f->in, f->taken);
    for (uint32_t c = 0; c < g->n_classes; c++)
        sum += f->in[c] ? f->weight[f->heaviest[c]] : 0;
    assert(sum == promised);
    for (uint32_t c = 0; c < g->n_classes; c++) { // those of weight 0, or missed by a search
        bool fits = !f->in[c];
        for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1] && fits; i++)
            fits = !f->taken[g->url[i]];
        if (!fits) continue;
        f->in[c] = 1;
        for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
            f->taken[g->url[i]] = 1;
    }
}

static lethe_err solve(solution *f, const uint8_t *const *start, lethe_independent *out)
{
    const lethe_click_graph *g = f->g;
    f->heaviest = lethe_alloc(g->n_classes, sizeof *f->heaviest);
    f->component = lethe_alloc(g->n_urls, sizeof *f->component);
    f->in = lethe_alloc(g->n_classes, 1);
    f->taken = lethe_alloc(g->n_urls, 1);
    if (!f->heaviest || !f->component || !f->in || !f->taken) return LETHE_ENOMEM;
    LETHE_TRY(make_kernel(f));
    LETHE_TRY(lethe_independent_pieces_new(&f->kernel, &f->pieces));
    LETHE_TRY(read_starts(f, start));
    f->in_set = lethe_alloc_zero(f->pieces.n_sets, 1);
    f->exact = lethe_alloc_zero(f->pieces.n, 1);
    f->solver = lethe_alloc_zero(lethe_ctx_threads(f->ctx), sizeof *f->solver);
    if (!f->in_set || !f->exact || !f->solver) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < f->pieces.n; i++) {
        uint32_t n = f->pieces.first_set[i + 1] - f->pieces.first_set[i];
        if (n > LETHE_INDEPENDENT_EXACT) f->n_large += n;
    }
    LETHE_TRY(lethe_secret_from_seed(0, &f->secret));
    LETHE_TRY(lethe_pool_for(f->ctx, f->pieces.n, solve_piece, f));
    lethe_independent s = {.kept = lethe_alloc_zero(g->n, 1)};
    if (!s.kept) return LETHE_ENOMEM;
    choose_classes(f);
    for (uint32_t q = 0; q < g->n; q++) {
        uint32_t c = g->class_of[q];
        s.kept[q] = !has_urls(g, c) || (f->in[c] && f->heaviest[c] == q);
        if (s.kept[q]) s.weight += f->weight[q];
    }
    for (size_t i = 0; i < f->n_starts; i++)
        assert(s.weight >= f->start_weight[i]);
    count_components(f, &s);
    *out = s;
    return LETHE_OK;
}

lethe_err lethe_independent_find(lethe_ctx *ctx, const lethe_click_graph *g, const uint64_t *weight,
                                 const uint8_t *const *start, size_t n_starts,
                                 lethe_independent *out)
{
    solution f = {.ctx = ctx, .g = g, .weight = weight, .n_starts = n_starts};
    lethe_err e = solve(&f, start, out);
    void *const all[] = {f.heaviest, f.component, f.in, f.in_set, f.exact, f.taken, f.start_weight};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    for (size_t i = 0; f.start && i < n_starts; i++)
        lethe_free(f.start[i]);
    lethe_free(f.start);
    for (unsigned w = 0; f.solver && w < lethe_ctx_threads(ctx); w++)
        lethe_independent_exact_free(f.solver[w]);
    lethe_free(f.solver);
    lethe_secret_free(f.secret);
    lethe_independent_kernel_free(&f.kernel);
    lethe_independent_pieces_free(&f.pieces);
    return e;
}

void lethe_independent_free(lethe_independent *s)
{
    lethe_free(s->kept);
    *s = (lethe_independent){0};
}
