/* SPDX-License-Identifier: Apache-2.0 */
/* Single rows by the rules of log_read.c, which reads blocks of lines. */
#include "model/log/log_cells.h"
#include "model/log/log_internal.h"
#include "text/normalize.h"

void lethe_log_cells_room_free(lethe_log_cells_room *room)
{
    lethe_buf_free(&room->user);
    lethe_buf_free(&room->query);
    lethe_buf_free(&room->url);
}

lethe_err lethe_log_cell(lethe_str in, lethe_buf *buf, lethe_str *out)
{
    bool invalid;
    *out = (lethe_str){"", 0};
    if (lethe_field_forbidden(in)) return LETHE_OK;
    LETHE_TRY(lethe_utf8_repair(lethe_field_trim(in), buf, out, &invalid));
    const lethe_row alone = {.user = *out};
    if (lethe_row_too_long(&alone)) *out = (lethe_str){"", 0};
    return LETHE_OK;
}

lethe_err lethe_log_cells_row(const lethe_log_cells *cells, lethe_log_cells_room *room,
                              lethe_row *row, bool *is_row)
{
    static const lethe_time_style style = {NULL, LETHE_DATE_UNKNOWN};
    const lethe_str all[] = {cells->user, cells->query, cells->time, cells->rank, cells->url};
    lethe_row r = {.time = LETHE_NO_TIME};
    bool invalid;
    *is_row = false;
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        if (lethe_field_forbidden(all[i])) return LETHE_OK;
    LETHE_TRY(lethe_log_cell(cells->user, &room->user, &r.user));
    LETHE_TRY(lethe_utf8_repair(lethe_field_trim(cells->url), &room->url, &r.url, &invalid));
    lethe_str time = lethe_field_trim(cells->time);
    if (r.user.n == 0 || (time.n > 0 && !lethe_time_read(&style, time, &r.time)) ||
        !lethe_field_rank(lethe_field_trim(cells->rank), &r.rank))
        return LETHE_OK;
    LETHE_TRY(lethe_normalize(cells->query, &room->query, &r.query, &invalid));
    if (r.query.n == 0 || lethe_row_too_long(&r)) return LETHE_OK;
    r.owner = r.user;
    *row = r;
    *is_row = true;
    return LETHE_OK;
}
