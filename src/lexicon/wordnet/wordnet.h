/* SPDX-License-Identifier: Apache-2.0 */
/* wordnet.h - the nouns of WordNet 3.0, from the dictionary files as Debian's wordnet-base installs
 * them (formats: wndb(5WN), morphy(7WN)).
 *
 * A *noun* is a line of index.noun, numbered from 0 in the file's order (which is that of bytes); a
 * *synset* a line of data.noun, numbered likewise.  Words are as in the index: lower case, with _
 * for a space. */
#ifndef LETHE_LEXICON_WORDNET_WORDNET_H
#define LETHE_LEXICON_WORDNET_WORDNET_H
#include "core/ctx.h"
#include "core/dict.h"
#include "model/knowledge/directory.h"
#include "model/tree/tree.h"

typedef struct lethe_wordnet lethe_wordnet;

/* `dir` NULL: the folder of the settings, else $WNSEARCHDIR, else where the package puts it.
 * LETHE_EIO where a file is missing, with a message that names the package; LETHE_EINPUT with file
 * and line where one is damaged.  The files are parsed side by side on the context's pool. */
LETHE_MUST_CHECK lethe_err lethe_wordnet_open(lethe_ctx *ctx, const char *dir, lethe_wordnet **out);
/* Are the files there?  For callers that can do without them. */
bool lethe_wordnet_installed(const char *dir);
/* `dir`, or what NULL stands for where the settings name none. */
const char *lethe_wordnet_folder(const char *dir);
/* What the node word.n.NN means, as far as the first semicolon, read from the files without opening
 * a dictionary.  False: it is not known, or they are not there. */
#define LETHE_GLOSS_MAX 400
bool lethe_wordnet_gloss(const char *dir, lethe_str name, char out[LETHE_GLOSS_MAX]);
/* Its words alone, without data.noun, in a fifth of the time and memory: for callers that need only
 * nouns, noun, find and reduce.  It has no synsets and no senses. */
LETHE_MUST_CHECK lethe_err lethe_wordnet_open_words(lethe_ctx *ctx, const char *dir,
                                                    lethe_wordnet **out);
/* From the bytes of index.noun, data.noun and noun.exc, for tests and fuzzing; they need not
 * outlive the call. */
LETHE_MUST_CHECK lethe_err lethe_wordnet_memory(lethe_ctx *ctx, lethe_str index, lethe_str data,
                                                lethe_str exceptions, lethe_wordnet **out);
void lethe_wordnet_free(lethe_wordnet *wn); /* NULL is fine */

/* All below: safe from several threads, no allocation. */
uint32_t lethe_wordnet_nouns(const lethe_wordnet *wn);
lethe_str lethe_wordnet_noun(const lethe_wordnet *wn, uint32_t noun); /* its word */
uint32_t lethe_wordnet_find(const lethe_wordnet *wn, lethe_str word); /* as it stands; LETHE_NONE */
/* The noun of a normalised word as people write it: a plural or irregular form is reduced by
 * WordNet's rules: by the exception list (noun.exc; its first base form that is a noun), else the
 * word itself, else by the rules of detachment of morphy(7WN), the first that gives a noun (-ful
 * too).  A space is taken for _; what has several parts is looked up as one, its parts are not
 * reduced.  LETHE_NONE: no noun. */
uint32_t lethe_wordnet_reduce(const lethe_wordnet *wn, lethe_str word);
/* Synsets of its senses, the commonest first. */
const uint32_t *lethe_wordnet_senses(const lethe_wordnet *wn, uint32_t noun, size_t *n);

uint32_t lethe_wordnet_synsets(const lethe_wordnet *wn);
/* Its words' nouns, in the synset's order; those that differ in capitals alone once. */
const uint32_t *lethe_wordnet_words(const lethe_wordnet *wn, uint32_t synset, size_t *n);
/* Hypernyms, those of instances too, in the file's order. */
const uint32_t *lethe_wordnet_hypernyms(const lethe_wordnet *wn, uint32_t synset, size_t *n);
/* Lexicographer file: 3 (noun.Tops) to 28 (noun.time); its name without "noun." ("food"). */
unsigned lethe_wordnet_file(const lethe_wordnet *wn, uint32_t synset);
const char *lethe_wordnet_file_name(unsigned file);
/* word.n.NN: its first word and which of that word's senses it is; distinct for each synset. */
#define LETHE_SYNSET_NAME_MAX 128
lethe_str lethe_wordnet_name(const lethe_wordnet *wn, uint32_t synset,
                             char buf[LETHE_SYNSET_NAME_MAX]);

/* The word a noun is replaced by under --synonyms merge: the first word of its first sense's synset
 * that has that synset for its own first sense (the synset's first word may mean something else in
 * the first place, and then stands elsewhere in the tree). */
uint32_t lethe_wordnet_merged(const lethe_wordnet *wn, uint32_t noun);

/* The taxonomy (docs/formats.md): every noun is a leaf below the node of its first sense, a
 * synset's node below that of its first hypernym up to entity.n.01; a node with one child is merged
 * with it, under the child's name.  Synsets that nothing stands below are left out; where there is
 * no word at all, the top stands alone.  `present`: ascending nouns of which alone the tree is to
 * be made; NULL: of all. `merge`: only nouns that are their own lethe_wordnet_merged().  Siblings:
 * words first, then synsets, each in order of their numbers. */
LETHE_MUST_CHECK lethe_err lethe_wordnet_tree(lethe_diag *d, const lethe_wordnet *wn,
                                              const uint32_t *present, size_t n_present, bool merge,
                                              lethe_tree **out);

/* The directory (docs/formats.md): a noun's categories are those of its senses in order: the
 * lexicographer file, then the synset's hypernyms (the first of each) inside that file, from the
 * most general down; the synset itself is not among them.  Two senses in one category give it once.
 * Terms are reduced.  `wn` is borrowed.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_wordnet_directory(const lethe_wordnet *wn, lethe_directory **out);

#endif
