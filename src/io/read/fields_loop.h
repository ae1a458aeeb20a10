/* SPDX-License-Identifier: Apache-2.0 */
/* fields_loop.h - the loop that marks delimiters and line ends, once for each way to look at bytes.
 * Included by fields_tsv.c alone, with LOOP_NAME, LOOP_SCAN, LOOP_STORE and LOOP_TARGET set: a
 * function for one machine cannot be inlined into one for all, so the text is shared instead.
 *
 * A window at offset o has at most o marks before it, and at most 64 are stored for it, those that
 * are none among them: there is always room. */

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
            LOOP_STORE(to, mask, o);
            to += (uint32_t)__builtin_popcountll(mask);
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
#undef LOOP_STORE
#undef LOOP_TARGET
