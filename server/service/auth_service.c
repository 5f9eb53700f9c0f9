#include "auth_service.h"

#include "api/api.h"
#include "auth/log.h"

#include <string.h>

static const double save_interval_s = 60;

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static bool load_tokens(struct lab_auth_service *service, const struct lab_serving *serving, struct lab_error *error)
{
    bool reachable = serving->listen != NULL && !serving->loopback && !serving->insecure;
    service->auth = lab_auth_create(&(struct lab_auth_options){
        .demand_tokens = reachable, .anonymous = serving->anonymous, .rate_limit = serving->rate_limit});
    if (service->auth == NULL)
        return lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
    if (!lab_api_load_tokens(service->store, service->auth))
        return lab_error_set(error, LAB_ERROR_STORE, "", "%s", lab_store_message(service->store));
    if (lab_auth_has_tokens(service->auth))
        return true;
    if (serving->allow_programs)
        return lab_error_set(error, LAB_ERROR_NO_TOKEN, "--allow-programs",
                             "Without a token every user of this machine could run programs as the lab's user. Add one "
                             "with 'gpulab token add NAME --role operator', or leave --allow-programs out.");
    if (!reachable || serving->anonymous)
        return true;
    return lab_error_set(
        error, LAB_ERROR_NO_TOKEN, "--listen",
        "%s is reachable from other machines, and there is no token. Add one with 'gpulab token add NAME "
        "--role admin', listen on 127.0.0.1, or add --anonymous or --insecure.",
        serving->listen);
}

static bool save_uses(void *context)
{
    const struct lab_auth_service *service = context;
    lab_api_save_token_uses(service->store, service->auth);
    return false;
}

static bool start_saving(struct lab_auth_service *service, struct lab_error *error)
{
    return lab_periodic_start(&service->saving, save_interval_s, save_uses, service) ||
           lab_error_set(
               error, LAB_ERROR_OUT_OF_MEMORY, "",
               "No thread can be created: the limit of threads is reached. Raise it (ulimit -u, or TasksMax of the service).");
}

static void stop_saving(struct lab_auth_service *service)
{
    if (!service->saving.started)
        return;
    lab_periodic_stop(&service->saving);
    save_uses(service);
}

/* --- logs --------------------------------------------------------------------------------------------------------- */

static bool open_log(const char *path, struct lab_log **log, struct lab_error *error)
{
    *log = path != NULL ? lab_log_open(path, error) : NULL;
    return path == NULL || *log != NULL;
}

static bool open_logs(struct lab_http_logs *logs, const struct lab_serving *serving, struct lab_error *error)
{
    bool json = serving->log_format != NULL && strcmp(serving->log_format, "json") == 0;
    logs->format = json ? LAB_LOG_JSON : LAB_LOG_TEXT;
    return open_log(serving->access_log, &logs->access, error) && open_log(serving->audit_log, &logs->audit, error);
}

/* --- the service -------------------------------------------------------------------------------------------------- */

enum lab_exit_code lab_auth_service_start(struct lab_auth_service *service, struct lab_store *store,
                                          const struct lab_serving *serving, struct lab_error *error)
{
    service->store = store;
    if (load_tokens(service, serving, error) && open_logs(&service->logs, serving, error) &&
        start_saving(service, error))
        return LAB_EXIT_OK;
    return lab_exit_code_of(error->code);
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
    stop_saving(service);
    lab_auth_free(service->auth);
}
