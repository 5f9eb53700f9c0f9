/* kernels/sandbox: what hostile programs (tests/sandbox/hostile.c) get, with bubblewrap and without, and what is left of them. Attacks
 * that are harmless are made without a sandbox too, where they must succeed. */
#include "sandbox/sandbox.h"

#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, KEPT_OUTPUT = 1 << 14 };

/* A folder for the program, one with what it must not reach, and how the program is run. */
struct lair {
    struct lab_sandbox sandbox;
    char folder[32], outside[32];
    char program[64], secret[64], prey[64];
    struct lab_sandbox_call call;
    struct lab_sandbox_result result;
    char output[KEPT_OUTPUT], errors[KEPT_OUTPUT];
    size_t output_bytes, errors_bytes;
    size_t output_limit; /* then the sink refuses */
};

static bool keep(void *context, enum lab_sandbox_stream stream, const char *bytes, size_t size)
{
    struct lair *lair = context;
    char *kept = stream == LAB_SANDBOX_OUTPUT ? lair->output : lair->errors;
    size_t *count = stream == LAB_SANDBOX_OUTPUT ? &lair->output_bytes : &lair->errors_bytes;
    for (size_t i = 0; i < size && *count + i < KEPT_OUTPUT - 1; i++)
        kept[*count + i] = bytes[i];
    *count += size;
    return lair->output_limit == 0 || *count <= lair->output_limit;
}

static void copy_program(const char *to)
{
    char bytes[1 << 16];
    int in = open(LAB_TEST_BUILD "/gpulab-hostile", O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0755);
    assert_true(in >= 0 && out >= 0);
    for (ssize_t got; (got = read(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(write(out, bytes, (size_t)got), got);
    close(in);
    close(out);
}

/* Skips the test where the machine does not have this way. */
static int open_lair(void **state, enum lab_sandbox_way way)
{
    static struct lair lair;
    static char *nothing[] = {NULL};
    const struct lab_sandbox_options options = {
        .has_user = geteuid() == 0,
        .user = {NOBODY, NOBODY},
        .without_bubblewrap = way == LAB_SANDBOX_LANDLOCK,
        .helper = LAB_TEST_BUILD "/gpulab-sandbox",
    };
    if (!lab_sandbox_probe(&options, &lair.sandbox) || lair.sandbox.way != way) {
        printf("no %s: %s\n", lab_sandbox_way_name(way), lair.sandbox.detail);
        skip();
    }
    strcpy(lair.folder, "/tmp/gpulab-lair-XXXXXX");
    strcpy(lair.outside, "/tmp/gpulab-outside-XXXXXX");
    if (mkdtemp(lair.folder) == NULL || mkdtemp(lair.outside) == NULL || chmod(lair.outside, 0777) != 0)
        return 1;
    snprintf(lair.program, sizeof lair.program, "%s/program", lair.folder);
    snprintf(lair.secret, sizeof lair.secret, "%s/secret", lair.outside);
    snprintf(lair.prey, sizeof lair.prey, "%s/prey", lair.outside);
    copy_program(lair.program);
    int secret = open(lair.secret, O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(secret, "secret", 6), 6);
    close(secret);
    lair.call = (struct lab_sandbox_call){
        .environment = nothing,
        .folder = lair.folder,
        .input = -1,
        .kept = -1,
        .limits = {.wall_s = 60,
                   .processor_s = 60,
                   .memory_bytes = 128 << 20,
                   .tasks = 40,
                   .open_files = 64,
                   .file_bytes = 4 << 20,
                   .folder_bytes = 32 << 20,
                   .folder_files = 1000},
        .sink = keep,
        .context = &lair,
    };
    *state = &lair;
    return 0;
}

static int open_with_bubblewrap(void **state)
{
    return open_lair(state, LAB_SANDBOX_BUBBLEWRAP);
}

static int open_with_landlock(void **state)
{
    return open_lair(state, LAB_SANDBOX_LANDLOCK);
}

static int remove_lair(void *state)
{
    struct lair *lair = state;
    bool removed = lab_sandbox_folder_remove(lair->folder) && access(lair->folder, F_OK) != 0;
    return removed && access(lair->secret, F_OK) == 0 && lab_sandbox_folder_remove(lair->outside) ? 0 : 1;
}

static int close_lair(void **state)
{
    return remove_lair(*state);
}

/* A test of each way. */
#define TEST_BOTH(NAME, PARAMETER)                                                                                     \
    static void NAME(PARAMETER);                                                                                       \
    TEST_WITH(NAME##_with_bubblewrap, struct lair *state_, .setup = open_with_bubblewrap, .teardown = close_lair)      \
    {                                                                                                                  \
        NAME(state_);                                                                                                  \
    }                                                                                                                  \
    TEST_WITH(NAME##_with_landlock, struct lair *state_, .setup = open_with_landlock, .teardown = close_lair)          \
    {                                                                                                                  \
        NAME(state_);                                                                                                  \
    }                                                                                                                  \
    static void NAME(PARAMETER)

/* Runs an attack, or another program; the result is in the lair. */
static bool run_arguments(struct lair *lair, char *const *arguments)
{
    lair->output_bytes = lair->errors_bytes = 0;
    memset(lair->output, 0, sizeof lair->output);
    memset(lair->errors, 0, sizeof lair->errors);
    lair->call.arguments = arguments;
    return lab_sandbox_run(&lair->sandbox, &lair->call, &lair->result);
}

static bool run(struct lair *lair, char *attack, char *argument)
{
    char *const arguments[] = {lair->program, attack, argument, NULL};
    return run_arguments(lair, arguments);
}

static void expect_exit(const struct lair *lair, int code)
{
    const struct lab_sandbox_result *result = &lair->result;
    if (result->end != LAB_SANDBOX_ITSELF || !WIFEXITED(result->status) || WEXITSTATUS(result->status) != code)
        fail_msg("end %d, status 0x%x, not exit code %d: %s\n%s%s", (int)result->end, (unsigned)result->status, code,
                 result->detail, lair->output, lair->errors);
}

static void expect_end(const struct lair *lair, enum lab_sandbox_end end)
{
    if (lair->result.end != end)
        fail_msg("end %d, status 0x%x, not end %d: %s\n%s%s", (int)lair->result.end, (unsigned)lair->result.status,
                 (int)end, lair->result.detail, lair->output, lair->errors);
    assert_string_equal(lair->result.detail, lab_sandbox_end_text(end));
}

/* The attack gets nothing in the sandbox. */
static void expect_nothing(struct lair *lair, char *attack, char *argument)
{
    assert_true(run(lair, attack, argument));
    assert_string_equal(lair->output, "");
    expect_exit(lair, 0);
}

/* The attack gets something without the sandbox: exit code 1. */
static void expect_something(struct lair *lair, char *attack, char *argument)
{
    int status;
    pid_t process = fork();
    if (process == 0) {
        freopen("/dev/null", "w", stdout);
        if (chdir(lair->folder) == 0)
            execl(lair->program, lair->program, attack, argument, (char *)NULL);
        _exit(98);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 1 << 8);
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

TEST_BOTH(other_files_cannot_be_read, struct lair *lair)
{
    expect_something(lair, "read", lair->secret);
    expect_nothing(lair, "read", lair->secret);
    char shadow[] = "/etc/shadow", passwd[] = "/etc/passwd", up[] = "../../etc/passwd", init[] = "/proc/1/environ";
    char *paths[] = {shadow, passwd, up, init};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_nothing(lair, "read", paths[i]);
}

TEST_BOTH(other_files_cannot_be_written, struct lair *lair)
{
    expect_something(lair, "write", lair->prey);
    assert_int_equal(unlink(lair->prey), 0);
    char system[] = "/usr/lib/prey", root[] = "/prey", device[] = "/dev/prey", setting[] = "/proc/sys/vm/swappiness",
         memory[] = "/dev/mem";
    char *paths[] = {lair->prey, system, root, device, setting, memory};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_nothing(lair, "write", paths[i]);
    assert_int_equal(access(lair->prey, F_OK), -1);
}

TEST_BOTH(its_folder_is_its_own, struct lair *lair)
{
    char inside[] = "inside", *environment[] = {"HOME=/elsewhere", NULL}, below[64];
    assert_true(run(lair, "write", inside));
    expect_exit(lair, 1);
    snprintf(below, sizeof below, "%s/inside", lair->folder);
    assert_int_equal(access(below, F_OK), 0);
    lair->call.environment = environment;
    char *const arguments[] = {"/bin/sh", "-c", "echo $HOME; cd /; cd ~; pwd; echo x > $TMPDIR/y && cat $TMPDIR/y",
                               NULL};
    char expected[128];
    snprintf(expected, sizeof expected, "%s\n%s\nx\n", lair->folder, lair->folder);
    assert_true(run_arguments(lair, arguments));
    expect_exit(lair, 0);
    assert_string_equal(lair->output, expected);
}

TEST_BOTH(links_lead_nowhere, struct lair *lair)
{
    char link[64];
    expect_something(lair, "symlink", lair->secret);
    snprintf(link, sizeof link, "%s/link", lair->folder);
    assert_int_equal(unlink(link), 0);
    expect_nothing(lair, "symlink", lair->secret);
    assert_int_equal(unlink(link), 0);
    expect_nothing(lair, "link", lair->secret);
    assert_int_equal(symlink(lair->outside, link), 0); /* removed with the folder, and not what it names */
}

TEST_BOTH(a_link_in_place_of_the_temporary_folder_is_refused, struct lair *lair)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s/" LAB_SANDBOX_TEMPORARY, lair->folder);
    assert_int_equal(symlink(lair->outside, temporary), 0);
    assert_false(run(lair, "read", lair->secret));
    assert_int_equal(lair->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_non_null(strstr(lair->result.detail, "Not a directory"));
}

TEST_BOTH(listed_files_can_be_read, struct lair *lair)
{
    const char *readable[] = {lair->outside, NULL};
    lair->call.readable = readable;
    assert_true(run(lair, "read", lair->secret));
    expect_exit(lair, 1);
    expect_nothing(lair, "write", lair->secret);
    readable[0] = lair->secret;
    assert_true(run(lair, "read", lair->secret));
    expect_exit(lair, 1);
}

TEST_BOTH(only_listed_devices_can_be_opened, struct lair *lair)
{
    char device[64], null[] = "/dev/null";
    const char *devices[] = {device, NULL};
    assert_true(run(lair, "write", null));
    expect_exit(lair, 1);
    snprintf(device, sizeof device, "%s/device", lair->outside);
    if (mknod(device, S_IFCHR, makedev(1, 5)) != 0 || chmod(device, 0666) != 0) /* /dev/zero */
        skip();
    expect_nothing(lair, "write", device);
    lair->call.devices = devices;
    assert_true(run(lair, "write", device));
    expect_exit(lair, 1);
}

TEST_BOTH(the_disk_is_not_filled, struct lair *lair)
{
    assert_true(run(lair, "fill", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
    assert_true(run(lair, "one-file", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT); /* what the first has left */
}

TEST_BOTH(a_folder_without_permissions_counts, struct lair *lair)
{
    assert_true(run(lair, "fill-hidden", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(many_folders_count, struct lair *lair)
{
    assert_true(run(lair, "many", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(deep_folders_are_found_and_removed, struct lair *lair)
{
    lair->call.limits.folder_files = 1000000;
    assert_true(run(lair, "deep", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(a_large_file_ends_the_program, struct lair *lair)
{
    assert_true(run(lair, "one-file", NULL));
    assert_int_equal(lair->result.end, LAB_SANDBOX_ITSELF);
    assert_int_equal(WTERMSIG(lair->result.status), SIGXFSZ);
}

/* --- the network ---------------------------------------------------------------------------------------------------- */

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

static void expect_no_connection(struct lair *lair, int type, char *attack)
{
    char port[8];
    int other = listen_on_loopback(type, port);
    expect_something(lair, attack, port);
    assert_true(was_reached(other));
    close(other);
    other = listen_on_loopback(type, port);
    expect_nothing(lair, attack, port);
    assert_false(was_reached(other));
    close(other);
}

TEST_BOTH(the_network_is_not_reached, struct lair *lair)
{
    expect_no_connection(lair, SOCK_STREAM, "tcp");
    expect_no_connection(lair, SOCK_DGRAM, "udp");
    expect_nothing(lair, "sockets", NULL);
}

TEST_BOTH(sockets_of_others_are_not_reached, struct lair *lair)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", lair->outside);
    int other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(other, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(chmod(address.sun_path, 0777), 0);
    assert_int_equal(listen(other, 8), 0);
    expect_something(lair, "unix", address.sun_path);
    expect_nothing(lair, "unix", address.sun_path);
    close(other);

    size_t length = (size_t)snprintf(name, sizeof name, "gpulab-test-%d", getpid());
    struct sockaddr_un abstract = {.sun_family = AF_UNIX};
    memcpy(abstract.sun_path + 1, name, length);
    other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    assert_int_equal(bind(other, (struct sockaddr *)&abstract, size), 0);
    assert_int_equal(listen(other, 8), 0);
    expect_something(lair, "abstract", name);
    expect_nothing(lair, "abstract", name);
    close(other);
}

/* --- other processes ------------------------------------------------------------------------------------------------ */

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

TEST_BOTH(other_processes_are_not_reached, struct lair *lair)
{
    char id[16];
    snprintf(id, sizeof id, "%d", start_neighbour());
    expect_something(lair, "signal", id);
    expect_nothing(lair, "signal", id);
    expect_something(lair, "trace", id);
    expect_nothing(lair, "trace", id);
}

TEST_BOTH(the_system_is_not_reached, struct lair *lair)
{
    expect_something(lair, "calls", NULL);
    expect_nothing(lair, "calls", NULL);
    expect_nothing(lair, "namespace", NULL);
}

TEST_BOTH(a_fork_bomb_is_ended, struct lair *lair)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    lair->call.kept = ends[1];
    assert_true(run(lair, "bomb", NULL));
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* no process has it open */
    expect_end(lair, LAB_SANDBOX_TASK_LIMIT);
    assert_true(run(lair, "greet", "next")); /* the next program is not affected */
    expect_exit(lair, 7);
}

TEST_BOTH(a_daemon_is_found_and_killed, struct lair *lair)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    lair->call.kept = ends[1];
    assert_true(run(lair, "daemon", NULL));
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    expect_exit(lair, 0);
    assert_int_equal(lair->result.left_behind, 1);
}

TEST_BOTH(a_process_whose_first_thread_has_ended_is_killed, struct lair *lair)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    lair->call.kept = ends[1];
    assert_true(run(lair, "thread", NULL));
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    expect_exit(lair, 0);
    assert_int_equal(lair->result.left_behind, 1);
}

/* --- what is inherited ---------------------------------------------------------------------------------------------- */

TEST_BOTH(only_given_variables_are_inherited, struct lair *lair)
{
    char *environment[] = {"ONE=1", "LD_PRELOAD=/nowhere.so", NULL}, expected[256];
    setenv("GPULAB_SECRET", "token", 1);
    lair->call.environment = environment;
    assert_true(run(lair, "environment", NULL));
    expect_exit(lair, 0);
    snprintf(expected, sizeof expected, "HOME=%s\nTMPDIR=%s/.tmp\nONE=1\nLD_PRELOAD=/nowhere.so\n", lair->folder,
             lair->folder);
    assert_string_equal(lair->output, expected);
}

TEST_BOTH(only_given_descriptors_are_inherited, struct lair *lair)
{
    int open_for_all = open(lair->secret, O_RDONLY);
    dup2(open_for_all, 100);
    assert_true(run(lair, "descriptors", NULL));
    assert_string_equal(lair->output, "0 1 2 ");
    lair->call.kept = open_for_all;
    assert_true(run(lair, "descriptors", NULL));
    assert_string_equal(lair->output, "0 1 2 3 ");
    expect_exit(lair, 0);
}

TEST_BOTH(descriptors_may_have_any_numbers, struct lair *lair)
{
    int text = open(lair->secret, O_RDONLY);
    assert_int_equal(dup2(text, 1), 1); /* the caller's own standard output is something else */
    lair->call.input = 1;
    lair->call.kept = 1;
    assert_true(run(lair, "greet", "you"));
    assert_string_equal(lair->output, "hello you, 6: secret");
}

/* --- ends ----------------------------------------------------------------------------------------------------------- */

TEST_BOTH(output_and_exit_code_arrive, struct lair *lair)
{
    lair->call.input = open(lair->secret, O_RDONLY);
    assert_true(run(lair, "greet", "you"));
    expect_exit(lair, 7);
    assert_string_equal(lair->output, "hello you, 6: secret");
    assert_string_equal(lair->errors, "careful");
    assert_true(lair->result.wall_s > 0 && lair->result.memory_bytes > 0);
    assert_true(run(lair, "crash", NULL));
    assert_int_equal(lair->result.end, LAB_SANDBOX_ITSELF);
    assert_true(WIFSIGNALED(lair->result.status));
    assert_int_equal(WTERMSIG(lair->result.status), SIGSEGV);
}

TEST_BOTH(a_program_that_cannot_be_executed_is_named, struct lair *lair)
{
    char *const missing[] = {"nothing", NULL};
    assert_false(run_arguments(lair, missing));
    assert_int_equal(lair->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_string_equal(lair->result.detail, "The program cannot be started: nothing: No such file or directory.");
    lair->call.folder = "/nowhere";
    assert_false(run_arguments(lair, missing));
    assert_string_equal(lair->result.detail, "The program cannot be started: /nowhere: No such file or directory.");
}

TEST_BOTH(huge_arguments_are_refused, struct lair *lair)
{
    enum { MANY = 100, SIZE = 100000 };
    char *arguments[MANY + 2] = {lair->program}, *long_one = calloc(1, SIZE + 1);
    memset(long_one, 'x', SIZE);
    for (size_t i = 1; i <= MANY; i++)
        arguments[i] = long_one;
    assert_false(run_arguments(lair, arguments));
    assert_int_equal(lair->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_non_null(strstr(lair->result.detail, "Argument list too long"));
    free(long_one);
}

/* Each goes on until its time is over. */
TEST_BOTH(endless_programs_are_ended, struct lair *lair)
{
    char *attacks[] = {"loop", "close", "stop", "output"};
    lair->call.limits.wall_s = 0.5;
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        assert_true(run(lair, attacks[i], NULL));
        expect_end(lair, LAB_SANDBOX_WALL_LIMIT);
    }
    assert_true(lair->output_bytes > KEPT_OUTPUT); /* all of it was read */
}

TEST_BOTH(output_ends_when_the_caller_wants_no_more, struct lair *lair)
{
    lair->output_limit = 1 << 20;
    assert_true(run(lair, "output", NULL));
    expect_end(lair, LAB_SANDBOX_OUTPUT_LIMIT);
}

TEST_BOTH(processor_time_is_limited, struct lair *lair)
{
    lair->call.limits.processor_s = 1;
    assert_true(run(lair, "loop", NULL));
    if (lair->result.end == LAB_SANDBOX_ITSELF) /* the kernel's limit and the supervisor's come together */
        assert_int_equal(WTERMSIG(lair->result.status), SIGXCPU);
    else
        expect_end(lair, LAB_SANDBOX_PROCESSOR_LIMIT);
    assert_true(lair->result.processor_s > 0.5);
}

TEST_BOTH(a_program_that_kills_its_group_ends_alone, struct lair *lair)
{
    assert_true(run(lair, "group", NULL));
    assert_int_equal(lair->result.end, LAB_SANDBOX_ITSELF);
    assert_int_equal(WTERMSIG(lair->result.status), SIGKILL);
}

TEST_BOTH(memory_is_limited, struct lair *lair)
{
    expect_nothing(lair, "memory", NULL);
    assert_true(run(lair, "memory-together", NULL));
    expect_end(lair, LAB_SANDBOX_MEMORY_LIMIT);
    assert_true(lair->result.memory_bytes > lair->call.limits.memory_bytes);
}

static void *cancel_soon(void *cancel)
{
    usleep(200000);
    atomic_store((atomic_bool *)cancel, true);
    return NULL;
}

TEST_BOTH(a_program_is_cancelled, struct lair *lair)
{
    static atomic_bool cancel;
    pthread_t thread;
    lair->call.cancel = &cancel;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    assert_true(run(lair, "loop", NULL));
    expect_end(lair, LAB_SANDBOX_CANCELLED);
    pthread_join(thread, NULL);
}

/* What kills the caller leaves no program behind: a process that runs one is killed, and the pipe that its program holds closes. */
TEST_BOTH(the_end_of_the_caller_ends_the_program, struct lair *lair)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t caller = fork();
    if (caller == 0) {
        lair->call.kept = ends[1];
        run(lair, "output", NULL);
        _exit(0);
    }
    close(ends[1]);
    usleep(300000);
    assert_int_equal(kill(caller, SIGKILL), 0);
    assert_int_equal(waitpid(caller, NULL, 0), caller);
    assert_int_equal(read(ends[0], &byte, 1), 0);
}

/* --- compilers ------------------------------------------------------------------------------------------------------ */

TEST_BOTH(a_compiler_runs, struct lair *lair)
{
    char source[64], *environment[] = {"PATH=/usr/bin:/bin", NULL};
    snprintf(source, sizeof source, "%s/a.c", lair->folder);
    FILE *file = fopen(source, "w");
    fputs("#include <stdio.h>\nint main(void) { puts(\"compiled\"); }\n", file);
    fclose(file);
    lair->call.environment = environment;
    lair->call.limits.memory_bytes = 1 << 30;
    lair->call.limits.open_files = 256;
    char *const compile[] = {"/usr/bin/gcc", "-o", "a", "a.c", NULL}, *const program[] = {"./a", NULL};
    assert_true(run_arguments(lair, compile));
    expect_exit(lair, 0);
    assert_true(run_arguments(lair, program));
    expect_exit(lair, 0);
    assert_string_equal(lair->output, "compiled\n");
    file = fopen(source, "w");
    fprintf(file, "#include \"%s\"\n", lair->secret);
    fclose(file);
    assert_true(run_arguments(lair, compile));
    expect_exit(lair, 1);
    assert_null(strstr(lair->errors, "expected"));
}

/* --- what the machine offers ------------------------------------------------------------------------------------------ */

TEST(root_needs_another_user_without_bubblewrap)
{
    struct lab_sandbox sandbox;
    const struct lab_sandbox_options options = {.without_bubblewrap = true, .helper = LAB_TEST_BUILD "/gpulab-sandbox"};
    if (geteuid() != 0)
        skip();
    assert_false(lab_sandbox_probe(&options, &sandbox));
    assert_int_equal(sandbox.way, LAB_SANDBOX_NONE);
    assert_string_equal(sandbox.detail, "Without it, root needs another user to run programs as.");
}

TEST(a_missing_helper_is_named)
{
    struct lab_sandbox sandbox;
    const struct lab_sandbox_options options = {.helper = "/nowhere/gpulab-sandbox"};
    assert_false(lab_sandbox_probe(&options, &sandbox));
    assert_non_null(strstr(sandbox.detail, "gpulab-sandbox"));
}
