/* SPDX-License-Identifier: Apache-2.0 */
/* Random groups of records, of users with lists of texts, and of rows of tables: what they tell, by
 * looking at every item of every candidate. */
/* suite: threads */
#include "attack/sample.h"
#include "log_attack_harness.h"
#include "random_table.h"
#include "random_tree.h"
#include "seeds.h"
#include <math.h>

#define ROUNDS seeds(4000)
enum { COMMON, RARE, NAMES };
static const char *const strategies[] = {"common", "rare"};

typedef struct answer {
    double right[NAMES], before[NAMES], prior[NAMES], certain, certain_before, wrong, blind;
} answer;

static void answer_check(const answer *a, double n, const lethe_json *out, uint64_t seed)
{
    double success[NAMES], before[NAMES];
    size_t best_before = a->before[RARE] > a->before[COMMON] + 1e-9;
    for (int i = 0; i < NAMES; i++) {
        success[i] = a->right[i] / n;
        before[i] = a->before[i] / n;
    }
    size_t best = la_best(out, "strategy", "success", strategies, success, NAMES, seed);
    la_is(out, "before", before[best_before], seed);
    la_is(out, "strategies/common/before", before[COMMON], seed);
    la_is(out, "strategies/rare/before", before[RARE], seed);
    la_is(out, "prior", a->prior[best] / n, seed);
    la_is(out, "strategies/rare/prior", a->prior[RARE] / n, seed);
    if (a->prior[best] > 0) la_is(out, "lift", a->right[best] / a->prior[best], seed);
    la_is(out, "certain", a->certain / n, seed);
    la_is(out, "certain_before", a->certain_before / n, seed);
    if (lethe_json_get(out, "misled")) la_is(out, "misled", a->wrong / n, seed);
    la_is(out, "baseline", a->blind / n, seed);
}

/* --- records --- */

enum { RECORDS = 8, OWNERS = 4, ITEMS = 6 };

/* Records as text: items as they are written. */
typedef struct side {
    size_t n;
    char item[RECORDS][ITEMS][8];
    size_t size[RECORDS];
} side;

typedef struct world {
    lethe_tree *tree;
    char tree_text[R_TEXT], original[R_TEXT], published[R_TEXT], map[R_TEXT];
    size_t owner[RECORDS], line[RECORDS]; /* SIZE_MAX: not published */
    side before, after;
} world;

static void line_split(const char *line, side *s)
{
    char text[64], *at;
    snprintf(text, sizeof text, "%s", line);
    s->size[s->n] = 0;
    for (at = strtok(text, " "); at; at = strtok(NULL, " "))
        snprintf(s->item[s->n][s->size[s->n]++], 8, "%s", at);
    s->n++;
}

static void world_draw(lethe_ctx *ctx, uint64_t *seed, world *w)
{
    static char lines[RECORDS][64];
    size_t n = 1 + o_below(seed, RECORDS), order[RECORDS], from[RECORDS], kept = 0, used = 0,
           mapped = 0, owners = 1 + o_below(seed, OWNERS);
    bool bags = o_below(seed, 3) == 0;
    *w = (world){0};
    r_tree(seed, w->tree_text);
    assert_int_equal(
        lethe_tree_memory(ctx, lethe_str_of(w->tree_text), LETHE_NAMES_ITEMS, &w->tree), LETHE_OK);
    for (size_t i = 0; i < n; i++) {
        uint32_t bag[8];
        r_item part[8];
        char text[64];
        size_t size = r_leaves(seed, w->tree, ITEMS - 1, bag);
        r_line(w->tree, bag, size, text);
        w->owner[i] = o_below(seed, owners);
        used += (size_t)sprintf(w->original + used, "p%zu\t%s\n", w->owner[i], text);
        line_split(text, &w->before);
        w->line[i] = SIZE_MAX;
        if (o_below(seed, 6) == 0) continue;
        if (kept > 0 && o_below(seed, 2))
            snprintf(lines[kept], 64, "%s", lines[kept - 1]); // a group
        else
            r_items_line(w->tree, part, r_items(seed, w->tree, bag, size, bags, part), lines[kept]);
        from[kept++] = i;
    }
    r_sort(lines, kept, order);
    used = 0;
    for (size_t i = 0; i < kept; i++) {
        used += (size_t)sprintf(w->published + used, "%s\n", lines[order[i]]);
        line_split(lines[order[i]], &w->after);
        w->line[from[order[i]]] = i;
    }
    for (size_t i = 0; i < n; i++)
        if (w->line[i] == SIZE_MAX)
            mapped += (size_t)sprintf(w->map + mapped, "p%zu\t\n", w->owner[i]);
        else
            mapped += (size_t)sprintf(w->map + mapped, "p%zu\t%zu\n", w->owner[i], w->line[i] + 1);
}

static uint32_t node_of(const world *w, char name)
{
    return lethe_tree_find(w->tree, (lethe_str){&name, 1});
}

/* May the item be this leaf? */
static bool may_be(const world *w, const char *item, char leaf)
{
    for (const char *at = item; *at; at += at[1] ? 2 : 1)
        if (r_above(w->tree, node_of(w, *at), node_of(w, leaf))) return true;
    return false;
}

static bool is_leaf(const world *w, char x)
{
    uint32_t v = node_of(w, x);
    return v != LETHE_NONE && lethe_tree_is_leaf(w->tree, v);
}

static double leaves_of(const world *w, const char *item)
{
    double n = 0;
    for (char x = 'a'; x <= 'z'; x++)
        n += is_leaf(w, x) && may_be(w, item, x);
    return n;
}

static bool shows(const side *s, size_t record, const char *item)
{
    for (size_t i = 0; i < s->size[record]; i++)
        if (strcmp(s->item[record][i], item) == 0) return true;
    return false;
}

static double total_of(const side *s, const char *item)
{
    double n = 0;
    for (size_t r = 0; r < s->n; r++)
        n += shows(s, r, item);
    return n;
}

/* What is known of whom. */
typedef struct person {
    size_t number;
    char known[8];
} person;

static bool tells_nothing(const world *w, const person *p, const char *item)
{
    for (const char *x = p->known; *x; x++)
        if (may_be(w, item, *x)) return true;
    return false;
}

static bool has(const world *w, size_t p, char x)
{
    char item[2] = {x, '\0'};
    for (size_t r = 0; r < w->before.n; r++)
        if (w->owner[r] == p && shows(&w->before, r, item)) return true;
    return false;
}

/* The chance that a leaf chosen below the item is the person's; and anybody's. */
static double right_of(const world *w, size_t p, const char *item, bool anybody)
{
    double n = 0;
    for (char x = 'a'; x <= 'z'; x++) {
        char leaf[2] = {x, '\0'};
        if (!is_leaf(w, x) || !may_be(w, item, x)) continue;
        n += anybody ? total_of(&w->before, leaf) / (double)w->before.n : has(w, p, x);
    }
    return n / leaves_of(w, item);
}

/* The chance that an item is a candidate's, of the records `in` of a side. */
static double chance_in(const world *w, const side *s, const person *p, const bool *in,
                        const char *item)
{
    double n = 0, all = 0;
    for (size_t r = 0; r < s->n; r++) {
        all += in[r];
        n += in[r] && shows(s, r, item);
    }
    return tells_nothing(w, p, item) ? 0 : n / all / leaves_of(w, item);
}

static double best_in(const world *w, const side *s, const person *p, const bool *in)
{
    double best = 0;
    for (size_t r = 0; r < s->n; r++)
        for (size_t i = 0; in[r] && i < s->size[r]; i++)
            best = fmax(best, chance_in(w, s, p, in, s->item[r][i]));
    return best;
}

/* The mean of what right_of() says over the items of the greatest chance, of these the commonest or
 * the rarest of the side; NAMES: all. */
static double mean_of(const world *w, const side *s, const person *p, const bool *in, int name,
                      bool anybody)
{
    double best = best_in(w, s, p, in), total = name == COMMON ? 0 : INFINITY, sum = 0, n = 0;
    if (best == 0) return 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < s->n; r++)
            for (size_t i = 0; in[r] && i < s->size[r]; i++) {
                const char *item = s->item[r][i];
                bool again = i > 0 && strcmp(s->item[r][i - 1], item) == 0;
                for (size_t q = 0; q < r; q++)
                    again = again || (in[q] && shows(s, q, item));
                if (again || fabs(chance_in(w, s, p, in, item) - best) > 1e-12) continue;
                double often = total_of(s, item);
                if (pass == 0) total = name == COMMON ? fmax(total, often) : fmin(total, often);
                if (pass == 0 || (often != total && name != NAMES)) continue;
                sum += right_of(w, p->number, item, anybody);
                n++;
            }
    return sum / n;
}

/* Names something, by what `in` shows or by all records; adds to the answer. */
static void name_add(const world *w, const side *s, const person *p, const bool *in, double times,
                     bool before, answer *a)
{
    bool all[RECORDS];
    for (size_t r = 0; r < RECORDS; r++)
        all[r] = r < s->n;
    double blind = best_in(w, s, p, all), own = in ? best_in(w, s, p, in) : 0;
    bool blindly = own == 0 || own < blind - 1e-12;
    for (int name = 0; name < NAMES; name++) {
        // of all records, nothing tells equal ones apart
        int how = blindly ? NAMES : name;
        double right = mean_of(w, s, p, blindly ? all : in, how, false) * times;
        if (before)
            a->before[name] += right;
        else
            a->right[name] += right;
        if (!before) a->prior[name] += mean_of(w, s, p, blindly ? all : in, how, true) * times;
    }
}

/* What all of `in` show for certain. */
static void certain_add(const world *w, const side *s, const person *p, const bool *in,
                        double times, double *certain, double *wrong)
{
    bool is_right = false, is_wrong = false;
    for (size_t r = 0; r < s->n; r++)
        for (size_t i = 0; in[r] && i < s->size[r]; i++) {
            const char *item = s->item[r][i];
            bool all = leaves_of(w, item) == 1 && !tells_nothing(w, p, item);
            for (size_t q = 0; q < s->n; q++)
                all = all && (!in[q] || shows(s, q, item));
            bool theirs = right_of(w, p->number, item, false) > 0;
            is_right = is_right || (all && theirs);
            is_wrong = is_wrong || (all && !theirs);
        }
    *certain += is_right ? times : 0;
    *wrong += is_wrong ? times : 0;
}

/* Which records fit what is known; false: nothing that is known is shown at all. */
static bool fit(const world *w, const side *s, const person *p, bool *in)
{
    bool any = false;
    for (size_t r = 0; r < s->n; r++)
        in[r] = true;
    for (const char *x = p->known; *x; x++) {
        bool here[RECORDS] = {false}, shown = false;
        for (size_t r = 0; r < s->n; r++) {
            for (size_t i = 0; i < s->size[r]; i++)
                here[r] = here[r] || may_be(w, s->item[r][i], *x);
            shown = shown || here[r];
        }
        for (size_t r = 0; shown && r < s->n; r++)
            in[r] = in[r] && here[r];
        any = any || shown;
    }
    return any;
}

static void side_add(const world *w, const person *p, bool by_items, bool before, answer *a)
{
    const side *s = before ? &w->before : &w->after;
    double none, *certain = before ? &a->certain_before : &a->certain, published = 0,
                 *wrong = before ? &none : &a->wrong;
    bool in[RECORDS] = {false};
    if (by_items) {
        bool told = fit(w, s, p, in);
        name_add(w, s, p, told ? in : NULL, 1, before, a);
        if (told) certain_add(w, s, p, in, 1, certain, wrong);
        return;
    }
    for (size_t r = 0; r < w->before.n; r++)
        published += w->owner[r] == p->number && (before || w->line[r] != SIZE_MAX);
    if (published == 0) name_add(w, s, p, NULL, 1, before, a);
    for (size_t r = 0; r < w->before.n; r++) {
        if (w->owner[r] != p->number || (!before && w->line[r] == SIZE_MAX)) continue;
        size_t own = before ? r : w->line[r];
        for (size_t q = 0; q < s->n; q++) { // equal lines are one group
            in[q] = q == own || (!before && s->size[q] == s->size[own]);
            for (size_t i = 0; in[q] && q != own && i < s->size[q]; i++)
                in[q] = strcmp(s->item[q][i], s->item[own][i]) == 0;
        }
        name_add(w, s, p, in, 1 / published, before, a);
        certain_add(w, s, p, in, 1 / published, certain, wrong);
    }
}

static void records_check(const world *w, const bound *b, bool by_items, unsigned known,
                          const lethe_json *out, uint64_t seed)
{
    const lethe_records *o = b->records;
    lethe_person_sample_options by = {.seed = seed,
                                      .n_nodes = w->tree->n,
                                      .n_public = w->tree->n,
                                      .persons = 1000,
                                      .present = known};
    lethe_person_sample d;
    lethe_arena *arena = lethe_arena_new();
    assert_int_equal(lethe_person_sample_draw(o, &by, arena, &d), LETHE_OK);
    answer a = {.certain = 0};
    for (size_t i = 0; i < d.n; i++) {
        lethe_str name = lethe_dict_at(o->owners, o->owner_name[d.person[i].owner]);
        person p = {.number = (size_t)(name.at[1] - '0')};
        for (size_t k = 0; by_items && k < d.person[i].n_present; k++)
            p.known[k] = lethe_tree_name(w->tree, d.person[i].present[k]).at[0];
        side_add(w, &p, by_items, true, &a);
        side_add(w, &p, by_items, false, &a);
        answer blind = {.certain = 0};
        name_add(w, &w->after, &p, NULL, 1, false, &blind);
        a.blind += blind.right[COMMON];
    }
    la_is(out, "persons", (double)d.n, seed);
    assert_non_null(lethe_json_get(out, "misled"));
    if (d.n > 0) answer_check(&a, (double)d.n, out, seed);
    lethe_arena_free(arena);
}

static void records_tell_what_they_share(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        static world w;
        char known[8];
        world_draw(ctx, &seed, &w);
        bool groups = o_below(&seed, 2), map = o_below(&seed, 4) > 0;
        unsigned n_known = 1 + (unsigned)o_below(&seed, 3);
        snprintf(known, sizeof known, "%u", n_known);
        against a = {.tree = w.tree_text,
                     .original = w.original,
                     .published = w.published,
                     .map = map ? w.map : NULL,
                     .manifest = groups ? "{\"claims\":[{\"notion\":\"record-k-anonymity\"}]}"
                                        : "{\"claims\":[{\"notion\":\"kl-privacy\"}]}",
                     .known = known,
                     .has_seed = true,
                     .seed = round};
        if (w.after.n > 0) {
            bound b = bind_text(ctx, a.tree, a.original);
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *out = lethe_json_object(doc);
            if (against_bound(ctx, &a, &b, lethe_adversary_homogeneity.run,
                              lethe_adversary_homogeneity.options, doc, out) != LETHE_OK)
                fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
            records_check(&w, &b, !(groups && map), n_known, out, round);
            lethe_json_doc_free(doc);
            bound_free(&b);
        }
        lethe_tree_free(w.tree);
    }
    lethe_ctx_free(ctx);
}

/* --- lists --- */

enum { USERS = 8, TEXTS = 5 };

typedef struct lists {
    size_t n;
    bool issued[USERS][TEXTS], shown[USERS][TEXTS];
    size_t user[USERS]; /* by person: the published user */
    bool own_names;
    char original[4096], published[4096], map[512];
} lists;

static void lists_draw(uint64_t *seed, lists *l)
{
    size_t o = 0, q = 0, m = 0;
    *l = (lists){.n = 1 + o_below(seed, USERS), .own_names = o_below(seed, 4) == 0};
    for (size_t u = 0; u < l->n; u++) {
        l->issued[u][o_below(seed, TEXTS)] = true;
        l->shown[u][o_below(seed, TEXTS)] = true;
        for (size_t t = 0; t < TEXTS; t++) {
            l->issued[u][t] = l->issued[u][t] || o_below(seed, 3) == 0;
            l->shown[u][t] = l->shown[u][t] || o_below(seed, 3) == 0;
        }
        if (u > 0 && o_below(seed, 2)) memcpy(l->shown[u], l->shown[u - 1], sizeof l->shown[u]);
        l->user[u] = l->own_names ? u : l->n - 1 - u;
    }
    for (size_t u = 0; u < l->n; u++) {
        for (size_t t = 0; t < TEXTS; t++) {
            if (l->issued[u][t])
                o +=
                    (size_t)sprintf(l->original + o, "p%zu\tt%zu\t2006-03-01 10:00:00\t\t\n", u, t);
            for (size_t k = 0; l->shown[u][t] && k <= o_below(seed, 2); k++)
                q += (size_t)sprintf(l->published + q, "%c%zu\tt%zu\t\t\t\n",
                                     l->own_names ? 'p' : 'u', u, t);
        }
        m += (size_t)sprintf(l->map + m, "p%zu\tu%zu\n", u, l->user[u]);
    }
}

static bool together(const lists *l, size_t p, size_t q)
{
    return memcmp(l->shown[l->user[p]], l->shown[l->user[q]], sizeof l->shown[0]) == 0;
}

static double with(const bool (*has)[TEXTS], size_t n, size_t t)
{
    double sum = 0;
    for (size_t u = 0; u < n; u++)
        sum += has[u][t];
    return sum;
}

static void lists_check(const lists *l, const lethe_json *out, uint64_t seed)
{
    const bool(*issued)[TEXTS] = (const bool(*)[TEXTS])l->issued,
          (*shown)[TEXTS] = (const bool(*)[TEXTS])l->shown;
    answer a = {.certain = 0};
    double n = (double)l->n;
    for (size_t p = 0; p < l->n; p++) {
        const bool *list = l->shown[l->user[p]];
        for (int name = 0; name < NAMES; name++) {
            double best = name == COMMON ? 0 : INFINITY, right = 0, prior = 0, same = 0;
            for (size_t t = 0; t < TEXTS; t++)
                if (list[t])
                    best = name == COMMON ? fmax(best, with(shown, l->n, t))
                                          : fmin(best, with(shown, l->n, t));
            for (size_t t = 0; t < TEXTS; t++) {
                if (!list[t] || with(shown, l->n, t) != best) continue;
                right += l->issued[p][t];
                prior += with(issued, l->n, t) / n;
                same++;
            }
            a.right[name] += right / same;
            a.prior[name] += prior / same;
            a.before[name]++;
        }
        bool certain = false;
        for (size_t t = 0; t < TEXTS; t++) {
            bool all = list[t];
            for (size_t q = 0; q < l->n; q++)
                all = all && (!together(l, p, q) || l->issued[q][t]);
            certain = certain || all;
        }
        a.certain += certain;
        a.certain_before++;
    }
    double most = 0, same = 0;
    for (size_t t = 0; t < TEXTS; t++)
        most = fmax(most, with(shown, l->n, t));
    for (size_t t = 0; t < TEXTS; t++) {
        if (with(shown, l->n, t) != most) continue;
        a.blind += with(issued, l->n, t);
        same++;
    }
    a.blind /= same;
    answer_check(&a, n, out, seed);
}

static void lists_tell_what_their_members_asked(void **state)
{
    (void)state;
    heard h;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        static lists l;
        lists_draw(&seed, &l);
        la_case c = {.adversary = &lethe_adversary_homogeneity,
                     .original = l.original,
                     .published = l.published,
                     .map = l.own_names ? NULL : l.map,
                     .own_names = l.own_names,
                     .options = {NULL}};
        lethe_ctx *ctx = heard_ctx(&h, 1 + (unsigned)(round % 3));
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        if (la_run(ctx, &c, doc, out) != LETHE_OK)
            fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
        lists_check(&l, out, round);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
}

/* --- tables --- */

static char value_of(const rt_row *r, char column)
{
    return column == 's' ? r->sa : column == 'c' ? r->class : r->keep;
}

/* Over the rows: the share of the commonest value in each one's group; with `certain` 1 where there
 * is no other, else 0. */
static double groups_tell(const rt_world *w, const rt_row *row, size_t n, char column, bool certain)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double most = 0, size = 0;
        for (size_t k = 0; k < n; k++) {
            double often = 0;
            if (!rt_alike(w, &row[i], &row[k])) continue;
            size++;
            for (size_t j = 0; j < n && value_of(&row[k], column) != '*'; j++)
                often += rt_alike(w, &row[i], &row[j]) &&
                         value_of(&row[j], column) == value_of(&row[k], column);
            most = fmax(most, often);
        }
        sum += certain ? most == size : most / size;
    }
    return sum / (double)n;
}

static double commonest(const rt_world *w, char column)
{
    double most = 0;
    for (size_t i = 0; i < w->n_published; i++) {
        double often = 0;
        for (size_t k = 0; k < w->n_published && value_of(&w->published[i], column) != '*'; k++)
            often += value_of(&w->published[k], column) == value_of(&w->published[i], column);
        most = fmax(most, often);
    }
    return most / (double)w->n_published;
}

static void column_check(const rt_world *w, char column, const lethe_json *o, uint64_t seed)
{
    double success = groups_tell(w, w->published, w->n_published, column, false),
           baseline = commonest(w, column);
    rt_real(w, o, "success", success, seed);
    rt_real(w, o, "before", groups_tell(w, w->row, w->n, column, false), seed);
    rt_real(w, o, "baseline", baseline, seed);
    rt_real(w, o, "certain", groups_tell(w, w->published, w->n_published, column, true), seed);
    rt_real(w, o, "certain_before", groups_tell(w, w->row, w->n, column, true), seed);
    rt_real(w, o, "lift", baseline > 0 ? success / baseline : NAN, seed);
}

static void table_check(const rt_world *w, const char *columns, const lethe_json *out,
                        uint64_t seed)
{
    const lethe_json *list = lethe_json_get(out, "columns");
    char best = 0;
    double most = 0;
    assert_int_equal(lethe_json_count(list), strlen(columns));
    for (size_t i = 0; columns[i]; i++) {
        double gain = groups_tell(w, w->published, w->n_published, columns[i], false) -
                      commonest(w, columns[i]);
        column_check(w, columns[i], lethe_json_at(list, i), seed);
        if (best == 0 || gain > most + 1e-9) {
            best = columns[i];
            most = gain;
        }
    }
    assert_int_equal(lethe_json_text(lethe_json_get(out, "guessed")).at[0], best);
    column_check(w, best, out, seed);
}

static void tables_tell_the_commonest_value(void **state)
{
    (void)state;
    static rt_world w;
    lethe_ctx *ctx = o_ctx(2, 0);
    unsigned seen = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        rt_make_as(&seed, ctx, &w, round % 4 == 0, round / 2 % 2);
        snprintf(w.manifest, sizeof w.manifest, "{\"steps\":[],\"claims\":[{%s}]}",
                 round / 2 % 2 ? "\"groups\":\"overlap\"" : "");
        w.b.manifest = w.manifest;
        bool asked = w.has_class && round % 3 == 0;
        char columns[4] = "";
        snprintf(columns, sizeof columns, "%s",
                 asked         ? "c"
                 : w.has_sa    ? "s"
                 : !w.has_keep ? (w.has_class ? "c" : "")
                               : (w.has_class ? "ck" : "k"));
        w.b.option = asked ? "guess" : NULL;
        w.b.value = "c";
        if (columns[0] && w.n_published > 0) {
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *out = lethe_json_object(doc);
            if (t_run(ctx, &w.b, w.table, lethe_adversary_homogeneity.run,
                      lethe_adversary_homogeneity.options, doc, out) != LETHE_OK)
                fail_msg("seed %llu\n%s\n%s", (unsigned long long)round, w.original, w.data);
            table_check(&w, columns, out, round);
            lethe_json_doc_free(doc);
            seen++;
        }
        lethe_table_free(w.table);
    }
    assert_true(seen > ROUNDS / 2);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_tell_what_they_share),
        cmocka_unit_test(lists_tell_what_their_members_asked),
        cmocka_unit_test(tables_tell_the_commonest_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
