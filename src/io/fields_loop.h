/* fields_loop.h - the loop that marks delimiters and line ends, once for each way to look at bytes.
 * Included by fields_tsv.c alone, with LOOP_NAME, LOOP_SCAN, LOOP_CTZ and LOOP_TARGET set: a
 * function for one machine cannot be inlined into one for all, so the text is shared instead. */

/* One mark.  The barrier keeps the compiler from gathering eight of them in a vector register,
 * which takes longer than storing them one by one. */
#define LOOP_TAKE(j)                                                                               \
    do {                                                                                           \
        k[j] = (uint16_t)(o + (uint32_t)LOOP_CTZ(mask));                                           \
        mask &= mask - 1;                                                                          \
        __asm__ volatile("" : : : "memory");                                                       \
    } while (0)

/* Eight bits at a time whether they are there or not: a branch on the number of fields in 64 bytes
 * is foretold badly, and costs more than the stores. */
LOOP_TARGET static bool LOOP_NAME(lethe_tsv *t)
{
    const char delimiter = t->delimiter, *from = t->upto;
    uint16_t *to = t->at;
    while (to == t->at) {
        size_t left = (size_t)(t->end - from);
        if (left == 0) return false;
        uint32_t stretch = (uint32_t)LETHE_MIN(left, (size_t)LETHE_TSV_STRETCH);
        t->base = from;
        for (uint32_t o = 0; o < stretch; o += LETHE_WINDOW) {
            uint64_t mask = stretch - o >= LETHE_WINDOW
                                ? LOOP_SCAN(from + o, delimiter, '\n')
                                : lethe_scan_tail(from + o, stretch - o, delimiter, '\n');
            uint16_t *k = to;
            to += (uint32_t)__builtin_popcountll(mask);
            do {
                LOOP_TAKE(0);
                LOOP_TAKE(1);
                LOOP_TAKE(2);
                LOOP_TAKE(3);
                LOOP_TAKE(4);
                LOOP_TAKE(5);
                LOOP_TAKE(6);
                LOOP_TAKE(7);
                k += 8;
            } while (mask);
        }
        from += stretch;
    }
    t->i = 0;
    t->n = (uint32_t)(to - t->at);
    t->upto = from;
    return true;
}

#undef LOOP_NAME
#undef LOOP_SCAN
#undef LOOP_TARGET
#undef LOOP_CTZ
#undef LOOP_TAKE
