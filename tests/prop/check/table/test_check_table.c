/* SPDX-License-Identifier: Apache-2.0 */
/* Random small published tables before the checkers of l-plus-diversity, k-anonymity and
 * distinct-l, and an oracle that asks by Definition 3.1 for every person there could be: which rows
 * could be theirs, and what do these tell?  Where a claim says that groups overlap, groups of equal
 * rows must keep it, and then the rows that could be a person's do.  Then tables that hold are
 * broken on purpose. */
#include "table_check_harness.h"
#include "seeds.h"
#include <stdlib.h>

#define CASES seeds(4000)
#define MUTATIONS seeds(5000)
enum { NODES = 7, QIS = 3, ROWS = 20, VALUES = 4, TEXT = 8192 };
enum { STAR = -1, FOREIGN = NODES }; /* FOREIGN: a value that no hierarchy has */

static int dirfd;
static char folder[64];
static lethe_ctx *contexts[3];

static int begin(void **state)
{
    (void)state;
    dirfd = o_folder(folder);
    contexts[0] = o_ctx(1, 0);
    contexts[1] = o_ctx(2, 0);
    contexts[2] = o_ctx(7, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(contexts); i++)
        lethe_ctx_free(contexts[i]);
    tc_unlink(dirfd);
    o_folder_gone(dirfd, folder);
    return 0;
}

/* --- a random table --- */

typedef struct row {
    int node[QIS];
    int sick, kept;
    char line[96];
} row;

typedef struct theta {
    unsigned num, den;
} theta;

typedef struct table {
    size_t n_qi, n;
    size_t n_nodes[QIS];
    int parent[QIS][NODES];
    bool listed[QIS][NODES]; /* in taxonomy.tsv */
    size_t order[QIS + 2];   /* columns: quasi-identifiers, the sensitive one, one that is kept */
    row row[ROWS + 1];
    bool own;            /* have values thresholds of their own? */
    theta theta[VALUES]; /* where not: all the same */
    bool given[VALUES];  /* in theta.tsv */
    unsigned k, l;
    bool overlap; /* do claims say that groups overlap? */
} table;

static const char *const node_names[NODES + 1] = {"any", "b,c", "c\"", "d e",
                                                  "1-5", "?",   "=",   "zz"};
static const char *const value_names[VALUES] = {"flu", "a,b", "\"", "?"};
static const char *const qi_names[QIS] = {"age", "edu", "a,b"};

static bool at_or_above(const table *t, size_t a, int v, int w)
{
    for (; w >= 0; w = t->parent[a][w])
        if (w == v) return true;
    return false;
}

static bool is_leaf(const table *t, size_t a, int v)
{
    for (size_t c = 0; c < t->n_nodes[a]; c++)
        if (t->parent[a][c] == v) return false;
    return true;
}

/* A cut: what each leaf is published as; or anything above it, so that values overlap. */
static void cut_draw(const table *t, uint64_t *seed, size_t a, bool overlap, int as[NODES])
{
    bool in[NODES];
    for (size_t v = 0; v < t->n_nodes[a]; v++)
        in[v] = o_below(seed, 3) == 0;
    for (size_t v = 0; v < t->n_nodes[a]; v++) {
        as[v] = (int)v;
        for (int up = (int)v; up >= 0; up = t->parent[a][up])
            if (overlap ? o_below(seed, 2) == 0 : in[up]) as[v] = up;
    }
}

static void rows_draw(table *t, uint64_t *seed)
{
    bool overlap = o_below(seed, t->overlap ? 2 : 8) == 0;
    size_t kinds = 1 + o_below(seed, 4), values = 1 + o_below(seed, VALUES);
    int as[QIS][NODES], leaf[4][QIS];
    for (size_t a = 0; a < t->n_qi; a++)
        cut_draw(t, seed, a, overlap, as[a]);
    for (size_t i = 0; i < kinds; i++)
        for (size_t a = 0; a < t->n_qi; a++)
            do
                leaf[i][a] = (int)o_below(seed, t->n_nodes[a]);
            while (!is_leaf(t, a, leaf[i][a]));
    t->n = 1 + o_below(seed, ROWS);
    for (size_t i = 0; i < t->n; i++) {
        const int *of = leaf[o_below(seed, kinds)];
        for (size_t a = 0; a < t->n_qi; a++) {
            int v = as[a][of[a]];
            // the same leaf is published in several ways, as local recoding does
            while (t->overlap && v > 0 && o_below(seed, 6) == 0)
                v = t->parent[a][v];
            t->row[i].node[a] = v;
        }
        t->row[i].sick = o_below(seed, 6) == 0 ? STAR : (int)o_below(seed, values);
        t->row[i].kept = (int)o_below(seed, 3);
    }
}

/* The published values and all above them; thresholds of those that are told. */
static void lists_fill(table *t)
{
    memset(t->listed, 0, sizeof t->listed);
    memset(t->given, 0, sizeof t->given);
    for (size_t i = 0; i < t->n; i++) {
        for (size_t a = 0; a < t->n_qi; a++)
            for (int v = t->row[i].node[a]; v >= 0; v = v == FOREIGN ? -1 : t->parent[a][v])
                if (v != FOREIGN) t->listed[a][v] = true;
        if (t->row[i].sick != STAR) t->given[t->row[i].sick] = true;
    }
    for (size_t a = 0; a < t->n_qi; a++)
        t->listed[a][0] = true; // a file without a root would be refused
}

static void table_draw(table *t, uint64_t *seed)
{
    static const theta some[] = {{0, 1}, {1, 5}, {1, 3}, {1, 2}, {2, 3}, {3, 4}, {1, 1}};
    t->n_qi = 1 + o_below(seed, QIS);
    for (size_t a = 0; a < t->n_qi; a++) {
        t->n_nodes[a] = 1 + o_below(seed, NODES);
        for (size_t v = 0; v < t->n_nodes[a]; v++)
            t->parent[a][v] = v == 0 ? -1 : (int)o_below(seed, v);
    }
    for (size_t i = 0; i < t->n_qi + 2; i++) {
        size_t at = o_below(seed, i + 1);
        t->order[i] = t->order[at];
        t->order[at] = i;
    }
    t->overlap = o_below(seed, 3) == 0;
    rows_draw(t, seed);
    t->own = o_below(seed, 2);
    theta all = some[o_below(seed, LETHE_COUNT(some))];
    for (size_t v = 0; v < VALUES; v++)
        t->theta[v] = t->own ? some[2 + o_below(seed, LETHE_COUNT(some) - 2)] : all;
    t->k = 1 + (unsigned)o_below(seed, 4);
    t->l = 1 + (unsigned)o_below(seed, 3);
    lists_fill(t);
}

/* --- its files --- */

static char *field_put(char *to, const char *text)
{
    if (!strpbrk(text, ",\"")) return to + sprintf(to, "%s", text);
    *to++ = '"';
    for (; *text; text++) {
        if (*text == '"') *to++ = '"';
        *to++ = *text;
    }
    *to++ = '"';
    *to = '\0';
    return to;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(((const row *)a)->line, ((const row *)b)->line);
}

/* Rows are put into the order of the file. */
static void data_put(table *t, char *to)
{
    static const char *const kept[] = {"", "k", "\xc3\xa9"};
    for (size_t i = 0; i < t->n_qi + 2; i++) {
        size_t c = t->order[i];
        if (i) *to++ = ',';
        to = field_put(to, c < t->n_qi ? qi_names[c] : c == t->n_qi ? "sick" : "kept");
    }
    *to++ = '\n';
    for (size_t r = 0; r < t->n; r++) {
        char *line = t->row[r].line;
        for (size_t i = 0; i < t->n_qi + 2; i++) {
            size_t c = t->order[i];
            int sick = t->row[r].sick;
            if (i) *line++ = ',';
            line = field_put(line, c < t->n_qi    ? node_names[t->row[r].node[c]]
                                   : c > t->n_qi  ? kept[t->row[r].kept]
                                   : sick == STAR ? "*"
                                                  : value_names[sick]);
        }
    }
    qsort(t->row, t->n, sizeof *t->row, by_line);
    for (size_t r = 0; r < t->n; r++)
        to += sprintf(to, "%s\n", t->row[r].line);
    *to = '\0';
}

static unsigned leaves_of(const table *t, size_t a, int v)
{
    unsigned n = 0;
    for (size_t w = 0; w < t->n_nodes[a]; w++)
        n += is_leaf(t, a, (int)w) && at_or_above(t, a, v, (int)w);
    return n;
}

static void taxonomy_put(const table *t, char *to)
{
    *to = '\0';
    for (size_t a = 0; a < t->n_qi; a++)
        for (size_t v = 0; v < t->n_nodes[a]; v++) { // parents come before their children
            if (!t->listed[a][v]) continue;
            to += sprintf(to, "%s=%s\t", qi_names[a], node_names[v]);
            if (v > 0) to += sprintf(to, "%s=%s", qi_names[a], node_names[t->parent[a][v]]);
            to += sprintf(to, "\t%u\n", leaves_of(t, a, (int)v));
        }
}

static void theta_put(const table *t, char *to)
{
    static const int sorted[VALUES] = {2, 3, 1, 0}; // by bytes
    *to = '\0';
    for (size_t i = 0; i < VALUES; i++) {
        const theta *x = &t->theta[sorted[i]];
        if (t->given[sorted[i]])
            to += sprintf(to, "%s\t%u/%u\n", value_names[sorted[i]], x->num, x->den);
    }
}

/* --- the oracle --- */

/* Are the files such that groups can be told apart? */
static bool is_sound(const table *t)
{
    for (size_t a = 0; a < t->n_qi; a++) {
        bool shown[NODES + 1] = {false};
        for (size_t i = 0; i < t->n; i++)
            shown[t->row[i].node[a]] = true;
        if (shown[FOREIGN]) return false;
        for (int v = 0; v < (int)t->n_nodes[a]; v++) {
            bool lowest = t->listed[a][v];
            if (shown[v] && !t->listed[a][v]) return false;
            for (int w = 0; w < (int)t->n_nodes[a]; w++) {
                bool below = w != v && at_or_above(t, a, v, w);
                if (!t->overlap && below && shown[v] && shown[w]) return false;
                if (t->parent[a][w] == v && t->listed[a][w]) lowest = false;
            }
            if (lowest && !shown[v]) return false;
        }
    }
    return true;
}

static bool thetas_are_sound(const table *t)
{
    bool told[VALUES] = {false};
    for (size_t i = 0; i < t->n; i++)
        if (t->row[i].sick != STAR) told[t->row[i].sick] = true;
    return !t->own || memcmp(told, t->given, sizeof told) == 0;
}

/* The anonymized partition of a person with these leaves: all rows whose values are theirs or
 * above them. */
static size_t partition(const table *t, const int leaf[QIS], bool in[ROWS + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        in[i] = true;
        for (size_t a = 0; a < t->n_qi; a++)
            in[i] &= at_or_above(t, a, t->row[i].node[a], leaf[a]);
        n += in[i];
    }
    return n;
}

typedef struct answer {
    size_t lplus, k, l; /* the first row that breaks it; ROWS + 1: it holds */
} answer;

static void partition_judge(const table *t, const bool in[ROWS + 1], size_t n, answer *x)
{
    size_t with[VALUES] = {0}, first = ROWS + 1, different = 0;
    for (size_t i = t->n; i-- > 0;) {
        if (!in[i]) continue;
        first = i;
        if (t->row[i].sick != STAR) different += with[t->row[i].sick]++ == 0;
    }
    for (size_t i = 0; i < t->n; i++) {
        if (!in[i] || t->row[i].sick == STAR) continue;
        const theta *of = &t->theta[t->row[i].sick];
        long double conf = (long double)with[t->row[i].sick] / (long double)n;
        // no two such fractions are nearer to each other than this, unless they are equal
        if (conf > (long double)of->num / of->den + 1e-6L) x->lplus = LETHE_MIN(x->lplus, i);
    }
    if (n < t->k) x->k = LETHE_MIN(x->k, first);
    if (different > 0 && different < t->l) x->l = LETHE_MIN(x->l, first);
}

/* All sequences of leaves. */
static void persons_go(const table *t, size_t a, int leaf[QIS], answer *x)
{
    bool in[ROWS + 1];
    if (a < QIS && a < t->n_qi) {
        for (int v = 0; v < (int)t->n_nodes[a]; v++) {
            leaf[a] = v;
            if (is_leaf(t, a, v)) persons_go(t, a + 1, leaf, x);
        }
        return;
    }
    size_t n = partition(t, leaf, in);
    if (n > 0) partition_judge(t, in, n, x);
}

/* Groups of equal rows. */
static void groups_go(const table *t, answer *x)
{
    bool in[ROWS + 1];
    for (size_t i = 0; i < t->n; i++) {
        size_t n = 0;
        for (size_t j = 0; j < t->n; j++) {
            in[j] = memcmp(t->row[i].node, t->row[j].node, t->n_qi * sizeof t->row[i].node[0]) == 0;
            n += in[j];
        }
        partition_judge(t, in, n, x);
    }
}

/* --- the checkers --- */

static uint64_t at_seed;
static size_t seen[2][3];  /* broken or kept, by notion: neither may be rare */
static size_t overlapping; /* tables that hold, and where a person fits several groups */

#define AGREE(what)                                                                                \
    do {                                                                                           \
        if (!(what)) fail_msg("seed %llu: not so: %s", (unsigned long long)at_seed, #what);        \
    } while (0)

static void verdict_is(const tc_verdict *v, bool sound, size_t first, size_t notion)
{
    char line[64];
    bool holds = sound && first == ROWS + 1;
    AGREE(v->err == LETHE_OK);
    AGREE(v->holds == holds);
    AGREE(holds == (v->why[0] == '\0'));
    seen[holds][notion]++;
    if (holds || !sound) return;
    snprintf(line, sizeof line, "{\"line\":%zu,\"reason\":\"the %s", first + 2,
             notion == 0 ? "value" : "group");
    AGREE(strncmp(v->why, line, strlen(line)) == 0);
}

static void claims_put(const table *t, char claim[3][256])
{
    char qi[96] = "", share[16];
    for (size_t a = 0; a < t->n_qi; a++)
        sprintf(qi + strlen(qi), "%s\"%s\"", a ? "," : "", qi_names[a]);
    const char *groups = t->overlap ? ",\"groups\":\"overlap\"" : "";
    snprintf(share, sizeof share, "%u/%u", t->theta[0].num, t->theta[0].den);
    snprintf(claim[0], 256, "{\"qi\":[%s],\"sa\":\"sick\",\"theta\":\"%s\"%s}", qi,
             t->own ? "listed" : share, groups);
    snprintf(claim[1], 256, "{\"qi\":[%s],\"k\":%u%s}", qi, t->k, groups);
    snprintf(claim[2], 256, "{\"qi\":[%s],\"sa\":\"sick\",\"l\":%u%s}", qi, t->l, groups);
}

static const lethe_notion *notion_of(size_t i)
{
    return i == 0   ? &lethe_notion_l_plus_diversity
           : i == 1 ? &lethe_notion_k_anonymity
                    : &lethe_notion_distinct_l;
}

/* Whoever knows a person finds a union of groups: what each group keeps, all persons are granted.
 */
static void persons_are_safe(const table *t, const answer *by_group)
{
    int leaf[QIS];
    answer x = {ROWS + 1, ROWS + 1, ROWS + 1};
    persons_go(t, 0, leaf, &x);
    AGREE(by_group->lplus <= ROWS || x.lplus > ROWS);
    AGREE(by_group->k <= ROWS || x.k > ROWS);
    AGREE(by_group->l <= ROWS || x.l > ROWS);
    table apart = *t;
    apart.overlap = false;
    overlapping += by_group->k > ROWS && !is_sound(&apart);
}

/* Writes the table and compares; does it hold for all three? */
static bool table_judge(table *t, size_t n_contexts)
{
    char data[TEXT], taxonomy[TEXT], thetas[256], claim[3][256];
    int leaf[QIS];
    answer x = {ROWS + 1, ROWS + 1, ROWS + 1};
    data_put(t, data);
    taxonomy_put(t, taxonomy);
    theta_put(t, thetas);
    claims_put(t, claim);
    tc_unlink(dirfd);
    tc_write(dirfd, &(tc_files){data, taxonomy, t->own ? thetas : NULL});
    bool sound = is_sound(t);
    if (sound && !t->overlap) persons_go(t, 0, leaf, &x);
    if (sound && t->overlap) {
        groups_go(t, &x);
        persons_are_safe(t, &x);
    }
    size_t first[] = {x.lplus, x.k, x.l};
    bool all = true;
    for (size_t i = 0; i < 3; i++) {
        tc_verdict v = tc_check_in(contexts[0], dirfd, notion_of(i), claim[i]);
        if (i > 0 || thetas_are_sound(t)) {
            verdict_is(&v, sound, first[i], i);
        } else { // an empty theta.tsv is malformed where there is something to tell
            AGREE(v.err == (sound && !thetas[0] ? LETHE_EINPUT : LETHE_OK));
            AGREE(!v.holds);
        }
        all &= v.holds;
        for (size_t c = 1; c < n_contexts; c++) {
            tc_verdict other = tc_check_in(contexts[c], dirfd, notion_of(i), claim[i]);
            AGREE(other.err == v.err && other.holds == v.holds && !strcmp(other.why, v.why));
        }
    }
    return all;
}

static void checkers_agree_with_the_definition(void **state)
{
    (void)state;
    static table t;
    memset(seen, 0, sizeof seen);
    for (uint64_t s = 1; s <= CASES; s++) {
        uint64_t seed = at_seed = s;
        table_draw(&t, &seed);
        table_judge(&t, s % 8 == 0 ? LETHE_COUNT(contexts) : 1);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_true(seen[0][i] > CASES / 10);
        assert_true(seen[1][i] > CASES / 10);
    }
    assert_true(overlapping > CASES / 40);
}

/* --- breaking --- */

enum { STARRED, TOLD, GONE, MORE, CLIMBED, UNKNOWN, UNLISTED, LISTED, UNGIVEN, KINDS };

/* Changes one thing.  Lists are made anew where a publisher would, else they stay as they were. */
static void table_break(table *t, uint64_t *seed, unsigned kind)
{
    row *r = &t->row[o_below(seed, t->n)];
    size_t a = o_below(seed, t->n_qi), v = o_below(seed, t->n_nodes[a]);
    bool anew = o_below(seed, 2);
    switch (kind) {
    case STARRED:
        r->sick = STAR;
        break;
    case TOLD:
        r->sick = (int)o_below(seed, VALUES);
        break;
    case GONE:
        if (t->n > 1) *r = t->row[--t->n];
        break;
    case MORE:
        t->row[t->n++] = *r;
        break;
    case CLIMBED:
        r->node[a] = LETHE_MAX(t->parent[a][r->node[a]], 0);
        break;
    case UNKNOWN:
        r->node[a] = FOREIGN;
        break;
    case UNLISTED: // a lowest one
        for (v = t->n_nodes[a]; v-- > 1 && !t->listed[a][v];)
            continue;
        if (v > 0 && v < t->n_nodes[a]) t->listed[a][v] = false;
        return;
    case LISTED:
        for (int up = (int)v; up >= 0; up = t->parent[a][up])
            t->listed[a][up] = true;
        return;
    case UNGIVEN:
        v = o_below(seed, VALUES);
        t->given[v] = !t->given[v];
        return;
    default:
        break;
    }
    if (anew) lists_fill(t);
}

static void broken_tables_are_rejected(void **state)
{
    (void)state;
    static table t, broken;
    size_t tried[KINDS] = {0}, rejected[KINDS] = {0}, n = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t s = 1; n < MUTATIONS; s++) {
        uint64_t seed = at_seed = s + CASES;
        assert_true(s < 100000);
        table_draw(&t, &seed);
        if (!table_judge(&t, 1)) continue;
        for (unsigned kind = 0; kind < KINDS; kind++, n++) {
            broken = t;
            table_break(&broken, &seed, kind);
            tried[kind]++;
            rejected[kind] += !table_judge(&broken, 1);
        }
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        assert_true(rejected[kind] > 0 && tried[kind] > MUTATIONS / 50);
        if (kind == UNKNOWN) assert_int_equal(rejected[kind], tried[kind]);
    }
}

/* Two lines that differ change places. */
static void unsorted_rows_are_refused(void **state)
{
    (void)state;
    static table t;
    size_t tried = 0;
    for (uint64_t s = 1; tried < 300; s++) {
        uint64_t seed = at_seed = s;
        char data[TEXT], taxonomy[TEXT], claim[3][256];
        table_draw(&t, &seed);
        data_put(&t, data);
        taxonomy_put(&t, taxonomy);
        claims_put(&t, claim);
        size_t a = o_below(&seed, t.n), b = o_below(&seed, t.n);
        if (strcmp(t.row[a].line, t.row[b].line) == 0) continue;
        row kept = t.row[a];
        t.row[a] = t.row[b];
        t.row[b] = kept;
        char *to = strchr(data, '\n') + 1;
        for (size_t i = 0; i < t.n; i++)
            to += sprintf(to, "%s\n", t.row[i].line);
        tc_write(dirfd, &(tc_files){data, taxonomy, NULL});
        for (size_t i = 0; i < 3; i++)
            AGREE(tc_check_in(contexts[0], dirfd, notion_of(i), claim[i]).err == LETHE_EINPUT);
        tried++;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkers_agree_with_the_definition),
        cmocka_unit_test(broken_tables_are_rejected),
        cmocka_unit_test(unsorted_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
