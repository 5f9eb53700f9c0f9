/* Starts the launcher, exchanges lines with rank 0, and ends all of it. */
#include "ranks.h"

#include "core/error_json.h"
#include "core/lines.h"
#include "measure/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PRINTED_MAX = 4096, POLL_MS = 50 };

static const double patience_s = 1;  /* for an orderly end, and again after SIGTERM */
static const double pause_s = 0.002; /* between two looks at whether the launcher has ended */

struct lab_mpi_ranks {
    const atomic_bool *cancel;
    pid_t pid;                 /* of the launcher, which leads its process group */
    int input, output, errors; /* ends of the launcher's pipes */
    bool reaped;
    int status; /* of waitpid, when reaped */
    struct lab_line_reader reader;
    size_t printed_length;
    char printed[PRINTED_MAX]; /* what was printed to standard error since the last answer, from its beginning */
};

/* --- starting ----------------------------------------------------------------------------------------------------- */

static void close_end(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* In the child: the launcher gets SIGTERM when the thread that started it ends, by whatever cause. */
static void run_launcher(const struct lab_mpi_command *command, const int standard[3], pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    bool good = getppid() == parent;
    for (int i = 0; i < 3 && good; i++)
        good = dup2(standard[i], i) == i;
    if (good)
        execv(command->items[0], command->items);
    _exit(127);
}

static bool start(struct lab_mpi_ranks *ranks, const struct lab_mpi_command *command)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    pid_t parent = getpid();
    bool good = true;
    for (int i = 0; i < 3; i++)
        good = good && pipe2(pipes[i], O_CLOEXEC) == 0;
    const int standard[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
    if (good)
        ranks->pid = fork();
    if (good && ranks->pid == 0)
        run_launcher(command, standard, parent);
    good = good && ranks->pid > 0;
    for (int i = 0; i < 3; i++)
        close_end(&pipes[i][i == 0 ? 0 : 1]);
    ranks->input = pipes[0][1];
    ranks->output = pipes[1][0];
    ranks->errors = pipes[2][0];
    ranks->reaped = !good;
    if (good)
        setpgid(ranks->pid, ranks->pid);
    if (ranks->output >= 0 && ranks->errors >= 0) {
        fcntl(ranks->output, F_SETFL, O_NONBLOCK);
        fcntl(ranks->errors, F_SETFL, O_NONBLOCK);
    }
    return good;
}

/* --- ending ------------------------------------------------------------------------------------------------------- */

/* Whether the launcher ends within the time. */
static bool await_end(struct lab_mpi_ranks *ranks, double seconds)
{
    for (double end = lab_now_s() + seconds; !ranks->reaped; lab_sleep_s(pause_s)) {
        pid_t got = waitpid(ranks->pid, &ranks->status, WNOHANG);
        ranks->reaped = got == ranks->pid || (got < 0 && errno != EINTR);
        if (lab_now_s() >= end)
            break;
    }
    return ranks->reaped;
}

/* The output stays open until the end, because a launcher that cannot print does not end its ranks in order. */
void lab_mpi_ranks_stop(struct lab_mpi_ranks *ranks)
{
    if (ranks == NULL)
        return;
    close_end(&ranks->input);
    if (!await_end(ranks, patience_s)) {
        kill(ranks->pid, SIGTERM); /* mpirun and srun pass it on to the ranks */
        if (!await_end(ranks, patience_s)) {
            kill(-ranks->pid, SIGKILL);
            await_end(ranks, patience_s);
        }
    }
    close_end(&ranks->output);
    close_end(&ranks->errors);
    lab_line_reader_release(&ranks->reader);
    free(ranks);
}

/* --- what the launcher printed ------------------------------------------------------------------------------------ */

/* Keeps what is printed, and passes it on to this process's own standard error. Returns what read() has returned. */
static ssize_t read_errors(struct lab_mpi_ranks *ranks)
{
    char piece[1024];
    ssize_t got = read(ranks->errors, piece, sizeof piece);
    if (got <= 0)
        return got;
    size_t space = sizeof ranks->printed - 1 - ranks->printed_length;
    size_t kept = (size_t)got < space ? (size_t)got : space;
    memcpy(ranks->printed + ranks->printed_length, piece, kept);
    ranks->printed_length += kept;
    lab_write_all(STDERR_FILENO, piece, (size_t)got);
    return got;
}

/* Makes one line of what was printed: runs of spaces, lines and the rules of "-----" around Open MPI's messages become
 * one space. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        size_t spaces = strspn(from, " \t\r\n"), rule = strspn(from, "-");
        if (spaces > 0 || rule > 8) {
            from += spaces + (spaces > 0 ? 0 : rule);
            if (to > text && to[-1] != ' ')
                *to++ = ' ';
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static bool set_ended_error(struct lab_mpi_ranks *ranks, struct lab_error *error)
{
    static const char *const few_slots[] = {"not enough slots", "More processors requested than permitted", NULL};
    char how[64] = "has not ended";
    enum lab_error_code code = LAB_ERROR_RANKS_FAILED;
    if (await_end(ranks, patience_s) && WIFSIGNALED(ranks->status))
        snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(ranks->status));
    else if (ranks->reaped)
        snprintf(how, sizeof how, "exited with code %d", WEXITSTATUS(ranks->status));
    while (read_errors(ranks) > 0)
        continue;
    ranks->printed[ranks->printed_length] = '\0';
    join_lines(ranks->printed);
    for (size_t i = 0; few_slots[i] != NULL; i++)
        if (strstr(ranks->printed, few_slots[i]) != NULL)
            code = LAB_ERROR_UNSUPPORTED;
    const char *printed = ranks->printed + strspn(ranks->printed, " ");
    return lab_error_set(error, code, "", "the launcher of the ranks %s%s%s", how,
                         printed[0] != '\0' ? "; it printed: " : " and printed nothing", printed);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Waits for output or errors, a moment at most. Returns false when the output has ended. */
static bool await_output(struct lab_mpi_ranks *ranks)
{
    struct pollfd ends[] = {{.fd = ranks->output, .events = POLLIN}, {.fd = ranks->errors, .events = POLLIN}};
    if (poll(ends, 2, POLL_MS) <= 0)
        return true;
    if (ends[1].revents != 0 && read_errors(ranks) == 0)
        close_end(&ranks->errors);
    if (ends[0].revents != 0)
        lab_line_reader_read(&ranks->reader, ranks->output);
    return !ranks->reader.ended && !ranks->reader.too_long;
}

/* The next line that is a JSON object. Other lines are what a library has printed. */
static json_t *next_object(struct lab_mpi_ranks *ranks, struct lab_error *error)
{
    for (bool open = true; open;) {
        size_t length;
        for (char *line; (line = lab_line_reader_next(&ranks->reader, &length)) != NULL;) {
            json_t *object = json_loads(line, 0, NULL);
            if (json_is_object(object))
                return object;
            json_decref(object);
        }
        if (atomic_load_explicit(ranks->cancel, memory_order_relaxed)) {
            lab_error_set(error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
            return NULL;
        }
        open = await_output(ranks);
    }
    set_ended_error(ranks, error);
    return NULL;
}

json_t *lab_mpi_ranks_ask(struct lab_mpi_ranks *ranks, json_t *request, struct lab_error *error)
{
    char *line = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    bool sent = line != NULL && lab_write_all(ranks->input, line, strlen(line)) && lab_write_all(ranks->input, "\n", 1);
    free(line);
    json_t *answer = NULL;
    if (sent)
        answer = next_object(ranks, error);
    else
        set_ended_error(ranks, error);
    const json_t *failed = json_object_get(answer, "error");
    if (failed != NULL) {
        lab_error_read(failed, error);
        if (error->code == LAB_ERROR_UNKNOWN)
            error->code = LAB_ERROR_RANKS_FAILED;
        json_decref(answer);
        return NULL;
    }
    ranks->printed_length = 0;
    return answer;
}

struct lab_mpi_ranks *lab_mpi_ranks_start(const struct lab_mpi_command *command, const atomic_bool *cancel,
                                          json_t **greeting, struct lab_error *error)
{
    struct lab_mpi_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the ranks");
        return NULL;
    }
    ranks->cancel = cancel;
    *greeting = NULL;
    if (start(ranks, command))
        *greeting = next_object(ranks, error);
    else
        lab_error_set(error, LAB_ERROR_RANKS_FAILED, "", "cannot start %s: %s", command->items[0], strerror(errno));
    if (*greeting != NULL)
        return ranks;
    lab_mpi_ranks_stop(ranks);
    return NULL;
}
