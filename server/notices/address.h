/* Which addresses a channel may have, and may connect to. */
#ifndef LAB_NOTICES_ADDRESS_H
#define LAB_NOTICES_ADDRESS_H

#include "notices.h"

#include <sys/socket.h>

/* Whether an address is one of the public internet: not of this machine, a private network, a link, or another special
 * range (IANA's registries of special-purpose addresses). */
bool lab_address_is_public(const struct sockaddr *address);
/* Whether an address is of this machine. */
bool lab_address_is_own(const struct sockaddr *address);
/* The port of an IPv4 or IPv6 address; 0 of another. */
unsigned lab_address_port(const struct sockaddr *address);

#endif
