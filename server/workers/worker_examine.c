/* Examines a machine with a worker that is started for that alone, and measures nothing. */
#include "worker.h"

#include "exchange.h"
#include "nodes/argv.h"
#include "nodes/transport.h"

#include "core/json_text.h"
#include "core/protocol.h"
#include "core/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Initialising the driver takes seconds on machines with many GPUs, and so does opening all libraries. */
static const double time_limit_s = 60;

/* NULL when out of memory. */
static char **make_command(const struct lab_worker_options *options, struct lab_transport *transport)
{
    const char *there = transport != NULL ? lab_transport_worker(transport) : NULL;
    struct lab_argv words = {0};
    lab_argv_add(&words, "%s", there != NULL ? there : options->path);
    lab_argv_add(&words, "--examine");
    lab_argv_add(&words, "--lock-dir");
    lab_argv_add(&words, "%s", options->lock_dir != NULL ? options->lock_dir : LAB_LOCK_DIR_DEFAULT);
    if (options->program_user != NULL) {
        lab_argv_add(&words, "--program-user");
        lab_argv_add(&words, "%s", options->program_user);
    }
    if (transport == NULL && options->database != NULL) {
        lab_argv_add(&words, "--database");
        lab_argv_add(&words, "%s", options->database);
    }
    char **command = lab_argv_take(&words);
    if (command == NULL || transport == NULL)
        return command;
    char **remote = lab_transport_command(transport, (const char *const *)command);
    lab_argv_free(command);
    return remote;
}

/* Why there is no document. */
static void explain(const struct lab_exchange *exchange, const char *machine, struct lab_error *error)
{
    char first[LAB_ERROR_OUTPUT_MAX];
    int length = (int)strcspn(exchange->errors, "\n");
    snprintf(first, sizeof first, "%.*s", length, exchange->errors);
    lab_utf8_replace_invalid(first);
    if (exchange->end == LAB_EXCHANGE_CANCELLED)
        lab_error_set(error, LAB_ERROR_CANCELLED, "", "The examination of %s was stopped.", machine);
    else if (exchange->end == LAB_EXCHANGE_TIMED_OUT)
        lab_error_set(error, LAB_ERROR_WORKER_SILENT, "",
                      "The worker on %s did not examine it within %g s. Its device driver may hang.", machine,
                      time_limit_s);
    else if (WIFSIGNALED(exchange->process.status))
        lab_error_set(error, LAB_ERROR_WORKER_DIED, "", "The worker that examined %s was ended by signal %d (%s).",
                      machine, WTERMSIG(exchange->process.status), strsignal(WTERMSIG(exchange->process.status)));
    else
        lab_error_set(error, LAB_ERROR_WORKER_DIED, "",
                      "The worker on %s examined nothing%s%s. It must be of the same version as this server.", machine,
                      first[0] != '\0' ? ": " : "", first);
}

/* The document that the worker has written, a new reference; NULL with *error. */
static json_t *read_document(const struct lab_exchange *exchange, const char *machine, struct lab_error *error)
{
    struct lab_json_fault fault;
    bool whole = exchange->end == LAB_EXCHANGE_ENDED && exchange->answer != NULL;
    json_t *document = whole ? lab_json_parse(exchange->answer, exchange->answer_length, &fault) : NULL;
    if (json_is_array(json_object_get(document, "findings")))
        return document;
    json_decref(document);
    explain(exchange, machine, error);
    return NULL;
}

json_t *lab_worker_examine(const struct lab_worker_options *options, const atomic_bool *cancel, struct lab_error *error)
{
    bool remote = options->transport != NULL && lab_transport_kind(options->transport) != LAB_TRANSPORT_LOCAL;
    const char *machine = remote ? lab_transport_name(options->transport) : "this machine";
    char **command = make_command(options, remote ? options->transport : NULL);
    struct lab_exchange exchange = {0};
    const struct lab_exchange_call call = {.path = command != NULL ? command[0] : "",
                                           .arguments = command,
                                           .request = "",
                                           .answer_max = LAB_LINE_MAX,
                                           .time_limit_s = time_limit_s,
                                           .cancel = cancel};
    int failed = command != NULL ? lab_exchange_run(&exchange, &call) : ENOMEM;
    json_t *document = NULL;
    if (failed == 0)
        document = read_document(&exchange, machine, error);
    else
        lab_error_set(error, LAB_ERROR_WORKER_START, "", "The worker %s cannot be started: %s.", options->path,
                      strerrordesc_np(failed));
    free(exchange.answer);
    lab_argv_free(command);
    return document;
}
