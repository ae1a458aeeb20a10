/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets (keyed BLAKE2b) and streams of random numbers (ChaCha20), by libsodium; macs of many
 * short texts by blake2b.h. */
#include "core/rng.h"
#include "core/blake2b.h"
#include "core/diag.h"
#include "core/mem.h"
#include <errno.h>
#include <sodium.h>
#include <sys/random.h>

enum { KEY_BYTES = 32 };

struct lethe_secret {
    lethe_blake2b_key mac_16, mac_32; /* for macs of 16 and 32 bytes */
    uint8_t key[KEY_BYTES];
};

/* BLAKE2b's personalisation keeps what is derived apart from every mac of a text under the same
 * key: a mac of the bytes "pseudonyms" must not be the secret for pseudonyms. */
static const uint8_t for_seed[crypto_generichash_blake2b_PERSONALBYTES] = "lethe seed";
static const uint8_t for_derive[crypto_generichash_blake2b_PERSONALBYTES] = "lethe derive";
static const uint8_t for_stream[crypto_generichash_blake2b_PERSONALBYTES] = "lethe stream";

static void hash_into(uint8_t out[KEY_BYTES], const lethe_secret *s, const void *msg, size_t n,
                      const uint8_t *purpose)
{
    crypto_generichash_blake2b_salt_personal(out, KEY_BYTES, msg, n, s ? s->key : NULL,
                                             s ? KEY_BYTES : 0, NULL, purpose);
}

static void put_le64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* --- randomness of the system --- */

lethe_err lethe_random_bytes(void *out, size_t n)
{
    uint8_t *at = out;
    while (n > 0) {
        ssize_t k = getrandom(at, n, 0);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return LETHE_EIO;
        at += k;
        n -= (size_t)k;
    }
    return LETHE_OK;
}

lethe_err lethe_random_get(lethe_diag *d, void *out, size_t n)
{
    if (lethe_random_bytes(out, n) == LETHE_OK) return LETHE_OK;
    return lethe_fail(d, LETHE_EIO, "cannot get random numbers from the system");
}

/* --- secrets --- */

/* Between guard pages, and locked into memory where the system allows it. */
static lethe_err secret_new(lethe_secret **out)
{
    if (sodium_init() < 0) return LETHE_EIO;
    lethe_secret *s = lethe_alloc_allowed() ? sodium_malloc(sizeof *s) : NULL;
    if (!s) return LETHE_ENOMEM;
    *out = s;
    return LETHE_OK;
}

/* From here on nobody writes to it. */
static void secret_done(lethe_secret *s, lethe_secret **out)
{
    lethe_blake2b_key_set(&s->mac_16, s->key, 16);
    lethe_blake2b_key_set(&s->mac_32, s->key, 32);
    sodium_mprotect_readonly(s);
    *out = s;
}

lethe_err lethe_secret_random(lethe_secret **out)
{
    lethe_secret *s;
    LETHE_TRY(secret_new(&s));
    lethe_err e = lethe_random_bytes(s->key, KEY_BYTES);
    if (e == LETHE_OK)
        secret_done(s, out);
    else
        lethe_secret_free(s);
    return e;
}

lethe_err lethe_secret_from_seed(uint64_t seed, lethe_secret **out)
{
    lethe_secret *s;
    uint8_t msg[8];
    LETHE_TRY(secret_new(&s));
    put_le64(msg, seed);
    hash_into(s->key, NULL, msg, sizeof msg, for_seed);
    sodium_memzero(msg, sizeof msg);
    secret_done(s, out);
    return LETHE_OK;
}

lethe_err lethe_secret_from_bytes(const uint8_t bytes[32], lethe_secret **out)
{
    lethe_secret *s;
    LETHE_TRY(secret_new(&s));
    memcpy(s->key, bytes, KEY_BYTES);
    secret_done(s, out);
    return LETHE_OK;
}

lethe_err lethe_secret_derive(const lethe_secret *s, const char *label, lethe_secret **out)
{
    lethe_secret *d;
    LETHE_TRY(secret_new(&d));
    hash_into(d->key, s, label, strlen(label), for_derive);
    secret_done(d, out);
    return LETHE_OK;
}

void lethe_secret_free(lethe_secret *s) { sodium_free(s); }

void lethe_secret_mac(const lethe_secret *s, lethe_str msg, uint8_t *out, size_t n_out)
{
    assert(n_out >= 16 && n_out <= 64);
    if (msg.n > 0 && n_out == 16)
        lethe_blake2b_mac(&s->mac_16, msg, out, n_out);
    else if (msg.n > 0 && n_out == 32)
        lethe_blake2b_mac(&s->mac_32, msg, out, n_out);
    else
        crypto_generichash_blake2b(out, n_out, (const uint8_t *)msg.at, msg.n, s->key, KEY_BYTES);
}

void lethe_secret_mac_4(const lethe_secret *const s[4], const lethe_str msg[4], uint8_t out[4][32])
{
    const lethe_blake2b_key *const keys[] = {&s[0]->mac_32, &s[1]->mac_32, &s[2]->mac_32,
                                             &s[3]->mac_32};
    lethe_blake2b_mac_4(keys, msg, out);
}

/* --- streams --- */

/* key = BLAKE2b-256, keyed, of "stream" label 0 index; a label holds no 0, so no two pairs of label
 * and index give one message. */
lethe_rng lethe_rng_stream(const lethe_secret *s, const char *label, uint64_t index)
{
    lethe_rng r = {.used = sizeof r.bytes};
    uint8_t le[8];
    crypto_generichash_blake2b_state h;
    put_le64(le, index);
    crypto_generichash_blake2b_init_salt_personal(&h, s->key, KEY_BYTES, KEY_BYTES, NULL,
                                                  for_stream);
    crypto_generichash_blake2b_update(&h, (const uint8_t *)"stream", 6);
    crypto_generichash_blake2b_update(&h, (const uint8_t *)label, strlen(label) + 1);
    crypto_generichash_blake2b_update(&h, le, sizeof le);
    crypto_generichash_blake2b_final(&h, r.key, sizeof r.key);
    sodium_memzero(&h, sizeof h);
    return r;
}

uint64_t lethe_rng_u64(lethe_rng *r)
{
    if (r->used == sizeof r->bytes) {
        // The plain ChaCha20 keystream with nonce 0: the key is used for this stream alone.
        static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
        const uint64_t blocks_of_64 = sizeof r->bytes / 64;
        memset(r->bytes, 0, sizeof r->bytes);
        crypto_stream_chacha20_xor_ic(r->bytes, r->bytes, sizeof r->bytes, nonce,
                                      r->block * blocks_of_64, r->key);
        r->block++;
        r->used = 0;
    }
    assert(r->block > 0); // a stream of zeros: never begun, or wiped
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)r->bytes[r->used + i] << (8 * i);
    r->used += 8;
    return v;
}

/* Of the 2^64 numbers the first 2^64 mod n are left out; the rest are a multiple of n. */
uint64_t lethe_rng_below(lethe_rng *r, uint64_t n)
{
    assert(n > 0);
    uint64_t left_out = (0 - n) % n, v;
    do
        v = lethe_rng_u64(r);
    while (v < left_out);
    return v % n;
}

double lethe_rng_unit(lethe_rng *r) { return (double)(lethe_rng_u64(r) >> 11) * 0x1p-53; }
void lethe_rng_wipe(lethe_rng *r) { sodium_memzero(r, sizeof *r); }
