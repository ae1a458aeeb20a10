/* The index in a file: its block as it stands in memory (docs/formats.md, "Kept index").  Nothing
 * in it is believed before it was looked at. */
#include "core/mem.h"
#include "io/write/sink.h"
#include "io/syserr.h"
#include "lexicon/odp/odp_internal.h"
#include "text/normalize.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>
#include <xxhash.h>

static const char magic[16] = "lethe-odp-index\n";
/* The version rises with every change of what is kept: of the layout, and of how words are found
 * and categories ranked. */
enum { VERSION = 2, BYTE_ORDER_MARK = 0x01020304 };

/* What the block must begin with to be of this program and these sources. */
static lethe_odp_head head_of(const lethe_odp_sources *of)
{
    lethe_odp_head h = {.version = VERSION, .byte_order = BYTE_ORDER_MARK};
    const char *unicode = utf8proc_unicode_version();
    memcpy(h.magic, magic, sizeof magic);
    memcpy(h.rules, unicode, LETHE_MIN(strlen(unicode), sizeof h.rules));
    if (of) {
        memcpy(h.content, of->content, sizeof h.content);
        memcpy(h.structure, of->structure, sizeof h.structure);
    }
    return h;
}

static XXH128_hash_t check_of(const lethe_odp_head *block)
{
    lethe_odp_head h = *block;
    h.check[0] = h.check[1] = 0;
    return XXH3_128bits_withSeed(block + 1, block->n_bytes - sizeof h, XXH3_64bits(&h, sizeof h));
}

void lethe_odp_stamp(lethe_odp_index *x, const lethe_odp_sources *of)
{
    lethe_odp_head h = head_of(of), *to = x->head;
    memcpy(to, &h, offsetof(lethe_odp_head, n_bytes));
    XXH128_hash_t check = check_of(to);
    to->check[0] = check.low64;
    to->check[1] = check.high64;
}

/* --- is it sound? --- */

/* at[0] = 0, rising by at least `least`, up to `total`. */
static bool rises(const uint32_t *at, uint32_t n, uint32_t least, uint64_t total)
{
    if (at[0] != 0 || at[n] != total) return false;
    for (uint32_t i = 0; i < n; i++)
        if (at[i + 1] < at[i] || at[i + 1] - at[i] < least) return false;
    return true;
}

static bool terms_are_sorted(const lethe_odp_index *x)
{
    lethe_str before = {"", 0};
    for (uint32_t t = 0; t < x->head->n_terms; t++) {
        lethe_str term = {x->terms + x->term_at[t], x->term_at[t + 1] - x->term_at[t]};
        if (term.n > LETHE_ODP_WORD_MAX || lethe_str_cmp(before, term) >= 0) return false;
        before = term;
    }
    return true;
}

static bool parents_come_first(const lethe_odp_index *x)
{
    for (uint32_t c = 0; c < x->head->n_categories; c++)
        if (x->parent[c] != LETHE_NONE && x->parent[c] >= c) return false;
    return true;
}

/* Names may be published: they must be what a path can have. */
static bool names_are_texts(const lethe_odp_index *x)
{
    for (uint64_t i = 0; i < x->head->name_bytes; i++)
        if ((unsigned char)x->names[i] < ' ' || x->names[i] == '/') return false;
    for (uint32_t c = 0; c < x->head->n_categories; c++) {
        lethe_str name = {x->names + x->name_at[c], x->name_at[c + 1] - x->name_at[c]};
        if (!lethe_utf8_valid(name)) return false;
    }
    return true;
}

/* `seen`: a number for each category, all LETHE_NONE. */
static bool entries_are_categories(const lethe_odp_index *x, uint32_t *seen)
{
    for (uint32_t t = 0; t < x->head->n_terms; t++) {
        if (x->entry_at[t + 1] - x->entry_at[t] > LETHE_ODP_BEST) return false;
        for (uint32_t i = x->entry_at[t]; i < x->entry_at[t + 1]; i++) {
            if (x->entry[i] >= x->head->n_categories || seen[x->entry[i]] == t) return false;
            seen[x->entry[i]] = t;
        }
    }
    return true;
}

static const char *unsound(const lethe_odp_index *x, uint32_t *seen)
{
    const lethe_odp_head *h = x->head;
    if (h->n_categories == 0 || h->n_categories == LETHE_NONE || h->n_terms == LETHE_NONE ||
        !rises(x->name_at, h->n_categories, 1, h->name_bytes) || !parents_come_first(x) ||
        !names_are_texts(x))
        return "its categories are none";
    if (!rises(x->term_at, h->n_terms, 1, h->term_bytes) || !terms_are_sorted(x))
        return "its terms are not in order";
    if (!rises(x->entry_at, h->n_terms, 1, h->n_entries)) return "its entries are not in order";
    memset(seen, 0xFF, h->n_categories * sizeof *seen);
    return entries_are_categories(x, seen) ? NULL : "its entries are no categories";
}

/* --- reading --- */

static lethe_err damaged(lethe_diag *d, const char *name, const char *cause)
{
    return lethe_fail_at(d, LETHE_EINPUT, name, 0, 0,
                         "damaged: %s; delete the file, and it is made anew", cause);
}

/* The head alone, of a file of n bytes. */
static lethe_err head_check(lethe_diag *d, const char *name, const lethe_odp_head *h, uint64_t n,
                            const lethe_odp_sources *of, bool *other)
{
    lethe_odp_head want = head_of(of);
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return lethe_fail_at(d, LETHE_EINPUT, name, 0, 0, "not an index that --cache keeps");
    size_t same = of ? offsetof(lethe_odp_head, n_bytes) : offsetof(lethe_odp_head, content);
    *other = memcmp(h, &want, same) != 0;
    if (*other) return LETHE_OK;
    if (h->n_bytes != n) return damaged(d, name, "it is cut, or too long");
    if (lethe_odp_size(h) != n) return damaged(d, name, "its sizes do not fit");
    return LETHE_OK;
}

/* Takes a block over whose head was checked. */
static lethe_err block_check(lethe_diag *d, const char *name, lethe_odp_head *block,
                             lethe_odp_index *out)
{
    lethe_odp_index x = lethe_odp_layout(block);
    XXH128_hash_t check = check_of(block);
    if (check.low64 != block->check[0] || check.high64 != block->check[1]) {
        lethe_free(block);
        return damaged(d, name, "its check sum is another");
    }
    uint32_t *seen = lethe_alloc(block->n_categories, sizeof *seen);
    const char *cause = seen ? unsound(&x, seen) : NULL;
    lethe_err e = !seen ? lethe_no_memory(d) : cause ? damaged(d, name, cause) : LETHE_OK;
    lethe_free(seen);
    if (e == LETHE_OK)
        *out = x;
    else
        lethe_free(block);
    return e;
}

static lethe_err load_fd(lethe_diag *d, int fd, const char *path, const lethe_odp_sources *of,
                         lethe_odp_state *state, lethe_odp_index *out)
{
    struct stat st;
    lethe_odp_head h;
    bool other = false;
    if (fstat(fd, &st) != 0) return lethe_fail_sys(d, "read", path, errno);
    if (!S_ISREG(st.st_mode))
        return lethe_fail(d, LETHE_EIO, "cannot read '%s': not a regular file", path);
    uint64_t n = (uint64_t)st.st_size;
    if (n < sizeof h)
        return lethe_fail_at(d, LETHE_EINPUT, path, 0, 0, "not an index that --cache keeps");
    LETHE_TRY(lethe_pread_all(d, fd, &h, sizeof h, 0, path));
    LETHE_TRY(head_check(d, path, &h, n, of, &other));
    *state = other ? LETHE_ODP_OTHER : LETHE_ODP_FOUND;
    if (other) return LETHE_OK;
    lethe_odp_head *block = lethe_alloc(n, 1);
    if (!block) return lethe_no_memory(d);
    *block = h;
    lethe_err e = lethe_pread_all(d, fd, block + 1, n - sizeof h, sizeof h, path);
    if (e == LETHE_OK) return block_check(d, path, block, out);
    lethe_free(block);
    return e;
}

lethe_err lethe_odp_load(lethe_ctx *ctx, const char *path, const lethe_odp_sources *of,
                         lethe_odp_state *state, lethe_odp_index *out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    // O_NONBLOCK: a pipe under that name must not make us wait before it is refused.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT) {
        *state = LETHE_ODP_ABSENT;
        return LETHE_OK;
    }
    if (fd < 0) return lethe_fail_sys(d, "open", path, errno);
    lethe_err e = load_fd(d, fd, path, of, state, out);
    close(fd);
    return e;
}

lethe_err lethe_odp_cache_memory(lethe_ctx *ctx, lethe_str bytes, lethe_directory **out)
{
    static const char name[] = "memory";
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_odp_head h;
    lethe_odp_index x;
    bool other = false;
    if (bytes.n < sizeof h)
        return lethe_fail_at(d, LETHE_EINPUT, name, 0, 0, "not an index that --cache keeps");
    memcpy(&h, bytes.at, sizeof h);
    LETHE_TRY(head_check(d, name, &h, bytes.n, NULL, &other));
    if (other) return damaged(d, name, "it is of another version");
    lethe_odp_head *block = lethe_alloc(bytes.n, 1);
    if (!block) return lethe_no_memory(d);
    memcpy(block, bytes.at, bytes.n);
    LETHE_TRY(block_check(d, name, block, &x));
    return lethe_odp_directory(&x, out) == LETHE_OK ? LETHE_OK : lethe_no_memory(d);
}

/* --- writing --- */

lethe_err lethe_odp_save(lethe_sink *sink, const lethe_odp_sources *of, lethe_odp_index *x)
{
    lethe_odp_stamp(x, of);
    lethe_err e = lethe_sink_write(sink, x->head, x->head->n_bytes);
    if (e == LETHE_OK) return lethe_sink_commit(sink);
    lethe_sink_abort(sink);
    return e;
}
