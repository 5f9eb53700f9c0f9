#include "support/expect_abort.h"

enum { MESSAGE_MAX = 512 };

/* Calls `act` in a child process; returns its status, with what it has printed to stderr. */
static int status_of(void (*act)(void), char message[MESSAGE_MAX])
{
    int output[2], status;
    size_t length = 0;
    assert_int_equal(pipe(output), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(output[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        act();
        _exit(0);
    }
    close(output[1]);
    for (ssize_t more; (more = read(output[0], message + length, MESSAGE_MAX - 1 - length)) > 0;)
        length += (size_t)more;
    close(output[0]);
    message[length] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

void expect_abort(void (*misuse)(void), const char *named)
{
    char message[MESSAGE_MAX];
    int status = status_of(misuse, message);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(message, named));
}

void expect_failure(void (*act)(void), const char *message)
{
    char found[MESSAGE_MAX];
    int status = status_of(act, found);
    assert_string_equal(found, message);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
