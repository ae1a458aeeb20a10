/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes: words lie in the text, in order, apart from each other, hold no space, and are words
 * when they stand alone. */
#include "text/pii/pii.h"
#include "text/words.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static bool is_part(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void check_alone(const lethe_word *word)
{
    lethe_words w = lethe_words_of(word->text);
    lethe_word again;
    expect(lethe_words_next(&w, &again) && lethe_str_eq(again.text, word->text));
    expect(again.mask == word->mask && !lethe_words_next(&w, &again));
}

/* What stands between two words, or about them, has no letter or digit of ASCII. */
static void check_gap(const char *from, const char *to)
{
    for (; from < to; from++)
        expect(!is_part(*from) &&
               lethe_pii_mask_at((lethe_str){from, (size_t)(to - from)}, 0) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str text = {n ? (const char *)data : "", n};
    lethe_words w = lethe_words_of(text);
    lethe_word word;
    const char *at = text.at, *end = at + n;
    uint32_t count = 0;
    for (; lethe_words_next(&w, &word); count++) {
        const char *first = word.text.at, *last = first + word.text.n - 1;
        expect(word.text.n > 0 && first >= at && last < end);
        check_gap(at, first);
        expect(!memchr(first, ' ', word.text.n) && !memchr(first, 0, word.text.n));
        expect(word.mask == (*first == '['));
        expect(word.mask || !memchr("'-.&_", *first, 5));
        expect(word.mask || !memchr("'-.&_", *last, 5));
        expect(!word.mask || lethe_pii_mask_at(text, (size_t)(first - text.at)) == word.text.n);
        check_alone(&word);
        at = last + 1;
    }
    check_gap(at, end);
    expect(lethe_words_count(text) == count);
    return 0;
}
