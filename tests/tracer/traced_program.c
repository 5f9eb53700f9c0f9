/* A program that loads the tracer as the CUDA driver does, makes up GPU activity in the library in place of CUPTI, and
 * ends in the way that its argument names. It prints "output", and what the tracer has changed of it; its exit code is
 * 7.
 */
#include "fake_counting.h"
#include "fake_cupti.h"

#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_CODE = 7, MANY = 4000 };

static fake_cupti_add_activity *add_activity; /* NULL: there is no library in place of CUPTI */
static fake_cupti_count_flushes *count_flushes;
static fake_counting_call_driver *call_driver; /* NULL: there is no library that counts */
static fake_counting_destroy_context *destroy_context;

#define ADD(TYPE, ...)                                                                                                 \
    do {                                                                                                               \
        TYPE activity = {__VA_ARGS__};                                                                                 \
        if (add_activity != NULL)                                                                                      \
            add_activity(&activity, sizeof activity);                                                                  \
    } while (0)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* --- what the tracer must not change ------------------------------------------------------------------------------ */

struct state {
    sigset_t mask;
    sighandler_t handlers[65];
    int descriptor; /* the lowest that is free */
    char **environment;
};

static void look(struct state *state)
{
    memset(state, 0, sizeof *state);
    pthread_sigmask(SIG_SETMASK, NULL, &state->mask);
    for (int i = 1; i < 65; i++) {
        struct sigaction action = {0};
        sigaction(i, NULL, &action);
        state->handlers[i] = action.sa_handler;
    }
    state->descriptor = open("/dev/null", O_RDONLY);
    close(state->descriptor);
    state->environment = environ;
}

static void load_tracer(void)
{
    struct state before, after;
    look(&before);
    void *tracer = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    void *found = tracer != NULL ? dlsym(tracer, "InitializeInjection") : NULL;
    int (*initialise)(void);
    memcpy(&initialise, &found, sizeof found);
    if (found == NULL || initialise() != 1)
        printf("not loaded: %s\n", dlerror());
    look(&after);
    if (memcmp(&before, &after, sizeof before) != 0)
        printf("changed\n");
    const char *path = getenv("GPULAB_TRACE_CUPTI");
    void *cupti = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    if (cupti == NULL)
        return;
    found = dlsym(cupti, "fake_cupti_add");
    memcpy(&add_activity, &found, sizeof found);
    found = dlsym(cupti, "fake_cupti_flushes");
    memcpy(&count_flushes, &found, sizeof found);
    found = dlsym(cupti, "fake_counting_call");
    memcpy(&call_driver, &found, sizeof found);
    found = dlsym(cupti, "fake_counting_destroy");
    memcpy(&destroy_context, &found, sizeof found);
}

/* --- activity ----------------------------------------------------------------------------------------------------- */

static void add_kernel(uint32_t correlation)
{
    uint64_t now = now_ns();
    ADD(CUpti_ActivityKernel9, .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = now, .end = now + 1000,
        .contextId = 1, .streamId = 13, .correlationId = correlation, .name = "_Z5scalePfi", .gridX = 8, .gridY = 2,
        .gridZ = 1, .blockX = 256, .blockY = 1, .blockZ = 1, .registersPerThread = 32, .staticSharedMemory = 1024,
        .dynamicSharedMemory = 2048, .localMemoryPerThread = 16, .graphId = 5);
}

/* One activity of each kind, and two that cannot be recorded. */
static void add_each(void)
{
    uint64_t now = now_ns();
    ADD(CUpti_ActivityDevice4, .kind = CUPTI_ACTIVITY_KIND_DEVICE, .numMultiprocessors = 132, .numMemcpyEngines = 3,
        .globalMemorySize = 80000000000, .name = "GPU");
    ADD(CUpti_ActivityContext, .kind = CUPTI_ACTIVITY_KIND_CONTEXT, .contextId = 1, .nullStreamId = 7);
    ADD(CUpti_ActivityStream, .kind = CUPTI_ACTIVITY_KIND_STREAM, .contextId = 1, .streamId = 13,
        .flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING);
    ADD(CUpti_ActivityName, .kind = CUPTI_ACTIVITY_KIND_NAME, .objectKind = CUPTI_ACTIVITY_OBJECT_STREAM,
        .objectId.dcs = {.contextId = 1, .streamId = 13}, .name = "uploads");
    ADD(CUpti_ActivityAPI, .kind = CUPTI_ACTIVITY_KIND_RUNTIME, .cbid = 211, .start = now, .end = now + 500,
        .threadId = (uint32_t)getpid(), .correlationId = 1);
    ADD(CUpti_ActivityAPI, .kind = CUPTI_ACTIVITY_KIND_DRIVER, .cbid = 1, .start = now + 600, .end = now + 700,
        .threadId = (uint32_t)getpid(), .correlationId = 2, .returnValue = 100);
    ADD(CUpti_ActivityMemcpy5, .kind = CUPTI_ACTIVITY_KIND_MEMCPY, .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
        .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, .start = now,
        .end = now + 2000, .bytes = 4096, .contextId = 1, .streamId = 7, .correlationId = 3);
    ADD(CUpti_ActivityMemcpyPtoP4, .kind = CUPTI_ACTIVITY_KIND_MEMCPY2, .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
        .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, .start = now, .end = now + 10, .bytes = 64, .srcDeviceId = 0,
        .dstDeviceId = 1, .flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
    ADD(CUpti_ActivityMemset4, .kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = now, .end = now + 10, .bytes = 100,
        .value = 9, .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC);
    ADD(CUpti_ActivitySynchronization, .kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, .start = now, .end = now + 10,
        .type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, .correlationId = 1);
    ADD(CUpti_ActivityOverhead, .kind = CUPTI_ACTIVITY_KIND_OVERHEAD, .start = now, .end = now + 10,
        .overheadKind = 5 << 16);
    ADD(CUpti_ActivityMarker2, .kind = CUPTI_ACTIVITY_KIND_MARKER, .timestamp = now, .id = 1, .name = "step",
        .flags = CUPTI_ACTIVITY_FLAG_MARKER_START);
    ADD(CUpti_ActivityMarker2, .kind = CUPTI_ACTIVITY_KIND_MARKER, .timestamp = now + 50, .id = 1,
        .flags = CUPTI_ACTIVITY_FLAG_MARKER_END);
    ADD(CUpti_ActivityMemset4, .kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = 0, .end = 0); /* has no times */
    add_kernel(1);
}

static void add_many(void)
{
    for (uint32_t i = 1; i <= MANY; i++)
        add_kernel(i);
}

/* Waits until the tracer has written what was added before. */
static void wait_for_flush(void)
{
    for (unsigned before = count_flushes(); count_flushes() < before + 2;)
        usleep(1000);
}

/* --- ways to end -------------------------------------------------------------------------------------------------- */

static int ends_normally(void)
{
    add_each();
    return EXIT_CODE;
}

static int does_nothing(void)
{
    return EXIT_CODE;
}

static int aborts(void)
{
    add_each();
    wait_for_flush();
    fflush(stdout);
    abort();
}

static int ends_well(void)
{
    return 0;
}

/* Until something else ends the program. */
static int waits(void)
{
    add_each();
    fflush(stdout);
    while (pause() < 0)
        continue;
    return EXIT_CODE;
}

static int ends_at_once(void)
{
    add_each();
    wait_for_flush();
    fflush(stdout);
    _exit(EXIT_CODE);
}

static int adds_many(void)
{
    add_many();
    return EXIT_CODE;
}

/* The child has what the tracer has, and ends by exit(). */
static int forks(void)
{
    int status;
    add_each();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    return waitpid(child, &status, 0) == child && status == 0 ? EXIT_CODE : 1;
}

/* Gives the tracer's descriptor, like all others, to a file of its own. */
static int closes_descriptors(void)
{
    int file = open(getenv("TRACED_FILE"), O_RDWR | O_CREAT, 0600);
    for (int i = 3; i < 1000; i++)
        if (i != file)
            dup2(file, i);
    add_each();
    return EXIT_CODE;
}

/* --- launches that are counted ------------------------------------------------------------------------------------ */

enum { CONTEXT = 5, OTHER_CONTEXT = 6, LAUNCHES = 300 };

static void launch(const char *symbol, uintptr_t context)
{
    if (call_driver != NULL)
        call_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, context, symbol);
}

/* More launches than are read at once, a graph, and what is not counted. */
static int launches(void)
{
    for (int i = 0; i < LAUNCHES; i++)
        launch(i % 2 == 0 ? "_Z5scalePfi" : "copy", CONTEXT);
    launch("elsewhere", OTHER_CONTEXT);
    if (call_driver == NULL)
        return EXIT_CODE;
    call_driver(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CONTEXT, NULL);
    launch("captured", CONTEXT);
    call_driver(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CONTEXT, NULL);
    call_driver(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, CONTEXT, NULL);
    return EXIT_CODE;
}

/* Ends well. */
static int launches_well(void)
{
    return launches() - EXIT_CODE;
}

/* Launches another kernel in the passes after the first, which asks for all counters. */
static int launches_in_turn(void)
{
    const char *counters = getenv("GPULAB_TRACE_COUNTERS");
    launch(counters != NULL && strlen(counters) > 100 ? "copy" : "other", CONTEXT);
    return 0;
}

static int destroys_its_context(void)
{
    launch("copy", CONTEXT);
    if (destroy_context != NULL)
        destroy_context(CONTEXT);
    return EXIT_CODE;
}

static const struct {
    const char *name;
    int (*run)(void);
} ways[] = {{"exit", ends_normally},
            {"idle", does_nothing},
            {"abort", aborts},
            {"wait", waits},
            {"_exit", ends_at_once},
            {"many", adds_many},
            {"fork", forks},
            {"close", closes_descriptors},
            {"launch", launches},
            {"count", launches_well},
            {"well", ends_well},
            {"turn", launches_in_turn},
            {"destroy", destroys_its_context}};

/* The library in place of CUPTI is that of the driver too, where counters are read. */
static void name_driver(void)
{
    if (getenv("GPULAB_TRACE_COUNTERS") != NULL && getenv("GPULAB_TRACE_CUPTI") != NULL)
        setenv("GPULAB_TRACE_DRIVER", getenv("GPULAB_TRACE_CUPTI"), 1);
}

int main(int argc, char **argv)
{
    bool pair = argc > 2; /* two processes that each use CUDA */
    int status = 0;
    pid_t child = pair ? fork() : 0;
    name_driver();
    load_tracer();
    if (child == 0)
        printf("output\n");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(ways[i].name, argv[1]) == 0)
            status = ways[i].run();
    if (child > 0)
        waitpid(child, NULL, 0);
    return status;
}
