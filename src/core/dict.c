/* SPDX-License-Identifier: Apache-2.0 */
/* Strings to numbers by a hash table.  A slot has 8 bytes: the upper half of a hash (the tag), and
 * the string's number plus one; 0 is empty.  A string's home is given by the tag's first bits, so
 * that
 *   - a probe reads slots next to each other, and a string only where the whole tag agrees;
 *   - the table grows without hashing anything again, in one pass over both tables in order.
 * Strings stand end to end in chunks that never move, each after its length (7 bits per byte, the
 * lowest first); `segments` says where string i begins. */
#define XXH_INLINE_ALL
#include "core/dict.h"
#include "core/rng.h"
#include <sodium.h>
#include <xxhash.h>

enum {
    FIRST_BITS = 6,
    LAST_BITS = 32,
    FIRST_CHUNK = 4 << 10,
    LAST_CHUNK = 1 << 20,
    SEGMENT_BITS = 14,
    SEGMENT = 1 << SEGMENT_BITS,
    FIRST_SEGMENT = 64, /* the first one grows up to SEGMENT, for the sake of small tables */
    MAX_LENGTH_BYTES = 10,
};

struct lethe_dict {
    uint64_t *slots; /* 2^bits */
    unsigned bits;
    uint32_t n;
    bool keyed;
    lethe_hash_fn weak; /* NULL: XXH3 */
    uint64_t seed;
    uint8_t key[crypto_shorthash_KEYBYTES];

    const uint8_t ***segments;
    size_t n_segments, cap_segments;
    size_t cap_first; /* of the first segment */

    lethe_arena *strings; /* the chunks */
    uint8_t *chunk;       /* what is left of the last one */
    size_t chunk_left, chunk_bytes;
};

/* --- hashing and probing --- */

static uint32_t tag_of(const lethe_dict *d, lethe_str s)
{
    uint64_t h;
    if (d->keyed)
        crypto_shorthash((uint8_t *)&h, (const uint8_t *)s.at, s.n, d->key);
    else
        h = d->weak ? d->weak(s.at, s.n, d->seed) : XXH3_64bits_withSeed(s.at, s.n, d->seed);
    return (uint32_t)(h >> 32);
}

static size_t home_of(uint32_t tag, unsigned bits) { return tag >> (32 - bits); }

/* In a table of 2^b slots filled to 0.7 runs of slots rarely exceed 12 b: this is far beyond, so
 * that honest strings practically never lead to the slower hash. */
static size_t longest_run(unsigned bits) { return 64 + 32 * (size_t)bits; }

/* Where a probe for a string ended. */
typedef struct place {
    size_t slot;
    size_t run;  /* slots looked at before it */
    uint32_t id; /* LETHE_NONE: `slot` is empty, and free for the string */
} place;

static place probe(const lethe_dict *d, lethe_str s, uint32_t tag)
{
    size_t mask = ((size_t)1 << d->bits) - 1;
    place p = {.slot = home_of(tag, d->bits), .id = LETHE_NONE};
    for (uint64_t slot; (slot = d->slots[p.slot]) != 0; p.slot = (p.slot + 1) & mask, p.run++) {
        if (slot >> 32 != tag) continue;
        uint32_t id = (uint32_t)slot - 1;
        if (!lethe_str_eq(lethe_dict_at(d, id), s)) continue;
        p.id = id;
        break;
    }
    return p;
}

/* --- tables --- */

static uint64_t *slots_new(unsigned bits)
{
    return bits > LAST_BITS ? NULL : lethe_alloc_zero((size_t)1 << bits, sizeof(uint64_t));
}

static void slots_put(uint64_t *slots, unsigned bits, uint64_t slot)
{
    size_t mask = ((size_t)1 << bits) - 1, i = home_of((uint32_t)(slot >> 32), bits);
    while (slots[i])
        i = (i + 1) & mask;
    slots[i] = slot;
}

static void slots_take(lethe_dict *d, uint64_t *slots, unsigned bits)
{
    lethe_free(d->slots);
    d->slots = slots;
    d->bits = bits;
}

/* --- strings --- */

/* Where string `id` begins is kept here; NULL: no memory.  Segments do not move, so that nothing is
 * copied and no room stands empty as they grow in number. */
static const uint8_t **segment_place(lethe_dict *d, uint32_t id)
{
    size_t s = id >> SEGMENT_BITS, i = id & (SEGMENT - 1);
    if (s == d->cap_segments) {
        size_t cap = s + s / 4 + 4;
        const uint8_t ***all = lethe_realloc(d->segments, cap, sizeof *all);
        if (!all) return NULL;
        d->segments = all;
        d->cap_segments = cap;
    }
    if (s == 0 && i == d->cap_first) {
        size_t cap = d->cap_first ? 2 * d->cap_first : FIRST_SEGMENT;
        const uint8_t **first =
            lethe_realloc(d->n_segments ? d->segments[0] : NULL, cap, sizeof *first);
        if (!first) return NULL;
        d->segments[0] = first;
        d->cap_first = cap;
        d->n_segments = 1;
    } else if (s == d->n_segments) {
        d->segments[s] = lethe_alloc(SEGMENT, sizeof **d->segments);
        if (!d->segments[s]) return NULL;
        d->n_segments++;
    }
    return &d->segments[s][i];
}

/* Room for `n` bytes; what is left of the last chunk is given up only where that is little. */
static uint8_t *chunk_take(lethe_dict *d, size_t n)
{
    if (n > d->chunk_left) {
        if (n > d->chunk_bytes / 4) return lethe_arena_get(d->strings, n, 1);
        uint8_t *chunk = lethe_arena_get(d->strings, d->chunk_bytes, 1);
        if (!chunk) return NULL;
        d->chunk = chunk;
        d->chunk_left = d->chunk_bytes;
        if (d->chunk_bytes < LAST_CHUNK) d->chunk_bytes *= 2;
    }
    uint8_t *p = d->chunk;
    d->chunk += n;
    d->chunk_left -= n;
    return p;
}

static const uint8_t *string_store(lethe_dict *d, lethe_str s)
{
    uint8_t head[MAX_LENGTH_BYTES];
    size_t n_head = 0, rest = s.n, all;
    for (; rest >= 0x80; rest >>= 7)
        head[n_head++] = (uint8_t)(rest | 0x80);
    head[n_head++] = (uint8_t)rest;
    if (__builtin_add_overflow(n_head, s.n, &all)) return NULL;
    uint8_t *p = chunk_take(d, all);
    if (!p) return NULL;
    memcpy(p, head, n_head);
    if (s.n) memcpy(p + n_head, s.at, s.n);
    return p;
}

lethe_str lethe_dict_at(const lethe_dict *d, uint32_t id)
{
    assert(id < d->n);
    const uint8_t *p = d->segments[id >> SEGMENT_BITS][id & (SEGMENT - 1)];
    size_t n = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7)
        n |= (size_t)(*p & 0x7f) << shift;
    return (lethe_str){(const char *)p, n};
}

/* --- the dictionary --- */

lethe_dict *lethe_dict_new_with(lethe_hash_fn weak)
{
    lethe_dict *d = lethe_alloc(1, sizeof *d);
    if (!d) return NULL;
    *d = (lethe_dict){.weak = weak, .bits = FIRST_BITS, .chunk_bytes = FIRST_CHUNK};
    if (sodium_init() >= 0 && lethe_random_bytes(&d->seed, sizeof d->seed) == LETHE_OK) {
        d->slots = slots_new(d->bits);
        d->strings = lethe_arena_new();
        if (d->slots && d->strings) return d;
    }
    lethe_dict_free(d);
    return NULL;
}

lethe_dict *lethe_dict_new(void) { return lethe_dict_new_with(NULL); }

void lethe_dict_free(lethe_dict *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->n_segments; i++)
        lethe_free((void *)d->segments[i]);
    lethe_free((void *)d->segments);
    lethe_free(d->slots);
    lethe_arena_free(d->strings);
    lethe_free(d);
}

/* Makes the table fit for one more string: *p is its place, in a new table perhaps. */
static lethe_err make_room(lethe_dict *d, lethe_str s, uint32_t *tag, place *p)
{
    bool hostile = p->run > longest_run(d->bits) && !d->keyed;
    bool full = d->n >= ((size_t)1 << d->bits) / 10 * 7;
    if (!hostile && !full) return LETHE_OK;
    if (full) {
        unsigned bits = d->bits + 1;
        uint64_t *slots = slots_new(bits);
        if (!slots) return LETHE_ENOMEM;
        for (size_t i = 0; i >> d->bits == 0; i++)
            if (d->slots[i]) slots_put(slots, bits, d->slots[i]);
        slots_take(d, slots, bits);
    }
    if (hostile) {
        // Somebody chooses the strings so that they meet; under a key that he cannot know they do
        // not.
        uint64_t *slots = slots_new(d->bits);
        if (!slots) return LETHE_ENOMEM;
        if (lethe_random_bytes(d->key, sizeof d->key) != LETHE_OK) {
            lethe_free(slots);
            return LETHE_EIO;
        }
        d->keyed = true;
        for (uint32_t id = 0; id < d->n; id++)
            slots_put(slots, d->bits, (uint64_t)tag_of(d, lethe_dict_at(d, id)) << 32 | (id + 1));
        slots_take(d, slots, d->bits);
        *tag = tag_of(d, s);
    }
    *p = probe(d, s, *tag);
    return LETHE_OK;
}

/* Whatever fails, the strings and numbers that were there stay as they were. */
lethe_err lethe_dict_add(lethe_dict *d, lethe_str s, uint32_t *out)
{
    uint32_t tag = tag_of(d, s);
    place p = probe(d, s, tag);
    if (p.id == LETHE_NONE) {
        LETHE_TRY(make_room(d, s, &tag, &p));
        const uint8_t **begins = segment_place(d, d->n);
        const uint8_t *stored = begins ? string_store(d, s) : NULL;
        if (!stored) return LETHE_ENOMEM;
        *begins = stored;
        p.id = d->n++;
        d->slots[p.slot] = (uint64_t)tag << 32 | (p.id + 1);
    }
    *out = p.id;
    return LETHE_OK;
}

uint32_t lethe_dict_find(const lethe_dict *d, lethe_str s) { return probe(d, s, tag_of(d, s)).id; }
uint32_t lethe_dict_count(const lethe_dict *d) { return d->n; }
bool lethe_dict_is_keyed(const lethe_dict *d) { return d->keyed; }

size_t lethe_dict_bytes(const lethe_dict *d)
{
    size_t slots = sizeof *d->slots << d->bits;
    size_t begins = d->n_segments ? d->cap_first + (d->n_segments - 1) * SEGMENT : 0;
    return sizeof *d + slots + begins * sizeof(uint8_t *) + d->cap_segments * sizeof *d->segments +
           lethe_arena_bytes(d->strings);
}
