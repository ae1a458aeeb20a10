/* SPDX-License-Identifier: Apache-2.0 */
/* Random small releases of sets of items before the checkers of kl-privacy and coherence, and
 * oracles that go through all sets of clues by the definition, record by record: whether the
 * promise is kept, and the least counterexample, for any number of threads. */
/* suite: threads */
#include "item_check_harness.h"
#include "seeds.h"

#define CASES seeds(3000)
enum {
    NODES = 14,
    SMALL = 8,
    MARKS = 2,
    RECORDS = 14,
    LARGE = 12000,
    CLUES = 512,
    DEPTH = 16,
    TEXT = LARGE * 64
};

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
    o_folder_gone(dirfd, folder);
    return 0;
}

/* --- a random release --- */

/* Nodes are letters: a is the root, sensitive items are Y and Z.  A record is a set of bits, those
 * of the lowest nodes first, then the sensitive ones from MARK on. */
#define MARK NODES

typedef struct release {
    size_t n_nodes, n_marks, n;
    int parent[NODES];
    unsigned leaves[NODES], level[NODES], order[NODES]; /* order: number in preorder */
    unsigned record[LARGE];
    bool tree; /* else items stand by themselves */
} release;

static bool is_lowest(const release *r, size_t v)
{
    for (size_t c = 0; c < r->n_nodes; c++)
        if (r->parent[c] == (int)v) return false;
    return true;
}

static bool at_or_above(const release *r, size_t v, size_t w)
{
    for (int at = (int)w; at >= 0; at = r->parent[at])
        if (at == (int)v) return true;
    return false;
}

static void number(release *r, size_t v, unsigned *next)
{
    r->order[v] = (*next)++;
    for (size_t c = 0; c < r->n_nodes; c++)
        if (r->parent[c] == (int)v) number(r, c, next);
}

static void tree_draw(release *r, uint64_t *seed)
{
    bool wide = o_below(seed, 2);
    r->n_nodes = 1 + o_below(seed, SMALL);
    for (size_t v = 0; v < r->n_nodes; v++) {
        r->parent[v] = v == 0 ? -1 : (int)o_below(seed, wide ? (v + 1) / 2 : v);
        r->level[v] = v == 0 ? 0 : r->level[r->parent[v]] + 1;
        r->leaves[v] = 0;
    }
    for (size_t v = r->n_nodes; v-- > 0;) { // parents come before their children
        if (is_lowest(r, v) || o_below(seed, 4) == 0) r->leaves[v] += 1u + (o_below(seed, 3) == 0);
        if (v > 0) r->leaves[r->parent[v]] += r->leaves[v];
    }
    unsigned next = 0;
    number(r, 0, &next);
}

/* Sets of a few kinds, often several times, so that many a promise is kept. */
static void records_draw(release *r, uint64_t *seed)
{
    unsigned lowest = 0, all = 0, density = 2 + (unsigned)o_below(seed, 3);
    size_t kinds = 1 + o_below(seed, RECORDS), copies = 1 + o_below(seed, 4);
    for (size_t v = 0; v < r->n_nodes; v++)
        lowest |= (unsigned)(!r->tree || is_lowest(r, v)) << v;
    r->n = 0;
    for (size_t i = 0; i < kinds; i++) {
        unsigned set = 0;
        for (size_t v = 0; v < r->n_nodes; v++)
            set |= (unsigned)(o_below(seed, density) == 0) << v;
        for (size_t k = 1 + o_below(seed, copies); k > 0; k--) {
            unsigned marked = set & lowest;
            for (size_t s = 0; s < r->n_marks; s++)
                marked |= (unsigned)(o_below(seed, 4) == 0) << (MARK + s);
            all |= marked;
            r->record[r->n++] = marked;
        }
    }
    unsigned marks = ((1u << r->n_marks) - 1) << MARK;
    if ((all & (lowest | marks)) != (lowest | marks)) // what is listed must be published
        r->record[r->n - 1] |= (lowest | marks) & ~all;
}

/* Siblings below the root, some of which have one child, which is then published for them. */
static void siblings_put(release *r, uint64_t *seed, size_t n, size_t *lowest)
{
    unsigned next = 0;
    r->n_nodes = 1 + n;
    r->parent[0] = -1;
    for (size_t i = 0; i < n; i++) {
        lowest[i] = 1 + i;
        r->parent[1 + i] = 0;
        r->level[1 + i] = 1;
        if (r->n_nodes == SMALL || o_below(seed, 3) > 0) continue;
        lowest[i] = r->n_nodes++;
        r->parent[lowest[i]] = (int)(1 + i);
        r->level[lowest[i]] = 2;
    }
    r->leaves[0] = (unsigned)n;
    for (size_t v = 1; v < r->n_nodes; v++)
        r->leaves[v] = 1;
    number(r, 0, &next);
}

/* Siblings each with a sensitive item, and once together without: one of them by itself tells less
 * than one of several. */
static void siblings_draw(release *r, uint64_t *seed)
{
    size_t n = 3 + o_below(seed, 4), lowest[SMALL];
    unsigned together = 0;
    siblings_put(r, seed, n, lowest);
    for (size_t k = 2 + o_below(seed, 3); k > 0; k--)
        together |= 1u << lowest[o_below(seed, n)];
    for (size_t i = 0; i < n; i++) {
        bool one = together >> lowest[i] & 1;
        for (size_t k = one ? 1 : 1 + o_below(seed, 3); k > 0; k--)
            r->record[r->n++] = 1u << lowest[i] | (unsigned)one << MARK;
    }
    for (size_t k = 1 + o_below(seed, 2); k > 0; k--)
        r->record[r->n++] = together;
    for (size_t k = o_below(seed, 3); k > 0; k--)
        r->record[r->n++] = 1u << lowest[o_below(seed, n)] | 1u << lowest[o_below(seed, n)];
    r->n_marks = 1;
}

/* A node of three children, and another: vector 24 of tests/data/golden/kl.json, where the only
 * threat is the node without one of its children; and up to two records more. */
static void nested_draw(release *r, uint64_t *seed)
{
    static const int parent[] = {-1, 0, 1, 1, 1, 0}; // root, P: a b c, q
    enum { A = 1 << 2, B = 1 << 3, C = 1 << 4, Q = 1 << 5, S = 1 << MARK };
    static const unsigned record[] = {B | C, A | Q | S, B | Q | S, A | C, Q, A | B | Q, B | C | Q};
    static const unsigned leaves[] = {4, 3, 1, 1, 1, 1};
    unsigned next = 0;
    r->n_nodes = LETHE_COUNT(parent);
    for (size_t v = 0; v < r->n_nodes; v++) {
        r->parent[v] = parent[v];
        r->level[v] = v == 0 ? 0 : r->level[parent[v]] + 1;
        r->leaves[v] = leaves[v];
    }
    number(r, 0, &next);
    for (size_t i = 0; i < LETHE_COUNT(record); i++)
        r->record[r->n++] = record[i];
    for (size_t k = o_below(seed, 3); k > 0; k--)
        r->record[r->n++] = (unsigned)o_below(seed, 16) << 2;
    r->n_marks = 1;
}

static void release_draw(release *r, uint64_t *seed, bool tree)
{
    *r = (release){.tree = tree, .n_marks = o_below(seed, MARKS + 1)};
    if (tree) {
        tree_draw(r, seed);
    } else {
        r->n_nodes = 1 + o_below(seed, SMALL);
        for (size_t v = 0; v < r->n_nodes; v++)
            r->order[v] = (unsigned)v;
    }
    records_draw(r, seed);
}

/* --- as files --- */

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void data_text(const release *r, char *out)
{
    static char lines[LARGE][4 * (NODES + MARKS)];
    for (size_t i = 0; i < r->n; i++) {
        char *to = lines[i];
        *to = '\0';
        for (size_t pass = 0; pass < 2; pass++) // capitals come first
            for (size_t v = pass ? 0 : MARK; v < (pass ? r->n_nodes : MARK + r->n_marks); v++)
                if (r->record[i] >> v & 1)
                    to += sprintf(to, "%s%c", to == lines[i] ? "" : " ",
                                  (char)(v < MARK ? 'a' + v : 'Y' + v - MARK));
    }
    qsort(lines, r->n, sizeof *lines, by_text);
    for (size_t i = 0; i < r->n; i++)
        out += sprintf(out, "%s\n", lines[i]);
}

static void tree_text(const release *r, char *out)
{
    out += sprintf(out, "a\t\t%u\n", r->leaves[0]);
    for (size_t v = 1; v < r->n_nodes; v++)
        out +=
            sprintf(out, "%c\t%c\t%u\n", (char)('a' + v), (char)('a' + r->parent[v]), r->leaves[v]);
}

/* --- the oracle --- */

typedef struct oclue {
    unsigned nodes; /* one of these is present, or absent it is one */
    bool absent;
    uint64_t key[4]; /* the order: see item_search.h */
} oclue;

typedef struct asked {
    size_t k, m, n;
    double l, h; /* h: of coherence */
    bool strict;
    size_t known; /* sensitive items */
} asked;

typedef struct oracle {
    const release *r;
    asked a;
    oclue clue[CLUES];
    size_t n_clues, chosen[DEPTH], size;
    unsigned held[LARGE]; /* by record: its nodes and those above them */
    const char *knowing;  /* the sensitive items that are known, as JSON */
    char why[512];
} oracle;

static bool has(const release *r, unsigned record, size_t node)
{
    for (size_t v = 0; v < r->n_nodes; v++)
        if (record >> v & 1 && (r->tree ? at_or_above(r, node, v) : node == v)) return true;
    return false;
}

static void clue_put(oracle *o, unsigned nodes, bool absent, uint64_t a, uint64_t b, uint64_t c,
                     uint64_t d)
{
    assert_true(o->n_clues < CLUES);
    o->clue[o->n_clues++] = (oclue){nodes, absent, {a, b, c, d}};
}

static int by_key(const void *a, const void *b)
{
    const oclue *x = a, *y = b;
    for (size_t i = 0; i < 4; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

/* Children of one node in the order of their numbers; two before three. */
static void unions_put(oracle *o)
{
    const release *r = o->r;
    for (unsigned set = 0; set < 1u << r->n_nodes; set++) {
        unsigned n = (unsigned)__builtin_popcount(set), place = 0;
        int parent = -2;
        bool siblings = n == 2 || n == 3;
        for (size_t v = 0; v < r->n_nodes && siblings; v++) {
            if (!(set >> v & 1)) continue;
            siblings = parent == -2 || parent == r->parent[v];
            parent = r->parent[v];
            place = place * 16 + r->order[v]; // letters of siblings rise as their numbers do
        }
        if (siblings) clue_put(o, set, false, 1, r->order[parent], n, place);
    }
}

static void clues_put(oracle *o)
{
    const release *r = o->r;
    for (size_t v = 0; v < r->n_nodes; v++) {
        uint64_t support = 0, depth = NODES - r->level[v];
        for (size_t i = 0; i < r->n; i++) {
            bool held = has(r, r->record[i], v);
            support += held;
            o->held[i] |= (unsigned)held << v;
        }
        clue_put(o, 1u << v, false, 0, support, depth, r->order[v]);
        if (r->tree) clue_put(o, 1u << v, true, 2, r->leaves[v], depth, r->order[v]);
    }
    if (o->a.strict) unions_put(o);
    qsort(o->clue, o->n_clues, sizeof *o->clue, by_key);
}

static size_t node_of(const oclue *c) { return (size_t)__builtin_ctz(c->nodes); }

/* Is that much known, and does the definition speak of it? */
static bool legal(const oracle *o)
{
    size_t positive = 0, leaves = 0;
    for (size_t i = 0; i < o->size; i++) {
        const oclue *c = &o->clue[o->chosen[i]];
        positive += !c->absent;
        if (c->absent) leaves += o->r->leaves[node_of(c)];
        for (size_t k = 0; k < o->size && !o->a.strict; k++) {
            const oclue *d = &o->clue[o->chosen[k]];
            if (!c->absent && d->absent && c->nodes != d->nodes &&
                at_or_above(o->r, node_of(c), node_of(d)))
                return false;
        }
    }
    return positive <= o->a.m && leaves <= o->a.n;
}

static void clues_text(const oracle *o, char *out)
{
    out += sprintf(out, "{\"items\":[");
    for (size_t i = 0; i < o->size; i++) {
        const oclue *c = &o->clue[o->chosen[i]];
        out += sprintf(out, "%s\"", i ? "," : "");
        for (size_t v = 0, any = 0; v < o->r->n_nodes; v++)
            if (c->nodes >> v & 1) out += sprintf(out, "%s%c", any++ ? "|" : "", (char)('a' + v));
        out += sprintf(out, "%s\"", !o->r->tree ? "" : c->absent ? "-" : "+");
    }
    sprintf(out, "]%s", o->knowing);
}

/* The set of clues at hand; true: it breaks the promise. */
static bool breaks(oracle *o)
{
    size_t support = 0, with[MARKS] = {0};
    char items[256];
    if (!legal(o)) return false;
    for (size_t i = 0; i < o->r->n; i++) {
        bool all = true;
        for (size_t k = 0; k < o->size; k++)
            all = all &&
                  ((o->held[i] & o->clue[o->chosen[k]].nodes) != 0) != o->clue[o->chosen[k]].absent;
        support += all;
        for (size_t s = 0; s < MARKS; s++)
            with[s] += all && o->r->record[i] >> (MARK + s) & 1;
    }
    clues_text(o, items);
    if (support > 0 && support < o->a.k) {
        snprintf(o->why, sizeof o->why, "%s,\"support\":%zu,\"needed\":%zu}", items, support,
                 o->a.k);
        return true;
    }
    for (size_t s = 0; s < MARKS && support > 0; s++) {
        bool told = o->r->tree ? (double)with[s] * o->a.l > (double)support
                               : (double)with[s] / (double)support > o->a.h;
        if (!told) continue;
        snprintf(o->why, sizeof o->why, "%s,\"sensitive\":\"%c\",\"with\":%zu,\"of\":%zu}", items,
                 (char)('Y' + s), with[s], support);
        return true;
    }
    return false;
}

/* All sets of `size` clues in their order, those at hand being the first. */
static bool sets_break(oracle *o, size_t size, size_t from)
{
    if (o->size == size) return breaks(o);
    if (!legal(o)) return false; // more of them are no less
    for (size_t c = from; c < o->n_clues; c++) {
        o->chosen[o->size++] = c;
        bool found = sets_break(o, size, c + 1);
        if (found) return true;
        o->size--;
    }
    return false;
}

/* "": the promise is kept by these records. */
static const char *ask_knowing(oracle *o, const release *r, asked a, const char *knowing)
{
    o->r = r;
    o->a = a;
    o->knowing = knowing;
    o->n_clues = o->size = 0;
    memset(o->held, 0, r->n * sizeof *o->held);
    clues_put(o);
    for (size_t size = 0; size <= a.m + a.n && size < DEPTH; size++) {
        o->size = 0;
        if (sets_break(o, size, 0)) return o->why;
    }
    return "";
}

/* "": the promise is kept.  Who knows sensitive items looks at the records that have them, and at
 * the other sensitive items there. */
static const char *ask(oracle *o, const release *r, asked a)
{
    static const unsigned sets[] = {1, 3, 2}; // Y, Y and Z, Z
    static const char *const texts[] = {"", ",\"known\":[\"Y\"]", ",\"known\":[\"Z\"]",
                                        ",\"known\":[\"Y\",\"Z\"]"};
    static release with;
    if (*ask_knowing(o, r, a, "")) return o->why;
    for (size_t i = 0; i < LETHE_COUNT(sets); i++) {
        if ((size_t)__builtin_popcount(sets[i]) > a.known) continue;
        with = *r;
        with.n = 0;
        for (size_t k = 0; k < r->n; k++)
            if ((sets[i] & ~(r->record[k] >> MARK)) == 0)
                with.record[with.n++] = r->record[k] & ~(sets[i] << MARK);
        if (*ask_knowing(o, &with, a, texts[sets[i]])) return o->why;
    }
    return "";
}

/* --- trials --- */

static asked draw_asked(uint64_t *seed, bool tree)
{
    static const double ls[] = {1, 1, 1.25, 1.5, 2, 3, 10. / 3};
    static const double hs[] = {0, 0.25, 0.29, 1. / 3, 0.5, 0.75, 1};
    asked a = {.k = 1 + o_below(seed, 4), .m = 1 + o_below(seed, 3)};
    a.l = ls[o_below(seed, LETHE_COUNT(ls))];
    a.h = hs[o_below(seed, LETHE_COUNT(hs))];
    if (tree) {
        a.n = o_below(seed, 4);
        a.strict = o_below(seed, 2);
        if (a.strict) a.m = 1 + o_below(seed, 2); // the oracle would be slow
    }
    return a;
}

static void claim_text(const asked *a, bool tree, char *out)
{
    char known[48] = "";
    if (a->known > 0) sprintf(known, ",\"sensitive_known\":%zu", a->known);
    if (tree)
        sprintf(out, "{\"notion\":\"kl-privacy\",\"k\":%zu,\"l\":%.17g,\"m\":%zu,\"n\":%zu%s%s}",
                a->k, a->l, a->m, a->n, known, a->strict ? ",\"strict\":true" : "");
    else
        sprintf(out, "{\"notion\":\"coherence\",\"h\":%.17g,\"k\":%zu,\"p\":%zu}", a->h, a->k,
                a->m);
}

/* The folder as the checkers see it, by each number of threads. */
static void expect(const release *r, const asked *a, const char *want, uint64_t number_of_case)
{
    static char data[TEXT], taxonomy[TEXT], claim[256];
    static const char *const marks[] = {NULL, "Y\n", "Y\nZ\n"};
    data_text(r, data);
    tree_text(r, taxonomy);
    claim_text(a, r->tree, claim);
    ic_files f = {data, r->tree ? taxonomy : NULL, marks[r->n_marks]};
    ic_write(dirfd, &f);
    for (size_t i = 0; i < LETHE_COUNT(contexts); i++) {
        const lethe_notion *notion = r->tree ? &lethe_notion_kl_privacy : &lethe_notion_coherence;
        ic_verdict v = ic_check_in(contexts[i], dirfd, notion, claim);
        if (v.err != LETHE_OK || v.holds != !*want || strcmp(v.why, want) != 0)
            fail_msg("case %llu, context %zu: %s\n%s%s%s\nis %s\nnot %s",
                     (unsigned long long)number_of_case, i, claim, data, taxonomy,
                     marks[r->n_marks] ? marks[r->n_marks] : "", v.why, want);
    }
    ic_unlink(dirfd);
}

/* What was kept may break when a record goes, or gets a sensitive item. */
static void hurt(release *r, uint64_t *seed)
{
    release was = *r;
    size_t i = o_below(seed, r->n);
    if (o_below(seed, 2) == 0 && r->n > 1)
        r->record[i] = r->record[--r->n];
    else if (r->n_marks > 0)
        r->record[i] |= 1u << (MARK + o_below(seed, r->n_marks));
    unsigned before = 0, after = 0;
    for (size_t k = 0; k < was.n; k++)
        before |= was.record[k];
    for (size_t k = 0; k < r->n; k++)
        after |= r->record[k];
    if (after != before) *r = was; // it would no longer publish what it lists
}

static void agrees(bool tree)
{
    static oracle o;
    size_t kept = 0, told = 0, absent = 0, joined = 0, hurt_now = 0, knowing = 0;
    for (uint64_t number_of_case = 0; number_of_case < CASES; number_of_case++) {
        uint64_t seed = number_of_case * 7919 + tree;
        release r;
        asked a = draw_asked(&seed, tree);
        if (tree && number_of_case % 4 < 2) {
            r = (release){.tree = true};
            number_of_case % 4 ? nested_draw(&r, &seed) : siblings_draw(&r, &seed);
            a = (asked){1 + o_below(&seed, 2),
                        1 + o_below(&seed, 2),
                        o_below(&seed, 2),
                        a.l,
                        a.h,
                        o_below(&seed, 4) > 1,
                        0};
            if (number_of_case % 4 == 1)
                a = (asked){.k = 1, .m = 1, .n = 1, .l = 2, .strict = a.strict};
        } else {
            release_draw(&r, &seed, tree);
            a.known = tree ? number_of_case / 4 % 3 : 0;
        }
        const char *want = ask(&o, &r, a);
        expect(&r, &a, want, number_of_case);
        told += strstr(want, "sensitive") != NULL;
        knowing += strstr(want, "known") != NULL;
        absent += strchr(want, '-') != NULL;
        joined += strchr(want, '|') != NULL;
        if (*want) continue;
        kept++;
        hurt(&r, &seed);
        want = ask(&o, &r, a);
        hurt_now += *want != '\0';
        expect(&r, &a, want, number_of_case);
    }
    print_message(
        "%zu kept, of which %zu no longer when hurt; %zu told, %zu by absence, %zu by one "
        "of several\n",
        kept, hurt_now, told, absent, joined);
    assert_true(kept > CASES / 8 && hurt_now > CASES / 100 && told > CASES / 20);
    assert_true(!tree || (absent > CASES / 100 && joined > CASES / 200 && knowing > CASES / 50));
}

static void kl_privacy_is_the_definition(void **state)
{
    (void)state;
    agrees(true);
}

static void coherence_is_the_definition(void **state)
{
    (void)state;
    agrees(false);
}

/* Nothing may be known but what is there, and nothing told but who it is: then published items
 * decide, pairs of them are counted where m is two, and the counterexample is still the least of
 * all knowledge.  Half of the releases are made of sets that are there k times, so that many are
 * kept; one of the records then goes, or loses an item. */
static void presence_alone_is_the_definition(void **state)
{
    (void)state;
    static oracle o;
    size_t kept = 0, hurt_now = 0, general = 0;
    for (uint64_t number_of_case = 0; number_of_case < 2 * CASES; number_of_case++) {
        uint64_t seed = number_of_case * 104729 + 5;
        release r;
        release_draw(&r, &seed, true);
        asked a = {.k = 1 + o_below(&seed, 4), .m = 1 + o_below(&seed, 3), .l = 1};
        a.strict = o_below(&seed, 2);
        if (a.strict) a.m = 1 + o_below(&seed, 2);
        if (r.n_marks == 0) a.l = 1 + (double)o_below(&seed, 3); // nothing is sensitive
        a.known = o_below(&seed, 2);
        if (o_below(&seed, 2) == 0)
            for (size_t n = r.n, copy = 1; copy < a.k; copy++, r.n += n)
                memcpy(r.record + r.n, r.record, n * sizeof *r.record);
        const char *want = ask(&o, &r, a);
        expect(&r, &a, want, number_of_case);
        general += strstr(want, "a+") || strstr(want, "b+");
        if (*want) continue;
        kept++;
        size_t i = o_below(&seed, r.n);
        if (o_below(&seed, 2) == 0) {
            hurt(&r, &seed);
        } else if (r.record[i] & (r.record[i] - 1)) {
            r.record[i] &= r.record[i] - 1; // its first item goes; the copies still publish it
            if (a.k == 1 || r.n < 2 * a.k) continue;
        }
        unsigned listed = 0, shown = 0;
        for (size_t v = 0; v < r.n_nodes; v++)
            listed |= (unsigned)is_lowest(&r, v) << v;
        for (size_t k = 0; k < r.n; k++)
            shown |= r.record[k];
        if ((shown & listed) != listed || shown >> MARK != (1u << r.n_marks) - 1) continue;
        want = ask(&o, &r, a);
        hurt_now += *want != '\0';
        expect(&r, &a, want, number_of_case);
    }
    print_message("%zu kept, of which %zu no longer when hurt; %zu by a general item\n", kept,
                  hurt_now, general);
    assert_true(kept > CASES / 4 && hurt_now > CASES / 20 && general > CASES / 20);
}

/* So many sets that they fill many words of bits, and so sparse that few of them are left on the
 * way down.  One item is in most of them.  Nobody is alone with one or two items, mostly. */
static void large_draw(release *r, uint64_t *seed, bool tree)
{
    unsigned rare[NODES], next = 0;
    *r = (release){.tree = tree, .n_marks = 1 + o_below(seed, MARKS), .n_nodes = NODES};
    for (size_t v = 0; v < NODES; v++) {
        bool inner = tree && v < 3; // two below the root, the rest below these
        r->parent[v] = v == 0 || !tree ? -1 : v < 3 ? 0 : 1 + (int)(v % 2);
        r->level[v] = !tree || v == 0 ? 0 : v < 3 ? 1 : 2;
        r->leaves[v] = inner ? 0 : 1;
        rare[v] = 3 + (unsigned)o_below(seed, 4);
    }
    for (size_t v = NODES; tree && v-- > 1;)
        r->leaves[r->parent[v]] += r->leaves[v];
    for (size_t v = 0; v < NODES; v++)
        if (r->parent[v] < 0) number(r, v, &next);
    r->n = LARGE / 2 + o_below(seed, LARGE / 2);
    for (size_t i = 0; i < r->n; i++) {
        for (size_t v = tree ? 3 : 0; v < NODES; v++)
            r->record[i] |= (unsigned)((o_below(seed, rare[v]) == 0) != (v == 5)) << v;
        for (size_t k = 0; k < r->n_marks; k++)
            r->record[i] |= (unsigned)(o_below(seed, 12) == 0) << (MARK + k);
    }
}

/* Hardly anybody has the two most frequent items and the sixth. */
static void plant(release *r, uint64_t *seed, size_t k)
{
    enum { RANKS = 6 };
    size_t count[NODES] = {0}, ranked[RANKS] = {0}, left = k - 1;
    for (size_t i = 0; i < r->n; i++)
        for (size_t v = 0; v < NODES; v++)
            count[v] += r->record[i] >> v & 1;
    for (size_t rank = 0; rank < RANKS; rank++) {
        for (size_t v = 0; v < NODES; v++)
            if (count[v] > count[ranked[rank]]) ranked[rank] = v;
        count[ranked[rank]] = 0;
    }
    const size_t item[] = {ranked[0], ranked[1], ranked[RANKS - 1]};
    unsigned all = 1u << item[0] | 1u << item[1] | 1u << item[2];
    for (size_t i = 0; i < r->n; i++) {
        if ((r->record[i] & all) != all) continue;
        if (left > 0)
            left--;
        else
            r->record[i] ^= 1u << item[o_below(seed, 3)];
    }
}

static void large_releases_are_no_different(void **state)
{
    static oracle o;
    static release r;
    size_t kept = 0, three = 0;
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        uint64_t seed = i * 31337 + 5;
        bool tree = i % 2;
        large_draw(&r, &seed, tree);
        asked a = {.k = 2 + o_below(&seed, i % 4 == 2 ? 4 : 60),
                   .m = 2 + o_below(&seed, 3),
                   .l = 2,
                   .h = 0.5};
        if (tree) a.n = o_below(&seed, 3);
        if (i % 4 == 2) a.m = 2;
        if (i % 4 < 2) {
            a.k = 2 + o_below(&seed, 3);
            a.m = 3;
            plant(&r, &seed, a.k);
        }
        const char *want = ask(&o, &r, a);
        expect(&r, &a, want, i);
        kept += !*want;
        three += o.size >= 3 && *want;
    }
    print_message("%zu kept, %zu broken by three or more\n", kept, three);
    assert_true(kept > 2 && three > 2);
}

/* One item of one record is published as a child of what it was: then the sets are of no cut. */
static void what_is_specialized_alone_is_seen(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < CASES / 4; i++) {
        uint64_t seed = i * 104729 + 1;
        release r;
        do
            release_draw(&r, &seed, true);
        while (r.n_nodes == SMALL);
        size_t child = r.n_nodes, v = 0, record = o_below(&seed, r.n);
        while (v < r.n_nodes && !(r.record[record] >> v & 1))
            v++;
        size_t others = 0;
        for (size_t k = 0; k < r.n; k++)
            others += k != record && r.record[k] >> v & 1;
        if (v == r.n_nodes || others == 0) continue;
        static char data[TEXT], taxonomy[TEXT];
        char why[128];
        r.n_nodes++;
        r.parent[child] = (int)v;
        r.leaves[child] = 1;
        r.record[record] ^= 1u << v | 1u << child;
        data_text(&r, data);
        tree_text(&r, taxonomy);
        ic_files f = {data, taxonomy, r.n_marks == 2 ? "Y\nZ\n" : r.n_marks ? "Y\n" : NULL};
        snprintf(why, sizeof why,
                 "{\"name\":\"%c\",\"reason\":\"an item below it is published too\"}",
                 (char)('a' + v));
        ic_write(dirfd, &f);
        ic_verdict got = ic_check_in(contexts[1], dirfd, &lethe_notion_kl_privacy,
                                     "{\"notion\":\"kl-privacy\",\"k\":1,\"l\":1,\"m\":1,\"n\":0}");
        assert_int_equal(got.err, LETHE_OK);
        assert_string_equal(got.why, why);
        assert_false(got.holds);
        ic_unlink(dirfd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kl_privacy_is_the_definition),
        cmocka_unit_test(coherence_is_the_definition),
        cmocka_unit_test(presence_alone_is_the_definition),
        cmocka_unit_test(large_releases_are_no_different),
        cmocka_unit_test(what_is_specialized_alone_is_seen),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
