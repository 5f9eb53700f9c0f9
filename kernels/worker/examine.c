#include "examine.h"

#include "core/build.h"
#include "core/clock.h"
#include "core/json_members.h"
#include "core/protocol.h"
#include "core/user.h"
#include "doctor/doctor.h"
#include "runtimes.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Opens the output that the document is written to, and sends to standard error what libraries print meanwhile. NULL on
 * failure. */
static FILE *take_output(void)
{
    int output = dup(STDOUT_FILENO);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return NULL;
    return fdopen(output, "w");
}

/* Adds what the server does not know of this machine. */
static json_t *complete(json_t *document)
{
    json_object_set_new(document, "version", json_string(lab_build.version));
    json_object_set_new(document, "at", lab_json_time_or_null(lab_time_now()));
    return document;
}

int worker_examine(const struct worker_examination *examination)
{
    FILE *output = take_output();
    struct lab_error error;
    struct lab_sandbox_options sandbox = {.has_user = examination->program_user != NULL};
    struct lab_doctor_options options = {
        .root = "",
        .cuda = lab_build.cuda,
        .lock_dir = examination->lock_dir,
        .database = examination->database,
        .sandbox = &sandbox,
    };
    if (output == NULL) {
        perror("gpulab-worker");
        return LAB_WORKER_EXIT_PROTOCOL;
    }
    if (sandbox.has_user) /* main has found the user */
        lab_user_find(examination->program_user, &sandbox.user.uid, &sandbox.user.gid, &error);
    const struct lab_runtime *cuda = lab_runtime_start("cuda", &examination->options, NULL, &error);
    options.cuda_failed = cuda == NULL ? error.detail : NULL;
    options.cuda_devices = cuda != NULL ? cuda->device_count() : 0;
    options.cuda_runtime = cuda != NULL ? cuda->facts(0)->runtime_version : "";
    options.cuda_driver = cuda != NULL ? cuda->facts(0)->driver_version : "";
    options.nvml = lab_nvml_open(&options.nvml_failed);
    json_t *document = complete(lab_doctor_examine(&options));
    bool written = json_dumpf(document, output, JSON_COMPACT) == 0 && fputc('\n', output) == '\n';
    json_decref(document);
    lab_nvml_close(options.nvml);
    if (cuda != NULL)
        cuda->stop();
    return fclose(output) == 0 && written ? LAB_WORKER_EXIT_OK : LAB_WORKER_EXIT_PROTOCOL;
}
