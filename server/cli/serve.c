/* gpulab serve: opens the store, starts the queue and listens, until a signal says stop. */
#include "rooms.h"

#include "api/api.h"
#include "http/http.h"

#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { BODY_MAX = 1024 * 1024 };

/* A stop takes at most 5 s: what is being answered gets the first part, the run under way the rest. */
static const double http_grace_s = 1.0, jobs_grace_s = 3.0;

/* All that serves, in the order in which it starts; what is NULL has not. */
struct service {
    struct lab_config config;
    struct lab_rooms rooms;
    struct lab_api api;
    struct lab_http *http;
};

static enum lab_exit_code start_http(struct service *service, struct lab_error *error)
{
    struct lab_config *config = &service->config;
    service->api = (struct lab_api){
        .store = service->rooms.store,
        .jobs = service->rooms.jobs,
        .events = service->rooms.events,
        .worker_path = config->worker_path,
    };
    if (!lab_api_open(&service->api, error))
        return LAB_EXIT_ERROR;
    const char *socket_path = lab_config_socket(config) ? config->socket_path : NULL;
    const struct lab_http_options options = {
        .listen = config->listen,
        .socket_path = socket_path,
        .allow_hosts = config->allow_hosts.items,
        .routes = lab_api_routes,
        .max_body_bytes = BODY_MAX,
        .context = &service->api,
    };
    if (socket_path == NULL)
        fprintf(stderr,
                "gpulab: the path of the database is too long for a socket beside it: commands of this machine "
                "need --server to find this lab.\n");
    service->http = lab_http_start(&options, error);
    if (service->http == NULL)
        return LAB_EXIT_ERROR;
    service->api.http = service->http;
    return LAB_EXIT_OK;
}

/* HTTP goes first, so that no handler meets a queue or a store that is gone. */
static void stop(struct service *service)
{
    if (service->http != NULL)
        lab_http_stop(service->http, http_grace_s);
    lab_rooms_close(&service->rooms, jobs_grace_s);
    lab_config_release(&service->config);
}

static void serve_until_told(const struct service *service, int signals)
{
    struct pollfd wait = {.fd = signals, .events = POLLIN};
    printf("listening on %s\n", lab_http_address(service->http));
    fflush(stdout);
    while (lab_signals_read(signals) == 0)
        poll(&wait, 1, -1);
}

static int serve(struct service *service)
{
    struct lab_error error = {0};
    int signals = lab_signals_open();
    enum lab_exit_code end = lab_rooms_open(&service->rooms, &service->config, service->config.db_path, &error);
    if (end == LAB_EXIT_OK)
        end = start_http(service, &error);
    if (end == LAB_EXIT_OK)
        serve_until_told(service, signals);
    else
        lab_print_error(&error);
    stop(service);
    close(signals);
    return end;
}

static bool check(struct lab_config *config, const struct lab_arguments *arguments, struct lab_errors *errors)
{
    if (arguments->words.count > 0)
        lab_errors_add(errors, "usage", arguments->words.items[0], "'serve' takes only options.");
    if (config->listen != NULL && !config->insecure && !lab_listen_is_loopback(config->listen))
        lab_errors_add(
            errors, "insecure", "--listen",
            "%s can be reached from beyond this machine, and anyone who reaches it could run experiments. Listen "
            "on 127.0.0.1 and tunnel (ssh -L 8080:127.0.0.1:8080), or say --insecure.",
            config->listen);
    return errors->count == 0;
}

int lab_command_serve(int argc, char **argv)
{
    struct service service = {0};
    struct lab_arguments arguments = {0};
    struct lab_errors errors = {0};
    const struct lab_option_group groups[] = {
        {"Serving", lab_serve_options, &service.config},
        {"Store", lab_store_options, &service.config},
        {"Worker", lab_worker_options_table, &service.config},
        {0},
    };
    bool understood = lab_options_parse(groups, argc, argv, &arguments, &errors);
    if (arguments.help) {
        printf(
            "Usage: gpulab serve [OPTIONS]\n\n"
            "Serves the page and the HTTP API, and runs what is queued, one run at a time. When it is ready it "
            "prints one\n"
            "line, 'listening on http://…'. SIGTERM or Ctrl-C stops it: the run under way becomes 'interrupted', "
            "what is\n"
            "queued is run after the next start.\n");
        lab_options_help(stdout, groups);
        fputs(lab_exit_help, stdout);
        return LAB_EXIT_OK;
    }
    /* An arena for each thread would keep what a run once needed; an idle lab is to be small, also on many cores. */
    mallopt(M_ARENA_MAX, 2);
    struct lab_error error;
    if (!understood || !check(&service.config, &arguments, &errors)) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    if (!lab_config_complete(&service.config, &error)) {
        lab_print_error(&error);
        return LAB_EXIT_USAGE;
    }
    return serve(&service);
}
