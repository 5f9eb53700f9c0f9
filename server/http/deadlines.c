#include "deadlines.h"

#include "clock.h"
#include "connection.h"
#include "server.h"

#include <sys/socket.h>

/* Whether a connection has waited for its next request for at least a second. A client that sends one request after
 * another is between two of them only for a moment. */
static bool is_idle(const struct lab_http *http, const struct lab_connection *connection, int64_t deadline_ms,
                    int64_t now_ms)
{
    enum { IDLE_MS_MIN = 1000 };
    int64_t since_ms = deadline_ms - (int64_t)(http->deadlines.idle_s * 1e3);
    return atomic_load(&connection->idle) && now_ms - since_ms >= IDLE_MS_MIN;
}

void lab_deadlines_enforce(struct lab_http *http)
{
    struct lab_connection *each;
    int64_t now_ms = lab_now_ms();
    pthread_mutex_lock(&http->connections_lock);
    bool full = atomic_load(&http->connection_count) >= LAB_CONNECTIONS_MAX;
    LIST_FOREACH (each, &http->connections, link) {
        int64_t deadline_ms = atomic_load(&each->deadline_ms);
        bool missed = deadline_ms != LAB_NO_DEADLINE && deadline_ms <= now_ms;
        if (missed || (full && is_idle(http, each, deadline_ms, now_ms)))
            shutdown(each->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&http->connections_lock);
}

int lab_deadlines_tick_ms(const struct lab_http_deadlines *deadlines)
{
    enum { TICK_MS_MIN = 20, TICK_MS_MAX = 1000, TICKS_PER_DEADLINE = 4 };
    const double seconds[] = {deadlines->header_s, deadlines->body_s,  deadlines->idle_s,
                              deadlines->answer_s, deadlines->stall_s, deadlines->heartbeat_s};
    int tick_ms = TICK_MS_MAX;
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++)
        if (seconds[i] * 1e3 / TICKS_PER_DEADLINE < tick_ms)
            tick_ms = (int)(seconds[i] * 1e3 / TICKS_PER_DEADLINE);
    return tick_ms > TICK_MS_MIN ? tick_ms : TICK_MS_MIN;
}
