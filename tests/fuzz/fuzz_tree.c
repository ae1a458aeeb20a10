/* SPDX-License-Identifier: Apache-2.0 */
/* Taxonomies of any kind.  First byte: how names are taken.  The rest is the file.
 *
 * What is read is a sound tree; written again, as edges and as rows, it is read as the same tree;
 * grown, it is sound still.  What is refused is said once, with a line that the file has. */
#include "io/read/fields.h"
#include "model/tree/tree.h"
#include "tree_oracle.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { SMALL = 48, FEW = 400 };

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

typedef struct said {
    uint32_t n;
    uint64_t line;
} said;

static void hear(void *user, const lethe_message *m)
{
    said *s = user;
    REQUIRE(m->severity == LETHE_ERROR && m->text[0]);
    s->n++;
    s->line = m->line;
}

static void check_sound(const lethe_tree *t)
{
    REQUIRE((t->n <= SMALL ? tree_fault(t) : tree_fault_large(t, NULL, 0)) == NULL);
    for (uint32_t v = 0; v < t->n; v++) {
        lethe_str name = lethe_tree_name(t, v);
        for (size_t i = 0; i < name.n; i++)
            REQUIRE(name.at[i] != '\t' && name.at[i] != '\n' && name.at[i] != '\r' && name.at[i]);
    }
}

static void check_equal(const lethe_tree *a, const lethe_tree *b)
{
    REQUIRE(a->n == b->n);
    for (uint32_t v = 0; v < a->n; v++) {
        REQUIRE(a->parent[v] == b->parent[v]);
        REQUIRE(lethe_str_eq(lethe_tree_name(a, v), lethe_tree_name(b, v)));
    }
}

static void put(lethe_buf *b, lethe_str s) { REQUIRE(lethe_buf_str(b, s) == LETHE_OK); }

/* A byte order mark comes first, so that one in a name is not taken for it. */
static void check_round_trip(lethe_ctx *ctx, const lethe_tree *t, bool rows, lethe_naming naming)
{
    lethe_buf b = {0};
    lethe_tree *again = NULL;
    put(&b, LETHE_LIT("\xef\xbb\xbf"));
    for (uint32_t v = rows ? 0 : 1; v < t->n; v++) {
        for (uint32_t w = v; rows && w != LETHE_NONE; w = t->parent[w]) {
            if (w != v) put(&b, LETHE_LIT(";"));
            REQUIRE(lethe_csv_put(&b, lethe_tree_name(t, w), ';') == LETHE_OK);
        }
        if (!rows) {
            put(&b, lethe_tree_name(t, v));
            put(&b, LETHE_LIT("\t"));
            put(&b, lethe_tree_name(t, t->parent[v]));
        }
        put(&b, LETHE_LIT("\n"));
    }
    REQUIRE(lethe_tree_memory(ctx, (lethe_str){(char *)b.at, b.n}, naming, &again) == LETHE_OK);
    check_equal(t, again);
    lethe_tree_free(again);
    lethe_buf_free(&b);
}

static void check_grown(const lethe_tree *t)
{
    uint32_t *inner = malloc(t->n * sizeof *inner), n = 0;
    lethe_tree *g = NULL;
    REQUIRE(inner);
    for (uint32_t v = 0; v < t->n; v++)
        if (!lethe_tree_is_leaf(t, v)) inner[n++] = v;
    REQUIRE(lethe_tree_grow(NULL, t, inner, n, &g) == LETHE_OK);
    check_sound(g);
    REQUIRE(g->n == t->n + n && g->leaves[0] == t->leaves[0] + n);
    lethe_tree_free(g);
    free(inner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1) return 0;
    lethe_naming naming = (lethe_naming)(data[0] % 3);
    lethe_str text = {(const char *)data + 1, n - 1};
    said s = {0};
    lethe_ctx *ctx = NULL;
    lethe_tree *t = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &s};
    REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    lethe_err e = lethe_tree_memory(ctx, text, naming, &t);
    if (e == LETHE_OK) {
        REQUIRE(t && s.n == 0);
        check_sound(t);
        // names that were taken as items are taken so again
        lethe_naming as = naming == LETHE_NAMES_ITEMS ? naming : LETHE_NAMES_RAW;
        if (t->n > 1) check_round_trip(ctx, t, false, as);
        if (t->n <= FEW) check_round_trip(ctx, t, true, as);
        check_grown(t);
    } else {
        REQUIRE(e == LETHE_EINPUT && !t && s.n == 1);
        REQUIRE(s.line <= lethe_count_lines(text) + 1);
    }
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    return 0;
}
