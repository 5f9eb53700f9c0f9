/* In place of CUPTI: keeps the activity records that the program makes up, and returns them when the tracer flushes. */
#include "fake_cupti.h"

#include <cupti.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIVITY_MAX = 512, KINDS_MAX = 128 };

struct activity {
    struct activity *next;
    size_t size;
    _Alignas(8) unsigned char bytes[ACTIVITY_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct activity *first, **last = &first;
static unsigned flushes;
static int enabled[KINDS_MAX];
static CUpti_BuffersCallbackRequestFunc request_buffer;
static CUpti_BuffersCallbackCompleteFunc return_buffer;

fake_cupti_add_activity fake_cupti_add;
void fake_cupti_add(const void *bytes, size_t size)
{
    struct activity *activity = calloc(1, sizeof *activity);
    if (activity == NULL || size > ACTIVITY_MAX || !enabled[((const CUpti_Activity *)bytes)->kind])
        abort();
    activity->size = size;
    memcpy(activity->bytes, bytes, size);
    pthread_mutex_lock(&lock);
    *last = activity;
    last = &activity->next;
    pthread_mutex_unlock(&lock);
}

fake_cupti_count_flushes fake_cupti_flushes;
unsigned fake_cupti_flushes(void)
{
    pthread_mutex_lock(&lock);
    unsigned count = flushes;
    pthread_mutex_unlock(&lock);
    return count;
}

/* A record in a buffer is an activity of the fixed size. */
static void return_activities(struct activity *activities)
{
    while (activities != NULL) {
        uint8_t *bytes;
        size_t size, records_max, used = 0;
        request_buffer(&bytes, &size, &records_max);
        if (bytes == NULL || size < ACTIVITY_MAX)
            abort();
        for (; activities != NULL && used + ACTIVITY_MAX <= size; used += ACTIVITY_MAX) {
            struct activity *next = activities->next;
            memcpy(bytes + used, activities->bytes, ACTIVITY_MAX);
            free(activities);
            activities = next;
        }
        return_buffer(NULL, 0, bytes, size, used);
    }
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    request_buffer = request;
    return_buffer = complete;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (getenv("FAKE_CUPTI_REFUSES") != NULL && atoi(getenv("FAKE_CUPTI_REFUSES")) == (int)kind)
        return CUPTI_ERROR_NOT_COMPATIBLE;
    enabled[kind] = 1;
    return CUPTI_SUCCESS;
}

/* A fault in CUPTI, once all that there was has been returned. */
static void crash(void)
{
    int *volatile nowhere = NULL;
    *nowhere = 1;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    if (getenv("FAKE_CUPTI_CRASHES") != NULL && fake_cupti_flushes() >= 3)
        crash();
    pthread_mutex_lock(&lock);
    struct activity *activities = first;
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&lock);
    return_activities(activities);
    pthread_mutex_lock(&lock);
    flushes++;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record == NULL ? buffer : (uint8_t *)*record + ACTIVITY_MAX;
    if (next + ACTIVITY_MAX > buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    static int asked;
    (void)context;
    (void)stream;
    *dropped = asked++ == 0 ? 3 : 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    return type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
    *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaLaunchKernel_v7000" : "cuLaunchKernel";
    return id == 0 ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = "CUPTI_ERROR_NOT_COMPATIBLE";
    return result == CUPTI_ERROR_NOT_COMPATIBLE ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
