/* SPDX-License-Identifier: Apache-2.0 */
/* scale_world.h - small random originals and releases of every shape, and what is true of them,
 * counted the slow way.  Terms are letters; those of the taxonomy's leaves, and y and z, which it
 * lacks. */
#ifndef LETHE_TESTS_SCALE_WORLD_H
#define LETHE_TESTS_SCALE_WORLD_H
#include "random_tree.h"
#include "scale_harness.h"

enum { W_PERSONS = 5, W_QUERIES = 4, W_WORDS = 3, W_RELEASED = 24, W_ITEMS = 120 };

typedef enum w_shape { W_LOG, W_SEALED, W_FILE, W_OF_LOG, W_SHAPES } w_shape;

/* A bag of terms, or of published items: how often each is there. */
typedef struct w_bag {
    unsigned count[W_ITEMS];
} w_bag;

/* What was published: a user, or a record. */
typedef struct w_released {
    char name[8]; /* of a user */
    unsigned person;
    w_bag bag;
    bool is_full; /* has it an item at all? */
} w_released;

typedef struct world {
    w_shape shape;
    lethe_tree *tree;
    char tree_text[R_TEXT];
    size_t n_persons;
    w_bag terms[W_PERSONS];    /* by letter */
    size_t n_lines[W_PERSONS]; /* records of each */
    size_t n_released;         /* with those that have no term */
    w_released released[W_RELEASED];
    char item[W_ITEMS][8]; /* published items: letters first, then bags */
    size_t n_items;
    char original[R_TEXT], published[R_TEXT], map[R_TEXT];
    sc_case c;
} world;

static inline size_t w_item(world *w, const char *text)
{
    if (text[1] == '\0') return (size_t)(text[0] - 'a');
    size_t i = 26;
    while (i < w->n_items && strcmp(w->item[i], text) != 0)
        i++;
    if (i == w->n_items) {
        assert_true(i < W_ITEMS);
        snprintf(w->item[i], sizeof w->item[i], "%s", text);
        w->n_items++;
    }
    return i;
}

/* A leaf's letter, or one that the taxonomy lacks. */
static inline char w_letter(uint64_t *seed, const world *w, bool strange)
{
    uint32_t leaf;
    if (strange && o_below(seed, 5) == 0) return (char)('y' + o_below(seed, 2));
    while (r_leaves(seed, w->tree, 1, &leaf) == 0)
        continue;
    return lethe_tree_name(w->tree, leaf).at[0];
}

/* --- logs --- */

/* A query of some words; its clicks, and the same at another time. */
static inline void w_queries(uint64_t *seed, world *w, size_t person, char (*query)[16],
                             size_t *n_query)
{
    size_t n = 1 + o_below(seed, W_QUERIES), used = strlen(w->original);
    for (size_t q = 0; q < n; q++) {
        size_t words = 1 + o_below(seed, W_WORDS);
        unsigned hours = 1 + (unsigned)o_below(seed, 2);
        char *text = query[(*n_query)++];
        for (size_t i = 0; i < words; i++) {
            text[2 * i] = w_letter(seed, w, true);
            text[2 * i + 1] = i + 1 < words ? ' ' : '\0';
        }
        for (unsigned h = 0; h < hours; h++) {
            for (size_t i = 0; i < words; i++)
                w->terms[person].count[text[2 * i] - 'a']++;
            for (size_t click = 0; click <= o_below(seed, 2); click++)
                used += (size_t)sprintf(w->original + used, "p%zu\t%s\t2006-03-%02zu %02u:00:00\n",
                                        person, text, q + 1, h);
        }
    }
    w->n_lines[person] = 1;
}

/* Persons become one or two users; of their queries some are published, as they are, masked, or
 * hashed.  Times are days, and no two queries of a user share one. */
static inline void w_release_log(uint64_t *seed, world *w, size_t person, char (*query)[16],
                                 size_t n_query)
{
    size_t users = o_below(seed, 3), used = strlen(w->published), mapped = strlen(w->map);
    for (size_t u = 0; u < users; u++) {
        w_released *r = &w->released[w->n_released];
        size_t shown = 0;
        *r = (w_released){.person = (unsigned)person};
        snprintf(r->name, sizeof r->name, "u%zu", w->n_released);
        for (size_t q = 0; q < n_query; q++) {
            size_t how = o_below(seed, 6);
            const char *text = how == 1   ? "[phone] [ssn]"
                               : how == 2 ? "#0123456789abcdef0123456789abcdef"
                                          : query[q];
            if (how == 0) continue;
            shown++;
            used += (size_t)sprintf(w->published + used, "%s\t%s\t2006-04-%02zu\n", r->name, text,
                                    q + 1);
            for (const char *at = query[q]; how > 2 && *at; at += at[1] ? 2 : 1) {
                r->bag.count[*at - 'a']++;
                r->is_full = true;
            }
        }
        if (shown == 0) continue;
        mapped += (size_t)sprintf(w->map + mapped, "p%zu\t%s\n", person, r->name);
        w->n_released++;
    }
}

/* --- records --- */

/* Lines of an ID, or one without; for records of a log, what was counted already. */
static inline void w_records(uint64_t *seed, world *w, size_t person, bool id, uint32_t bag[][8],
                             size_t *size, size_t *owner, size_t *n)
{
    size_t lines = id ? 1 + o_below(seed, 2) : 1, used = strlen(w->original);
    for (size_t l = 0; l < lines; l++, ++*n) {
        char text[64];
        size[*n] = r_leaves(seed, w->tree, 5, bag[*n]);
        owner[*n] = person;
        r_line(w->tree, bag[*n], size[*n], text);
        if (id) used += (size_t)sprintf(w->original + used, "p%zu\t", person);
        used += (size_t)sprintf(w->original + used, "%s\n", text);
        for (size_t i = 0; i < size[*n]; i++)
            w->terms[person].count[lethe_tree_name(w->tree, bag[*n][i]).at[0] - 'a']++;
        w->n_lines[person]++;
    }
}

/* What the log's step makes of it: one record a person, of what the taxonomy has. */
static inline void w_bags_of_log(const world *w, uint32_t bag[][8], size_t *size, size_t *owner,
                                 size_t *n)
{
    for (size_t p = 0; p < w->n_persons; p++) {
        size[*n] = 0;
        owner[*n] = p;
        for (char x = 'a'; x < 'y'; x++)
            for (unsigned k = 0; k < w->terms[p].count[x - 'a'] && size[*n] < 5; k++)
                bag[*n][size[*n]++] = lethe_tree_find(w->tree, (lethe_str){&x, 1});
        ++*n;
    }
}

/* Some records are dropped, the others generalized.  Lines of the map are in the original's order.
 */
static inline void w_release_records(uint64_t *seed, world *w, bool id, uint32_t bag[][8],
                                     const size_t *size, const size_t *owner, size_t n)
{
    static char lines[W_RELEASED][64];
    size_t order[W_RELEASED], from[W_RELEASED], line[W_RELEASED], kept = 0, used = 0, mapped = 0;
    bool bags = o_below(seed, 3) == 0;
    for (size_t i = 0; i < n; i++) {
        r_item part[8];
        size_t n_part;
        uint32_t other[8];
        line[i] = SIZE_MAX;
        if (o_below(seed, 5) == 0) continue;
        // some are of what nobody had, as methods that substitute publish them
        if (o_below(seed, 3) == 0)
            n_part = r_items(seed, w->tree, other, r_leaves(seed, w->tree, 5, other), bags, part);
        else
            n_part = r_items(seed, w->tree, bag[i], size[i], bags, part);
        r_items_line(w->tree, part, n_part, lines[kept]);
        from[kept++] = i;
    }
    r_sort(lines, kept, order);
    for (size_t i = 0; i < kept; i++) {
        w_released *r = &w->released[w->n_released++];
        char *text = lines[order[i]];
        *r = (w_released){.person = (unsigned)owner[from[order[i]]], .is_full = *text};
        used += (size_t)sprintf(w->published + used, "%s\n", text);
        line[from[order[i]]] = i + 1;
        for (char *at = strtok(text, " "); at; at = strtok(NULL, " "))
            r->bag.count[w_item(w, at)]++;
    }
    for (size_t i = 0; i < n; i++) {
        if (id)
            mapped += (size_t)sprintf(w->map + mapped, "p%zu\t", owner[i]);
        else
            mapped += (size_t)sprintf(w->map + mapped, "%zu\t", i + 1);
        if (line[i] == SIZE_MAX)
            mapped += (size_t)sprintf(w->map + mapped, "\n");
        else
            mapped += (size_t)sprintf(w->map + mapped, "%zu\n", line[i]);
    }
}

/* --- all of it --- */

static inline void w_draw(lethe_ctx *ctx, uint64_t *seed, world *w)
{
    static const char claims[] =
        "{\"claims\":[{\"notion\":\"query-threshold\",\"t\":2,\"rare\":\"hash\"}]}";
    static char query[W_PERSONS * W_QUERIES][16];
    uint32_t bag[W_RELEASED][8];
    size_t size[W_RELEASED], owner[W_RELEASED], n = 0;
    bool id;
    *w = (world){.shape = (w_shape)o_below(seed, W_SHAPES), .n_items = 26};
    r_tree(seed, w->tree_text);
    assert_int_equal(
        lethe_tree_memory(ctx, lethe_str_of(w->tree_text), LETHE_NAMES_ITEMS, &w->tree), LETHE_OK);
    id = w->shape != W_FILE || o_below(seed, 2);
    w->n_persons = 1 + o_below(seed, W_PERSONS);
    for (size_t p = 0; p < w->n_persons; p++) {
        size_t n_query = 0;
        if (w->shape == W_FILE) {
            w_records(seed, w, p, id, bag, size, owner, &n);
            continue;
        }
        w_queries(seed, w, p, query, &n_query);
        if (w->shape != W_OF_LOG) w_release_log(seed, w, p, query, n_query);
    }
    if (w->shape == W_OF_LOG) w_bags_of_log(w, bag, size, owner, &n);
    if (w->shape >= W_FILE) w_release_records(seed, w, id, bag, size, owner, n);
    w->c = (sc_case){.log = w->shape == W_FILE ? NULL : w->original,
                     .records = w->shape == W_FILE ? w->original : NULL,
                     .tree = w->shape >= W_FILE ? w->tree_text : NULL,
                     .loose = true,
                     .published = w->published,
                     .n_sealed = w->shape == W_SEALED ? w->n_released : 0,
                     .manifest = claims};
}

/* Some have nothing to show; a file without a line is none. */
static inline bool w_usable(const world *w) { return w->n_released > 0; }

static inline void w_free(world *w) { lethe_tree_free(w->tree); }

/* Is item i published of letter x at or above it? */
static inline bool w_holds(const world *w, size_t i, char x)
{
    uint32_t leaf = lethe_tree_find(w->tree, (lethe_str){&x, 1});
    if (w->shape < W_FILE) return i == (size_t)(x - 'a');
    if (leaf == LETHE_NONE) return false;
    char letter = (char)('a' + i);
    if (i < 26) return r_above(w->tree, lethe_tree_find(w->tree, (lethe_str){&letter, 1}), leaf);
    for (const char *at = w->item[i]; *at; at += at[1] ? 2 : 1)
        if (r_above(w->tree, lethe_tree_find(w->tree, (lethe_str){at, 1}), leaf)) return true;
    return false;
}

#endif
