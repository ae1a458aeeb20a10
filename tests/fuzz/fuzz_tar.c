/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a tar archive: names never reach out of one folder, and no file is longer than what
 * came in. */
#include "io/read/tar.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_source *s;
    char name[LETHE_TAR_NAME];
    static char buf[4096];
    bool more = true;
    if (n > 0 && (data[0] == 0x1f || data[0] == 0x28 || data[0] == 0xfd || data[0] == 'B'))
        return 0; // packed: fuzz_source
    expect(lethe_source_memory(NULL, (lethe_str){n ? (const char *)data : "", n}, &s) == LETHE_OK);
    lethe_tar t = {.source = s};
    lethe_err e = LETHE_OK;
    size_t total = 0;
    while (e == LETHE_OK && more) {
        e = lethe_tar_next(&t, name, &more);
        expect(e == LETHE_OK || e == LETHE_EINPUT);
        if (e != LETHE_OK || !more) break;
        expect(name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
        expect(!strchr(t.top, '/') && strcmp(t.top, "..") != 0);
        for (size_t got = 1; e == LETHE_OK && got > 0 && data[n - 1] != 1; total += got)
            e = lethe_tar_read(&t, buf, sizeof buf, &got);
        expect(total <= n);
    }
    lethe_source_close(s);
    return 0;
}
