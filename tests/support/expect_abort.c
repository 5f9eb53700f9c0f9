#include "support/expect_abort.h"

void expect_abort(void (*misuse)(void), const char *named)
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
