/* Replaces counting.c in a build without CUPTI's Range Profiler. */
#include "counting.h"

void tracer_counting_start(struct tracer_texts *texts, struct tracer_output *output, const char *counters)
{
    (void)texts;
    (void)counters;
    pthread_mutex_lock(&output->lock);
    tracer_output_add_text(output, LAB_TRACE_TYPE_NOTE,
                           "gpulab was built without CUPTI's Range Profiler, which CUDA 12.6 and later have");
    pthread_mutex_unlock(&output->lock);
}

void tracer_counting_end(void)
{
}
