/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed logs: the form of the lines, what is sealed and opened again, what is refused and where.
 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include "sealed_harness.h"

static const lethe_sealed_form three_of_ten = {.t = 3, .n = 10};

/* --- the form --- */

static void heads_are_written_and_read(void **state)
{
    (void)state;
    static const lethe_sealed_form forms[] = {{2, 2, LETHE_SCHEME_SHAMIR, false},
                                              {3, 10, LETHE_SCHEME_SHAMIR, true},
                                              {255, 255, LETHE_SCHEME_ADDITIVE, true},
                                              {2, 255, LETHE_SCHEME_SHAMIR, false}};
    char text[LETHE_SEALED_HEAD_MAX];
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        size_t n = lethe_sealed_head(&forms[i], text);
        char *lf = memchr(text, '\n', n);
        lethe_sealed_form got;
        uint32_t line;
        assert_non_null(lf);
        assert_int_equal(text[n - 1], '\n');
        lethe_str first = {text, (size_t)(lf - text)}, second = {lf + 1, n - first.n - 2};
        assert_null(lethe_sealed_head_parse(first, second, &got, &line));
        assert_int_equal(got.t, forms[i].t);
        assert_int_equal(got.n, forms[i].n);
        assert_int_equal(got.scheme, forms[i].scheme);
        assert_int_equal(got.clicks, forms[i].clicks);
    }
    size_t n = lethe_sealed_head(&three_of_ten, text);
    assert_memory_equal(text,
                        "#lethe-sealed 1 t=3 n=10 scheme=shamir\n"
                        "AnonID\tQueryID\tShare\tBox\tQueryTime\n",
                        n);
}

static void wrong_heads_are_refused(void **state)
{
    (void)state;
#define COLS "AnonID\tQueryID\tShare\tBox\tQueryTime"
    static const struct {
        const char *first, *second;
        uint32_t line;
        const char *cause;
    } bad[] = {
        {"AnonID\tQuery", COLS, 1, "not a sealed log: the first line is not its header"},
        {"#lethe-sealed 2 t=3 n=10 scheme=shamir", COLS, 1, "a sealed log of another version"},
        {"#lethe-sealed 1 t=3 n=10", COLS, 1, "the first line does not say t, n and the scheme"},
        {"#lethe-sealed 1 t=03 n=10 scheme=shamir", COLS, 1,
         "the first line does not say t, n and the scheme"},
        {"#lethe-sealed 1 t=-3 n=10 scheme=shamir", COLS, 1,
         "the first line does not say t, n and the scheme"},
        {"#lethe-sealed 1 t=3 n=1000 scheme=shamir", COLS, 1,
         "the first line does not say t, n and the scheme"},
        {"#lethe-sealed 1 t=3 n=99999999999999999999 scheme=shamir", COLS, 1,
         "the first line does not say t, n and the scheme"},
        {"#lethe-sealed 1 n=10 t=3 scheme=shamir", COLS, 1,
         "the first line does not say t, n and the scheme"},
        {"#lethe-sealed 1 t=3 n=10 scheme=Shamir", COLS, 1,
         "the scheme is neither shamir nor additive"},
        {"#lethe-sealed 1 t=3 n=10 scheme=shamir ", COLS, 1,
         "the scheme is neither shamir nor additive"},
        {"#lethe-sealed 1 t=3 n=10 scheme=shamir\r", COLS "\r", 1,
         "the scheme is neither shamir nor additive"},
        {"#lethe-sealed 1 t=1 n=10 scheme=shamir", COLS, 1, "t is less than 2"},
        {"#lethe-sealed 1 t=3 n=256 scheme=shamir", COLS, 1, "n is more than 255"},
        {"#lethe-sealed 1 t=4 n=3 scheme=shamir", COLS, 1, "t is more than n"},
        {"#lethe-sealed 1 t=3 n=10 scheme=additive", COLS, 1,
         "n is not t, which the additive scheme requires"},
        {"#lethe-sealed 1 t=3 n=10 scheme=shamir", "", 2,
         "the columns are not those of a sealed log"},
        {"#lethe-sealed 1 t=3 n=10 scheme=shamir", COLS "\tItemRank", 2,
         "the columns are not those of a sealed log"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_sealed_form form = {0};
        uint32_t line = 0;
        const char *cause = lethe_sealed_head_parse(lethe_str_of(bad[i].first),
                                                    lethe_str_of(bad[i].second), &form, &line);
        assert_non_null(cause);
        assert_string_equal(cause, bad[i].cause);
        assert_int_equal(line, bad[i].line);
        assert_int_equal(form.t, 0);
    }
}

static void queries_are_padded_to_powers_of_two(void **state)
{
    (void)state;
    static const size_t want[][2] = {{0, 16},
                                     {1, 16},
                                     {15, 16},
                                     {16, 32},
                                     {31, 32},
                                     {32, 64},
                                     {63, 64},
                                     {127, 128},
                                     {128, 256},
                                     {1000, 1024},
                                     {(1 << 20) - 1, 1 << 20},
                                     {1 << 20, 0},
                                     {SIZE_MAX, 0}};
    for (size_t i = 0; i < LETHE_COUNT(want); i++)
        assert_int_equal(lethe_sealed_padded(want[i][0]), want[i][1]);
}

/* --- sealing --- */

/* One sealed row, parsed. */
typedef struct one {
    lethe_buf text;
    lethe_sealed_row row;
} one;

static one seal_one(const lethe_sealer *s, lethe_sealed_form form, const char *user,
                    const char *query, int64_t time)
{
    one o = {0};
    uint32_t column;
    sealed_row(&o.text, s, user, query, time, NULL);
    const char *cause =
        lethe_sealed_parse(&form, (lethe_str){(char *)o.text.at, o.text.n - 1}, &o.row, &column);
    if (cause) fail_msg("column %u: %s", column, cause);
    return o;
}

static void one_end(one *o) { lethe_buf_free(&o->text); }

/* The first t distinct shares of a query over users "0", "1", ..; false: 2000 users have fewer. */
static bool gather(const lethe_sealer *s, lethe_sealed_form form, const char *query, int64_t time,
                   lethe_shares *out, one *last)
{
    uint32_t n = 0;
    *out = (lethe_shares){0};
    for (int u = 0; u < 2000; u++) {
        char user[16];
        snprintf(user, sizeof user, "%d", u);
        one o = seal_one(s, form, user, query, time);
        if (!memchr(out->indices, (int)o.row.index, n)) {
            out->indices[n] = (uint8_t)o.row.index;
            lethe_sealed_share(&o.row, out->bytes + n * LETHE_SECRET_BYTES);
            n++;
        }
        if (n == form.t) {
            *last = o;
            return true;
        }
        one_end(&o);
    }
    return false;
}

static void what_t_share_is_opened(void **state)
{
    (void)state;
    static const lethe_sealed_form forms[] = {
        {2, 2, LETHE_SCHEME_SHAMIR, false},   {3, 10, LETHE_SCHEME_SHAMIR, false},
        {10, 10, LETHE_SCHEME_SHAMIR, false}, {20, 255, LETHE_SCHEME_SHAMIR, false},
        {2, 2, LETHE_SCHEME_ADDITIVE, false}, {5, 5, LETHE_SCHEME_ADDITIVE, false}};
    static const char *const queries[] = {"a", "fifteen letters", "sixteen letters!",
                                          "caf\xc3\xa9 hours", "numb fingers 60 single men"};
    lethe_weights *w = lethe_weights_new();
    lethe_buf buf = {0};
    for (size_t f = 0; f < LETHE_COUNT(forms); f++) {
        lethe_sealer *s = sealed_by(1, forms[f], 0);
        for (size_t q = 0; q < LETHE_COUNT(queries); q++) {
            lethe_shares shares;
            uint8_t id[16], key[32], box[64];
            one o;
            lethe_str query = {0};
            const char *cause = "unset";
            assert_true(gather(s, forms[f], queries[q], 0, &shares, &o));
            lethe_sealed_id(&o.row, id);
            lethe_sealed_box(&o.row, box);
            assert_int_equal(o.row.box_bytes, lethe_sealed_padded(strlen(queries[q])) + 16);
            assert_true(lethe_unseal_key(&forms[f], w, &shares, id, key));
            assert_int_equal(lethe_unseal_box(key, box, o.row.box_bytes, &buf, &query, &cause),
                             LETHE_OK);
            assert_null(cause);
            assert_true(lethe_str_eq(query, lethe_str_of(queries[q])));
            for (int u = 2000; u < 2040; u++) { // all other shares fit these
                char user[16];
                snprintf(user, sizeof user, "%d", u);
                one other = seal_one(s, forms[f], user, queries[q], 0);
                uint8_t bytes[32];
                lethe_sealed_share(&other.row, bytes);
                assert_true(
                    lethe_unseal_fits(&forms[f], w, &shares, (uint8_t)other.row.index, bytes));
                bytes[u % 32] ^= 0x40;
                assert_false(
                    lethe_unseal_fits(&forms[f], w, &shares, (uint8_t)other.row.index, bytes));
                one_end(&other);
            }
            // any bit of any share, of the id, of the box
            for (size_t i = 0; i < 32 * forms[f].t; i += 7) {
                uint8_t dead[32], zero[32] = {0};
                shares.bytes[i] ^= 1;
                assert_false(lethe_unseal_key(&forms[f], w, &shares, id, dead));
                assert_memory_equal(dead, zero, 32);
                shares.bytes[i] ^= 1;
            }
            for (size_t i = 0; i < o.row.box_bytes; i++) {
                box[i] ^= 0x10;
                assert_int_equal(lethe_unseal_box(key, box, o.row.box_bytes, &buf, &query, &cause),
                                 LETHE_OK);
                assert_string_equal(cause, "box does not open");
                box[i] ^= 0x10;
            }
            one_end(&o);
        }
        lethe_sealer_free(s);
    }
    lethe_buf_free(&buf);
    lethe_weights_free(w);
    lethe_sealer_free(NULL);
}

/* The key of a query, and its identifier and box, computed with libsodium directly
 * (docs/formats.md). */
static void id_and_box_are_as_laid_down(void **state)
{
    (void)state;
    lethe_sealer *s = sealed_by(9, three_of_ten, 0);
    lethe_weights *w = lethe_weights_new();
    lethe_shares shares;
    uint8_t id[16], key[32], digest[32], box[48], plain[32] = "landscapers in lilburn";
    static const uint8_t nonce[12];
    char text[128];
    one o;
    assert_true(gather(s, three_of_ten, "landscapers in lilburn", 0, &shares, &o));
    lethe_sealed_id(&o.row, id);
    assert_true(lethe_unseal_key(&three_of_ten, w, &shares, id, key));
    crypto_generichash(digest, 32, (const uint8_t *)"id", 2, key, 32);
    assert_memory_equal(digest, id, 16);
    sodium_bin2hex(text, sizeof text, digest, 16);
    assert_memory_equal(text, o.row.id.at, 32);
    plain[22] = 0x80;
    crypto_aead_chacha20poly1305_ietf_encrypt(box, NULL, plain, 32, NULL, 0, NULL, nonce, key);
    sodium_bin2base64(text, sizeof text, box, 48, sodium_base64_VARIANT_ORIGINAL);
    assert_true(lethe_str_eq(o.row.box, lethe_str_of(text)));
    one_end(&o);
    lethe_weights_free(w);
    lethe_sealer_free(s);
}

/* Texts that are not as boxes have them, under the right key: nothing of them comes out. */
static void boxes_with_other_contents_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *plain;
        size_t n;
        const char *cause;
    } bad[] = {
        {"no padding at it", 16, "box has wrong padding"},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "box has wrong padding"},
        {"abc\x81", 16, "box has wrong padding"},
        {"abc\x80", 32, "box has wrong padding"}, // more of it than must be
        {"\x80", 16, "box does not hold a query"},
        {"a\tb\x80", 16, "box does not hold a query"},
        {"a\nb\x80", 16, "box does not hold a query"},
        {"a\0b\x80", 16, "box does not hold a query"},
        {"Maps\x80", 16, "box does not hold a query"},
        {" maps\x80", 16, "box does not hold a query"},
        {"\xff\xfe\x80", 16, "box does not hold a query"},
        {"abc\x80", 16, NULL},
    };
    static const uint8_t nonce[12], key[32] = {1, 2, 3};
    lethe_buf buf = {0};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        uint8_t plain[32] = {0}, box[48];
        lethe_str query = {0};
        const char *cause = "unset";
        size_t given = i == 7 ? 4 : i == 1 ? 16 : strlen(bad[i].plain);
        memcpy(plain, bad[i].plain, given);
        crypto_aead_chacha20poly1305_ietf_encrypt(box, NULL, plain, bad[i].n, NULL, 0, NULL, nonce,
                                                  key);
        assert_int_equal(lethe_unseal_box(key, box, bad[i].n + 16, &buf, &query, &cause), LETHE_OK);
        if (!bad[i].cause) {
            assert_null(cause);
            assert_true(lethe_str_eq(query, LETHE_LIT("abc")));
            continue;
        }
        assert_non_null(cause);
        assert_string_equal(cause, bad[i].cause);
        assert_null(query.at);
    }
    lethe_buf_free(&buf);
}

static bool same(const one *a, const one *b, bool *share)
{
    *share = lethe_str_eq(a->row.share_hex, b->row.share_hex);
    return lethe_str_eq(a->row.id, b->row.id) && lethe_str_eq(a->row.box, b->row.box);
}

/* Compares one user's row of one query under two sealers. */
static void two_rows(lethe_sealer *s, lethe_sealed_form f, int64_t time, lethe_sealer *r,
                     lethe_sealed_form g, int64_t again, bool alike)
{
    one a = seal_one(s, f, "17", "maps", time), b = seal_one(r, g, "17", "maps", again);
    bool share, rest = same(&a, &b, &share);
    assert_int_equal(rest, alike);
    assert_int_equal(share, alike);
    if (!alike) {
        assert_false(lethe_str_eq(a.row.id, b.row.id));
        assert_memory_not_equal(a.row.box.at, b.row.box.at, 16);
    }
    one_end(&a);
    one_end(&b);
}

static void keys_epochs_and_parameters_have_nothing_in_common(void **state)
{
    (void)state;
    enum { DAY = 86400 };
    static const lethe_sealed_form two_of_ten = {2, 10, LETHE_SCHEME_SHAMIR, false},
                                   three_of_9 = {3, 9, LETHE_SCHEME_SHAMIR, false},
                                   three = {3, 3, LETHE_SCHEME_SHAMIR, false},
                                   sum = {3, 3, LETHE_SCHEME_ADDITIVE, false};
    lethe_sealer *s = sealed_by(1, three_of_ten, 0), *again = sealed_by(1, three_of_ten, 0),
                 *key2 = sealed_by(2, three_of_ten, 0), *daily = sealed_by(1, three_of_ten, DAY),
                 *hourly = sealed_by(1, three_of_ten, 3600), *t2 = sealed_by(1, two_of_ten, 0),
                 *n9 = sealed_by(1, three_of_9, 0), *n3 = sealed_by(1, three, 0),
                 *additive = sealed_by(1, sum, 0);
    two_rows(s, three_of_ten, 0, again, three_of_ten, 0, true);
    two_rows(s, three_of_ten, 0, s, three_of_ten, 99 * DAY, true);
    two_rows(s, three_of_ten, 0, key2, three_of_ten, 0, false);
    two_rows(s, three_of_ten, 0, daily, three_of_ten, 0, false);
    two_rows(s, three_of_ten, 0, t2, two_of_ten, 0, false);
    two_rows(s, three_of_ten, 0, n9, three_of_9, 0, false);
    two_rows(n3, three, 0, additive, sum, 0, false);
    two_rows(hourly, three_of_ten, 0, daily, three_of_ten, 0, false);
    // an epoch is floor(time / duration), before 1970 too; without a time it is none of them
    two_rows(daily, three_of_ten, 0, daily, three_of_ten, DAY - 1, true);
    two_rows(daily, three_of_ten, 0, daily, three_of_ten, DAY, false);
    two_rows(daily, three_of_ten, 0, daily, three_of_ten, -1, false);
    two_rows(daily, three_of_ten, -1, daily, three_of_ten, -DAY, true);
    two_rows(daily, three_of_ten, -1, daily, three_of_ten, -DAY - 1, false);
    two_rows(daily, three_of_ten, LETHE_NO_TIME, daily, three_of_ten, LETHE_NO_TIME, true);
    two_rows(daily, three_of_ten, LETHE_NO_TIME, daily, three_of_ten, 0, false);
    lethe_sealer *all[] = {s, again, key2, daily, hourly, t2, n9, n3, additive};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_sealer_free(all[i]);
}

/* How unevenly the indices of so many persons fall over 1..n: chi-square, n - 1 degrees. */
static double unevenness(lethe_sealed_form form, unsigned persons)
{
    lethe_sealer *s = sealed_by(3, form, 0);
    unsigned seen[256] = {0};
    lethe_buf buf = {0};
    for (unsigned u = 0; u < persons; u++) {
        char user[16];
        lethe_seal seal;
        snprintf(user, sizeof user, "u%u", u);
        assert_int_equal(lethe_seal_query(s, lethe_str_of(user), LETHE_LIT("maps"), 0, &buf, &seal),
                         LETHE_OK);
        int index = atoi(seal.share.at);
        assert_in_range(index, 1, form.n);
        seen[index]++;
    }
    double chi = 0, mean = (double)persons / form.n;
    for (uint32_t i = 1; i <= form.n; i++)
        chi += (seen[i] - mean) * (seen[i] - mean) / mean;
    lethe_buf_free(&buf);
    lethe_sealer_free(s);
    return chi;
}

/* The chance is fixed by the key, so the test is not left to luck: the limits are those of 0.1 %.
 * One byte mod 200 would have some indices come twice as often as others. */
static void indices_fall_evenly(void **state)
{
    (void)state;
    static const lethe_sealed_form many = {3, 200, LETHE_SCHEME_SHAMIR, false},
                                   sum = {2, 2, LETHE_SCHEME_ADDITIVE, false};
    assert_true(unevenness(three_of_ten, 10000) < 27.9);
    assert_true(unevenness(many, 20000) < 267);
    assert_true(unevenness(sum, 10000) < 10.9);
}

/* A person's index of a query is one, whenever it is asked, and another query's is another. */
static void indices_belong_to_person_and_query(void **state)
{
    (void)state;
    enum { USERS = 1000 };
    lethe_sealer *s = sealed_by(3, three_of_ten, 86400);
    unsigned other = 0;
    for (int u = 0; u < USERS; u++) {
        char user[16];
        snprintf(user, sizeof user, "u%d", u);
        one a = seal_one(s, three_of_ten, user, "maps", 0),
            b = seal_one(s, three_of_ten, user, "maps", 5),
            c = seal_one(s, three_of_ten, user, "n", 0);
        assert_int_equal(a.row.index, b.row.index);
        other += a.row.index != c.row.index;
        one_end(&a);
        one_end(&b);
        one_end(&c);
    }
    assert_in_range(other, USERS * 85 / 100, USERS * 95 / 100); // 9 of 10
    lethe_sealer_free(s);
}

/* "ab" asking "c" is not "a" asking "bc". */
static void person_and_query_are_kept_apart(void **state)
{
    (void)state;
    static const lethe_sealed_form form = {2, 255, LETHE_SCHEME_SHAMIR, false};
    lethe_sealer *s = sealed_by(3, form, 0);
    unsigned alike = 0;
    for (int i = 0; i < 64; i++) {
        char user[16], longer[16], query[16], shorter[16];
        snprintf(user, sizeof user, "a%dx", i);
        snprintf(longer, sizeof longer, "a%dxy", i);
        snprintf(query, sizeof query, "y%d", i);
        snprintf(shorter, sizeof shorter, "%d", i);
        one a = seal_one(s, form, user, query, 0), b = seal_one(s, form, longer, shorter, 0);
        alike += a.row.index == b.row.index;
        one_end(&a);
        one_end(&b);
    }
    assert_true(alike < 8);
    lethe_sealer_free(s);
}

static void the_longest_query_is_sealed_and_one_more_is_not(void **state)
{
    (void)state;
    enum { N = (1 << 20) - 1 };
    char *query = malloc(N + 1);
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    lethe_buf buf = {0};
    lethe_seal seal;
    memset(query, 'q', N + 1);
    assert_int_equal(lethe_seal_query(s, LETHE_LIT("1"), (lethe_str){query, N}, 0, &buf, &seal),
                     LETHE_OK);
    assert_int_equal(seal.box.n, lethe_base64_chars((1 << 20) + 16));
    assert_true(seal.box.n + 200 < LETHE_SEALED_LINE_MAX);
    assert_int_equal(lethe_seal_query(s, LETHE_LIT("1"), (lethe_str){query, N + 1}, 0, &buf, &seal),
                     LETHE_EINPUT);
    assert_int_equal(lethe_seal_query(s, LETHE_LIT("1"), (lethe_str){query, 0}, 0, &buf, &seal),
                     LETHE_EINPUT);
    // a person with a long name, and none
    assert_int_equal(lethe_seal_query(s, (lethe_str){query, N}, LETHE_LIT("a"), 0, &buf, &seal),
                     LETHE_OK);
    assert_int_equal(lethe_seal_query(s, (lethe_str){NULL, 0}, LETHE_LIT("a"), 0, &buf, &seal),
                     LETHE_OK);
    lethe_buf_free(&buf);
    lethe_sealer_free(s);
    free(query);
}

/* --- lines --- */

#define ID "0123456789abcdef0123456789abcdef"
#define HEX64 ID ID
#define BOX "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" /* 32 bytes */

static void lines_have_a_place_and_a_cause_for_every_fault(void **state)
{
    (void)state;
#define LINE(user, id, share, box, time) user "\t" id "\t" share "\t" box "\t" time
#define GOOD LINE("u", ID, "10:" HEX64, BOX, "2006-03-01")
    static const struct {
        const char *line;
        size_t n;
        bool clicks;
        uint32_t column;
        const char *cause; /* NULL: it is fine */
    } lines[] = {
#define L(text, clicks, column, cause) {text, sizeof text - 1, clicks, column, cause}
        L(GOOD, false, 0, NULL),
        L(GOOD "\t1\thttp://a.com/", true, 0, NULL),
        L(GOOD "\t\t", true, 0, NULL),
        L(LINE("u v", ID, "1:" HEX64, BOX, "2006-03-01 10"), false, 0, NULL),
        L(LINE("\xc3\xa9", ID, "9:" HEX64, BOX, "2006-03-01 10:11:12"), false, 0, NULL),
        L(LINE("u", ID, "1:" HEX64, BOX, ""), false, 0, NULL),
        L("", false, 0, "empty line"),
        L("u", false, 0, "not five columns"),
        L(GOOD "\t", false, 0, "not five columns"),
        L(GOOD, true, 0, "not seven columns"),
        L(GOOD "\t1\t2\t3", true, 0, "not seven columns"),
        L(LINE("", ID, "1:" HEX64, BOX, ""), false, 1, "no user"),
        L(LINE(" u", ID, "1:" HEX64, BOX, ""), false, 1, "space at an end of the user"),
        L(LINE("u ", ID, "1:" HEX64, BOX, ""), false, 1, "space at an end of the user"),
        L(LINE("u\0", ID, "1:" HEX64, BOX, ""), false, 1, "NUL byte"),
        L(LINE("\xff", ID, "1:" HEX64, BOX, ""), false, 1, "not UTF-8"),
        L(LINE("u", "0123", "1:" HEX64, BOX, ""), false, 2, "QueryID is not 32 hex digits"),
        L(LINE("u", ID "0", "1:" HEX64, BOX, ""), false, 2, "QueryID is not 32 hex digits"),
        L(LINE("u", "0123456789ABCDEF0123456789abcdef", "1:" HEX64, BOX, ""), false, 2,
          "QueryID is not 32 hex digits"),
        L(LINE("u", "0123456789abcdeg0123456789abcdef", "1:" HEX64, BOX, ""), false, 2,
          "QueryID is not 32 hex digits"),
        L(LINE("u", ID, "", BOX, ""), false, 3, "share without an index and a colon"),
        L(LINE("u", ID, HEX64, BOX, ""), false, 3, "share without an index and a colon"),
        L(LINE("u", ID, ":" HEX64, BOX, ""), false, 3, "share without an index and a colon"),
        L(LINE("u", ID, "0:" HEX64, BOX, ""), false, 3, "share without an index and a colon"),
        L(LINE("u", ID, "01:" HEX64, BOX, ""), false, 3, "share without an index and a colon"),
        L(LINE("u", ID, "+1:" HEX64, BOX, ""), false, 3, "share without an index and a colon"),
        L(LINE("u", ID, "4294967297:" HEX64, BOX, ""), false, 3,
          "share without an index and a colon"),
        L(LINE("u", ID, "11:" HEX64, BOX, ""), false, 3, "index of the share is not in 1 to n"),
        L(LINE("u", ID, "256:" HEX64, BOX, ""), false, 3, "index of the share is not in 1 to n"),
        L(LINE("u", ID, "1:" ID, BOX, ""), false, 3, "share is not 64 hex digits"),
        L(LINE("u", ID, "1:" HEX64 "00", BOX, ""), false, 3, "share is not 64 hex digits"),
        L(LINE("u", ID, "1: " HEX64, BOX, ""), false, 3, "share is not 64 hex digits"),
        L(LINE("u", ID, "1:" HEX64, "", ""), false, 4, "box is not base64"),
        L(LINE("u", ID, "1:" HEX64, "====", ""), false, 4, "box is not base64"),
        L(LINE("u", ID, "1:" HEX64, "A===", ""), false, 4, "box is not base64"),
        L(LINE("u", ID, "1:" HEX64, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", ""), false, 4,
          "box is not base64"),
        L(LINE("u", ID, "1:" HEX64, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=", ""), false, 4,
          "box is not base64"), // bits to spare
        L(LINE("u", ID, "1:" HEX64, "AAAAAAAAAAAAAAAAAAAA=AAAAAAAAAAAAAAAAAAAAAA=", ""), false, 4,
          "box is not base64"),
        L(LINE("u", ID, "1:" HEX64, "AAAAAAAAAAAAAAAAAAAA-AAAAAAAAAAAAAAAAAAAAAA=", ""), false, 4,
          "box is not base64"),
        L(LINE("u", ID, "1:" HEX64, "AAAA", ""), false, 4, "box has an impossible size"),
        L(LINE("u", ID, "1:" HEX64, "AAAAAAAAAAAAAAAAAAAAAA==", ""), false, 4,
          "box has an impossible size"), // a tag alone
        L(LINE("u", ID, "1:" HEX64, "AAAA" BOX, ""), false, 4, "box has an impossible size"),
        L(LINE("u", ID, "1:" HEX64, BOX, "2006-02-30"), false, 5, "not a time as published"),
        L(LINE("u", ID, "1:" HEX64, BOX, "1141171200"), false, 5, "not a time as published"),
        L(LINE("u", ID, "1:" HEX64, BOX, "2006-03-01T10:11:12"), false, 5,
          "not a time as published"),
        L(GOOD "\t-1\t", true, 6, "rank is not a whole number"),
        L(GOOD "\t007\t", true, 6, "rank is not a whole number"),
        L(GOOD "\t4294967295\t", true, 6, "rank is not a whole number"),
        L(GOOD "\t1\t\xc3", true, 7, "not UTF-8"),
        L(GOOD "\r", false, 5, "line end inside the line"),
    };
    for (size_t i = 0; i < LETHE_COUNT(lines); i++) {
        lethe_sealed_form form = three_of_ten;
        lethe_sealed_row row;
        uint32_t column = 99;
        form.clicks = lines[i].clicks;
        const char *cause =
            lethe_sealed_parse(&form, (lethe_str){lines[i].line, lines[i].n}, &row, &column);
        if ((cause == NULL) != (lines[i].cause == NULL) ||
            (cause && strcmp(cause, lines[i].cause) != 0) || column != lines[i].column)
            fail_msg("%zu: column %u, %s", i, column, cause ? cause : "fine");
    }
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    lethe_buf buf = {0};
    lethe_secret *key = NULL;
    assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
    for (uint64_t n = 1, done = 0; !done; n++) {
        lethe_sealer *s = NULL;
        lethe_seal seal;
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_sealer_new(key, &three_of_ten, 0, &s);
        if (e == LETHE_OK)
            e = lethe_seal_query(s, LETHE_LIT("1"), LETHE_LIT("maps"), 0, &buf, &seal);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        done = e == LETHE_OK;
        if (done) assert_int_equal(n, 6); // the sealer, three secrets, the buffer
        lethe_sealer_free(s);
    }
    lethe_secret_free(key);
    lethe_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_written_and_read),
        cmocka_unit_test(wrong_heads_are_refused),
        cmocka_unit_test(queries_are_padded_to_powers_of_two),
        cmocka_unit_test(what_t_share_is_opened),
        cmocka_unit_test(id_and_box_are_as_laid_down),
        cmocka_unit_test(boxes_with_other_contents_are_refused),
        cmocka_unit_test(keys_epochs_and_parameters_have_nothing_in_common),
        cmocka_unit_test(indices_fall_evenly),
        cmocka_unit_test(indices_belong_to_person_and_query),
        cmocka_unit_test(person_and_query_are_kept_apart),
        cmocka_unit_test(the_longest_query_is_sealed_and_one_more_is_not),
        cmocka_unit_test(lines_have_a_place_and_a_cause_for_every_fault),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
