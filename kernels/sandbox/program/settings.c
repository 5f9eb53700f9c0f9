#include "settings.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: gpulab-sandbox --folder FOLDER [OPTION...] -- PROGRAM [ARGUMENT...]\n"
    "Runs a program in a sandbox (kernels/sandbox). Started by gpulab-worker; by hand it says on standard error how the program ended.\n"
    "  --folder FOLDER       where the program can write: its working folder and HOME\n"
    "  --read PATH           more files and folders to read\n"
    "  --device PATH         a device to open\n"
    "  --variable NAME=TEXT  a variable of the program\n"
    "  --user UID:GID        the program's user; needed by root\n"
    "  --processor-seconds, --memory-bytes, --tasks, --open-files, --file-bytes N\n"
    "                        limits; --user-tasks N: of all processes and threads of the user\n"
    "  --namespaces          bubblewrap has made namespaces for this process\n"
    "  --reported            descriptor 3 is for reports\n"
    "  --kept N              the N descriptors from 4 on become those from 3 on in the program\n";

static bool read_user(const char *text, struct lab_sandbox_settings *settings)
{
    char *end;
    unsigned long uid = strtoul(text, &end, 10), gid = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    settings->user = (struct lab_sandbox_user){(uid_t)uid, (gid_t)gid};
    settings->has_user = uid > 0 && uid < UINT32_MAX && gid > 0 && gid < UINT32_MAX && *end == '\0';
    return settings->has_user;
}

static bool read_limit(const char *text, uint64_t *limit)
{
    char *end;
    *limit = strtoull(text, &end, 10);
    return *limit > 0 && *end == '\0';
}

/* An option that can be given several times. */
static bool append(const char **list, size_t *count, const char *text)
{
    list[(*count)++] = text;
    return true;
}

bool lab_sandbox_settings_read(struct lab_sandbox_settings *settings, int argc, char **argv)
{
    enum {
        FOLDER = 1,
        READ,
        DEVICE,
        VARIABLE,
        USER,
        PROCESSOR,
        MEMORY,
        TASKS,
        USER_TASKS,
        OPEN_FILES,
        FILE_BYTES,
        KEPT
    };
    int namespaces = 0, reported = 0;
    const struct option options[] = {
        {"folder", required_argument, NULL, FOLDER},
        {"read", required_argument, NULL, READ},
        {"device", required_argument, NULL, DEVICE},
        {"variable", required_argument, NULL, VARIABLE},
        {"user", required_argument, NULL, USER},
        {"processor-seconds", required_argument, NULL, PROCESSOR},
        {"memory-bytes", required_argument, NULL, MEMORY},
        {"tasks", required_argument, NULL, TASKS},
        {"user-tasks", required_argument, NULL, USER_TASKS},
        {"open-files", required_argument, NULL, OPEN_FILES},
        {"file-bytes", required_argument, NULL, FILE_BYTES},
        {"namespaces", no_argument, &namespaces, 1},
        {"reported", no_argument, &reported, 1},
        {"kept", required_argument, NULL, KEPT},
        {0},
    };
    uint64_t *const limits[] = {&settings->processor_s, &settings->memory_bytes, &settings->tasks,
                                &settings->user_tasks,  &settings->open_files,   &settings->file_bytes};
    size_t readable = 0, devices = 0, variables = 0, capacity = (size_t)argc + 1;
    *settings = (struct lab_sandbox_settings){.processor_s = 60,
                                              .memory_bytes = UINT64_C(4) << 30,
                                              .tasks = 256,
                                              .user_tasks = UINT64_C(1) << 20,
                                              .open_files = 256,
                                              .file_bytes = UINT64_C(1) << 30};
    settings->readable = calloc(capacity, sizeof(char *));
    settings->devices = calloc(capacity, sizeof(char *));
    settings->environment = calloc(capacity, sizeof(char *));
    bool good = settings->readable != NULL && settings->devices != NULL && settings->environment != NULL;
    for (int option; good && (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        if (option == FOLDER)
            settings->folder = optarg;
        else if (option == READ)
            good = append(settings->readable, &readable, optarg);
        else if (option == DEVICE)
            good = append(settings->devices, &devices, optarg);
        else if (option == VARIABLE)
            good = append((const char **)settings->environment, &variables, optarg);
        else if (option == USER)
            good = read_user(optarg, settings);
        else if (option == KEPT)
            good = read_limit(optarg, &settings->kept) && settings->kept <= LAB_SANDBOX_KEPT_MAX;
        else if (option >= PROCESSOR && option <= FILE_BYTES)
            good = read_limit(optarg, limits[option - PROCESSOR]);
        else
            good = option == 0;
    }
    settings->namespaces = namespaces != 0;
    settings->reported = reported != 0;
    settings->arguments = argv + optind;
    if (!good || settings->folder == NULL || settings->folder[0] != '/' || optind == argc) {
        fputs(usage, stderr);
        return false;
    }
    return true;
}
