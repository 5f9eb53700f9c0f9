/* gpulab-worker: executes the operations that the server sends over a pipe, on the devices of one runtime. It ends when
 * its input closes.
 */
#include "channel.h"
#include "core/protocol.h"
#include "core/user.h"
#include "environment.h"
#include "examine.h"
#include "experiments/program/commands.h"
#include "experiments/program/program_files.h"
#include "runtimes.h"
#include "visible.h"
#include "worker.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SILENCE_MAX = 86400 };

struct arguments {
    const char *runtime;
    const char *lock_dir, *programs, *program_user;
    const char *database;       /* of the lab, if it is on this machine; for an examination */
    bool examine;               /* examines the machine and measures nothing */
    struct lab_visible visible; /* the devices that CUDA shows; empty: all */
    size_t silence_s;           /* 0: no limit */
    struct lab_runtime_options options;
};

static const char usage[] =
    "usage: gpulab-worker [--runtime auto|cuda|host] [--host-devices N] [--device UUID]… [--lock-dir DIR]\n"
    "                     [--programs FILE] [--program-user USER] [--silence S] [--examine [--database FILE]]\n"
    "Started by gpulab. Reads operations from standard input and writes events to standard output, as JSON lines.\n"
    "With --device it opens no other CUDA devices than these; without, all.\n"
    "With --silence it ends when it has received nothing for S seconds.\n"
    "With --examine it writes what it finds on this machine, as a JSON document, and ends.\n";

static bool parse_count(const char *text, size_t maximum, size_t *count)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *count = value;
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && value <= maximum;
}

/* Where the value of an option that may be any text belongs; NULL: it is another option. */
static const char **text_of(struct arguments *arguments, int option)
{
    switch (option) {
    case 'r':
        return &arguments->runtime;
    case 'l':
        return &arguments->lock_dir;
    case 'p':
        return &arguments->programs;
    case 'u':
        return &arguments->program_user;
    case 'b':
        return &arguments->database;
    default:
        return NULL;
    }
}

static bool parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"runtime", required_argument, NULL, 'r'},  {"host-devices", required_argument, NULL, 'n'},
        {"device", required_argument, NULL, 'd'},   {"lock-dir", required_argument, NULL, 'l'},
        {"programs", required_argument, NULL, 'p'}, {"program-user", required_argument, NULL, 'u'},
        {"silence", required_argument, NULL, 's'},  {"database", required_argument, NULL, 'b'},
        {"examine", no_argument, NULL, 'e'},        {NULL, 0, NULL, 0}};
    *arguments = (struct arguments){.runtime = "auto",
                                    .lock_dir = LAB_LOCK_DIR_DEFAULT,
                                    .programs = LAB_PROGRAMS_FILE_DEFAULT,
                                    .options.host_fault = getenv("GPULAB_HOST_FAULT")};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        const char **text = text_of(arguments, option);
        bool good = text != NULL || option == 'e' || (option == 'd' && lab_visible_add(&arguments->visible, optarg)) ||
                    (option == 'n' && parse_count(optarg, LAB_RUN_DEVICES_MAX, &arguments->options.host_devices)) ||
                    (option == 's' && parse_count(optarg, SILENCE_MAX, &arguments->silence_s));
        if (!good)
            return false;
        if (text != NULL)
            *text = optarg;
        arguments->examine = arguments->examine || option == 'e';
    }
    return optind == argc;
}

static void log_line(const char *line)
{
    lab_channel_send(json_pack("{s:s, s:s}", "event", "log", "text", line));
}

static void describe(const struct worker *worker)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < worker->device_count; i++) {
        struct lab_device_facts facts = *worker->runtime->facts(i);
        if (worker->nvml != NULL)
            lab_nvml_complete(worker->nvml, &facts);
        json_array_append_new(devices, lab_facts_to_json(&facts));
    }
    lab_channel_send(json_pack("{s:s, s:o, s:o, s:o, s:o}", "event", "description", "devices", devices, "machine",
                               lab_environment_machine(), "build",
                               lab_environment_build(worker->runtime->name, worker->fallback), "programs",
                               program_commands_list(worker->programs)));
}

static int serve(struct worker *worker)
{
    for (json_t *operation; (operation = lab_channel_next()) != NULL; json_decref(operation)) {
        const char *name = json_string_value(json_object_get(operation, "op"));
        if (strcmp(name, "describe") == 0)
            describe(worker);
        else if (strcmp(name, "run") == 0 && !worker_run(worker, operation))
            return LAB_WORKER_EXIT_LOST; /* nothing is freed, because the process exits now */
    }
    return LAB_WORKER_EXIT_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    struct worker worker = {0};
    struct lab_error error = {0};
    if (!parse_arguments(argc, argv, &arguments)) {
        fputs(usage, stderr);
        return LAB_WORKER_EXIT_USAGE;
    }
    uid_t user = geteuid();
    if (arguments.program_user != NULL && !lab_user_find(arguments.program_user, &user, &(gid_t){0}, &error)) {
        fprintf(stderr, "gpulab-worker: %s: %s\n", error.pointer, error.detail);
        return LAB_WORKER_EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    if (arguments.examine)
        return worker_examine(&(struct worker_examination){arguments.lock_dir, arguments.program_user,
                                                           arguments.database, arguments.options});
    if (!lab_channel_open(&worker.cancel, (unsigned)arguments.silence_s)) {
        perror("gpulab-worker");
        return LAB_WORKER_EXIT_PROTOCOL;
    }
    worker.variables = lab_environment_variables();
    lab_visible_set(&arguments.visible);
    program_folders_clean(user);
    worker.runtime = lab_runtime_start(arguments.runtime, &arguments.options, log_line, &error);
    if (worker.runtime == NULL) {
        fprintf(stderr, "gpulab-worker: %s\n", error.detail);
        json_decref(worker.variables);
        return LAB_WORKER_EXIT_NO_DEVICE;
    }
    worker.fallback = error.detail[0] != '\0' ? error.detail : NULL;
    worker.lock_dir = arguments.lock_dir;
    worker.programs = arguments.programs;
    worker.program_user = arguments.program_user;
    worker.device_count = worker.runtime->device_count();
    worker.devices = calloc(worker.device_count, sizeof *worker.devices);
    worker.nvml = lab_nvml_open(NULL);
    int code = worker.devices != NULL ? serve(&worker) : LAB_WORKER_EXIT_LOST;
    if (code == LAB_WORKER_EXIT_LOST)
        _Exit(code);
    for (size_t i = 0; i < worker.device_count; i++)
        if (worker.devices[i].device != NULL)
            worker.runtime->close(worker.devices[i].device);
    free(worker.devices);
    json_decref(worker.variables);
    lab_nvml_close(worker.nvml);
    worker.runtime->stop();
    return code;
}
