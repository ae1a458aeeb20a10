/* SPDX-License-Identifier: Apache-2.0 */
/* taxonomy.tsv of any kind.
 *
 * What is taken is a sound tree with counts that can be; every line of it says again what was read;
 * and lethe_tree_read() takes it for the same tree.  What is refused is said once. */
#include "model/published/published_tree.h"
#include "tree_oracle.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { SMALL = 48 };

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

static void hear(void *user, const lethe_message *m)
{
    REQUIRE(m->severity == LETHE_ERROR && m->text[0]);
    ++*(unsigned *)user;
}

static void check_counts(const lethe_published_tree *p)
{
    const lethe_tree *t = p->tree;
    for (uint32_t v = 0; v < t->n; v++) {
        uint64_t sum = 0;
        for (uint32_t c = v + 1; c < t->n; c++)
            if (t->parent[c] == v) sum += p->leaves[c];
        REQUIRE(p->leaves[v] >= 1 && p->leaves[v] >= sum && p->leaves[v] >= t->leaves[v]);
    }
}

/* As many lines as nodes, and each node's is there. */
static void check_lines(const lethe_published_tree *p, lethe_str text)
{
    const lethe_tree *t = p->tree;
    size_t lines = 0;
    for (size_t i = 0; i < text.n; i++)
        lines += text.at[i] == '\n';
    REQUIRE(lines == t->n && text.at[text.n - 1] == '\n');
    for (uint32_t v = 0; v < t->n; v++) {
        lethe_str name = lethe_tree_name(t, v), above = {"", 0};
        char *line = NULL;
        if (v > 0) above = lethe_tree_name(t, t->parent[v]);
        int n = asprintf(&line, "\n%.*s\t%.*s\t%u\n", (int)name.n, name.at, (int)above.n, above.at,
                         p->leaves[v]);
        REQUIRE(n > 0);
        if (v == 0)
            REQUIRE(text.n >= (size_t)n - 1 && memcmp(text.at, line + 1, (size_t)n - 1) == 0);
        else
            REQUIRE(memmem(text.at, text.n, line, (size_t)n));
        free(line);
    }
}

static void check_ordinary(lethe_ctx *ctx, const lethe_published_tree *p, lethe_str text)
{
    lethe_tree *t = NULL;
    // a byte order mark, or what looks compressed, is taken otherwise there
    if (text.at[0] < '0' || text.at[0] > 'z' || text.at[0] == 'B') return;
    REQUIRE(lethe_tree_memory(ctx, text, LETHE_NAMES_ITEMS, &t) == LETHE_OK);
    REQUIRE(t->n == p->tree->n);
    for (uint32_t v = 0; v < t->n; v++) {
        REQUIRE(t->parent[v] == p->tree->parent[v]);
        REQUIRE(lethe_str_eq(lethe_tree_name(t, v), lethe_tree_name(p->tree, v)));
    }
    lethe_tree_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str text = {(const char *)data, n};
    unsigned said = 0;
    lethe_ctx *ctx = NULL;
    lethe_published_tree *p = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = &said};
    REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    lethe_err e = lethe_published_tree_memory(ctx, text, &p);
    if (e == LETHE_OK) {
        REQUIRE(said == 0);
        REQUIRE((p->tree->n <= SMALL ? tree_fault(p->tree) : tree_fault_large(p->tree, NULL, 0)) ==
                NULL);
        check_counts(p);
        check_lines(p, text);
        check_ordinary(ctx, p, text);
    } else {
        REQUIRE(e == LETHE_EINPUT && !p && said == 1);
    }
    lethe_published_tree_free(p);
    lethe_ctx_free(ctx);
    return 0;
}
