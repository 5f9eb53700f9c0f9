/* Enforces the connections' deadlines, because libmicrohttpd's own timeout restarts with every byte. */
#ifndef LAB_HTTP_DEADLINES_H
#define LAB_HTTP_DEADLINES_H

#include "http/http.h"

/* Shuts down connections that have missed their deadline and, when LAB_CONNECTIONS_MAX are open, idle ones;
 * libmicrohttpd then closes them. */
void lab_deadlines_enforce(struct lab_http *http);
/* The interval in ms at which lab_deadlines_enforce and lab_streams_tick must be called; derived from the shortest of the
 * deadlines. */
int lab_deadlines_tick_ms(const struct lab_http_deadlines *deadlines);

#endif
