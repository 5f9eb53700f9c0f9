/* The HTTP API, version 1 (API.md): the table of its routes, and the state that their handlers use. */
#ifndef LAB_API_H
#define LAB_API_H

#include "auth/auth.h"
#include "compiler/compiler.h"
#include "http/http.h"
#include "jobs/jobs.h"
#include "store.h"

/* The `context` of lab_http_start. Its pointers are borrowed and must outlive the HTTP server. */
struct lab_api {
    struct lab_store *store;
    struct lab_jobs *jobs;
    struct lab_events *events;
    struct lab_compiler *compiler;
    struct lab_auth *auth;
    bool allow_programs;                 /* whoever has a token may have programs executed */
    const char *worker_path;             /* for /readyz */
    const char *folder;                  /* for temporary files */
    struct lab_figures *_Atomic figures; /* for /metrics; NULL: the lab is not watched (lab_watcher_start) */
    struct lab_http *_Atomic http;       /* for /metrics; NULL until the server listens */
};

/* Make the tokens of the store active; false when they cannot be read. */
bool lab_api_load_tokens(struct lab_store *store, struct lab_auth *auth);
/* Stores when tokens were last used, if that has changed since the last call. */
void lab_api_save_token_uses(struct lab_store *store, struct lab_auth *auth);

/* Starts the thread that watches the lab: it judges each run that ends, and the state of machines and disk, by what
 * people have chosen, and adds notices to those that wait (watching/watcher.c). NULL when out of memory, or when no
 * more threads are allowed. */
struct lab_watcher *lab_watcher_start(struct lab_api *api);
/* NULL is allowed and does nothing. */
void lab_watcher_stop(struct lab_watcher *watcher);

extern const struct lab_route lab_api_routes[]; /* ends with method NULL */
/* What pages of a lab that is open to everyone say of what they show (pages.c); ends with pattern NULL. */
extern const struct lab_page lab_api_pages[];
/* What clients see of them that may not see everything (visibility.h). */
extern const struct lab_http_guard lab_api_guard;

#endif
