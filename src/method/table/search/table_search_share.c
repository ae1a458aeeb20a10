/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_share.c - subtrees that one worker hands to another: where workers wait, one that is
 * busy offers what is left of the highest cut it has not finished. */
#include "method/table/search/table_search_internal.h"

lethe_err lethe_table_share_begin(lethe_table_share *s, lethe_arena *a, uint32_t n_inner)
{
    *s = (lethe_table_share){.task.rank = lethe_new(a, uint32_t, (size_t)n_inner + 1)};
    if (!s->task.rank) return LETHE_ENOMEM;
    if (pthread_mutex_init(&s->lock, NULL) != 0) return LETHE_ENOMEM;
    if (pthread_cond_init(&s->news, NULL) == 0) return LETHE_OK;
    pthread_mutex_destroy(&s->lock);
    return LETHE_ENOMEM;
}

void lethe_table_share_end(lethe_table_share *s)
{
    pthread_cond_destroy(&s->news);
    pthread_mutex_destroy(&s->lock);
}

void lethe_table_share_whole(lethe_table_share *s)
{
    s->task.n = 0;
    s->task.done = LETHE_NONE;
    s->offered = true;
}

bool lethe_table_share_take(lethe_table_share *s, lethe_table_task *out)
{
    pthread_mutex_lock(&s->lock);
    while (!s->offered && s->n_active > 0) {
        s->n_waiting++;
        pthread_cond_wait(&s->news, &s->lock);
        s->n_waiting--;
    }
    bool found = s->offered;
    if (found) {
        memcpy(out->rank, s->task.rank, s->task.n * sizeof *out->rank);
        out->n = s->task.n;
        out->done = s->task.done;
        s->offered = false;
        s->n_active++;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

void lethe_table_share_finish(lethe_table_share *s, bool stop)
{
    pthread_mutex_lock(&s->lock);
    s->n_active--;
    if (stop) s->offered = false; // nobody need begin
    if (s->n_active == 0) pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
}

bool lethe_table_share_offer(lethe_table_share *s, const lethe_table_task *t)
{
    pthread_mutex_lock(&s->lock);
    bool taken = s->n_waiting > 0 && !s->offered;
    if (taken) {
        memcpy(s->task.rank, t->rank, t->n * sizeof *t->rank);
        s->task.n = t->n;
        s->task.done = t->done;
        s->offered = true;
        pthread_cond_signal(&s->news);
    }
    pthread_mutex_unlock(&s->lock);
    return taken;
}
