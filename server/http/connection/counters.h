/* Counts what the server does (http/counters.h). */
#ifndef LAB_HTTP_CONNECTION_COUNTERS_H
#define LAB_HTTP_CONNECTION_COUNTERS_H

#include "http/counters.h"

/* NULL when out of memory; to be freed with free(). `routes` must outlive the counters. */
struct lab_http_counters *lab_counters_create(const struct lab_route *routes);
/* The response of the request begins. */
void lab_counters_add_response(const struct lab_request *request, int status, double duration_s);
void lab_counters_add_close(struct lab_http *http, enum lab_close_reason reason);

#endif
