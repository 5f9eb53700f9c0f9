/* The API, version 1: every route of it over the store, the queue and the event stream. Handlers are thin: they check
 * what came, ask the rooms behind, and answer. One table of routes (routes.c), one file a resource.
 */
#ifndef LAB_API_H
#define LAB_API_H

#include "cursor.h"

#include "http/http.h"
#include "jobs/jobs.h"

/* What the handlers work with: the context of lab_http_start. Borrowed pointers; they outlive the HTTP server. */
struct lab_api {
    struct lab_store *store;
    struct lab_jobs *jobs;
    struct lab_events *events;
    const char *worker_path;          /* for /readyz */
    struct lab_http *_Atomic http;    /* for /metrics; NULL until the server listens */
    struct lab_cursor_key cursor_key; /* of this store: cursors stay good over a restart */
    char epoch[17];                   /* of this process: generations start anew with each */
};

/* Reads the store's cursor key, or makes one. The borrowed pointers are already set. False with *error. */
bool lab_api_open(struct lab_api *api, struct lab_error *error);

extern const struct lab_route lab_api_routes[];

#endif
