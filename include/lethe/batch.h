/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h - functions over columns, for pipelines that hold rows in arrays of Arrow: what the
 * methods do with a single text, user, URL or row of a log, and the cut of a release applied to
 * rows.  Each value of the result follows from its own row (and from the key, or the cut) alone: it
 * does not matter how rows are divided into arrays, or on which machine they are.
 *
 * The result is no release.  Nothing counts persons here, and nothing is checked: the promise of a
 * release holds for the rows that it was made from, all of them together. */
#ifndef LETHE_BATCH_H
#define LETHE_BATCH_H
#include "lethe/arrow.h"
#include "lethe/context.h"
LETHE_API_BEGIN

/* --- the cut of a release --- */

/* Which published value each original value has: of each quasi-identifier of a table that was
 * generalized by one cut (lplus, incognito, anneal), or of the items of sets (og, mog, aa).
 *
 * A value that was not in the original has one too if the hierarchy knows it below a published
 * value.  A value below none is suppressed, never passed through.  The file is described in
 * lethe-cut(5); nothing in it is secret beyond the hierarchies.
 *
 * Applied to other rows than those of the release a cut promises nothing: a new row may be the only
 * one with its values. */
typedef struct lethe_cut lethe_cut;

/* What a cut is derived from. */
typedef struct lethe_cut_source {
    size_t size;             /* sizeof(lethe_cut_source) as the caller knows it */
    const char *release;     /* the folder of the release, or a path that leads to it */
    const char *hierarchies; /* of a table: the folder of --hierarchies that the release was made
                                with; NULL: none was */
    const char *taxonomy;    /* of sets: the file of --taxonomy that the release was made with */
} lethe_cut_source;

/* The cut of a release, as far as it is published: a value that stands for deleted rows alone is
 * not, and what is below it is suppressed.  The release is verified first.  LETHE_ANSWER_NO: it
 * does not keep its promise; LETHE_EUSAGE: it was not made by one cut (by which method, then, the
 * message says), or from a log or with WordNet, whose items are not values that rows have; or
 * hierarchies or taxonomy are missing, or given where there were none; LETHE_EINPUT, LETHE_EIO: a
 * file is not what the release was made with, or cannot be read.  The caller frees *out. */
LETHE_MUST_CHECK lethe_err lethe_cut_of_release(lethe_ctx *ctx, const lethe_cut_source *from,
                                                lethe_cut **out);
/* From a file.  LETHE_EIO: it cannot be opened or is no regular file; LETHE_EINPUT, with file, line
 * and column: it is not as lethe_cut_write() writes it.  The caller frees *out. */
LETHE_MUST_CHECK lethe_err lethe_cut_read(lethe_ctx *ctx, const char *path, lethe_cut **out);
/* Writes the file, which appears when it is complete.  LETHE_EUSAGE: there is one already, and
 * `replace` is false; LETHE_EIO. */
LETHE_MUST_CHECK lethe_err lethe_cut_write(lethe_ctx *ctx, const lethe_cut *cut, const char *path,
                                           bool replace);
void lethe_cut_free(lethe_cut *cut); /* NULL is allowed */

/* A cut does not change: these may be called from several threads.  Views that live as long as it.
 */
bool lethe_cut_is_of_sets(const lethe_cut *cut);
size_t lethe_cut_columns(const lethe_cut *cut); /* of sets: 1, which is called "items" */
/* The i-th column, in the order of --qi; empty if there is none. */
lethe_str lethe_cut_column(const lethe_cut *cut, size_t i);

/* --- functions --- */

/* A function that is ready to be applied.  Uses its context: not for several threads at once, nor
 * while another call runs under the same context. */
typedef struct lethe_batch_fn lethe_batch_fn;

/* Makes one from a JSON object.  Members that it does not know are LETHE_EUSAGE, and so are options
 * that the method of that name does not have:
 *
 *   {"function": "normal"}       the normal form of a text (lethe_texts_normal)
 *   {"function": "words-key"}    the words of a text, sorted (lethe_texts_words_key)
 *   {"function": "scrub", "options": {"kinds": ["email", "phone"], "list": "names.txt"}}
 *                                personal data replaced by its kind (lethe_texts_scrub)
 *   {"function": "host"}         the host of a URL (lethe_texts_host)
 *   {"function": "clicked-host"} the host that the method threshold counts a URL's clicks by: also
 *                                one that looks like an identifier, and is not published
 *   {"function": "text-hash", "key-file": "key", "options": {"same": "words"}}
 *                                of a text: the hash that the method threshold with --rare hash,
 *                                this --key-file and this --same publishes in its place
 *   {"function": "pseudonym", "key-file": "key"}
 *                                of a user: what a release with this --key-file publishes
 *   {"function": "url-id", "key-file": "key"}
 *                                of a URL: what a release with this --key-file and --urls id does
 *   {"function": "seal", "key-file": "key", "options": {"t": 3, "n": 10},
 *    "publish": {"time": "day", "urls": "host"}}
 *                                of a row of a log: its line in the release of the method seal
 *   {"function": "cut", "cut": "file"}
 *                                of a row of a table or a set: what a release by this cut publishes
 *
 * Takes what is listed, and texts and files with it: they are read now and not later.
 * LETHE_EIO, LETHE_EINPUT: of a key, a list, a cut, or WordNet, which words-key and text-hash by
 * words need.  `ctx` must
 * outlive *out, which the caller frees. */
LETHE_MUST_CHECK lethe_err lethe_batch_new(lethe_ctx *ctx, const char *request,
                                           lethe_batch_fn **out);
/* The same as "cut" with a cut that is at hand: borrowed, it must outlive *out. */
LETHE_MUST_CHECK lethe_err lethe_batch_of_cut(lethe_ctx *ctx, const lethe_cut *cut,
                                              lethe_batch_fn **out);
void lethe_batch_free(lethe_batch_fn *fn); /* NULL is allowed; wipes its key */

/* Applies a function to an array: *out has a value for each of in's, in their order.  Both `schema`
 * and `in` are borrowed: they stay the caller's, as they were, and nothing refers to them later.
 * *out_schema and *out are made on LETHE_OK alone; the caller releases them, and they need nothing
 * else any more.
 *
 * Values are read as those of a stream of lethe_call() are: text in all its forms, dictionaries,
 * numbers, times; with nulls, and slices.
 *
 *   normal, words-key, scrub, host, clicked-host
 *                                    a column -> text; null stays null
 *   text-hash                        a column -> text; null stays null, and where nothing is left
 *                                    of the normal form the result is null
 *   pseudonym, url-id                a column -> text; null also where nothing would be published
 *                                    of such a value: it is empty, or holds a tab or line end
 *   seal       a struct `user`, `query` and perhaps `time`, `rank`, `url` (or as AOL calls them:
 *              AnonID, Query, QueryTime, ItemRank, ClickURL) -> a struct with the columns of the
 *              sealed file.  All of them are null where the method would reject the row, or leave
 *              it out: no user, no query, a time that is not understood.  Dates of which day and
 *              month cannot be told are not understood: one row alone does not tell
 *   cut        of a table: a struct with the columns of the cut -> a struct of these, text, in the
 *              order of the cut; other columns are left out.  A null is the missing value `?`, as
 *              the methods read it.  What the cut suppresses is null.
 *              of sets: a list of items -> a list of text, distinct and sorted; null stays null.
 *              Items that the cut suppresses are left out
 *
 * LETHE_EINPUT: the array is malformed (as far as can be told), or has a type that the function
 * does not take; a value cannot be read, with its row; the result is over 2 GiB of text.
 * LETHE_ENOMEM, LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_batch_apply(lethe_batch_fn *fn, const struct ArrowSchema *schema,
                                             const struct ArrowArray *in,
                                             struct ArrowSchema *out_schema,
                                             struct ArrowArray *out);

LETHE_API_END
#endif
