/* SPDX-License-Identifier: Apache-2.0 */
/* Looks over an array before its values are read.  How long a buffer is nobody says: it is believed
 * to be as long as the array's length and offset, and of texts the last of their offsets, ask for.
 * So offsets must rise from 0 on, of all values, before the first of them is read; what is checked
 * as each value is read is left to values.c. */
#include "io/arrow/array.h"

/* What is beyond it would overflow where it is counted in bytes. */
#define ROWS_MAX ((int64_t)1 << 48)

static const char missing[] = "a buffer is missing";
static const char disorder[] = "its offsets are out of order";
static const char beyond[] = "a list reaches beyond the items";

/* How many buffers an array of the type has; views have more, one for each that they point to. */
static int64_t buffers_of(lethe_arrow_kind kind)
{
    switch (kind) {
    case LETHE_ARROW_NULL:
        return 0;
    case LETHE_ARROW_LIST_FIXED:
        return 1;
    case LETHE_ARROW_TEXT:
    case LETHE_ARROW_VIEW:
    case LETHE_ARROW_LIST_VIEW:
        return 3;
    default:
        return 2;
    }
}

static const char *counts_fault(const lethe_arrow_type *t, const struct ArrowArray *a)
{
    int64_t n = buffers_of(t->kind);
    if (a->length < 0 || a->offset < 0) return "its length or offset is below 0";
    if (a->length > ROWS_MAX || a->offset > ROWS_MAX) return "its length or offset is too large";
    if (a->null_count < -1 || a->null_count > a->length)
        return "its number of nulls is not possible";
    if (t->kind == LETHE_ARROW_NULL) return NULL; // older producers give it a buffer
    if (t->kind == LETHE_ARROW_VIEW ? a->n_buffers < n : a->n_buffers != n)
        return "its number of buffers is not that of its type";
    if (!a->buffers) return missing;
    if (a->null_count > 0 && !a->buffers[0]) return "it has nulls, but does not say which";
    return NULL;
}

/* Offsets rise; *first and *last: what they enclose. */
static const char *offsets_fault(const lethe_arrow_type *t, const struct ArrowArray *a,
                                 int64_t *first, int64_t *last)
{
    const void *offsets = a->buffers[1];
    *first = *last = 0;
    if (a->length == 0) return NULL; // then there may be none
    if (!offsets) return missing;
    int64_t before = *first = lethe_arrow_offset(t, offsets, a->offset);
    if (before < 0) return disorder;
    for (int64_t i = 1; i <= a->length; i++) {
        int64_t next = lethe_arrow_offset(t, offsets, a->offset + i);
        if (next < before) return disorder;
        before = next;
    }
    *last = before;
    return NULL;
}

static const char *text_fault(const lethe_arrow_type *t, const struct ArrowArray *a)
{
    int64_t first, last;
    const char *fault = offsets_fault(t, a, &first, &last);
    return fault ? fault : last > first && !a->buffers[2] ? missing : NULL;
}

static const char *view_fault(const struct ArrowArray *a)
{
    bool others = a->n_buffers > 3;
    if (a->length > 0 && !a->buffers[1]) return missing;
    return others && !a->buffers[a->n_buffers - 1] ? missing : NULL;
}

static const char *list_fault(const lethe_arrow_type *t, const struct ArrowArray *a)
{
    int64_t first, last = 0;
    if (a->n_children != 1 || !a->children || !a->children[0] || !a->children[0]->release)
        return "a list without items";
    const struct ArrowArray *items = a->children[0];
    const char *fault = lethe_arrow_array_fault(t->values, items);
    if (fault) return fault;
    if (t->kind == LETHE_ARROW_LIST) {
        fault = offsets_fault(t, a, &first, &last);
        if (fault) return fault;
    } else if (t->kind == LETHE_ARROW_LIST_FIXED) {
        if (t->fixed > 0 && a->offset + a->length > items->length / t->fixed) return beyond;
    } else if (a->length > 0 && (!a->buffers[1] || !a->buffers[2])) {
        return missing;
    }
    return last > items->length ? beyond : NULL;
}

const char *lethe_arrow_array_fault(const lethe_arrow_type *t, const struct ArrowArray *a)
{
    const char *fault = counts_fault(t, a);
    if (fault) return fault;
    switch (t->kind) {
    case LETHE_ARROW_NULL:
        return NULL;
    case LETHE_ARROW_TEXT:
        return text_fault(t, a);
    case LETHE_ARROW_VIEW:
        return view_fault(a);
    case LETHE_ARROW_LIST:
    case LETHE_ARROW_LIST_VIEW:
    case LETHE_ARROW_LIST_FIXED:
        return list_fault(t, a);
    case LETHE_ARROW_DICTIONARY:
        if (!a->dictionary || !a->dictionary->release) return "its dictionary is missing";
        fault = lethe_arrow_array_fault(t->values, a->dictionary);
        if (fault) return fault;
        break;
    default:
        break;
    }
    bool holds_bytes = a->length > 0 && (t->kind != LETHE_ARROW_FIXED || t->fixed > 0);
    return holds_bytes && !a->buffers[1] ? missing : NULL;
}

const char *lethe_arrow_struct_fault(const struct ArrowArray *a)
{
    static const lethe_arrow_type like = {.kind = LETHE_ARROW_LIST_FIXED}; // has one buffer, too
    return counts_fault(&like, a);
}

bool lethe_arrow_is_null(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i)
{
    if (t->kind == LETHE_ARROW_NULL) return true;
    return a->buffers[0] && !lethe_arrow_bit(a->buffers[0], a->offset + i);
}

const char *lethe_arrow_items(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i,
                              int64_t *from, int64_t *n)
{
    int64_t at = a->offset + i, all = a->children[0]->length;
    if (t->kind == LETHE_ARROW_LIST_FIXED) {
        *from = at * t->fixed;
        *n = t->fixed;
        return NULL;
    }
    *from = lethe_arrow_offset(t, a->buffers[1], at);
    *n = t->kind == LETHE_ARROW_LIST ? lethe_arrow_offset(t, a->buffers[1], at + 1) - *from
                                     : lethe_arrow_offset(t, a->buffers[2], at);
    return *from < 0 || *n < 0 || *n > all || *from > all - *n ? beyond : NULL;
}
