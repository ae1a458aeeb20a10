/* The index that --cache keeps: written once, read after, made anew for other sources, and never
 * believed when damaged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/mem.h"
#include "lexicon/odp/odp_internal.h"
#include "odp_harness.h"

static lethe_ctx *ctx;
static said last;
static char folder[64], content[128], structure[128], cache[128];

static void write_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void copy_file(const char *from, const char *to)
{
    size_t n;
    char *bytes = bytes_of(from, &n);
    assert_non_null(bytes);
    write_file(to, bytes, n);
    free(bytes);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/lethe-cache-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(content, sizeof content, "%s/content.rdf", folder);
    snprintf(structure, sizeof structure, "%s/structure.rdf", folder);
    snprintf(cache, sizeof cache, "%s/index", folder);
    copy_file(odp_file("content.rdf"), content);
    copy_file(odp_file("structure.rdf"), structure);
    last = (said){0};
    ctx = ctx_of(1, 0, &last);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    unlink(content);
    unlink(structure);
    unlink(cache);
    return rmdir(folder); /* nothing else is left there */
}

static void assert_opens(const char *with)
{
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_odp_open(ctx, content, with, cache, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "music"), with ? "Arts/Music | Arts" : "");
    assert_string_equal(of_term(dir, "soccer"), "Sports/Soccer");
    lethe_directory_free(dir);
}

static ino_t inode(void)
{
    struct stat st;
    assert_int_equal(stat(cache, &st), 0);
    return st.st_ino;
}

static void it_is_written_once_and_read_after(void **state)
{
    (void)state;
    assert_opens(structure);
    ino_t first = inode();
    assert_opens(structure);
    assert_int_equal(inode(), first);
    assert_string_equal(last.notes, "");
}

static void what_is_read_is_what_was_built(void **state)
{
    (void)state;
    static const char *const terms[] = {"barcelona", "arts", "music", "the", "soup", "zzz", "a"};
    lethe_directory *built = NULL, *kept = NULL;
    char want[1024];
    assert_opens(structure);
    assert_int_equal(lethe_odp_open(ctx, content, structure, NULL, &built), LETHE_OK);
    assert_int_equal(lethe_odp_open(ctx, content, structure, cache, &kept), LETHE_OK);
    assert_int_equal(lethe_directory_categories(built), lethe_directory_categories(kept));
    for (size_t i = 0; i < LETHE_COUNT(terms); i++) {
        snprintf(want, sizeof want, "%s", of_term(built, terms[i]));
        assert_string_equal(of_term(kept, terms[i]), want);
    }
    lethe_directory_free(built);
    lethe_directory_free(kept);
}

static void it_is_made_anew_for_other_sources(void **state)
{
    (void)state;
    assert_opens(structure);
    assert_opens(NULL);
    assert_non_null(strstr(last.notes, "is of other files or another version: made anew"));
    last.notes[0] = '\0';
    assert_opens(NULL);
    assert_string_equal(last.notes, "");
    copy_file(odp_file("defects.rdf"), structure); /* other bytes, under the same name */
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_odp_open(ctx, content, structure, cache, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "biscuits"), "Shopping/Food&Drink");
    lethe_directory_free(dir);
    dir = NULL;
    copy_file(odp_file("defects.rdf"), content);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, cache, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "soccer"), "");
    lethe_directory_free(dir);
}

static void sources_may_be_links_but_no_pipes(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    char link[160];
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(content, link), 0);
    assert_opens(NULL);
    ino_t first = inode();
    assert_int_equal(lethe_odp_open(ctx, link, NULL, cache, &dir), LETHE_OK);
    assert_int_equal(inode(), first);
    lethe_directory_free(dir);
    dir = NULL;
    unlink(link);
    assert_int_equal(mkfifo(link, 0600), 0);
    assert_int_equal(lethe_odp_open(ctx, link, NULL, cache, &dir), LETHE_EIO);
    unlink(link);
    assert_int_equal(lethe_odp_open(ctx, link, NULL, cache, &dir), LETHE_EIO);
    assert_null(dir);
}

/* Each byte changed, and each length cut: never taken, never a fault of ours, and left alone. */
static void a_damaged_one_is_refused(void **state)
{
    (void)state;
    size_t n;
    lethe_directory *dir = NULL;
    assert_opens(structure);
    char *good = bytes_of(cache, &n), *bad = malloc(n + 1);
    assert_int_equal(lethe_odp_cache_memory(ctx, (lethe_str){good, n}, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "tunes"), "Arts/Music");
    lethe_directory_free(dir);
    dir = NULL;
    size_t from = offsetof(lethe_odp_head, content), to = offsetof(lethe_odp_head, n_bytes);
    for (size_t i = 0; i < n; i++) {
        if (i >= from && i < to) continue; /* the digests: of other sources, no damage */
        memcpy(bad, good, n);
        bad[i] = (char)(bad[i] ^ (1 << i % 8));
        assert_int_equal(lethe_odp_cache_memory(ctx, (lethe_str){bad, n}, &dir), LETHE_EINPUT);
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(lethe_odp_cache_memory(ctx, (lethe_str){good, i}, &dir), LETHE_EINPUT);
    assert_null(dir);
    memcpy(bad, good, n);
    bad[n - 1] ^= 1;
    write_file(cache, bad, n);
    assert_int_equal(lethe_odp_open(ctx, content, structure, cache, &dir), LETHE_EINPUT);
    assert_string_equal(last.file, cache);
    assert_string_equal(last.text, "damaged: its check sum is another; delete the file, and it is "
                                   "made anew");
    write_file(cache, good, n - 1);
    assert_int_equal(lethe_odp_open(ctx, content, structure, cache, &dir), LETHE_EINPUT);
    assert_string_equal(last.text,
                        "damaged: it is cut, or too long; delete the file, and it is made anew");
    memcpy(bad, good, n);
    bad[n] = 'x';
    write_file(cache, bad, n + 1);
    assert_int_equal(lethe_odp_open(ctx, content, structure, cache, &dir), LETHE_EINPUT);
    unlink(cache);
    assert_opens(structure);
    free(good);
    free(bad);
}

/* With the right check sum, so that only a look at what it says can tell. */
static lethe_err restamped(lethe_odp_head *block, lethe_directory **dir)
{
    lethe_odp_index x = lethe_odp_layout(block);
    lethe_odp_sources none = {{0}, {0}};
    lethe_odp_stamp(&x, &none);
    *dir = NULL;
    return lethe_odp_cache_memory(ctx, (lethe_str){(const char *)block, block->n_bytes}, dir);
}

static void nothing_in_it_is_believed(void **state)
{
    (void)state;
    size_t n;
    lethe_directory *dir;
    assert_opens(structure);
    char *good = bytes_of(cache, &n), *bad = malloc(n);
    lethe_odp_head *block = (lethe_odp_head *)(void *)bad;
    memcpy(bad, good, n);
    assert_int_equal(restamped(block, &dir), LETHE_OK);
    lethe_directory_free(dir);
    lethe_odp_index x = lethe_odp_layout(block);
    uint32_t n_terms = block->n_terms, n_categories = block->n_categories;
    const struct {
        uint32_t *at, value;
        const char *part;
    } wrong[] = {
        {&x.parent[0], 0, "categories"},
        {&x.parent[3], 3, "categories"},
        {&x.parent[3], n_categories, "categories"},
        {&x.name_at[0], 1, "categories"},
        {&x.name_at[2], x.name_at[1], "categories"},
        {&x.name_at[2], UINT32_MAX, "categories"},
        {&x.name_at[n_categories], 0, "categories"},
        {&x.term_at[0], 1, "terms"},
        {&x.term_at[1], 0, "terms"},
        {&x.term_at[1], UINT32_MAX, "terms"},
        {&x.term_at[n_terms], 7, "terms"},
        {&x.entry_at[1], UINT32_MAX, "entries"},
        {&x.entry_at[0], 1, "entries"},
        {&x.entry_at[1], 0, "entries"},
        {&x.entry[0], n_categories, "entries"},
        {&x.entry[0], UINT32_MAX, "entries"},
    };
    for (size_t i = 0; i < LETHE_COUNT(wrong); i++) {
        memcpy(bad, good, n);
        *wrong[i].at = wrong[i].value;
        assert_int_equal(restamped(block, &dir), LETHE_EINPUT);
        assert_non_null(strstr(last.text, wrong[i].part));
    }
    memcpy(bad, good, n); /* terms out of order, and one twice */
    x.terms[0] = '\x7f';
    assert_int_equal(restamped(block, &dir), LETHE_EINPUT);
    for (size_t i = 0; i < 4; i++) { /* a name that no path can have */
        memcpy(bad, good, n);
        x.names[3] = "/\n\0\xE9"[i];
        assert_int_equal(restamped(block, &dir), LETHE_EINPUT);
        assert_non_null(strstr(last.text, "categories"));
    }
    memcpy(bad, good, n); /* a category twice */
    for (uint32_t t = 0; t < n_terms; t++)
        if (x.entry_at[t + 1] - x.entry_at[t] == 2)
            x.entry[x.entry_at[t]] = x.entry[x.entry_at[t] + 1];
    assert_int_equal(restamped(block, &dir), LETHE_EINPUT);
    memcpy(bad, good, n);
    block->n_entries = UINT64_MAX / 4 + 1; /* times four it would be nothing */
    lethe_alloc_fail_at(0);
    assert_int_equal(lethe_odp_cache_memory(ctx, (lethe_str){bad, n}, &dir), LETHE_EINPUT);
    assert_string_equal(last.text, "damaged: its sizes do not fit; delete the file, and it is made "
                                   "anew");
    free(good);
    free(bad);
}

static void another_file_is_never_replaced(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    size_t n;
    char letter[400];
    memset(letter, 'x', sizeof letter);
    for (size_t length = 0; length <= sizeof letter; length += sizeof letter) {
        write_file(cache, letter, length);
        assert_int_equal(lethe_odp_open(ctx, content, NULL, cache, &dir), LETHE_EINPUT);
        assert_string_equal(last.text, "not an index that --cache keeps");
        char *after = bytes_of(cache, &n);
        assert_int_equal(n, length);
        free(after);
    }
    assert_int_equal(lethe_odp_open(ctx, content, NULL, content, &dir), LETHE_EINPUT);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, folder, &dir), LETHE_EIO);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, "/nowhere/at/all", &dir), LETHE_EIO);
    assert_null(dir);
}

/* A source is not to be read where it cannot be kept: here it would be found to be none. */
static void what_cannot_be_written_is_found_before_the_work(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    char link[160], nowhere[160], other[160];
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(nowhere, sizeof nowhere, "%s/no/index", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    write_file(content, "no rdf", 6);
    assert_int_equal(symlink(other, link), 0); /* it leads nowhere */
    assert_int_equal(lethe_odp_open(ctx, content, NULL, link, &dir), LETHE_EUSAGE);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, nowhere, &dir), LETHE_EIO);
    assert_int_equal(access(other, F_OK), -1);
    unlink(link);
    /* Of other sources, behind a link: read, but not replaced. */
    copy_file(odp_file("content.rdf"), content);
    assert_opens(NULL);
    size_t n, n_after;
    char *before = bytes_of(cache, &n);
    assert_int_equal(symlink(cache, link), 0);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, link, &dir), LETHE_OK);
    lethe_directory_free(dir);
    dir = NULL;
    write_file(content, "no rdf", 6);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, link, &dir), LETHE_EUSAGE);
    char *after = bytes_of(cache, &n_after);
    assert_int_equal(n, n_after);
    assert_memory_equal(before, after, n);
    free(before);
    free(after);
    unlink(link);
    assert_null(dir);
}

/* Whatever goes wrong with the sources, the kept index stays as it was, and nothing beside it. */
static void a_failure_leaves_what_is_kept(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    assert_opens(NULL);
    ino_t first = inode();
    write_file(content, "<RDF><Topic", 11);
    assert_int_equal(lethe_odp_open(ctx, content, NULL, cache, &dir), LETHE_EINPUT);
    assert_int_equal(inode(), first);
    copy_file(odp_file("content.rdf"), content);
    last.notes[0] = '\0';
    assert_opens(NULL);
    assert_string_equal(last.notes, "");
}

/* No name of a source, or of a link to it, makes it a kept index. */
static void a_source_is_never_replaced(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    char hard[160];
    size_t n, n_after;
    char *before = bytes_of(structure, &n);
    snprintf(hard, sizeof hard, "%s/hard", folder);
    assert_int_equal(link(structure, hard), 0);
    const char *const names[] = {content, structure, hard};
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        assert_int_equal(lethe_odp_open(ctx, content, structure, names[i], &dir), LETHE_EINPUT);
    unlink(hard);
    assert_int_equal(symlink(structure, hard), 0);
    assert_int_equal(lethe_odp_open(ctx, content, structure, hard, &dir), LETHE_EINPUT);
    unlink(hard);
    assert_opens(NULL); /* a kept index as a source, and as the kept index of itself */
    copy_file(cache, content);
    assert_int_equal(lethe_odp_open(ctx, content, structure, content, &dir), LETHE_EINPUT);
    assert_int_equal(lethe_odp_open(ctx, cache, NULL, cache, &dir), LETHE_EINPUT);
    char *after = bytes_of(structure, &n_after);
    assert_int_equal(n, n_after);
    assert_memory_equal(before, after, n);
    assert_null(dir);
    free(before);
    free(after);
}

/* Of another version: made anew. */
static void an_older_one_is_made_anew(void **state)
{
    (void)state;
    size_t n;
    assert_opens(NULL);
    char *bytes = bytes_of(cache, &n);
    ((lethe_odp_head *)(void *)bytes)->version++;
    write_file(cache, bytes, n);
    free(bytes);
    assert_opens(NULL);
    assert_non_null(strstr(last.notes, "made anew"));
    last.notes[0] = '\0';
    assert_opens(NULL);
    assert_string_equal(last.notes, "");
}

static void lack_of_memory_is_said_and_nothing_is_left(void **state)
{
    (void)state;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    for (int round = 0; round < 2; round++, e = LETHE_ENOMEM, n = 0) { /* writing, reading */
        while (e != LETHE_OK) {
            lethe_directory *dir = NULL;
            last.errors = 0;
            lethe_alloc_fail_at(++n);
            e = lethe_odp_open(ctx, content, structure, cache, &dir);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
            assert_true((e == LETHE_OK) == (dir != NULL));
            assert_true((e == LETHE_OK) == (last.errors == 0));
            if (round == 0 && e != LETHE_OK && access(cache, F_OK) == 0) unlink(cache);
            lethe_directory_free(dir);
        }
        assert_true(n > (round == 0 ? 40u : 5u));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_written_once_and_read_after, begin, end),
        cmocka_unit_test_setup_teardown(what_is_read_is_what_was_built, begin, end),
        cmocka_unit_test_setup_teardown(it_is_made_anew_for_other_sources, begin, end),
        cmocka_unit_test_setup_teardown(sources_may_be_links_but_no_pipes, begin, end),
        cmocka_unit_test_setup_teardown(a_damaged_one_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(nothing_in_it_is_believed, begin, end),
        cmocka_unit_test_setup_teardown(another_file_is_never_replaced, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_found_before_the_work, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_failure_leaves_what_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_source_is_never_replaced, begin, end),
        cmocka_unit_test_setup_teardown(an_older_one_is_made_anew, begin, end),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_said_and_nothing_is_left, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
