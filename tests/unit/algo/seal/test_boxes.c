/* SPDX-License-Identifier: Apache-2.0 */
/* How keys, coefficients and indices come from the owner's key: as another program has computed
 * them, and so that none says anything about another. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include "sealed_harness.h"
#include "seeds.h"

enum { N = LETHE_SECRET_BYTES };

/* --- the same bytes, always --- */

/* Made with hashlib.blake2b and ChaCha20Poly1305 of Python's cryptography, key 00 01 .. 1f.  Who
 * seals next year's log with last year's key must get the same QueryIDs and shares. */
static void bytes_are_as_they_always_were(void **state)
{
    (void)state;
    static const struct {
        lethe_sealed_form form;
        int64_t epoch_s;
        const char *person, *query;
        int64_t time;
        const char *id, *share, *box;
    } rows[] = {
        {{3, 10, LETHE_SCHEME_SHAMIR, false},
         0,
         "4417749",
         "numb fingers",
         0,
         "28ebb6df2eed835ef7ba4be8a921cfef",
         "8:10152f22c560bf43180b3b6e93925e029db65f64f2346e4d2115284219bbf67e",
         "iLEee8g2wjwQ1OuqqPnO8+SScFen0gy2XKHRoI84Plo="},
        {{3, 10, LETHE_SCHEME_SHAMIR, false},
         86400,
         "4417749",
         "numb fingers",
         -1,
         "69b40f15abc05479f6980841da91d406",
         "5:674139584899942b53c7d9296db695aaeba7b2a6e151918b51d8450101aae69b",
         "7OCFgu7CpH32JAFkubLCBSUFd/dTOX6U85VsUJL39a4="},
        {{5, 7, LETHE_SCHEME_SHAMIR, false},
         0,
         "4417749",
         "numb fingers",
         0,
         "cfa3f8110bdf2e41cce928652a9d251f",
         "6:df624b718324c6f1a8d53a7be6828dcd1c1cbdc42f727e8f6d86237488e5ab46",
         "N7hWwCjDmpH0Aq/eV7/9RuN3KdrK4U6j2G4wu/nRl4Q="},
        {{2, 255, LETHE_SCHEME_SHAMIR, false},
         3600,
         "Ren\xc3"
         "\xa9",
         "caf\xc3"
         "\xa9"
         " hours",
         LETHE_NO_TIME,
         "275c06fe08c4615bc7141c58ce6438f4",
         "159:27af23162cda270aa4145dfa53ba126c415533cef1e66dac18a631ab74e93670",
         "J9lG625eAoW+wL5vAPQ5D0+RyOyTUjKuK1cy65U4DIA="},
        {{3, 3, LETHE_SCHEME_ADDITIVE, false},
         0,
         "4417749",
         "landscapers in lilburn ga",
         0,
         "b1538e57e39f3ca23fe299cdd710c285",
         "2:bd870c1c6029a0841dbc89bd7151df6f40f5d23275f5b500bf98520228833387",
         "9kZcaJM4J1Fd4neOf2/6ISvxJvG0/quf9Z818orozH+7xQdXkNaAby8QF/xHjq3+"},
        {{3, 3, LETHE_SCHEME_ADDITIVE, false},
         0,
         "0",
         "landscapers in lilburn ga",
         0,
         "b1538e57e39f3ca23fe299cdd710c285",
         "3:c1edb9c2e7c5038dfb2ff5f03183a50a7026bd18f32b48aa0d98d8a89d528833",
         "9kZcaJM4J1Fd4neOf2/6ISvxJvG0/quf9Z818orozH+7xQdXkNaAby8QF/xHjq3+"},
    };
    uint8_t bytes[32];
    lethe_buf buf = {0};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        lethe_secret *key = NULL;
        lethe_sealer *s = NULL;
        lethe_seal got;
        assert_int_equal(lethe_secret_from_bytes(bytes, &key), LETHE_OK);
        assert_int_equal(lethe_sealer_new(key, &rows[i].form, rows[i].epoch_s, &s), LETHE_OK);
        assert_int_equal(lethe_seal_query(s, lethe_str_of(rows[i].person),
                                          lethe_str_of(rows[i].query), rows[i].time, &buf, &got),
                         LETHE_OK);
        assert_true(lethe_str_eq(got.id, lethe_str_of(rows[i].id)));
        assert_true(lethe_str_eq(got.share, lethe_str_of(rows[i].share)));
        assert_true(lethe_str_eq(got.box, lethe_str_of(rows[i].box)));
        lethe_sealer_free(s);
        lethe_secret_free(key);
    }
    lethe_buf_free(&buf);
}

/* --- what is behind the shares --- */

typedef struct polynomial {
    uint8_t a[3][N]; /* the key, a_1, a_2 */
} polynomial;

static const lethe_sealed_form three_of_255 = {.t = 3, .n = 255}, sum_of_3 = {3, 3, 1, false};

static uint8_t index_of(const lethe_seal *seal) { return (uint8_t)atoi(seal->share.at); }

static void share_of(const lethe_seal *seal, uint8_t out[N])
{
    const char *hex = memchr(seal->share.at, ':', seal->share.n);
    assert_int_equal(sodium_hex2bin(out, N, hex + 1, (size_t)2 * N, NULL, NULL, NULL), 0);
}

/* Three shares of distinct indices, from users "0", "1", .. */
static void gather(const lethe_sealer *s, lethe_str query, int64_t time, uint8_t x[3],
                   uint8_t y[3][N])
{
    lethe_buf buf = {0};
    for (int u = 0, n = 0; n < 3; u++) {
        char user[16];
        lethe_seal seal;
        snprintf(user, sizeof user, "%d", u);
        sealed_must(lethe_seal_query(s, lethe_str_of(user), query, time, &buf, &seal) == LETHE_OK);
        if (memchr(x, index_of(&seal), (size_t)n)) continue;
        x[n] = index_of(&seal);
        share_of(&seal, y[n++]);
    }
    lethe_buf_free(&buf);
}

/* The parabola through three points, by Newton's divided differences; minus is plus. */
static polynomial solve(const uint8_t x[3], uint8_t y[3][N])
{
    polynomial p;
    for (size_t i = 0; i < N; i++) {
        uint8_t d01 = lethe_gf256_mul(y[0][i] ^ y[1][i], lethe_gf256_inv(x[0] ^ x[1])),
                d12 = lethe_gf256_mul(y[1][i] ^ y[2][i], lethe_gf256_inv(x[1] ^ x[2])),
                d = lethe_gf256_mul(d01 ^ d12, lethe_gf256_inv(x[0] ^ x[2]));
        p.a[2][i] = d;
        p.a[1][i] = d01 ^ lethe_gf256_mul(d, x[0] ^ x[1]);
        p.a[0][i] = y[0][i] ^ lethe_gf256_mul(p.a[1][i], x[0]) ^
                    lethe_gf256_mul(d, lethe_gf256_mul(x[0], x[0]));
    }
    return p;
}

static polynomial behind(const lethe_sealer *s, lethe_str query, int64_t time)
{
    uint8_t x[3] = {0}, y[3][N];
    gather(s, query, time, x, y);
    return solve(x, y);
}

/* Keys and coefficients of several keys, epochs and queries, and summands of the additive scheme:
 * no two are equal.  Were a coefficient the same in two epochs, two shares of one index would give
 * the difference of the keys; were a_1 and a_2 the same, two shares would do for three. */
static void no_two_coefficients_are_alike(void **state)
{
    (void)state;
    enum { DAY = 86400 };
    static const int64_t times[] = {0, DAY, -1, LETHE_NO_TIME};
    static const char *const queries[] = {"maps", "map", "numb fingers"};
    static uint8_t all[200][N];
    size_t n = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        lethe_sealer *s = sealed_by(seed, three_of_255, DAY), *sum = sealed_by(seed, sum_of_3, DAY);
        for (size_t k = 0; k < LETHE_COUNT(times) * LETHE_COUNT(queries); k++) {
            lethe_str query = lethe_str_of(queries[k % LETHE_COUNT(queries)]);
            polynomial p = behind(s, query, times[k / LETHE_COUNT(queries)]);
            uint8_t x[3] = {0}, y[3][N];
            memcpy(all[n], p.a, sizeof p.a);
            gather(sum, query, times[k / LETHE_COUNT(queries)], x, y);
            memcpy(all[n + 3], y, sizeof y);
            n += 6;
        }
        lethe_sealer_free(s);
        lethe_sealer_free(sum);
    }
    assert_int_equal(n, 144);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(all[i], all[k], N);
}

/* The three purposes have secrets of their own.  The texts are made so that, under one secret, two
 * of them would be the same bytes: epoch, number and query; length, person and query. */
static void purposes_are_kept_apart(void **state)
{
    (void)state;
    static const char person[] = "\0\0\0\1x"; // what stands there for a_1 of a query "x.."
    enum { LENGTH = sizeof person - 1, TRIALS = 40 };
    lethe_sealer *s = sealed_by(6, three_of_255, 1);
    lethe_buf buf = {0};
    unsigned as_key = 0, as_coefficient = 0;
    for (int i = 0; i < TRIALS; i++) {
        char query[16], longer[16 + LENGTH] = {0};
        lethe_seal seal;
        size_t n = (size_t)snprintf(query, sizeof query, "q%d", i);
        memcpy(longer, person, LENGTH);
        memcpy(longer + LENGTH, query, n);
        // in second LENGTH: key of "\0\0\0\1xq..", a_1 of "xq.."; the index of the person
        polynomial key = behind(s, (lethe_str){longer, LENGTH + n}, LENGTH),
                   coefficient = behind(s, (lethe_str){longer + 4, LENGTH - 4 + n}, LENGTH);
        assert_memory_not_equal(key.a[0], coefficient.a[1], N);
        sealed_must(lethe_seal_query(s, (lethe_str){person, LENGTH}, (lethe_str){query, n}, 0, &buf,
                                     &seal) == LETHE_OK);
        as_key += index_of(&seal) == 1 + lethe_be64_get(key.a[0]) % 255;
        as_coefficient += index_of(&seal) == 1 + lethe_be64_get(coefficient.a[1]) % 255;
    }
    assert_true(as_key < 3);
    assert_true(as_coefficient < 3);
    lethe_buf_free(&buf);
    lethe_sealer_free(s);
}

/* --- what is remembered --- */

static uint64_t draw(uint64_t *state) /* SplitMix64 */
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void seal_is(lethe_seal a, lethe_seal b)
{
    assert_true(lethe_str_eq(a.id, b.id));
    assert_true(lethe_str_eq(a.share, b.share));
    assert_true(lethe_str_eq(a.box, b.box));
}

/* Queries and persons that come again, in rows of all lengths about the edges of what has a place,
 * with more queries than places: each row as if it were the first. */
static void rows_are_sealed_as_if_nothing_were_remembered(void **state)
{
    (void)state;
    static const lethe_sealed_form forms[] = {{.t = 2, .n = 3},
                                              {.t = 3, .n = 10},
                                              {5, 5, LETHE_SCHEME_ADDITIVE, false},
                                              {.t = 40, .n = 255}};
    for (uint64_t seed = 1; seed <= seeds(32); seed++) {
        uint64_t random = seed;
        int64_t epoch_s = seed % 2 ? 0 : 10;
        lethe_sealer *s = sealed_by(seed, forms[seed % LETHE_COUNT(forms)], epoch_s);
        lethe_seal_memory *m = lethe_seal_memory_new(s, 0);
        lethe_buf a = {0}, b = {0};
        assert_non_null(m);
        for (int i = 0; i < 400; i++) {
            char query[80], person[80];
            uint64_t id = draw(&random) % (draw(&random) % 2 ? 5 : 300);
            size_t n = 1 + (size_t)(id % 5 < 3 ? id % 9 : 55 + id % 20);
            memset(query, 'a' + (char)(id % 7), sizeof query);
            snprintf(query, sizeof query, "%d", (int)id);
            query[strlen(query)] = 'x';
            int long_name = i % 3 ? 0 : 54 + (int)(draw(&random) % 4);
            snprintf(person, sizeof person, "%0*d", long_name, (int)(draw(&random) % 4));
            int64_t time = (int64_t)(draw(&random) % 40) - 20;
            lethe_seal want, got;
            lethe_str text = {query, n};
            assert_int_equal(lethe_seal_query(s, lethe_str_of(person), text, time, &a, &want),
                             LETHE_OK);
            for (int again = 0; again < 1 + i % 2; again++) {
                assert_int_equal(
                    lethe_seal_remembered(s, m, lethe_str_of(person), text, time, &b, &got),
                    LETHE_OK);
                seal_is(got, want);
            }
        }
        lethe_buf_free(&a);
        lethe_buf_free(&b);
        lethe_seal_memory_free(m);
        lethe_sealer_free(s);
    }
}

/* One query in many more epochs than there are places, there and back: an epoch never gets the box
 * or the share of another that was on its place. */
static void epochs_are_kept_apart_in_memory(void **state)
{
    (void)state;
    enum { EPOCHS = 1500, SECONDS = 10 };
    lethe_sealer *s = sealed_by(1, (lethe_sealed_form){.t = 2, .n = 3}, SECONDS);
    lethe_seal_memory *m = lethe_seal_memory_new(s, 0);
    lethe_buf a = {0}, b = {0};
    lethe_str person = LETHE_LIT("p"), text = LETHE_LIT("query");
    assert_non_null(m);
    for (int64_t i = 0; i < 2 * EPOCHS; i++) {
        int64_t time = SECONDS * (i < EPOCHS ? i : 2 * EPOCHS - i);
        lethe_seal want, got;
        assert_int_equal(lethe_seal_query(s, person, text, time, &a, &want), LETHE_OK);
        assert_int_equal(lethe_seal_remembered(s, m, person, text, time, &b, &got), LETHE_OK);
        seal_is(got, want);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
    lethe_seal_memory_free(m);
    lethe_sealer_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_they_always_were),
        cmocka_unit_test(no_two_coefficients_are_alike),
        cmocka_unit_test(purposes_are_kept_apart),
        cmocka_unit_test(rows_are_sealed_as_if_nothing_were_remembered),
        cmocka_unit_test(epochs_are_kept_apart_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
