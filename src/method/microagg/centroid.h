/* SPDX-License-Identifier: Apache-2.0 */
/* centroid.h - selects the queries that a group is published with.  A. Erola and others, "Semantic
 * microaggregation for the anonymization of query logs using the Open Directory Project", 2011,
 * section 3.3, equations (2) and (3) and Algorithm 5; departures: docs/methods.md.
 *
 * In whole numbers: nothing is decided in floating point. */
#ifndef LETHE_METHOD_MICROAGG_CENTROID_H
#define LETHE_METHOD_MICROAGG_CENTROID_H
#include "method/microagg/user_texts.h"

/* --- one member --- */

/* Equation (3), with the size of the group in place of k: queries / members, rounded half up.
 * members > 0. */
uint64_t lethe_centroid_quota(uint64_t queries, uint64_t members);

/* Expected copies of a distinct query that a member issued `times` times: `copies` for certain, and
 * one more with probability more / of.  Contrib (equation (2)) is queries / of, where `of` > 0 is
 * the number of queries of all members; times <= queries <= of. */
typedef struct lethe_centroid_copies {
    uint64_t copies, more, of;
} lethe_centroid_copies;
lethe_centroid_copies lethe_centroid_expect(uint64_t queries, uint64_t times, uint64_t of);

/* true with probability more / of (0 < more < of). */
typedef bool (*lethe_centroid_coin_fn)(void *arg, uint64_t more, uint64_t of);

/* Algorithm 5 for one member: times[i] of its i-th distinct query, most frequent first; sets
 * copies[i].  Stops at the quota, where the last query is cut off, or at the end of the list: a
 * member with few queries does not fill its quota on average.  Tosses a coin, in order, for each
 * query reached that has a fractional part.  Returns the sum of the copies.  `of`: the number of
 * queries of all members. */
uint64_t lethe_centroid_take(const uint64_t *times, size_t n, uint64_t members, uint64_t of,
                             lethe_centroid_coin_fn coin, void *arg, uint64_t *copies);

/* --- a group --- */

/* The texts that lists are drawn from: not all, and perhaps labels in their place. */
typedef struct lethe_centroid_texts {
    const lethe_user_texts *of;
    const uint32_t *published; /* of each text: what is published in its place, or LETHE_NONE for
                                  nothing; NULL: texts are published as they are */
    const uint8_t *barred;     /* of each published text: not 0 if it may be in no list */
} lethe_centroid_texts;
/* What is published in place of a text; LETHE_NONE: nothing. */
static inline uint32_t lethe_centroid_published(const lethe_centroid_texts *l, uint32_t text)
{
    return l->published ? l->published[text] : text;
}

typedef struct lethe_centroid_query {
    uint32_t published;
    uint32_t source; /* the text behind it: the user's first, if several have it in common */
    uint64_t copies; /* above 0 */
} lethe_centroid_query;

/* The list of a group, with buffers for drawing it; for one thread.  Initialise with zeros.
 * coverage.h chooses one in another way. */
typedef struct lethe_centroid {
    lethe_buf list, times, copies, drawn, published;
} lethe_centroid;
/* Algorithm 5 for all members in turn.  A member's texts that are published alike count together;
 * they are sorted by repetitions, then by first occurrence.  Copies of different members are not
 * added up.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_centroid_draw(lethe_centroid *c, const lethe_centroid_texts *l,
                                               const uint32_t *member, size_t n,
                                               lethe_centroid_coin_fn coin, void *arg);
/* A list that is chosen otherwise: cleared, put together query by query, and closed.  Does not
 * report LETHE_ENOMEM. */
void lethe_centroid_clear(lethe_centroid *c);
LETHE_MUST_CHECK lethe_err lethe_centroid_add(lethe_centroid *c, const lethe_centroid_query *q);
void lethe_centroid_close(lethe_centroid *c);
const lethe_centroid_query *lethe_centroid_list(const lethe_centroid *c, size_t *n);
bool lethe_centroid_has(const lethe_centroid *c, uint32_t published);
void lethe_centroid_free(lethe_centroid *c);

#endif
