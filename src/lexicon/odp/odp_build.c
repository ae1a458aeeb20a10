/* Words are put into an external sort as they come, each with its category and weight; it brings
 * together what each word has, of which the best categories are kept; a second one brings the words
 * into order. */
#include "core/mem.h"
#include "io/sort/sorter.h"
#include "lexicon/odp/odp_internal.h"
#include "model/tree/forest.h"
#include "text/normalize.h"
#include "text/words.h"
#include <inttypes.h>
#include <stdlib.h>

/* word NUL category (4, big-endian) weight (1) */
enum { TAIL_BYTES = 5, RECORD_MAX = LETHE_ODP_WORD_MAX + 1 + TAIL_BYTES };
/* word NUL categories (4 each, big-endian), the best first */
enum { TERM_MAX = LETHE_ODP_WORD_MAX + 1 + 4 * LETHE_ODP_BEST };
/* In a weight: it is of the category itself, of whose weights the greatest counts, not of a page,
 * whose weights add up. */
enum { OWN = 0x80 };

typedef struct weighed {
    lethe_str word;
    uint8_t weight;
} weighed;

struct lethe_odp_builder {
    lethe_ctx *ctx;
    lethe_forest *forest;
    lethe_sorter *words, *terms;
    lethe_buf path; /* the last one, and its category: most pages stand where the last one did */
    uint32_t category;
    lethe_buf spaced, normal[3];
    lethe_buf found;    /* of weighed: words of one entry */
    uint64_t nowhere;   /* pages without a category */
    uint32_t *order;    /* of each category, its place in order of paths */
    struct part *parts; /* of the terms */
    size_t n_parts;
};

/* --- paths --- */

static bool is_blank(char c) { return (unsigned char)c <= ' '; }

static lethe_str trimmed(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    return (lethe_str){at, (size_t)(end - at)};
}

/* Below Top, which is no category; parts that are empty are left out.  LETHE_NONE: it is Top. */
static lethe_err path_split(lethe_odp_builder *b, lethe_str path, uint32_t *out, const char **cause)
{
    const char *at = path.at, *end = path.at + path.n;
    uint32_t category = LETHE_NONE, level = 0;
    for (bool first = true; at <= end;) {
        const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
        const char *stop = slash ? slash : end;
        lethe_str name = trimmed(at, stop);
        bool top = first && lethe_str_eq(name, LETHE_LIT("Top"));
        if (name.n > 0 && !top) {
            if (++level > LETHE_PATH_LEVELS_MAX) {
                *cause = "a path of too many levels";
                return LETHE_EINPUT;
            }
            LETHE_TRY(lethe_forest_add(b->forest, category, name, &category));
        }
        if (name.n > 0) first = false;
        if (!slash) break;
        at = slash + 1;
    }
    *out = category;
    return LETHE_OK;
}

static lethe_err category_of(lethe_odp_builder *b, lethe_str path, uint32_t *out,
                             const char **cause)
{
    lethe_str last = {(const char *)b->path.at, b->path.n};
    if (last.n == 0 || !lethe_str_eq(path, last)) {
        LETHE_TRY(path_split(b, path, &b->category, cause));
        b->path.n = 0;
        LETHE_TRY(lethe_buf_str(&b->path, path));
    }
    *out = b->category;
    return LETHE_OK;
}

/* --- words --- */

/* Finds the words of a text; they are views of it or of `normal`. */
static lethe_err find_words(lethe_odp_builder *b, lethe_str text, lethe_buf *normal, uint8_t weight)
{
    bool invalid;
    lethe_word word;
    lethe_str in = text;
    LETHE_TRY(lethe_normalize(text, normal, &in, &invalid));
    lethe_words words = lethe_words_of(in);
    while (lethe_words_next(&words, &word)) {
        if (word.mask || word.text.n > LETHE_ODP_WORD_MAX) continue;
        weighed w = {word.text, weight};
        LETHE_TRY(lethe_buf_put(&b->found, &w, sizeof w));
    }
    return LETHE_OK;
}

static lethe_err find_name_words(lethe_odp_builder *b, uint32_t category)
{
    b->spaced.n = 0;
    LETHE_TRY(lethe_buf_str(&b->spaced, lethe_forest_name(b->forest, category)));
    for (size_t i = 0; i < b->spaced.n; i++)
        if (b->spaced.at[i] == '_') b->spaced.at[i] = ' ';
    return find_words(b, (lethe_str){(const char *)b->spaced.at, b->spaced.n}, &b->normal[0],
                      OWN | LETHE_ODP_NAME);
}

/* The greatest weight of a word first. */
static int weighed_cmp(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    int c = lethe_str_cmp(x->word, y->word);
    return c ? c : (x->weight < y->weight) - (x->weight > y->weight);
}

/* Hands over what was found, each word once. */
static lethe_err put_words(lethe_odp_builder *b, uint32_t category)
{
    weighed *w = (weighed *)(void *)b->found.at;
    size_t n = b->found.n / sizeof *w;
    if (n > 1) qsort(w, n, sizeof *w, weighed_cmp);
    b->found.n = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t record[RECORD_MAX];
        lethe_str word = w[i].word;
        if (i > 0 && lethe_str_eq(word, w[i - 1].word)) continue;
        memcpy(record, word.at, word.n);
        record[word.n] = 0;
        lethe_be32_put(record + word.n + 1, category);
        record[word.n + TAIL_BYTES] = w[i].weight;
        LETHE_TRY(lethe_sorter_put(b->words, 0, record, word.n + 1 + TAIL_BYTES));
    }
    return LETHE_OK;
}

/* --- entries --- */

/* A category's name counts in the end, for each alike: a path alone makes one. */
static lethe_err entry_find(lethe_odp_builder *b, const lethe_rdf_entry *entry, uint32_t *category,
                            const char **cause)
{
    b->found.n = 0;
    LETHE_TRY(category_of(b, entry->path, category, cause));
    if (*category == LETHE_NONE) {
        b->nowhere += entry->page;
        return LETHE_OK;
    }
    uint8_t title = entry->page ? LETHE_ODP_TITLE : OWN | LETHE_ODP_NAME;
    uint8_t text = entry->page ? LETHE_ODP_TEXT : OWN | LETHE_ODP_TEXT;
    LETHE_TRY(find_words(b, entry->title, &b->normal[1], title));
    return find_words(b, entry->description, &b->normal[2], text);
}

static lethe_err on_entry(void *arg, const lethe_rdf_entry *entry, const char **cause)
{
    lethe_odp_builder *b = arg;
    uint32_t category;
    lethe_err e = entry_find(b, entry, &category, cause);
    if (e == LETHE_ENOMEM) return lethe_no_memory(b->ctx);
    return e == LETHE_OK ? put_words(b, category) : e;
}

/* --- the best categories of each word --- */

typedef struct scored {
    uint64_t score;
    uint32_t category; /* its place in order of paths */
} scored;

typedef struct best {
    scored at[LETHE_ODP_BEST + 1];
    size_t n;
} best;

static bool comes_before(scored a, scored b)
{
    return a.score != b.score ? a.score > b.score : a.category < b.category;
}

static void best_put(best *x, scored s)
{
    size_t i = x->n;
    if (i == LETHE_ODP_BEST && !comes_before(s, x->at[i - 1])) return;
    for (; i > 0 && comes_before(s, x->at[i - 1]); i--)
        x->at[i] = x->at[i - 1];
    x->at[i] = s;
    x->n = LETHE_MIN(x->n + 1, (size_t)LETHE_ODP_BEST);
}

static lethe_err term_put(const lethe_odp_builder *b, unsigned w, lethe_str word, best *x)
{
    uint8_t record[TERM_MAX];
    memcpy(record, word.at, word.n);
    record[word.n] = 0;
    for (size_t i = 0; i < x->n; i++)
        lethe_be32_put(record + word.n + 1 + 4 * i, x->at[i].category);
    size_t n = word.n + 1 + 4 * x->n;
    x->n = 0;
    return lethe_sorter_put(b->terms, w, record, n);
}

/* What a word has in the category at hand. */
typedef struct tally {
    uint64_t pages;
    uint32_t category;
    uint8_t own;
} tally;

static void tally_end(tally *t, best *x)
{
    if (t->pages + t->own > 0) best_put(x, (scored){t->pages + t->own, t->category});
    *t = (tally){0, LETHE_NONE, 0};
}

static void tally_add(tally *t, uint8_t weight)
{
    if (weight & OWN)
        t->own = LETHE_MAX(t->own, (uint8_t)(weight & ~OWN));
    else
        t->pages += weight;
}

/* Records come word by word, those of a word category by category. */
static lethe_err words_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    lethe_odp_builder *b = arg;
    char held[LETHE_ODP_WORD_MAX];
    lethe_str record, word = {held, 0};
    best x = {.n = 0};
    tally now = {0, LETHE_NONE, 0};
    (void)part;
    while (lethe_sorted_next(it, &record)) {
        lethe_str key = {record.at, record.n - 1 - TAIL_BYTES};
        const uint8_t *tail = (const uint8_t *)record.at + key.n + 1;
        uint32_t category = b->order[lethe_be32_get(tail)];
        bool same = lethe_str_eq(key, word);
        if (!same || category != now.category) tally_end(&now, &x);
        if (!same) {
            if (x.n > 0) LETHE_TRY(term_put(b, w, word, &x));
            memcpy(held, key.at, key.n);
            word.n = key.n;
        }
        now.category = category;
        tally_add(&now, tail[4]);
    }
    LETHE_TRY(lethe_sorted_err(it));
    tally_end(&now, &x);
    return x.n > 0 ? term_put(b, w, word, &x) : LETHE_OK;
}

/* --- the index --- */

/* Terms that follow each other. */
struct part {
    lethe_buf terms, entries; /* bytes; numbers */
    lethe_buf lengths;        /* of each term: its bytes, its categories, one byte each */
};

static lethe_err terms_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    lethe_odp_builder *b = arg;
    struct part *p = &b->parts[part];
    lethe_str record;
    (void)w;
    while (lethe_sorted_next(it, &record)) {
        const uint8_t *at = (const uint8_t *)record.at, *nul = memchr(at, 0, record.n);
        size_t n = (size_t)(nul - at), n_entries = (record.n - n - 1) / 4;
        uint8_t lengths[2] = {(uint8_t)n, (uint8_t)n_entries};
        lethe_err e = lethe_buf_put(&p->terms, at, n);
        if (e == LETHE_OK) e = lethe_buf_put(&p->lengths, lengths, sizeof lengths);
        for (size_t i = 0; i < n_entries && e == LETHE_OK; i++) {
            uint32_t category = lethe_be32_get(nul + 1 + 4 * i);
            e = lethe_buf_put(&p->entries, &category, sizeof category);
        }
        if (e != LETHE_OK) return lethe_no_memory(b->ctx);
    }
    return lethe_sorted_err(it);
}

static void part_free(struct part *p)
{
    lethe_buf_free(&p->terms);
    lethe_buf_free(&p->entries);
    lethe_buf_free(&p->lengths);
}

static void fill_terms(lethe_odp_builder *b, lethe_odp_index *x)
{
    uint32_t term = 0, text = 0, entry = 0;
    for (size_t i = 0; i < b->n_parts; i++) {
        struct part *p = &b->parts[i];
        if (p->terms.n > 0) memcpy(x->terms + text, p->terms.at, p->terms.n);
        if (p->entries.n > 0) memcpy(x->entry + entry, p->entries.at, p->entries.n);
        for (size_t j = 0; j < p->lengths.n; j += 2, term++) {
            x->term_at[term] = text;
            x->entry_at[term] = entry;
            text += p->lengths.at[j];
            entry += p->lengths.at[j + 1];
        }
        part_free(p);
    }
    x->term_at[term] = text;
    x->entry_at[term] = entry;
}

static void fill_categories(const lethe_odp_builder *b, lethe_odp_index *x)
{
    uint32_t n = x->head->n_categories, at = 0;
    for (uint32_t c = 0; c < n; c++)
        x->name_at[b->order[c]] = c; // for a moment: which one is at this place
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = x->name_at[i], parent = lethe_forest_parent(b->forest, c);
        lethe_str name = lethe_forest_name(b->forest, c);
        x->parent[i] = parent == LETHE_NONE ? LETHE_NONE : b->order[parent];
        x->name_at[i] = at;
        memcpy(x->names + at, name.at, name.n);
        at += (uint32_t)name.n;
    }
    x->name_at[n] = at;
}

static lethe_err fill(lethe_odp_builder *b, lethe_odp_index *out)
{
    lethe_odp_head h = {.n_categories = lethe_forest_count(b->forest)};
    uint64_t n_terms = 0;
    for (uint32_t c = 0; c < h.n_categories; c++)
        h.name_bytes += lethe_forest_name(b->forest, c).n;
    for (size_t i = 0; i < b->n_parts; i++) {
        n_terms += b->parts[i].lengths.n / 2;
        h.term_bytes += b->parts[i].terms.n;
        h.n_entries += b->parts[i].entries.n / sizeof(uint32_t);
    }
    h.n_terms = (uint32_t)n_terms;
    h.n_bytes = n_terms < UINT32_MAX ? lethe_odp_size(&h) : 0;
    if (h.n_bytes == 0) return lethe_fail(b->ctx, LETHE_EINPUT, "too many terms for one index");
    lethe_odp_head *block = lethe_alloc(h.n_bytes, 1);
    if (!block) return lethe_no_memory(b->ctx);
    *block = h;
    *out = lethe_odp_layout(block);
    fill_categories(b, out);
    fill_terms(b, out);
    return LETHE_OK;
}

/* --- the whole --- */

lethe_err lethe_odp_builder_new(lethe_ctx *ctx, lethe_odp_builder **out)
{
    lethe_odp_builder *b = lethe_alloc_zero(1, sizeof *b);
    if (!b) return lethe_no_memory(ctx);
    b->ctx = ctx;
    b->category = LETHE_NONE;
    b->forest = lethe_forest_new();
    lethe_err e = b->forest ? LETHE_OK : lethe_no_memory(ctx);
    if (e == LETHE_OK)
        e = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 4, &b->words);
    if (e == LETHE_OK)
        *out = b;
    else
        lethe_odp_builder_free(b);
    return e;
}

void lethe_odp_builder_free(lethe_odp_builder *b)
{
    if (!b) return;
    lethe_forest_free(b->forest);
    lethe_sorter_free(b->words);
    lethe_sorter_free(b->terms);
    lethe_buf_free(&b->path);
    lethe_buf_free(&b->spaced);
    for (size_t i = 0; i < LETHE_COUNT(b->normal); i++)
        lethe_buf_free(&b->normal[i]);
    lethe_buf_free(&b->found);
    lethe_free(b->order);
    for (size_t i = 0; b->parts && i < b->n_parts; i++)
        part_free(&b->parts[i]);
    lethe_free(b->parts);
    lethe_free(b);
}

lethe_err lethe_odp_builder_read(lethe_odp_builder *b, lethe_source *s)
{
    lethe_ctx_phase(b->ctx, "directory", lethe_source_size(s));
    return lethe_rdf_read(b->ctx, s, on_entry, b);
}

static lethe_err put_names(lethe_odp_builder *b)
{
    for (uint32_t c = 0; c < lethe_forest_count(b->forest); c++) {
        if (find_name_words(b, c) != LETHE_OK) return lethe_no_memory(b->ctx);
        LETHE_TRY(put_words(b, c));
    }
    return LETHE_OK;
}

static lethe_err sort_terms(lethe_odp_builder *b)
{
    lethe_ctx_phase(b->ctx, "index", lethe_sorter_count(b->words));
    LETHE_TRY(lethe_sorter_new(b->ctx, LETHE_ORDER_BYTES, lethe_ctx_memory(b->ctx) / 4, &b->terms));
    LETHE_TRY(lethe_sorter_each(b->words, words_part, b));
    lethe_sorter_free(b->words);
    b->words = NULL;
    b->n_parts = lethe_sorter_parts(b->terms);
    b->parts = lethe_alloc_zero(b->n_parts, sizeof *b->parts);
    if (!b->parts) return lethe_no_memory(b->ctx);
    lethe_ctx_phase(b->ctx, "terms", lethe_sorter_count(b->terms));
    return lethe_sorter_each(b->terms, terms_part, b);
}

lethe_err lethe_odp_builder_end(lethe_odp_builder *b, const char *name, lethe_odp_index *out)
{
    lethe_diag *d = lethe_ctx_diag(b->ctx);
    uint32_t n = lethe_forest_count(b->forest);
    if (n == 0) return lethe_fail(d, LETHE_EINPUT, "no category in '%s'", name);
    if (b->nowhere > 0)
        lethe_note(d, "%" PRIu64 " page%s in no category, and left out", b->nowhere,
                   b->nowhere == 1 ? " is" : "s are");
    b->order = lethe_alloc(n, sizeof *b->order);
    if (!b->order || lethe_forest_order(b->forest, b->order) != LETHE_OK) return lethe_no_memory(d);
    LETHE_TRY(put_names(b));
    LETHE_TRY(sort_terms(b));
    return fill(b, out);
}
