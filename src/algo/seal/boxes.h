/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.h - queries into boxes with shared keys, and back.
 * Eytan Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5.2, in the form of
 * lethe-sealed(5):
 *
 *   K_q      = PRF(epoch, q), 32 bytes
 *   QueryID  = the first 16 bytes of BLAKE2b-256 keyed with K_q over "id"
 *   Box      = ChaCha20-Poly1305 (IETF) under K_q, nonce zero, of q, 0x80 and zeros
 *   index    = 1 + PRF(person, q) mod n
 *   a_j      = PRF("coef", epoch, j, q), the coefficients, or the first t - 1 summands
 *
 * PRF is keyed BLAKE2b-256 under secrets that are derived from the key for each purpose, and for
 * scheme, t, n and the length of an epoch: what one key seals with other parameters has nothing in
 * common, so that shares of two releases cannot be put together below the t of either.
 *
 * The nonce may be zero because K_q is used for one plaintext only: q itself. */
#ifndef LETHE_ALGO_SEAL_BOXES_H
#define LETHE_ALGO_SEAL_BOXES_H
#include "algo/seal/shares.h"
#include "core/mem.h"
#include "core/rng.h"
#include "model/log/sealed.h"

/* --- sealing --- */

/* The derived secrets; nothing changes in it, so that all workers use one. */
typedef struct lethe_sealer lethe_sealer;

/* `form` must be one (lethe_sealed_form_fault).  `epoch_s`: seconds of an epoch, 0: all time is
 * one. */
LETHE_MUST_CHECK lethe_err lethe_sealer_new(const lethe_secret *key, const lethe_sealed_form *form,
                                            int64_t epoch_s, lethe_sealer **out);
void lethe_sealer_free(lethe_sealer *s); /* NULL is fine */

/* What stands in the columns QueryID, Share and Box. */
typedef struct lethe_seal {
    lethe_str id, share, box;
} lethe_seal;

/* Seals one query.  `person` is who issued it, under the name that all rows of theirs have,
 * whatever is published as AnonID: a person who counts twice would open a query that t persons did
 * not issue.  `time` is that of the row as it was read, LETHE_NO_TIME for none (an epoch of its
 * own). The views live in `buf`, which is emptied first and grows to what the longest query needs.
 * LETHE_EINPUT, without a message: the query is empty, or longer than any line of a log.
 *
 * A 64-bit number mod n gives no index more than n / 2^64 of its chance too much. */
LETHE_MUST_CHECK lethe_err lethe_seal_query(const lethe_sealer *s, lethe_str person,
                                            lethe_str query, int64_t time, lethe_buf *buf,
                                            lethe_seal *out);

/* What a worker remembers of queries that were sealed last: their keys, coefficients and boxes, so
 * that these are computed once for rows that say the same.  As many as `cap_bytes` hold, within
 * bounds; wiped when freed.  NULL: no memory. */
typedef struct lethe_seal_memory lethe_seal_memory;
lethe_seal_memory *lethe_seal_memory_new(const lethe_sealer *s, size_t cap_bytes);
void lethe_seal_memory_free(lethe_seal_memory *m); /* NULL is fine */

/* As lethe_seal_query, with the same result; the views live until the next call with `m`, which
 * must be of `s`, or with `buf`. */
LETHE_MUST_CHECK lethe_err lethe_seal_remembered(const lethe_sealer *s, lethe_seal_memory *m,
                                                 lethe_str person, lethe_str query, int64_t time,
                                                 lethe_buf *buf, lethe_seal *out);

/* --- opening --- */

/* t shares of one QueryID: distinct indices, rising, and their bytes end to end. */
typedef struct lethe_shares {
    uint8_t indices[LETHE_SHARES_MAX];
    uint8_t bytes[LETHE_SHARES_MAX * LETHE_SECRET_BYTES];
} lethe_shares;

/* K_q from the shares; false: they do not give the key of that QueryID, and `key` is wiped. */
LETHE_MUST_CHECK bool lethe_unseal_key(const lethe_sealed_form *form, lethe_weights *w,
                                       const lethe_shares *shares,
                                       const uint8_t id[LETHE_SEALED_ID_BYTES],
                                       uint8_t key[LETHE_SECRET_BYTES]);
/* Is this the share with that index, as the t good ones have it? */
bool lethe_unseal_fits(const lethe_sealed_form *form, lethe_weights *w, const lethe_shares *shares,
                       uint8_t index, const uint8_t share[LETHE_SECRET_BYTES]);
/* Opens a box of n bytes, of a size that boxes have (lethe_sealed_parse).  *cause = NULL and *query
 * a view in `buf` (emptied first), or why not (static): it does not open, its padding is another,
 * it holds no query in normal form.  Fails for lack of memory alone. */
LETHE_MUST_CHECK lethe_err lethe_unseal_box(const uint8_t key[LETHE_SECRET_BYTES],
                                            const uint8_t *box, size_t n, lethe_buf *buf,
                                            lethe_str *query, const char **cause);

#endif
