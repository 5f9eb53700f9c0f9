#include "trace/tracer.h"

#include "core/library.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find_library(char path[PATH_MAX])
{
    static const char *const places[] = {"gpulab-trace.so", "../lib/gpulab/gpulab-trace.so"};
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s%s", folder, places[i]) < PATH_MAX && access(path, R_OK) == 0)
            return true;
    return false;
}

bool lab_tracer_find(struct lab_tracer *tracer)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", NULL};
    if (!lab_library_find(names, tracer->cupti))
        tracer->cupti[0] = '\0';
    return find_library(tracer->library);
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
