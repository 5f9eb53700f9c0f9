/* Cursors of the run list: where the next page begins, in a text that nobody but this store can make. A cursor belongs
 * to the query that it came with (its scope); with another one it is refused, as is one that was changed.
 */
#ifndef LAB_CURSOR_H
#define LAB_CURSOR_H

#include "siphash.h"

#include "store.h"

#include <stdbool.h>

/* base64url of the run id's 16 bytes and an 8-byte MAC, and the NUL. */
enum { LAB_CURSOR_SIZE = 33 };

struct lab_cursor_key {
    unsigned char bytes[LAB_SIPHASH_KEY_SIZE];
};

/* The store's key, made at random and kept in its settings at the first call. */
enum lab_store_result lab_cursor_key_load(struct lab_store *store, struct lab_cursor_key *key);

/* The cursor to the runs older than `id` within `scope`. False when `id` is no UUID. */
bool lab_cursor_write(const struct lab_cursor_key *key, const char *scope, const char *id, char text[LAB_CURSOR_SIZE]);
/* The run id in `text`; false when the text was not made by lab_cursor_write with this key and scope. */
bool lab_cursor_read(const struct lab_cursor_key *key, const char *scope, const char *text, char id[LAB_RUN_ID_SIZE]);

#endif
