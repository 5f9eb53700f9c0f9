#include "log.h"

#include "core/clock.h"
#include "core/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 256 * 1024, POLL_MS = 100 };

static const double close_s = 0.5;

/* Lines, each with its newline. */
struct buffer {
    size_t length;
    char text[BUFFER_BYTES];
};

struct lab_log {
    const char *path;
    int file;
    pthread_t thread;
    pthread_mutex_t lock;   /* for all members below */
    pthread_cond_t changed; /* something for the thread to do */
    struct buffer *pending; /* lines to be written next */
    struct buffer *writing; /* used by the thread without the lock */
    size_t dropped;         /* lines that were not written, since the last line that said so */
    bool reopen, stop;      /* requests to the thread */
    double stop_at;         /* with `stop`: when the thread ends at the latest, by lab_clock_now */
};

static int open_file(const char *path)
{
    if (strcmp(path, "-") == 0)
        return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
}

/* Keeps the open file when the path cannot be opened. */
static void reopen_file(struct lab_log *log)
{
    int file = open_file(log->path);
    if (file < 0) {
        lab_journal(LAB_SEVERITY_WARNING, "cannot open the log %s again: %m. The file that is open stays in use.",
                    log->path);
        return;
    }
    close(log->file);
    log->file = file;
}

static bool is_over(struct lab_log *log)
{
    pthread_mutex_lock(&log->lock);
    bool over = log->stop && lab_clock_now() >= log->stop_at;
    pthread_mutex_unlock(&log->lock);
    return over;
}

/* Writes whole lines, at most LAB_LOG_LINE_MAX bytes: a pipe that poll reports as writable takes that many without
 * waiting. Returns how many bytes were written; 0 on failure. */
static size_t write_some(struct lab_log *log, const char *text, size_t length)
{
    size_t size = length;
    if (size > LAB_LOG_LINE_MAX) {
        const char *end = memrchr(text, '\n', LAB_LOG_LINE_MAX);
        size = end != NULL ? (size_t)(end - text) + 1 : LAB_LOG_LINE_MAX;
    }
    for (;;) {
        struct pollfd writable = {.fd = log->file, .events = POLLOUT};
        int ready = poll(&writable, 1, POLL_MS);
        if (ready > 0) {
            ssize_t written = write(log->file, text, size);
            if (written >= 0 || (errno != EAGAIN && errno != EINTR))
                return written > 0 ? (size_t)written : 0;
        }
        if (is_over(log))
            return 0;
    }
}

static size_t count_lines(const char *text, size_t length)
{
    size_t count = 0;
    for (const char *end = text + length; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
        count++;
    return count;
}

/* Returns the number of lines that could not be written. */
static size_t write_lines(struct lab_log *log, const char *text, size_t length)
{
    while (length > 0) {
        size_t written = write_some(log, text, length);
        if (written == 0)
            return count_lines(text, length);
        text += written;
        length -= written;
    }
    return 0;
}

/* Takes the pending lines. False when there are none and the log is being closed. */
static bool take(struct lab_log *log, size_t *dropped, bool *reopen)
{
    pthread_mutex_lock(&log->lock);
    while (log->pending->length == 0 && log->dropped == 0 && !log->reopen && !log->stop)
        pthread_cond_wait(&log->changed, &log->lock);
    struct buffer *taken = log->pending;
    log->pending = log->writing;
    log->pending->length = 0;
    log->writing = taken;
    *dropped = log->dropped;
    log->dropped = 0;
    *reopen = log->reopen;
    log->reopen = false;
    bool more = taken->length > 0 || *dropped > 0 || *reopen || !log->stop;
    pthread_mutex_unlock(&log->lock);
    return more;
}

static void *run(void *context)
{
    struct lab_log *log = context;
    size_t dropped;
    bool reopen;
    while (take(log, &dropped, &reopen)) {
        char note[64];
        int length = snprintf(note, sizeof note, "%zu lines of this log were dropped\n", dropped);
        size_t lost = write_lines(log, log->writing->text, log->writing->length);
        if (dropped > 0 && write_lines(log, note, (size_t)length) > 0)
            lost += dropped;
        if (reopen)
            reopen_file(log);
        if (lost == 0)
            continue;
        if (is_over(log))
            break;
        poll(NULL, 0, POLL_MS); /* a full disk must not keep a core busy */
        pthread_mutex_lock(&log->lock);
        log->dropped += lost;
        pthread_mutex_unlock(&log->lock);
    }
    return NULL;
}

/* All signals are blocked in the thread, because the main thread handles them. */
static bool start_thread(struct lab_log *log)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&log->thread, NULL, run, log) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_setname_np(log->thread, "log");
    return started;
}

static void free_log(struct lab_log *log)
{
    if (log->file >= 0)
        close(log->file);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->changed);
    free(log->pending);
    free(log->writing);
    free(log);
}

struct lab_log *lab_log_open(const char *path, struct lab_error *error)
{
    struct lab_log *log = calloc(1, sizeof *log);
    if (log == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
        return NULL;
    }
    log->path = path;
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->changed, NULL);
    log->pending = calloc(1, sizeof *log->pending);
    log->writing = calloc(1, sizeof *log->writing);
    log->file = open_file(path);
    if (log->file < 0)
        lab_error_set(error, LAB_ERROR_CANNOT_OPEN_LOG, "", "Cannot open the log %s: %s.", path, strerror(errno));
    else if (log->pending == NULL || log->writing == NULL || !start_thread(log))
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Cannot start the log %s: out of memory or threads.", path);
    else
        return log;
    free_log(log);
    return NULL;
}

void lab_log_close(struct lab_log *log)
{
    if (log == NULL)
        return;
    pthread_mutex_lock(&log->lock);
    log->stop = true;
    log->stop_at = lab_clock_now() + close_s;
    pthread_cond_signal(&log->changed);
    pthread_mutex_unlock(&log->lock);
    pthread_join(log->thread, NULL);
    free_log(log);
}

void lab_log_line(struct lab_log *log, const char *line, size_t length)
{
    if (log == NULL)
        return;
    if (length >= LAB_LOG_LINE_MAX)
        length = LAB_LOG_LINE_MAX - 1;
    pthread_mutex_lock(&log->lock);
    struct buffer *buffer = log->pending;
    if (sizeof buffer->text - buffer->length > length) {
        memcpy(buffer->text + buffer->length, line, length);
        buffer->text[buffer->length + length] = '\n';
        buffer->length += length + 1;
    } else {
        log->dropped++;
    }
    pthread_cond_signal(&log->changed);
    pthread_mutex_unlock(&log->lock);
}

void lab_log_reopen(struct lab_log *log)
{
    if (log == NULL)
        return;
    pthread_mutex_lock(&log->lock);
    log->reopen = true;
    pthread_cond_signal(&log->changed);
    pthread_mutex_unlock(&log->lock);
}
