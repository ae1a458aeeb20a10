/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed BLAKE2b, one message and four at a time, against libsodium's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include "core/blake2b.h"
#include "core/rng.h"
#include "seeds.h"

enum { LONGEST = 600 };

static uint64_t state = 1;

static uint64_t draw(void) /* SplitMix64 */
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void fill(void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] = (uint8_t)draw();
}

/* All lengths of messages over several blocks, and all of the output. */
static void one_message(void **unused)
{
    (void)unused;
    for (size_t n = 1; n <= LONGEST; n++) {
        uint8_t key[32], got[64], want[64];
        char text[LONGEST];
        size_t n_out = 16 + n % 49;
        lethe_blake2b_key k;
        fill(key, sizeof key);
        fill(text, n);
        lethe_blake2b_key_set(&k, key, n_out);
        lethe_blake2b_mac(&k, (lethe_str){text, n}, got, n_out);
        crypto_generichash_blake2b(want, n_out, (uint8_t *)text, n, key, sizeof key);
        assert_memory_equal(got, want, n_out);
    }
}

static void four_messages(void **unused)
{
    (void)unused;
    for (uint64_t round = 0; round < seeds(4000); round++) {
        uint8_t key[4][32], got[4][32], want[32];
        char text[4][LETHE_BLAKE2B_BLOCK];
        lethe_blake2b_key k[4];
        const lethe_blake2b_key *keys[4];
        lethe_str messages[4];
        for (int i = 0; i < 4; i++) {
            fill(key[i], sizeof key[i]);
            fill(text[i], sizeof text[i]);
            lethe_blake2b_key_set(&k[i], key[i], 32);
            keys[i] = &k[i];
            messages[i] = (lethe_str){text[i], 1 + draw() % LETHE_BLAKE2B_BLOCK};
        }
        lethe_blake2b_mac_4(keys, messages, got);
        for (int i = 0; i < 4; i++) {
            crypto_generichash_blake2b(want, 32, (uint8_t *)text[i], messages[i].n, key[i], 32);
            assert_memory_equal(got[i], want, 32);
        }
    }
}

/* Of a secret too, for every length of the mac and for no message at all. */
static void macs_of_a_secret(void **unused)
{
    (void)unused;
    uint8_t key[32], got[64], want[64];
    char text[LONGEST];
    lethe_secret *s = NULL;
    fill(key, sizeof key);
    fill(text, sizeof text);
    assert_int_equal(lethe_secret_from_bytes(key, &s), LETHE_OK);
    for (size_t n_out = 16; n_out <= 64; n_out++) {
        for (size_t n = 0; n <= 300; n += n < 140 ? 1 : 37) {
            lethe_secret_mac(s, (lethe_str){text, n}, got, n_out);
            crypto_generichash_blake2b(want, n_out, (uint8_t *)text, n, key, sizeof key);
            assert_memory_equal(got, want, n_out);
        }
    }
    lethe_secret_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message),
        cmocka_unit_test(four_messages),
        cmocka_unit_test(macs_of_a_secret),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
