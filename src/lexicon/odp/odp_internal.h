/* odp_internal.h - from RDF to an index, for the files odp*.c alone. */
#ifndef LETHE_LEXICON_ODP_ODP_INTERNAL_H
#define LETHE_LEXICON_ODP_ODP_INTERNAL_H
#include "core/dict.h"
#include "io/write/sink.h"
#include "io/read/source.h"
#include "lexicon/odp/odp.h"

/* --- bytes: odp_repair.c --- */

/* What XML would choke on, made good: bytes that are not UTF-8 and characters that XML knows not
 * become U+FFFD, control characters and references to them spaces; in text and tags an ampersand
 * that begins no reference of XML's own, a < that begins no tag, and the > of ]]> are escaped.
 * (Elsewhere an escape would be taken for what it says.)  No line is added or lost.  *place, at
 * first LETHE_RDF_TEXT, is where the bytes stand, and then where what follows them does.  Appends
 * to `out`, counts in *repaired; returns how many bytes of `in` were used: all if `last`, else all
 * but at most LETHE_RDF_AHEAD, which are to be given again with what follows them. */
enum { LETHE_RDF_AHEAD = 12 };
typedef enum lethe_rdf_place {
    LETHE_RDF_TEXT, /* and tags */
    LETHE_RDF_CDATA,
    LETHE_RDF_COMMENT,
    LETHE_RDF_INSTRUCTION
} lethe_rdf_place;
LETHE_MUST_CHECK lethe_err lethe_rdf_repair(lethe_rdf_place *place, lethe_str in, bool last,
                                            lethe_buf *out, size_t *used, uint64_t *repaired);

/* --- elements: odp_rdf.c --- */

enum { LETHE_RDF_DEPTH_MAX = 64, LETHE_RDF_TEXT_MAX = 1 << 20 };

/* A category, or a page that stands in it.  Texts as they are, white space and all; a path may be
 * empty: of a page, that it stands nowhere. */
typedef struct lethe_rdf_entry {
    lethe_str path, title, description;
    bool page;
} lethe_rdf_entry;

/* Returns LETHE_EINPUT with *cause set for an entry that cannot be taken; the reader says where. */
typedef lethe_err (*lethe_rdf_fn)(void *arg, const lethe_rdf_entry *entry, const char **cause);

/* Calls `fn` for each entry, in the file's order.  A page that does not say where it stands (dumps
 * before May 2003) is in the last category before it. */
LETHE_MUST_CHECK lethe_err lethe_rdf_read(lethe_ctx *ctx, lethe_source *s, lethe_rdf_fn fn,
                                          void *arg);

/* --- the index: odp_index.c --- */

/* Terms to categories, in one block of memory that is laid out as the cache file is
 * (docs/formats.md).  Terms are in order of bytes, categories in order of paths. */
typedef struct lethe_odp_head {
    char magic[16];
    uint32_t version, byte_order;
    char rules[16];        /* of Unicode's version, by which texts are normalised */
    uint8_t content[32];   /* digest of the file */
    uint8_t structure[32]; /* zeros: there is none */
    uint64_t n_bytes;      /* of all */
    uint32_t n_categories, n_terms;
    uint64_t n_entries;
    uint64_t name_bytes, term_bytes;
    uint64_t check[2]; /* XXH3-128 of what follows, seeded with that of the head */
} lethe_odp_head;

typedef struct lethe_odp_index {
    lethe_odp_head *head; /* the block */
    uint32_t *parent;     /* n_categories */
    uint32_t *name_at;    /* n_categories + 1: where each name begins in `names` */
    uint32_t *term_at;    /* n_terms + 1 */
    uint32_t *entry_at;   /* n_terms + 1: where each term's categories begin in `entry` */
    uint32_t *entry;      /* the best first */
    char *names, *terms;
} lethe_odp_index;

/* How large a block with these counts is, in bytes; 0: larger than can be. */
uint64_t lethe_odp_size(const lethe_odp_head *h);
/* The index over a block whose head is filled in. */
lethe_odp_index lethe_odp_layout(lethe_odp_head *block);
void lethe_odp_index_free(lethe_odp_index *x);

/* A directory over the index, which it takes over, on failure too.  LETHE_ENOMEM is not said. */
LETHE_MUST_CHECK lethe_err lethe_odp_directory(lethe_odp_index *x, lethe_directory **out);

/* --- making it: odp_build.c --- */

typedef struct lethe_odp_builder lethe_odp_builder;
LETHE_MUST_CHECK lethe_err lethe_odp_builder_new(lethe_ctx *ctx, lethe_odp_builder **out);
void lethe_odp_builder_free(lethe_odp_builder *b); /* NULL is fine */
LETHE_MUST_CHECK lethe_err lethe_odp_builder_read(lethe_odp_builder *b, lethe_source *s);
/* After the last file.  LETHE_EINPUT, said for the file `name`: there is no category. */
LETHE_MUST_CHECK lethe_err lethe_odp_builder_end(lethe_odp_builder *b, const char *name,
                                                 lethe_odp_index *out);

/* --- keeping it: odp_cache.c --- */

typedef struct lethe_odp_sources {
    uint8_t content[32], structure[32];
} lethe_odp_sources;

typedef enum lethe_odp_state {
    LETHE_ODP_ABSENT, /* no such file */
    LETHE_ODP_OTHER,  /* of other sources, rules or version */
    LETHE_ODP_FOUND
} lethe_odp_state;
/* *out is set where it is found. */
LETHE_MUST_CHECK lethe_err lethe_odp_load(lethe_ctx *ctx, const char *path,
                                          const lethe_odp_sources *of, lethe_odp_state *state,
                                          lethe_odp_index *out);
/* Completes the head, writes, and commits or aborts. */
LETHE_MUST_CHECK lethe_err lethe_odp_save(lethe_sink *sink, const lethe_odp_sources *of,
                                          lethe_odp_index *x);
/* Completes the head: magic, version, rules, sources, check. */
void lethe_odp_stamp(lethe_odp_index *x, const lethe_odp_sources *of);

#endif
