/* SPDX-License-Identifier: Apache-2.0 */
/* records.h - bags of items, each with its person (docs/formats.md). */
#ifndef LETHE_MODEL_RECORDS_RECORDS_H
#define LETHE_MODEL_RECORDS_RECORDS_H
#include "core/ctx.h"
#include "core/dict.h"
#include "core/need.h"
#include "model/reading.h"
#include "model/knowledge/sensitive.h"
#include "model/tree/tree.h"

/* What became of the records read: read = n + rejected (+ suppressed, where a log was read). */
typedef struct lethe_record_counts {
    uint64_t read;         /* lines of a file, or of a log */
    uint64_t rejected;     /* did not parse */
    uint64_t unknown;      /* item occurrences that the taxonomy lacks: dropped */
    uint64_t invalid_utf8; /* lines with bytes replaced by U+FFFD */
} lethe_record_counts;

typedef struct lethe_records {
    size_t n;
    const uint64_t *start;  /* n + 1: record i is item[start[i]] .. item[start[i + 1] - 1] */
    const uint32_t *item;   /* numbers in `items`, or nodes of a tree once bound */
    const uint32_t *owner;  /* the person of each record: 0 .. n_owners - 1 */
    const uint64_t *origin; /* the input line of each, counted from 0 over all inputs, with those
                               that were rejected; of a log: of its first row */
    const uint64_t *lines;  /* how many lines of the input each is made of; NULL: one each */
    bool of_log;            /* made from a log: items are its terms */
    uint32_t n_owners;      /* numbered in order of first appearance, as items are */
    lethe_dict *items;      /* names of items; NULL once bound to a tree */
    /* Sensitive items: kept beside the others, never generalized, published as they are; none is a
     * name that an item has.  All NULL where no list was given (lethe_records_mark). */
    lethe_dict *marks;          /* their names: those of the list that some record has */
    const uint64_t *mark_start; /* n + 1: those of record i are mark[mark_start[i]] .. */
    const uint32_t *mark;       /* numbers in `marks`, ascending and distinct in a record */
    lethe_dict *owners; /* names of persons (IDs, users); NULL where there are no IDs at all.
                           A person without ID has LETHE_NONE in owner_name */
    const uint32_t *owner_name; /* for each owner, its number in `owners`; NULL as above */
    lethe_record_counts counts;
    lethe_arena *arena; /* this and all of the above lives there, or is freed with it */
} lethe_records;

void lethe_records_free(lethe_records *r); /* NULL is fine */

/* Which record a row of a log went into. */
typedef struct lethe_row_place {
    uint64_t origin; /* of the row: its line, from 0 over all inputs */
    uint32_t record;
} lethe_row_place;
/* Of all rows that are in a record, by their origins. */
typedef struct lethe_row_places {
    lethe_row_place *at; /* on the heap */
    size_t n;
} lethe_row_places;

/* The records become from[0..n-1] of them, in this order, some of them several times.  Before
 * binding.  LETHE_ENOMEM, with the records as they were. */
LETHE_MUST_CHECK lethe_err lethe_records_choose(lethe_records *r, const uint32_t *from, size_t n);

static inline uint64_t lethe_record_size(const lethe_records *r, size_t i)
{
    return r->start[i + 1] - r->start[i];
}

/* The longest line of a records file: a million items and more. */
#define LETHE_RECORD_MAX ((size_t)64 << 20)

/* Do the columns of --columns name persons and items, not the fields of a log? */
bool lethe_columns_of_records(const char *columns);

/* Files of records, read one after the other ("-": standard input, once: LETHE_EUSAGE): items
 * separated by one space, optionally after `ID TAB`.  An empty line is a record with no items; a
 * repeated item a second copy; lines with one ID are one person's.  Items and persons are numbered
 * in order of first appearance.  CRLF, a missing last LF, a byte order mark, compression, and one
 * space after the last item (FIMI's files have it) are all fine.
 *
 * With reading->delimiter that separates the items, which may be in quotes (RFC 4180); spaces at
 * their ends are not theirs, spaces inside become '_', and empty fields at the end of a line do not
 * count.  With reading->columns (person=1,item=2, or names of a header) a line has a person and an
 * item: all lines of one person, wherever they stand, are one record, and its items in their order.
 *
 * Rejected: a line over LETHE_RECORD_MAX, a NUL, a second TAB, an empty ID, an empty item (two
 * spaces, or one where the first item should be), a CR inside.  Such lines are counted and named by
 * file, line, column (the byte, from 1; 0: the whole line) and cause, the first three of a kind in
 * a file, then how many more.  LETHE_EINPUT: the first of them with reading->strict; more than a
 * tenth of all lines, or all of one file, rejected; a file without any line.  Invalid UTF-8 becomes
 * U+FFFD, is counted, and is no fault. */
LETHE_MUST_CHECK lethe_err lethe_records_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                                              const lethe_read_options *reading,
                                              lethe_records **out);
LETHE_MUST_CHECK lethe_err lethe_records_memory(lethe_ctx *ctx, lethe_str bytes, bool strict,
                                                lethe_records **out);
/* The same files when their bytes are in memory already, as UTF-8; `names` are for messages. */
LETHE_MUST_CHECK lethe_err lethe_records_texts(lethe_ctx *ctx, const char *const *names,
                                               const lethe_str *texts, size_t n,
                                               const lethe_read_options *reading,
                                               lethe_records **out);

/* How much there is of them, with the tree they are bound to (NULL: none). */
lethe_sizes lethe_records_sizes(const lethe_records *r, const lethe_tree *t);
/* Of records bound to `t`: the nodes at or above an item of a record, each once for each record.
 * Without records (NULL: they are still being read) a guess from `s`: an item and the root at
 * least, or what can be expected of a taxonomy. */
uint64_t lethe_records_path_nodes(const lethe_records *r, const lethe_tree *t,
                                  const lethe_sizes *s);

/* Makes records by hand (from a file, in tests).  Records are added in their order.  Failures are
 * LETHE_ENOMEM, also at more than 2^32 - 2 persons; neither is reported here. */
typedef struct lethe_records_builder lethe_records_builder;
lethe_records_builder *lethe_records_builder_new(void);    /* NULL: no memory */
void lethe_records_builder_free(lethe_records_builder *b); /* NULL is fine */
/* `id`: NULL for a person of its own. */
LETHE_MUST_CHECK lethe_err lethe_records_begin(lethe_records_builder *b, const lethe_str *id,
                                               uint64_t origin);
/* One more item of the record last begun. */
LETHE_MUST_CHECK lethe_err lethe_records_item(lethe_records_builder *b, lethe_str item);
lethe_sizes lethe_records_so_far(const lethe_records_builder *b);
/* The records, with counts of zero.  The builder is used up, in any case, and still to be freed. */
LETHE_MUST_CHECK lethe_err lethe_records_build(lethe_records_builder *b, lethe_records **out);

/* Items that the list has (model/sensitive.h) become marks, before binding: `in` is changed in
 * place, and stays the caller's.  Marks are numbered in the order of their names' bytes.  What the
 * list has and no record does is counted in a warning, or LETHE_EINPUT with `strict`: a list that
 * is not spelled as the records are protects nothing.  On failure `in` is to be freed only. */
LETHE_MUST_CHECK lethe_err lethe_records_mark(lethe_ctx *ctx, lethe_records *in,
                                              const lethe_sensitive *list, bool strict);

/* Bound records become sets: the items and the marks of each distinct and ascending.  With
 * `by_person` the records of one owner become one, in the place of the first, with its origin and
 * the sum of their lines.  `in` is used up, on failure too.  Reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_records_sets(lethe_ctx *ctx, lethe_records *in, bool by_person,
                                              lethe_records **out);

/* Marks become items again, for comparisons: leaves of a tree with a root of its own, below which
 * stand the root of `t` and behind it the marks.  So node v of `t` is v + 1, mark m is
 * t->n + 1 + m, and nothing of `t` is above a mark.  A leaf of `t` that is called as a mark is,
 * which no item is, gets a name there that no item can have, and so has the root.  Items of a
 * record come first, then its marks; `marks` and `mark` stay.  `in` is used up, on failure too; `t`
 * is borrowed.  Without marks *out is `in`, and *tree NULL.  Reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_records_unmark(lethe_ctx *ctx, lethe_records *in,
                                                const lethe_tree *t, lethe_records **out,
                                                lethe_tree **tree);

static inline uint64_t lethe_record_marks(const lethe_records *r, size_t i)
{
    return r->marks ? r->mark_start[i + 1] - r->mark_start[i] : 0;
}

/* Items become leaves of a tree: `in` with item[] nodes of the tree, and `in` itself is used up, on
 * failure too.  An item that the tree lacks is dropped and counted in `unknown`, the first three
 * named in a warning with how many there are, or LETHE_EINPUT with `strict`; one that is an inner
 * node gets a leaf of its own, and *grown is then the tree to go on with, to be freed by the caller
 * (else NULL, and `t` is the tree).  Records keep their order and their items' order; one may have
 * no item left.  Messages name items by their place; their text is the message's content. */
LETHE_MUST_CHECK lethe_err lethe_records_bind(lethe_ctx *ctx, lethe_records *in,
                                              const lethe_tree *t, bool strict, lethe_records **out,
                                              lethe_tree **grown);

#endif
