/* SPDX-License-Identifier: Apache-2.0 */
/* dict.h - strings to dense numbers 0, 1, 2, ... in the order first seen, and back.
 * Open addressing over seeded XXH3.  A table whose probe runs grow long (an attacker chooses the
 * strings) is rebuilt with a keyed hash (SipHash from libsodium). */
#ifndef LETHE_CORE_DICT_H
#define LETHE_CORE_DICT_H
#include "core/mem.h"

#define LETHE_NONE UINT32_MAX
typedef struct lethe_dict lethe_dict;

lethe_dict *
lethe_dict_new(void); /* seeded from the system; NULL: no memory, or no random numbers */
void lethe_dict_free(lethe_dict *d);

/* The number of `s`, a new one if it is not there; the bytes are copied.  LETHE_ENOMEM, and no
 * change, also at 3 * 10^9 strings; LETHE_EIO: no random numbers for the keyed hash.  One thread at
 * a time; find and at may run in parallel while nobody adds. */
LETHE_MUST_CHECK lethe_err lethe_dict_add(lethe_dict *d, lethe_str s, uint32_t *out);
uint32_t lethe_dict_find(const lethe_dict *d, lethe_str s); /* LETHE_NONE: not there */
lethe_str lethe_dict_at(const lethe_dict *d, uint32_t id);  /* lives until the dict is freed */
uint32_t lethe_dict_count(const lethe_dict *d);
size_t lethe_dict_bytes(const lethe_dict *d);
bool lethe_dict_is_keyed(const lethe_dict *d); /* was it rebuilt with the keyed hash? */

/* For tests: a dictionary whose first hash is this one. */
typedef uint64_t (*lethe_hash_fn)(const void *p, size_t n, uint64_t seed);
lethe_dict *lethe_dict_new_with(lethe_hash_fn weak);

#endif
