/* For tests of misuse that aborts the process. */
#ifndef LAB_TEST_EXPECT_ABORT_H
#define LAB_TEST_EXPECT_ABORT_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Calls `misuse` in a child process and expects it to be aborted with a message that contains `named`. */
static inline void expect_abort(void (*misuse)(void), const char *named)
{
    int output[2], status;
    char message[256] = "";
    assert_int_equal(pipe(output), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(output[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        misuse();
        _exit(0);
    }
    close(output[1]);
    assert_true(read(output[0], message, sizeof message - 1) > 0);
    close(output[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(message, named));
}

#endif
