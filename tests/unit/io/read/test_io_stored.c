/* SPDX-License-Identifier: Apache-2.0 */
/* Data in parts: read as the one file that they stand for, or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/read/parts.h"
#include "io/read/source.h"
#include "io/read/stored.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_io_stored.XXXXXX";
static int dirfd_ = -1;
static char said[512];

static void listen(void *ctx, const lethe_message *m)
{
    (void)ctx;
    snprintf(said, sizeof said, "%s", m->text);
}

static void put(const char *name, const char *text)
{
    int fd = openat(dirfd_, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void clear(void)
{
    int fd = openat(dirfd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fdopendir(fd);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (unlinkat(dirfd_, entry->d_name, 0) != 0)
            (void)unlinkat(dirfd_, entry->d_name, AT_REMOVEDIR);
    closedir(dir);
}

/* Opens `name`, which must fail so, and say so. */
static void refused(const char *name, lethe_err wanted, const char *text)
{
    lethe_diag *d = lethe_diag_new(listen, NULL);
    lethe_stored *s = NULL;
    said[0] = '\0';
    assert_int_equal(lethe_stored_open(d, dirfd_, name, &s), wanted);
    assert_null(s);
    lethe_diag_free(d);
    assert_string_equal(said, text);
}

static lethe_stored *opened(const char *name)
{
    lethe_stored *s = NULL;
    assert_int_equal(lethe_stored_open(NULL, dirfd_, name, &s), LETHE_OK);
    return s;
}

/* --- names --- */

static void names_have_five_digits(void **state)
{
    (void)state;
    static const char *const wrong[] = {"part-0000.tsv",  "part-000000.tsv", "part-0000a.tsv",
                                        "part-00000",     "part-00000.",     "Part-00000.tsv",
                                        "part-00000_tsv", "part-+0001.tsv",  "",
                                        "part-",          "xpart-00000.tsv", "part- 0001.tsv"};
    char name[LETHE_PART_NAME];
    uint32_t i = 77;
    lethe_str ext = LETHE_LIT("kept");
    lethe_part_name(7, "tsv", name);
    assert_string_equal(name, "part-00007.tsv");
    lethe_part_name(LETHE_PARTS_MAX - 1, "csv", name);
    assert_string_equal(name, "part-99999.csv");
    for (size_t k = 0; k < LETHE_COUNT(wrong); k++)
        assert_false(lethe_part_parse(lethe_str_of(wrong[k]), &i, &ext));
    assert_int_equal(i, 77);
    assert_true(lethe_str_eq(ext, LETHE_LIT("kept")));
    assert_true(lethe_part_parse(LETHE_LIT("part-00120.txt"), &i, &ext));
    assert_int_equal(i, 120);
    assert_true(lethe_str_eq(ext, LETHE_LIT("txt")));
}

static void only_data_has_parts(void **state)
{
    (void)state;
    uint32_t i = 77;
    assert_string_equal(lethe_parts_ext("data.tsv"), "tsv");
    assert_null(lethe_parts_ext("counts.tsv"));
    assert_null(lethe_parts_ext("data."));
    assert_null(lethe_parts_ext("data"));
    assert_null(lethe_parts_ext("data.much-too-long"));
    assert_false(lethe_part_of(LETHE_LIT("part-00000.tsv"), "counts.tsv", &i));
    assert_false(lethe_part_of(LETHE_LIT("part-00000.tsv"), "data.csv", &i));
    assert_false(lethe_part_of(LETHE_LIT("part-00000.tsvx"), "data.tsv", &i));
    assert_int_equal(i, 77);
    assert_true(lethe_part_of(LETHE_LIT("part-00003.tsv"), "data.tsv", &i));
    assert_int_equal(i, 3);
}

static void parts_are_counted(void **state)
{
    (void)state;
    uint32_t n = 77;
    clear();
    assert_int_equal(lethe_parts_count(NULL, dirfd_, "tsv", &n), LETHE_OK);
    assert_int_equal(n, 0);
    put("part-00001.tsv", "b\n");
    n = 77;
    assert_int_equal(lethe_parts_count(NULL, dirfd_, "tsv", &n), LETHE_EINPUT);
    assert_int_equal(n, 77);
    put("part-00000.tsv", "a\n");
    put("part-00005.csv", "of another file\n");
    put("part-x.tsv.crc", "not one\n");
    assert_int_equal(lethe_parts_count(NULL, dirfd_, "tsv", &n), LETHE_OK);
    assert_int_equal(n, 2);
    put("part-000002.tsv", "c\n");
    assert_int_equal(lethe_parts_count(NULL, dirfd_, "tsv", &n), LETHE_EINPUT);
    clear();
    put("part-99999.tsv", "a\n");
    refused("data.tsv", LETHE_EINPUT,
            "a part of the data is missing: of the numbers 0 to 99999 there are 1");
}

/* --- reading --- */

static const char whole[] = "head\nfirst line\nx\n\na longer line than that\nlast\n";

/* `whole` in parts; returns how many. */
static uint32_t parts_put(void)
{
    static const char *const parts[] = {"head\n", "first line\nx\n", "\n",
                                        "a longer line than that\nlast\n"};
    char name[LETHE_PART_NAME];
    clear();
    for (uint32_t i = 0; i < LETHE_COUNT(parts); i++) {
        lethe_part_name(i, "tsv", name);
        put(name, parts[i]);
    }
    return LETHE_COUNT(parts);
}

/* From every offset with every room, there and back. */
static void all_reads(lethe_stored *s)
{
    size_t n = strlen(whole);
    char buf[sizeof whole + 8];
    assert_int_equal(lethe_stored_size(s), n);
    assert_string_equal(lethe_stored_name(s), "data.tsv");
    for (size_t cap = 1; cap < sizeof buf; cap++) {
        for (size_t at = 0, got = 1; got > 0; at += got) {
            assert_int_equal(lethe_stored_read(NULL, s, buf, cap, at, &got), LETHE_OK);
            assert_true(got <= cap && at + got <= n && (got > 0) == (at < n));
            assert_memory_equal(buf, whole + at, got);
        }
        for (size_t at = n + 3; at-- > 0;) {
            ssize_t got = lethe_stored_pread(s, buf, cap, at);
            assert_true(got >= 0 && (got > 0) == (at < n));
            assert_memory_equal(buf, whole + LETHE_MIN(at, n), (size_t)got);
        }
    }
}

static void parts_are_read_as_the_whole(void **state)
{
    (void)state;
    clear();
    put("data.tsv", whole);
    lethe_stored *s = opened("data.tsv");
    all_reads(s);
    lethe_stored_close(s);
    (void)parts_put();
    s = opened("data.tsv");
    all_reads(s);
    lethe_stored_close(s);
    lethe_stored_close(NULL);
}

static void an_open_file_is_taken(void **state)
{
    (void)state;
    clear();
    put("other", whole);
    lethe_stored *s = NULL;
    int fd = openat(dirfd_, "other", O_RDONLY | O_CLOEXEC);
    assert_int_equal(lethe_stored_take(NULL, fd, "data.tsv", &s), LETHE_OK);
    all_reads(s);
    lethe_stored_close(s);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    fd = openat(dirfd_, ".", O_RDONLY | O_CLOEXEC);
    assert_int_equal(lethe_stored_take(NULL, fd, "data.tsv", &s), LETHE_EINPUT);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void a_source_reads_parts(void **state)
{
    (void)state;
    (void)parts_put();
    lethe_stored *s = opened("data.tsv");
    for (size_t cap = 1; cap < sizeof whole + 2; cap++) {
        lethe_source *source = NULL;
        char buf[sizeof whole + 2];
        size_t n = 0, got = 1;
        assert_int_equal(lethe_source_stored(NULL, s, &source), LETHE_OK);
        assert_int_equal(lethe_source_size(source), strlen(whole));
        while (got > 0) {
            size_t room = LETHE_MIN(cap, sizeof buf - n);
            assert_int_equal(lethe_source_read(source, buf + n, room, &got), LETHE_OK);
            n += got;
        }
        assert_int_equal(n, strlen(whole));
        assert_memory_equal(buf, whole, n);
        assert_int_equal(lethe_source_taken(source), n);
        lethe_source_close(source);
    }
    lethe_stored_close(s);
}

static void one_part_is_open_at_a_time(void **state)
{
    (void)state;
    enum { N = 300, FILES = 40 };
    struct rlimit before, few;
    char name[LETHE_PART_NAME], text[16], buf[64];
    clear();
    for (uint32_t i = 0; i < N; i++) {
        lethe_part_name(i, "txt", name);
        snprintf(text, sizeof text, "%u\n", i + 1000);
        put(name, text);
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = FILES;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    lethe_stored *s = opened("data.txt");
    for (uint64_t i = 0; i < N; i++) {
        size_t n;
        assert_int_equal(lethe_stored_read(NULL, s, buf, sizeof buf, 5 * i, &n), LETHE_OK);
        assert_int_equal(n, 5);
        assert_int_equal(atoi(buf), (int)i + 1000);
    }
    lethe_stored_close(s);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* --- what is not the whole --- */

static void what_is_not_the_whole_is_refused(void **state)
{
    (void)state;
    clear();
    refused("data.tsv", LETHE_EIO, "cannot open 'data.tsv': no such file or directory");
    refused("counts.tsv", LETHE_EIO, "cannot open 'counts.tsv': no such file or directory");
    (void)parts_put();
    refused("counts.tsv", LETHE_EIO, "cannot open 'counts.tsv': no such file or directory");
    refused("data.csv", LETHE_EIO, "cannot open 'data.csv': no such file or directory");
    put("data.tsv", whole);
    refused("data.tsv", LETHE_EINPUT,
            "'data.tsv' is beside 'part-00000.tsv': the data is one file or parts");
    (void)parts_put();
    put("part-7.tsv", "x\n");
    refused("data.tsv", LETHE_EINPUT,
            "'part-7.tsv' is not the name of a part, which has a number of five digits alone");
    (void)parts_put();
    (void)unlinkat(dirfd_, "part-00002.tsv", 0);
    refused("data.tsv", LETHE_EINPUT,
            "a part of the data is missing: of the numbers 0 to 3 there are 3");
    put("part-00002.tsv", "");
    refused("data.tsv", LETHE_EINPUT, "'part-00002.tsv' is empty: a part has at least one line");
    put("part-00002.tsv", "no end");
    refused("data.tsv", LETHE_EINPUT,
            "'part-00002.tsv' does not end in LF: no line may be in two parts");
    (void)parts_put();
    put("part-00003.tsv", "the last, without an end");
    refused("data.tsv", LETHE_EINPUT,
            "'part-00003.tsv' does not end in LF: no line may be in two parts");
}

static void only_regular_files_are_parts(void **state)
{
    (void)state;
    static const char wanted[] = "'part-00001.tsv' is not a regular file";
    (void)parts_put();
    (void)unlinkat(dirfd_, "part-00001.tsv", 0);
    assert_int_equal(symlinkat("part-00000.tsv", dirfd_, "part-00001.tsv"), 0);
    refused("data.tsv", LETHE_EINPUT, wanted);
    (void)unlinkat(dirfd_, "part-00001.tsv", 0);
    assert_int_equal(mkfifoat(dirfd_, "part-00001.tsv", 0600), 0);
    refused("data.tsv", LETHE_EINPUT, wanted);
    (void)unlinkat(dirfd_, "part-00001.tsv", 0);
    assert_int_equal(mkdirat(dirfd_, "part-00001.tsv", 0700), 0);
    refused("data.tsv", LETHE_EINPUT, wanted);
    clear();
    assert_int_equal(mkfifoat(dirfd_, "data.tsv", 0600), 0);
    refused("data.tsv", LETHE_EINPUT, "'data.tsv' is not a regular file");
}

/* A part that is changed while it is read must not make another one's bytes move. */
static void a_part_that_changes_is_a_failure(void **state)
{
    (void)state;
    static const char wanted[] = "cannot read 'part-00001.tsv': input/output error";
    lethe_diag *d = lethe_diag_new(listen, NULL);
    char buf[64];
    size_t n = 0;
    for (int how = 0; how < 5; how++) {
        (void)parts_put();
        lethe_stored *s = opened("data.tsv");
        if (how == 0) put("part-00001.tsv", "short\n");
        if (how == 1) put("part-00001.tsv", "much longer than it was before\n");
        if (how >= 2) (void)unlinkat(dirfd_, "part-00001.tsv", 0);
        if (how == 3) assert_int_equal(symlinkat("part-00000.tsv", dirfd_, "part-00001.tsv"), 0);
        if (how == 4) assert_int_equal(mkfifoat(dirfd_, "part-00001.tsv", 0600), 0);
        assert_int_equal(lethe_stored_read(d, s, buf, sizeof buf, 0, &n), LETHE_OK);
        assert_int_equal(n, 5);
        for (int twice = 0; twice < 2; twice++) {
            n = 77;
            assert_int_equal(lethe_stored_read(d, s, buf, sizeof buf, 5, &n), LETHE_EIO);
            assert_int_equal(n, 77);
            if (how < 2 || how == 4) assert_string_equal(said, wanted);
        }
        assert_int_equal(lethe_stored_read(d, s, buf, sizeof buf, 18, &n), LETHE_OK);
        lethe_stored_close(s);
    }
    (void)parts_put();
    lethe_stored *s = opened("data.tsv");
    assert_int_equal(lethe_stored_read(d, s, buf, 3, 5, &n), LETHE_OK);
    put("part-00001.tsv", "short\n"); // while it is open
    assert_int_equal(lethe_stored_read(d, s, buf, 3, 15, &n), LETHE_EIO);
    assert_string_equal(said, wanted);
    lethe_stored_close(s);
    lethe_diag_free(d);
}

static void every_failed_allocation_is_a_clean_error(void **state)
{
    (void)state;
    uint32_t n_parts = parts_put();
    for (int parts = 0; parts < 2; parts++) {
        lethe_err e = LETHE_ENOMEM;
        if (!parts) {
            clear();
            put("data.tsv", whole);
        } else
            assert_int_equal(parts_put(), n_parts);
        for (uint64_t fail_at = 1; e != LETHE_OK; fail_at++) {
            char buf[sizeof whole];
            size_t got = 1;
            lethe_stored *s = NULL;
            lethe_source *source = NULL;
            assert_true(fail_at < 100);
            lethe_alloc_fail_at(fail_at);
            e = lethe_stored_open(NULL, dirfd_, "data.tsv", &s);
            if (e == LETHE_OK) e = lethe_source_stored(NULL, s, &source);
            while (e == LETHE_OK && got > 0)
                e = lethe_source_read(source, buf, sizeof buf, &got);
            lethe_source_close(source);
            lethe_stored_close(s);
            lethe_alloc_fail_at(0);
            if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        }
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    dirfd_ = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dirfd_ < 0;
}

static int remove_folder(void **state)
{
    (void)state;
    clear();
    close(dirfd_);
    return rmdir(folder);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_five_digits),
        cmocka_unit_test(only_data_has_parts),
        cmocka_unit_test(parts_are_counted),
        cmocka_unit_test(parts_are_read_as_the_whole),
        cmocka_unit_test(an_open_file_is_taken),
        cmocka_unit_test(a_source_reads_parts),
        cmocka_unit_test(one_part_is_open_at_a_time),
        cmocka_unit_test(what_is_not_the_whole_is_refused),
        cmocka_unit_test(only_regular_files_are_parts),
        cmocka_unit_test(a_part_that_changes_is_a_failure),
        cmocka_unit_test(every_failed_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
