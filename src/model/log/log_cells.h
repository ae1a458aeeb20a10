/* SPDX-License-Identifier: Apache-2.0 */
/* log_cells.h - cells of a row of a log that are at hand, taken as the reader of logs takes them
 * from a file. */
#ifndef LETHE_MODEL_LOG_LOG_CELLS_H
#define LETHE_MODEL_LOG_LOG_CELLS_H
#include "model/log/log.h"

/* A row as it is given; what is absent is empty. */
typedef struct lethe_log_cells {
    lethe_str user, query, time, rank, url;
} lethe_log_cells;

/* Where the texts of a row are that could not be views of its cells. */
typedef struct lethe_log_cells_room {
    lethe_buf user, query, url;
} lethe_log_cells_room;
void lethe_log_cells_room_free(lethe_log_cells_room *room);

/* A user or URL: trimmed, its bytes that are not UTF-8 replaced; empty where a reader would reject
 * its row.  A view of `in` or `buf`.  LETHE_ENOMEM, without a message. */
LETHE_MUST_CHECK lethe_err lethe_log_cell(lethe_str in, lethe_buf *buf, lethe_str *out);

/* The row; *is_row = false: a reader would reject it, or leave it out because it has no query.
 * Times are in the forms that tell themselves (time.h).  LETHE_ENOMEM, without a message. */
LETHE_MUST_CHECK lethe_err lethe_log_cells_row(const lethe_log_cells *cells,
                                               lethe_log_cells_room *room, lethe_row *row,
                                               bool *is_row);

#endif
