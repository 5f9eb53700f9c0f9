/* The person of a run as workers know it: an id that differs from that of all others, and says no name. Workers keep
 * apart by it what people must not share: what was built of their programs.
 */
#ifndef LAB_OWNER_H
#define LAB_OWNER_H

#include "store.h"

enum { LAB_OWNER_SIZE = 2 * 16 + 1 };

/* Writes the id of `requested_by` in this lab: hexadecimal, the same whenever it is asked for while the store can be
 * read. "" for the user who runs the lab, and for NULL: what workers keep is that user's. */
void lab_owner_id(struct lab_store *store, const char *requested_by, char id[LAB_OWNER_SIZE]);

#endif
