/* SPDX-License-Identifier: Apache-2.0 */
/* What --directory names.  A directory from a file is asked for a term as it stands, then, where
 * WordNet is installed, for the noun that the term reduces to. */
#include "lexicon/directory.h"
#include "lexicon/wordnet/wordnet.h"

/* A directory, and the words that belong to it. */
typedef struct named {
    lethe_directory *inner;
    lethe_wordnet *wn; /* NULL: not installed */
    bool reduces;      /* by itself */
} named;

/* WordNet writes _ for a space; normalised texts do not. */
static lethe_str spaced(lethe_str word, char out[LETHE_SYNSET_NAME_MAX])
{
    assert(word.n <= LETHE_SYNSET_NAME_MAX);
    for (size_t i = 0; i < word.n; i++)
        out[i] = word.at[i];
    for (size_t i = 0; i < word.n; i++)
        if (out[i] == '_') out[i] = ' ';
    return (lethe_str){out, word.n};
}

static size_t named_find(const void *self, lethe_str term, size_t max, uint32_t *out)
{
    const named *d = self;
    char text[LETHE_SYNSET_NAME_MAX];
    size_t n = lethe_directory_find(d->inner, term, max, out);
    if (n > 0 || d->reduces || !d->wn) return n;
    uint32_t noun = lethe_wordnet_reduce(d->wn, term);
    if (noun == LETHE_NONE) return 0;
    return lethe_directory_find(d->inner, spaced(lethe_wordnet_noun(d->wn, noun), text), max, out);
}

static lethe_str named_name(const void *self, uint32_t category)
{
    return lethe_directory_name(((const named *)self)->inner, category);
}

static void named_free(void *self)
{
    named *d = self;
    lethe_directory_free(d->inner);
    lethe_wordnet_free(d->wn);
    lethe_free(d);
}

/* Takes over what it is given, on failure too. */
static lethe_err named_new(lethe_ctx *ctx, named given, lethe_directory **out)
{
    static const lethe_directory_kind kind = {named_find, named_name, named_free};
    uint32_t n = lethe_directory_categories(given.inner), *parent = lethe_alloc(n, sizeof *parent);
    named *self = lethe_alloc(1, sizeof *self);
    lethe_err e = LETHE_ENOMEM;
    if (self && parent) {
        *self = given;
        for (uint32_t c = 0; c < n; c++)
            parent[c] = lethe_directory_parent(given.inner, c);
        e = lethe_directory_new(&kind, self, n, parent, out);
    } else {
        lethe_directory_free(given.inner);
        lethe_wordnet_free(given.wn);
        lethe_free(self);
    }
    lethe_free(parent);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

/* The Open Directory's RDF files are converted, once, by a script. */
static lethe_err refuse_odp(lethe_ctx *ctx, const char *names)
{
    const char *comma = strchr(names, ',');
    int n = comma ? (int)(comma - names) : (int)strlen(names);
    if (n == 0) return refuse_odp(ctx, "content.rdf.u8,structure.rdf.u8");
    return lethe_fail(
        ctx, LETHE_EUSAGE,
        "--directory reads no RDF files; convert them with 'tools/odp-convert %.*s%s%s "
        "> odp.tsv' and use --directory odp.tsv",
        n, names, comma ? " " : "", comma ? comma + 1 : "");
}

lethe_err lethe_directory_open(lethe_ctx *ctx, const char *name, lethe_directory **out)
{
    static const char odp[] = "odp:";
    lethe_directory *inner = NULL;
    if (strcmp(name, "wordnet") == 0) {
        named d = {.reduces = true};
        LETHE_TRY(lethe_wordnet_open(ctx, NULL, &d.wn));
        if (lethe_wordnet_directory(d.wn, &d.inner) == LETHE_OK) return named_new(ctx, d, out);
        lethe_wordnet_free(d.wn);
        return lethe_no_memory(ctx);
    }
    if (*name == '\0') return lethe_fail(ctx, LETHE_EUSAGE, "--directory has no name");
    if (strncmp(name, odp, sizeof odp - 1) == 0) return refuse_odp(ctx, name + sizeof odp - 1);
    LETHE_TRY(lethe_directory_read(ctx, name, &inner));
    named d = {.inner = inner};
    lethe_err e = lethe_wordnet_installed(lethe_ctx_wordnet_dir(ctx))
                      ? lethe_wordnet_open_words(ctx, NULL, &d.wn)
                      : LETHE_OK;
    if (e == LETHE_OK) return named_new(ctx, d, out);
    lethe_directory_free(inner);
    return e;
}
