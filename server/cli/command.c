/* Exit codes, output, error output and signals of the commands. */
#include "command.h"

#include "core/journal.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

const char lab_exit_help[] =
    "\nExit codes\n"
    "  0  success\n"
    "  1  a run failed, a result was wrong, nothing was measured, a comparison found a point that is slower, a device is\n"
    "     not sound, or something keeps gpulab from working\n"
    "  2  the command line, or the run that it describes, is not valid\n"
    "  3  no device, no worker, or not the device that was asked for\n"
    "  4  the run was cancelled or interrupted\n"
    "  5  an error of the database or of the lab\n";

enum lab_exit_code lab_exit_code_of(enum lab_error_code code)
{
    switch (code) {
    case LAB_ERROR_NODES:
    case LAB_ERROR_PROGRAM_USER:
    case LAB_ERROR_NO_TOKEN:
    case LAB_ERROR_TOKEN_FILE:
        return LAB_EXIT_USAGE;
    case LAB_ERROR_NOT_READY:
    case LAB_ERROR_NO_CUDA_DEVICE:
    case LAB_ERROR_NO_DEVICE:
    case LAB_ERROR_UNKNOWN_DEVICE:
    case LAB_ERROR_UNKNOWN_NODE:
    case LAB_ERROR_NOT_EXAMINED:
    case LAB_ERROR_WORKER_START:
    case LAB_ERROR_WORKER_DIED:
    case LAB_ERROR_WORKER_SILENT:
        return LAB_EXIT_NO_DEVICE;
    case LAB_ERROR_LEFT:
        return LAB_EXIT_CANCELLED;
    default:
        return LAB_EXIT_ERROR;
    }
}

/* Prefixes of JSON pointers, and what the command line calls what follows them. */
static const struct {
    const char *prefix, *shown;
} pointers[] = {{"/parameters/", ""}, {"/query/", "--"}};

void lab_print_error(const struct lab_error *error)
{
    const char *where = error->pointer, *before = "";
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        size_t length = strlen(pointers[i].prefix);
        if (strncmp(error->pointer, pointers[i].prefix, length) == 0) {
            where = error->pointer + length;
            before = pointers[i].shown;
        }
    }
    lab_journal(LAB_SEVERITY_ERROR, "%s%s%s%s", before, where, where[0] != '\0' ? ": " : "", error->detail);
}

void lab_print_errors(const struct lab_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        lab_print_error(&errors->items[i]);
    if (errors->dropped > 0)
        fprintf(stderr, "gpulab: and %zu more errors\n", errors->dropped);
}

bool lab_output_is_closed(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int lab_output_finish(int code)
{
    bool failed_before = ferror(stdout) != 0, failed = fflush(stdout) != 0;
    if ((!failed && !failed_before) || code != LAB_EXIT_OK || lab_output_is_closed())
        return code;
    fprintf(stderr, failed ? "gpulab: the output cannot be written: %m\n" : "gpulab: the output cannot be written\n");
    return LAB_EXIT_ERROR;
}

int lab_signals_open(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int lab_signals_read(int descriptor)
{
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}
