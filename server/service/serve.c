/* gpulab serve: runs a lab until a signal stops it. */
#include "serve.h"

#include "service.h"
#include "systemd.h"

#include "core/clock.h"
#include "core/journal.h"
#include "http/listen.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const char usage[] =
    "Usage: gpulab serve [OPTIONS]\n\n"
    "Serves the web page and the HTTP API and runs the queued experiments, one at a time on each\n"
    "machine. Prints 'listening on http://...' when it is ready. While no worker answers, the history\n"
    "is served and runs stay queued. SIGTERM or Ctrl-C stops it: the run in progress gets the status\n"
    "'interrupted', queued runs are kept for the next start. SIGHUP reads the TLS certificate\n"
    "again and opens the logs again.\n";

/* The address is printed when the devices are known, so that a script that waits for it can submit runs at once. A
 * driver that hangs delays it by this long only. */
static const double worker_wait_s = 5;

/* Waits until the devices are known; ends when a signal arrives. */
static void await_worker(const struct lab_service *service, int signals)
{
    struct pollfd arrived = {.fd = signals, .events = POLLIN};
    for (double left_s = worker_wait_s; left_s > 0 && poll(&arrived, 1, 0) == 0; left_s -= 0.1)
        if (lab_jobs_await_worker(service->jobs, 0.1))
            return;
}

/* How often systemd is told what the lab does; more often where its watchdog wants that. */
static const double tell_s = 10;

/* Tells systemd what the lab does, and by that that it lives: the queue and the HTTP server are asked, and where one of
 * their locks is never given back, systemd hears nothing more and starts the lab again. */
static void tell_status(const struct lab_service *service, const struct lab_systemd *systemd)
{
    struct lab_queue_state queue;
    if (systemd->socket < 0)
        return;
    lab_jobs_queue(service->jobs, &queue);
    size_t clients = lab_http_clients(service->http);
    lab_systemd_tell(systemd, "READY=1\nWATCHDOG=1");
    lab_systemd_tell(systemd, "STATUS=%s, %zu running, %zu queued%s, %zu clients%s%.200s",
                     lab_http_address(service->http), queue.running, queue.length, queue.paused ? " (paused)" : "",
                     clients, queue.held[0] != '\0' ? "; no run is started: " : "", queue.held);
}

static void reload(struct lab_service *service, const struct lab_systemd *systemd)
{
    lab_systemd_tell(systemd, "RELOADING=1\nMONOTONIC_USEC=%.0f", lab_clock_now() * 1e6);
    lab_service_reload(service);
    tell_status(service, systemd);
}

/* Returns when a signal asks the lab to stop. SIGHUP is such a signal only when the lab was started from a terminal,
 * which has been closed then; otherwise it reloads. */
static void wait_for_stop(struct lab_service *service, int signals, const struct lab_systemd *systemd)
{
    double pause_s = systemd->watchdog_s > 0 ? fmin(tell_s, systemd->watchdog_s / 3) : tell_s;
    int pause_ms = systemd->socket >= 0 ? (int)ceil(pause_s * 1e3) : -1;
    struct pollfd wait = {.fd = signals, .events = POLLIN};
    bool from_terminal = isatty(STDIN_FILENO);
    for (;;) {
        tell_status(service, systemd);
        poll(&wait, 1, pause_ms);
        int signal = lab_signals_read(signals);
        if (signal == SIGHUP && !from_terminal)
            reload(service, systemd);
        else if (signal != 0)
            return;
    }
}

static int serve(struct lab_config *config, const struct lab_serving *serving)
{
    struct lab_service service = {0};
    struct lab_error error = {0};
    struct lab_systemd systemd;
    lab_systemd_open(&systemd);
    int signals = lab_signals_open();
    enum lab_exit_code code = lab_service_start(&service, config, serving, &error);
    if (code == LAB_EXIT_OK && !lab_service_listen(&service, config, serving, &error))
        code = LAB_EXIT_ERROR;
    if (code == LAB_EXIT_OK) {
        if (config->socket_path[0] == '\0')
            lab_journal(LAB_SEVERITY_WARNING,
                        "the database's path is too long for a Unix socket beside it: other gpulab commands "
                        "reach this lab only with --server.");
        await_worker(&service, signals);
        printf("listening on %s\n", lab_http_address(service.http));
        fflush(stdout);
        wait_for_stop(&service, signals, &systemd);
    } else {
        lab_print_error(&error);
    }
    lab_systemd_tell(&systemd, "STOPPING=1\nSTATUS=stopping");
    if (!lab_service_stop(&service))
        _exit(LAB_EXIT_ERROR);
    lab_systemd_close(&systemd);
    lab_config_release(config);
    close(signals);
    return code;
}

static void check_origins(const struct lab_serving *serving, const char *option, const struct lab_texts *origins,
                          struct lab_errors *errors)
{
    for (size_t i = 0; i < origins->count; i++)
        if (!lab_origin_is_valid(origins->items[i]))
            lab_errors_add(errors, LAB_ERROR_USAGE, option,
                           "must be an origin in lower case, such as https://wiki.example or http://10.0.0.7:3000, not "
                           "'%s'",
                           origins->items[i]);
    if (origins->count > 0 && !serving->anonymous)
        lab_errors_add(errors, LAB_ERROR_USAGE, option,
                       "needs --anonymous: other sites read only what everyone may, without a token");
}

static bool check(struct lab_serving *serving, const struct lab_arguments *arguments, struct lab_errors *errors)
{
    struct lab_error error;
    if (arguments->words.count > 0)
        lab_errors_add(errors, LAB_ERROR_USAGE, arguments->words.items[0],
                       "unexpected argument: 'gpulab serve' has only options; see --help");
    if ((serving->tls_cert != NULL) != (serving->tls_key != NULL))
        lab_errors_add(errors, LAB_ERROR_USAGE, serving->tls_cert != NULL ? "--tls-key" : "--tls-cert",
                       "is missing: a certificate and its key are given together");
    if (serving->anonymous && serving->insecure)
        lab_errors_add(errors, LAB_ERROR_USAGE, "--insecure",
                       "cannot be combined with --anonymous: one lets everyone run experiments, the other only read");
    check_origins(serving, "--frame-ancestors", &serving->frame_ancestors, errors);
    check_origins(serving, "--cors-origin", &serving->cors_origins, errors);
    if (serving->base_path != NULL && !lab_base_path_is_valid(serving->base_path))
        lab_errors_add(
            errors, LAB_ERROR_USAGE, "--base-path",
            "must be a path such as /lab: '/' before each name, names of letters, digits, - and _, no '/' at "
            "the end, and not below /api");
    if (!lab_listen_check(serving->listen, &serving->loopback, &error))
        lab_errors_add(errors, error.code, error.pointer, "%s", error.detail);
    return errors->count == 0;
}

int lab_command_serve(const struct lab_invocation *invocation)
{
    struct lab_config config = {0};
    struct lab_serving serving = {0};
    struct lab_arguments arguments = {0};
    struct lab_errors errors = {0};
    const struct lab_option_group groups[] = {
        {"Serving", lab_serving_options, &serving},
        {"Database", lab_database_options, &config},
        {"Worker", lab_worker_options_table, &config},
        {0},
    };
    bool understood = lab_options_parse(groups, invocation->argc, invocation->argv, &arguments, &errors);
    if (arguments.help) {
        fputs(usage, stdout);
        lab_options_help(stdout, groups);
        fputs(lab_exit_help, stdout);
        return LAB_EXIT_OK;
    }
    if (!understood || !check(&serving, &arguments, &errors) || !lab_config_complete(&config, &errors)) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    return serve(&config, &serving);
}
