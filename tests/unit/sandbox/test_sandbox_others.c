/* kernels/sandbox: what programs can reach of the network and of other processes, and what they inherit. */
#include "support/sandbox_fixture.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the network -------------------------------------------------------------------------------------------------- */

/* A socket that listens on the loopback of the machine; `port` is its number as text. */
static int listen_on_loopback(int type, char port[8])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(one, (struct sockaddr *)&address, size), 0);
    assert_true(type == SOCK_DGRAM || listen(one, 8) == 0);
    assert_int_equal(getsockname(one, (struct sockaddr *)&address, &size), 0);
    snprintf(port, 8, "%u", ntohs(address.sin_port));
    return one;
}

static bool was_reached(int socket)
{
    struct pollfd polled = {socket, POLLIN, 0};
    return poll(&polled, 1, 0) == 1;
}

static void expect_no_connection(struct sandbox_fixture *fixture, int type, char *attack)
{
    char port[8];
    int other = listen_on_loopback(type, port);
    expect_something(fixture, attack, port);
    assert_true(was_reached(other));
    close(other);
    other = listen_on_loopback(type, port);
    expect_nothing(fixture, attack, port);
    assert_false(was_reached(other));
    close(other);
}

TEST_ALL(the_network_is_not_reached, struct sandbox_fixture *fixture)
{
    expect_no_connection(fixture, SOCK_STREAM, "tcp");
    expect_no_connection(fixture, SOCK_DGRAM, "udp");
    expect_nothing(fixture, "sockets", NULL);
}

TEST_ALL(sockets_of_others_are_not_reached, struct sandbox_fixture *fixture)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", fixture->outside);
    int other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(other, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(chmod(address.sun_path, 0777), 0);
    assert_int_equal(listen(other, 8), 0);
    expect_something(fixture, "unix", address.sun_path);
    expect_nothing(fixture, "unix", address.sun_path);
    close(other);

    size_t length = (size_t)snprintf(name, sizeof name, "gpulab-test-%d", getpid());
    struct sockaddr_un abstract = {.sun_family = AF_UNIX};
    memcpy(abstract.sun_path + 1, name, length);
    other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    assert_int_equal(bind(other, (struct sockaddr *)&abstract, size), 0);
    assert_int_equal(listen(other, 8), 0);
    expect_something(fixture, "abstract", name);
    expect_nothing(fixture, "abstract", name);
    close(other);
}

/* --- other processes ---------------------------------------------------------------------------------------------- */

/* A process of the user that programs run as. */
static pid_t start_neighbour(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t neighbour = fork();
    if (neighbour == 0) {
        if (geteuid() == 0 && (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0))
            _exit(1);
        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    return neighbour;
}

TEST_ALL(other_processes_are_not_reached, struct sandbox_fixture *fixture)
{
    char id[16];
    snprintf(id, sizeof id, "%d", start_neighbour());
    expect_something(fixture, "signal", id);
    expect_nothing(fixture, "signal", id);
    expect_nothing(fixture, "signal-parent", NULL);
    expect_something(fixture, "trace", id);
    expect_nothing(fixture, "trace", id);
}

TEST_BOTH(the_system_is_not_reached, struct sandbox_fixture *fixture)
{
    expect_something(fixture, "calls", NULL);
    expect_nothing(fixture, "calls", NULL);
    expect_nothing(fixture, "namespace", NULL);
}

/* A program leaves something behind that holds its descriptor 3. */
static void expect_end_of_all(struct sandbox_fixture *fixture, char *attack)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pass(fixture, ends[1]);
    assert_true(run_attack(fixture, attack, NULL));
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* no process has it open */
    close(ends[0]);
}

TEST_BOTH(a_fork_bomb_is_ended, struct sandbox_fixture *fixture)
{
    expect_end_of_all(fixture, "bomb");
    expect_end(fixture, LAB_SANDBOX_TASK_LIMIT);
    fixture->call.kept_count = 0;
    assert_true(run_attack(fixture, "greet", "next")); /* the next program is not affected */
    expect_exit(fixture, 7);
}

TEST_BOTH(a_daemon_is_found_and_killed, struct sandbox_fixture *fixture)
{
    expect_end_of_all(fixture, "daemon");
    expect_exit(fixture, 0);
    assert_int_equal(fixture->result.left_behind, 1);
}

TEST_BOTH(a_process_whose_first_thread_has_ended_is_killed, struct sandbox_fixture *fixture)
{
    expect_end_of_all(fixture, "thread");
    expect_exit(fixture, 0);
    assert_int_equal(fixture->result.left_behind, 1);
}

TEST_BOTH(a_process_that_runs_away_is_caught, struct sandbox_fixture *fixture)
{
    expect_end_of_all(fixture, "run-away");
    expect_exit(fixture, 0);
}

/* --- what is inherited -------------------------------------------------------------------------------------------- */

TEST_BOTH(only_given_variables_are_inherited, struct sandbox_fixture *fixture)
{
    char *environment[] = {"ONE=1", "LD_PRELOAD=/nowhere.so", NULL}, expected[256];
    setenv("GPULAB_SECRET", "token", 1);
    fixture->call.environment = environment;
    assert_true(run_attack(fixture, "environment", NULL));
    expect_exit(fixture, 0);
    snprintf(expected, sizeof expected, "HOME=%s\nTMPDIR=%s/.tmp\nONE=1\nLD_PRELOAD=/nowhere.so\n", fixture->folder,
             fixture->folder);
    assert_string_equal(fixture->output, expected);
}

TEST_BOTH(only_given_descriptors_are_inherited, struct sandbox_fixture *fixture)
{
    int open_for_all = open(fixture->secret, O_RDONLY);
    dup2(open_for_all, 100);
    assert_true(run_attack(fixture, "descriptors", NULL));
    assert_string_equal(fixture->output, "0 1 2 ");
    pass(fixture, open_for_all);
    assert_true(run_attack(fixture, "descriptors", NULL));
    assert_string_equal(fixture->output, "0 1 2 3 ");
    pass(fixture, open_for_all);
    assert_true(run_attack(fixture, "descriptors", NULL));
    assert_string_equal(fixture->output, "0 1 2 3 4 ");
    expect_exit(fixture, 0);
}

TEST_BOTH(descriptors_may_have_any_numbers, struct sandbox_fixture *fixture)
{
    int text = open(fixture->secret, O_RDONLY);
    assert_int_equal(dup2(text, 1), 1); /* the caller's own standard output is something else */
    fixture->call.input = 1;
    pass(fixture, 1);
    assert_true(run_attack(fixture, "greet", "you"));
    assert_string_equal(fixture->output, "hello you, 6: secret");
}
