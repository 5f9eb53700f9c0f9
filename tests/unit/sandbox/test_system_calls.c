/* kernels/sandbox/system_calls.c: filters for surroundings that the machine of the tests may not have, such as a kernel
 * whose Landlock has no scopes. Each test filters a process of its own, because sanitizers, which look for leaks at the
 * end, need more calls. */
#include "sandbox/system_calls.h"

#include "sandbox/limits.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

/* Runs the checks in a process, which they may filter. */
static void in_process(void (*checks)(void))
{
    int status;
    pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0);
        checks();
        _exit(0);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(status, 0);
}

#define TEST_IN_PROCESS(NAME)                                                                                          \
    static void NAME##_checks(void);                                                                                   \
    TEST(NAME)                                                                                                         \
    {                                                                                                                  \
        in_process(NAME##_checks);                                                                                     \
    }                                                                                                                  \
    static void NAME##_checks(void)

static void filter(bool namespaces, bool scopes)
{
    const struct lab_system_calls_surroundings surroundings = {namespaces, scopes};
    assert_true(lab_limit_rights());
    if (!lab_system_calls_forbid_others(surroundings))
        _exit(SKIPPED);
}

static void expect_refused(int returned)
{
    int reason = errno;
    assert_int_equal(returned, -1);
    assert_int_equal(reason, EPERM);
}

TEST_IN_PROCESS(without_scopes_only_own_signals_are_sent)
{
    assert_int_equal(kill(getppid(), 0), 0);
    filter(false, false);
    signal(SIGUSR1, SIG_IGN);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(kill(0, SIGUSR1), 0);
    expect_refused(kill(getppid(), 0));
    expect_refused(kill(-1, 0));
    expect_refused(kill(1, 0));
    expect_refused(sigqueue(getppid(), 0, (union sigval){0}));
    expect_refused(fcntl(0, F_SETOWN, getppid()));
}

TEST_IN_PROCESS(with_scopes_the_kernel_judges_signals)
{
    filter(false, true);
    assert_int_equal(kill(getppid(), 0), 0); /* no Landlock is in effect here */
}

TEST_IN_PROCESS(without_namespaces_nothing_of_the_user_is_reached)
{
    struct rlimit limit;
    cpu_set_t processors;
    assert_int_equal(sched_getaffinity(0, sizeof processors, &processors), 0);
    filter(false, true);
    expect_refused(socket(AF_INET, SOCK_STREAM, 0));
    expect_refused(socket(AF_UNIX, SOCK_STREAM, 0));
    expect_refused(shmget(IPC_PRIVATE, 4096, 0600));
    expect_refused(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit));
    expect_refused(setpriority(PRIO_PROCESS, (id_t)getppid(), 5));
    expect_refused(setpriority(PRIO_USER, 0, 5));
    expect_refused(sched_setaffinity(getppid(), sizeof processors, &processors));
    assert_int_equal(sched_setaffinity(0, sizeof processors, &processors), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int ends[2], one = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(one >= 0);
    assert_int_equal(bind(one, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
    assert_int_equal(listen(one, 1), 0);
    assert_int_equal(connect(one, (struct sockaddr *)&address, sizeof address), -1);
    assert_int_equal(errno, ENOENT);
    expect_refused(socket(AF_UNIX, SOCK_DGRAM, 0));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    expect_refused(socketpair(AF_INET, SOCK_STREAM, 0, ends));
}

TEST_IN_PROCESS(in_namespaces_their_network_is_used)
{
    filter(true, true);
    assert_true(socket(AF_INET, SOCK_STREAM, 0) >= 0);
    assert_true(socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
    expect_refused(socket(AF_VSOCK, SOCK_STREAM, 0));
}

TEST_IN_PROCESS(processes_and_threads_are_started)
{
    int status;
    filter(true, true);
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 3);
}

TEST_IN_PROCESS(a_filter_can_forbid_processes)
{
    assert_true(lab_limit_rights());
    if (!lab_system_calls_forbid_processes())
        _exit(SKIPPED);
    expect_refused(fork());
}
