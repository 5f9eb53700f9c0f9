/* kernels/sandbox: how programs end, by themselves and by each limit, and that compilers run. */
#include "support/sandbox_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- ends --------------------------------------------------------------------------------------------------------- */

TEST_BOTH(output_and_exit_code_arrive, struct sandbox_fixture *fixture)
{
    fixture->call.input = open(fixture->secret, O_RDONLY);
    assert_true(run_attack(fixture, "greet", "you"));
    expect_exit(fixture, 7);
    assert_string_equal(fixture->output, "hello you, 6: secret");
    assert_string_equal(fixture->errors, "careful");
    assert_true(fixture->result.wall_s > 0 && fixture->result.memory_bytes > 0);
    assert_true(run_attack(fixture, "crash", NULL));
    assert_int_equal(fixture->result.end, LAB_SANDBOX_ITSELF);
    assert_true(WIFSIGNALED(fixture->result.status));
    assert_int_equal(WTERMSIG(fixture->result.status), SIGSEGV);
}

TEST_BOTH(a_program_that_cannot_be_executed_is_named, struct sandbox_fixture *fixture)
{
    char *const missing[] = {"nothing", NULL};
    assert_false(run_arguments(fixture, missing));
    assert_int_equal(fixture->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_string_equal(fixture->result.detail, "The program cannot be started: nothing: No such file or directory.");
    fixture->call.folder = "/nowhere";
    assert_false(run_arguments(fixture, missing));
    assert_string_equal(fixture->result.detail, "The program cannot be started: /nowhere: No such file or directory.");
}

TEST_BOTH(huge_arguments_are_refused, struct sandbox_fixture *fixture)
{
    enum { MANY = 100, SIZE = 100000 };
    char *arguments[MANY + 2] = {fixture->program}, *long_one = calloc(1, SIZE + 1);
    memset(long_one, 'x', SIZE);
    for (size_t i = 1; i <= MANY; i++)
        arguments[i] = long_one;
    assert_false(run_arguments(fixture, arguments));
    assert_int_equal(fixture->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_non_null(strstr(fixture->result.detail, "Argument list too long"));
    free(long_one);
}

/* Each goes on until its time is over. */
TEST_BOTH(endless_programs_are_ended, struct sandbox_fixture *fixture)
{
    char *attacks[] = {"loop", "close", "stop", "output"};
    fixture->call.limits.wall_s = 0.5;
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        assert_true(run_attack(fixture, attacks[i], NULL));
        expect_end(fixture, LAB_SANDBOX_WALL_LIMIT);
    }
}

TEST_BOTH(all_output_is_read, struct sandbox_fixture *fixture)
{
    assert_true(run_attack(fixture, "flood", NULL));
    expect_exit(fixture, 0);
    assert_int_equal(fixture->output_bytes, 256 << 20);
    assert_int_equal(fixture->errors_bytes, 256 << 20);
}

TEST_BOTH(output_ends_when_the_caller_wants_no_more, struct sandbox_fixture *fixture)
{
    fixture->output_limit = 1 << 20;
    assert_true(run_attack(fixture, "output", NULL));
    expect_end(fixture, LAB_SANDBOX_OUTPUT_LIMIT);
}

TEST_BOTH(processor_time_is_limited, struct sandbox_fixture *fixture)
{
    fixture->call.limits.processor_s = 1;
    assert_true(run_attack(fixture, "loop", NULL));
    if (fixture->result.end == LAB_SANDBOX_ITSELF) /* the kernel's limit and the supervisor's come together */
        assert_int_equal(WTERMSIG(fixture->result.status), SIGXCPU);
    else
        expect_end(fixture, LAB_SANDBOX_PROCESSOR_LIMIT);
    assert_true(fixture->result.processor_s > 0.5);
}

TEST_BOTH(a_program_that_kills_its_group_ends_alone, struct sandbox_fixture *fixture)
{
    assert_true(run_attack(fixture, "group", NULL));
    assert_int_equal(fixture->result.end, LAB_SANDBOX_ITSELF);
    assert_int_equal(WTERMSIG(fixture->result.status), SIGKILL);
}

TEST_BOTH(memory_is_limited, struct sandbox_fixture *fixture)
{
    expect_nothing(fixture, "memory", NULL);
    expect_nothing(fixture, "memory-shared", NULL);
    assert_true(run_attack(fixture, "memory-together", NULL));
    expect_end(fixture, LAB_SANDBOX_MEMORY_LIMIT);
    assert_true(fixture->result.memory_bytes > fixture->call.limits.memory_bytes);
}

static void *cancel_soon(void *cancel)
{
    usleep(200000);
    atomic_store((atomic_bool *)cancel, true);
    return NULL;
}

TEST_BOTH(a_program_is_cancelled, struct sandbox_fixture *fixture)
{
    static atomic_bool cancel;
    pthread_t thread;
    fixture->call.cancel = &cancel;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    assert_true(run_attack(fixture, "loop", NULL));
    expect_end(fixture, LAB_SANDBOX_CANCELLED);
    pthread_join(thread, NULL);
}

/* What kills the caller leaves no program behind: a process that runs one is killed, and the pipe that its program
 * holds closes. */
TEST_BOTH(the_end_of_the_caller_ends_the_program, struct sandbox_fixture *fixture)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t caller = fork();
    if (caller == 0) {
        pass(fixture, ends[1]);
        run_attack(fixture, "output", NULL);
        _exit(0);
    }
    close(ends[1]);
    usleep(300000);
    assert_int_equal(kill(caller, SIGKILL), 0);
    assert_int_equal(waitpid(caller, NULL, 0), caller);
    assert_int_equal(read(ends[0], &byte, 1), 0);
}

/* --- compilers ---------------------------------------------------------------------------------------------------- */

TEST_ALL(a_compiler_runs, struct sandbox_fixture *fixture)
{
    char source[64], *environment[] = {"PATH=/usr/bin:/bin", NULL};
    snprintf(source, sizeof source, "%s/a.c", fixture->folder);
    FILE *file = fopen(source, "w");
    fputs("#include <stdio.h>\nint main(void) { puts(\"compiled\"); }\n", file);
    fclose(file);
    fixture->call.environment = environment;
    fixture->call.limits.memory_bytes = 1 << 30;
    fixture->call.limits.open_files = 256;
    char *const compile[] = {"/usr/bin/gcc", "-o", "a", "a.c", NULL}, *const program[] = {"./a", NULL};
    assert_true(run_arguments(fixture, compile));
    expect_exit(fixture, 0);
    assert_true(run_arguments(fixture, program));
    expect_exit(fixture, 0);
    assert_string_equal(fixture->output, "compiled\n");
    file = fopen(source, "w");
    fprintf(file, "#include \"%s\"\n", fixture->secret);
    fclose(file);
    assert_true(run_arguments(fixture, compile));
    expect_exit(fixture, 1);
    assert_null(strstr(fixture->errors, "expected"));
}
