#include "core/mem.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the allocator and its hook ---
 * The two counters are the one mutable state of the process that the library keeps: the allocator
 * has no caller to hand it any, and nothing but tests reads them. */

static _Atomic uint64_t n_allocations;
static _Atomic uint64_t first_to_fail; // 0: none

bool lethe_alloc_allowed(void)
{
    uint64_t i = atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed) + 1;
    uint64_t fail = atomic_load_explicit(&first_to_fail, memory_order_relaxed);
    return fail == 0 || i < fail;
}

void lethe_alloc_fail_at(uint64_t n)
{
    uint64_t now = atomic_load_explicit(&n_allocations, memory_order_relaxed);
    atomic_store_explicit(&first_to_fail, n ? now + n : 0, memory_order_relaxed);
}

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

void *lethe_alloc(size_t n, size_t size)
{
    size_t bytes;
    if (!lethe_alloc_allowed() || !bytes_of(n, size, &bytes)) return NULL;
    return malloc(bytes);
}

/* calloc knows which pages the system has just handed out, and leaves them untouched. */
void *lethe_alloc_zero(size_t n, size_t size)
{
    size_t bytes;
    if (!lethe_alloc_allowed() || !bytes_of(n, size, &bytes)) return NULL;
    return calloc(1, bytes);
}

void *lethe_realloc(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (!lethe_alloc_allowed() || !bytes_of(n, size, &bytes)) return NULL;
    return realloc(p, bytes);
}

void lethe_free(void *p) { free(p); }

/* --- arenas --- */

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
}

size_t lethe_arena_bytes(const lethe_arena *a) { return a->bytes; }

static block *block_new(lethe_arena *a, size_t cap)
{
    block *b = lethe_alloc_zero(1, sizeof(block) + cap);
    if (!b) return NULL;
    b->cap = cap;
    a->bytes += sizeof(block) + cap;
    return b;
}

static void *block_take(block *b, size_t bytes)
{
    uint8_t *p = b->at + b->used;
    if (b->dirty > b->used) memset(p, 0, LETHE_MIN(bytes, b->dirty - b->used));
    b->used += bytes;
    b->dirty = LETHE_MAX(b->dirty, b->used);
    return p;
}

static void *get_own(lethe_arena *a, size_t bytes)
{
    block *b = block_new(a, bytes);
    if (!b) return NULL;
    b->own = true;
    block **link = a->head ? &a->head->next : &a->head;
    b->next = *link;
    *link = b;
    return block_take(b, bytes);
}

void *lethe_arena_get(lethe_arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || !round_up(LETHE_MAX(bytes, 1), &bytes))
        return NULL;
    if (a->head && a->head->cap - a->head->used >= bytes) return block_take(a->head, bytes);
    if (bytes >= LARGE) return get_own(a, bytes);
    size_t cap = LETHE_MAX(a->next_bytes - sizeof(block), bytes);
    block *b = block_new(a, cap);
    if (!b) return NULL;
    b->next = a->head;
    a->head = b;
    if (a->next_bytes < LAST_BLOCK) a->next_bytes *= 2;
    return block_take(b, bytes);
}

bool lethe_arena_extend(lethe_arena *a, void *p, size_t old_bytes, size_t new_bytes)
{
    block *b = a->head;
    size_t was, is;
    if (!b || !round_up(LETHE_MAX(old_bytes, 1), &was) || !round_up(new_bytes, &is)) return false;
    if (is <= was) return true;
    if ((uint8_t *)p + was != b->at + b->used || is - was > b->cap - b->used) return false;
    block_take(b, is - was);
    return true;
}

/* The link to the own block that `p` fills, or NULL.  There are few of them: each is large. */
static block **own_link(lethe_arena *a, const void *p)
{
    for (block **link = &a->head; *link; link = &(*link)->next)
        if ((*link)->own && (*link)->at == (const uint8_t *)p) return link;
    return NULL;
}

/* realloc moves pages, not bytes, once a block is large. */
static void *grow_own(lethe_arena *a, block **link, size_t bytes)
{
    size_t was = (*link)->cap;
    if (bytes <= was) return (*link)->at;
    block *b = lethe_realloc(*link, 1, sizeof(block) + bytes);
    if (!b) return NULL;
    *link = b;
    memset(b->at + was, 0, bytes - was);
    b->cap = b->used = b->dirty = bytes;
    a->bytes += bytes - was;
    return b->at;
}

void *lethe_arena_grow(lethe_arena *a, void *p, size_t old_bytes, size_t new_bytes)
{
    size_t bytes;
    if (!round_up(new_bytes, &bytes)) return NULL;
    if (p && lethe_arena_extend(a, p, old_bytes, new_bytes)) return p;
    block **link = p && old_bytes >= LARGE - ALIGN ? own_link(a, p) : NULL;
    if (link) return grow_own(a, link, bytes);
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
