/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries of any kind: index.noun, data.noun and noun.exc, with a byte 0x1e between them. */
#include "core/mem.h"
#include "lexicon/wordnet/wordnet.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

static unsigned n_errors;
static bool placed;

static void hear(void *none, const lethe_message *m)
{
    (void)none;
    n_errors += m->severity == LETHE_ERROR;
    placed = m->file && m->line > 0;
}

/* Made once: what is looked at is the dictionary, not threads. */
static lethe_ctx *context(void)
{
    static lethe_ctx *ctx;
    lethe_settings settings = {.n_threads = 1, .memory_bytes = 64 << 20, .on_message = hear};
    if (!ctx) REQUIRE(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
    return ctx;
}

/* What stands before the next mark; *rest goes on behind it. */
static lethe_str part(lethe_str *rest)
{
    const char *mark = rest->n ? memchr(rest->at, 0x1e, rest->n) : NULL;
    lethe_str got = {rest->at, mark ? (size_t)(mark - rest->at) : rest->n};
    size_t taken = got.n + (mark != NULL);
    *rest = (lethe_str){rest->at + taken, rest->n - taken};
    return got;
}

static bool has(const uint32_t *list, size_t n, uint32_t what)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == what) return true;
    return false;
}

static void check_nouns(const lethe_wordnet *wn)
{
    uint32_t n = lethe_wordnet_nouns(wn);
    size_t n_senses, n_words;
    REQUIRE(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        lethe_str word = lethe_wordnet_noun(wn, i);
        REQUIRE(i == 0 || lethe_str_cmp(lethe_wordnet_noun(wn, i - 1), word) < 0);
        REQUIRE(lethe_wordnet_find(wn, word) == i);
        REQUIRE(lethe_wordnet_reduce(wn, word) != LETHE_NONE);
        const uint32_t *senses = lethe_wordnet_senses(wn, i, &n_senses);
        REQUIRE(n_senses > 0);
        for (size_t j = 0; j < n_senses; j++) {
            const uint32_t *words = lethe_wordnet_words(wn, senses[j], &n_words);
            REQUIRE(has(words, n_words, i) && !has(senses, j, senses[j]));
        }
        uint32_t merged = lethe_wordnet_merged(wn, i);
        REQUIRE(lethe_wordnet_merged(wn, merged) == merged);
        REQUIRE(lethe_wordnet_senses(wn, merged, &n_words)[0] == senses[0]);
    }
}

static void check_synsets(const lethe_wordnet *wn)
{
    uint32_t n = lethe_wordnet_synsets(wn), tops = 0;
    size_t n_words, n_senses, n_up;
    for (uint32_t s = 0; s < n; s++) {
        const uint32_t *words = lethe_wordnet_words(wn, s, &n_words);
        REQUIRE(n_words > 0);
        for (size_t j = 0; j < n_words; j++) {
            const uint32_t *senses = lethe_wordnet_senses(wn, words[j], &n_senses);
            REQUIRE(has(senses, n_senses, s));
        }
        uint32_t up = s, steps = 0;
        while (lethe_wordnet_hypernyms(wn, up, &n_up), n_up > 0) {
            up = lethe_wordnet_hypernyms(wn, up, &n_up)[0];
            REQUIRE(up < n && ++steps < n);
        }
        tops += steps == 0;
        REQUIRE(lethe_wordnet_file_name(lethe_wordnet_file(wn, s)) != NULL);
    }
    REQUIRE(tops == 1);
}

static void check_tree(const lethe_wordnet *wn, bool merge)
{
    lethe_tree *t = NULL;
    uint32_t n = lethe_wordnet_nouns(wn), leaves = 0;
    REQUIRE(lethe_wordnet_tree(NULL, wn, NULL, 0, merge, &t) == LETHE_OK);
    for (uint32_t i = 0; i < n; i++) {
        if (merge && lethe_wordnet_merged(wn, i) != i) continue;
        uint32_t v = lethe_tree_find(t, lethe_wordnet_noun(wn, i));
        REQUIRE(v != LETHE_NONE && lethe_tree_is_leaf(t, v));
        leaves++;
    }
    REQUIRE(t->leaves[0] == leaves);
    for (uint32_t v = 1; v < t->n; v++) // nobody is an only child
        REQUIRE(t->leaves[v] < t->leaves[t->parent[v]]);
    lethe_tree_free(t);
}

static void check_directory(const lethe_wordnet *wn)
{
    lethe_directory *dir = NULL;
    uint32_t found[4];
    REQUIRE(lethe_wordnet_directory(wn, &dir) == LETHE_OK);
    for (uint32_t i = 0; i < lethe_wordnet_nouns(wn); i++) {
        size_t n = lethe_directory_find(dir, lethe_wordnet_noun(wn, i), 4, found);
        REQUIRE(n > 0 && n <= 4);
        for (size_t j = 0; j < n; j++) {
            REQUIRE(found[j] < lethe_directory_categories(dir) && !has(found, j, found[j]));
            REQUIRE(lethe_directory_name(dir, found[j]).n > 0);
        }
    }
    lethe_directory_free(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str rest = {(const char *)data, n};
    lethe_str index = part(&rest), synsets = part(&rest);
    lethe_wordnet *wn = NULL;
    n_errors = 0;
    lethe_err e = lethe_wordnet_memory(context(), index, synsets, rest, &wn);
    if (e != LETHE_OK) {
        REQUIRE(e == LETHE_EINPUT && n_errors == 1 && placed && !wn);
        return 0;
    }
    REQUIRE(n_errors == 0);
    check_nouns(wn);
    check_synsets(wn);
    check_tree(wn, false);
    check_tree(wn, true);
    check_directory(wn);
    lethe_wordnet_free(wn);
    return 0;
}
