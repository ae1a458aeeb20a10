/* SPDX-License-Identifier: Apache-2.0 */
/* Categories in a dictionary: each is known by its parent's number, big-endian, and its
 * name. */
#include "model/tree/forest.h"

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
