/* SPDX-License-Identifier: Apache-2.0 */
/* Which words are function words. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/function_words.h"
#include <stdlib.h>

/* From an allocation of its own size, so that sanitizers see a read past it. */
static bool is(const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(n + 1);
    assert_non_null(copy);
    copy = realloc(copy, n ? n : 1);
    memcpy(copy, text, n);
    bool yes = lethe_is_function_word((lethe_str){copy, n});
    free(copy);
    return yes;
}

/* Of every class, and the first and the last of the list. */
static void closed_classes_are(void **state)
{
    (void)state;
    static const char *const words[] = {
        "a",     "an",     "the",   "i",     "me",    "us",      "it",      "its",
        "his",   "this",   "who",   "what",  "how",   "someone", "nothing", "all",
        "few",   "more",   "in",    "at",    "as",    "of",      "over",    "than",
        "and",   "or",     "but",   "while", "is",    "was",     "does",    "have",
        "can",   "might",  "will",  "not",   "no",    "never",   "here",    "then",
        "don't", "what's", "whats", "i'm",   "won't", "cannot",  "youve",   "yourselves"};
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        if (!is(words[i])) fail_msg("%s", words[i]);
    assert_true(is("don\xE2\x80\x99t"));
    assert_true(is("what\xE2\x80\x99s"));
}

static void words_of_content_are_not(void **state)
{
    (void)state;
    static const char *const words[] = {"",
                                        "may",
                                        "mine",
                                        "down",
                                        "being",
                                        "one",
                                        "self",
                                        "wine",
                                        "i'",
                                        "ins",
                                        "In",
                                        "s",
                                        "n",
                                        "b",
                                        "zoo",
                                        "youves",
                                        "don t",
                                        "don\xE2\x80t",
                                        "\xE2\x80\x99",
                                        "in ",
                                        "somethingsomething",
                                        "\xE2\x80",
                                        "wh"};
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        if (is(words[i])) fail_msg("%s", words[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_classes_are),
                                       cmocka_unit_test(words_of_content_are_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
