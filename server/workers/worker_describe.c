/* Exchanges hello with a worker and gets the description of its devices. */
#include "worker_state.h"

#include "nodes/transport.h"

#include "core/clock.h"
#include "core/protocol.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Sends hello and asks for the description. */
static bool send_first_operations(struct lab_worker *worker)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    json_t *hello = json_pack("{s:s, s:i, s:s}", "op", "hello", "version", LAB_PROTOCOL_VERSION, "host", host);
    json_t *describe = json_pack("{s:s}", "op", "describe");
    bool sent = lab_worker_send(worker, hello) && lab_worker_send(worker, describe);
    json_decref(hello);
    json_decref(describe);
    return sent;
}

/* Where the worker is, for messages. */
static const char *machine(const struct lab_worker *worker)
{
    return worker->transport != NULL ? lab_transport_name(worker->transport) : "this machine";
}

/* Whether the first event is the hello of a worker that speaks this protocol; else fills *error. */
static bool check_hello(const struct lab_worker *worker, const char *name, const json_t *event, struct lab_error *error)
{
    int version = (int)json_integer_value(json_object_get(event, "version"));
    if (strcmp(name, "hello") != 0)
        return lab_error_set(error, LAB_ERROR_WORKER_PROTOCOL, "",
                             "The worker on %s did not send the version of its protocol: it is older than this "
                             "server. Install the same version of gpulab for both.",
                             machine(worker));
    return version == LAB_PROTOCOL_VERSION ||
           lab_error_set(error, LAB_ERROR_WORKER_PROTOCOL, "",
                         "The worker on %s speaks version %d of the worker protocol, this server version %d. Install "
                         "the same version of gpulab for both.",
                         machine(worker), version, LAB_PROTOCOL_VERSION);
}

/* Takes the events that have been received. Returns the description, or NULL; then error->code is set if the worker
 * cannot be used. */
static json_t *take_description(struct lab_worker *worker, struct lab_error *error)
{
    const char *name;
    for (json_t *event; (event = lab_worker_next_event(worker, &name)) != NULL; json_decref(event)) {
        if (!worker->greeted && !check_hello(worker, name, event, error)) {
            json_decref(event);
            return NULL;
        }
        worker->greeted = true;
        if (strcmp(name, "description") == 0)
            return event;
    }
    return NULL;
}

static void explain_silence(const struct lab_worker *worker, double timeout_s, struct lab_error *error)
{
    if (worker->greeted)
        lab_error_set(error, LAB_ERROR_WORKER_SILENT, "",
                      "The worker on %s did not list its devices within %g s. Its device driver may hang.",
                      machine(worker), timeout_s);
    else
        lab_error_set(
            error, LAB_ERROR_WORKER_SILENT, "",
            "The worker on %s sent nothing within %g s. It may be older than this server, or its machine hangs.",
            machine(worker), timeout_s);
}

json_t *lab_worker_describe(struct lab_worker *worker, double timeout_s, struct lab_error *error)
{
    double deadline = lab_clock_now() + timeout_s;
    *error = (struct lab_error){0};
    if (!send_first_operations(worker)) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "No memory for a request to the worker.");
        return NULL;
    }
    for (bool ended = false;;) {
        json_t *description = take_description(worker, error);
        if (description != NULL || error->code != LAB_ERROR_NONE)
            return description;
        if (worker->violation != NULL || ended) {
            lab_worker_explain_end(worker, error);
            return NULL;
        }
        if (atomic_load(&worker->cancelled)) {
            lab_error_set(error, LAB_ERROR_CANCELLED, "", "The worker was stopped while it was listing its devices.");
            return NULL;
        }
        if (lab_clock_now() >= deadline) {
            explain_silence(worker, timeout_s, error);
            return NULL;
        }
        lab_worker_wait(worker,
                        worker->reader.ended ? fmin(deadline, lab_clock_now() + LAB_POLL_INTERVAL_S) : deadline);
        ended = lab_process_ended(&worker->process);
        lab_worker_transfer(worker); /* reads what it sent before it ended */
    }
}
