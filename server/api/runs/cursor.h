/* Cursors of the list of runs. A cursor is the text in `next` of a page, from which the server finds where the next
 * page begins: after a run, in the list with certain filters (its scope). It is the base64url form of 21 bytes: a
 * version, the run's id and a checksum of the scope.
 *
 * The checksum detects a cursor that is used with other filters by mistake. It does not protect against edited cursors:
 * such a cursor is rejected or continues at another run, and it gives access to nothing that the list does not show.
 */
#ifndef LAB_CURSOR_H
#define LAB_CURSOR_H

#include "store.h"

#include <stdbool.h>

enum { LAB_CURSOR_SIZE = 29 }; /* with the NUL */

enum lab_cursor_result {
    LAB_CURSOR_OK,
    LAB_CURSOR_MALFORMED,   /* not a cursor of this version */
    LAB_CURSOR_OTHER_SCOPE, /* a cursor of a list with other filters */
};

/* Writes the cursor to the runs older than `id` within `scope`. False when `id` is not a run id (a UUID in lower
 * case). */
bool lab_cursor_write(const char *scope, const char *id, char text[LAB_CURSOR_SIZE]);
/* Reads the run id of a cursor. `id` is set only with LAB_CURSOR_OK. */
enum lab_cursor_result lab_cursor_read(const char *scope, const char *text, char id[LAB_RUN_ID_SIZE]);

#endif
