/* In place of CUPTI's callbacks and of the driver, beside the Range Profiler of tests/counters. FAKE_COUNTING_FAILS:
 * "FUNCTION RESULT", a function of the profiler or cuptiSubscribe, and with which number it fails. */
#include "fake_counting.h"

#include "counters/fake_profiler.h"

#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1000 };

static CUpti_CallbackFunc callback;
static int enabled[IDS_MAX];
static unsigned idle; /* waits of the host since the last launch */

__attribute__((constructor)) static void read_failure(void)
{
    static char function[80];
    const char *text = getenv("FAKE_COUNTING_FAILS");
    if (text != NULL && sscanf(text, "%79s %d", function, &fake_profiler_state()->result) == 2)
        fake_profiler_state()->fails = function;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function, void *context)
{
    const char *fails = fake_profiler_state()->fails;
    *subscriber = NULL;
    callback = function;
    return context != NULL || (fails != NULL && strcmp(fails, "cuptiSubscribe") == 0)
               ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
               : CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id)
{
    (void)subscriber;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id < IDS_MAX)
        enabled[id] = (int)enable;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
    *device = 1;
    return context != NULL ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

/* Only the launch that is counted may be in a range. */
CUresult cuCtxSynchronize(void)
{
    idle++;
    return CUDA_SUCCESS;
}

fake_counting_call_driver fake_counting_call;
void fake_counting_call(uint32_t function, uintptr_t context, const char *symbol)
{
    uint64_t correlation = 0;
    CUpti_CallbackData data = {.callbackSite = CUPTI_API_ENTER,
                               .symbolName = symbol,
                               .correlationData = &correlation,
                               .context = (CUcontext)context}; /* NOLINT(performance-no-int-to-ptr) */
    if (!enabled[function])
        return;
    idle = 0;
    callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API, function, &data);
    if (fake_profiler_state()->is_in_range && idle == 0)
        abort(); /* it counts what was launched before */
    idle = 0;
    data.callbackSite = CUPTI_API_EXIT;
    bool was_in_range = fake_profiler_state()->is_in_range;
    callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API, function, &data);
    if (fake_profiler_state()->is_in_range || (was_in_range && idle == 0))
        abort(); /* it did not count all of the work */
}

fake_counting_destroy_context fake_counting_destroy;
void fake_counting_destroy(uintptr_t context)
{
    CUpti_ResourceData data = {.context = (CUcontext)context}; /* NOLINT(performance-no-int-to-ptr) */
    callback(NULL, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
}
