/* The notices of a lab: the kinds of channels, and the thread that sends what waits in the database
 * (lab_store_add_notice). */
#ifndef LAB_NOTICES_H
#define LAB_NOTICES_H

#include "store.h"

#include <stdbool.h>

/* --- channels ----------------------------------------------------------------------------------------------------- */

enum lab_channel_kind { LAB_CHANNEL_WEBHOOK, LAB_CHANNEL_SLACK, LAB_CHANNEL_MATRIX, LAB_CHANNEL_EMAIL };

/* By enum lab_channel_kind; ends with NULL. */
extern const char *const lab_channel_kinds[];

/* Whether a text can be the address of such a channel: a URL of http or https, of e-mail one of smtp or smtps, without
 * user, password and fragment. Whether it leads to an allowed machine is known when it is connected to. */
bool lab_channel_address_is_valid(enum lab_channel_kind kind, const char *address);
/* Whether a text is an address of e-mail of letters, digits and . _ + - around one @. */
bool lab_mail_address_is_valid(const char *address);

/* --- sending ------------------------------------------------------------------------------------------------------ */

struct lab_notices;

/* Starts the thread. `own_port`: the lab's TCP port, to which no channel may lead; 0: none. NULL when out of memory, or
 * when no more threads are allowed. */
struct lab_notices *lab_notices_start(struct lab_store *store, unsigned own_port);
/* Gives up the attempts in progress and ends the thread. NULL is allowed and does nothing. */
void lab_notices_stop(struct lab_notices *notices);

#endif
