/* SPDX-License-Identifier: Apache-2.0 */
/* An item of any kind beside a taxonomy.tsv of any kind: what is before the first NUL is the
 * taxonomy, what is behind it the item.
 *
 * What is read has, joined again, the bytes of the item; its names ascend; and what is not read is
 * no name of the taxonomy, and has a part that is none, or is out of order. */
#include "model/published/published_items.h"
#include "model/published/published_tree.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

static void hear(void *user, const lethe_message *m) { (void)user, (void)m; }

static bool is_name(const lethe_tree *t, const char *at, size_t n)
{
    for (uint32_t v = 0; v < t->n; v++)
        if (lethe_tree_name(t, v).n == n && memcmp(lethe_tree_name(t, v).at, at, n) == 0)
            return true;
    return false;
}

/* From the end: the last name, and what is before it. */
static bool is_bag(const lethe_tree *t, lethe_str item)
{
    lethe_str after = {NULL, 0};
    for (bool last = true;; last = false) {
        size_t at = item.n;
        while (at > 0 && item.at[at - 1] != '|')
            at--;
        lethe_str name = {item.at + at, item.n - at};
        if (!is_name(t, name.at, name.n) || (!last && lethe_str_cmp(name, after) >= 0))
            return false;
        if (at == 0) return !last;
        after = name;
        item.n = at - 1;
    }
}

static void check_item(const lethe_tree *t, lethe_str item)
{
    lethe_arena *a = lethe_arena_new();
    lethe_u32s nodes = {0};
    lethe_buf again = {0};
    REQUIRE(a && lethe_item_read(t, item, a, &nodes) == LETHE_OK);
    bool whole = item.n > 0 && is_name(t, item.at, item.n);
    if (whole) REQUIRE(nodes.n == 1);
    if (!whole) REQUIRE((nodes.n >= 2) == (item.n > 0 && is_bag(t, item)));
    if (!whole) REQUIRE(nodes.n != 1);
    for (size_t i = 0; i < nodes.n; i++) {
        if (i > 0) REQUIRE(lethe_buf_put(&again, "|", 1) == LETHE_OK);
        REQUIRE(nodes.at[i] < t->n);
        REQUIRE(lethe_buf_str(&again, lethe_tree_name(t, nodes.at[i])) == LETHE_OK);
    }
    if (nodes.n > 0) REQUIRE(again.n == item.n && memcmp(again.at, item.at, item.n) == 0);
    lethe_buf_free(&again);
    lethe_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *nul = n ? memchr(data, 0, n) : NULL;
    size_t n_tree = nul ? (size_t)(nul - data) : n;
    lethe_ctx *ctx = NULL;
    lethe_published_tree *p = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear};
    REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    lethe_str tree = {(const char *)data, n_tree}, item = {"", 0};
    if (nul) item = (lethe_str){(const char *)nul + 1, n - n_tree - 1};
    if (lethe_published_tree_memory(ctx, tree, &p) == LETHE_OK) {
        check_item(p->tree, item);
        lethe_published_tree_free(p);
    }
    lethe_ctx_free(ctx);
    return 0;
}
