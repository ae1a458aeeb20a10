#include "lexicon/odp/odp_internal.h"
#include "core/mem.h"

_Static_assert(sizeof(lethe_odp_head) == 160, "the head has no holes");

uint64_t lethe_odp_size(const lethe_odp_head *h)
{
    if (h->n_entries > UINT32_MAX || h->name_bytes > UINT32_MAX || h->term_bytes > UINT32_MAX)
        return 0;
    uint64_t numbers = 2 * (uint64_t)h->n_categories + 1 + 2 * ((uint64_t)h->n_terms + 1);
    return sizeof *h + sizeof(uint32_t) * (numbers + h->n_entries) + h->name_bytes + h->term_bytes;
}

lethe_odp_index lethe_odp_layout(lethe_odp_head *h)
{
    lethe_odp_index x = {.head = h};
    x.parent = (uint32_t *)(void *)(h + 1);
    x.name_at = x.parent + h->n_categories;
    x.term_at = x.name_at + h->n_categories + 1;
    x.entry_at = x.term_at + h->n_terms + 1;
    x.entry = x.entry_at + h->n_terms + 1;
    x.names = (char *)(x.entry + h->n_entries);
    x.terms = x.names + h->name_bytes;
    return x;
}

void lethe_odp_index_free(lethe_odp_index *x)
{
    lethe_free(x->head);
    *x = (lethe_odp_index){0};
}

/* --- the kind --- */

static lethe_str part_of(const char *text, const uint32_t *at, uint32_t i)
{
    return (lethe_str){text + at[i], at[i + 1] - at[i]};
}

static uint32_t term_number(const lethe_odp_index *x, lethe_str term)
{
    uint32_t low = 0, high = x->head->n_terms;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int c = lethe_str_cmp(part_of(x->terms, x->term_at, middle), term);
        if (c == 0) return middle;
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return LETHE_NONE;
}

static size_t index_find(const void *self, lethe_str term, size_t max, uint32_t *out)
{
    const lethe_odp_index *x = self;
    uint32_t t = term_number(x, term);
    if (t == LETHE_NONE) return 0;
    size_t n = LETHE_MIN(max, (size_t)(x->entry_at[t + 1] - x->entry_at[t]));
    memcpy(out, x->entry + x->entry_at[t], n * sizeof *out);
    return n;
}

static lethe_str index_name(const void *self, uint32_t category)
{
    const lethe_odp_index *x = self;
    return part_of(x->names, x->name_at, category);
}

static void index_free(void *self)
{
    lethe_odp_index_free(self);
    lethe_free(self);
}

lethe_err lethe_odp_directory(lethe_odp_index *x, lethe_directory **out)
{
    static const lethe_directory_kind kind = {index_find, index_name, index_free};
    lethe_odp_index *self = lethe_alloc(1, sizeof *self);
    if (!self) {
        lethe_odp_index_free(x);
        return LETHE_ENOMEM;
    }
    *self = *x;
    *x = (lethe_odp_index){0};
    return lethe_directory_new(&kind, self, self->head->n_categories, self->parent, out);
}
