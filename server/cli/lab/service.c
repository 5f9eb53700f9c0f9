/* Starts and stops the parts of a lab. */
#include "service.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_KEPT = 4096, QUEUE_LIMIT = 1000, BODY_MAX = 1024 * 1024 };

/* Seconds that a stop waits for requests in progress, and seconds for the run in progress. */
static const double http_grace_s = 1.0, jobs_grace_s = 3.0;

static bool open_store(struct lab_service *service, const char *path, struct lab_error *error)
{
    char message[LAB_DETAIL_MAX];
    service->store = lab_store_open(path, message, sizeof message);
    return service->store != NULL || lab_error_set(error, errno == EBUSY ? "store-in-use" : "store", "", "%s", message);
}

static bool create_events(struct lab_service *service, struct lab_error *error)
{
    service->events = lab_events_create(EVENTS_KEPT);
    return service->events != NULL || lab_error_set(error, "out-of-memory", "", "Out of memory.");
}

static bool start_jobs(struct lab_service *service, const struct lab_config *config, struct lab_error *error)
{
    if (gethostname(service->host, sizeof service->host - 1) != 0)
        snprintf(service->host, sizeof service->host, "unknown");
    const struct lab_jobs_options options = {
        .worker = {.path = config->worker_path,
                   .runtime = config->runtime,
                   .host_devices = config->host_devices,
                   .lock_dir = config->lock_dir},
        .worker_idle_s = config->worker_idle_s,
        .queue_limit = QUEUE_LIMIT,
        .host = service->host,
    };
    service->jobs = lab_jobs_start(&options, service->store, service->events, error);
    return service->jobs != NULL;
}

static bool start_http(struct lab_service *service, struct lab_config *config, struct lab_error *error)
{
    service->api = (struct lab_api){
        .store = service->store,
        .jobs = service->jobs,
        .events = service->events,
        .worker_path = config->worker_path,
    };
    const struct lab_http_options options = {
        .listen = config->listen,
        .socket_path = lab_config_socket(config) ? config->socket_path : NULL,
        .allow_hosts = config->allow_hosts.items,
        .routes = lab_api_routes,
        .max_body_bytes = BODY_MAX,
        .context = &service->api,
    };
    service->http = lab_http_start(&options, error);
    service->api.http = service->http;
    return service->http != NULL;
}

enum lab_exit_code lab_service_start(struct lab_service *service, struct lab_config *config, struct lab_error *error)
{
    /* By default malloc keeps freed memory in one arena per thread; two arenas keep an idle lab small on many cores. */
    mallopt(M_ARENA_MAX, 2);
    if (!open_store(service, config->db_path, error) || !create_events(service, error))
        return LAB_EXIT_ERROR;
    if (!start_jobs(service, config, error))
        return strcmp(error->code, "store") == 0 ? LAB_EXIT_ERROR : LAB_EXIT_NO_DEVICE;
    return start_http(service, config, error) ? LAB_EXIT_OK : LAB_EXIT_ERROR;
}

bool lab_service_stop(struct lab_service *service)
{
    if (!lab_http_stop(service->http, http_grace_s)) {
        fprintf(stderr, "gpulab: A request did not end; stopping without it.\n");
        return false;
    }
    if (service->jobs != NULL)
        lab_jobs_stop(service->jobs, jobs_grace_s);
    lab_events_free(service->events);
    lab_store_close(service->store);
    *service = (struct lab_service){0};
    return true;
}
