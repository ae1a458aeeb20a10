/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of any kind: parents and levels of its categories, and calls to the kind. */
#include "model/knowledge/directory.h"
#include "core/dict.h"

struct lethe_directory {
    lethe_directory_kind kind;
    void *self;
    uint32_t n;
    uint32_t *parent, *level;
};

void lethe_directory_free(lethe_directory *dir)
{
    if (!dir) return;
    dir->kind.free(dir->self);
    lethe_free_all(dir->parent, dir->level, dir);
}

lethe_err lethe_directory_new(const lethe_directory_kind *kind, void *self, uint32_t n,
                              const uint32_t *parent, lethe_directory **out)
{
    lethe_directory *dir = lethe_alloc_zero(1, sizeof *dir);
    if (!dir) {
        kind->free(self);
        return LETHE_ENOMEM;
    }
    dir->kind = *kind;
    dir->self = self;
    dir->n = n;
    dir->parent = lethe_alloc(n, sizeof *dir->parent);
    dir->level = lethe_alloc(n, sizeof *dir->level);
    if (!dir->parent || !dir->level) {
        lethe_directory_free(dir);
        return LETHE_ENOMEM;
    }
    for (uint32_t c = 0; c < n; c++) { // parents come first: their level is known
        assert(parent[c] == LETHE_NONE || parent[c] < c);
        dir->parent[c] = parent[c];
        dir->level[c] = parent[c] == LETHE_NONE ? 1 : dir->level[parent[c]] + 1;
    }
    *out = dir;
    return LETHE_OK;
}

size_t lethe_directory_find(const lethe_directory *dir, lethe_str term, size_t max, uint32_t *out)
{
    return max ? dir->kind.find(dir->self, term, max, out) : 0;
}

uint32_t lethe_directory_categories(const lethe_directory *dir) { return dir->n; }

uint32_t lethe_directory_parent(const lethe_directory *dir, uint32_t category)
{
    assert(category < dir->n);
    return dir->parent[category];
}

uint32_t lethe_directory_level(const lethe_directory *dir, uint32_t category)
{
    assert(category < dir->n);
    return dir->level[category];
}

lethe_str lethe_directory_name(const lethe_directory *dir, uint32_t category)
{
    assert(category < dir->n);
    return dir->kind.name(dir->self, category);
}
