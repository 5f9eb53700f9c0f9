#include "trace/tracer.h"

#include "core/library.h"
#include "core/program.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool lab_tracer_find(struct lab_tracer *tracer)
{
    if (!lab_library_find(lab_cupti_names, tracer->cupti))
        tracer->cupti[0] = '\0';
    return lab_program_find_own("gpulab-trace.so", tracer->library);
}

void lab_tracer_variables(const struct lab_tracer *tracer, int descriptor, uint64_t limit,
                          void (*set)(void *context, const char *name, const char *value), void *context)
{
    char text[64];
    struct stat status;
    set(context, "CUDA_INJECTION64_PATH", tracer->library);
    if (tracer->cupti[0] != '\0') {
        set(context, LAB_TRACE_VARIABLE_CUPTI, tracer->cupti);
        set(context, "NVTX_INJECTION64_PATH", tracer->cupti);
    }
    if (fstat(descriptor, &status) == 0) {
        snprintf(text, sizeof text, "%d:%ju", descriptor, (uintmax_t)status.st_ino);
        set(context, LAB_TRACE_VARIABLE_FD, text);
    }
    snprintf(text, sizeof text, "%" PRIu64, limit);
    set(context, LAB_TRACE_VARIABLE_LIMIT, text);
}
