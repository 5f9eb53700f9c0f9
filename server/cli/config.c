/* The options that several commands share, and the paths that follow from them. */
#include "config.h"

#include "core/program.h"
#include "core/protocol.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const runtimes[] = {"auto", "cuda", "host", NULL};

const struct lab_option lab_database_options[] = {
    {.name = "--db",
     .value = "FILE",
     .help = "The SQLite database of all runs. Default: $STATE_DIRECTORY/gpulab.db, else "
             "${XDG_STATE_HOME:-~/.local/state}/gpulab/gpulab.db.",
     .environment = true,
     .offset = offsetof(struct lab_config, db)},
    {0},
};

const struct lab_option lab_worker_options_table[] = {
    {.name = "--runtime",
     .value = "NAME",
     .help = "What experiments run on. cuda: NVIDIA GPUs; host: the CPU; auto: cuda if it finds a device, else host.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = runtimes, .fallback = "auto"},
     .environment = true,
     .offset = offsetof(struct lab_config, runtime)},
    {.name = "--host-devices",
     .value = "N",
     .help = "The number of devices into which the host runtime splits the CPU cores.",
     .accepts = {.type = LAB_TYPE_WHOLE, .minimum = 1, .maximum = 16, .fallback = "1"},
     .environment = true,
     .offset = offsetof(struct lab_config, host_devices)},
    {.name = "--worker",
     .value = "PATH",
     .help = "The gpulab-worker executable. Default: the one that was built or installed with gpulab.",
     .environment = true,
     .offset = offsetof(struct lab_config, worker)},
    {.name = "--compiler",
     .value = "PATH",
     .help = "The gpulab-compiler executable. Default: the one that was built or installed with gpulab.",
     .environment = true,
     .offset = offsetof(struct lab_config, compiler)},
    {.name = "--lock-dir",
     .value = "DIR",
     .help = "The folder of the device locks. Labs that share it never use the same device at the same time.",
     .accepts = {.fallback = LAB_LOCK_DIR_DEFAULT},
     .environment = true,
     .offset = offsetof(struct lab_config, lock_dir)},
    {.name = "--programs",
     .value = "FILE",
     .help =
         "The commands that 'gpulab program --command' can execute on this machine, as JSON; the README says more. Other "
         "machines have the default.",
     .accepts = {.fallback = LAB_PROGRAMS_FILE_DEFAULT},
     .environment = true,
     .offset = offsetof(struct lab_config, programs)},
    {.name = "--program-user",
     .value = "USER",
     .help =
         "The user that executes whole programs if the lab runs as root, such as nobody. A lab of root needs it where "
         "bubblewrap does not work.",
     .environment = true,
     .offset = offsetof(struct lab_config, program_user)},
    {0},
};

static bool too_long(struct lab_errors *errors, const char *option)
{
    return lab_errors_add(errors, LAB_ERROR_PATH_TOO_LONG, option, "The path is too long (at most 4095 bytes).");
}

static bool fits(int length, size_t size)
{
    return length >= 0 && (size_t)length < size;
}

static bool complete_db(struct lab_config *config, struct lab_errors *errors)
{
    const char *given = config->db, *folder = getenv("STATE_DIRECTORY"), *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    char *path = config->db_path;
    int length;
    if (given != NULL)
        length = snprintf(path, PATH_MAX, "%s", given);
    else if (folder != NULL && folder[0] == '/') /* of a list separated by colons, the first folder */
        length = snprintf(path, PATH_MAX, "%.*s/gpulab.db", (int)strcspn(folder, ":"), folder);
    else if (state != NULL && state[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/gpulab/gpulab.db", state);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.local/state/gpulab/gpulab.db", home);
    else
        return lab_errors_add(errors, LAB_ERROR_NO_DATABASE, "--db",
                              "HOME is not set, so there is no default path; use --db FILE");
    if (!fits(length, PATH_MAX))
        return too_long(errors, "--db");
    /* A symbolic link is resolved, because the lab's socket is beside the file to which it leads. A new file has the
     * path given. */
    char resolved[PATH_MAX];
    if (realpath(path, resolved) != NULL)
        memcpy(path, resolved, sizeof resolved);
    return true;
}

/* Sets the path of a program of gpulab: `given` by `option`, else where it is. If there is none, the error when the
 * program is started names its path. */
static bool complete_program(const char *name, const char *option, const char *given, char path[PATH_MAX],
                             struct lab_errors *errors)
{
    if (given != NULL)
        return fits(snprintf(path, PATH_MAX, "%s", given), PATH_MAX) || too_long(errors, option);
    if (!lab_program_find_own(name, path) && path[0] == '\0')
        return lab_errors_add(errors, LAB_ERROR_NO_PROGRAM, option,
                              "the folder of this program is unknown. Use %s PATH.", option);
    return true;
}

bool lab_config_complete(struct lab_config *config, struct lab_errors *errors)
{
    config->socket_folder = -1;
    return complete_db(config, errors) &&
           complete_program("gpulab-worker", "--worker", config->worker, config->worker_path, errors) &&
           complete_program("gpulab-compiler", "--compiler", config->compiler, config->compiler_path, errors);
}

/* A socket's path has at most 107 bytes. For a longer path, the folder is opened as descriptor N, and the path is
 * /proc/self/fd/N/NAME. */
bool lab_config_socket(struct lab_config *config)
{
    const char *suffix = config->history ? ".history.sock" : ".sock";
    char folder[PATH_MAX], *path = config->socket_path;
    if (fits(snprintf(path, sizeof config->socket_path, "%s%s", config->db_path, suffix), sizeof config->socket_path))
        return true;
    path[0] = '\0';
    memcpy(folder, config->db_path, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    config->socket_folder = open(slash == folder ? "/" : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (config->socket_folder < 0)
        return false;
    if (fits(snprintf(path, sizeof config->socket_path, "/proc/self/fd/%d/%s%s", config->socket_folder, slash + 1,
                      suffix),
             sizeof config->socket_path))
        return true;
    path[0] = '\0';
    return false;
}

void lab_config_release(struct lab_config *config)
{
    if (config->socket_folder >= 0)
        close(config->socket_folder);
    config->socket_folder = -1;
}
