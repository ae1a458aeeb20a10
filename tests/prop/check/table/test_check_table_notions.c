/* SPDX-License-Identifier: Apache-2.0 */
/* Random small published tables before the checkers of t-closeness, entropy and recursive
 * diversity and k-map, and oracles that go by the definitions (diversity_oracle.h).  Then tables
 * that hold are broken on purpose. */
#include "table_check_harness.h"
#include "diversity_oracle.h"
#include "model/table/population.h"
#include "seeds.h"

enum { ROWS = 24, GROUPS = 4, NODES = 14, TEXT = 8192, NONE = ROWS };

static uint64_t at_seed;
static int dirfd;
static char folder[64];
static lethe_ctx *ctx;

#define AGREE(what)                                                                                \
    do {                                                                                           \
        if (!(what)) fail_msg("seed %llu: not so: %s", (unsigned long long)at_seed, #what);        \
    } while (0)

static int begin(void **state)
{
    (void)state;
    dirfd = o_folder(folder);
    ctx = o_ctx(1, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    unlinkat(dirfd, "sensitive.tsv", 0);
    unlinkat(dirfd, "people.csv", 0);
    tc_unlink(dirfd);
    o_folder_gone(dirfd, folder);
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static bool line_is(const char *why, size_t row)
{
    char line[32];
    snprintf(line, sizeof line, "{\"line\":%zu,", row + 2);
    return strncmp(why, line, strlen(line)) == 0;
}

/* --- sensitive values --- */

/* Values are the leaves of a tree; their names are numbers, in no order. */
struct table {
    size_t n, n_values, n_nodes, n_groups;
    int parent[NODES];
    int leaf[DO_VALUES]; /* by value */
    int number[DO_VALUES];
    char row[ROWS][16]; /* "g0,17": as in the file */
    int group[ROWS], value[ROWS];
    bool unlisted[NODES], extra; /* of sensitive.tsv */
};

static void tree_draw(struct table *t, uint64_t *seed)
{
    do {
        bool inner[NODES] = {false};
        t->n_nodes = 1 + o_below(seed, NODES);
        t->n_values = 0;
        for (size_t v = 0; v < t->n_nodes; v++) {
            t->parent[v] = v == 0 ? -1 : (int)o_below(seed, v);
            if (v > 0) inner[t->parent[v]] = true;
        }
        for (size_t v = 0; v < t->n_nodes; v++) {
            if (inner[v]) continue;
            if (t->n_values < DO_VALUES) t->leaf[t->n_values] = (int)v;
            t->n_values++;
        }
    } while (t->n_values > DO_VALUES);
    for (size_t i = 0; i < t->n_values; i++) {
        size_t at = o_below(seed, i + 1);
        t->number[i] = t->number[at];
        t->number[at] = (int)(5 * i) - 7;
    }
}

static void rows_write(struct table *t)
{
    for (size_t i = 0; i < t->n; i++)
        snprintf(t->row[i], sizeof t->row[i], "g%d,%d", t->group[i], t->number[t->value[i]]);
    qsort(t->row, t->n, sizeof *t->row, by_text);
    for (size_t i = 0; i < t->n; i++) {
        int number = 0;
        sscanf(t->row[i], "g%d,%d", &t->group[i], &number);
        for (size_t v = 0; v < t->n_values; v++)
            if (t->number[v] == number) t->value[i] = (int)v;
    }
}

static void table_draw(struct table *t, uint64_t *seed)
{
    memset(t, 0, sizeof *t);
    tree_draw(t, seed);
    size_t groups = 1 + o_below(seed, GROUPS), values = 1 + o_below(seed, t->n_values);
    t->n = 1 + o_below(seed, ROWS);
    for (size_t i = 0; i < t->n; i++) {
        t->group[i] = (int)o_below(seed, groups);
        t->value[i] = (int)o_below(seed, values);
    }
    rows_write(t);
}

static bool is_shown(const struct table *t, size_t value)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->value[i] == (int)value) return true;
    return false;
}

/* Is the node at or above a published value? */
static bool is_above_shown(const struct table *t, int node)
{
    for (size_t i = 0; i < t->n_values; i++)
        for (int v = is_shown(t, i) ? t->leaf[i] : -1; v >= 0; v = t->parent[v])
            if (v == node) return true;
    return false;
}

/* A leaf has the name of its number. */
static void node_name(const struct table *t, int node, char out[16])
{
    snprintf(out, 16, "n%d", node);
    for (size_t i = 0; i < t->n_values; i++)
        if (t->leaf[i] == node) snprintf(out, 16, "%d", t->number[i]);
}

static void files_write(const struct table *t)
{
    char data[TEXT] = "g,x\n", taxonomy[TEXT] = "g=any\t\t9\n";
    for (size_t i = 0; i < t->n; i++)
        sprintf(data + strlen(data), "%s\n", t->row[i]);
    for (int g = 0; g < GROUPS; g++)
        for (size_t i = 0; i < t->n; i++)
            if (t->group[i] == g) {
                sprintf(taxonomy + strlen(taxonomy), "g=g%d\tg=any\t1\n", g);
                break;
            }
    tc_write(dirfd, &(tc_files){data, taxonomy, NULL});
}

/* Leaves as they must be: summed up from the lowest. */
static unsigned leaves_below(const struct table *t, int node)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->n_values; i++)
        for (int v = is_shown(t, i) ? t->leaf[i] : -1; v >= 0; v = t->parent[v])
            n += v == node;
    return n;
}

static void trees_write(const struct table *t)
{
    char trees[TEXT] = "", name[16], up[16];
    for (int v = 0; v < (int)t->n_nodes; v++) {
        if (!is_above_shown(t, v) || t->unlisted[v]) continue;
        node_name(t, v, name);
        if (v > 0) node_name(t, t->parent[v], up);
        sprintf(trees + strlen(trees), "x=%s\t%s%s\t%u\n", name, v > 0 ? "x=" : "", v > 0 ? up : "",
                leaves_below(t, v) + (v == 0));
    }
    if (t->extra) strcat(trees, "x=new\tx=n0\t1\n");
    o_write(dirfd, "sensitive.tsv", trees, strlen(trees));
}

/* The height of the lowest node above both, by the listed nodes. */
static uint64_t height_of(const struct table *t, int node)
{
    uint64_t most = 0;
    for (int c = 1; c < (int)t->n_nodes; c++)
        if (t->parent[c] == node && is_above_shown(t, c) && height_of(t, c) + 1 > most)
            most = height_of(t, c) + 1;
    return most;
}

static int meet(const struct table *t, int a, int b)
{
    for (; a >= 0; a = t->parent[a])
        for (int x = b; x >= 0; x = t->parent[x])
            if (x == a) return a;
    abort();
}

enum { EQUAL, ORDERED, HIERARCHICAL };

static size_t rank_of(const struct table *t, size_t value)
{
    size_t rank = 0;
    for (size_t i = 0; i < t->n_values; i++)
        rank += is_shown(t, i) && t->number[i] < t->number[value];
    return rank;
}

static uint64_t ground(const struct table *t, int kind, size_t a, size_t b)
{
    size_t x = rank_of(t, a), y = rank_of(t, b);
    if (kind == EQUAL) return a != b;
    if (kind == ORDERED) return x > y ? x - y : y - x;
    return a == b ? 0 : height_of(t, meet(t, t->leaf[a], t->leaf[b]));
}

static uint64_t ground_scale(const struct table *t, int kind)
{
    size_t shown = 0;
    for (size_t i = 0; i < t->n_values; i++)
        shown += is_shown(t, i);
    return kind == EQUAL ? 1 : kind == ORDERED ? shown - 1 : height_of(t, 0);
}

static void counts_of(const struct table *t, int group, uint64_t count[DO_VALUES])
{
    memset(count, 0, DO_VALUES * sizeof *count);
    for (size_t i = 0; i < t->n; i++)
        count[t->value[i]] += group < 0 || t->group[i] == group;
}

static size_t without_zeros(uint64_t *count)
{
    size_t n = 0;
    for (size_t i = 0; i < DO_VALUES; i++)
        if (count[i] > 0) count[n++] = count[i];
    return n;
}

/* The first row of the first group for which it is not so. */
struct asked {
    int kind;          /* of the distance; or */
    bool entropy;      /* or recursive */
    uint64_t num, den; /* t, l or c */
    uint64_t l;
};

static bool group_keeps(const struct table *t, const struct asked *a, int group, bool distance)
{
    uint64_t mine[DO_VALUES], all[DO_VALUES], far[DO_VALUES][DO_VALUES], of;
    counts_of(t, group, mine);
    counts_of(t, -1, all);
    if (!distance) {
        size_t n = without_zeros(mine);
        return a->entropy ? do_entropy(mine, n, a->num, a->den) >= 0
                          : do_recursive(mine, n, a->num, a->den, a->l);
    }
    for (size_t i = 0; i < t->n_values; i++)
        for (size_t k = 0; k < t->n_values; k++)
            far[i][k] = all[i] && all[k] ? ground(t, a->kind, i, k) : 0;
    uint64_t moved = do_distance(t->n_values, mine, all, far, ground_scale(t, a->kind), &of);
    return moved * a->den <= a->num * of;
}

static size_t first_broken(const struct table *t, const struct asked *a, bool distance)
{
    for (size_t i = 0; i < t->n; i++)
        if (!group_keeps(t, a, t->group[i], distance)) return i;
    return NONE;
}

static size_t seen[2][5];

/* Compares all five; do all hold? */
static bool table_judge(const struct table *t, uint64_t *seed)
{
    static const char *const distances[] = {"equal", "ordered", "hierarchical"};
    static const struct {
        uint64_t num, den;
    } ls[] = {{1, 1}, {3, 2}, {2, 1}, {5, 2}, {3, 1}, {4, 1}},
      cs[] = {{1, 2}, {1, 1}, {3, 2}, {2, 1}, {3, 1}, {9, 1}};
    bool all = true, altered = t->extra;
    for (size_t v = 0; v < t->n_nodes; v++)
        altered = altered || (t->unlisted[v] && is_above_shown(t, (int)v));
    files_write(t);
    trees_write(t);
    for (int i = 0; i < 5; i++) {
        struct asked a = {.kind = i, .entropy = i == 3, .l = 1 + o_below(seed, 3)};
        char claim[256];
        size_t k = o_below(seed, 6);
        a.den = i < 3 ? 1 + o_below(seed, 24) : i == 3 ? ls[k].den : cs[k].den;
        a.num = i < 3 ? o_below(seed, a.den + 1) : i == 3 ? ls[k].num : cs[k].num;
        int n = snprintf(claim, sizeof claim, "{\"qi\":[\"g\"],\"sa\":\"x\",\"%s\":\"%llu/%llu\"",
                         i < 3    ? "t"
                         : i == 3 ? "l"
                                  : "c",
                         (unsigned long long)a.num, (unsigned long long)a.den);
        if (i < 3)
            snprintf(claim + n, sizeof claim - (size_t)n, ",\"distance\":\"%s\"}", distances[i]);
        else if (i == 3)
            strcat(claim, "}");
        else
            snprintf(claim + n, sizeof claim - (size_t)n, ",\"l\":%llu}", (unsigned long long)a.l);
        tc_verdict v = tc_check_in(ctx, dirfd,
                                   i < 3    ? &lethe_notion_t_closeness
                                   : i == 3 ? &lethe_notion_entropy_l
                                            : &lethe_notion_recursive_cl,
                                   claim);
        if (i == HIERARCHICAL && altered) { // malformed, or a counterexample
            AGREE(!v.holds);
            all = false;
            continue;
        }
        size_t first = first_broken(t, &a, i < 3);
        AGREE(v.err == LETHE_OK);
        AGREE(v.holds == (first == NONE));
        AGREE(v.holds == (v.why[0] == '\0'));
        if (!v.holds) AGREE(line_is(v.why, first));
        seen[v.holds][i]++;
        all = all && v.holds;
    }
    return all;
}

static void checkers_agree_with_the_definitions(void **state)
{
    (void)state;
    static struct table t;
    memset(seen, 0, sizeof seen);
    for (uint64_t s = 1; s <= seeds(4000); s++) {
        uint64_t seed = at_seed = s;
        table_draw(&t, &seed);
        table_judge(&t, &seed);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(seen[0][i] > seeds(4000) / 10);
        assert_true(seen[1][i] > seeds(4000) / 10);
    }
}

/* A row less, a row of another group or value, nodes of sensitive.tsv that are missing or new. */
static void broken_tables_are_seen(void **state)
{
    (void)state;
    static struct table t, broken;
    for (uint64_t s = 1; s <= seeds(2000); s++) {
        uint64_t seed = at_seed = s + 100000;
        table_draw(&t, &seed);
        for (int kind = 0; kind < 5; kind++) {
            broken = t;
            size_t r = o_below(&seed, t.n);
            if (kind == 0 && t.n > 1) {
                broken.group[r] = broken.group[t.n - 1];
                broken.value[r] = broken.value[t.n - 1];
                broken.n--;
            }
            if (kind == 1) broken.value[r] = (int)o_below(&seed, t.n_values);
            if (kind == 2) broken.group[r] = (int)o_below(&seed, GROUPS);
            if (kind == 3) broken.unlisted[o_below(&seed, t.n_nodes)] = true;
            if (kind == 4) broken.extra = t.n_nodes > 1;
            rows_write(&broken);
            table_judge(&broken, &seed);
        }
    }
}

/* --- k-map --- */

enum { QIS = 3, PEOPLE = 40 };

/* Quasi-identifiers: numbers in ranges; names in a tree that the verifier has; names alone. */
struct map_case {
    size_t n, n_people, n_nodes;
    int parent[NODES];
    char row[ROWS][64];
    int low[ROWS], high[ROWS], node[ROWS], name[ROWS]; /* high == low: one number; name -1: `*` */
    int age[PEOPLE], job[PEOPLE], town[PEOPLE];        /* job NODES: unknown; age 99: missing */
    bool overlap;
};

static bool at_or_above(const struct map_case *m, int v, int w)
{
    for (; w >= 0; w = m->parent[w])
        if (w == v) return true;
    return false;
}

static void map_rows_write(struct map_case *m)
{
    for (size_t i = 0; i < m->n; i++) {
        char age[24], town[8];
        snprintf(age, sizeof age, m->low[i] == m->high[i] ? "%d" : "%d-%d", m->low[i], m->high[i]);
        snprintf(town, sizeof town, m->name[i] < 0 ? "*" : "t%d", m->name[i]);
        snprintf(m->row[i], sizeof m->row[i], "%s,j%d,%s,%d %d %d %d", age, m->node[i], town,
                 m->low[i], m->high[i], m->node[i], m->name[i]);
    }
    qsort(m->row, m->n, sizeof *m->row, by_text);
    for (size_t i = 0; i < m->n; i++)
        sscanf(strrchr(m->row[i], ',') + 1, "%d %d %d %d", &m->low[i], &m->high[i], &m->node[i],
               &m->name[i]);
}

static void map_draw(struct map_case *m, uint64_t *seed)
{
    memset(m, 0, sizeof *m);
    m->overlap = o_below(seed, 2);
    m->n_nodes = 1 + o_below(seed, 8);
    for (size_t v = 0; v < m->n_nodes; v++)
        m->parent[v] = v == 0 ? -1 : (int)o_below(seed, v);
    bool in[NODES];
    for (size_t v = 0; v < NODES; v++)
        in[v] = o_below(seed, 3) == 0;
    int width = 1 + (int)o_below(seed, 4);
    bool stars = o_below(seed, 2);
    m->n = 1 + o_below(seed, ROWS);
    for (size_t i = 0; i < m->n; i++) {
        int age = (int)o_below(seed, 12) - 4, node = (int)o_below(seed, m->n_nodes);
        m->low[i] = m->overlap ? age : (age + 12) / width * width - 12;
        m->high[i] = m->low[i] + (m->overlap ? (int)o_below(seed, 4) : width - 1);
        m->node[i] = node;
        // a cut: the highest of `in` on the way, else the root
        if (!m->overlap) {
            m->node[i] = 0;
            for (int up = node; up >= 0; up = m->parent[up])
                if (in[up]) m->node[i] = up;
        }
        m->name[i] = stars ? -1 : (int)o_below(seed, 2);
        if (m->overlap && o_below(seed, 2)) m->name[i] = -1;
    }
    m->n_people = 1 + o_below(seed, PEOPLE);
    for (size_t i = 0; i < m->n_people; i++) {
        m->age[i] = o_below(seed, 12) == 0 ? 99 : (int)o_below(seed, 14) - 5;
        m->job[i] = o_below(seed, 12) == 0 ? NODES : (int)o_below(seed, m->n_nodes);
        m->town[i] = (int)o_below(seed, 3);
    }
    map_rows_write(m);
}

static void map_write(const struct map_case *m, char *hierarchy)
{
    char data[TEXT] = "age,job,town\n", taxonomy[TEXT] = "age=*\t\t9999\n",
         people[TEXT] = "id,town,job,age\n";
    bool listed[NODES] = {false}, stars = false, towns[3] = {false};
    for (size_t i = 0; i < m->n; i++) {
        sprintf(data + strlen(data), "%.*s\n", (int)(strrchr(m->row[i], ',') - m->row[i]),
                m->row[i]);
        for (int v = m->node[i]; v >= 0; v = m->parent[v])
            listed[v] = true;
        stars = stars || m->name[i] < 0;
        if (m->name[i] >= 0) towns[m->name[i]] = true;
        char line[64];
        int n = sprintf(line, "age=%.*s\tage=*\t1\n", (int)(strchr(m->row[i], ',') - m->row[i]),
                        m->row[i]);
        assert(n > 0);
        if (!strstr(taxonomy, line)) strcat(taxonomy, line);
    }
    for (int v = 0; v < (int)m->n_nodes; v++) {
        if (!listed[v]) continue;
        int size = 0; // as many leaves as nodes: enough for those of the children
        for (int w = 0; w < (int)m->n_nodes; w++)
            size += at_or_above(m, v, w);
        sprintf(taxonomy + strlen(taxonomy), v > 0 ? "job=j%d\tjob=j%d\t%d\n" : "job=j%d\t\t", v,
                m->parent[v], size);
        if (v == 0) sprintf(taxonomy + strlen(taxonomy), "%d\n", size);
    }
    strcat(taxonomy, "town=*\t\t9\n");
    for (int v = 0; v < 3; v++)
        if (towns[v]) sprintf(taxonomy + strlen(taxonomy), "town=t%d\ttown=*\t1\n", v);
    for (size_t i = 0; i < m->n_people; i++) {
        sprintf(people + strlen(people), "%zu,t%d,", i, m->town[i]);
        sprintf(people + strlen(people), m->job[i] == NODES ? "pilot," : "j%d,", m->job[i]);
        sprintf(people + strlen(people), m->age[i] == 99 ? "\n" : "%d\n", m->age[i]);
    }
    hierarchy[0] = '\0';
    for (int v = 1; v < (int)m->n_nodes; v++)
        sprintf(hierarchy + strlen(hierarchy), "j%d\tj%d\n", v, m->parent[v]);
    tc_write(dirfd, &(tc_files){data, taxonomy, NULL});
    o_write(dirfd, "people.csv", people, strlen(people));
}

/* How many people fall under the values of the row. */
static uint64_t people_of(const struct map_case *m, size_t row)
{
    uint64_t n = 0;
    for (size_t i = 0; i < m->n_people; i++)
        n += m->age[i] != 99 && m->low[row] <= m->age[i] && m->age[i] <= m->high[row] &&
             m->job[i] != NODES && at_or_above(m, m->node[row], m->job[i]) &&
             (m->name[row] < 0 || m->name[row] == m->town[i]);
    return n;
}

static void populations_are_counted_as_defined(void **state)
{
    (void)state;
    static struct map_case m;
    size_t held[2] = {0};
    for (uint64_t s = 1; s <= seeds(3000); s++) {
        uint64_t seed = at_seed = s;
        char hierarchy[TEXT], path[96], text[256];
        map_draw(&m, &seed);
        map_write(&m, hierarchy);
        const lethe_str columns[] = {LETHE_LIT("age"), LETHE_LIT("job"), LETHE_LIT("town")};
        lethe_tree *jobs = NULL;
        if (m.n_nodes == 1) strcpy(hierarchy, "j9\tj0\n");
        assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(hierarchy), LETHE_NAMES_RAW, &jobs),
                         LETHE_OK);
        lethe_tree *trees[] = {NULL, jobs, NULL};
        lethe_population_table people;
        snprintf(path, sizeof path, "%s/people.csv", folder);
        assert_int_equal(lethe_population_read(ctx, path, columns, 3, trees, &people), LETHE_OK);
        for (uint64_t k = 1; k <= 4; k++) {
            lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
            lethe_json *why = NULL;
            bool holds = false;
            size_t first = NONE;
            for (size_t i = m.n; i-- > 0;)
                if (people_of(&m, i) < k) first = i;
            snprintf(text, sizeof text,
                     "{\"qi\":[\"age\",\"job\",\"town\"],\"k\":%llu,\"population\":\"%s\""
                     ",\"groups\":\"overlap\"}",
                     (unsigned long long)k, people.digest);
            lethe_json *claim = tc_claim(&lethe_notion_k_map, text, &claim_doc);
            lethe_published p = {
                .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_TABLE, .population = &people};
            lethe_err e = lethe_notion_k_map.check(&p, claim, doc, &holds, &why);
            AGREE(e == LETHE_OK);
            AGREE(holds == (first == NONE));
            AGREE(!p.needs);
            held[holds]++;
            if (first != NONE) {
                char *found = lethe_json_write(why, 0, NULL), wanted[64];
                AGREE(line_is(found, first));
                snprintf(wanted, sizeof wanted, "\"found\":%llu,",
                         (unsigned long long)people_of(&m, first));
                AGREE(strstr(found, wanted));
                lethe_json_text_free(found);
            }
            lethe_json_doc_free(claim_doc);
            lethe_json_doc_free(doc);
        }
        lethe_population_free(&people);
        lethe_tree_free(jobs);
    }
    assert_true(held[0] > seeds(3000) / 10 && held[1] > seeds(3000) / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkers_agree_with_the_definitions),
        cmocka_unit_test(broken_tables_are_seen),
        cmocka_unit_test(populations_are_counted_as_defined),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
