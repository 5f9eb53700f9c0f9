#include "output.h"

#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The lowest number of the tracer's descriptor, so that the program's own get the numbers that they have without it. */
enum { DESCRIPTOR_MIN = 500 };

/* A reader that is alive reads at once; one that is stopped must not hold up the program much longer than this. */
#define PATIENCE_NS INT64_C(3000000000)

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* Writes without SIGPIPE, which would end the program when the reader has gone. */
static ssize_t write_quietly(int descriptor, const void *bytes, size_t size)
{
    sigset_t broken, pending, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ssize_t written = write(descriptor, bytes, size);
    int error = errno;
    if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&broken, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static bool is_same_file(const struct tracer_output *output)
{
    struct stat status;
    return fstat(output->descriptor, &status) == 0 && status.st_dev == output->device && status.st_ino == output->inode;
}

/* Waits until the descriptor can be written, as long as patience lasts. */
static bool wait_for_reader(struct tracer_output *output)
{
    struct pollfd writable = {.fd = output->descriptor, .events = POLLOUT};
    int64_t begun = (int64_t)lab_clock_ns();
    int ready = poll(&writable, 1, output->patience_ns > 0 ? (int)(output->patience_ns / 1000000) : 0);
    output->patience_ns -= (int64_t)lab_clock_ns() - begun;
    return ready > 0 || (ready < 0 && errno == EINTR && output->patience_ns > 0);
}

/* Writes the group. Returns whether all of it is written. A pipe takes a group as a whole; a file may take a part of
 * it. */
static bool write_group(struct tracer_output *output)
{
    while (output->used > 0 && output->descriptor >= 0) {
        if (!is_same_file(output)) {
            output->descriptor = -1; /* the program has closed it, so the tracer does not */
            break;
        }
        ssize_t written = write_quietly(output->descriptor, output->group, output->used);
        if (written > 0) {
            output->used -= (size_t)written;
            memmove(output->group, output->group + written, output->used);
        } else if (written < 0 && errno != EAGAIN && errno != EINTR) {
            close(output->descriptor);
            output->descriptor = -1;
        } else if (!wait_for_reader(output)) {
            break;
        }
    }
    return output->used == 0;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* Adds to the group, which is written when it is full. Returns false if it stays full. */
static bool accept(struct tracer_output *output, enum lab_trace_type type, void *record, size_t size)
{
    if (output->descriptor < 0 || (output->used + size > sizeof output->group && !write_group(output)))
        return false;
    struct lab_trace_head head = {.size = (uint16_t)size, .type = (uint16_t)type, .process = output->process};
    memcpy(record, &head, sizeof head);
    memcpy(output->group + output->used, record, size);
    output->used += size;
    output->accepted += size;
    return true;
}

void tracer_output_lose(struct tracer_output *output, enum lab_trace_loss reason, uint64_t records)
{
    output->lost[reason] += records;
}

bool tracer_output_add(struct tracer_output *output, enum lab_trace_type type, void *record, size_t size)
{
    bool fits = output->accepted + size <= output->limit;
    if (fits && accept(output, type, record, size))
        return true;
    tracer_output_lose(output, fits ? LAB_TRACE_LOSS_READER : LAB_TRACE_LOSS_LIMIT, 1);
    return false;
}

bool tracer_output_add_text(struct tracer_output *output, enum lab_trace_type type, const char *text)
{
    _Alignas(8) unsigned char record[sizeof(struct lab_trace_head) + LAB_TRACE_TEXT_MAX + 8] = {0};
    size_t length = strnlen(text, LAB_TRACE_TEXT_MAX), size = (sizeof(struct lab_trace_head) + length + 8) / 8 * 8;
    memcpy(record + sizeof(struct lab_trace_head), text, length);
    return output->accepted + size <= output->limit && accept(output, type, record, size);
}

void tracer_output_flush(struct tracer_output *output, bool last)
{
    for (uint32_t reason = 0; reason < LAB_TRACE_LOSSES; reason++) {
        uint64_t lost = output->lost[reason], reported = output->reported[reason];
        struct lab_trace_lost record = {.reason = reason, .records = lost};
        if (lost > reported && (last || lost / 2 >= reported) &&
            accept(output, LAB_TRACE_TYPE_LOST, &record, sizeof record))
            output->reported[reason] = lost;
    }
    write_group(output);
}

void tracer_output_end(struct tracer_output *output, int64_t at_ns)
{
    struct lab_trace_end end = {.at_ns = at_ns};
    tracer_output_flush(output, true);
    if (accept(output, LAB_TRACE_TYPE_END, &end, sizeof end))
        write_group(output);
}

/* --- the descriptor ----------------------------------------------------------------------------------------------- */

/* Reads "FD" or "FD:INODE"; the inode is 0 where it is not given. */
static bool read_descriptor(const char *text, int *descriptor, ino_t *inode)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *inode = *end == ':' ? (ino_t)strtoull(end + 1, &end, 10) : 0;
    *descriptor = (int)number;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number < INT32_MAX;
}

/* A number of bytes; the default for NULL and for what is no number. */
static uint64_t read_limit(const char *text)
{
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return LAB_TRACE_LIMIT_DEFAULT;
    unsigned long long limit = strtoull(text, &end, 10);
    return *end == '\0' ? limit : LAB_TRACE_LIMIT_DEFAULT;
}

bool tracer_output_open(struct tracer_output *output, const char *descriptor, const char *limit)
{
    int inherited;
    ino_t inode;
    struct stat status;
    *output = (struct tracer_output){.lock = PTHREAD_MUTEX_INITIALIZER,
                                     .descriptor = -1,
                                     .process = (uint32_t)getpid(),
                                     .limit = read_limit(limit),
                                     .patience_ns = PATIENCE_NS};
    if (descriptor == NULL || !read_descriptor(descriptor, &inherited, &inode) || fstat(inherited, &status) != 0 ||
        (inode != 0 && status.st_ino != inode))
        return false;
    output->device = status.st_dev;
    output->inode = status.st_ino;
    output->descriptor = fcntl(inherited, F_DUPFD_CLOEXEC, DESCRIPTOR_MIN);
    if (output->descriptor < 0)
        output->descriptor = fcntl(inherited, F_DUPFD_CLOEXEC, 0);
    int flags = fcntl(output->descriptor, F_GETFL);
    if (flags >= 0)
        fcntl(output->descriptor, F_SETFL, flags | O_NONBLOCK);
    return flags >= 0;
}
