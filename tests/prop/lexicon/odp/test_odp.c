/* Random small directories against a ranking that is worked out word by word from the definition
 * (odp.h): categories by score, then by path. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lexicon/odp/odp.h"
#include "odp_harness.h"

enum { ROUNDS = 2000, MAX_ENTRIES = 400, MAX_TEXT = 64, MAX_PATHS = 1000, N_VOCABULARY = 9 };

static const char *const vocabulary[N_VOCABULARY] = {"ant", "bee", "bee's", "Cat", "caf\xC3\xA9",
                                                     "b",   "9",   "ANT",   "zoo"};
/* As they are found. */
static const char *const normal[N_VOCABULARY] = {"ant", "bee", "bee's", "cat", "caf\xC3\xA9",
                                                 "b",   "9",   "ant",   "zoo"};

static uint64_t state_of;

static uint32_t below(uint32_t n)
{
    state_of = state_of * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state_of >> 33) % n);
}

typedef struct entry {
    bool page, says; /* does the page say where it stands? */
    char path[MAX_TEXT], title[MAX_TEXT], text[MAX_TEXT];
} entry;

static entry entries[MAX_ENTRIES];
static size_t n_entries;

static void random_text(char out[MAX_TEXT])
{
    size_t n = below(5), len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        len += (size_t)sprintf(out + len, "%s%s", i ? " " : "", vocabulary[below(N_VOCABULARY)]);
}

/* Of some names the words are words of the vocabulary too. */
static void random_path(char out[MAX_TEXT], bool wide)
{
    static const char *const names[] = {"Ant", "Bee_b", "x", "x y", "Zoo", "x-"};
    size_t n = 1 + below(3), len = (size_t)sprintf(out, "Top");
    if (below(30) == 0) return;
    for (size_t i = 0; i < n; i++) {
        len += (size_t)sprintf(out + len, "/%s", names[below(LETHE_COUNT(names))]);
        if (wide) len += (size_t)sprintf(out + len, "%u", below(150));
    }
}

static void make_entries(bool wide)
{
    n_entries = 1 + below(wide ? MAX_ENTRIES - 1 : 12);
    for (size_t i = 0; i < n_entries; i++) {
        entry *e = &entries[i];
        e->page = below(3) > 0;
        e->says = below(4) > 0;
        random_path(e->path, wide);
        random_text(e->title);
        random_text(e->text);
        if (i > 0 && below(4) == 0) strcpy(e->path, entries[i - 1].path);
    }
}

static char rdf[MAX_ENTRIES * 512];

static void write_rdf(void)
{
    size_t n = (size_t)sprintf(rdf, "<?xml version='1.0'?>\n<RDF>\n");
    for (size_t i = 0; i < n_entries; i++) {
        const entry *e = &entries[i];
        if (e->page)
            n += (size_t)sprintf(rdf + n, "<ExternalPage about=\"http://x/?%zu\">\n", i);
        else
            n += (size_t)sprintf(rdf + n, "<Topic r:id=\"%s\">\n", e->path);
        if (*e->title) n += (size_t)sprintf(rdf + n, "  <d:Title>%s</d:Title>\n", e->title);
        n += (size_t)sprintf(rdf + n, "  <d:Description>%s</d:Description>\n", e->text);
        if (e->page && e->says) n += (size_t)sprintf(rdf + n, "  <topic>%s</topic>\n", e->path);
        n += (size_t)sprintf(rdf + n, e->page ? "</ExternalPage>\n" : "</Topic>\n");
    }
    sprintf(rdf + n, "</RDF>\n");
}

/* --- the oracle --- */

typedef struct path {
    char text[MAX_TEXT];
    unsigned score;
} path;

static path paths[MAX_PATHS];
static size_t n_paths;

/* Where an entry stands, without Top; "" is nowhere. */
static const char *place_of(size_t i)
{
    const char *at = entries[i].path;
    if (entries[i].page && !entries[i].says) {
        do {
            if (i-- == 0) return "";
        } while (entries[i].page);
        at = entries[i].path;
    }
    return strcmp(at, "Top") == 0 ? "" : at + 4;
}

static void add_path(const char *text, size_t n)
{
    for (size_t i = 0; i < n_paths; i++)
        if (strlen(paths[i].text) == n && memcmp(paths[i].text, text, n) == 0) return;
    assert_true(n_paths < MAX_PATHS);
    memcpy(paths[n_paths].text, text, n);
    paths[n_paths++].text[n] = '\0';
}

static void list_paths(void)
{
    n_paths = 0;
    for (size_t i = 0; i < n_entries; i++) {
        const char *at = place_of(i);
        for (size_t n = 1; n <= strlen(at); n++)
            if (at[n] == '/' || at[n] == '\0') add_path(at, n);
    }
}

/* Is the term one of the words, which spaces or _ part and capitals do not matter to? */
static bool has(const char *text, const char *term)
{
    char word[MAX_TEXT];
    while (*text) {
        size_t n = strcspn(text, " _"), len = n;
        for (size_t i = 0; i < n; i++)
            word[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        while (len > 0 && word[len - 1] == '-')
            len--;
        word[len] = '\0';
        if (strcmp(word, term) == 0) return true;
        text += n + (text[n] != '\0');
    }
    return false;
}

static unsigned score_of(const char *where, const char *term)
{
    const char *slash = strrchr(where, '/'), *name = slash ? slash + 1 : where;
    unsigned own = has(name, term) ? 8 : 0, pages = 0;
    for (size_t i = 0; i < n_entries; i++) {
        const entry *e = &entries[i];
        if (strcmp(place_of(i), where) != 0) continue;
        if (e->page) {
            pages += has(e->title, term) ? 2 : has(e->text, term) ? 1 : 0;
        } else {
            unsigned here = has(e->title, term) ? 8 : has(e->text, term) ? 1 : 0;
            if (here > own) own = here;
        }
    }
    return own + pages;
}

static int path_cmp(const void *a, const void *b)
{
    const path *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    const char *p = x->text, *q = y->text;
    while (*p && *p == *q)
        p++, q++;
    int c = *p == '/' ? 1 : (unsigned char)*p, d = *q == '/' ? 1 : (unsigned char)*q;
    return c - d;
}

static void compare(const lethe_directory *dir, const char *term, uint64_t seed)
{
    uint32_t found[LETHE_ODP_BEST + 1];
    size_t n = lethe_directory_find(dir, lethe_str_of(term), LETHE_ODP_BEST + 1, found), want = 0;
    for (size_t i = 0; i < n_paths; i++)
        paths[i].score = score_of(paths[i].text, term);
    qsort(paths, n_paths, sizeof *paths, path_cmp);
    while (want < n_paths && want < LETHE_ODP_BEST && paths[want].score > 0)
        want++;
    bool same = n == want;
    for (size_t i = 0; i < n && same; i++) {
        char got[256];
        (void)path_text(dir, found[i], got);
        same = strcmp(got, paths[i].text) == 0;
    }
    if (!same) print_error("seed %llu, term %s\n%s", (unsigned long long)seed, term, rdf);
    assert_true(same);
}

static void categories_are_those_of_the_definition(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(2, (uint64_t)8 << 20, NULL);
    size_t full = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        lethe_directory *dir = NULL;
        state_of = seed;
        make_entries(seed % 50 == 0);
        write_rdf();
        list_paths();
        lethe_err e = lethe_odp_memory(ctx, lethe_str_of(rdf), LETHE_LIT(""), &dir);
        assert_int_equal(e, n_paths > 0 ? LETHE_OK : LETHE_EINPUT);
        if (!dir) continue;
        assert_int_equal(lethe_directory_categories(dir), n_paths);
        for (size_t i = 0; i < N_VOCABULARY; i++)
            compare(dir, normal[i], seed);
        compare(dir, "x", seed);
        uint32_t found[LETHE_ODP_BEST];
        full +=
            lethe_directory_find(dir, LETHE_LIT("ant"), LETHE_ODP_BEST, found) == LETHE_ODP_BEST;
        lethe_directory_free(dir);
    }
    assert_true(full > 3); /* some had more than are kept */
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(categories_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
