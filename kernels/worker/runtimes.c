/* Lists the runtimes of this build and starts one of them. */
#include "runtimes.h"

#include "visible.h"

#include "host/host.h"
#if GPULAB_HAVE_CUDA
#include "cuda/cuda.h"
#endif

#include <stdio.h>
#include <stdlib.h>
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

/* Adds to the reason why CUDA cannot be used what CUDA_VISIBLE_DEVICES has to do with it. */
static void add_visible(const char *visible, struct lab_error *error)
{
    struct lab_error reason = *error;
    if (visible != NULL && lab_visible_count(visible) == 0)
        lab_error_set(error, reason.code, "", "no CUDA device: CUDA_VISIBLE_DEVICES is \"%s\"", visible);
    else if (visible != NULL)
        lab_error_set(error, reason.code, "", "%s; CUDA_VISIBLE_DEVICES asks for \"%s\"", reason.detail, visible);
}

/* Starts the runtime, and checks that the devices are there for which CUDA_VISIBLE_DEVICES asks. */
static bool start(const struct lab_runtime *runtime, const struct lab_runtime_options *options, const char *visible,
                  struct lab_error *error)
{
    if (runtime == &lab_host_runtime)
        return runtime->start(options, error);
    if (!runtime->start(options, error)) {
        add_visible(visible, error);
        return false;
    }
    if (visible == NULL || lab_visible_check(visible, runtime->device_count(), error))
        return true;
    runtime->stop();
    return false;
}

static void log_failure(void (*log)(const char *line), const char *runtime, const struct lab_error *error)
{
    char line[LAB_DETAIL_MAX + 64];
    snprintf(line, sizeof line, "runtime %s: %s", runtime, error->detail);
    if (log != NULL)
        log(line);
}

const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error)
{
    bool automatic = strcmp(name, "auto") == 0;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const struct lab_runtime *failed = NULL;
    *error = (struct lab_error){0};
    if (!automatic && !is_known(name)) {
        lab_error_set(error, LAB_ERROR_UNKNOWN_RUNTIME, "", "this build does not have the runtime \"%.32s\"", name);
        return NULL;
    }
    for (size_t i = 0; lab_runtimes[i] != NULL; i++) {
        const struct lab_runtime *runtime = lab_runtimes[i];
        if (!automatic && strcmp(runtime->name, name) != 0)
            continue;
        if (automatic && runtime == &lab_host_runtime && i == 0) {
            lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "no CUDA device: this build has no CUDA");
            add_visible(visible, error);
        }
        if (automatic && runtime == &lab_host_runtime && visible != NULL && lab_visible_count(visible) > 0)
            return NULL;
        if (failed != NULL)
            log_failure(log, failed->name, error);
        struct lab_error reason = {0};
        if (start(runtime, options, visible, &reason))
            return runtime;
        *error = reason;
        failed = runtime;
    }
    return NULL;
}
