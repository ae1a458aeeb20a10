/* SPDX-License-Identifier: Apache-2.0 */
/* lplus from the bytes of a table to those of its release, against all cuts of hundreds of small
 * tables, one by one: which cut it is, what it costs, and every line that is published.  Nothing
 * here is taken from the method but its names. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "log_oracle.h"
#include "records_release_harness.h"
#include "release/release.h"
#include "seeds.h"

#define TABLES seeds(700)
enum {
    QI = 2,
    NODES = 8,
    ROWS = 9,
    SA = 3,
    CLASSES = 2,
    CUTS = 1 << NODES,
    SCALE = 420, /* a multiple of every number of leaves less one */
    LINE = 32
};
enum { NONE, VIO_SA, ALL_SA, VIO_REC, ALL_REC, EVEN_SA };
enum { LM, DM, CM };
static const char *const scheme_name[] = {"none", "vioSA", "allSA", "vioRec", "allRec", "evenSA"};
static const char *const cost_name[] = {"LM", "DM", "CM"};

/* Nodes are numbered in preorder, so that a cut as a set of bits tells its list. */
typedef struct shape {
    int n, parent[NODES], leaves[NODES];
    int n_cuts, cut[CUTS]; /* those of the more general lists first */
} shape;

typedef struct world {
    int n_qi, n, n_sa, scheme, cost, k, distinct;
    int deletion; /* what a deleted row costs, in quarters of a row */
    bool listed;
    int num[SA], den[SA];
    shape tree[QI];
    int leaf[QI][ROWS], sa[ROWS], class[ROWS];
} world;

/* What a table published by a cut is. */
typedef struct outcome {
    bool valid;
    long cost, deleted, starred, groups;
    int keep[ROWS][SA], star[ROWS][SA]; /* by the first row of a group, and value */
} outcome;

/* --- drawing --- */

static bool is_above(const shape *t, int a, int v)
{
    while (v > a)
        v = t->parent[v];
    return v == a;
}

static bool is_leaf(const shape *t, int v) { return v + 1 == t->n || t->parent[v + 1] != v; }

static bool is_cut(const shape *t, int bits)
{
    for (int v = 0; v < t->n; v++) {
        int times = 0;
        for (int a = 0; is_leaf(t, v) && a <= v; a++)
            times += (bits >> a & 1) && is_above(t, a, v);
        if (is_leaf(t, v) && times != 1) return false;
    }
    return true;
}

/* Which of two lists of nodes, ascending, comes first? */
static int compare(int x, int y)
{
    int differ = x ^ y, low = differ & -differ;
    if (differ == 0) return 0;
    // the list with the lower node there, unless the other one ends before
    if (x & low) return (y & -low) ? -1 : 1;
    return (x & -low) ? 1 : -1;
}

static int by_list(const void *a, const void *b)
{
    return compare(*(const int *)a, *(const int *)b);
}

static void shape_draw(uint64_t *seed, shape *t)
{
    *t = (shape){.n = 2 + (int)o_below(seed, NODES - 1)};
    t->parent[0] = -1;
    for (int v = 1; v < t->n; v++) { // below the last one, or beside one above it
        t->parent[v] = v - 1;
        while (t->parent[v] > 0 && o_below(seed, 2))
            t->parent[v] = t->parent[t->parent[v]];
    }
    for (int v = 0; v < t->n; v++)
        for (int a = 0; is_leaf(t, v) && a <= v; a++)
            t->leaves[a] += is_above(t, a, v);
    for (int bits = 1; bits < 1 << t->n; bits++)
        if (is_cut(t, bits)) t->cut[t->n_cuts++] = bits;
    qsort(t->cut, (size_t)t->n_cuts, sizeof *t->cut, by_list);
}

static int leaf_draw(uint64_t *seed, const shape *t)
{
    int v = (int)o_below(seed, (uint64_t)t->n);
    while (!is_leaf(t, v))
        v++;
    return v;
}

static void world_draw(uint64_t *seed, world *w)
{
    static const int theta[][2] = {{0, 1}, {1, 4}, {1, 3}, {2, 5}, {1, 2}, {2, 3}, {3, 4}, {1, 1}};
    *w = (world){.n_qi = 1 + (int)o_below(seed, QI), .n = 1 + (int)o_below(seed, ROWS)};
    w->n_sa = 1 + (int)o_below(seed, SA);
    w->cost = (int)o_below(seed, 3);
    static const int deleting[] = {NONE, VIO_REC, ALL_REC};
    w->scheme = w->cost == LM ? (int)o_below(seed, 6) : deleting[o_below(seed, 3)];
    w->k = o_below(seed, 4) ? 1 : 2 + (int)o_below(seed, 2);
    w->distinct = o_below(seed, 4) ? 1 : 2 + (int)o_below(seed, 2);
    w->listed = o_below(seed, 3) == 0 && w->scheme != EVEN_SA;
    for (int s = 0; s < SA; s++) {
        size_t least = o_below(seed, 4) ? 4 : 0; // a half and more, mostly: else little is left
        size_t i = least + o_below(seed, LETHE_COUNT(theta) - least);
        w->num[s] = w->listed || s == 0 ? theta[i][0] : w->num[0];
        w->den[s] = w->listed || s == 0 ? theta[i][1] : w->den[0];
    }
    for (int a = 0; a < w->n_qi; a++)
        shape_draw(seed, &w->tree[a]);
    for (int i = 0; i < w->n; i++) {
        for (int a = 0; a < w->n_qi; a++)
            w->leaf[a][i] = leaf_draw(seed, &w->tree[a]);
        w->sa[i] = (int)o_below(seed, (uint64_t)w->n_sa);
        w->class[i] = (int)o_below(seed, CLASSES);
    }
    w->deletion = 8;
    bool deletes = w->scheme == VIO_REC || w->scheme == ALL_REC;
    if (w->cost == LM && deletes && o_below(seed, 4)) w->deletion = 4 + (int)o_below(seed, 9);
}

/* --- what a group comes to, by the definitions --- */

typedef struct crowd {
    int n, with[SA], of[SA][CLASSES];
} crowd;

static bool too_many(const world *w, int s, int with, int n)
{
    return with * w->den[s] > w->num[s] * n;
}

static bool shows_few(const world *w, const int *shown)
{
    int n = 0;
    for (int s = 0; s < SA; s++)
        n += shown[s] > 0;
    return n > 0 && n < w->distinct;
}

static bool violates(const world *w, const int *with)
{
    int n = 0;
    for (int s = 0; s < SA; s++)
        n += with[s];
    for (int s = 0; s < SA; s++)
        if (too_many(w, s, with[s], n)) return true;
    return false;
}

/* The most rows that can be kept so that no value is too common: all ways are tried. */
static void most_kept(const world *w, const crowd *c, int *keep)
{
    int best = -1, x[SA];
    for (x[0] = 0; x[0] <= c->with[0]; x[0]++)
        for (x[1] = 0; x[1] <= c->with[1]; x[1]++)
            for (x[2] = 0; x[2] <= c->with[2]; x[2]++)
                if (!violates(w, x) && x[0] + x[1] + x[2] > best) {
                    best = x[0] + x[1] + x[2];
                    memcpy(keep, x, sizeof x);
                }
}

static bool is_there(const world *w, int s)
{
    for (int i = 0; i < w->n; i++)
        if (w->sa[i] == s) return true;
    return false;
}

/* The fewest stars, each value being shown `most` times at most, with which those that are shown so
 * often are not too common if each has an equal part of the stars. */
static bool star_evenly(const world *w, const crowd *c, int *star)
{
    for (int most = c->n; most >= 0; most--) {
        int shown[SA], stars = 0, often = 0;
        for (int s = 0; s < SA; s++) {
            star[s] = LETHE_MAX(c->with[s] - most, 0);
            shown[s] = c->with[s] - star[s];
            stars += star[s];
            often += shown[s] == most && is_there(w, s);
        }
        if (often > 0 && !shows_few(w, shown) &&
            !too_many(w, 0, often * most + stars, often * c->n))
            return true;
    }
    return false;
}

/* false: no release may hold such a group. */
static bool suppress(const world *w, const crowd *c, int *keep, int *star)
{
    int shown[SA];
    bool bad = violates(w, c->with) || shows_few(w, c->with);
    memcpy(keep, c->with, sizeof c->with);
    memset(star, 0, sizeof c->with);
    if ((w->scheme <= ALL_SA || w->scheme == EVEN_SA) && c->n < w->k) return false;
    if (w->scheme == EVEN_SA) return star_evenly(w, c, star);
    if (w->scheme == NONE) return !bad;
    if (w->scheme == ALL_SA && bad) memcpy(star, c->with, sizeof c->with);
    if (w->scheme == ALL_REC && (bad || c->n < w->k)) memset(keep, 0, sizeof c->with);
    if (w->scheme == VIO_REC) {
        most_kept(w, c, keep);
        if (keep[0] + keep[1] + keep[2] < w->k || shows_few(w, keep))
            memset(keep, 0, sizeof c->with);
    }
    if (w->scheme != VIO_SA) return true;
    for (int s = 0; s < SA; s++) {
        star[s] = too_many(w, s, c->with[s], c->n) ? c->with[s] : 0;
        shown[s] = c->with[s] - star[s];
    }
    return !shows_few(w, shown);
}

static long minority(const crowd *c, const int *keep)
{
    long best = 0;
    for (int k = 0; k < CLASSES; k++) {
        long sum = 0;
        for (int s = 0; s < SA; s++)
            sum += LETHE_MIN(c->of[s][k], keep[s]);
        best = LETHE_MAX(best, sum);
    }
    return c->n - best;
}

/* --- what a cut comes to --- */

static int node_of(const world *w, const int *cut, int a, int row)
{
    int v = w->leaf[a][row];
    while (!(cut[a] >> v & 1))
        v = w->tree[a].parent[v];
    return v;
}

static bool alike(const world *w, const int *cut, int x, int y)
{
    for (int a = 0; a < w->n_qi; a++)
        if (node_of(w, cut, a, x) != node_of(w, cut, a, y)) return false;
    return true;
}

static long general(const world *w, const int *cut, int row)
{
    long sum = 0;
    for (int a = 0; a < w->n_qi; a++) {
        const shape *t = &w->tree[a];
        int all = t->leaves[0] - 1;
        if (all > 0) sum += SCALE / all * (t->leaves[node_of(w, cut, a, row)] - 1);
    }
    return sum;
}

static void group_add(const world *w, const int *cut, int first, outcome *o)
{
    crowd c = {0};
    int kept = 0, starred = 0;
    for (int i = first; i < w->n; i++) {
        if (!alike(w, cut, first, i)) continue;
        c.n++;
        c.with[w->sa[i]]++;
        c.of[w->sa[i]][w->class[i]]++;
    }
    if (!suppress(w, &c, o->keep[first], o->star[first])) o->valid = false;
    for (int s = 0; s < SA; s++) {
        kept += o->keep[first][s];
        starred += o->star[first][s];
    }
    long gone = c.n - kept, qi = w->n_qi * SCALE, row = qi / 4 * w->deletion;
    o->deleted += gone;
    o->starred += starred;
    o->groups += kept > 0;
    o->cost += w->cost == LM   ? kept * general(w, cut, first) + starred * qi + gone * row
               : w->cost == DM ? (long)kept * kept + gone * w->n
                               : minority(&c, o->keep[first]);
}

static outcome evaluate(const world *w, const int *cut)
{
    outcome o = {.valid = true};
    for (int i = 0; i < w->n; i++) {
        bool is_first = true;
        for (int k = 0; k < i; k++)
            is_first = is_first && !alike(w, cut, k, i);
        if (is_first) group_add(w, cut, i, &o);
    }
    return o;
}

/* The cheapest cut, of equals the most general one: the first that is met. */
static bool best_cut(const world *w, int *best, outcome *out)
{
    const shape *one = &w->tree[0], *two = &w->tree[1];
    bool found = false;
    for (int i = 0; i < one->n_cuts; i++)
        for (int k = 0; k < (w->n_qi > 1 ? two->n_cuts : 1); k++) {
            int cut[QI] = {one->cut[i], two->cut[k]};
            outcome o = evaluate(w, cut);
            if (!o.valid || (found && o.cost >= out->cost)) continue;
            found = true;
            *out = o;
            memcpy(best, cut, sizeof cut);
        }
    return found;
}

/* --- files --- */

static void files_write(const ground *g, const world *w)
{
    char name[32];
    FILE *f = fopen(rr_path(g, "in.csv"), "w");
    fprintf(f, "s,%sq0,c\n", w->n_qi > 1 ? "q1," : "");
    for (int i = 0; i < w->n; i++) {
        fprintf(f, "s%d,", w->sa[i]);
        if (w->n_qi > 1) fprintf(f, "v%d,", w->leaf[1][i]);
        fprintf(f, "v%d,c%d\n", w->leaf[0][i], w->class[i]);
    }
    fclose(f);
    for (int a = 0; a < w->n_qi; a++) {
        snprintf(name, sizeof name, "trees/q%d.tsv", a);
        f = fopen(rr_path(g, name), "w");
        for (int v = 1; v < w->tree[a].n; v++)
            fprintf(f, "v%d\tv%d\n", v, w->tree[a].parent[v]);
        fclose(f);
    }
    f = fopen(rr_path(g, "theta"), "w");
    for (int s = 0; s < SA; s++)
        fprintf(f, "s%d\t%d/%d\n", s, w->num[s], w->den[s]);
    fclose(f);
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

/* data.csv, but for the class: which of the rows with one value go is drawn. */
static void data_expected(const world *w, const int *cut, const outcome *o, char *out)
{
    char line[ROWS][LINE];
    size_t n = 0, used = (size_t)sprintf(out, "s,%sq0\n", w->n_qi > 1 ? "q1," : "");
    for (int i = 0; i < w->n; i++)
        for (int s = 0; s < SA; s++)
            for (int k = 0; k < o->keep[i][s]; k++) {
                size_t at = k < o->star[i][s] ? (size_t)sprintf(line[n], "*,")
                                              : (size_t)sprintf(line[n], "s%d,", s);
                if (w->n_qi > 1) at += (size_t)sprintf(line[n] + at, "v%d,", node_of(w, cut, 1, i));
                sprintf(line[n++] + at, "v%d\n", node_of(w, cut, 0, i));
            }
    qsort(line, n, sizeof line[0], by_text);
    for (size_t i = 0; i < n; i++)
        used += (size_t)sprintf(out + used, "%s", line[i]);
}

/* The last column of every line is cut off, where it is the class. */
static char *data_published(const ground *g, bool class)
{
    char *text = g_read(rr_path(g, "release/data.csv")), *to = text;
    if (!text || !class) return text;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char *comma = end;
        while (*comma != ',')
            comma--;
        memmove(to, line, (size_t)(comma - line));
        to += comma - line;
        *to++ = '\n';
    }
    *to = '\0';
    return text;
}

static made make(ground *g, const world *w, const lethe_method *method, const char *more,
                 unsigned threads)
{
    char how[1000];
    int used = snprintf(how, sizeof how,
                        "qi=%s sa=s hierarchies=%s/trees k=%d distinct-l=%d cost=%s%s %s ",
                        w->n_qi > 1 ? "q0,q1" : "q0", g->dir, w->k, w->distinct, cost_name[w->cost],
                        w->cost == CM ? " class=c" : "", more);
    if (w->listed)
        snprintf(how + used, sizeof how - (size_t)used, "theta-file=%s", rr_path(g, "theta"));
    else
        snprintf(how + used, sizeof how - (size_t)used, "theta=%d/%d", w->num[0], w->den[0]);
    g->said[0] = '\0';
    g_remove(g->out);
    unlink(g->map);
    return rr_make(g, method, how, rr_path(g, "in.csv"), threads, false);
}

/* --- the comparison --- */

static double real_of(const made *m, const char *name)
{
    const lethe_json *f = lethe_json_get(lethe_json_get(m->report, "metrics"), name);
    return lethe_json_kind(f) == LETHE_JSON_INT ? (double)lethe_json_int(f) : lethe_json_real(f);
}

static double cost_of(const world *w, const outcome *o)
{
    return (double)o->cost / (w->cost == LM ? SCALE : 1);
}

__attribute__((format(printf, 4, 5))) static void say(const ground *g, const world *w,
                                                      uint64_t seed, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail_msg("seed %llu, %s, %s: %s: %s", (unsigned long long)seed, scheme_name[w->scheme],
             cost_name[w->cost], text, g->said);
}

static void release_is(ground *g, const world *w, const made *m, const int *cut, const outcome *o,
                       uint64_t seed)
{
    char want[ROWS * LINE + LINE];
    data_expected(w, cut, o, want);
    char *got = data_published(g, w->cost == CM);
    if (!got || strcmp(got, want) != 0)
        say(g, w, seed, "published\n%s, not\n%s", got ? got : "nothing", want);
    free(got);
    if (fabs(real_of(m, "cost") - cost_of(w, o)) > 1e-9 * (1 + cost_of(w, o)))
        say(g, w, seed, "costs %g, not %g", real_of(m, "cost"), cost_of(w, o));
    double deleted = real_of(m, "rows_deleted"), starred = real_of(m, "values_starred");
    if ((long)deleted != o->deleted || (long)starred != o->starred ||
        (long)real_of(m, "groups") != o->groups)
        say(g, w, seed, "deleted %g, starred %g, groups %g", deleted, starred,
            real_of(m, "groups"));
    if (!lethe_json_bool(lethe_json_get(lethe_json_get(m->report, "metrics"), "optimal")))
        say(g, w, seed, "not said to be the best");
    if (rr_verify(g) != LETHE_OK) say(g, w, seed, "verify");
}

static void table_check(ground *g, const world *w, uint64_t seed)
{
    char how[64];
    int cut[QI];
    static const unsigned threads[] = {1, 2, 7};
    outcome o = {0};
    bool found = best_cut(w, cut, &o), empty = found && o.deleted == w->n;
    snprintf(how, sizeof how, "suppress=%s", scheme_name[w->scheme]);
    if (w->deletion != 8)
        snprintf(how, sizeof how, "suppress=%s deletion-weight=%g", scheme_name[w->scheme],
                 w->deletion / 4.0);
    made m = make(g, w, &lethe_method_lplus, how, threads[seed % 3]);
    if (m.e != (found && !empty ? LETHE_OK : LETHE_ANSWER_NO))
        say(g, w, seed, "%s", lethe_err_name(m.e));
    if (m.e == LETHE_ANSWER_NO) {
        assert_int_equal(access(g->out, F_OK), -1);
        if (!strstr(g->said, empty ? "nothing is left" : "no cut"))
            say(g, w, seed, "another message");
    } else {
        release_is(g, w, &m, cut, &o, seed);
    }
    rr_free(&m);
    // what is found in other ways is never better
    strcat(how, " steps=30");
    m = make(g, w, &lethe_method_anneal, how, 1);
    if (m.e == LETHE_OK && (!found || real_of(&m, "cost") < cost_of(w, &o) - 1e-9))
        say(g, w, seed, "anneal costs %g", real_of(&m, "cost"));
    rr_free(&m);
    if (w->scheme != NONE) return;
    m = make(g, w, &lethe_method_incognito, "", 1);
    if ((m.e == LETHE_OK) != found) say(g, w, seed, "incognito: %s", lethe_err_name(m.e));
    if (found && real_of(&m, "cost") < cost_of(w, &o) - 1e-9)
        say(g, w, seed, "incognito costs %g", real_of(&m, "cost"));
    rr_free(&m);
}

static void the_best_cut_is_published(void **state)
{
    ground g;
    world w;
    (void)state;
    g_begin(&g);
    assert_int_equal(mkdir(rr_path(&g, "trees"), 0700), 0);
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        uint64_t s = seed * 0x9e3779b97f4a7c15;
        world_draw(&s, &w);
        for (int a = 0; a < QI; a++) {
            char name[32];
            snprintf(name, sizeof name, "trees/q%d.tsv", a);
            unlink(rr_path(&g, name));
        }
        files_write(&g, &w);
        table_check(&g, &w, seed);
    }
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_cut_is_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
