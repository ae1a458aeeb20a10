/* SPDX-License-Identifier: Apache-2.0 */
/* Random tables, releases and persons: candidates by laying every person beside every row. */
/* suite: threads */
#include "random_table.h"
#include "seeds.h"
#include "attack/attack.h"

#define ROUNDS seeds(3000)
enum { PERSONS = 12 };

typedef struct person {
    rt_row row;
    bool known; /* has the hierarchy all of its values? */
} person;

/* Candidates of one person, and how many of them show the commonest value. */
typedef struct found {
    size_t n, most, shown;
} found;

static found search(const rt_world *w, const rt_row *rows, size_t n, const person *p, bool by_class)
{
    found f = {0};
    size_t often[3] = {0};
    for (size_t i = 0; i < n; i++) {
        if (!p->known || !rt_covers(w, &rows[i], &p->row)) continue;
        if (by_class && rows[i].class != p->row.class) continue;
        f.n++;
        if (rows[i].sa == '*') continue;
        f.shown++;
        often[rows[i].sa - '1']++;
    }
    for (size_t i = 0; i < 3; i++) {
        f.most = LETHE_MAX(f.most, often[i]);
    }
    if (!w->has_sa) f.most = f.shown = f.n > 0;
    return f;
}

/* Values that there are in the original. */
static size_t n_values(const rt_world *w)
{
    size_t n = 0;
    for (char c = '1'; c <= '3'; c++) {
        bool any = false;
        for (size_t i = 0; i < w->n; i++)
            any = any || w->row[i].sa == c;
        n += any;
    }
    return n;
}

/* Stars of a value that is starred as a whole in a group, and is the last one there, are taken for
 * it: looks through the groups of the candidates one by one.  Are there such? */
static bool stars_open(const rt_world *w, const person *p, found *f)
{
    size_t often[3] = {0};
    bool any = false;
    f->shown = f->most = 0;
    for (size_t i = 0; i < w->n_published; i++) {
        if (!p->known || !rt_covers(w, &w->published[i], &p->row)) continue;
        bool seen[3] = {false};
        size_t kinds = 0, last = 0, all = n_values(w);
        for (size_t k = 0; k < w->n_published; k++)
            if (rt_alike(w, &w->published[i], &w->published[k]) && w->published[k].sa != '*')
                seen[w->published[k].sa - '1'] = true;
        for (size_t v = 0; v < 3; v++) {
            bool there = false;
            for (size_t k = 0; k < w->n; k++)
                there = there || w->row[k].sa == (char)('1' + v);
            kinds += seen[v];
            if (there && !seen[v]) last = v;
        }
        char sa = w->published[i].sa;
        bool open = sa == '*' && kinds + 1 == all;
        any = any || open;
        if (sa == '*' && !open) continue;
        f->shown++;
        often[open ? last : (size_t)(sa - '1')]++;
    }
    for (size_t v = 0; v < 3; v++)
        f->most = LETHE_MAX(f->most, often[v]);
    return any;
}

/* The groups that the person fits. */
static size_t n_groups(const rt_world *w, const person *p)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_published; i++) {
        bool first = p->known && rt_covers(w, &w->published[i], &p->row);
        for (size_t k = 0; k < i; k++)
            first = first && !rt_alike(w, &w->published[i], &w->published[k]);
        n += first;
    }
    return n;
}

static void groups_check(const rt_world *w, const person *persons, size_t n, const lethe_json *out,
                         uint64_t seed)
{
    size_t sum = 0, linked = 0, several = 0;
    for (size_t i = 0; i < n; i++) {
        size_t fits = n_groups(w, &persons[i]);
        sum += fits;
        linked += fits > 0;
        several += fits > 1;
    }
    rt_real(w, out, "groups_mean", linked ? (double)sum / (double)linked : NAN, seed);
    rt_real(w, out, "fit_several", (double)several / (double)n, seed);
}

/* The share of the commonest value, and the chance that two rows, each drawn from all, agree. */
static double guess(const rt_world *w, bool random)
{
    double often[3] = {0}, most = 0, same = 0, n = (double)w->n_published;
    if (!w->has_sa) return 1 / n;
    for (size_t i = 0; i < w->n_published; i++)
        if (w->published[i].sa != '*') often[w->published[i].sa - '1']++;
    for (size_t i = 0; i < 3; i++) {
        most = LETHE_MAX(most, often[i]);
        same += often[i] * often[i];
    }
    return random ? same / (n * n) : most / n;
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void side_check(const rt_world *w, const found *f, size_t n, const lethe_json *side,
                       uint64_t seed)
{
    size_t size[PERSONS], linked = 0, unique = 0, certain = 0;
    double mean = 0, confidence = 0, median = NAN;
    for (size_t i = 0; i < n; i++) {
        if (f[i].n == 0) continue;
        size[linked++] = f[i].n;
        unique += f[i].n == 1;
        certain += f[i].most == f[i].n;
        mean += (double)f[i].n;
        confidence += (double)f[i].most / (double)f[i].n;
    }
    if (linked > 0) {
        qsort(size, linked, sizeof *size, by_number);
        median = ((double)size[(linked - 1) / 2] + (double)size[linked / 2]) / 2;
    }
    rt_real(w, side, "unique", (double)unique / (double)n, seed);
    rt_real(w, side, "certain", (double)certain / (double)n, seed);
    rt_real(w, side, "candidates_mean", linked ? mean / (double)linked : NAN, seed);
    rt_real(w, side, "candidates_median", median, seed);
    rt_real(w, side, "confidence", linked ? confidence / (double)linked : NAN, seed);
}

/* --- who knows everybody, and counts --- */

/* Which published row stands for its group: the first of it. */
static size_t group_head(const rt_world *w, size_t row)
{
    size_t k = 0;
    while (!rt_alike(w, &w->published[k], &w->published[row]))
        k++;
    return k;
}

/* Rules out who cannot be in which group, by the two rules, person by person, until nothing
 * changes.  may[person][group], groups by their first rows. */
static void narrow(const rt_world *w, bool may[RT_ROWS][RT_ROWS])
{
    memset(may, 0, RT_ROWS * sizeof *may);
    for (size_t i = 0; i < w->n; i++)
        for (size_t g = 0; g < w->n_published; g++)
            may[i][g] = group_head(w, g) == g && rt_covers(w, &w->published[g], &w->row[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t g = 0; g < w->n_published; g++) {
            size_t size = 0, fit = 0, only = 0;
            if (group_head(w, g) != g) continue;
            for (size_t k = 0; k < w->n_published; k++)
                size += group_head(w, k) == g;
            for (size_t i = 0; i < w->n; i++) {
                size_t others = 0;
                for (size_t h = 0; h < w->n_published; h++)
                    others += h != g && may[i][h];
                fit += may[i][g];
                only += may[i][g] && others == 0;
            }
            bool full = w->n == w->n_published && only == size;
            for (size_t i = 0; i < w->n; i++) {
                size_t others = 0;
                for (size_t h = 0; h < w->n_published; h++)
                    others += h != g && may[i][h];
                if (!may[i][g] || others == 0) continue;
                if (fit != size && !full) continue;
                for (size_t h = 0; h < w->n_published; h++)
                    if ((fit == size) == (h != g)) may[i][h] = false;
                changed = true;
            }
        }
    }
}

static void narrowed_check(const rt_world *w, bool whole, const lethe_json *out, uint64_t seed)
{
    bool may[RT_ROWS][RT_ROWS];
    double success = 0;
    size_t fewer = 0;
    narrow(w, may);
    // nobody is ruled out of the group where the row is
    for (size_t k = 0; k < w->n_published; k++)
        assert_true(may[w->from[k]][group_head(w, k)]);
    for (size_t i = 0; i < w->n; i++) {
        size_t n = 0, shown = 0, most = 0, often[3] = {0};
        person p = {w->row[i], true};
        bool less = false;
        for (size_t k = 0; k < w->n_published; k++) {
            bool fits = rt_covers(w, &w->published[k], &p.row);
            less = less || (fits && !may[i][group_head(w, k)]);
            if (!may[i][group_head(w, k)]) continue;
            n++;
            if (w->published[k].sa == '*') continue;
            shown++;
            often[w->published[k].sa - '1']++;
        }
        for (size_t v = 0; v < 3; v++)
            most = LETHE_MAX(most, often[v]);
        if (!w->has_sa) shown = most = n > 0;
        fewer += less;
        success += shown > 0 ? (double)most / (double)n : guess(w, false);
    }
    const lethe_json *narrowed = lethe_json_get(out, "counted");
    rt_real(w, narrowed, "persons", (double)fewer / (double)w->n, seed);
    if (!whole) rt_real(w, narrowed, "success", success / (double)w->n, seed);
}

/* --- who knows how many persons a group has --- */

/* Published rows of the person's group, and of its class where `class` is not 0. */
static size_t rows_of(const rt_world *w, const rt_row *of, char sa, char class)
{
    size_t n = 0;
    for (size_t k = 0; k < w->n_published; k++)
        n += rt_covers(w, &w->published[k], of) && (sa == 0 || w->published[k].sa == sa) &&
             (class == 0 || w->published[k].class == class);
    return n;
}

/* Persons of the same group; likewise. */
static size_t persons_of(const rt_world *w, const rt_row *of, char sa, char class)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        bool same = false;
        for (size_t k = 0; k < w->n_published; k++)
            same = same || (rt_covers(w, &w->published[k], of) &&
                            rt_covers(w, &w->published[k], &w->row[i]));
        n += same && (sa == 0 || w->row[i].sa == sa) && (class == 0 || w->row[i].class == class);
    }
    return n;
}

static size_t shown_of(const rt_world *w, const rt_row *of, char class)
{
    return rows_of(w, of, 0, class) - rows_of(w, of, '*', class);
}

static size_t common(const rt_world *w, char sa)
{
    size_t n = 0;
    for (size_t k = 0; k < w->n_published; k++)
        n += w->published[k].sa == sa;
    return n;
}

/* May a hidden row of the person's group have the value?  theta of a value is 1 / part[value -
 * '1']. */
static bool may_hide(const rt_world *w, const char *scheme, const size_t *part, const rt_row *p,
                     char sa)
{
    if (common(w, sa) == 0) return false;
    if (scheme[0] == 'n') return false;
    if (strcmp(scheme, "vioRec") == 0) {
        size_t with = rows_of(w, p, sa, 0);
        return with > 0 && with == rows_of(w, p, 0, 0) / part[sa - '1'];
    }
    for (char v = '1'; v <= '3' && strcmp(scheme, "evenSA") == 0; v++)
        if (rows_of(w, p, v, 0) > rows_of(w, p, sa, 0)) return false;
    return strcmp(scheme, "evenSA") == 0 || rows_of(w, p, sa, 0) == 0;
}

/* The guess at a person, and whether any value has a share above its theta. */
static char best_guess(const rt_world *w, const char *scheme, const size_t *part, const rt_row *p,
                       char class, bool *above)
{
    size_t persons = persons_of(w, p, 0, class), shown = shown_of(w, p, class), weight = 0;
    size_t hidden = persons > shown ? persons - shown : 0;
    double most = -1;
    char best = 0;
    *above = false;
    for (char v = '1'; v <= '3'; v++)
        weight += may_hide(w, scheme, part, p, v) ? common(w, v) : 0;
    for (char v = '1'; v <= '3'; v++) {
        if (common(w, v) == 0) continue;
        double share = (double)rows_of(w, p, v, class);
        if (may_hide(w, scheme, part, p, v))
            share += (double)hidden * (double)common(w, v) / (double)weight;
        *above = *above || share * (double)part[v - '1'] > (double)persons + 1e-9;
        bool tie = fabs(share - most) < 1e-9;
        if (tie ? common(w, v) > common(w, best) : share > most) {
            best = v;
            most = share;
        }
    }
    return best;
}

static char commonest_hidden(const rt_world *w, const char *scheme, const size_t *part,
                             const rt_row *p, size_t *n)
{
    char best = 0;
    *n = 0;
    for (char v = '1'; v <= '3'; v++) {
        if (!may_hide(w, scheme, part, p, v)) continue;
        if (++*n == 1 || common(w, v) > common(w, best)) best = v;
    }
    return best;
}

static void suppressed_check(const rt_world *w, const char *scheme, const size_t *part,
                             const lethe_json *out, uint64_t seed)
{
    size_t rows = 0, named = 0, groups = 0, single = 0, exact = 0;
    for (size_t g = 0; g < w->n_published; g++) {
        const rt_row *p = NULL;
        for (size_t i = 0; i < w->n && group_head(w, g) == g; i++)
            if (rt_covers(w, &w->published[g], &w->row[i])) p = &w->row[i];
        if (!p) continue; // not the first of its group, or nobody's
        size_t persons = persons_of(w, p, 0, 0), shown = shown_of(w, p, 0), n;
        size_t hidden = persons > shown ? persons - shown : 0;
        char best = commonest_hidden(w, scheme, part, p, &n);
        rows += hidden;
        groups += hidden > 0;
        if (hidden == 0 || n == 0) continue;
        size_t have = persons_of(w, p, best, 0), seen = rows_of(w, p, best, 0);
        have -= LETHE_MIN(have, seen);
        named += have;
        single += n == 1;
        exact += n == 1 && have == hidden;
    }
    rt_real(w, out, "rows", (double)rows, seed);
    rt_real(w, out, "named", rows ? (double)named / (double)rows : 0, seed);
    rt_real(w, out, "groups", (double)groups, seed);
    rt_real(w, out, "one_candidate", (double)single, seed);
    rt_real(w, out, "recovered", (double)exact, seed);
}

/* Checks one strategy; returns its success. */
static double hidden_check(const rt_world *w, const char *scheme, const size_t *part, bool by_class,
                           const lethe_json *out, uint64_t seed)
{
    double right = 0, above = 0;
    for (size_t i = 0; i < w->n; i++) {
        bool over = false;
        if (rows_of(w, &w->row[i], 0, 0) == 0) {
            right += guess(w, false);
            continue;
        }
        char v = best_guess(w, scheme, part, &w->row[i], by_class ? w->row[i].class : 0, &over);
        right += v && v == w->row[i].sa;
        above += over;
    }
    const lethe_json *own =
        lethe_json_get(lethe_json_get(out, "strategies"), by_class ? "class" : "suppressed");
    rt_real(w, own, "success", right / (double)w->n, seed);
    rt_real(w, own, "above", above / (double)w->n, seed);
    return right / (double)w->n;
}

/* The best of all strategies, and of shares alone. */
static void strategies_check(const rt_world *w, const char *scheme, const size_t *part,
                             const lethe_json *out, uint64_t seed)
{
    const lethe_json *all = lethe_json_get(out, "strategies");
    bool hides = scheme[0] != 'n';
    double best = 0;
    assert_true(hides == (lethe_json_get(all, "suppressed") != NULL));
    assert_true(w->has_class == (lethe_json_get(all, "class") != NULL));
    if (hides) suppressed_check(w, scheme, part, lethe_json_get(out, "suppressed"), seed);
    if (hides) best = fmax(best, hidden_check(w, scheme, part, false, out, seed));
    if (w->has_class) best = fmax(best, hidden_check(w, scheme, part, true, out, seed));
    if (all)
        best =
            fmax(best, lethe_json_real(lethe_json_get(lethe_json_get(all, "shares"), "success")));
    if (all) rt_real(w, out, "success", best, seed);
}

static void answer_check(const rt_world *w, const person *persons, size_t n, bool whole,
                         const lethe_json *out, uint64_t seed)
{
    found before[PERSONS], after[PERSONS];
    size_t unknown = 0, linked = 0, revealed = 0;
    double success = 0, was = 0, row = 0, row_was = 0;
    const lethe_json *all = lethe_json_get(out, "strategies");
    bool by_class = lethe_json_get(all, "class");
    for (size_t i = 0; i < n; i++) {
        before[i] = search(w, w->row, w->n, &persons[i], false);
        after[i] = search(w, w->published, w->n_published, &persons[i], false);
        found *f = &after[i], known = search(w, w->row, w->n, &persons[i], by_class);
        if (whole && w->has_sa) revealed += stars_open(w, &persons[i], f);
        unknown += !persons[i].known;
        linked += f->n > 0;
        row += f->n > 0 ? 1 / (double)f->n : 0;
        row_was += before[i].n > 0 ? 1 / (double)before[i].n : 0;
        success += f->shown > 0 ? (double)f->most / (double)f->n : guess(w, false);
        was += known.shown > 0 ? (double)known.most / (double)known.n : guess(w, false);
    }
    rt_real(w, all ? lethe_json_get(all, "shares") : out, "success", success / (double)n, seed);
    rt_real(w, out, "before", was / (double)n, seed);
    rt_real(w, out, "baseline", guess(w, true), seed);
    rt_real(w, out, "commonest", guess(w, false), seed);
    rt_real(w, out, "persons", (double)n, seed);
    rt_real(w, out, "unknown", (double)unknown, seed);
    rt_real(w, out, "linked", (double)linked / (double)n, seed);
    if (w->has_sa) rt_real(w, out, "revealed", (double)revealed / (double)n, seed);
    if (w->has_sa) rt_real(w, out, "row_success", row / (double)n, seed);
    if (w->has_sa) rt_real(w, out, "row_before", row_was / (double)n, seed);
    side_check(w, before, n, lethe_json_get(out, "candidates_before"), seed);
    side_check(w, after, n, lethe_json_get(out, "candidates_after"), seed);
}

/* Persons with any values: a leaf, the name of an inner node (which may have a leaf of its own),
 * one of nowhere. */
static size_t persons_draw(uint64_t *seed, const rt_world *w, person *to, char *text)
{
    size_t n = 1 + o_below(seed, PERSONS), used = 0;
    for (size_t a = w->n_qi; a-- > 0;)
        used += (size_t)sprintf(text + used, "q%zu,", a);
    used += (size_t)sprintf(text + used, "name\n");
    for (size_t i = 0; i < n; i++) {
        to[i].known = true;
        for (size_t a = w->n_qi; a-- > 0;) {
            const lethe_tree *t = w->table->qi[a].tree;
            uint32_t v;
            lethe_str name;
            do { // not by the name that such a leaf has got
                v = (uint32_t)o_below(seed, t->n);
                name = lethe_tree_name(t, v);
            } while (name.at[0] == '=');
            bool nowhere = o_below(seed, 20) == 0, leaf = t->end[v] == v + 1;
            bool own = !leaf && lethe_tree_name(t, v + 1).at[0] == '=';
            to[i].row.node[a] = own ? v + 1 : v;
            to[i].known = to[i].known && !nowhere && (leaf || own);
            used += nowhere ? (size_t)sprintf(text + used, "nowhere,")
                            : (size_t)sprintf(text + used, "%.*s,", (int)name.n, name.at);
        }
        used += (size_t)sprintf(text + used, "p%zu\n", i);
    }
    return n;
}

static void candidates_are_those_of_the_definition(void **state)
{
    (void)state;
    static rt_world w;
    lethe_ctx *ctx = o_ctx(1, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        person persons[PERSONS] = {{.known = false}};
        char external[1024];
        bool whole = round % 3 == 0;
        size_t n;
        bool overlap = round / 2 % 2;
        rt_make_as(&seed, ctx, &w, round % 4 == 0, overlap);
        static const char *const schemes[] = {"vioSA", "none", "vioRec", "allSA", "evenSA"};
        bool listed = round / 16 % 2;
        size_t of = 2 + round % 2 + round / 8 % 2, part[3] = {of, of, of};
        char thetas[64], all[16];
        for (size_t i = 0; listed && i < 3; i++)
            part[i] = 1 + o_below(&seed, 5);
        snprintf(thetas, sizeof thetas, "1\t1/%zu\n2\t1/%zu\n3\t1/%zu\n", part[0], part[1],
                 part[2]);
        snprintf(all, sizeof all, "1/%zu", of);
        w.b.thetas = listed ? thetas : NULL;
        const char *scheme = whole ? schemes[0] : schemes[1 + round / 4 % 4];
        snprintf(w.manifest, sizeof w.manifest,
                 "{\"steps\":[{\"parameters\":{\"suppress\":\"%s\"}}],\"claims\":[{\"notion\":"
                 "\"l-plus-diversity\",\"sa\":\"s\",\"theta\":\"%s\"%s}]}",
                 scheme, listed ? "listed" : all, overlap ? ",\"groups\":\"overlap\"" : "");
        w.b.manifest = w.manifest;
        if (round % 2) {
            n = persons_draw(&seed, &w, persons, external);
            w.b.external = external;
        } else {
            n = w.n;
            for (size_t i = 0; i < n; i++)
                persons[i] = (person){w.row[i], true};
        }
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_err e = t_run(ctx, &w.b, w.table, lethe_adversary_linking.run,
                            lethe_adversary_linking.options, doc, out);
        if (e != LETHE_OK)
            fail_msg("seed %llu\n%s\n%s\n%s", (unsigned long long)round, w.original, w.data,
                     w.taxonomy);
        answer_check(&w, persons, n, whole, out, round);
        if (!overlap && round % 2 == 0 && w.has_sa) strategies_check(&w, scheme, part, out, round);
        if (overlap) groups_check(&w, persons, n, out, round);
        if (overlap && round % 2 == 0 && round % 4 != 0) narrowed_check(&w, whole, out, round);
        assert_true((overlap && round % 2 == 0) == (lethe_json_get(out, "counted") != NULL));
        lethe_json_doc_free(doc);
        lethe_table_free(w.table);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_those_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
