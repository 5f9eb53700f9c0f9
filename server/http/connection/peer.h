/* The other end of a connection. */
#ifndef LAB_HTTP_PEER_H
#define LAB_HTTP_PEER_H

#include "auth/identity.h"

#include <netinet/in.h>
#include <sys/types.h>

struct lab_peer {
    char address[INET6_ADDRSTRLEN]; /* without port; "unix" for the Unix socket */
    char network[INET6_ADDRSTRLEN]; /* the same of IPv4; of IPv6 its first 64 bits, because one client has all others */
    bool loopback;                  /* on this machine, by TCP */
    bool local;                     /* on the Unix socket; `user` is then who opened it */
    uid_t user;
};

/* Reads who is connected to the socket. */
void lab_peer_read(int socket, struct lab_peer *peer);

/* The names of the users who can connect to a Unix socket of mode 0600. They are read once, because a look-up may wait
 * for a directory service. */
struct lab_users {
    struct {
        uid_t id;
        char name[LAB_PERSON_MAX + 1];
    } own, root;
};
void lab_users_read(struct lab_users *users);
/* Writes the user's name; "uid N" for others than the server's own user and root. */
void lab_users_name(const struct lab_users *users, uid_t id, char name[LAB_PERSON_MAX + 1]);

#endif
