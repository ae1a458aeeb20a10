/* SPDX-License-Identifier: Apache-2.0 */
/* WordNet's taxonomy.  The tree holds the nouns asked for and those synsets that have two or more
 * children: a node with one child is merged with it.  So it is built without the rest: count each
 * synset's children, then hang every word and every synset that stays below the nearest one above
 * it that stays. */
#include "lexicon/wordnet/wordnet_internal.h"

typedef struct builder {
    const lethe_wordnet *wn;
    bool merge;
    uint32_t n_nouns;
    uint32_t *nouns;    /* the leaves */
    uint32_t *children; /* of each synset: words, and synsets that are not empty */
    uint32_t *stays;    /* for each synset the nearest that stays, itself or above; or LETHE_NONE */
    uint32_t *way;      /* scratch */
    uint32_t *node;     /* the number of each synset that stays */
    uint32_t *parent;   /* of each node */
    lethe_str *names;
    char *text; /* of the synsets' names */
} builder;

static uint32_t up_of(const lethe_wordnet *wn, uint32_t synset)
{
    return synset == wn->top ? LETHE_NONE : wn->hypernyms.at[wn->hypernyms.start[synset]];
}

static uint32_t first_sense(const lethe_wordnet *wn, uint32_t noun)
{
    return wn->senses.at[wn->senses.start[noun]];
}

/* Every synset is passed once: what was found is kept for all on the way. */
static const uint32_t UNKNOWN = LETHE_NONE - 1;
static uint32_t stays_of(builder *m, uint32_t synset)
{
    uint32_t s = synset, depth = 0;
    while (s != LETHE_NONE && m->stays[s] == UNKNOWN && m->children[s] < 2) {
        m->way[depth++] = s;
        s = up_of(m->wn, s);
    }
    if (s != LETHE_NONE) {
        if (m->stays[s] == UNKNOWN) m->stays[s] = s;
        s = m->stays[s];
    }
    while (depth > 0)
        m->stays[m->way[--depth]] = s;
    return s;
}

static uint32_t node_of(const builder *m, uint32_t synset)
{
    return synset == LETHE_NONE ? LETHE_NONE : m->node[synset];
}

static lethe_err build_nodes(builder *m, const uint32_t *present, size_t n_present, uint32_t *n)
{
    if (!present) n_present = m->wn->n_nouns;
    const lethe_wordnet *wn = m->wn;
    m->nouns = lethe_alloc(n_present, sizeof *m->nouns);
    m->children = lethe_alloc_zero(wn->n_synsets, sizeof *m->children);
    m->stays = lethe_alloc(wn->n_synsets, sizeof *m->stays);
    m->way = lethe_alloc(wn->n_synsets, sizeof *m->way);
    m->node = lethe_alloc(wn->n_synsets, sizeof *m->node);
    if (!m->nouns || !m->children || !m->stays || !m->way || !m->node) return LETHE_ENOMEM;
    for (size_t s = 0; s < wn->n_synsets; s++)
        m->stays[s] = UNKNOWN;
    for (size_t i = 0; i < n_present; i++) {
        uint32_t noun = present ? present[i] : (uint32_t)i;
        assert(noun < m->wn->n_nouns && (!present || i == 0 || present[i - 1] < noun));
        if (!m->merge || lethe_wordnet_merged(m->wn, noun) == noun) m->nouns[m->n_nouns++] = noun;
    }
    // A synset that gets its first child becomes a child itself.
    for (uint32_t i = 0; i < m->n_nouns; i++) {
        uint32_t s = first_sense(m->wn, m->nouns[i]);
        while (m->children[s]++ == 0 && s != m->wn->top)
            s = up_of(m->wn, s);
    }
    // Words come before synsets, each by their numbers: the order that siblings are to have.
    *n = m->n_nouns;
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        if (m->children[s] >= 2) m->node[s] = (*n)++;
    if (*n == 0) { // a tree of no words is its top alone
        m->children[wn->top] = 2;
        m->node[wn->top] = (*n)++;
    }
    m->parent = lethe_alloc(*n, sizeof *m->parent);
    m->names = lethe_alloc(*n, sizeof *m->names);
    m->text = lethe_alloc(*n - m->n_nouns, LETHE_SYNSET_NAME_MAX);
    if (!m->parent || !m->names || !m->text) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < m->n_nouns; i++) {
        m->parent[i] = node_of(m, stays_of(m, first_sense(wn, m->nouns[i])));
        m->names[i] = lethe_wordnet_noun(wn, m->nouns[i]);
    }
    char *name = m->text;
    for (uint32_t s = 0; s < wn->n_synsets; s++) {
        if (m->children[s] < 2) continue;
        uint32_t up = up_of(wn, s), v = m->node[s];
        m->parent[v] = node_of(m, up == LETHE_NONE ? up : stays_of(m, up));
        m->names[v] = lethe_wordnet_name(wn, s, name);
        name += m->names[v].n;
    }
    return LETHE_OK;
}

lethe_err lethe_wordnet_tree(lethe_diag *d, const lethe_wordnet *wn, const uint32_t *present,
                             size_t n_present, bool merge, lethe_tree **out)
{
    builder m = {.wn = wn, .merge = merge};
    uint32_t n;
    lethe_err e = build_nodes(&m, present, n_present, &n);
    if (e == LETHE_OK)
        e = lethe_tree_from(d, n, m.parent, m.names, out);
    else
        e = lethe_no_memory(d);
    lethe_free_all(m.nouns, m.children, m.stays, m.way, m.node, m.parent, m.names, m.text);
    return e;
}
