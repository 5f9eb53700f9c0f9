#include "clients.h"

#include "hash.h"

#include <netinet/in.h>
#include <stdlib.h>

enum { BUCKETS = 1024 };

LIST_HEAD(client_list, lab_address);

struct lab_clients {
    size_t all[LAB_SHARES], local[LAB_SHARES], remote[LAB_SHARES]; /* limits: of all clients together, of each */
    size_t used[LAB_SHARES], closing;                              /* by all clients together; see struct lab_address */
    struct client_list buckets[BUCKETS];
    size_t most, counts;           /* connections of the client that has most; length of of_count */
    struct client_list of_count[]; /* element n: the clients with n connections */
};

struct lab_clients *lab_clients_create(size_t connections)
{
    /* Connections that libmicrohttpd has yet to close are counted beside their successors. */
    size_t counts = 2 * connections + 1;
    struct lab_clients *clients = calloc(1, sizeof *clients + counts * sizeof clients->of_count[0]);
    if (clients == NULL)
        return NULL;
    clients->counts = counts;
    const size_t all[LAB_SHARES] = {
        [LAB_SHARE_CONNECTIONS] = connections,
        [LAB_SHARE_STREAMS] = connections / 2, /* the other half is for requests */
        [LAB_SHARE_REQUESTS] = LAB_REQUESTS_MAX,
    };
    for (size_t i = 0; i < LAB_SHARES; i++) {
        clients->all[i] = all[i];
        clients->local[i] = all[i] - all[i] / 8;
        clients->remote[i] = all[i] / 4;
    }
    return clients;
}

void lab_clients_free(struct lab_clients *clients)
{
    free(clients);
}

/* Writes the key of an address; returns whether it is of this machine. */
static bool make_key(const struct sockaddr *address, unsigned char key[16])
{
    enum { NETWORK_BYTES = 8 };
    memset(key, 0, 16);
    if (address->sa_family == AF_INET) {
        const struct in_addr *four = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
        key[10] = key[11] = 0xFF;
        memcpy(key + 12, four, sizeof *four);
        return ntohl(four->s_addr) >> 24 == IN_LOOPBACKNET;
    }
    if (address->sa_family != AF_INET6)
        return true; /* the Unix socket */
    const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    bool is_mapped = IN6_IS_ADDR_V4MAPPED(six), is_loopback = IN6_IS_ADDR_LOOPBACK(six);
    memcpy(key, six, is_mapped || is_loopback ? sizeof *six : NETWORK_BYTES);
    return is_loopback || (is_mapped && six->s6_addr[12] == IN_LOOPBACKNET);
}

static const struct client_list *bucket_of(const struct lab_clients *clients, const unsigned char key[16])
{
    return &clients->buckets[lab_hash(key, 16) % BUCKETS];
}

struct lab_address *lab_clients_find(const struct lab_clients *clients, const struct sockaddr *address)
{
    unsigned char key[16];
    struct lab_address *client;
    make_key(address, key);
    LIST_FOREACH (client, bucket_of(clients, key), in_bucket)
        if (memcmp(client->key, key, sizeof key) == 0)
            return client;
    return NULL;
}

/* Changes the number of the client's connections, and moves it to the list of that number. */
static void set_connections(struct lab_clients *clients, struct lab_address *client, size_t count)
{
    size_t before = client->used[LAB_SHARE_CONNECTIONS];
    if (before > 0)
        LIST_REMOVE(client, of_count);
    client->used[LAB_SHARE_CONNECTIONS] = count;
    clients->used[LAB_SHARE_CONNECTIONS] += count - before;
    if (count > 0)
        LIST_INSERT_HEAD(&clients->of_count[count < clients->counts ? count : clients->counts - 1], client, of_count);
    if (count > clients->most)
        clients->most = count < clients->counts ? count : clients->counts - 1;
    while (clients->most > 0 && LIST_EMPTY(&clients->of_count[clients->most]))
        clients->most--;
}

struct lab_address *lab_clients_join(struct lab_clients *clients, const struct sockaddr *address)
{
    struct lab_address *client = lab_clients_find(clients, address);
    if (client == NULL) {
        client = calloc(1, sizeof *client);
        if (client == NULL)
            return NULL;
        client->is_local = make_key(address, client->key);
        TAILQ_INIT(&client->waiting);
        LIST_INSERT_HEAD((struct client_list *)(uintptr_t)bucket_of(clients, client->key), client, in_bucket);
    }
    set_connections(clients, client, client->used[LAB_SHARE_CONNECTIONS] + 1);
    return client;
}

void lab_clients_note_closing(struct lab_clients *clients, struct lab_address *client)
{
    client->closing++;
    clients->closing++;
}

size_t lab_clients_closing(const struct lab_clients *clients)
{
    return clients->closing;
}

void lab_clients_leave(struct lab_clients *clients, struct lab_address *client, bool was_closing)
{
    client->closing -= was_closing;
    clients->closing -= was_closing;
    set_connections(clients, client, client->used[LAB_SHARE_CONNECTIONS] - 1);
    if (client->used[LAB_SHARE_CONNECTIONS] > 0)
        return;
    LIST_REMOVE(client, in_bucket);
    free(client);
}

bool lab_clients_is_full(const struct lab_clients *clients, const struct lab_address *client, enum lab_share share)
{
    bool of_connections = share == LAB_SHARE_CONNECTIONS;
    if (client == NULL)
        return clients->used[share] - (of_connections ? clients->closing : 0) >= clients->all[share];
    const size_t *limits = client->is_local ? clients->local : clients->remote;
    return client->used[share] - (of_connections ? client->closing : 0) >= limits[share];
}

bool lab_clients_take(struct lab_clients *clients, struct lab_address *client, enum lab_share share)
{
    if (lab_clients_is_full(clients, NULL, share) || lab_clients_is_full(clients, client, share))
        return false;
    clients->used[share]++;
    client->used[share]++;
    return true;
}

void lab_clients_give_back(struct lab_clients *clients, struct lab_address *client, enum lab_share share)
{
    clients->used[share]--;
    client->used[share]--;
}

struct lab_connection *lab_clients_longest_waiting(const struct lab_clients *clients, const struct lab_address *client)
{
    if (client != NULL)
        return TAILQ_FIRST(&client->waiting);
    for (size_t count = clients->most; count > 0; count--)
        LIST_FOREACH (client, &clients->of_count[count], of_count)
            if (!TAILQ_EMPTY(&client->waiting))
                return TAILQ_FIRST(&client->waiting);
    return NULL;
}
