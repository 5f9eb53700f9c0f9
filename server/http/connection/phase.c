#include "phase.h"

#include "connection.h"
#include "counters.h"

#include "core/clock.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

/* Bytes of responses after which free memory is given back to the system. */
enum { TRIMMED_MIN = 8 << 20 };

static int64_t ms(double seconds)
{
    return (int64_t)(seconds * 1e3);
}

/* --- phases ------------------------------------------------------------------------------------------------------- */

/* Puts the connection at the end of the list of those that wait for their client, or takes it out of the list. */
static void move(struct lab_connection *connection, bool is_waiting)
{
    struct lab_wait *wait = &connection->wait;
    if (wait->is_waiting)
        TAILQ_REMOVE(&connection->client->waiting, connection, wait.link);
    wait->is_waiting = is_waiting && !wait->is_closing;
    if (wait->is_waiting)
        TAILQ_INSERT_TAIL(&connection->client->waiting, connection, wait.link);
}

static void hold(struct lab_connection *connection, size_t bytes)
{
    struct lab_http *http = connection->http;
    http->held += bytes - connection->wait.held;
    http->held_most = http->held > http->held_most ? http->held : http->held_most;
    connection->wait.held = bytes;
}

static void enter(struct lab_connection *connection, enum lab_phase phase, size_t held)
{
    struct lab_wait *wait = &connection->wait;
    wait->phase = phase;
    wait->began_ms = wait->progress_ms = lab_clock_coarse_ms();
    wait->received = 0;
    wait->is_counted = wait->has_left = false;
    hold(connection, wait->is_closing ? 0 : held);
    move(connection, phase != LAB_PHASE_HANDLER && phase != LAB_PHASE_STREAM);
}

void lab_phase_enter(struct lab_connection *connection, enum lab_phase phase)
{
    pthread_mutex_lock(&connection->http->connections_lock);
    enter(connection, phase, 0);
    pthread_mutex_unlock(&connection->http->connections_lock);
}

static void note_progress(struct lab_connection *connection)
{
    connection->wait.progress_ms = lab_clock_coarse_ms();
    move(connection, true);
}

void lab_phase_received(struct lab_connection *connection, size_t bytes)
{
    pthread_mutex_lock(&connection->http->connections_lock);
    connection->wait.received += bytes;
    note_progress(connection);
    pthread_mutex_unlock(&connection->http->connections_lock);
}

void lab_phase_leave(struct lab_connection *connection)
{
    move(connection, false);
    hold(connection, 0);
}

/* --- deadlines ---------------------------------------------------------------------------------------------------- */

/* Writes a number that grows when the client accepts bytes, and is their number for TCP. For the Unix socket it is the
 * number of bytes that the client has not read yet, which changes. */
static bool read_accepted(int socket, uint64_t *accepted)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    int unread = 0;
    bool is_tcp = getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
                  size >= offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked;
    if (!is_tcp && ioctl(socket, SIOCOUTQ, &unread) != 0)
        return false;
    *accepted = is_tcp ? (uint64_t)info.tcpi_bytes_acked : (uint64_t)unread;
    return true;
}

/* The client must accept bytes all the time, and enough of them over the phase: libmicrohttpd does not say how many it
 * has sent. */
static bool is_sending_overdue(struct lab_connection *connection, int64_t now_ms)
{
    const struct lab_http_deadlines *deadlines = &connection->http->deadlines;
    struct lab_wait *wait = &connection->wait;
    uint64_t accepted;
    if (!read_accepted(connection->socket, &accepted))
        return false;
    if (!wait->is_counted)
        wait->accepted = wait->accepted_at_tick = accepted;
    wait->is_counted = true;
    if (accepted != wait->accepted)
        note_progress(connection);
    wait->accepted = accepted;
    int64_t counted_ms = now_ms - wait->began_ms - ms(deadlines->stall_s);
    bool is_tcp = !connection->peer.local;
    bool is_slow = is_tcp && counted_ms > 0 &&
                   (double)(accepted - wait->accepted_at_tick) < deadlines->bytes_per_s * (double)counted_ms / 1e3;
    return is_slow || now_ms - wait->progress_ms >= ms(deadlines->stall_s);
}

/* Whether the client has closed its side and nothing that it sent is left to read, now and at the last tick:
 * libmicrohttpd may be about to read the end of the request. */
static bool has_left(struct lab_connection *connection)
{
    int unread = 0;
    bool before = connection->wait.has_left;
    connection->wait.has_left =
        lab_connection_has_left(connection) && ioctl(connection->socket, FIONREAD, &unread) == 0 && unread == 0;
    return before && connection->wait.has_left;
}

static bool is_overdue(struct lab_connection *connection, int64_t now_ms)
{
    const struct lab_http_deadlines *deadlines = &connection->http->deadlines;
    const struct lab_wait *wait = &connection->wait;
    int64_t elapsed_ms = now_ms - wait->began_ms;
    switch (wait->phase) {
    case LAB_PHASE_HEADER:
        return elapsed_ms >= ms(deadlines->header_s) || has_left(connection);
    case LAB_PHASE_BODY:
        return elapsed_ms >= ms(deadlines->body_s + (double)wait->received / deadlines->bytes_per_s) ||
               has_left(connection);
    case LAB_PHASE_SENDING:
        return is_sending_overdue(connection, now_ms);
    case LAB_PHASE_IDLE:
        return elapsed_ms >= ms(deadlines->idle_s);
    case LAB_PHASE_HANDLER:
    case LAB_PHASE_STREAM:
        break;
    }
    return false;
}

static void shut_down(struct lab_connection *connection, enum lab_close_reason reason)
{
    lab_counters_add_close(connection->http, reason);
    connection->wait.is_closing = true;
    lab_clients_note_closing(connection->http->clients, connection->client);
    move(connection, false);
    hold(connection, 0);
    shutdown(connection->socket, SHUT_RDWR);
}

void lab_phases_enforce(struct lab_http *http)
{
    static const enum lab_close_reason reasons[] = {
        [LAB_PHASE_HEADER] = LAB_CLOSE_HEADER,
        [LAB_PHASE_BODY] = LAB_CLOSE_BODY,
        [LAB_PHASE_SENDING] = LAB_CLOSE_SENDING,
        [LAB_PHASE_IDLE] = LAB_CLOSE_IDLE,
    };
    struct lab_connection *each;
    int64_t now_ms = lab_clock_coarse_ms();
    pthread_mutex_lock(&http->connections_lock);
    LIST_FOREACH (each, &http->connections, link)
        if (!each->wait.is_closing && is_overdue(each, now_ms))
            shut_down(each, reasons[each->wait.phase]);
    bool is_over = http->held == 0 && http->held_most >= TRIMMED_MIN;
    if (is_over)
        http->held_most = 0;
    pthread_mutex_unlock(&http->connections_lock);
    if (is_over)
        malloc_trim(0); /* returns the memory of these responses' JSON documents, which malloc has kept */
}

/* --- places ------------------------------------------------------------------------------------------------------- */

bool lab_phases_make_room(struct lab_http *http, const struct sockaddr *address)
{
    pthread_mutex_lock(&http->connections_lock);
    const struct lab_address *client = lab_clients_find(http->clients, address);
    bool client_is_full = client != NULL && lab_clients_is_full(http->clients, client, LAB_SHARE_CONNECTIONS);
    bool is_full = client_is_full || lab_clients_is_full(http->clients, NULL, LAB_SHARE_CONNECTIONS);
    struct lab_connection *longest =
        is_full ? lab_clients_longest_waiting(http->clients, client_is_full ? client : NULL) : NULL;
    if (longest != NULL)
        shut_down(longest, LAB_CLOSE_REPLACED);
    else if (is_full)
        lab_counters_add_close(http, LAB_CLOSE_REFUSED);
    pthread_mutex_unlock(&http->connections_lock);
    return !is_full || longest != NULL;
}

void lab_phases_close_one(struct lab_http *http)
{
    pthread_mutex_lock(&http->connections_lock);
    struct lab_connection *longest =
        lab_clients_closing(http->clients) == 0 ? lab_clients_longest_waiting(http->clients, NULL) : NULL;
    if (longest != NULL)
        shut_down(longest, LAB_CLOSE_REPLACED);
    pthread_mutex_unlock(&http->connections_lock);
}

bool lab_connection_take(struct lab_connection *connection, enum lab_share share)
{
    struct lab_http *http = connection->http;
    pthread_mutex_lock(&http->connections_lock);
    bool taken = lab_clients_take(http->clients, connection->client, share);
    pthread_mutex_unlock(&http->connections_lock);
    return taken;
}

void lab_connection_give_back(struct lab_connection *connection, enum lab_share share)
{
    struct lab_http *http = connection->http;
    pthread_mutex_lock(&http->connections_lock);
    lab_clients_give_back(http->clients, connection->client, share);
    pthread_mutex_unlock(&http->connections_lock);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Of the connections whose clients accept nothing of a response in memory, the one where that has lasted longest. */
static struct lab_connection *longest_stalled(struct lab_http *http)
{
    struct lab_connection *each, *longest = NULL;
    int64_t before_ms = lab_clock_coarse_ms() - ms(http->deadlines.stall_s / 10);
    LIST_FOREACH (each, &http->connections, link)
        if (each->wait.held > 0 && each->wait.progress_ms <= before_ms) {
            before_ms = each->wait.progress_ms;
            longest = each;
        }
    return longest;
}

bool lab_phase_send(struct lab_connection *connection, size_t bytes)
{
    struct lab_http *http = connection->http;
    struct lab_connection *stalled;
    if (bytes <= LAB_CONNECTION_MEMORY)
        bytes = 0;
    pthread_mutex_lock(&http->connections_lock);
    while (bytes > 0 && http->held + bytes > LAB_HELD_MAX && (stalled = longest_stalled(http)) != NULL)
        shut_down(stalled, LAB_CLOSE_REPLACED);
    bool fits = bytes == 0 || http->held == 0 || http->held + bytes <= LAB_HELD_MAX;
    if (fits)
        enter(connection, LAB_PHASE_SENDING, bytes);
    pthread_mutex_unlock(&http->connections_lock);
    return fits;
}
