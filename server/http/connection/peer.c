#include "peer.h"

#include "core/user.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An IPv4 client of a socket for both families has an IPv4-mapped address; it is written as IPv4. */
static void write_six(const struct in6_addr *six, struct lab_peer *peer)
{
    if (IN6_IS_ADDR_V4MAPPED(six)) {
        inet_ntop(AF_INET, six->s6_addr + 12, peer->address, sizeof peer->address);
        peer->loopback = six->s6_addr[12] == IN_LOOPBACKNET;
        memcpy(peer->network, peer->address, sizeof peer->network);
    } else {
        struct in6_addr network = *six;
        memset(network.s6_addr + 8, 0, 8);
        inet_ntop(AF_INET6, six, peer->address, sizeof peer->address);
        inet_ntop(AF_INET6, &network, peer->network, sizeof peer->network);
        peer->loopback = IN6_IS_ADDR_LOOPBACK(six);
    }
}

void lab_peer_read(int socket, struct lab_peer *peer)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    *peer = (struct lab_peer){.address = "unknown"};
    if (getpeername(socket, (struct sockaddr *)&address, &length) != 0)
        return;
    if (address.ss_family == AF_INET) {
        const struct in_addr *four = &((const struct sockaddr_in *)&address)->sin_addr;
        inet_ntop(AF_INET, four, peer->address, sizeof peer->address);
        memcpy(peer->network, peer->address, sizeof peer->network);
        peer->loopback = ntohl(four->s_addr) >> 24 == IN_LOOPBACKNET;
    } else if (address.ss_family == AF_INET6) {
        write_six(&((const struct sockaddr_in6 *)&address)->sin6_addr, peer);
    } else if (address.ss_family == AF_UNIX && getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
        snprintf(peer->address, sizeof peer->address, "unix");
        peer->local = true;
        peer->user = credentials.uid;
    }
}

void lab_users_read(struct lab_users *users)
{
    users->own.id = geteuid();
    users->root.id = 0;
    lab_user_name(users->own.id, users->own.name, sizeof users->own.name);
    lab_user_name(users->root.id, users->root.name, sizeof users->root.name);
}

void lab_users_name(const struct lab_users *users, uid_t id, char name[LAB_PERSON_MAX + 1])
{
    if (id == users->own.id)
        memcpy(name, users->own.name, sizeof users->own.name);
    else if (id == users->root.id)
        memcpy(name, users->root.name, sizeof users->root.name);
    else
        snprintf(name, LAB_PERSON_MAX + 1, "uid %u", (unsigned)id);
}
