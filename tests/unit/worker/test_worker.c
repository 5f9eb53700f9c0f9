/* server/workers/worker.c: supervising a worker, and every way in which it can end. */
#include "nodes/transport.h"
#include "support/test.h"
#include "workers/worker_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "support/fake_worker.h"

#include "core/clock.h"

/* The grace for workers that are expected to be killed, and for those that stop on request: a busy machine may take
 * long. */
static const double grace_s = 0.4, long_grace_s = 20;

/* How often each event of a run was received. */
struct received {
    int started, progress, measurements, spans, warnings, notes, finished;
    json_t *environment;
    struct lab_worker *cancel_at_progress; /* cancelled at the first progress, when not NULL */
    useconds_t pause_at_progress_us;       /* the caller sleeps so long at the first progress */
};

static void receive(void *context, const char *name, const json_t *event)
{
    struct received *received = context;
    const struct {
        const char *name;
        int *count;
    } counts[] = {{"started", &received->started},  {"progress", &received->progress},
                  {"span", &received->spans},       {"measurement", &received->measurements},
                  {"warning", &received->warnings}, {"note", &received->notes},
                  {"finished", &received->finished}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        *counts[i].count += strcmp(counts[i].name, name) == 0;
    if (strcmp(name, "started") == 0) {
        json_decref(received->environment);
        received->environment = json_incref(json_object_get(event, "environment"));
    }
    if (strcmp(name, "progress") == 0)
        usleep(received->pause_at_progress_us);
    if (received->progress == 1 && received->cancel_at_progress != NULL)
        lab_worker_cancel(received->cancel_at_progress);
}

static struct lab_worker *start_with_options(double grace, double silence)
{
    const struct lab_worker_options options = {
        .path = fake_worker_path, .runtime = "host", .host_devices = 3, .grace_s = grace, .silence_s = silence};
    struct lab_error error;
    struct lab_worker *worker = lab_worker_start(&options, &error);
    if (worker == NULL)
        fail_msg("%s", error.detail);
    return worker;
}

static struct lab_worker *start_with_grace(double grace)
{
    return start_with_options(grace, 0);
}

static struct lab_worker *start(void)
{
    return start_with_grace(grace_s);
}

static enum lab_worker_end run(struct lab_worker *worker, const char *behaviour, double time_limit_s,
                               struct received *received, struct lab_error *error)
{
    json_t *operation = json_pack("{s:s, s:s, s:s, s:[s], s:{s:s}}", "op", "run", "run", "run-1", "experiment", "any",
                                  "devices", "fake-0", "parameters", "behaviour", behaviour);
    const struct lab_worker_listener listener = {received, receive};
    enum lab_worker_end end = lab_worker_run(worker, operation, time_limit_s, &listener, error);
    json_decref(operation);
    return end;
}

/* Whether the process does not exist, or has ended and waits for its parent to reap it. */
static bool has_ended(long pid)
{
    char path[64], status[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    bool ended = file == NULL || fgets(status, sizeof status, file) == NULL || strstr(status, ") Z") != NULL;
    if (file != NULL)
        fclose(file);
    return ended;
}

static void assert_ends(long pid)
{
    for (int i = 0; i < 6000 && !has_ended(pid); i++)
        usleep(10000);
    assert_true(has_ended(pid));
}

/* Checks that the child of this process has been reaped. */
static void assert_reaped(long pid)
{
    assert_int_equal(kill((pid_t)pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

/* Executes a run and checks how it ends; returns how many seconds it took. */
static double expect(const char *behaviour, double time_limit_s, bool cancel, enum lab_worker_end wanted,
                     const char *code, const char *words)
{
    struct lab_worker *worker = start_with_grace(wanted == LAB_WORKER_FINISHED ? long_grace_s : grace_s);
    long pid = (long)worker->process.pid;
    struct received received = {.cancel_at_progress = cancel ? worker : NULL};
    struct lab_error error;
    json_decref(lab_worker_describe(worker, 20, &error)); /* its start does not count towards the time limit */
    double before = lab_clock_now();
    enum lab_worker_end end = run(worker, behaviour, time_limit_s, &received, &error);
    double took = lab_clock_now() - before;
    assert_int_equal(end, wanted);
    assert_int_equal(received.started, 1);
    if (code == NULL)
        assert_int_equal(error.code, LAB_ERROR_NONE);
    else
        assert_string_equal(lab_error_name(error.code), code);
    if (words != NULL && strstr(error.detail, words) == NULL)
        fail_msg("'%s' does not contain '%s'", error.detail, words);
    assert_int_equal(lab_worker_alive(worker), wanted == LAB_WORKER_FINISHED);
    lab_worker_stop(worker);
    assert_reaped(pid);
    json_decref(received.environment);
    return took;
}

/* --- normal operation --------------------------------------------------------------------------------------------- */

TEST(describes_its_devices)
{
    struct lab_worker *worker = start();
    struct lab_error error;
    json_t *description = lab_worker_describe(worker, 20, &error);
    assert_non_null(description);
    assert_int_equal(json_array_size(json_object_get(description, "devices")), 3); /* --host-devices was passed on */
    json_decref(description);
    assert_true(lab_worker_alive(worker));
    lab_worker_stop(worker);
}

TEST(executes_several_runs)
{
    struct lab_worker *worker = start();
    long pid = (long)worker->process.pid;
    struct received received = {0};
    struct lab_error error;
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(run(worker, "finish", 0, &received, &error), LAB_WORKER_FINISHED);
        assert_int_equal(error.code, LAB_ERROR_NONE);
        assert_int_equal(received.started, i);
        assert_int_equal(received.progress, 4 * i);
        assert_int_equal(received.measurements, 3 * i);
        assert_int_equal(received.spans, i);
        assert_int_equal(received.warnings, i);
        assert_int_equal(received.notes, i);
        assert_int_equal(received.finished, i);
    }
    char log[200];
    lab_worker_log(worker, log, sizeof log);
    assert_non_null(strstr(log, "sent as a log event"));
    assert_true(lab_worker_alive(worker));
    lab_worker_stop(worker);
    assert_reaped(pid);
    json_decref(received.environment);
}

TEST(inherits_nothing_unwanted)
{
    int inheritable = open("/dev/null", O_RDONLY); /* not close-on-exec */
    assert_true(inheritable > 2);
    signal(SIGPIPE, SIG_IGN);
    struct lab_worker *worker = start();
    struct received received = {0};
    struct lab_error error;
    assert_int_equal(run(worker, "finish", 0, &received, &error), LAB_WORKER_FINISHED);
    assert_int_equal(json_integer_value(json_object_get(received.environment, "descriptors")), 3);
    assert_true(json_is_true(json_object_get(received.environment, "own_group")));
    assert_true(json_is_true(json_object_get(received.environment, "sigpipe_default")));
    assert_true(json_is_true(json_object_get(received.environment, "unblocked")));
    lab_worker_stop(worker);
    close(inheritable);
    json_decref(received.environment);
}

TEST(keeps_the_newest_lines_of_its_log)
{
    struct lab_worker *worker = start();
    struct received received = {0};
    struct lab_error error;
    assert_int_equal(run(worker, "chatter", 0, &received, &error), LAB_WORKER_FINISHED);
    static char log[1 << 20];
    for (int i = 0; i < 6000 && strstr(log, "line 19999 ") == NULL; i++) {
        lab_worker_log(worker, log, sizeof log);
        usleep(10000);
    }
    assert_non_null(strstr(log, "line 19999 ? of"));
    assert_true(strlen(log) <= 64 * 1024);
    assert_true(strlen(log) > 60 * 1024);
    assert_int_equal(strncmp(log, "line ", 5), 0); /* whole lines only */
    json_t *text = json_string(log);
    assert_non_null(text); /* valid UTF-8, although other bytes were printed */
    json_decref(text);
    lab_worker_log(worker, log, 100);
    assert_true(strlen(log) < 100);
    assert_non_null(strstr(log, "line 19999 "));
    lab_worker_stop(worker);
    json_decref(received.environment);
}

/* --- how a worker can end ----------------------------------------------------------------------------------------- */

TEST(reports_the_signal)
{
    expect("crash", 0, false, LAB_WORKER_DIED, "worker-died", "SIGSEGV (Segmentation fault)");
    expect("crash", 0, false, LAB_WORKER_DIED, "worker-died", "about to crash");
    expect("kill", 0, false, LAB_WORKER_DIED, "worker-died", "the system was out of memory");
}

TEST(events_before_a_crash_are_received)
{
    struct lab_worker *worker = start();
    struct received received = {0};
    struct lab_error error;
    assert_int_equal(run(worker, "crash", 0, &received, &error), LAB_WORKER_DIED);
    assert_int_equal(received.measurements, 1);
    assert_int_equal(received.finished, 0);
    char log[100];
    lab_worker_log(worker, log, sizeof log);
    assert_string_equal(log, "first line\nabout to crash");
    lab_worker_stop(worker);
    json_decref(received.environment);
}

TEST(reports_the_exit_code)
{
    expect("exit", 0, false, LAB_WORKER_DIED, "worker-died", "exited with code 7");
}

TEST(a_lost_worker_has_to_be_replaced)
{
    expect("lost", 0, false, LAB_WORKER_FINISHED_LOST, NULL, NULL);
}

TEST(protocol_violations_are_killed)
{
    expect("garbage", 0, false, LAB_WORKER_KILLED, "worker-protocol", "not an event");
    expect("too-deep", 0, false, LAB_WORKER_KILLED, "worker-protocol", "nested more than 32 levels deep");
    expect("long-line", 0, false, LAB_WORKER_KILLED, "worker-protocol", "longer than 4 MiB");
    expect("other-run", 0, false, LAB_WORKER_KILLED, "worker-protocol", "not given");
    expect("close-output", 0, false, LAB_WORKER_KILLED, "worker-protocol", "closed its output");
}

TEST(a_death_while_idle_is_noticed)
{
    struct lab_worker *worker = start();
    struct received received = {0};
    struct lab_error error;
    assert_int_equal(run(worker, "idle-death", 0, &received, &error), LAB_WORKER_FINISHED);
    for (int i = 0; i < 6000 && lab_worker_alive(worker); i++)
        usleep(10000);
    assert_false(lab_worker_alive(worker));
    /* A run on the dead worker reports how the worker ended. */
    assert_int_equal(run(worker, "finish", 0, &received, &error), LAB_WORKER_DIED);
    assert_non_null(strstr(error.detail, "exited with code 9"));
    lab_worker_stop(worker);
    json_decref(received.environment);
}

TEST(its_children_are_killed_with_it)
{
    struct lab_worker *worker = start();
    struct received received = {0};
    struct lab_error error;
    assert_int_equal(run(worker, "with-child", 0, &received, &error), LAB_WORKER_DIED);
    char log[100];
    lab_worker_log(worker, log, sizeof log);
    int child = 0;
    assert_int_equal(sscanf(log, "child %d", &child), 1);
    assert_ends(child);
    lab_worker_stop(worker);
    json_decref(received.environment);
}

/* --- cancel and time limit ---------------------------------------------------------------------------------------- */

TEST(a_worker_stops_when_it_is_cancelled)
{
    expect("slow", 0, true, LAB_WORKER_FINISHED, NULL, NULL);
}

TEST(a_cancel_escalates)
{
    double took = expect("deaf", 0, true, LAB_WORKER_KILLED, "cancelled", "SIGTERM");
    assert_true(took >= grace_s);
    took = expect("ignore", 0, true, LAB_WORKER_KILLED, "cancelled", "SIGKILL");
    assert_true(took >= 2 * grace_s);
}

TEST(a_flood_can_be_cancelled)
{
    expect("flood", 0, true, LAB_WORKER_FINISHED, NULL, NULL);
}

TEST(a_time_limit_is_enforced)
{
    double took = expect("slow", 0.2, false, LAB_WORKER_FINISHED, "time-limit", "0.2 s");
    assert_true(took >= 0.2);
    expect("ignore", 0.3, false, LAB_WORKER_KILLED, "time-limit", "SIGKILL");
    expect("finish", 100, false, LAB_WORKER_FINISHED, NULL, NULL);
}

TEST(a_silent_worker_is_stopped)
{
    static const struct {
        const char *behaviour, *signal;
    } cases[] = {{"deaf", "SIGTERM"}, {"sigstop", "SIGKILL"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_worker *worker = start_with_options(grace_s, 0.3);
        struct received received = {0};
        struct lab_error error;
        assert_int_equal(run(worker, cases[i].behaviour, 0, &received, &error), LAB_WORKER_KILLED);
        assert_int_equal(error.code, LAB_ERROR_WORKER_SILENT);
        assert_non_null(strstr(error.detail, "sent nothing for 0.3 s"));
        assert_non_null(strstr(error.detail, cases[i].signal));
        lab_worker_stop(worker);
        json_decref(received.environment);
    }
}

/* Also when the caller was stopped for longer than the limit: what the worker sent meanwhile waits in its pipe. */
TEST(a_worker_that_sends_heartbeats_is_not_silent)
{
    struct lab_worker *worker = start_with_options(long_grace_s, 2);
    struct received received = {.pause_at_progress_us = 2500000};
    struct lab_error error;
    json_decref(lab_worker_describe(worker, 20, &error));
    assert_int_equal(run(worker, "heartbeats", 5, &received, &error), LAB_WORKER_FINISHED);
    assert_int_equal(error.code, LAB_ERROR_TIME_LIMIT);
    lab_worker_stop(worker);
    json_decref(received.environment);
}

TEST(a_cancel_before_the_run_counts_unless_cleared)
{
    struct lab_worker *worker = start_with_grace(long_grace_s);
    struct received received = {0};
    struct lab_error error;
    lab_worker_cancel(worker);
    assert_int_equal(run(worker, "slow", 0, &received, &error), LAB_WORKER_FINISHED);
    assert_int_equal(error.code, LAB_ERROR_NONE);
    lab_worker_cancel(worker);
    lab_worker_clear_cancel(worker);
    assert_int_equal(run(worker, "slow", 0.3, &received, &error), LAB_WORKER_FINISHED);
    assert_int_equal(error.code, LAB_ERROR_TIME_LIMIT);
    lab_worker_stop(worker);
    json_decref(received.environment);
}

static void *cancel_later(void *worker)
{
    usleep(100000);
    lab_worker_cancel(worker);
    return NULL;
}

static void *abort_later(void *worker)
{
    usleep(100000);
    lab_worker_abort_within(worker, 1.5);
    return NULL;
}

TEST(any_thread_may_cancel)
{
    struct lab_worker *worker = start_with_grace(long_grace_s);
    struct received received = {0};
    struct lab_error error;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, worker), 0);
    assert_int_equal(run(worker, "slow", 0, &received, &error), LAB_WORKER_FINISHED);
    pthread_join(thread, NULL);
    assert_int_equal(error.code, LAB_ERROR_NONE);
    assert_int_equal(received.finished, 1);
    lab_worker_stop(worker);
    json_decref(received.environment);
}

TEST(an_abort_shortens_the_graces)
{
    const struct lab_worker_options options = {.path = "/proc/self/exe", .grace_s = 60};
    struct lab_error error;
    struct lab_worker *worker = lab_worker_start(&options, &error);
    assert_non_null(worker);
    json_decref(lab_worker_describe(worker, 20, &error));
    struct received received = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, abort_later, worker), 0);
    double before = lab_clock_now();
    assert_int_equal(run(worker, "ignore", 0, &received, &error), LAB_WORKER_KILLED);
    pthread_join(thread, NULL);
    assert_int_equal(error.code, LAB_ERROR_CANCELLED);
    lab_worker_stop(worker);
    assert_true(lab_clock_now() - before < 10);
    json_decref(received.environment);
}

/* --- workers that hang -------------------------------------------------------------------------------------------- */

TEST(a_worker_that_does_not_read_cannot_block_the_caller)
{
    setenv("FAKE_WORKER", "mute", 1);
    struct lab_worker *worker = start();
    unsetenv("FAKE_WORKER");
    struct lab_error error;
    assert_null(lab_worker_describe(worker, 0.1, &error));
    assert_int_equal(error.code, LAB_ERROR_WORKER_SILENT);

    char *much = malloc(2000001);
    memset(much, 'x', 2000000);
    much[2000000] = '\0';
    json_t *operation = json_pack("{s:s, s:s, s:s}", "op", "run", "run", "run-1", "much", much);
    struct received received = {0};
    const struct lab_worker_listener listener = {&received, receive};
    assert_int_equal(lab_worker_run(worker, operation, 0.1, &listener, &error), LAB_WORKER_KILLED);
    assert_int_equal(error.code, LAB_ERROR_TIME_LIMIT);
    lab_worker_stop(worker);
    json_decref(operation);
    free(much);
}

TEST(a_worker_without_devices_reports_why)
{
    setenv("FAKE_WORKER", "no-device", 1);
    struct lab_worker *worker = start();
    unsetenv("FAKE_WORKER");
    struct lab_error error;
    assert_null(lab_worker_describe(worker, 20, &error));
    assert_int_equal(error.code, LAB_ERROR_WORKER_DIED);
    assert_non_null(strstr(error.detail, "exited with code 3"));
    assert_non_null(strstr(error.detail, "the driver is too old"));
    lab_worker_stop(worker);
}

/* A worker of another version is refused with both versions, one that is older than the hello with a sentence. */
TEST(a_worker_of_another_version_is_refused)
{
    static const struct {
        const char *mode, *words;
    } cases[] = {{"other-version", "speaks version 9999 of the worker protocol, this server version"},
                 {"old", "did not send the version of its protocol"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("FAKE_WORKER", cases[i].mode, 1);
        struct lab_worker *worker = start();
        unsetenv("FAKE_WORKER");
        struct lab_error error;
        assert_null(lab_worker_describe(worker, 20, &error));
        assert_int_equal(error.code, LAB_ERROR_WORKER_PROTOCOL);
        if (strstr(error.detail, cases[i].words) == NULL)
            fail_msg("%s", error.detail);
        lab_worker_stop(worker);
    }
}

TEST(a_missing_executable_cannot_be_started)
{
    const struct lab_worker_options options = {.path = "/nowhere/gpulab-worker"};
    struct lab_error error;
    assert_null(lab_worker_start(&options, &error));
    assert_int_equal(error.code, LAB_ERROR_WORKER_START);
    assert_non_null(strstr(error.detail, "No such file"));
}

/* --- workers on other machines ------------------------------------------------------------------------------------ */

/* A worker on the machine `far`; its ssh is a script that runs the command here. */
struct far {
    char folder[40];
    struct lab_transport **transports;
    size_t count;
    struct lab_worker *worker;
};

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    chmod(path, 0700);
}

/* Starts the worker, which describes its devices. */
static void start_far(struct far *far, double grace, double silence)
{
    char path[PATH_MAX], program[PATH_MAX] = "";
    struct lab_errors errors = {0};
    struct lab_error error;
    *far = (struct far){.folder = "/tmp/gpulab-far-XXXXXX"};
    assert_non_null(mkdtemp(far->folder));
    write_text(far->folder, "ssh", "#!/bin/bash\n[[ \" $* \" == *' -O '* ]] || exec sh -c \"${@: -1}\"\n");
    write_text(far->folder, "nodes", "ssh far\n");
    snprintf(path, sizeof path, "%s:%s", far->folder, getenv("PATH"));
    setenv("PATH", path, 1);
    snprintf(path, sizeof path, "%s/nodes", far->folder);
    assert_true(lab_transports_read(path, "", "", &far->transports, &far->count, &errors));
    assert_true(lab_transport_open(far->transports[0], NULL, &error));

    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    const struct lab_worker_options options = {
        .path = program, .runtime = "host", .grace_s = grace, .silence_s = silence, .transport = far->transports[0]};
    far->worker = lab_worker_start(&options, &error);
    assert_non_null(far->worker);
    json_t *description = lab_worker_describe(far->worker, 20, &error);
    if (description == NULL)
        fail_msg("%s", error.detail);
    json_decref(description);
}

static void stop_far(struct far *far)
{
    char command[64];
    lab_worker_stop(far->worker);
    lab_transports_free(far->transports, far->count);
    snprintf(command, sizeof command, "rm -r %s", far->folder);
    assert_int_equal(system(command), 0);
}

/* When a machine loses its power, nothing but the worker's silence tells: the fake worker sends no heartbeats. */
TEST(a_silent_worker_on_another_machine_is_not_alive)
{
    struct far far;
    start_far(&far, grace_s, 1);
    for (int i = 0; i < 6000 && lab_worker_alive(far.worker); i++)
        usleep(10000);
    assert_false(lab_worker_alive(far.worker));
    assert_false(lab_process_ended(&far.worker->process));
    stop_far(&far);
}

/* What became of a worker on another machine is only seen as the end of ssh. */
TEST(a_worker_that_is_gone_is_named_by_its_machine)
{
    struct far far;
    struct received received = {0};
    struct lab_error error;
    start_far(&far, grace_s, 0);
    assert_int_equal(run(far.worker, "exit", 0, &received, &error), LAB_WORKER_DIED);
    assert_string_equal(error.detail, "The worker on far is gone: ssh exited with code 7.");
    stop_far(&far);
    json_decref(received.environment);
}

TEST(a_worker_that_cannot_be_killed_is_given_up)
{
    char release[] = "/tmp/fake-worker-release-XXXXXX";
    close(mkstemp(release));
    unlink(release);
    setenv("FAKE_WORKER_RELEASE", release, 1);
    struct lab_worker *worker = start();
    struct received received = {.cancel_at_progress = worker};
    struct lab_error error;
    char log[100];
    double before = lab_clock_now();
    enum lab_worker_end end = run(worker, "stuck", 0, &received, &error);
    lab_worker_log(worker, log, sizeof log);
    if (strstr(log, "cannot be traced") != NULL) { /* this machine forbids it */
        lab_worker_stop(worker);
        json_decref(received.environment);
        skip();
    }
    assert_int_equal(end, LAB_WORKER_STUCK);
    assert_true(lab_clock_now() - before >= 3 * grace_s);
    assert_int_equal(error.code, LAB_ERROR_WORKER_STUCK);
    assert_true(lab_worker_alive(worker));
    close(open(release, O_CREAT | O_WRONLY, 0600));
    for (int i = 0; i < 6000 && lab_worker_alive(worker); i++)
        usleep(10000);
    assert_false(lab_worker_alive(worker));
    lab_worker_stop(worker);
    unlink(release);
    json_decref(received.environment);
}

/* Starts a worker, prints its process id, and starts a run that only SIGKILL ends; the test kills this process
 * meanwhile. */
static int parent_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct lab_worker *worker = start();
    struct received received = {0};
    struct lab_error error;
    printf("%ld\n", (long)worker->process.pid);
    fflush(stdout);
    run(worker, "ignore", 0, &received, &error);
    return 1;
}

TEST_ROLE("--parent", parent_main)

TEST(a_worker_dies_with_its_parent)
{
    int output[2];
    assert_int_equal(pipe(output), 0);
    pid_t parent = fork();
    if (parent == 0) {
        dup2(output[1], 1);
        close(output[0]);
        close(output[1]);
        execl("/proc/self/exe", "test_worker", "--parent", (char *)NULL);
        _exit(127);
    }
    close(output[1]);
    char text[32] = "";
    assert_true(read(output[0], text, sizeof text - 1) > 0);
    long worker = atol(text);
    assert_true(worker > 0);
    assert_int_equal(kill((pid_t)worker, 0), 0);
    usleep(200000); /* until the run has started */
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    assert_ends(worker);
    close(output[0]);
}
