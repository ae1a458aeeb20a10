/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes: what is taken for a time is one, and is written back so that it reads the same. */
#include "model/log/time.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static void check_unit(int64_t t, lethe_time_unit unit, size_t length)
{
    char text[20];
    int64_t back, cut = lethe_time_cut(t, unit);
    size_t n = lethe_time_format(t, unit, text);
    expect(n == length && text[n] == '\0');
    expect(lethe_time_parse((lethe_str){text, n}, &back) && back == cut && cut <= t);
    expect(lethe_time_cut(cut, unit) == cut);
    expect(lethe_time_day(cut) == lethe_time_day(t));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int64_t t = 77;
    bool ok = lethe_time_parse((lethe_str){n ? (const char *)data : "", n}, &t);
    if (!ok) {
        expect(t == 77);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        expect(data[i] >= ' ' && data[i] < 0x7F);
    expect(t >= INT64_C(-62135596800) && t <= INT64_C(253402300799));
    check_unit(t, LETHE_TIME_EXACT, 19);
    check_unit(t, LETHE_TIME_HOUR, 13);
    check_unit(t, LETHE_TIME_DAY, 10);
    return 0;
}
