/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of records.  What is read keeps records.h's promises, every line is accounted
 * for, and the records, written down, read back the same.
 *
 * The first byte says whether to be strict, and which form the file has; the rest is the file. */
#include "records_text.h"
#include "text/normalize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static void check_text(lethe_str s, const char *forbidden, size_t n)
{
    expect(s.n > 0 && lethe_utf8_valid(s));
    for (size_t i = 0; i < n; i++)
        expect(!memchr(s.at, forbidden[i], s.n));
}

/* The records as a file, after a byte order mark: the first item may begin with one too. */
static void write_records(text *t, const lethe_records *r)
{
    text_put(t, "\xEF\xBB\xBF", 3);
    for (size_t i = 0; i < r->n; i++) {
        uint32_t name = r->owners ? r->owner_name[r->owner[i]] : LETHE_NONE;
        if (name != LETHE_NONE) {
            lethe_str id = lethe_dict_at(r->owners, name);
            check_text(id, "\t\r\n", 4); // and the NUL
            text_put(t, id.at, id.n);
            text_put(t, "\t", 1);
        }
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            lethe_str item = lethe_dict_at(r->items, r->item[k]);
            check_text(item, " \t\r\n", 5);
            if (k > r->start[i]) text_put(t, " ", 1);
            text_put(t, item.at, item.n);
        }
        text_put(t, "\n", 1);
    }
}

static void check_again(lethe_ctx *ctx, const text *file)
{
    lethe_records *r = NULL;
    text again = {0};
    expect(lethe_records_memory(ctx, (lethe_str){file->at, file->n}, true, &r) == LETHE_OK);
    expect(!records_fault(r) && r->counts.rejected == 0 && r->counts.invalid_utf8 == 0);
    expect(r->counts.read == r->n);
    write_records(&again, r);
    expect(again.n == file->n && memcmp(again.at, file->at, file->n) == 0);
    lethe_records_free(r);
    free(again.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static lethe_ctx *ctx;
    if (!ctx) expect(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
    if (n == 0) return 0;
    bool strict = data[0] & 1;
    lethe_records *r = NULL;
    lethe_str bytes = {(const char *)data + 1, n - 1};
    const char *const name = "memory";
    lethe_read_options reading = {.strict = strict,
                                  .delimiter = data[0] & 2 ? ',' : '\0',
                                  .columns = data[0] & 4 ? "person=1,item=2" : NULL};
    lethe_err e = data[0] & 6 ? lethe_records_texts(ctx, &name, &bytes, 1, &reading, &r)
                              : lethe_records_memory(ctx, bytes, strict, &r);
    expect(e == LETHE_OK || e == LETHE_EINPUT);
    expect((e == LETHE_OK) == (r != NULL));
    if (!r) return 0;
    text file = {0};
    expect(!records_fault(r));
    uint64_t lines = 0; // of all records
    for (size_t i = 0; i < r->n; i++)
        lines += r->lines ? r->lines[i] : 1;
    expect(r->n > 0 && r->counts.read == lines + r->counts.rejected && r->counts.unknown == 0);
    expect(r->counts.rejected <= r->counts.read / 10 && (!strict || r->counts.rejected == 0));
    for (size_t i = 1; i < r->n; i++)
        expect(r->origin[i - 1] < r->origin[i]);
    expect(r->origin[r->n - 1] < r->counts.read);
    write_records(&file, r);
    check_again(ctx, &file);
    free(file.at);
    lethe_records_free(r);
    return 0;
}
