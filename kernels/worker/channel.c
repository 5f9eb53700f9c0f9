/* The worker's pipe: a thread that reads operations, a short queue of them, and a function that writes events. */
#include "channel.h"

#include "core/json_text.h"
#include "core/lines.h"
#include "core/protocol.h"
#include "core/text.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PENDING_MAX = 16, RUN_ID_MAX = 64, GROUP_ID_MAX = 512 };

_Static_assert(LAB_LINE_MAX == 4 << 20, "a message below names the limit");

/* The time that the main thread has to finish after the input has closed, before the process exits. */
enum { EXIT_GRACE_SECONDS = 2 };

/* Static, because the process has one stdin. `lock` guards all members below it. */
static struct {
    int events;              /* the descriptor to which events are written; does not change */
    pthread_mutex_t writing; /* held while an event is written */
    atomic_bool *cancel;     /* set to stop the current run; the pointer does not change */
    unsigned silence_s;      /* see lab_channel_open; does not change */
    atomic_bool heard;       /* something was received since watch_server last looked */
    pthread_mutex_t lock;
    pthread_cond_t changed;       /* signalled when `pending`, `closed`, `group` or *cancel has changed */
    json_t *pending[PENDING_MAX]; /* operations that lab_channel_next has not returned yet, oldest first */
    size_t pending_count;
    bool closed;                /* the input has closed */
    char run[RUN_ID_MAX];       /* the current run; "" for none */
    char group[GROUP_ID_MAX];   /* the id of the current run's group; "": not received yet */
    char cancelled[RUN_ID_MAX]; /* a run that was cancelled before it started */
} channel = {
    .writing = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void handle_cancel(const json_t *operation)
{
    const char *run = json_string_value(json_object_get(operation, "run"));
    if (run == NULL)
        run = "";
    if (strcmp(run, channel.run) == 0) {
        atomic_store(channel.cancel, true);
        pthread_cond_signal(&channel.changed);
    } else
        snprintf(channel.cancelled, sizeof channel.cancelled, "%s", run);
}

static void handle_group(const json_t *operation)
{
    const char *run = json_string_value(json_object_get(operation, "run"));
    const char *id = json_string_value(json_object_get(operation, "id"));
    if (run == NULL || id == NULL || strcmp(run, channel.run) != 0)
        return;
    snprintf(channel.group, sizeof channel.group, "%s", id);
    pthread_cond_signal(&channel.changed);
}

/* Ends the process, because the sender is faulty and its other lines cannot be trusted either. */
static _Noreturn void refuse_input(const char *reason)
{
    fprintf(stderr, "gpulab-worker: %s\n", reason);
    _exit(LAB_WORKER_EXIT_PROTOCOL);
}

static void check_hello(const json_t *operation)
{
    int version = (int)json_integer_value(json_object_get(operation, "version"));
    char reason[160];
    snprintf(
        reason, sizeof reason,
        "the server speaks version %d of the worker protocol, this worker version %d; install the same gpulab for both",
        version, LAB_PROTOCOL_VERSION);
    if (version != LAB_PROTOCOL_VERSION)
        refuse_input(reason);
}

/* Handles what is not for the main thread. False for the other operations. */
static bool handle_here(const char *name, const json_t *operation)
{
    if (strcmp(name, "hello") == 0)
        check_hello(operation);
    else if (strcmp(name, "cancel") == 0)
        handle_cancel(operation);
    else if (strcmp(name, "group") == 0)
        handle_group(operation);
    else
        return strcmp(name, "heartbeat") == 0;
    return true;
}

/* Handles an operation or queues it. */
static void handle_line(const char *line, size_t length)
{
    struct lab_json_fault fault;
    json_t *operation = lab_json_parse(line, length, &fault);
    const char *name = json_string_value(json_object_get(operation, "op"));
    pthread_mutex_lock(&channel.lock);
    if (name == NULL) {
        refuse_input("received a line that is not a JSON object with \"op\"");
    } else if (handle_here(name, operation)) {
        json_decref(operation);
    } else if (channel.pending_count == PENDING_MAX) {
        refuse_input("more than 16 operations are waiting; the server must send at most 16");
    } else {
        channel.pending[channel.pending_count++] = operation;
        pthread_cond_signal(&channel.changed);
    }
    pthread_mutex_unlock(&channel.lock);
}

static void *read_operations(void *argument)
{
    (void)argument;
    struct lab_line_reader reader = {0};
    size_t length;
    while (lab_line_reader_read(&reader, STDIN_FILENO)) {
        atomic_store(&channel.heard, true);
        for (const char *line; (line = lab_line_reader_next(&reader, &length)) != NULL;)
            handle_line(line, length);
    }
    if (reader.too_long)
        refuse_input("received a line longer than 4 MiB; the server must send shorter lines");
    lab_line_reader_release(&reader);

    pthread_mutex_lock(&channel.lock);
    channel.closed = true;
    atomic_store(channel.cancel, true);
    pthread_cond_signal(&channel.changed);
    pthread_mutex_unlock(&channel.lock);
    sleep(EXIT_GRACE_SECONDS);
    _exit(LAB_WORKER_EXIT_OK);
}

static void *send_heartbeats(void *argument)
{
    (void)argument;
    for (;;) {
        sleep(LAB_HEARTBEAT_S);
        lab_channel_send(json_pack("{s:s}", "event", "heartbeat"));
    }
    return NULL;
}

/* Ends the process when the server is silent, whatever the other threads do. Seconds are counted here and no times
 * compared, so that a process that was stopped for a while first reads what has arrived. */
static void *watch_server(void *argument)
{
    (void)argument;
    for (unsigned quiet_s = 0; quiet_s < channel.silence_s;) {
        sleep(1);
        quiet_s = atomic_exchange(&channel.heard, false) ? 0 : quiet_s + 1;
    }
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK); /* nobody may be reading it */
    dprintf(STDERR_FILENO, "gpulab-worker: heard nothing from the server for %u s\n", channel.silence_s);
    _exit(LAB_WORKER_EXIT_PROTOCOL);
}

static void send_hello(void)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    lab_utf8_replace_invalid(host);
    lab_channel_send(json_pack("{s:s, s:i, s:s}", "event", "hello", "version", LAB_PROTOCOL_VERSION, "host", host));
}

/* Starts a thread that ends with the process. */
static bool start_thread(void *(*start)(void *argument))
{
    pthread_t thread;
    return pthread_create(&thread, NULL, start, NULL) == 0 && pthread_detach(thread) == 0;
}

bool lab_channel_open(atomic_bool *cancel, unsigned silence_s)
{
    channel.cancel = cancel;
    channel.silence_s = silence_s;
    channel.events = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (channel.events < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return false;
    send_hello();
    return start_thread(read_operations) && start_thread(send_heartbeats) &&
           (silence_s == 0 || start_thread(watch_server));
}

json_t *lab_channel_next(void)
{
    json_t *operation = NULL;
    pthread_mutex_lock(&channel.lock);
    while (channel.pending_count == 0 && !channel.closed)
        pthread_cond_wait(&channel.changed, &channel.lock);
    if (channel.pending_count > 0) {
        operation = channel.pending[0];
        memmove(channel.pending, channel.pending + 1, --channel.pending_count * sizeof channel.pending[0]);
    }
    pthread_mutex_unlock(&channel.lock);
    return operation;
}

void lab_channel_set_run(const char *run)
{
    pthread_mutex_lock(&channel.lock);
    snprintf(channel.run, sizeof channel.run, "%s", run != NULL ? run : "");
    channel.group[0] = '\0';
    if (run != NULL && !channel.closed)
        atomic_store(channel.cancel, strcmp(channel.cancelled, run) == 0);
    pthread_mutex_unlock(&channel.lock);
}

bool lab_channel_await_group(char *id, size_t size)
{
    pthread_mutex_lock(&channel.lock);
    while (channel.group[0] == '\0' && !atomic_load(channel.cancel))
        pthread_cond_wait(&channel.changed, &channel.lock);
    snprintf(id, size, "%s", channel.group);
    pthread_mutex_unlock(&channel.lock);
    return id[0] != '\0';
}

void lab_channel_send(json_t *event)
{
    char *text = json_dumps(event, JSON_COMPACT);
    json_decref(event);
    size_t length = text != NULL ? strlen(text) : 0;
    if (length > 0)
        text[length++] = '\n'; /* the newline overwrites the NUL */
    pthread_mutex_lock(&channel.writing);
    if (length == 0 || !lab_write_all(channel.events, text, length))
        _exit(LAB_WORKER_EXIT_PROTOCOL);
    pthread_mutex_unlock(&channel.writing);
    free(text);
}
