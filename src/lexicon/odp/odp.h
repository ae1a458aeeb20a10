/* odp.h - the Open Directory (dmoz.org, 1998 to 2017) as a directory, from its RDF files:
 * content.rdf.u8 and, where given, structure.rdf.u8.
 *
 * Every word of a category's name, title and description, and of the titles and descriptions of the
 * pages listed there, is a term.  A search of the directory gave categories by the number of their
 * matches (seed 001, Figure 1), and so does this: the score of a category for a term is the sum of
 *
 *   LETHE_ODP_NAME   if the term is a word of the category's own name (the last part of its path,
 *                    where _ is a space) or of a title of it,
 *   LETHE_ODP_TEXT   else, if it is one of a description of it,
 *   LETHE_ODP_TITLE  for each page listed in the category itself that has it in its title,
 *   LETHE_ODP_TEXT   for each other page there that has it in its description.
 *
 * The order of entries and of files does not matter, but to pages that do not say where they stand.
 * Best first; equal ones in order of their paths, part by part by bytes.  Of each term the best
 * LETHE_ODP_BEST categories are kept.  Texts are normalised as queries are and cut into words as
 * they are (text/words.h); longer words than LETHE_ODP_WORD_MAX bytes are no terms. */
#ifndef LETHE_LEXICON_ODP_ODP_H
#define LETHE_LEXICON_ODP_ODP_H
#include "model/knowledge/directory.h"

enum {
    LETHE_ODP_NAME = 8,
    LETHE_ODP_TITLE = 2,
    LETHE_ODP_TEXT = 1,
    LETHE_ODP_BEST = 100,
    LETHE_ODP_WORD_MAX = 255,
};

/* `structure` and `cache` may be NULL.  Files as lethe_source_open() takes them; with a cache they
 * must be regular ones.  What the files are known to have wrong (bytes that are no UTF-8 or that
 * XML does not allow, ampersands, < and ]]> that are not escaped) is repaired, with a note how
 * often; anything else that is not well-formed, a document type, more than LETHE_RDF_DEPTH_MAX
 * elements one inside the other and a text or tag over 1 MiB are LETHE_EINPUT with file and line;
 * so is a file that is none of the Open Directory's, and content without a category.  One file
 * under both names is LETHE_EUSAGE.
 *
 * Memory: lethe_ctx_memory() bounds what is sorted, the rest goes to disk; the categories and the
 * finished index are held.
 *
 * `cache` names a file that keeps the index.  Where it is there, and of these very sources (by
 * their digests), rules and version, it is read in their place; where it is of others, it is made
 * anew and replaced, with a note; where it is not there, it is written.  It appears only when
 * complete; that it cannot be written is found before the work.  A damaged one, and a file that is
 * none, are LETHE_EINPUT and left alone. */
LETHE_MUST_CHECK lethe_err lethe_odp_open(lethe_ctx *ctx, const char *content,
                                          const char *structure, const char *cache,
                                          lethe_directory **out);
/* From memory, for tests and fuzzing; `structure` may be empty: then there is none. */
LETHE_MUST_CHECK lethe_err lethe_odp_memory(lethe_ctx *ctx, lethe_str content, lethe_str structure,
                                            lethe_directory **out);
/* From the bytes of a cache, of whatever sources; likewise. */
LETHE_MUST_CHECK lethe_err lethe_odp_cache_memory(lethe_ctx *ctx, lethe_str bytes,
                                                  lethe_directory **out);

#endif
