/* SPDX-License-Identifier: Apache-2.0 */
/* Any types, lengths, offsets and buffers as a stream: it is refused, or its text has as many
 * fields in each record as it has columns, whichever way it is read; and all is released.  Buffers
 * are as long as lengths and offsets say, which nobody can check. */
#include "io/read/fields.h"
#include "arrow_harness.h"
#include "fuzz.h"

enum { KEPT_MAX = 400, COLUMNS_MAX = 4, BATCHES_MAX = 3 };

static arrow_place place;

typedef struct bytes {
    const uint8_t *at, *end;
    void *kept[KEPT_MAX];
    size_t n_kept;
} bytes;

static uint8_t take(bytes *b) { return b->at < b->end ? *b->at++ : 0; }
static int64_t take_small(bytes *b) { return (int8_t)take(b); }
/* Nearly always what is right, else anything. */
static int64_t take_or(bytes *b, int64_t right)
{
    uint8_t v = take(b);
    return v < 240 ? right : v - 244;
}

static void *keep(bytes *b, size_t n)
{
    MUST(b->n_kept < KEPT_MAX);
    void *p = calloc(n ? n : 1, 1);
    MUST(p);
    return b->kept[b->n_kept++] = p;
}

static void *take_buffer(bytes *b, size_t n)
{
    uint8_t *p = keep(b, n);
    for (size_t i = 0; i < n; i++)
        p[i] = take(b);
    return p;
}

/* n small numbers of so many bytes each; *last: the last of them. */
static void *take_numbers(bytes *b, size_t n, size_t width, int64_t *last)
{
    uint8_t *p = keep(b, n * width);
    int64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t step = take_small(b);
        v = step < -100 ? step : v + (step > 0 ? step % 8 : 0); // mostly they rise
        memcpy(p + i * width, &v, width);
    }
    *last = v;
    return p;
}

static const struct {
    const char *format;
    int n_buffers;
    size_t width;
} formats[] = {
    {"u", 3, 4},
    {"U", 3, 8},
    {"z", 3, 4},
    {"vu", 4, 16},
    {"vz", 3, 16},
    {"n", 0, 0},
    {"b", 2, 1},
    {"c", 2, 1},
    {"C", 2, 1},
    {"s", 2, 2},
    {"S", 2, 2},
    {"i", 2, 4},
    {"I", 2, 4},
    {"l", 2, 8},
    {"L", 2, 8},
    {"e", 2, 2},
    {"f", 2, 4},
    {"g", 2, 8},
    {"d:38,10", 2, 16},
    {"d:5,-9", 2, 16},
    {"d:9,2,32", 2, 4},
    {"d:18,76,64", 2, 8},
    {"tdD", 2, 4},
    {"tdm", 2, 8},
    {"tts", 2, 4},
    {"ttn", 2, 8},
    {"tss:", 2, 8},
    {"tsn:+23:59", 2, 8},
    {"tsm:Europe/Rome", 2, 8},
    {"w:5", 2, 5},
    {"w:0", 2, 0},
    {"+l", 2, 4},
    {"+L", 2, 8},
    {"+vl", 3, 4},
    {"+vL", 3, 8},
    {"+w:2", 1, 0},
    {"+s", 1, 0},
    {"+r", 0, 0},
    {"x", 2, 8},
};

static void views_take(bytes *b, arrow_node *n, size_t count)
{
    int32_t *views = keep(b, count * 16);
    for (size_t i = 0; i < count; i++) {
        views[4 * i] = (int32_t)(take_small(b) % 24);
        if (views[4 * i] > 12) {
            views[4 * i + 2] = (int32_t)take_small(b) % 3;
            views[4 * i + 3] = (int32_t)take_small(b) % 50;
        } else {
            for (size_t k = 4; k < 16; k++)
                ((uint8_t *)(views + 4 * i))[k] = take(b);
        }
    }
    n->buffers[1] = views;
    if (n->n_buffers < 4) return;
    int64_t *sizes = keep(b, sizeof *sizes);
    *sizes = take(b) % 64;
    n->buffers[2] = take_buffer(b, (size_t)*sizes);
    n->buffers[3] = sizes;
}

static arrow_node *node_take(bytes *b, unsigned depth, const arrow_node *like)
{
    static const char *const names[] = {"a", "b,\"", "\n", NULL};
    arrow_node *n = keep(b, sizeof *n);
    size_t f = take(b) % (sizeof formats / sizeof *formats);
    if (like) // the type is that of the first batch
        for (f = 0; f + 1 < sizeof formats / sizeof *formats; f++)
            if (strcmp(formats[f].format, like->format) == 0) break;
    const char *format = formats[f].format;
    size_t width = formats[f].width;
    int64_t length = take_or(b, take(b) % 12), offset = take_or(b, take(b) % 5), last = 0;
    size_t count = (size_t)LETHE_MAX(length, 0) + (size_t)LETHE_MAX(offset, 0);
    *n = (arrow_node){.format = format,
                      .name = names[take(b) % 4],
                      .length = length,
                      .offset = offset,
                      .null_count = take_or(b, -1),
                      .n_buffers = formats[f].n_buffers};
    bool list = format[0] == '+' && format[1] != 's' && format[1] != 'r';
    if (n->n_buffers > 0 && take(b) % 2) n->buffers[0] = take_buffer(b, count / 8 + 1);
    if (width == 16 && format[0] == 'v') {
        views_take(b, n, count);
    } else if (n->n_buffers == 3 || (list && width)) { // offsets
        n->buffers[1] = take_numbers(b, count + 1, width, &last);
        if (list && n->n_buffers == 3) n->buffers[2] = take_numbers(b, count + 1, width, &last);
        if (!list) n->buffers[2] = take_buffer(b, (size_t)LETHE_MAX(last, 0));
    } else if (n->n_buffers == 2) {
        n->buffers[1] = take_buffer(b, count * width + 1);
    }
    uint8_t odd = take(b);
    if (odd > 250 && n->n_buffers > 1) n->buffers[odd % 3] = NULL;
    if (odd == 250) n->n_buffers--;
    if (list && depth < 3) {
        const arrow_node **child = keep(b, sizeof *child);
        *child = node_take(b, depth + 1, like && like->n_children ? like->children[0] : NULL);
        n->children = child;
        n->n_children = 1;
    }
    bool coded = like ? like->dictionary != NULL : take(b) % 4 == 0;
    if (coded && depth < 3 && n->n_buffers == 2 && strchr("cCsSiIlL", format[0]) && !format[1])
        n->dictionary = node_take(b, depth + 1, like ? like->dictionary : NULL);
    return n;
}

static arrow_node *batch_take(bytes *b, const arrow_node *like)
{
    arrow_node *n = keep(b, sizeof *n);
    size_t n_columns = like ? (size_t)like->n_children : (size_t)(1 + take(b) % COLUMNS_MAX);
    const arrow_node **children = keep(b, n_columns * sizeof *children);
    for (size_t i = 0; i < n_columns; i++)
        children[i] = node_take(b, 0, like ? like->children[i] : NULL);
    int64_t length = take_or(b, take(b) % 10), offset = take_or(b, take(b) % 3);
    *n = (arrow_node){.format = "+s",
                      .name = "",
                      .length = length,
                      .offset = offset,
                      .n_buffers = take_or(b, 1),
                      .n_children = take_or(b, 0) ? 0 : (int64_t)n_columns,
                      .children = children};
    size_t count = (size_t)LETHE_MAX(length, 0) + (size_t)LETHE_MAX(offset, 0);
    if (take(b) % 4 == 0) n->buffers[0] = take_buffer(b, count / 8 + 1);
    return n;
}

/* As many fields in each record as there are columns, also if one of them is the weight. */
static void records_check(const lethe_buf *text, size_t n_fields)
{
    lethe_csv csv = lethe_csv_begin((lethe_str){(char *)text->at, text->n}, ',');
    lethe_buf scratch = {0};
    lethe_str fields[COLUMNS_MAX + 1], record;
    uint32_t n, used;
    lethe_csv_fault fault;
    for (bool more = true;;) {
        MUST(lethe_csv_next(&csv, &scratch, fields, COLUMNS_MAX, &n, &record, &used, &fault,
                            &more) == LETHE_OK);
        if (!more) break;
        MUST(fault == LETHE_CSV_OK && n == n_fields);
    }
    lethe_buf_free(&scratch);
}

static bool has_list(const arrow_node *batch)
{
    for (int64_t i = 0; i < batch->n_children; i++)
        if (batch->children[i]->format[0] == '+') return true;
    return false;
}

static void ctx_end(void) { lethe_ctx_free(place.ctx); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    bytes b = {.at = data, .end = data + n};
    const arrow_node *batches[BATCHES_MAX];
    if (!place.ctx) {
        lethe_settings settings = {.n_threads = 1, .on_message = arrow_hear, .user = &place};
        MUST(lethe_ctx_new(&settings, &place.ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    bool weighted = take(&b) % 4 == 0;
    arrow_feed feed = {.batches = batches, .n_batches = 1 + take(&b) % BATCHES_MAX};
    for (size_t i = 0; i < feed.n_batches; i++)
        batches[i] = batch_take(&b, i > 0 ? batches[0] : NULL);
    lethe_buf text[2] = {{0}, {0}};
    lethe_err e[2];
    for (int i = 0; i < 2; i++) {
        e[i] = feed_bytes(&place, &feed, weighted ? "a" : NULL, i ? 7 : 4096, &text[i]);
        MUST(e[i] == LETHE_OK || e[i] == LETHE_EINPUT);
        MUST(feed.made == feed.released);
        MUST(e[i] == LETHE_OK || place.said[0] != '\0');
    }
    bool cut = e[0] != e[1]; // what is wrong may lie beyond what is read
    MUST(!cut || text[0].n >= SOURCE_MOST || text[1].n >= SOURCE_MOST);
    if (!cut && e[0] == LETHE_OK) {
        bool whole = text[0].n < SOURCE_MOST && text[1].n < SOURCE_MOST;
        MUST(!whole || text[0].n == text[1].n);
        MUST(memcmp(text[0].at, text[1].at, LETHE_MIN(text[0].n, text[1].n)) == 0);
        if (whole && !has_list(batches[0]))
            records_check(&text[0], (size_t)batches[0]->n_children - weighted);
    }
    for (int i = 0; i < 2; i++)
        lethe_buf_free(&text[i]);
    for (size_t i = 0; i < b.n_kept; i++)
        free(b.kept[i]);
    return 0;
}
