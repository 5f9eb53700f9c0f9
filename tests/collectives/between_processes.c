/* Collective operations between processes of this machine, on the memory of host devices: a stand-in for NCCL. As with
 * NCCL, a process waits until all others have made the same call, also for one that is gone. Different calls are an
 * error.
 *
 * The processes share a file in $HOME, whose path is the id.
 */
#include "stand_in.h"

#include "elements.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MAX = 8, ELEMENTS_MAX = 1 << 18 };

/* What a rank has called, and its input. */
struct call {
    enum lab_collective_operation operation;
    size_t count;
    float input[ELEMENTS_MAX];
};

struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t arrived; /* ranks that wait for the others */
    size_t meetings;
    struct call calls[RANKS_MAX];
};

struct lab_collective {
    size_t first, count, ranks;
    struct shared *shared;
};

/* Waits until all ranks have called it. */
static void meet(const struct lab_collective *c)
{
    struct shared *shared = c->shared;
    pthread_mutex_lock(&shared->lock);
    size_t meeting = shared->meetings;
    shared->arrived += c->count;
    if (shared->arrived == c->ranks) {
        shared->arrived = 0;
        shared->meetings++;
        pthread_cond_broadcast(&shared->changed);
    }
    while (shared->meetings == meeting)
        pthread_cond_wait(&shared->changed, &shared->lock);
    pthread_mutex_unlock(&shared->lock);
}

static struct shared *map(const char *path, int flags)
{
    int file = open(path, flags, 0600);
    void *address = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(struct shared)) == 0)
        address = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return address != MAP_FAILED ? address : NULL;
}

static bool load(struct lab_device *const *devices, size_t count, bool multicast)
{
    (void)devices;
    (void)count;
    (void)multicast;
    return true;
}

static bool make_id(struct lab_device *device, struct lab_collective_id *id)
{
    static unsigned made;
    pthread_mutexattr_t of_lock;
    pthread_condattr_t of_changed;
    const char *folder = getenv("HOME");
    *id = (struct lab_collective_id){{0}};
    snprintf((char *)id->bytes, sizeof id->bytes, "%s/group-%d-%u", folder != NULL ? folder : "", getpid(), made++);
    struct shared *shared = map((char *)id->bytes, O_RDWR | O_CREAT | O_EXCL);
    if (shared == NULL)
        return lab_error_set(&device->error, LAB_ERROR_NCCL_ERROR, "", "%s: %s", (char *)id->bytes, strerror(errno));
    pthread_mutexattr_init(&of_lock);
    pthread_mutexattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &of_lock);
    pthread_condattr_init(&of_changed);
    pthread_condattr_setpshared(&of_changed, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &of_changed);
    munmap(shared, sizeof *shared);
    return true;
}

static struct lab_collective *join(struct lab_device *const *devices, size_t count,
                                   const struct lab_collective_place *place, bool multicast)
{
    (void)multicast;
    struct lab_collective *c = calloc(1, sizeof *c);
    if (c != NULL)
        *c = (struct lab_collective){place->first, count, place->ranks, map((const char *)place->id.bytes, O_RDWR)};
    if (c == NULL || c->shared == NULL || place->ranks > RANKS_MAX) {
        free(c);
        lab_error_set(&devices[0]->error, LAB_ERROR_NCCL_ERROR, "", "cannot join %s", (const char *)place->id.bytes);
        return NULL;
    }
    meet(c);
    return c;
}

static struct lab_collective *open_alone(struct lab_device *const *devices, size_t count, bool multicast)
{
    struct lab_collective_place place = {.ranks = count};
    return make_id(devices[0], &place.id) ? join(devices, count, &place, multicast) : NULL;
}

static void close_collective(struct lab_collective *c, bool abandoned)
{
    (void)abandoned;
    munmap(c->shared, sizeof *c->shared);
    free(c);
}

/* Computes the result of the process's device r. */
static void compute(const struct lab_collective *c, enum lab_collective_operation operation, size_t count, size_t r,
                    float *result)
{
    const float *inputs[RANKS_MAX];
    for (size_t rank = 0; rank < c->ranks; rank++)
        inputs[rank] = c->shared->calls[rank].input;
    for (size_t i = 0; i < received_elements(operation, c->ranks, count); i++)
        result[i] = element_of(operation, c->ranks, count, inputs, c->first + r, i);
    if (lab_stand_in_is_wrong() && count > 1024) /* no message, which must arrive */
        result[2] += 1;
}

static bool all_called(const struct lab_collective *c, enum lab_collective_operation operation, size_t count)
{
    bool same = true;
    for (size_t rank = 0; rank < c->ranks; rank++)
        same = same && c->shared->calls[rank].operation == operation && c->shared->calls[rank].count == count;
    return same;
}

/* Queues a short copy on the lane, so that time passes between the events. */
static bool pass_time(const struct lab_lane *lane, float *element)
{
    return lane->device->runtime->copy(lane->device, lane->stream, element, element, sizeof *element, LAB_D2D);
}

static bool enqueue(struct lab_collective *c, enum lab_collective_operation operation, size_t count,
                    const struct lab_lane *lanes, const struct lab_collective_buffers *buffers)
{
    struct lab_error *error = &lanes[0].device->error;
    size_t sent = sent_elements(operation, c->ranks, count);
    if (sent > ELEMENTS_MAX)
        return lab_error_set(error, LAB_ERROR_NCCL_ERROR, "", "more than %d elements", ELEMENTS_MAX);
    for (size_t r = 0; r < c->count; r++) {
        struct call *call = &c->shared->calls[c->first + r];
        if (!lanes[r].device->runtime->stream_synchronize(lanes[r].device, lanes[r].stream))
            return false;
        call->operation = operation;
        call->count = count;
        memcpy(call->input, buffers[r].send, sent * sizeof(float));
    }
    meet(c);
    bool good = all_called(c, operation, count) ||
                lab_error_set(error, LAB_ERROR_NCCL_ERROR, "", "the processes have called different operations");
    for (size_t r = 0; r < c->count && good; r++) {
        compute(c, operation, count, r, buffers[r].receive);
        good = pass_time(&lanes[r], buffers[r].receive);
    }
    meet(c); /* all have read the inputs */
    return good;
}

static const char *library(const struct lab_collective *c)
{
    (void)c;
    return "STAND-IN 1.2.3";
}

const struct lab_runtime_collective lab_between_processes = {
    .open = open_alone,
    .join = join,
    .load = load,
    .make_id = make_id,
    .close = close_collective,
    .enqueue = enqueue,
    .library = library,
};
