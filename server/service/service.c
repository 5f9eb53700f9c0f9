/* Starts and stops the parts of a lab. */
#include "service.h"

#include "thread.h"

#include "core/clock.h"
#include "core/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EVENTS_KEPT = 4096, QUEUE_LIMIT = 1000, BODY_MAX = 1024 * 1024 };

/* Seconds that a stop waits for requests in progress, until it kills the worker of the run in progress, and until it
 * gives up what hangs. The third is more than the sum of the others, so that the run can be recorded. */
static const double http_grace_s = 1.0, worker_grace_s = 2.4, stop_limit_s = 4.5;

static bool open_store(struct lab_service *service, const char *path, struct lab_error *error)
{
    char message[LAB_DETAIL_MAX];
    service->store = lab_store_open(path, message, sizeof message);
    return service->store != NULL ||
           lab_error_set(error, errno == EBUSY ? LAB_ERROR_STORE_IN_USE : LAB_ERROR_STORE, "", "%s", message);
}

static bool create_events(struct lab_service *service, struct lab_error *error)
{
    service->events = lab_events_create(EVENTS_KEPT);
    return service->events != NULL || lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

/* For struct lab_jobs_compiler. */
static json_t *service_compile(void *compiler, const json_t *request, struct lab_error *error)
{
    return lab_compile(compiler, request, error);
}

static bool start_jobs(struct lab_service *service, const struct lab_config *config, const struct lab_serving *serving,
                       struct lab_error *error)
{
    const struct lab_jobs_options options = {
        .nodes = service->nodes.nodes,
        .node_count = service->nodes.node_count,
        .here = lab_worker_here(config),
        .worker_idle_s = serving->worker_idle_s,
        .compile = {service_compile, service->compiler},
        .queue_limit = QUEUE_LIMIT,
        .program_limit = serving->program_limit,
        .hold = config->history ? "This lab only shows the history: no server is running on its database." : NULL,
        .quiet = serving->listen == NULL,
        .judges_kernels = getenv("GPULAB_JUDGE_KERNELS") != NULL,
    };
    service->jobs = lab_jobs_start(&options, service->store, service->events, error);
    return service->jobs != NULL;
}

static bool create_compiler(struct lab_service *service, const struct lab_config *config, struct lab_error *error)
{
    service->compiler = lab_compiler_create(&(struct lab_compiler_options){.path = config->compiler_path});
    return service->compiler != NULL || lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

/* The number of open descriptors among the first `limit`. */
static size_t count_open_files(rlim_t limit)
{
    enum { LOOKED_AT = 4096 };
    size_t count = 0;
    for (int i = 0; i < LOOKED_AT && (rlim_t)i < limit; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* Raises the limit of open files to the highest that is allowed, and sets how many connections it leaves: half of what
 * is not open yet, but not more than they need, is for the server's own sockets, the database, readers, and the workers
 * of the nodes. */
static bool choose_connections(size_t nodes, size_t *connections, struct lab_error *error)
{
    enum { OTHER_FILES = 512, NODE_FILES = 16, LEAST = 16, MOST = 16384 };
    struct rlimit files = {.rlim_cur = 2 * LEAST};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        rlim_t before = files.rlim_cur;
        files.rlim_cur = files.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &files) != 0)
            files.rlim_cur = before;
    }
    size_t open_files = count_open_files(files.rlim_cur);
    rlim_t left = files.rlim_cur - open_files, needed = OTHER_FILES + NODE_FILES * nodes,
           others = left / 2 < needed ? left / 2 : needed;
    *connections = left - others < MOST ? (size_t)(left - others) : MOST;
    return *connections >= LEAST ||
           lab_error_set(
               error, LAB_ERROR_TOO_FEW_FILES, "",
               "Cannot listen: this process may open %ju files, of which %zu are open, and needs %d more. Raise "
               "the limit (ulimit -n).",
               (uintmax_t)files.rlim_cur, open_files, 2 * LEAST);
}

/* Writes the folder of a file: "." for a file in the current one. */
static void write_folder(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, size, ".");
    else
        snprintf(folder, size, "%.*s", slash > path ? (int)(slash - path) : 1, path);
}

static bool start_retention(struct lab_service *service, const struct lab_serving *serving, struct lab_error *error)
{
    return lab_retention_start(&service->retention, service->store, serving->keep_samples_days) ||
           lab_error_set(
               error, LAB_ERROR_OUT_OF_MEMORY, "",
               "No thread can be created: the limit of threads is reached. Raise it (ulimit -u, or TasksMax of the service).");
}

enum lab_exit_code lab_service_start(struct lab_service *service, const struct lab_config *config,
                                     const struct lab_serving *serving, struct lab_error *error)
{
    /* malloc has several arenas for each core by default, each with freed memory; two keep an idle lab small. A fixed
     * threshold returns the memory of large responses to the system as soon as it is freed; by default malloc raises
     * the threshold to the size of what was freed, and then keeps blocks of that size. */
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    if (!open_store(service, config->db_path, error) || !create_events(service, error))
        return LAB_EXIT_ERROR;
    enum lab_exit_code code = lab_auth_service_start(&service->auth, service->store, serving, error);
    if (code != LAB_EXIT_OK)
        return code;
    if (!lab_node_service_init(&service->nodes, config, serving, error))
        return lab_exit_code_of(error->code);
    bool started = create_compiler(service, config, error) && start_jobs(service, config, serving, error) &&
                   start_retention(service, serving, error);
    return started ? LAB_EXIT_OK : LAB_EXIT_ERROR;
}

/* The port of "http://ADDRESS:PORT"; 0 for "". */
static unsigned port_of(const char *address)
{
    const char *colon = strrchr(address, ':');
    return colon != NULL ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

static bool start_notices(struct lab_service *service, struct lab_error *error)
{
    service->notices = lab_notices_start(service->store, port_of(lab_http_address(service->http)));
    service->watcher = service->notices != NULL ? lab_watcher_start(&service->api) : NULL;
    return service->watcher != NULL ||
           lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory, or no more threads are allowed.");
}

bool lab_service_listen(struct lab_service *service, struct lab_config *config, const struct lab_serving *serving,
                        struct lab_error *error)
{
    service->api = (struct lab_api){
        .store = service->store,
        .jobs = service->jobs,
        .events = service->events,
        .compiler = service->compiler,
        .auth = service->auth.auth,
        .allow_programs = serving->allow_programs,
        .worker_path = config->worker_path,
        .folder = service->folder,
    };
    write_folder(config->db_path, service->folder, sizeof service->folder);
    size_t connections;
    if (!choose_connections(service->nodes.node_count, &connections, error))
        return false;
    const struct lab_http_options options = {
        .listen = serving->listen,
        .tls_certificate = serving->tls_cert,
        .tls_key = serving->tls_key,
        .socket_path = lab_config_socket(config) ? config->socket_path : NULL,
        .allow_hosts = serving->allow_hosts.items,
        .base_path = serving->base_path,
        .frame_ancestors = serving->frame_ancestors.items,
        .cors_origins = serving->cors_origins.count > 0 ? serving->cors_origins.items : NULL,
        .routes = lab_api_routes,
        .pages = serving->anonymous ? lab_api_pages : NULL,
        .max_body_bytes = BODY_MAX,
        .spool_folder = service->folder,
        .auth = service->auth.auth,
        .guard = &lab_api_guard,
        .logs = service->auth.logs,
        .connections_max = connections,
        .context = &service->api,
    };
    service->http = lab_http_start(&options, error);
    service->api.http = service->http;
    return service->http != NULL && (serving->listen == NULL || start_notices(service, error));
}

static bool stop_compiling(struct lab_service *service)
{
    lab_compiler_stop(service->compiler);
    if (service->jobs != NULL)
        lab_jobs_end_waits(service->jobs);
    return true;
}

static bool stop_http(struct lab_service *service)
{
    return lab_http_stop(service->http, http_grace_s);
}

static bool stop_notices(struct lab_service *service)
{
    lab_watcher_stop(service->watcher);
    lab_notices_stop(service->notices);
    return true;
}

static bool stop_auth(struct lab_service *service)
{
    lab_retention_stop(&service->retention);
    lab_auth_service_stop(&service->auth);
    return true;
}

static bool stop_runs(struct lab_service *service)
{
    if (service->jobs != NULL)
        lab_jobs_stop(service->jobs, worker_grace_s);
    return true;
}

static bool close_store(struct lab_service *service)
{
    lab_store_close(service->store);
    return true;
}

static bool free_jobs(struct lab_service *service)
{
    if (service->jobs != NULL)
        lab_jobs_free(service->jobs);
    lab_node_service_release(&service->nodes);
    lab_compiler_free(service->compiler);
    lab_events_free(service->events);
    return true;
}

/* In this order: nothing uses a part that was stopped before it. */
static const struct {
    const char *name;                          /* in the message about a part that hangs */
    bool (*stop)(struct lab_service *service); /* false: a thread of it hangs */
} parts[] = {
    {"Compiling", stop_compiling},
    {"A request", stop_http},
    {"A notice that is being sent", stop_notices},
    {"The database, or a log, or the disk that they are on,", stop_auth},
    {"The run in progress, or the disk that it is recorded on,", stop_runs},
    {"The database, or the disk that it is on,", close_store},
    {"Telemetry, which calls the device driver,", free_jobs},
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

static void *stop_parts(void *context)
{
    struct lab_service *service = context;
    size_t stopped = 0;
    while (stopped < PART_COUNT && parts[stopped].stop(service)) {
        stopped++;
        pthread_mutex_lock(&service->stop_lock);
        service->stopped = stopped;
        pthread_cond_signal(&service->part_stopped);
        pthread_mutex_unlock(&service->stop_lock);
    }
    return NULL;
}

/* Waits until all parts have stopped, at most `seconds`. Returns how many have. */
static size_t wait_for_parts(struct lab_service *service, double seconds)
{
    struct timespec limit = lab_clock_moment(lab_clock_now() + seconds);
    int result = 0;
    pthread_mutex_lock(&service->stop_lock);
    while (service->stopped < PART_COUNT && result == 0)
        result = pthread_cond_timedwait(&service->part_stopped, &service->stop_lock, &limit);
    size_t stopped = service->stopped;
    pthread_mutex_unlock(&service->stop_lock);
    return stopped;
}

void lab_service_reload(struct lab_service *service)
{
    struct lab_error error;
    lab_auth_service_reload(&service->auth);
    if (!lab_http_reload(service->http, &error))
        lab_journal(LAB_SEVERITY_ERROR, "%s The certificate that was read before stays in use.", error.detail);
}

bool lab_service_stop(struct lab_service *service)
{
    pthread_t thread;
    pthread_mutex_init(&service->stop_lock, NULL);
    lab_condition_init(&service->part_stopped);
    bool started = lab_thread_start(&thread, stop_parts, service) == 0;
    if (!started)
        stop_parts(service);
    size_t stopped = wait_for_parts(service, started ? stop_limit_s : 0);
    if (stopped < PART_COUNT) {
        lab_journal(LAB_SEVERITY_ERROR, "%s did not end in time; the process ends without it.", parts[stopped].name);
        return false;
    }
    if (started)
        pthread_join(thread, NULL);
    pthread_cond_destroy(&service->part_stopped);
    pthread_mutex_destroy(&service->stop_lock);
    return true;
}
