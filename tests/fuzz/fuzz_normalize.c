/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes: the normal form is valid, normal and stable; hosts hold nothing but hosts. */
#include "text/normalize.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static void check_normal(lethe_str in)
{
    lethe_buf a = {0}, b = {0};
    lethe_str once, twice;
    bool invalid, again;
    expect(lethe_normalize(in, &a, &once, &invalid) == LETHE_OK);
    expect(lethe_normalize(once, &b, &twice, &again) == LETHE_OK);
    expect(lethe_str_eq(once, twice) && !again);
    expect(lethe_utf8_valid(once));
    expect(invalid == !lethe_utf8_valid(in));
    for (size_t i = 0; i < once.n; i++) {
        uint8_t c = (uint8_t)once.at[i];
        expect(c >= 0x20 && c != 0x7F && !(c >= 'A' && c <= 'Z'));
        expect(c != ' ' || (i > 0 && i + 1 < once.n && once.at[i - 1] != ' '));
    }
    expect((lethe_count_words(once) == 0) == (once.n == 0));
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

static void check_repair(lethe_str in)
{
    lethe_buf a = {0}, b = {0};
    lethe_str out, again;
    bool invalid, twice;
    expect(lethe_utf8_repair(in, &a, &out, &invalid) == LETHE_OK);
    expect(invalid == !lethe_utf8_valid(in) && lethe_utf8_valid(out));
    expect(invalid || out.at == in.at);
    expect(lethe_utf8_repair(out, &b, &again, &twice) == LETHE_OK && !twice);
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

static void check_host(lethe_str in)
{
    lethe_buf a = {0}, b = {0};
    lethe_str out, again;
    expect(lethe_url_host(in, &a, &out) == LETHE_OK);
    char with_slashes[256] = "//";
    expect(out.n <= 253 && lethe_is_host(out) == (out.n > 0));
    memcpy(with_slashes + 2, out.at, out.n);
    expect(lethe_url_host((lethe_str){with_slashes, out.n + 2}, &b, &again) == LETHE_OK);
    expect(lethe_str_eq(out, again));
    bool brackets = out.n > 0 && out.at[0] == '[';
    for (size_t i = 0; i < out.n; i++) {
        char c = out.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        expect(letter || (c != '\0' && strchr(brackets ? "[]:." : ".-_", c)));
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str in = {(const char *)data, n};
    if (n == 0) in.at = "";
    check_normal(in);
    check_repair(in);
    check_host(in);
    return 0;
}
