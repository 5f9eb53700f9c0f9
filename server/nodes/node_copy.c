/* Copies the lab's programs to a machine: finds out what it has, sends what it lacks, and lets it verify that. */
#include "node_copy.h"

#include "node_files.h"
#include "tool.h"
#include "transport_state.h"

#include "core/journal.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Verifying takes the time to read some 20 MB, from a network file system perhaps. */
static const double script_limit_s = 120, copy_limit_s = 300;

/* What the script says. */
struct answer {
    char machine[64], libc[128];
    char ready[PATH_MAX];        /* the folder, or the file that is to be written; "": none */
    bool missing;                /* it has to be copied */
    char failed[LAB_DETAIL_MAX]; /* why it failed; "": it did not */
};

static bool refuse(const struct lab_transport *transport, struct lab_error *error, const char *why)
{
    size_t length = strlen(why);
    bool has_stop = length > 0 && why[length - 1] == '.';
    return lab_error_set(error, LAB_ERROR_WORKER_START, "", "The worker cannot be copied to %s: %s%s", transport->name,
                         why, has_stop ? "" : ".");
}

/* --- what is said there ------------------------------------------------------------------------------------------- */

/* A path is used as it is, or not at all: cut, or without some of its bytes, it is another. */
static void read_path(const char *path, struct answer *answer)
{
    size_t length = strlen(path);
    if (length < sizeof answer->ready && lab_utf8_is_valid(path, length))
        memcpy(answer->ready, path, length + 1);
    else
        snprintf(
            answer->failed, sizeof answer->failed,
            "the path of its cache is not UTF-8, or longer than %zu bytes; cache=FOLDER in the file of nodes names "
            "another folder",
            sizeof answer->ready - 1);
}

/* Reads one line; lines that the script does not write are left out. */
static void read_line(const char *line, struct answer *answer)
{
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {{"gpulab machine ", answer->machine, sizeof answer->machine},
                 {"gpulab libc ", answer->libc, sizeof answer->libc},
                 {"gpulab failed ", answer->failed, sizeof answer->failed}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strncmp(line, texts[i].key, strlen(texts[i].key)) == 0) {
            snprintf(texts[i].text, texts[i].size, "%s", line + strlen(texts[i].key));
            lab_utf8_drop_invalid(texts[i].text);
        }
    static const char ready[] = "gpulab ready ";
    if (strncmp(line, ready, strlen(ready)) == 0)
        read_path(line + strlen(ready), answer);
    if (strcmp(line, "gpulab missing") == 0)
        answer->missing = true;
}

static void read_answer(char *output, struct answer *answer)
{
    *answer = (struct answer){0};
    for (char *line; (line = strsep(&output, "\n")) != NULL;) {
        line[strcspn(line, "\r")] = '\0';
        read_line(line, answer);
    }
}

/* Runs a command on the machine, with an input, and reads what it says. */
static bool run_there(struct lab_transport *transport, const char *const *words, const struct lab_tool_input *input,
                      double limit_s, const atomic_bool *cancelled, struct answer *answer, struct lab_error *error)
{
    struct lab_tool_result result;
    struct lab_argv argv = {0};
    transport->operations->command(transport, &argv, words);
    char **command = lab_argv_take(&argv);
    if (command == NULL)
        return lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "No memory for a command line.");
    bool good = lab_tool_run_words(command, input, limit_s, cancelled, &result);
    lab_argv_free(command);
    read_answer(result.output, answer);
    free(result.output);
    if (result.cancelled)
        return lab_error_set(error, LAB_ERROR_CANCELLED, "", "The copy of the worker to %s was cancelled.",
                             transport->name);
    if (answer->failed[0] != '\0')
        return refuse(transport, error, answer->failed);
    return good || refuse(transport, error, result.reason);
}

/* --- the steps ---------------------------------------------------------------------------------------------------- */

/* Runs an action of the script. */
static bool run_script(struct lab_transport *transport, const char *action, const atomic_bool *cancelled,
                       struct answer *answer, struct lab_error *error)
{
    const struct lab_package *package = transport->package;
    const char *cache = transport->entry->cache;
    struct lab_argv words = {0};
    const char *const begin[] = {"sh", "-s", action, cache != NULL ? cache : "", package->folder, NULL};
    lab_argv_add_all(&words, begin);
    lab_argv_add(&words, "%s-%s", transport->job_name, transport->name);
    for (size_t i = 0; i < package->file_count; i++) {
        lab_argv_add(&words, "%s", package->files[i].name);
        lab_argv_add(&words, "%zu", package->files[i].size);
        lab_argv_add(&words, "%s", package->files[i].sha256);
    }
    char **list = lab_argv_take(&words);
    if (list == NULL)
        return lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "No memory for a command line.");
    const struct lab_tool_input script = {.bytes = lab_node_files_script, .size = strlen(lab_node_files_script)};
    bool good = run_there(transport, (const char *const *)list, &script, script_limit_s, cancelled, answer, error);
    lab_argv_free(list);
    return good && (answer->ready[0] != '\0' || answer->missing ||
                    refuse(transport, error, "its shell has not executed the commands that it was sent"));
}

/* Sends the files. No newline is in the command, because not every shell of a login takes one in quotes. */
static bool send_files(struct lab_transport *transport, const char *path, const atomic_bool *cancelled,
                       struct lab_error *error)
{
    /* What fails is the disk, or a quota. The file and what it is divided into are there at the same time. */
    static const char write[] =
        "e=$({ cat >\"$1\"; } 2>&1) || { rm -rf \"${1%/*}\"; printf 'gpulab failed %s; a copy needs %s MiB in %s\\n' "
        "\"$(printf '%s\\n' \"$e\" | tail -n 1)\" \"$2\" \"${1%/.copy-*}\"; }";
    const struct lab_package *package = transport->package;
    char mebibytes[24];
    snprintf(mebibytes, sizeof mebibytes, "%zu", (2 * package->size >> 20) + 1);
    const char *const words[] = {"sh", "-c", write, "sh", path, mebibytes, NULL};
    const struct lab_tool_input files = {
        .bytes = (const char *)package->bytes, .size = package->size, .sent = &transport->sent};
    struct answer answer = {0};
    atomic_store(&transport->sent, 0);
    atomic_store(&transport->copying, true);
    bool good = run_there(transport, words, &files, copy_limit_s, cancelled, &answer, error);
    atomic_store(&transport->copying, false);
    return good;
}

/* The version N of glibc 2.N in what getconf or ldd say; 0: not glibc, or not known. */
static unsigned glibc_minor(const char *libc)
{
    const char *version = strrchr(libc, ' ');
    bool is_glibc = strstr(libc, "glibc") != NULL || strstr(libc, "GLIBC") != NULL || strstr(libc, "GNU libc") != NULL;
    unsigned minor = 0;
    return is_glibc && version != NULL && sscanf(version, " 2.%u", &minor) == 1 ? minor : 0;
}

/* Refuses a machine on which the programs cannot be started. A C library that is not recognised is left to the first
 * start of the worker there. */
static bool check_machine(const struct lab_transport *transport, const struct answer *there, struct lab_error *error)
{
    const struct lab_package *package = transport->package;
    unsigned minor = glibc_minor(there->libc);
    if (package->machine != NULL && there->machine[0] != '\0' && strcmp(package->machine, there->machine) != 0)
        return lab_error_set(error, LAB_ERROR_WORKER_START, "",
                             "The worker of this lab is for %s and cannot be copied to %s, which is %s: install gpulab "
                             "there, and name its worker by worker=PATH in the file of nodes.",
                             package->machine, transport->name, there->machine);
    if (package->glibc_minor > 0 &&
        ((minor > 0 && minor < package->glibc_minor) || strstr(there->libc, "musl") != NULL))
        return lab_error_set(error, LAB_ERROR_WORKER_START, "",
                             "The worker of this lab needs glibc 2.%u and cannot be copied to %s, which has %.60s: "
                             "install gpulab there, and name its worker by worker=PATH in the file of nodes.",
                             package->glibc_minor, transport->name, there->libc);
    return true;
}

/* Copies the files, unless another node has done that for a home that both mount. */
static bool copy(struct lab_transport *transport, const atomic_bool *cancelled, struct answer *answer,
                 struct lab_error *error)
{
    if (!run_script(transport, "find", cancelled, answer, error))
        return false;
    if (!answer->missing)
        return true;
    if (!run_script(transport, "prepare", cancelled, answer, error))
        return false;
    char path[PATH_MAX];
    memcpy(path, answer->ready, sizeof path);
    if (!send_files(transport, path, cancelled, error) || !run_script(transport, "install", cancelled, answer, error))
        return false;
    lab_journal(LAB_SEVERITY_NOTICE, "the worker was copied to %s: %s.", transport->name, answer->ready);
    return true;
}

/* Waits until another copy may begin. False when *cancelled became true. */
static bool await_turn(struct lab_package *package, const atomic_bool *cancelled)
{
    const long step_ns = 100 * 1000 * 1000;
    struct timespec moment;
    do {
        if (cancelled != NULL && atomic_load(cancelled))
            return false;
        clock_gettime(CLOCK_REALTIME, &moment);
        moment.tv_sec += (moment.tv_nsec + step_ns) / 1000000000;
        moment.tv_nsec = (moment.tv_nsec + step_ns) % 1000000000;
    } while (sem_timedwait(&package->copies, &moment) != 0);
    return true;
}

/* Copies the files when it is the node's turn: a home of all nodes does not have to hold a copy for each, nor the
 * network to carry all at once. */
static bool copy_in_turn(struct lab_transport *transport, const atomic_bool *cancelled, struct answer *answer,
                         struct lab_error *error)
{
    if (!await_turn(transport->package, cancelled))
        return lab_error_set(error, LAB_ERROR_CANCELLED, "", "The copy of the worker to %s was cancelled.",
                             transport->name);
    bool good = copy(transport, cancelled, answer, error);
    sem_post(&transport->package->copies);
    return good;
}

bool lab_node_copy(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error)
{
    struct answer answer = {0};
    if (!run_script(transport, "find", cancelled, &answer, error) || !check_machine(transport, &answer, error))
        return false;
    if (answer.missing && !copy_in_turn(transport, cancelled, &answer, error))
        return false;
    int length = snprintf(transport->copied, sizeof transport->copied, "%s/bin/gpulab-worker", answer.ready);
    return length < (int)sizeof transport->copied || refuse(transport, error, "the path of its folder is too long");
}
