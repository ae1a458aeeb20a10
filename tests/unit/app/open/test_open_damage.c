/* SPDX-License-Identifier: Apache-2.0 */
/* Opening sealed logs in which something was changed: what is damaged is named, counted and left
 * out, and what is not still opens. */
/* suite: threads */
#include "open_harness.h"
#include <sodium.h>

static void a_damaged_share_is_found_and_the_others_open(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    o->force = true;
    for (int line = 3; line <= 6; line++) { // any one of four
        maps_with(o, s, 4);
        change(o, line, 2, 9);
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), 3);
        assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 1);
        assert_string_equal(o->g.said, "share does not fit the others of its QueryID\n");
        adds_up(o);
    }
    maps_with(o, s, 6); // and any three of six
    change(o, 3, 2, 9);
    change(o, 5, 2, 10);
    change(o, 8, 2, 11);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 3);
    assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 3);
    maps_with(o, s, 3); // with no share to spare nobody can tell which one it is
    change(o, 4, 2, 9);
    unlink(o->target);
    assert_int_equal(open_text(o), LETHE_ANSWER_NO);
    assert_int_equal(damaged(o, "shares do not make the key of their QueryID"), 3);
    assert_int_equal(figure(o, "queries_closed"), 1);
    adds_up(o);
    no_target(o);
    lethe_sealer_free(s);
}

/* The same index with two values: each is tried. */
static void two_values_of_one_index(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    o->force = true;
    for (size_t at = 2; at < 10; at++) { // the damaged one sorts before or after the good one
        maps_with(o, s, 3);
        row_with(o, s, three_of_ten, "maps", 2);
        change(o, 6, 2, at);
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), 3);
        assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 1);
    }
    lethe_sealer_free(s);
}

/* Of t = 3 and n = 10 every choice of shares is tried, so whichever seven are damaged do not lock
 * what three good ones open. */
static void three_good_shares_open_whatever_the_other_seven_are(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    lethe_buf whole = {0};
    maps_with(o, s, 10);
    sealed_put(&whole, (lethe_str){(char *)o->text.at, o->text.n});
    o->force = true;
    for (int a = 3; a <= 12; a++)
        for (int b = a + 1; b <= 12; b++)
            for (int c = b + 1; c <= 12; c++) {
                o->text.n = 0;
                sealed_put(&o->text, (lethe_str){(char *)whole.at, whole.n});
                for (int line = 3; line <= 12; line++)
                    if (line != a && line != b && line != c) change(o, line, 2, 9);
                if (open_text(o) != LETHE_OK) fail_msg("lines %d, %d and %d", a, b, c);
                assert_int_equal(figure(o, "rows_opened"), 3);
                assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 7);
                adds_up(o);
            }
    lethe_buf_free(&whole);
    lethe_sealer_free(s);
}

/* A query of many rows: damaged values come before the good one in order of bytes and after it,
 * more of them than are kept, at every index; what most rows have is believed first. */
static void many_damaged_rows_do_not_lock_a_common_query(void **state)
{
    opened *o = *state;
    static const lethe_sealed_form forms[] = {{2, 2, LETHE_SCHEME_ADDITIVE, false},
                                              {3, 5, LETHE_SCHEME_SHAMIR, false}};
    o->force = true;
    for (size_t f = 0; f < LETHE_COUNT(forms); f++) {
        lethe_sealed_form form = forms[f];
        lethe_sealer *s = sealed_by(1, form, 0);
        int line = 3, n_damaged = 0;
        sealed_begin(&o->text, form);
        for (uint32_t index = 1; index <= form.n; index++)
            for (int i = 0; i < 12; i++, line++) {
                row_with(o, s, form, "maps", index);
                if (i < 2) continue;
                char *share = place_of(o, line, 2, 2); // before and after the good one
                share[0] = i % 2 ? '0' : 'f';
                share[1] = (char)('0' + i % 10);
                share[2] = share[2] == '0' ? '1' : '0';
                n_damaged++;
            }
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), line - 3 - n_damaged);
        assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), n_damaged);
        adds_up(o);
        lethe_sealer_free(s);
    }
}

/* Indices that are tried first in the order of numbers all have damaged shares, too many for all
 * choices of two to be tried; but the good ones have more rows. */
static void shares_of_most_rows_are_tried_first(void **state)
{
    opened *o = *state;
    static const lethe_sealed_form form = {2, 60, LETHE_SCHEME_SHAMIR, false};
    lethe_sealer *s = sealed_by(1, form, 0);
    sealed_begin(&o->text, form);
    for (uint32_t index = 1; index <= 50; index++) {
        row_with(o, s, form, "maps", index);
        change(o, 2 + (int)index, 2, 9);
    }
    for (uint32_t i = 0; i < 4; i++)
        row_with(o, s, form, "maps", 51 + i % 2);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 4);
    assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 50);
    adds_up(o);
    lethe_sealer_free(s);
}

/* Shares that make no key are given up after so many tries, whatever t and n are. */
static void hopeless_groups_are_given_up(void **state)
{
    opened *o = *state;
    static const lethe_sealed_form forms[] = {{2, 255, LETHE_SCHEME_SHAMIR, false},
                                              {20, 255, LETHE_SCHEME_SHAMIR, false},
                                              {200, 210, LETHE_SCHEME_SHAMIR, false},
                                              {40, 40, LETHE_SCHEME_ADDITIVE, false}};
    for (size_t f = 0; f < LETHE_COUNT(forms); f++) {
        lethe_sealed_form form = forms[f];
        lethe_sealer *s = sealed_by(1, form, 0);
        lethe_rng r = {0};
        lethe_secret *seed = NULL;
        assert_int_equal(lethe_secret_from_seed(9, &seed), LETHE_OK);
        r = lethe_rng_stream(seed, "hopeless", f);
        lethe_secret_free(seed);
        sealed_begin(&o->text, form);
        for (int i = 0; i < 1000; i++) { // four values an index and more, none of them good
            char line[300];
            int n = snprintf(line, sizeof line,
                             "u\t0123456789abcdef0123456789abcdef\t%u:%016llx%048d\t"
                             "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\t\n",
                             (unsigned)(1 + (unsigned)i % form.n),
                             (unsigned long long)lethe_rng_u64(&r), 0);
            sealed_put(&o->text, (lethe_str){line, (size_t)n});
        }
        assert_int_equal(open_text(o), LETHE_ANSWER_NO);
        assert_int_equal(damaged(o, "shares do not make the key of their QueryID"), 1000);
        assert_int_equal(figure(o, "queries_closed"), 1);
        adds_up(o);
        no_target(o);
        lethe_sealer_free(s);
    }
}

static void a_damaged_box_is_left_out(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    o->force = true;
    for (int line = 3; line <= 6; line++) {
        maps_with(o, s, 4);
        change(o, line, 3, 7);
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), 3); // its share is good
        assert_int_equal(damaged(o, "box does not open"), 1);
        adds_up(o);
    }
    maps_with(o, s, 3);
    for (int line = 3; line <= 5; line++)
        change(o, line, 3, 7);
    unlink(o->target);
    assert_int_equal(open_text(o), LETHE_ANSWER_NO);
    assert_int_equal(damaged(o, "box does not open"), 3);
    assert_int_equal(figure(o, "queries_opened"), 0);
    assert_non_null(strstr(o->g.said, "nothing to open: no query has 3 good shares and a box that "
                                      "opens\n"));
    no_target(o);
    lethe_sealer_free(s);
}

/* A row of one query put among those of another. */
static void a_row_under_another_id_is_left_out(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 3);
    row_with(o, s, three_of_ten, "secret", 7);
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    memcpy(place_of(o, 6, 1, 0), place_of(o, 3, 1, 0), LETHE_SEALED_ID_CHARS);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 3);
    assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 1);
    char *got = g_read(o->target);
    assert_null(strstr(got, "secret"));
    free(got);
    lethe_sealer_free(s);
}

/* Locks other bytes into the box of a line: who has the shares of lines 3 to 5 has the key. */
static void box_put(opened *o, int line, const char *text)
{
    lethe_weights *w = lethe_weights_new();
    lethe_shares shares = {0};
    uint8_t key[32], id[16], box[32], plain[16] = {0};
    static const uint8_t nonce[12];
    char base64[64];
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    for (int i = 0; i < 3; i++) {
        lethe_sealed_row row;
        uint32_t column;
        char *at = place_of(o, 3 + i, 0, 0);
        size_t n = (size_t)(strchr(at, '\n') - at);
        assert_null(lethe_sealed_parse(&three_of_ten, (lethe_str){at, n}, &row, &column));
        shares.indices[i] = (uint8_t)row.index;
        lethe_sealed_share(&row, shares.bytes + 32 * i);
        lethe_sealed_id(&row, id);
    }
    assert_true(lethe_unseal_key(&three_of_ten, w, &shares, id, key));
    memcpy(plain, text, strlen(text));
    crypto_aead_chacha20poly1305_ietf_encrypt(box, NULL, plain, 16, NULL, 0, NULL, nonce, key);
    sodium_bin2base64(base64, sizeof base64, box, 32, sodium_base64_VARIANT_ORIGINAL);
    memcpy(place_of(o, line, 3, 0), base64, 44);
    lethe_weights_free(w);
}

/* Two boxes that open: neither is believed. */
static void two_boxes_that_open_open_neither(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 4);
    box_put(o, 5, "other\x80");
    change(o, 6, 3, 7);
    assert_int_equal(open_text(o), LETHE_ANSWER_NO);
    assert_int_equal(damaged(o, "boxes of one QueryID hold different queries"), 3);
    assert_int_equal(damaged(o, "box does not open"), 1);
    adds_up(o);
    no_target(o);
    lethe_sealer_free(s);
}

/* No box opens, each for a reason of its own. */
static void each_box_has_its_own_cause(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 4);
    change(o, 3, 3, 7);
    box_put(o, 4, "Maps\x80");
    box_put(o, 5, "no padding at it");
    box_put(o, 6, "Maps\x80");
    assert_int_equal(open_text(o), LETHE_ANSWER_NO);
    assert_int_equal(damaged(o, "box does not open"), 1);
    assert_int_equal(damaged(o, "box does not hold a query"), 2);
    assert_int_equal(damaged(o, "box has wrong padding"), 1);
    assert_int_equal(figure(o, "queries_closed"), 1);
    adds_up(o);
    no_target(o);
    lethe_sealer_free(s);
}

static void lines_that_do_not_parse_are_counted(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 10);
    row_with(o, s, three_of_ten, "maps", 1);
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    *place_of(o, 7, 2, 20) = 'x';
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 10);
    assert_int_equal(damaged(o, "share is not 64 hex digits"), 1);
    assert_string_equal(o->g.said, "share is not 64 hex digits\n");
    adds_up(o);
    o->strict = o->force = true;
    assert_int_equal(open_text(o), LETHE_EINPUT);
    maps_with(o, s, 4); // damage that only shows when opened is no less strictly taken
    change(o, 3, 2, 9);
    assert_int_equal(open_text(o), LETHE_EINPUT);
    o->text.n -= 30; // cut short
    o->strict = false;
    assert_int_equal(open_text(o), LETHE_EINPUT);
    assert_non_null(strstr(o->g.said, "line does not end with LF"));
    lethe_sealer_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_damaged_share_is_found_and_the_others_open),
        TEST(two_values_of_one_index),
        TEST(three_good_shares_open_whatever_the_other_seven_are),
        TEST(many_damaged_rows_do_not_lock_a_common_query),
        TEST(shares_of_most_rows_are_tried_first),
        TEST(hopeless_groups_are_given_up),
        TEST(a_damaged_box_is_left_out),
        TEST(a_row_under_another_id_is_left_out),
        TEST(two_boxes_that_open_open_neither),
        TEST(each_box_has_its_own_cause),
        TEST(lines_that_do_not_parse_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
