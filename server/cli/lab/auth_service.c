#include "auth_service.h"

#include "api/api.h"
#include "auth/log.h"
#include "jobs/clock.h"
#include "jobs/thread.h"

#include <string.h>

static const double save_interval_s = 60;

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static bool load_tokens(struct lab_auth_service *service, const struct lab_config *config, struct lab_error *error)
{
    bool reachable = config->listen != NULL && !config->insecure && !lab_listen_is_loopback(config->listen);
    service->auth =
        lab_auth_create(&(struct lab_auth_options){.demand_tokens = reachable, .rate_limit = config->rate_limit});
    if (service->auth == NULL)
        return lab_error_set(error, "out-of-memory", "", "Out of memory.");
    if (!lab_api_load_tokens(service->store, service->auth))
        return lab_error_set(error, "store", "", "%s", lab_store_message(service->store));
    if (!reachable || lab_auth_has_tokens(service->auth))
        return true;
    return lab_error_set(
        error, "no-token", "--listen",
        "%s is reachable from other machines, and there is no token. Add one with 'gpulab token add NAME "
        "--role admin', listen on 127.0.0.1, or add --insecure.",
        config->listen);
}

/* Waits for the next time to save. False when the service is being stopped. */
static bool wait_for_interval(struct lab_auth_service *service)
{
    struct timespec until = lab_clock_moment(lab_clock_now() + save_interval_s);
    int result = 0;
    pthread_mutex_lock(&service->lock);
    while (!service->stop && result == 0)
        result = pthread_cond_timedwait(&service->wakeup, &service->lock, &until);
    bool stop = service->stop;
    pthread_mutex_unlock(&service->lock);
    return !stop;
}

static void *save_uses(void *context)
{
    struct lab_auth_service *service = context;
    while (wait_for_interval(service))
        lab_api_save_token_uses(service->store, service->auth);
    lab_api_save_token_uses(service->store, service->auth);
    return NULL;
}

static bool start_thread(struct lab_auth_service *service, struct lab_error *error)
{
    pthread_mutex_init(&service->lock, NULL);
    lab_condition_init(&service->wakeup);
    service->has_thread = lab_thread_start(&service->thread, save_uses, service) == 0;
    return service->has_thread || lab_error_set(error, "out-of-memory", "", "No more threads are allowed.");
}

static void stop_thread(struct lab_auth_service *service)
{
    if (!service->has_thread)
        return;
    pthread_mutex_lock(&service->lock);
    service->stop = true;
    pthread_cond_signal(&service->wakeup);
    pthread_mutex_unlock(&service->lock);
    pthread_join(service->thread, NULL);
    pthread_mutex_destroy(&service->lock);
    pthread_cond_destroy(&service->wakeup);
}

/* --- logs --------------------------------------------------------------------------------------------------------- */

static bool open_log(const char *path, struct lab_log **log, struct lab_error *error)
{
    *log = path != NULL ? lab_log_open(path, error) : NULL;
    return path == NULL || *log != NULL;
}

static bool open_logs(struct lab_http_logs *logs, const struct lab_config *config, struct lab_error *error)
{
    bool json = config->log_format != NULL && strcmp(config->log_format, "json") == 0;
    logs->format = json ? LAB_LOG_JSON : LAB_LOG_TEXT;
    return open_log(config->access_log, &logs->access, error) && open_log(config->audit_log, &logs->audit, error);
}

/* --- the service -------------------------------------------------------------------------------------------------- */

enum lab_exit_code lab_auth_service_start(struct lab_auth_service *service, struct lab_store *store,
                                          const struct lab_config *config, struct lab_error *error)
{
    service->store = store;
    if (load_tokens(service, config, error) && open_logs(&service->logs, config, error) && start_thread(service, error))
        return LAB_EXIT_OK;
    return strcmp(error->code, "no-token") == 0 ? LAB_EXIT_USAGE : LAB_EXIT_ERROR;
}

void lab_auth_service_reload(struct lab_auth_service *service)
{
    lab_log_reopen(service->logs.access);
    lab_log_reopen(service->logs.audit);
}

void lab_auth_service_stop(struct lab_auth_service *service)
{
    lab_log_close(service->logs.access);
    lab_log_close(service->logs.audit);
    stop_thread(service);
    lab_auth_free(service->auth);
}
