/* Cursors of the run list. A cursor says where the next page begins: after a run, in the list of one query (its scope).
 * It is base64url of 21 bytes: a version, the run's id and a checksum of the scope.
 *
 * The checksum finds a cursor that is used with another query by mistake; it is no protection, and needs none, because a
 * cursor gives access to nothing that the list does not show. An edited cursor is rejected or continues at another run.
 */
#ifndef LAB_CURSOR_H
#define LAB_CURSOR_H

#include "store.h"

#include <stdbool.h>

enum { LAB_CURSOR_SIZE = 29 }; /* with the NUL */

enum lab_cursor_result {
    LAB_CURSOR_OK,
    LAB_CURSOR_MALFORMED,   /* not a cursor of this version */
    LAB_CURSOR_OTHER_SCOPE, /* a cursor of another query */
};

/* Writes the cursor to the runs older than `id` within `scope`. False when `id` is not a run id (a UUID in lower case). */
bool lab_cursor_write(const char *scope, const char *id, char text[LAB_CURSOR_SIZE]);
/* Reads the run id of a cursor. `id` is set only with LAB_CURSOR_OK. */
enum lab_cursor_result lab_cursor_read(const char *scope, const char *text, char id[LAB_RUN_ID_SIZE]);

#endif
