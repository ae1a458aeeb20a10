/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h - every byte the library allocates comes from here. */
#ifndef LETHE_CORE_MEM_H
#define LETHE_CORE_MEM_H
#include "core/base.h"

/* malloc, realloc and free, counted, and made to fail on request.  NULL when there is no memory or
 * when n * size overflows; lethe_alloc(0) gives a pointer that may be freed.
 *
 * What has LETHE_UNDUMPED bytes or more is left out of core dumps, which would hold the input: all
 * that the allocator maps by itself, and LETHE_UNDUMPED_HEAP blocks of its heap, because each may
 * split a mapping of the process, and the number of these is limited (vm.max_map_count).  A library
 * cannot forbid dumps as a whole: that is for the program that uses it (SECURITY.md). */
enum { LETHE_UNDUMPED = 64 << 10, LETHE_UNDUMPED_HEAP = 16 << 10 };
void *lethe_alloc(size_t n, size_t size);
void *lethe_alloc_zero(size_t n, size_t size);
/* A zeroed table that is looked up at random: begins with a cache line, and lies on large pages
 * where it fills one and the system has them (finding the page of a slot would take longer than
 * finding the slot).  *memory is what lethe_free() takes. */
void *lethe_alloc_table(size_t n, size_t size, void **memory);
void *lethe_realloc(void *p, size_t n, size_t size); /* on failure p is still valid */
void lethe_free(void *p);
#define lethe_free_all(...) /* each of them; any may be NULL */                                    \
    lethe_free_each((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void lethe_free_each(void *const *p, size_t n);

/* For tests: the n-th allocation from now (1: the next) and all after it fail; 0: none does.
 * Process-wide: an allocator has no caller that could pass it state. */
void lethe_alloc_fail_at(uint64_t n);
/* The same, but those after it succeed: so a failure that nobody looks at does not hide behind the
 * next one. */
void lethe_alloc_fail_once(uint64_t n);
uint64_t lethe_alloc_count(void); /* allocations so far, process-wide */

/* Counts one allocation and says whether it may succeed.  For memory that comes from elsewhere
 * (another library's allocator, mmap), so that the hook reaches it too: ask before each. */
bool lethe_alloc_allowed(void);

/* An arena: many small things with one end of life.  Blocks grow from 4 KiB to 1 MiB; a large
 * thing gets a block of its own.  Not for use by two threads at once. */
typedef struct lethe_arena lethe_arena;
lethe_arena *lethe_arena_new(void); /* NULL: no memory */
void lethe_arena_free(lethe_arena *a);
void lethe_arena_reset(lethe_arena *a);         /* keeps the largest block for reuse */
size_t lethe_arena_bytes(const lethe_arena *a); /* reserved from the system */

/* `n` objects of `size` bytes, aligned to 16, zeroed; NULL: no memory, or overflow. */
void *lethe_arena_get(lethe_arena *a, size_t n, size_t size);
#define lethe_new(a, type, n) ((type *)lethe_arena_get((a), (n), sizeof(type)))

/* Makes the last thing got from `a` larger in place if it can; false if it cannot. */
bool lethe_arena_extend(lethe_arena *a, void *p, size_t old_bytes, size_t new_bytes);

/* Makes `p` (got from `a` with `old_bytes`, or NULL) larger, in place if it can, else moved; the
 * new bytes are zero.  What has a block of its own takes it along, so that nothing is left behind.
 * NULL: no memory, and p is still valid. */
void *lethe_arena_grow(lethe_arena *a, void *p, size_t old_bytes, size_t new_bytes);

/* A NUL-ended copy that lives in `a`; NULL: no memory. */
char *lethe_arena_dup(lethe_arena *a, lethe_str s);
LETHE_PRINTF(2, 3) char *lethe_arena_printf(lethe_arena *a, const char *fmt, ...);

/* A buffer of bytes on the heap that grows by a quarter, so that little is wasted. */
typedef struct lethe_buf {
    uint8_t *at;
    size_t n, cap;
} lethe_buf;
LETHE_MUST_CHECK lethe_err lethe_buf_reserve(lethe_buf *b, size_t more); /* room for `more` bytes */
LETHE_MUST_CHECK lethe_err lethe_buf_put(lethe_buf *b, const void *p, size_t n);
LETHE_MUST_CHECK lethe_err lethe_buf_str(lethe_buf *b, lethe_str s);
void lethe_buf_free(lethe_buf *b);

/* Arrays of numbers in an arena: extended in place where they are the arena's last thing, else
 * moved with a quarter more room. */
typedef struct lethe_u32s {
    uint32_t *at;
    size_t n, cap;
} lethe_u32s;
typedef struct lethe_u64s {
    uint64_t *at;
    size_t n, cap;
} lethe_u64s;
LETHE_MUST_CHECK lethe_err lethe_u32s_append(lethe_arena *a, lethe_u32s *v, const uint32_t *p,
                                             size_t n);
LETHE_MUST_CHECK lethe_err lethe_u64s_append(lethe_arena *a, lethe_u64s *v, const uint64_t *p,
                                             size_t n);

#endif
