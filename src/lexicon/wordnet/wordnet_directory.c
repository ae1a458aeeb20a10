/* SPDX-License-Identifier: Apache-2.0 */
/* WordNet as a directory.  Categories 0 to 25 are the lexicographer files; the others are synsets
 * that have others of their file below them, in preorder of the first hypernyms, so that parents
 * come first. */
#include "lexicon/wordnet/wordnet_internal.h"

enum { N_FILES = LETHE_WN_LAST_FILE - LETHE_WN_FIRST_FILE + 1 };

typedef struct categories {
    const lethe_wordnet *wn;
    uint32_t *of; /* the category that each synset stands in */
    char *text;   /* names of the synsets that are categories */
    uint32_t *at;
} categories;

static size_t categories_find(const void *self, lethe_str term, size_t max, uint32_t *out)
{
    const categories *c = self;
    uint32_t noun = lethe_wordnet_reduce(c->wn, term);
    size_t n_senses, n = 0;
    if (noun == LETHE_NONE) return 0;
    const uint32_t *senses = lethe_wordnet_senses(c->wn, noun, &n_senses);
    for (size_t i = 0; i < n_senses && n < max; i++) {
        uint32_t category = c->of[senses[i]];
        size_t j = 0;
        while (j < n && out[j] != category)
            j++;
        if (j == n) out[n++] = category;
    }
    return n;
}

static lethe_str categories_name(const void *self, uint32_t category)
{
    const categories *c = self;
    if (category < N_FILES)
        return lethe_str_of(lethe_wordnet_file_name(category + LETHE_WN_FIRST_FILE));
    return lethe_wn_text(c->text, c->at, category - N_FILES);
}

static void categories_free(void *self)
{
    categories *c = self;
    if (!c) return;
    lethe_free_all(c->of, c->text, c->at, c);
}

typedef struct builder {
    const lethe_wordnet *wn;
    uint32_t *start, *below; /* synsets by their first hypernym: a list for each */
    uint32_t *order;         /* preorder */
    uint32_t *above;         /* the nearest one above of the same file; LETHE_NONE: none */
    uint32_t *way;           /* scratch: synsets on the way down */
    uint32_t *number;        /* of the synsets that are categories; LETHE_NONE: it is none */
    uint32_t *parent;        /* of each category */
} builder;

static uint32_t up_of(const lethe_wordnet *wn, uint32_t synset)
{
    return wn->hypernyms.at[wn->hypernyms.start[synset]];
}

/* From the top down, without recursion.  `last` holds for each file the last synset on the way. */
static void walk_down(builder *m)
{
    const lethe_wordnet *wn = m->wn;
    uint32_t last[N_FILES], depth = 0, n = 0, s = wn->top;
    uint32_t *next = m->number; // not in use yet: the place in its list that each is at
    for (size_t i = 0; i < N_FILES; i++)
        last[i] = LETHE_NONE;
    while (true) {
        uint32_t *of_file = &last[wn->file[s] - LETHE_WN_FIRST_FILE];
        m->order[n++] = s;
        m->above[s] = *of_file;
        *of_file = s;
        next[s] = m->start[s];
        m->way[depth++] = s;
        while (depth > 0 && next[m->way[depth - 1]] == m->start[m->way[depth - 1] + 1]) {
            uint32_t left = m->way[--depth];
            last[wn->file[left] - LETHE_WN_FIRST_FILE] = m->above[left];
        }
        if (depth == 0) break;
        s = m->below[next[m->way[depth - 1]]++];
    }
    assert(n == wn->n_synsets);
}

/* Returns how many categories there are. */
static uint32_t number_categories(builder *m)
{
    const lethe_wordnet *wn = m->wn;
    uint32_t n = 0;
    for (; n < N_FILES; n++)
        m->parent[n] = LETHE_NONE;
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        m->number[s] = LETHE_NONE;
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        if (m->above[s] != LETHE_NONE) m->number[m->above[s]] = 0;
    for (uint32_t i = 0; i < wn->n_synsets; i++) {
        uint32_t s = m->order[i];
        if (m->number[s] == LETHE_NONE) continue;
        uint32_t above = m->above[s];
        m->parent[n] =
            above == LETHE_NONE ? wn->file[s] - (uint32_t)LETHE_WN_FIRST_FILE : m->number[above];
        m->number[s] = n++;
    }
    return n;
}

static lethe_err build_categories(builder *m, categories *c, uint32_t *n)
{
    const lethe_wordnet *wn = m->wn;
    size_t n_synsets = wn->n_synsets;
    m->start = lethe_alloc_zero(n_synsets + 2, sizeof *m->start);
    m->below = lethe_alloc(n_synsets, sizeof *m->below);
    m->order = lethe_alloc(n_synsets, sizeof *m->order);
    m->above = lethe_alloc(n_synsets, sizeof *m->above);
    m->way = lethe_alloc(n_synsets, sizeof *m->way);
    m->number = lethe_alloc(n_synsets, sizeof *m->number);
    m->parent = lethe_alloc(n_synsets + N_FILES, sizeof *m->parent);
    if (!m->start || !m->below || !m->order || !m->above || !m->way || !m->number || !m->parent)
        return LETHE_ENOMEM;
    // Counting, twice: start[s + 1] is first where the list of s begins, and in the end where it
    // ends, which is where the next one begins.
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        if (s != wn->top) m->start[up_of(wn, s) + 2]++;
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        m->start[s + 2] += m->start[s + 1];
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        if (s != wn->top) m->below[m->start[up_of(wn, s) + 1]++] = s;
    walk_down(m);
    *n = number_categories(m);
    c->wn = wn;
    c->of = lethe_alloc(wn->n_synsets, sizeof *c->of);
    c->at = lethe_alloc(*n - N_FILES + 1, sizeof *c->at);
    c->text = lethe_alloc(*n - N_FILES, LETHE_SYNSET_NAME_MAX);
    if (!c->of || !c->at || !c->text) return LETHE_ENOMEM;
    uint32_t at = 0, i = 0;
    for (uint32_t j = 0; j < wn->n_synsets; j++) {
        uint32_t s = m->order[j], above = m->above[s];
        c->of[s] =
            above == LETHE_NONE ? wn->file[s] - (uint32_t)LETHE_WN_FIRST_FILE : m->number[above];
        if (m->number[s] == LETHE_NONE) continue;
        c->at[i++] = at;
        at += (uint32_t)lethe_wordnet_name(wn, s, c->text + at).n;
    }
    c->at[i] = at;
    char *tight = lethe_realloc(c->text, at, 1);
    if (tight) c->text = tight;
    return LETHE_OK;
}

lethe_err lethe_wordnet_directory(const lethe_wordnet *wn, lethe_directory **out)
{
    static const lethe_directory_kind kind = {categories_find, categories_name, categories_free};
    builder m = {.wn = wn};
    categories *c = lethe_alloc_zero(1, sizeof *c);
    uint32_t n = 0;
    lethe_err e = c ? build_categories(&m, c, &n) : LETHE_ENOMEM;
    if (e == LETHE_OK)
        e = lethe_directory_new(&kind, c, n, m.parent, out);
    else
        categories_free(c);
    lethe_free_all(m.start, m.below, m.order, m.above, m.way, m.number, m.parent);
    return e;
}
