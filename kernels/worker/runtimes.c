/* Lists the runtimes of this build and starts one of them. */
#include "runtimes.h"

#include "host/host.h"
#if GPULAB_HAVE_CUDA
#include "cuda/cuda.h"
#endif

#include <stdio.h>
#include <string.h>

const struct lab_runtime *const lab_runtimes[] = {
#if GPULAB_HAVE_CUDA
    &lab_cuda_runtime,
#endif
    &lab_host_runtime,
    NULL,
};

static bool is_known(const char *name)
{
    for (size_t i = 0; lab_runtimes[i] != NULL; i++)
        if (strcmp(lab_runtimes[i]->name, name) == 0)
            return true;
    return false;
}

const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error)
{
    bool automatic = strcmp(name, "auto") == 0;
    if (!automatic && !is_known(name)) {
        lab_error_set(error, "unknown-runtime", "", "this build does not have the runtime \"%.32s\"", name);
        return NULL;
    }
    for (size_t i = 0; lab_runtimes[i] != NULL; i++) {
        const struct lab_runtime *runtime = lab_runtimes[i];
        if (!automatic && strcmp(runtime->name, name) != 0)
            continue;
        if (runtime->start(options, error))
            return runtime;
        if (log != NULL) {
            char line[LAB_DETAIL_MAX + 64];
            snprintf(line, sizeof line, "runtime %s: %s", runtime->name, error->detail);
            log(line);
        }
    }
    return NULL;
}
