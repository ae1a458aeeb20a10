/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of records, drawn at random: the checker against counting by hand, one record changed,
 * the taxonomy there and back, truth against trying every assignment. */
/* suite: threads */
#include "random_tree.h"
#include "seeds.h"
#include "check/check.h"
#include "measure/measure.h"
#include "model/published/published_records.h"
#include "model/published/published_tree.h"
#include <stdlib.h>

#define ROUNDS seeds(1500)
enum { MOST = 12 };

static lethe_ctx *ctx;

static bool check_holds(int dirfd, int64_t k)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *claim = lethe_json_object(doc), *why = NULL;
    bool holds = false;
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
    lethe_set_text(doc, claim, "notion", "record-k-anonymity");
    lethe_json_set(doc, claim, "k", lethe_json_new_int(doc, k));
    assert_int_equal(lethe_notion_record_k_anonymity.check(&p, claim, doc, &holds, &why), LETHE_OK);
    assert_int_equal(holds, why == NULL);
    lethe_json_doc_free(doc);
    return holds;
}

static void data_write(int dirfd, char (*lines)[64], size_t n)
{
    size_t order[2 * MOST], used = 0;
    char text[R_TEXT];
    r_sort(lines, n, order);
    for (size_t i = 0; i < n; i++)
        used += (size_t)sprintf(text + used, "%s\n", lines[order[i]]);
    o_write(dirfd, "data.txt", text, used);
}

static size_t fewest_equal(char (*lines)[64], size_t n)
{
    size_t fewest = n;
    for (size_t i = 0; i < n; i++) {
        size_t equal = 0;
        for (size_t j = 0; j < n; j++)
            equal += strcmp(lines[i], lines[j]) == 0;
        fewest = LETHE_MIN(fewest, equal);
    }
    return fewest;
}

/* Letters of a few bags. */
static void bag_draw(uint64_t *seed, char *out)
{
    static const char *const bags[] = {"", "a", "a a", "a b", "b", "a b b", "c"};
    strcpy(out, bags[o_below(seed, LETHE_COUNT(bags))]);
}

static void the_checker_counts_as_we_do(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    unsigned held = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char lines[2 * MOST][64];
        size_t n = 1 + o_below(&seed, MOST), copies = 1 + o_below(&seed, 3);
        for (size_t i = 0; i < n; i++)
            if (i % copies == 0)
                bag_draw(&seed, lines[i]);
            else
                strcpy(lines[i], lines[i - 1]);
        size_t fewest = fewest_equal(lines, n);
        data_write(dirfd, lines, n);
        for (size_t k = 1; k <= n + 1; k++)
            if (check_holds(dirfd, (int64_t)k) != (k <= fewest))
                fail_msg("seed %d, k %zu", (int)round, k);
        held += fewest > 1;
    }
    assert_in_range(held, ROUNDS / 10, ROUNDS - ROUNDS / 10);
    unlinkat(dirfd, "data.txt", 0);
    o_folder_gone(dirfd, path);
}

/* Groups of k and up to 2k - 1: any one record changed to another, or lost from a group of k, or
 * new, must be found. */
static void one_record_changed_is_found(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char lines[2 * MOST][64];
        size_t k = 2 + o_below(&seed, 3), n = 0;
        for (size_t g = 0; g < 3; g++)
            for (size_t i = 0; i < k; i++)
                sprintf(lines[n++], "a %c%s", (char)('b' + g), g == 1 ? " z" : "");
        data_write(dirfd, lines, n);
        assert_true(check_holds(dirfd, (int64_t)k));
        size_t at = o_below(&seed, n);
        char kept[64];
        strcpy(kept, lines[at]);
        switch (o_below(&seed, 4)) {
        case 0:
            strcat(lines[at], " zz");
            break;
        case 1:
            strcpy(lines[at], "");
            break;
        case 2:
            memmove(lines[at], lines[(at + k) % n], sizeof *lines);
            break;
        default:
            memmove(lines[at], lines[--n], sizeof *lines); // the last of its group is lost
        }
        data_write(dirfd, lines, n);
        if (check_holds(dirfd, (int64_t)k)) fail_msg("seed %d: '%s'", (int)round, kept);
    }
    unlinkat(dirfd, "data.txt", 0);
    o_folder_gone(dirfd, path);
}

static void a_taxonomy_goes_there_and_back(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char text[R_TEXT];
        uint32_t node[MOST];
        lethe_tree *t = NULL;
        lethe_published_tree *p = NULL;
        lethe_buf b = {0};
        r_tree(&seed, text);
        assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(text), LETHE_NAMES_RAW, &t), LETHE_OK);
        size_t n = o_below(&seed, MOST), listed = 0;
        for (size_t i = 0; i < n; i++)
            node[i] = (uint32_t)o_below(&seed, t->n);
        assert_int_equal(lethe_taxonomy_write(NULL, t, node, n, &b), LETHE_OK);
        assert_int_equal(lethe_published_tree_memory(ctx, (lethe_str){(char *)b.at, b.n}, &p),
                         LETHE_OK);
        for (uint32_t v = 0; v < t->n; v++) {
            bool want = v == 0;
            for (size_t i = 0; i < n; i++)
                want = want || r_above(t, v, node[i]);
            uint32_t got = lethe_tree_find(p->tree, lethe_tree_name(t, v));
            if (want != (got != LETHE_NONE)) fail_msg("seed %d, node %u", (int)round, v);
            listed += want;
            if (!want) continue;
            assert_int_equal(p->leaves[got], t->leaves[v]);
            if (v == 0)
                assert_int_equal(got, 0);
            else
                assert_true(lethe_str_eq(lethe_tree_name(p->tree, p->tree->parent[got]),
                                         lethe_tree_name(t, t->parent[v])));
        }
        assert_int_equal(listed, p->tree->n);
        lethe_published_tree_free(p);
        lethe_tree_free(t);
        lethe_buf_free(&b);
    }
}

/* --- truth --- */

/* Can every item from the i-th on stand for one of the record's that is not used? */
static bool assignable(const lethe_tree *t, const r_item *part, size_t n_part, size_t i,
                       const uint32_t *whole, size_t n, unsigned used)
{
    if (i == n_part) return true;
    for (size_t j = 0; j < n; j++)
        if (!(used & 1u << j) && r_item_above(t, &part[i], whole[j]) &&
            assignable(t, part, n_part, i + 1, whole, n, used | 1u << j))
            return true;
    return false;
}

struct sums {
    double loss;
    uint64_t items, published, levels;
};

/* A bag is as ambiguous as what is below it, and as high as the lowest node above its members. */
static void sums_add(struct sums *s, const lethe_tree *t, size_t n, const r_item *part,
                     size_t n_part)
{
    s->items += n;
    s->published += n_part;
    s->loss += (double)(n - n_part);
    for (size_t i = 0; i < n_part; i++) {
        uint32_t leaves = 0;
        for (uint32_t v = 0; v < t->n; v++)
            leaves += t->end[v] == v + 1 && r_item_above(t, &part[i], v);
        if (t->leaves[0] > 1) s->loss += (double)(leaves - 1) / (double)(t->leaves[0] - 1);
        for (uint32_t v = 0; v < t->n; v++) { // those above all members are one path
            bool all = true;
            for (size_t k = 0; k < part[i].n; k++)
                all = all && r_above(t, v, part[i].node[k]);
            s->levels += all;
        }
    }
}

static double real_of(const lethe_json *o, const char *name)
{
    return lethe_json_real(lethe_json_get(o, name));
}

static void truth_is_an_assignment(void **state)
{
    (void)state;
    unsigned n_true = 0, n_false = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char tree[R_TEXT], original[R_TEXT] = "", published[R_TEXT] = "", map[R_TEXT] = "";
        char lines[MOST][64];
        size_t order[MOST], n = 1 + o_below(&seed, 4), line_of[MOST];
        uint32_t bag[MOST][8];
        r_item part[MOST][8];
        bool bags = round % 2;
        size_t n_bag[MOST], n_part[MOST];
        lethe_tree *t = NULL;
        struct sums want = {0};
        bool truthful = true;
        r_tree(&seed, tree);
        assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(tree), LETHE_NAMES_RAW, &t), LETHE_OK);
        for (size_t i = 0; i < n; i++) {
            n_bag[i] = r_leaves(&seed, t, 5, bag[i]);
            n_part[i] = r_items(&seed, t, bag[i], n_bag[i], bags, part[i]);
            if (o_below(&seed, bags ? 3 : 8) == 0)
                part[i][n_part[i]++] = (r_item){{(uint32_t)o_below(&seed, t->n)}, 1};
            r_items_line(t, part[i], n_part[i], lines[i]);
            r_line(t, bag[i], n_bag[i], original + strlen(original));
            strcat(original, "\n");
            bool ok = assignable(t, part[i], n_part[i], 0, bag[i], n_bag[i], 0);
            if (ok) sums_add(&want, t, n_bag[i], part[i], n_part[i]);
            truthful = truthful && ok;
        }
        r_sort(lines, n, order);
        for (size_t i = 0; i < n; i++) {
            sprintf(published + strlen(published), "%s\n", lines[order[i]]);
            line_of[order[i]] = i;
        }
        for (size_t i = 0; i < n; i++)
            sprintf(map + strlen(map), "%zu\t%zu\n", i + 1, line_of[i] + 1);
        against a = {.published = published, .map = map};
        bound b = bind_text(ctx, tree, original);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(against_bound(ctx, &a, &b, lethe_measure_records.run,
                                       lethe_measure_records.options, doc, out),
                         LETHE_OK);
        if (lethe_json_bool(lethe_json_get(out, "truthful")) != truthful)
            fail_msg("seed %d: %s\n%s\n%s", (int)round, tree, original, published);
        assert_true((lethe_json_get(out, "untruth") == NULL) == truthful);
        if (truthful) {
            double ggd = real_of(out, "ggd") - want.loss;
            assert_true(ggd < 1e-9 && ggd > -1e-9);
            assert_true(real_of(out, "avg_length") == (double)want.published / (double)n);
            assert_true(real_of(out, "items_suppressed") == (double)(want.items - want.published));
            assert_true(want.published == 0 ||
                        real_of(out, "avg_level") == (double)want.levels / (double)want.published);
        }
        n_true += truthful;
        n_false += !truthful;
        lethe_json_doc_free(doc);
        bound_free(&b);
        lethe_tree_free(t);
    }
    assert_true(n_true > ROUNDS / 10 && n_false > ROUNDS / 10);
}

/* --- lines, each by itself --- */

enum { LINES = 12, LINE = 24 };

/* What is wrong with a line, by itself or after another (NULL: it is the first); "": nothing. */
static const char *line_fault(const char *line, const char *before, size_t *column)
{
    const char *last = "";
    size_t n_last = 0;
    *column = 0;
    if (before && strcmp(before, line) > 0) return "a record out of order";
    const char *tab = strchr(line, '\t');
    *column = tab ? (size_t)(tab - line) + 1 : strlen(line);
    if (tab) return "a tab";
    if (*line && line[strlen(line) - 1] == ' ') return "an empty item";
    for (const char *item = line; *item; item += item[strcspn(item, " ")] == ' ') {
        size_t n = strcspn(item, " "), both = n < n_last ? n : n_last;
        int order = memcmp(last, item, both);
        *column = (size_t)(item - line) + 1;
        if (n == 0) return "an empty item";
        if (order > 0 || (order == 0 && n_last > n)) return "an item out of order";
        last = item;
        n_last = n;
        item += n;
    }
    return "";
}

typedef struct heard_fault {
    uint64_t line;
    uint32_t column;
    char text[64];
} heard_fault;

static void hear_fault(void *user, const lethe_message *m)
{
    heard_fault *h = user;
    h->line = m->line;
    h->column = m->column;
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

/* Most lines begin as another does, cut anywhere, so that they share whole items, parts of items
 * and spaces. */
static size_t lines_draw(uint64_t *seed, char (*line)[LINE])
{
    static const char letters[] = "aabbbc  \t";
    size_t n = 1 + o_below(seed, LINES), kinds = sizeof letters - 1 - (o_below(seed, 8) > 0);
    for (size_t i = 0; i < n; i++) {
        size_t used = 0, more = o_below(seed, 8);
        if (i > 0 && o_below(seed, 4) > 0) {
            const char *other = line[o_below(seed, i)];
            used = o_below(seed, strlen(other) + 1);
            memcpy(line[i], other, used);
        }
        while (used < LINE - 1 && more-- > 0)
            line[i][used++] = letters[o_below(seed, kinds)];
        line[i][used] = '\0';
        size_t column;
        bool mended = o_below(seed, 8) > 0; // most are such as may stand there
        while (mended && *line_fault(line[i], NULL, &column))
            line[i][strlen(line[i]) - 1] = '\0';
    }
    if (o_below(seed, 8) > 0) qsort(line, n, sizeof *line, by_text);
    return n;
}

/* The items of each record, in the file's own words. */
static void items_expect(const lethe_published_records *r, char (*line)[LINE], size_t n)
{
    assert_int_equal(r->n_records, n);
    for (size_t i = 0; i < n; i++) {
        size_t record = lethe_published_record_of(r, i);
        char text[2 * LINE] = "";
        for (uint64_t k = r->start[record]; k < r->start[record + 1]; k++) {
            lethe_str item = lethe_dict_at(r->items, r->item[k]);
            sprintf(text + strlen(text), "%s%.*s", k > r->start[record] ? " " : "", (int)item.n,
                    item.at);
        }
        assert_string_equal(text, line[i]);
        assert_true(i == 0 || (record == lethe_published_record_of(r, i - 1)) ==
                                  (strcmp(line[i], line[i - 1]) == 0));
    }
}

static void lines_are_read_as_each_by_itself(void **state)
{
    (void)state;
    heard_fault h;
    lethe_ctx *own = NULL;
    lethe_settings set = {.n_threads = 1, .on_message = hear_fault, .user = &h};
    size_t good = 0, bad = 0;
    assert_int_equal(lethe_ctx_new(&set, &own), LETHE_OK);
    for (uint64_t round = 1; round <= 10 * ROUNDS; round++) {
        uint64_t seed = round;
        char line[LINES][LINE], text[LINES * (LINE + 1) + 1] = "";
        const char *want = "";
        size_t n = lines_draw(&seed, line), at = 0, column = 0;
        for (size_t i = 0; i < n; i++)
            sprintf(text + strlen(text), "%s\n", line[i]);
        for (at = 0; at < n && !*want; at++)
            want = line_fault(line[at], at > 0 ? line[at - 1] : NULL, &column);
        lethe_published_records *r = NULL;
        h = (heard_fault){0};
        lethe_err e = lethe_published_records_memory(own, lethe_str_of(text), &r);
        if ((e == LETHE_OK) != !*want || strcmp(h.text, want) != 0 ||
            (*want && (h.line != at || h.column != column)))
            fail_msg("seed %d:\n%s'%s', line %zu, column %zu", (int)round, text, want, at, column);
        if (e == LETHE_OK) items_expect(r, line, n);
        good += e == LETHE_OK;
        bad += e != LETHE_OK;
        lethe_published_records_free(r);
    }
    assert_true(good > ROUNDS && bad > ROUNDS);
    lethe_ctx_free(own);
}

static int begin(void **state)
{
    (void)state;
    ctx = o_ctx(1, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_counts_as_we_do),
        cmocka_unit_test(one_record_changed_is_found),
        cmocka_unit_test(a_taxonomy_goes_there_and_back),
        cmocka_unit_test(truth_is_an_assignment),
        cmocka_unit_test(lines_are_read_as_each_by_itself),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
