/* SPDX-License-Identifier: Apache-2.0 */
/* How messages write options for those who type them with dashes, in JSON or as keywords. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "core/message.h"

static const struct {
    const char *text, *quoted, *keywords, *option;
} cases[] = {
    {"--min-urls needs a value", "'min-urls' needs a value", "min_urls= needs a value", "min-urls"},
    {"-k 1 protects nobody: use -k 2 or more, or --h below 1",
     "'k' 1 protects nobody: use 'k' 2 or more, or 'h' below 1",
     "k= 1 protects nobody: use k= 2 or more, or h= below 1", "k"},
    {"the key (--key-file) is too short", "the key ('key-file') is too short",
     "the key (key_file=) is too short", "key-file"},
    {"give --results, --truth", "give 'results', 'truth'", "give results=, truth=", "results"},
    {"-t: 'x' is not a whole number", "'t': 'x' is not a whole number",
     "t: 'x' is not a whole number", "t"},
    // what is no option: numbers, ranges, standard input, what came from outside
    {"-1 is below 0", NULL, NULL, ""},
    {"10-20 is a range", NULL, NULL, ""},
    {"use -o - for standard output", "use 'o' - for standard output",
     "use o= - for standard output", "o"},
    {"cannot open '--force'", NULL, NULL, ""},
    {"a well-known text -- nothing", NULL, NULL, ""},
    {"", NULL, NULL, ""},
    {"--", NULL, NULL, ""},
    {"ends with --t", "ends with 't'", "ends with t=", "t"},
};

static void written(const char *text, lethe_option_style style, const char *want,
                    const char *option)
{
    char out[LETHE_MESSAGE_BYTES], name[LETHE_OPTION_BYTES];
    lethe_message_options(text, style, out, name);
    assert_string_equal(out, want ? want : text);
    assert_string_equal(name, option);
}

static void options_are_written_as_the_caller_types_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        written(cases[i].text, LETHE_OPTIONS_DASHED, NULL, cases[i].option);
        written(cases[i].text, LETHE_OPTIONS_QUOTED, cases[i].quoted, cases[i].option);
        written(cases[i].text, LETHE_OPTIONS_KEYWORDS, cases[i].keywords, cases[i].option);
    }
}

static void what_is_too_long_is_cut(void **state)
{
    (void)state;
    static char text[3 * LETHE_MESSAGE_BYTES];
    char out[LETHE_MESSAGE_BYTES], option[LETHE_OPTION_BYTES];
    for (size_t n = 0; n + 8 < sizeof text; n += 8)
        memcpy(text + n, " --abcde", 8);
    for (int style = LETHE_OPTIONS_DASHED; style <= LETHE_OPTIONS_KEYWORDS; style++) {
        lethe_message_options(text, (lethe_option_style)style, out, option);
        assert_true(strlen(out) < LETHE_MESSAGE_BYTES);
        assert_true(strlen(out) > LETHE_MESSAGE_BYTES - 10);
        assert_string_equal(option, "abcde");
    }
    memset(text + 3, 'a', sizeof text - 4);
    lethe_message_options(text, LETHE_OPTIONS_QUOTED, out, option);
    assert_int_equal(strlen(option), LETHE_OPTION_BYTES - 1);
}

static void a_kept_message_needs_nothing_of_the_one_it_was(void **state)
{
    (void)state;
    char file[] = "log.tsv", text[] = "wrong", option[] = "t";
    lethe_kept_message kept;
    lethe_message m = {.severity = LETHE_ERROR,
                       .code = LETHE_EINPUT,
                       .file = file,
                       .line = 7,
                       .text = text,
                       .option = option,
                       .content = {"secret", 6}};
    lethe_message_keep(&kept, &m);
    memset(file, 'x', sizeof file - 1);
    memset(text, 'x', sizeof text - 1);
    memset(option, 'x', sizeof option - 1);
    assert_string_equal(kept.message.file, "log.tsv");
    assert_string_equal(kept.message.text, "wrong");
    assert_string_equal(kept.message.option, "t");
    assert_int_equal(kept.message.line, 7);
    assert_int_equal(kept.message.content.n, 0);
    m.file = m.option = NULL;
    lethe_message_keep(&kept, &m);
    assert_null(kept.message.file);
    assert_null(kept.message.option);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_written_as_the_caller_types_them),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(a_kept_message_needs_nothing_of_the_one_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
