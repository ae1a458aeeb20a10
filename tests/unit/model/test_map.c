/* SPDX-License-Identifier: Apache-2.0 */
/* The first line of maps: written, read, compared with a release. */
#include "published_harness.h"
#include "model/map.h"
#include "io/write/sink.h"
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdee"

static void what_is_written_is_read(void **state)
{
    char head[LETHE_MAP_HEAD_BYTES], digest[LETHE_DIGEST_CHARS + 1];
    (void)state;
    size_t n = lethe_map_head(head, DIGEST);
    assert_string_equal(head, "# lethe map of manifest " DIGEST "\n");
    assert_true(lethe_map_head_read((lethe_str){head, n - 1}, digest));
    assert_string_equal(digest, DIGEST);
    n = lethe_map_head(head, NULL);
    assert_true(lethe_map_head_read((lethe_str){head, n - 1}, digest));
    assert_string_equal(digest, "");
}

static void other_lines_are_none(void **state)
{
    static const char upper[] = "# lethe map of manifest 0123456789ABCDEF0123456789abcdef"
                                "0123456789abcdef0123456789abcdef";
    static const char *const lines[] = {"",
                                        "1\t2",
                                        "# lethe map of manifest",
                                        "# lethe map of manifest " DIGEST "0",
                                        "# lethe map of manifest " DIGEST "\t1",
                                        "# lethe map of no release\t1",
                                        upper};
    char digest[LETHE_DIGEST_CHARS + 1];
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(lines); i++)
        assert_false(lethe_map_head_read(lethe_str_of(lines[i]), digest));
    assert_false(lethe_map_head_read((lethe_str){"# lethe map of manifest " DIGEST, 30}, digest));
}

/* The lines that are handed out, joined; "!": the map was refused. */
static const char *taken(const char *text, const char *release)
{
    static char out[256];
    lethe_lines l;
    lethe_str line;
    out[0] = '\0';
    assert_int_equal(lethe_lines_memory(&l, NULL, lethe_str_of(text)), LETHE_OK);
    while (lethe_map_next(&l, release, &line))
        snprintf(out + strlen(out), sizeof out - strlen(out), "[%.*s]", (int)line.n, line.at);
    if (lethe_lines_err(&l) != LETHE_OK) strcpy(out, "!");
    lethe_lines_close(&l);
    return out;
}

static void a_map_of_another_release_is_refused(void **state)
{
#define HEAD "# lethe map of manifest " DIGEST "\n"
    (void)state;
    assert_string_equal(taken(HEAD "1\t2\n3\t4\n", DIGEST), "[1\t2][3\t4]");
    assert_string_equal(taken(HEAD, DIGEST), "");
    assert_string_equal(taken(HEAD HEAD, DIGEST), "[# lethe map of manifest " DIGEST "]");
    assert_string_equal(taken(HEAD "1\t2\n", OTHER), "!");
    assert_string_equal(taken("# lethe map of no release\n1\t2\n", DIGEST), "!");
    assert_string_equal(taken("1\t2\n" HEAD, DIGEST), "!");
    assert_string_equal(taken("", DIGEST), "!");
    // without a release to compare with
    assert_string_equal(taken(HEAD "1\t2\n", NULL), "[1\t2]");
    assert_string_equal(taken("# lethe map of no release\n1\t2\n", NULL), "[1\t2]");
    assert_string_equal(taken("1\t2\n", NULL), "[1\t2]");
    assert_string_equal(taken("", NULL), "");
}

static void file_put(const char *dir, const char *name, const char *text, mode_t mode)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void the_map_that_was_left_is_found(void **state)
{
    char dir[] = "/tmp/lethe-test-XXXXXX", path[300], digest[LETHE_DIGEST_CHARS + 1];
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/map", dir);
    file_put(dir, ".map.lethe-aaaaaa", "# lethe map of mani", 0600);
    file_put(dir, ".map.lethe-bbbbbb", "# lethe map of manifest " OTHER "\n", 0600);
    file_put(dir, ".maps.lethe-cccccc", "# lethe map of manifest " DIGEST "\n", 0600);
    assert_null(lethe_map_left(path, DIGEST));
    file_put(dir, ".map.lethe-dddddd", "# lethe map of manifest " DIGEST "\n1\t2\n", 0600);
    char *left = lethe_map_left(path, DIGEST);
    assert_non_null(left);
    assert_string_equal(left + strlen(dir), "/.map.lethe-dddddd");
    int fd = open(left, O_RDONLY);
    assert_int_equal(lethe_map_look(fd, digest), LETHE_MAP_NAMED);
    assert_string_equal(digest, DIGEST);
    // one that a living run holds is not left
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_null(lethe_map_left(path, DIGEST));
    close(fd);
    lethe_free(left);
    snprintf(path, sizeof path, "%s/.map.lethe-aaaaaa", dir);
    fd = open(path, O_RDONLY);
    assert_int_equal(lethe_map_look(fd, digest), LETHE_MAP_UNFINISHED);
    close(fd);
    static const char *const names[] = {".map.lethe-aaaaaa", ".map.lethe-bbbbbb",
                                        ".maps.lethe-cccccc", ".map.lethe-dddddd"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(other_lines_are_none),
                                       cmocka_unit_test(a_map_of_another_release_is_refused),
                                       cmocka_unit_test(the_map_that_was_left_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
