/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as published lines: whose pseudonym, how coarse, and what goes with a URL that is left out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/ctx.h"
#include "core/mem.h"
#include "release/publish/publish_log.h"

typedef struct desk {
    lethe_ctx *ctx;
    lethe_secret *key;
    void *publisher;
    lethe_buf line;
} desk;

/* As little memory as possible: the smallest cache of pseudonyms, which many users must share. */
static desk desk_new(lethe_publish_options how)
{
    desk d = {0};
    const lethe_line_layout layout = {.head = LETHE_LOG_HEADER, .clicks = true};
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &d.ctx), LETHE_OK);
    assert_int_equal(lethe_secret_from_seed(1, &d.key), LETHE_OK);
    assert_int_equal(lethe_log_publisher_new(d.ctx, &how, &layout, d.key, 1 << 16, &d.publisher),
                     LETHE_OK);
    return d;
}

static void desk_free(desk *d)
{
    lethe_log_publisher_free(d->publisher);
    lethe_secret_free(d->key);
    lethe_buf_free(&d->line);
    lethe_ctx_free(d->ctx);
}

/* The published line, NUL-ended; valid until the next one. */
static const char *line_of(desk *d, lethe_row row)
{
    row.owner = row.user;
    d->line.n = 0;
    assert_int_equal(lethe_log_publisher_line(d->publisher, 0, &row, &d->line), LETHE_OK);
    assert_int_equal(lethe_buf_put(&d->line, "", 1), LETHE_OK);
    return (const char *)d->line.at;
}

static lethe_row row_of(const char *user, const char *url, uint32_t rank)
{
    return (lethe_row){.user = lethe_str_of(user),
                       .query = LETHE_LIT("maps"),
                       .url = lethe_str_of(url),
                       .time = 1141207200, // 2006-03-01 10:00:00
                       .rank = rank};
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

/* Names of one length fall into the same place of the cache again and again. */
static void users_do_not_share_a_pseudonym(void **state)
{
    (void)state;
    enum { USERS = 3000 };
    static char first[USERS][17], sorted[USERS][17];
    desk d = desk_new((lethe_publish_options){0});
    for (int turn = 0; turn < 2; turn++) {
        for (int u = 0; u < USERS; u++) {
            char user[16];
            snprintf(user, sizeof user, "user%05d", u);
            const char *line = line_of(&d, row_of(user, "", LETHE_NO_RANK));
            assert_int_equal(strcspn(line, "\t"), 16);
            if (turn == 0)
                memcpy(first[u], line, 16);
            else
                assert_memory_equal(first[u], line, 16); // the same user, the same pseudonym
        }
    }
    memcpy(sorted, first, sizeof sorted);
    qsort(sorted, USERS, sizeof sorted[0], by_text);
    for (int u = 1; u < USERS; u++)
        assert_string_not_equal(sorted[u - 1], sorted[u]);
    desk_free(&d);
}

/* Names that are longer than the cache's, and those just as long. */
static void long_names_have_pseudonyms_of_their_own(void **state)
{
    (void)state;
    char seen[4][17] = {{0}};
    desk d = desk_new((lethe_publish_options){0});
    for (size_t i = 0; i < LETHE_COUNT(seen); i++) {
        char user[64];
        memset(user, 'u', sizeof user);
        user[46 + i] = '\0'; // 46 to 49 bytes
        memcpy(seen[i], line_of(&d, row_of(user, "", LETHE_NO_RANK)), 16);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(seen[j], seen[i]);
    }
    desk_free(&d);
}

static void a_rank_goes_with_its_url(void **state)
{
    (void)state;
    static const struct {
        lethe_urls urls;
        const char *url, *want; /* rank and URL as published; a rank of 3 is given */
    } table[] = {
        {LETHE_URLS_KEEP, "http://www.cdc.gov/lyme/", "\t3\thttp://www.cdc.gov/lyme/\n"},
        {LETHE_URLS_HOST, "http://www.cdc.gov/lyme/", "\t3\twww.cdc.gov\n"},
        {LETHE_URLS_HOST, "/lyme", "\t\t\n"}, // no host: left out, and the rank with it
        {LETHE_URLS_DROP, "http://www.cdc.gov/lyme/", "\t\t\n"},
        {LETHE_URLS_DROP, "", "\t\t\n"},
        {LETHE_URLS_KEEP, "", "\t3\t\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        desk d = desk_new((lethe_publish_options){.urls = table[i].urls, .keep_users = true});
        const char *line = line_of(&d, row_of("1", table[i].url, 3));
        static const char begin[] = "1\tmaps\t2006-03-01";
        assert_memory_equal(line, begin, strlen(begin));
        assert_string_equal(line + strlen(begin), table[i].want);
        assert_int_equal(lethe_log_publisher_uncut(d.publisher),
                         strcmp(table[i].url, "/lyme") == 0);
        desk_free(&d);
    }
}

/* A keyed identifier tells two URLs apart, and shows nothing of them. */
static void urls_as_identifiers(void **state)
{
    (void)state;
    char one[17] = {0}, other[17] = {0};
    desk d = desk_new((lethe_publish_options){.urls = LETHE_URLS_ID, .keep_users = true});
    const char *line = line_of(&d, row_of("1", "http://a.com/x", 3));
    assert_int_equal(sscanf(line, "1\tmaps\t2006-03-01\t3\t%16s", one), 1);
    line = line_of(&d, row_of("1", "http://a.com/y", 3));
    assert_int_equal(sscanf(line, "1\tmaps\t2006-03-01\t3\t%16s", other), 1);
    assert_int_equal(strlen(one), 16);
    assert_string_not_equal(one, other);
    desk_free(&d);
    // and a user of the same name as a URL has another pseudonym
    d = desk_new((lethe_publish_options){.urls = LETHE_URLS_ID});
    line = line_of(&d, row_of("http://a.com/x", "", LETHE_NO_RANK));
    assert_true(strncmp(line, one, 16) != 0);
    desk_free(&d);
}

static void times_are_cut_to_their_unit(void **state)
{
    (void)state;
    static const struct {
        lethe_times times;
        const char *want;
    } table[] = {{LETHE_TIMES_EXACT, "1\tmaps\t2006-03-01 10:00:00\t\t\n"},
                 {LETHE_TIMES_HOUR, "1\tmaps\t2006-03-01 10\t\t\n"},
                 {LETHE_TIMES_DAY, "1\tmaps\t2006-03-01\t\t\n"},
                 {LETHE_TIMES_DROP, "1\tmaps\t\t\t\n"}};
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        desk d = desk_new((lethe_publish_options){.times = table[i].times, .keep_users = true});
        assert_string_equal(line_of(&d, row_of("1", "", LETHE_NO_RANK)), table[i].want);
        // times that share a place of the cache: 256 units later
        lethe_row later = row_of("1", "", LETHE_NO_RANK);
        later.time += (int64_t)256 * (table[i].times == LETHE_TIMES_HOUR ? 3600 : 86400);
        assert_true(table[i].times == LETHE_TIMES_DROP ||
                    strcmp(line_of(&d, later), table[i].want) != 0);
        desk_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_do_not_share_a_pseudonym),
        cmocka_unit_test(long_names_have_pseudonyms_of_their_own),
        cmocka_unit_test(a_rank_goes_with_its_url),
        cmocka_unit_test(urls_as_identifiers),
        cmocka_unit_test(times_are_cut_to_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
