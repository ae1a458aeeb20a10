#include "model/tree/forest.h"
#include <stdlib.h>

/* A category is known by its parent's number, big-endian, and its name. */
enum { PARENT_BYTES = 4 };

struct lethe_forest {
    lethe_dict *keys;
    lethe_buf key;
};

lethe_forest *lethe_forest_new(void)
{
    lethe_forest *f = lethe_alloc_zero(1, sizeof *f);
    if (f) f->keys = lethe_dict_new();
    if (f && f->keys) return f;
    lethe_free(f);
    return NULL;
}

void lethe_forest_free(lethe_forest *f)
{
    if (!f) return;
    lethe_dict_free(f->keys);
    lethe_buf_free(&f->key);
    lethe_free(f);
}

lethe_err lethe_forest_add(lethe_forest *f, uint32_t parent, lethe_str name, uint32_t *out)
{
    assert(parent == LETHE_NONE || parent < lethe_dict_count(f->keys));
    f->key.n = 0;
    LETHE_TRY(lethe_buf_reserve(&f->key, PARENT_BYTES + name.n));
    lethe_be32_put(f->key.at, parent);
    f->key.n = PARENT_BYTES;
    LETHE_TRY(lethe_buf_str(&f->key, name));
    return lethe_dict_add(f->keys, (lethe_str){(char *)f->key.at, f->key.n}, out);
}

uint32_t lethe_forest_count(const lethe_forest *f) { return lethe_dict_count(f->keys); }

uint32_t lethe_forest_parent(const lethe_forest *f, uint32_t category)
{
    return lethe_be32_get((const uint8_t *)lethe_dict_at(f->keys, category).at);
}

lethe_str lethe_forest_name(const lethe_forest *f, uint32_t category)
{
    lethe_str key = lethe_dict_at(f->keys, category);
    return (lethe_str){key.at + PARENT_BYTES, key.n - PARENT_BYTES};
}

/* --- order --- */

typedef struct child {
    lethe_str key;
    uint32_t category;
} child;

/* By parent, then by name: the tops, whose parent is the greatest number, come last. */
static int child_cmp(const void *a, const void *b)
{
    return lethe_str_cmp(((const child *)a)->key, ((const child *)b)->key);
}

/* Depth first, without recursion.  next[c] is the place of c's next child in `all`, and at last
 * that of its last child's successor; next[n] serves those at the top. */
static void walk(const child *all, uint32_t n, uint32_t *next, uint32_t *up, uint32_t *out)
{
    uint32_t at = n, place = 0;
    for (;;) {
        uint32_t i = next[at];
        bool below =
            i < n && lethe_be32_get((const uint8_t *)all[i].key.at) == (at == n ? LETHE_NONE : at);
        if (below) {
            next[at]++;
            up[all[i].category] = at;
            at = all[i].category;
            out[at] = place++;
        } else if (at == n) {
            break;
        } else {
            at = up[at];
        }
    }
    assert(place == n);
}

lethe_err lethe_forest_order(const lethe_forest *f, uint32_t *out)
{
    uint32_t n = lethe_forest_count(f), *next = lethe_alloc((size_t)n + 1, sizeof *next);
    uint32_t *up = lethe_alloc(n, sizeof *up);
    child *all = lethe_alloc(n, sizeof *all);
    lethe_err e = next && up && all ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        for (uint32_t c = 0; c < n; c++)
            all[c] = (child){lethe_dict_at(f->keys, c), c};
        if (n > 0) qsort(all, n, sizeof *all, child_cmp);
        for (uint32_t c = 0; c <= n; c++)
            next[c] = n; // no children
        for (uint32_t i = n; i-- > 0;) {
            uint32_t parent = lethe_be32_get((const uint8_t *)all[i].key.at);
            next[parent == LETHE_NONE ? n : parent] = i;
        }
        walk(all, n, next, up, out);
    }
    lethe_free(next);
    lethe_free(up);
    lethe_free(all);
    return e;
}
