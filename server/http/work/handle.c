/* Makes the response of a request: from the cache, on the thread that calls, or on a thread of the pool that its route
 * names. */
#include "work.h"

#include "http/intake/intake.h"
#include "http/output/output.h"

static bool has_handler(const struct lab_request *request)
{
    return request->rejection.error.code == LAB_ERROR_NONE && request->route != NULL;
}

/* The pool that runs the request's handler, or its page's; NULL when its response is made by the calling thread. */
static struct lab_pool *pool_of(const struct lab_request *request)
{
    struct lab_pool *const *pools = request->connection->http->pools;
    if (request->page != NULL && request->rejection.error.code == LAB_ERROR_NONE)
        return pools[LAB_ROUTE_READS];
    return has_handler(request) ? pools[request->route->thread] : NULL;
}

static bool is_admitted(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_http_guard *guard = lab_request_guard(request);
    return guard == NULL || guard->admits(request, response);
}

static void make(struct lab_request *request)
{
    struct lab_response *response = &request->response;
    bool again = request->pending != NULL; /* all was checked the first time */
    if (request->rejection.error.code != LAB_ERROR_NONE ||
        (!again && has_handler(request) && !lab_body_finish(request)))
        lab_respond_rejection(request, response);
    else if (request->file != NULL)
        lab_static_file_respond(request, response);
    else if (again || (lab_request_check(request, response) && is_admitted(request, response)))
        request->route->handle(request, response);
    if (!lab_pending_is_postponed(request->pending))
        lab_response_make(response);
}

/* Makes the response and resumes the connection, or leaves it suspended until the handler is to be called again. The
 * request must not be used afterwards, because other threads may use it. */
static void finish(struct lab_request *request)
{
    struct lab_connection *connection = request->connection;
    for (;;) {
        bool again = request->pending != NULL;
        if (atomic_load(&connection->http->stopping))
            lab_request_reject(request, false, LAB_ERROR_STOPPING, "The server is stopping.");
        else if (again)
            lab_access_check_again(request);
        make(request);
        if (!again)
            lab_connection_give_back(connection, LAB_SHARE_REQUESTS);
        if (!lab_pending_is_postponed(request->pending))
            break;
        if (lab_pending_suspend(request->pending, finish))
            return;
    }
    lab_pending_free(request->pending);
    request->pending = NULL;
    MHD_resume_connection(connection->mhd);
}

/* Runs on a thread of a pool. */
static void run_job(struct lab_job *job)
{
    finish((struct lab_request *)(void *)((char *)job - offsetof(struct lab_request, job)));
}

/* Suspends the connection before the job is submitted, because a thread may resume it immediately. */
static bool submit(struct lab_request *request, struct lab_pool *pool)
{
    struct lab_connection *connection = request->connection;
    if (!lab_connection_take(connection, LAB_SHARE_REQUESTS))
        return false;
    request->handed_over = true;
    request->job.run = run_job;
    lab_phase_enter(connection, LAB_PHASE_HANDLER);
    MHD_suspend_connection(connection->mhd);
    if (lab_pool_submit(pool, &request->job))
        return true;
    lab_connection_give_back(connection, LAB_SHARE_REQUESTS);
    MHD_resume_connection(connection->mhd);
    return false;
}

/* A request that the pool does not accept is rejected, or its page sent as it is: now, or when libmicrohttpd calls
 * again because the connection was suspended and resumed. */
static bool hand_over(struct lab_request *request, struct lab_pool *pool)
{
    if (submit(request, pool))
        return true;
    if (request->page == NULL)
        lab_request_reject(request, false, LAB_ERROR_TOO_BUSY,
                           "Too many requests are waiting, from this address or in all; try again later.");
    request->page = NULL;
    make(request);
    return request->handed_over;
}

/* Rejects the request in place of a response for which there is no memory. */
static void send_rejection(struct lab_request *request)
{
    lab_response_release(&request->response);
    request->response = (struct lab_response){.request = request};
    lab_request_reject(request, false, LAB_ERROR_TOO_BUSY,
                       "Too many responses wait for clients that are slow to read them; try again later.");
    make(request);
    lab_phase_enter(request->connection, LAB_PHASE_SENDING);
}

enum MHD_Result lab_request_handle(struct lab_request *request)
{
    struct lab_connection *connection = request->connection;
    struct lab_response *response = &request->response;
    if (!request->handed_over) {
        struct lab_pool *pool = pool_of(request);
        *response = (struct lab_response){.request = request};
        bool found = has_handler(request) && lab_response_from_cache(response);
        if (!found && pool != NULL && hand_over(request, pool))
            return MHD_YES;
        if (!found && pool == NULL)
            make(request);
    }
    if (!lab_phase_send(connection, response->shared == NULL ? response->length : 0))
        send_rejection(request);
    enum MHD_Result result = lab_response_send(response);
    lab_response_release(response);
    return result;
}
