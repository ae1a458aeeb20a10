/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator with its hook for tests, arenas, growing buffers and arrays of numbers. */
#include "core/mem.h"
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- the allocator and its hook ---
 * These counters are the one mutable state of the process that the library keeps: the allocator has
 * no caller to hand it any.  Nothing but tests reads the first three, and no result depends on
 * the last. */

static _Atomic uint64_t n_allocations;
static _Atomic uint64_t first_to_fail; // 0: none
static _Atomic bool fails_alone;       // and none after it
static _Atomic int64_t n_large;        // blocks of LETHE_UNDUMPED and more in the heap

bool lethe_alloc_allowed(void)
{
    uint64_t i = atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed) + 1;
    uint64_t fail = atomic_load_explicit(&first_to_fail, memory_order_relaxed);
    bool alone = atomic_load_explicit(&fails_alone, memory_order_relaxed);
    return fail == 0 || i < fail || (alone && i > fail);
}

static void fail_from(uint64_t n, bool alone)
{
    uint64_t now = atomic_load_explicit(&n_allocations, memory_order_relaxed);
    atomic_store_explicit(&fails_alone, alone, memory_order_relaxed);
    atomic_store_explicit(&first_to_fail, n ? now + n : 0, memory_order_relaxed);
}

void lethe_alloc_fail_at(uint64_t n) { fail_from(n, false); }

void lethe_alloc_fail_once(uint64_t n) { fail_from(n, true); }

uint64_t lethe_alloc_count(void)
{
    return atomic_load_explicit(&n_allocations, memory_order_relaxed);
}

/* malloc(0) may give NULL, which would read as a failure: there is no allocation of nothing.  More
 * than PTRDIFF_MAX bytes cannot be had, and differences of pointers into them would overflow. */
static bool bytes_of(size_t n, size_t size, size_t *out)
{
    if (__builtin_mul_overflow(n, size, out) || *out > PTRDIFF_MAX) return false;
    if (*out == 0) *out = 1;
    return true;
}

/* Does it lie between others in the allocator's heap, and not in a mapping of its own?  Those begin
 * with a header of two words. */
static bool is_large_in_heap(void *p)
{
    if (malloc_usable_size(p) < LETHE_UNDUMPED) return false;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return ((uintptr_t)p & (page - 1)) != 2 * sizeof(size_t);
}

/* The pages that hold any of it, so that no end of it is dumped; a page that it shares with others
 * is left out with it.  All that the allocator gave, so that a mapping of its own stays in one
 * piece and can grow in place.  Free memory stays left out until the allocator returns it to the
 * system: what was there is still in it.  Failure is no reason to stop. */
static void *undumped(void *p)
{
    size_t bytes = p ? malloc_usable_size(p) : 0;
    if (bytes < LETHE_UNDUMPED) return p;
    if (is_large_in_heap(p) &&
        atomic_fetch_add_explicit(&n_large, 1, memory_order_relaxed) >= LETHE_UNDUMPED_HEAP)
        return p;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)p & (page - 1);
    size_t length = (before + bytes + page - 1) & ~(size_t)(page - 1);
    (void)madvise((uint8_t *)p - before, length, MADV_DONTDUMP);
    return p;
}

void *lethe_alloc(size_t n, size_t size)
{
    size_t bytes;
    if (!lethe_alloc_allowed() || !bytes_of(n, size, &bytes)) return NULL;
    return undumped(malloc(bytes));
}

/* calloc knows which pages the system has just handed out, and leaves them untouched. */
void *lethe_alloc_zero(size_t n, size_t size)
{
    size_t bytes;
    if (!lethe_alloc_allowed() || !bytes_of(n, size, &bytes)) return NULL;
    return undumped(calloc(1, bytes));
}

void *lethe_alloc_table(size_t n, size_t size, void **memory)
{
    enum { CACHE_LINE = 64, LARGE_PAGE = 2 << 20 };
    size_t bytes;
    *memory = NULL;
    if (!bytes_of(n, size, &bytes) || bytes > PTRDIFF_MAX - LARGE_PAGE) return NULL;
    size_t alignment = bytes >= LARGE_PAGE ? LARGE_PAGE : CACHE_LINE;
    uint8_t *p = lethe_alloc_zero(bytes + alignment, 1);
    if (!p) return NULL;
    *memory = p;
    p += alignment - (uintptr_t)p % alignment;
    if (alignment == LARGE_PAGE) (void)madvise(p, bytes, MADV_HUGEPAGE); // a wish
    return p;
}

void *lethe_realloc(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (!lethe_alloc_allowed() || !bytes_of(n, size, &bytes)) return NULL;
    bool was_large = p && is_large_in_heap(p);
    void *q = realloc(p, bytes);
    if (q && was_large) atomic_fetch_sub_explicit(&n_large, 1, memory_order_relaxed);
    return undumped(q);
}

void lethe_free(void *p)
{
    if (p && is_large_in_heap(p)) atomic_fetch_sub_explicit(&n_large, 1, memory_order_relaxed);
    free(p);
}

void lethe_free_each(void *const *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lethe_free(p[i]);
}

/* --- arenas --- */

/* Under AddressSanitizer what an arena has not handed out may not be touched, so that it sees here
 * what it sees with malloc: bytes behind a thing's end, and things kept beyond a reset. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LETHE_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LETHE_ASAN 1
#endif
#ifdef LETHE_ASAN
#include <sanitizer/asan_interface.h>
#define FORBID(p, n) __asan_poison_memory_region((p), (n))
#define PERMIT(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define FORBID(p, n) ((void)(p), (void)(n))
#define PERMIT(p, n) ((void)(p), (void)(n))
#endif

enum {
    ALIGN = 16,
    FIRST_BLOCK = 4 << 10,
    LAST_BLOCK = 1 << 20,
    LARGE = 128 << 10, /* from here on a thing has its own block: little of a shared one is lost */
};

typedef struct block {
    struct block *next;
    size_t cap, used; /* bytes after the header */
    size_t dirty;     /* bytes from here on have never been handed out, and are zero */
    bool own;         /* holds one large thing */
    _Alignas(ALIGN) uint8_t at[];
} block;

struct lethe_arena {
    block *head;       /* small things come from here; own blocks stand behind it */
    size_t next_bytes; /* of the next shared block */
    size_t bytes;
};

static bool round_up(size_t n, size_t *out)
{
    if (n > PTRDIFF_MAX - sizeof(block) - ALIGN) return false;
    *out = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    return true;
}

lethe_arena *lethe_arena_new(void)
{
    lethe_arena *a = lethe_alloc(1, sizeof *a);
    if (a) *a = (lethe_arena){.next_bytes = FIRST_BLOCK};
    return a;
}

void lethe_arena_free(lethe_arena *a)
{
    if (!a) return;
    for (block *b = a->head, *next; b; b = next) {
        next = b->next;
        lethe_free(b);
    }
    lethe_free(a);
}

void lethe_arena_reset(lethe_arena *a)
{
    block *keep = a->head;
    for (block *b = a->head; b; b = b->next)
        if (b->cap > keep->cap) keep = b;
    for (block *b = a->head, *next; b; b = next) {
        next = b->next;
        if (b != keep) lethe_free(b);
    }
    a->head = keep;
    a->bytes = 0;
    if (!keep) return;
    keep->next = NULL;
    keep->used = 0;
    keep->own = false;
    a->bytes = sizeof(block) + keep->cap;
    FORBID(keep->at, keep->cap);
}

size_t lethe_arena_bytes(const lethe_arena *a) { return a->bytes; }

static block *block_new(lethe_arena *a, size_t cap)
{
    block *b = lethe_alloc_zero(1, sizeof(block) + cap);
    if (!b) return NULL;
    b->cap = cap;
    a->bytes += sizeof(block) + cap;
    FORBID(b->at, cap);
    return b;
}

/* `bytes`, rounded up, of which `wanted` were asked for. */
static void *block_take(block *b, size_t bytes, size_t wanted)
{
    uint8_t *p = b->at + b->used;
    PERMIT(p, bytes);
    if (b->dirty > b->used) memset(p, 0, LETHE_MIN(bytes, b->dirty - b->used));
    b->used += bytes;
    b->dirty = LETHE_MAX(b->dirty, b->used);
    FORBID(p + wanted, bytes - wanted);
    return p;
}

void *lethe_arena_get(lethe_arena *a, size_t n, size_t size)
{
    size_t wanted, bytes;
    if (__builtin_mul_overflow(n, size, &wanted) || !round_up(LETHE_MAX(wanted, 1), &bytes))
        return NULL;
    if (a->head && a->head->cap - a->head->used >= bytes) return block_take(a->head, bytes, wanted);
    if (bytes >= LARGE) {
        block *b = block_new(a, bytes);
        if (!b) return NULL;
        b->own = true;
        block **link = a->head ? &a->head->next : &a->head;
        b->next = *link;
        *link = b;
        return block_take(b, bytes, wanted);
    }
    size_t cap = LETHE_MAX(a->next_bytes - sizeof(block), bytes);
    block *b = block_new(a, cap);
    if (!b) return NULL;
    b->next = a->head;
    a->head = b;
    if (a->next_bytes < LAST_BLOCK) a->next_bytes *= 2;
    return block_take(b, bytes, wanted);
}

bool lethe_arena_extend(lethe_arena *a, void *p, size_t old_bytes, size_t new_bytes)
{
    block *b = a->head;
    size_t was, is;
    if (!b || !round_up(LETHE_MAX(old_bytes, 1), &was) || !round_up(new_bytes, &is)) return false;
    if (is > was) {
        bool last = (uint8_t *)p + was == b->at + b->used;
        if (!last || is - was > b->cap - b->used) return false;
        block_take(b, is - was, is - was);
        FORBID((uint8_t *)p + new_bytes, is - new_bytes);
    }
    PERMIT(p, new_bytes);
    return true;
}

/* The link to the own block that `p` fills, or NULL.  There are few of them: each is large. */
static block **own_link(lethe_arena *a, const void *p)
{
    for (block **link = &a->head; *link; link = &(*link)->next)
        if ((*link)->own && (*link)->at == (const uint8_t *)p) return link;
    return NULL;
}

void *lethe_arena_grow(lethe_arena *a, void *p, size_t old_bytes, size_t new_bytes)
{
    size_t bytes;
    if (!round_up(new_bytes, &bytes)) return NULL;
    if (p && lethe_arena_extend(a, p, old_bytes, new_bytes)) return p;
    block **link = p && old_bytes >= LARGE - ALIGN ? own_link(a, p) : NULL;
    if (link) {
        // realloc moves pages, not bytes, once a block is large.
        size_t was = (*link)->cap;
        assert(bytes > was); // or it would have been extended
        block *b = lethe_realloc(*link, 1, sizeof(block) + bytes);
        if (!b) return NULL;
        *link = b;
        PERMIT(b->at, bytes);
        memset(b->at + was, 0, bytes - was);
        FORBID(b->at + new_bytes, bytes - new_bytes);
        b->cap = b->used = b->dirty = bytes;
        a->bytes += bytes - was;
        return b->at;
    }
    void *q = lethe_arena_get(a, 1, new_bytes);
    if (q && p) memcpy(q, p, old_bytes);
    return q;
}

char *lethe_arena_dup(lethe_arena *a, lethe_str s)
{
    if (s.n == SIZE_MAX) return NULL;
    char *p = lethe_arena_get(a, s.n + 1, 1);
    if (p && s.n) memcpy(p, s.at, s.n);
    return p;
}

char *lethe_arena_printf(lethe_arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *p = n < 0 ? NULL : lethe_arena_get(a, (size_t)n + 1, 1);
    if (p) vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

/* --- buffers and vectors --- */

/* The next capacity for `need` things: a quarter more, so that at most a fifth stands empty. */
static size_t grown(size_t cap, size_t need, size_t least)
{
    size_t more = cap <= PTRDIFF_MAX ? cap + cap / 4 : cap;
    return LETHE_MAX(LETHE_MAX(more, need), least);
}

lethe_err lethe_buf_reserve(lethe_buf *b, size_t more)
{
    size_t need;
    if (more <= b->cap - b->n) return LETHE_OK;
    if (__builtin_add_overflow(b->n, more, &need)) return LETHE_ENOMEM;
    size_t cap = grown(b->cap, need, 64);
    uint8_t *at = lethe_realloc(b->at, cap, 1);
    if (!at) return LETHE_ENOMEM;
    b->at = at;
    b->cap = cap;
    return LETHE_OK;
}

lethe_err lethe_buf_put(lethe_buf *b, const void *p, size_t n)
{
    LETHE_TRY(lethe_buf_reserve(b, n));
    if (n) memcpy(b->at + b->n, p, n);
    b->n += n;
    return LETHE_OK;
}

lethe_err lethe_buf_str(lethe_buf *b, lethe_str s) { return lethe_buf_put(b, s.at, s.n); }

void lethe_buf_free(lethe_buf *b)
{
    lethe_free(b->at);
    *b = (lethe_buf){0};
}

/* Makes room in a row of `*cap` things of `size` bytes at `at`; NULL: no memory, nothing changed.
 */
static void *row_reserve(lethe_arena *a, void *at, size_t n, size_t more, size_t *cap, size_t size)
{
    size_t need, bytes;
    if (__builtin_add_overflow(n, more, &need)) return NULL;
    size_t next = grown(*cap, need, 16);
    if (__builtin_mul_overflow(next, size, &bytes)) return NULL;
    void *p = lethe_arena_grow(a, at, *cap * size, bytes);
    if (p) *cap = next;
    return p;
}

lethe_err lethe_u32s_append(lethe_arena *a, lethe_u32s *v, const uint32_t *p, size_t n)
{
    if (n == 0) return LETHE_OK;
    if (n > v->cap - v->n) {
        uint32_t *at = row_reserve(a, v->at, v->n, n, &v->cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        v->at = at;
    }
    memcpy(v->at + v->n, p, n * sizeof *p);
    v->n += n;
    return LETHE_OK;
}

lethe_err lethe_u64s_append(lethe_arena *a, lethe_u64s *v, const uint64_t *p, size_t n)
{
    if (n == 0) return LETHE_OK;
    if (n > v->cap - v->n) {
        uint64_t *at = row_reserve(a, v->at, v->n, n, &v->cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        v->at = at;
    }
    memcpy(v->at + v->n, p, n * sizeof *p);
    v->n += n;
    return LETHE_OK;
}
