/* Makes the response of a request: from the cache, on the thread that calls, or on a thread of the pool that its route
 * names. */
#include "clock.h"
#include "connection.h"
#include "server.h"
#include "static_file.h"

static bool has_handler(const struct lab_request *request)
{
    return request->rejection.status == 0 && request->route != NULL;
}

/* The pool that runs the request's handler; NULL when its response is made by the calling thread. */
static struct lab_pool *pool_of(const struct lab_request *request)
{
    return has_handler(request) ? request->connection->http->pools[request->route->thread] : NULL;
}

static void make(struct lab_request *request)
{
    struct lab_response *response = &request->response;
    if (request->rejection.status != 0)
        lab_respond_rejection(request, response);
    else if (request->file != NULL)
        lab_static_file_respond(request->file, request, response);
    else
        lab_request_handle(request, response);
    lab_response_make(response);
}

/* Runs on a thread of a pool. The request must not be used after its connection was resumed. */
static void run_job(struct lab_job *job)
{
    struct lab_request *request = (struct lab_request *)(void *)((char *)job - offsetof(struct lab_request, job));
    if (atomic_load(&request->connection->http->stopping))
        lab_request_reject(request, MHD_HTTP_SERVICE_UNAVAILABLE, false, "stopping", "The server is stopping.");
    make(request);
    MHD_resume_connection(request->connection->mhd);
}

/* The connection is suspended before the job is submitted, because a thread may resume it immediately. No deadline is
 * enforced meanwhile: libmicrohttpd does not close a suspended connection. */
static enum MHD_Result hand_over(struct lab_request *request, struct lab_pool *pool)
{
    struct lab_connection *connection = request->connection;
    request->handed_over = true;
    request->job.run = run_job;
    atomic_store(&connection->deadline_ms, LAB_NO_DEADLINE);
    MHD_suspend_connection(connection->mhd);
    if (!lab_pool_submit(pool, &request->job)) {
        lab_request_reject(request, MHD_HTTP_SERVICE_UNAVAILABLE, false, "too-busy",
                           "Too many requests are waiting; try again later.");
        make(request);
        MHD_resume_connection(connection->mhd);
    }
    return MHD_YES;
}

enum MHD_Result lab_request_answer(struct lab_request *request)
{
    struct lab_connection *connection = request->connection;
    struct lab_response *response = &request->response;
    if (!request->handed_over) {
        struct lab_pool *pool = pool_of(request);
        *response = (struct lab_response){.request = request};
        bool found = has_handler(request) && lab_response_from_cache(response);
        if (!found && pool != NULL)
            return hand_over(request, pool);
        if (!found)
            make(request);
    }
    atomic_store(&connection->deadline_ms, lab_after_ms(connection->http->deadlines.answer_s));
    enum MHD_Result result = lab_response_send(response);
    lab_response_free(response);
    return result;
}
