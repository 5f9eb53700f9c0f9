/* tests/support/test.c: a test that fails, in whichever way, fails its program, which says where and why. */
#include "support/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void differ(void *state)
{
    (void)state;
    assert_int_equal(1 + 1, 3);
}

static void differ_as_texts(void *state)
{
    (void)state;
    assert_string_equal("found", "wanted");
}

static void *differ_in_thread(void *unused)
{
    (void)unused;
    fail_msg("%s", "in a thread");
}

static void start_thread(void *state)
{
    pthread_t thread;
    (void)state;
    pthread_create(&thread, NULL, differ_in_thread, NULL);
    pthread_join(thread, NULL);
}

static void be_killed(void *state)
{
    (void)state;
    raise(SIGKILL);
}

static void leave(void *state)
{
    (void)state;
    exit(0);
}

static void hang(void *state)
{
    (void)state;
    for (;;)
        pause();
}

static void leave_out(void *state)
{
    (void)state;
    skip();
}

static void pass(void *state)
{
    (void)state;
}

static int refuse(void **state)
{
    (void)state;
    return 1;
}

static int say_so(void **state)
{
    (void)state;
    puts("torn down");
    return 0;
}

/* What the tests of the role are called, and what the program then prints and exits with. */
static struct {
    struct test test;
    const char *printed;
    int status;
} cases[] = {
    {{.name = "a_check", .run = differ}, "test_test.c:15: 1 + 1 is 2 (0x2), not 3 (0x3)", 1},
    {{.name = "texts", .run = differ_as_texts}, "is \"found\",\nnot \"wanted\"", 1},
    {{.name = "a_thread", .run = start_thread}, "in a thread", 1},
    {{.name = "a_signal", .run = be_killed}, "test_test.c:7: a_signal: its process was ended by signal 9", 1},
    {{.name = "an_exit", .run = leave}, "its process exited with status 0", 1},
    {{.name = "a_hang", .run = hang}, "no end after 0.3 s", 1},
    {{.name = "a_setup", .run = pass, .setup = refuse}, "the setup of a_setup failed", 1},
    {{.name = "a_teardown", .run = pass, .teardown = refuse}, "the teardown of a_teardown failed", 1},
    {{.name = "what_is_torn_down", .run = differ, .teardown = say_so}, "torn down", 1},
    {{.name = "a_skip", .run = leave_out}, "0 passed, 0 failed, 1 skipped", 0},
    {{.name = "nothing", .run = pass}, "1 passed, 0 failed, 0 skipped", 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static int run_cases(int argc, char **argv)
{
    (void)argc;
    for (size_t i = 0; i < CASES; i++) {
        cases[i].test.file = __FILE__;
        cases[i].test.line = 7;
        test_register(&cases[i].test);
    }
    if (strcmp(argv[2], "a_hang") == 0)
        setenv("GPULAB_TEST_SLOWDOWN", "0.001", 1);
    return test_run(argv + 2);
}

TEST_ROLE("--cases", run_cases)

TEST(each_way_to_fail_is_reported)
{
    char program[512] = "", command[640], printed[4096];
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    for (size_t i = 0; i < CASES; i++) {
        snprintf(command, sizeof command, "'%s' --cases %s 2>&1", program, cases[i].test.name);
        FILE *output = popen(command, "r");
        assert_non_null(output);
        printed[fread(printed, 1, sizeof printed - 1, output)] = '\0';
        int status = pclose(output);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != cases[i].status || strstr(printed, cases[i].printed) == NULL)
            fail_msg("%s: status %d: %s", cases[i].test.name, status, printed);
    }
}

TEST(a_name_that_no_test_has_is_an_error)
{
    char program[512] = "", command[640];
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    snprintf(command, sizeof command, "'%s' no_such_test 2>/dev/null", program);
    assert_int_equal(WEXITSTATUS(system(command)), 2);
}
