#include "support/fake_worker.h"

#include "core/protocol.h"
#include "support/test.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

struct fake_worker {
    char run[64];
    FILE *input, *output;
    const char *machine; /* begins the ids of the devices */
    unsigned devices;
    char only[256];           /* the ids of those that it opens, each before a comma; "": all */
    unsigned runs;            /* executed so far */
    bool tracing;             /* the current operation traces */
    const json_t *operation;  /* the current one */
    const json_t *calibrated; /* its member of this name */
};

/* Sends one event about the run; takes the reference. */
static void fake_send(struct fake_worker *fake, const char *event, json_t *members)
{
    json_object_set_new(members, "event", json_string(event));
    json_object_set_new(members, "run", json_string(fake->run));
    char *text = json_dumps(members, JSON_COMPACT);
    fprintf(fake->output, "%s\n", text);
    fflush(fake->output);
    free(text);
    json_decref(members);
}

static void fake_progress(struct fake_worker *fake, int done, int total)
{
    fake_send(fake, "progress", json_pack("{s:i, s:i, s:s}", "done", done, "total", total, "label", "point"));
}

static void fake_measurement(struct fake_worker *fake, int bytes, bool right)
{
    json_t *m = json_pack("{s:{s:i, s:s}, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:n, s:f}", "axes", "bytes",
                          bytes, "direction", "h2d", "metric", "bandwidth", "unit", "GB/s", "n", 3, "median", 2.0, "q1",
                          1.5, "q3", 2.5, "min", 1.0, "max", 3.0, "mean", 2.0, "stdev", "noise", 0.5);
    json_object_update_new(m, json_pack("{s:s, s:b, s:i, s:n, s:i, s:{s:f, s:s}, s:{s:n, s:[s]}, s:n, s:[f,f,f]}",
                                        "stop_reason", "converged", "verified", right, "wrong", right ? 0 : 7, "cache",
                                        "numa_node", 0, "peak", "value", 4.0, "what", "the link", "conditions",
                                        "sm_clock_mhz", "throttle", "thermal", "skipped", "samples", 1.0, 2.0, 3.0));
    json_object_set_new(m, "kernel",
                        json_pack("{s:s, s:i, s:i, s:i, s:i, s:n, s:i}", "name", "copy", "registers", 32, "local_bytes",
                                  0, "shared_bytes", 4096, "blocks_per_multiprocessor", 8, "occupancy", "block", 256));
    fake_send(fake, "measurement", json_pack("{s:o}", "measurement", m));
}

static void fake_finish_with(struct fake_worker *fake, const char *status, bool lost, json_t *error)
{
    json_t *libraries = fake->tracing ? json_pack("{s:n, s:s}", "blas", "tracer", "3")
                                      : json_pack("{s:s, s:n, s:n}", "blas", "1.2", "tracer", "compiler");
    fake_send(fake, "finished",
              json_pack("{s:s, s:b, s:b, s:o, s:o}", "status", status, "contended", 1, "lost", lost, "error", error,
                        "libraries", libraries));
}

static void fake_finish(struct fake_worker *fake, const char *status, bool lost)
{
    bool failed = strcmp(status, "failed") == 0;
    json_t *error = failed ? json_pack("{s:s, s:s, s:s}", "type", "/problems/wrong-result", "title", "Wrong result",
                                       "detail", "7 elements differed.")
                           : json_null();
    fake_finish_with(fake, status, lost, error);
}

/* Reports a measurement and ends well. */
static void fake_succeed(struct fake_worker *fake)
{
    fake_measurement(fake, 1024, true);
    fake_finish(fake, "succeeded", false);
}

/* Whether a cancel has been received, after waiting up to `milliseconds` for it. Exits when the input closes. */
static bool fake_cancelled(struct fake_worker *fake, int milliseconds)
{
    struct pollfd input = {.fd = fileno(fake->input), .events = POLLIN};
    char line[512];
    if (poll(&input, 1, milliseconds) <= 0)
        return false;
    if (fgets(line, sizeof line, fake->input) == NULL)
        exit(LAB_WORKER_EXIT_OK);
    return strstr(line, "\"cancel\"") != NULL && strstr(line, fake->run) != NULL;
}

/* --- behaviours of a run that measures ---------------------------------------------------------------------------- */

static void run_finish(struct fake_worker *fake)
{
    for (int i = 0; i < 3; i++) {
        fake_progress(fake, i, 3);
        fake_measurement(fake, 1024 << i, true);
    }
    fake_send(fake, "span",
              json_pack("{s:{s:s, s:s, s:s, s:i, s:i, s:{s:i}}}", "span", "lane", "stream 1", "kind", "compute",
                        "label", "chunk 0", "start_ns", 10, "end_ns", 20, "axes", "chunks", 2));
    fake_send(fake, "warning", json_pack("{s:s}", "text", "It was warm."));
    fake_send(fake, "note", json_pack("{s:s}", "text", "FAKE 1.2.3"));
    fake_send(fake, "log", json_pack("{s:s}", "text", "sent as a log event"));
    fake_progress(fake, 3, 3);
    fake_finish(fake, "succeeded", false);
}

/* Reports as notes what it got as the own kernels of both sides. */
static void run_note_kernels(struct fake_worker *fake)
{
    const json_t *sides[] = {fake->operation, json_object_get(fake->operation, "compare_with")};
    for (size_t i = 0; i < 2; i++) {
        char *text = json_dumps(json_object_get(sides[i], "kernel"), JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
        fake_send(fake, "note",
                  json_pack("{s:s++}", "text", i == 0 ? "head" : "base", " ", text != NULL ? text : "none"));
        free(text);
    }
    fprintf(stderr, "printed %u\n", fake->runs);
    fake_succeed(fake);
}

static void run_wrong(struct fake_worker *fake)
{
    fake_measurement(fake, 1024, false);
    fake_finish(fake, "failed", false);
}

static void run_lost(struct fake_worker *fake)
{
    fake_finish(fake, "failed", true);
    exit(LAB_WORKER_EXIT_LOST);
}

static void report_conflict(struct fake_worker *fake)
{
    fake_finish_with(fake, "failed", true,
                     json_pack("{s:s, s:s, s:s}", "type", "/problems/process-setting-conflict", "title",
                               "Process setting conflict", "detail", "This process has another setting."));
    exit(LAB_WORKER_EXIT_LOST);
}

/* The run needs a setting that only the first run of a process can choose. */
static void run_conflict_unless_first(struct fake_worker *fake)
{
    if (fake->runs > 0)
        report_conflict(fake);
    run_finish(fake);
}

/* Reports the setting conflict in every process, also in a new one. */
static void run_conflict_always(struct fake_worker *fake)
{
    report_conflict(fake);
}

/* Reports the setting conflict after a measurement. */
static void run_conflict_late(struct fake_worker *fake)
{
    fake_measurement(fake, 1024, true);
    report_conflict(fake);
}

static void run_slow(struct fake_worker *fake)
{
    for (int i = 0; !fake_cancelled(fake, 20); i++)
        fake_progress(fake, i, i + 1);
    fake_finish(fake, "cancelled", false);
}

/* A cancel arrives when the run has nothing left to stop. */
static void run_success_despite_cancel(struct fake_worker *fake)
{
    for (int i = 0; !fake_cancelled(fake, 20); i++)
        fake_progress(fake, i, i + 1);
    fake_finish(fake, "succeeded", false);
}

static void run_conflict_unless_first_slow(struct fake_worker *fake)
{
    if (fake->runs > 0)
        report_conflict(fake);
    run_slow(fake);
}

static void run_crash(struct fake_worker *fake)
{
    fake_measurement(fake, 1024, true);
    fprintf(stderr, "first line\nabout to crash\n");
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

/* See ends_at_start. */
static void run_exit_at_start(struct fake_worker *fake)
{
    (void)fake;
    fprintf(stderr, "cannot load the driver\n");
    exit(7);
}

/* Whether the worker ends before it reports that the run has started. */
static bool ends_at_start(const struct fake_worker *fake, const char *behaviour)
{
    return strcmp(behaviour, "exit-at-start") == 0 ||
           (strcmp(behaviour, "exit-at-start-unless-first") == 0 && fake->runs > 0);
}

static void run_exit_at_start_unless_first(struct fake_worker *fake)
{
    if (fake->runs > 0)
        run_exit_at_start(fake);
    run_finish(fake);
}

static void run_exit(struct fake_worker *fake)
{
    (void)fake;
    exit(7);
}

static void run_kill(struct fake_worker *fake)
{
    (void)fake;
    raise(SIGKILL);
}

static void run_deaf(struct fake_worker *fake)
{
    fake_progress(fake, 0, 1);
    for (;;)
        pause();
}

static void run_ignore(struct fake_worker *fake)
{
    signal(SIGTERM, SIG_IGN);
    run_deaf(fake);
}

/* Sends nothing but heartbeats, until it is cancelled. */
static void run_heartbeats(struct fake_worker *fake)
{
    fake_progress(fake, 0, 1);
    while (!fake_cancelled(fake, 20)) {
        fprintf(fake->output, "{\"event\":\"heartbeat\"}\n");
        fflush(fake->output);
    }
    fake_finish(fake, "cancelled", false);
}

/* Stops itself like a process that a debugger or an administrator has stopped. */
static void run_sigstop(struct fake_worker *fake)
{
    fake_progress(fake, 0, 1);
    raise(SIGSTOP);
}

static void run_flood(struct fake_worker *fake)
{
    for (int i = 0; !fake_cancelled(fake, 0); i = (i + 1) % 100000)
        fake_progress(fake, i, 100000);
    fake_finish(fake, "cancelled", false);
}

static void run_chatter(struct fake_worker *fake)
{
    for (int i = 0; i < 20000; i++)
        fprintf(stderr, "line %d \xff of very much that a library prints\n", i);
    fake_succeed(fake);
}

/* Sends an event with arrays that are nested a thousand deep. */
static void run_too_deep(struct fake_worker *fake)
{
    char nested[2001];
    memset(nested, '[', 1000);
    memset(nested + 1000, ']', 1000);
    nested[2000] = '\0';
    fprintf(fake->output, "{\"event\":\"started\",\"run\":\"%s\",\"environment\":{\"a\":%s}}\n", fake->run, nested);
    fflush(fake->output);
    run_deaf(fake);
}

static void run_garbage(struct fake_worker *fake)
{
    fprintf(fake->output, "NCCL version 2.27.3+cuda13.0\n");
    fflush(fake->output);
    run_deaf(fake);
}

static void run_long_line(struct fake_worker *fake)
{
    for (int i = 0; i < LAB_LINE_MAX + 4096; i++)
        fputc('x', fake->output);
    fflush(fake->output);
    run_deaf(fake);
}

static void run_other_run(struct fake_worker *fake)
{
    snprintf(fake->run, sizeof fake->run, "another");
    fake_finish(fake, "succeeded", false);
    run_deaf(fake);
}

static void run_close_output(struct fake_worker *fake)
{
    fclose(fake->output);
    for (;;)
        pause();
}

static void run_idle_death(struct fake_worker *fake)
{
    fake_succeed(fake);
    usleep(50000);
    exit(9);
}

static void run_bad_measurement(struct fake_worker *fake)
{
    fake_send(fake, "measurement", json_pack("{s:{s:s}}", "measurement", "metric", "bandwidth"));
    run_slow(fake);
}

static void run_impossible_measurement(struct fake_worker *fake)
{
    fake_send(fake, "measurement",
              json_pack("{s:{s:{}, s:s, s:s, s:i, s:f, s:f, s:f}}", "measurement", "axes", "metric", "time", "unit",
                        "s", "n", 3, "q1", 3.0, "median", 2.0, "q3", 1.0));
    run_slow(fake);
}

static void fake_measurement_with_kernel(struct fake_worker *fake, json_t *kernel)
{
    fake_send(
        fake, "measurement",
        json_pack("{s:{s:{}, s:s, s:s, s:o}}", "measurement", "axes", "metric", "time", "unit", "s", "kernel", kernel));
    run_slow(fake);
}

static void run_kernel_without_name(struct fake_worker *fake)
{
    fake_measurement_with_kernel(fake, json_pack("{s:i}", "registers", 32));
}

static void run_kernel_with_text(struct fake_worker *fake)
{
    json_t *kernel = json_pack("{s:s, s:s}", "name", "copy", "registers", "32");
    json_object_update_new(kernel, json_pack("{s:i, s:i, s:i, s:f, s:i}", "local_bytes", 0, "shared_bytes", 0,
                                             "blocks_per_multiprocessor", 8, "occupancy", 1.0, "block", 256));
    fake_measurement_with_kernel(fake, kernel);
}

static void run_bad_status(struct fake_worker *fake)
{
    fake_finish(fake, "running", false);
}

/* Starts a child in its process group, prints the child's id, and crashes. */
static void run_with_child(struct fake_worker *fake)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    fprintf(stderr, "child %d\n", (int)child);
    run_crash(fake);
}

/* Cannot be reaped, like a process that hangs in a driver: another process traces it, and the kernel reports the end of
 * a traced process to its tracer first. The tracer exits when the file FAKE_WORKER_RELEASE exists, or after 20 s. */
static void run_stuck(struct fake_worker *fake)
{
    int ready[2];
    char byte = 0;
    pid_t parent = getpid();
    if (pipe(ready) == 0 && fork() == 0) {
        setsid();
        bool traces = ptrace(PTRACE_SEIZE, parent, NULL, NULL) == 0;
        byte = traces ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1)
            for (int i = 0; i < 1000 && traces && access(getenv("FAKE_WORKER_RELEASE"), F_OK) != 0; i++)
                usleep(20000);
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1 || byte != 'y')
        fprintf(stderr, "cannot be traced\n");
    run_deaf(fake);
}

static void run_calibrate(struct fake_worker *fake)
{
    fake_measurement(fake, 1024, true);
    fake_send(fake, "finished",
              json_pack("{s:s, s:b, s:b, s:n, s:{s:i}}", "status", "succeeded", "contended", 0, "lost", 0, "error",
                        "calibrated", "weight", 23));
}

/* --- behaviours of a run that is judged --------------------------------------------------------------------------- */

/* Writes its process id to the file of the outputs, and reports what it got as its kernel. Fails in a process that has
 * executed another run. */
static void run_submission(struct fake_worker *fake)
{
    if (fake->runs > 0) {
        fake_finish(fake, "failed", false);
        return;
    }
    char *text = json_dumps(json_object_get(fake->operation, "kernel"), JSON_COMPACT | JSON_SORT_KEYS);
    FILE *file = fopen(json_string_value(json_object_get(fake->operation, "outputs")), "wb");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    fake_send(fake, "note", json_pack("{s:s}", "text", text));
    free(text);
    fake_succeed(fake);
}

/* Sends a verdict on the point of run_submission, whose process has ended, and ends well. Elements are wrong with the
 * kernel that it got as the sentence. */
static void pass_verdict(struct fake_worker *fake, int wrong)
{
    int pid = 0;
    FILE *file = fopen(json_string_value(json_object_get(fake->operation, "outputs")), "rb");
    bool read = json_is_true(json_object_get(fake->operation, "judges")) && fscanf(file, "%d", &pid) == 1;
    fclose(file);
    char *text = json_dumps(json_object_get(fake->operation, "kernel"), JSON_COMPACT | JSON_SORT_KEYS);
    if (read && kill(pid, 0) != 0)
        fake_send(fake, "verdict",
                  json_pack("{s:{s:i, s:s}, s:i, s:s?}", "axes", "bytes", 1024, "direction", "h2d", "wrong", wrong,
                            "text", wrong > 0 ? text : NULL));
    free(text);
    fake_finish(fake, "succeeded", false);
}

static void run_judge_right(struct fake_worker *fake)
{
    pass_verdict(fake, 0);
}

static void run_judge_wrong(struct fake_worker *fake)
{
    pass_verdict(fake, 7);
}

/* --- behaviours of a run on several nodes ------------------------------------------------------------------------- */

static bool fake_leads(const struct fake_worker *fake)
{
    return json_integer_value(json_object_get(json_object_get(fake->operation, "group"), "index")) == 0;
}

/* Joins the group and waits for its id, which is that of the leader. False when the run was cancelled meanwhile. */
static bool fake_join(struct fake_worker *fake)
{
    char line[512] = "";
    fake_send(fake, "group", json_pack("{s:s?}", "id", fake_leads(fake) ? "the id" : NULL));
    while (strstr(line, "\"op\":\"group\"") == NULL && strstr(line, "\"cancel\"") == NULL)
        if (fgets(line, sizeof line, fake->input) == NULL)
            exit(LAB_WORKER_EXIT_OK);
    bool joined = strstr(line, "\"id\":\"the id\"") != NULL && strstr(line, fake->run) != NULL;
    if (!joined)
        fake_finish(fake, "cancelled", false);
    return joined;
}

/* Reports its part of the operation as a warning. */
static void run_group(struct fake_worker *fake)
{
    if (!fake_join(fake))
        return;
    json_t *part = json_pack("{s:O, s:O}", "devices", json_object_get(fake->operation, "devices"), "group",
                             json_object_get(fake->operation, "group"));
    char *text = json_dumps(part, JSON_COMPACT | JSON_SORT_KEYS);
    fake_send(fake, "warning", json_pack("{s:s}", "text", text));
    fake_measurement(fake, 1024, fake_leads(fake));
    fake_finish(fake, "succeeded", false);
    free(text);
    json_decref(part);
}

static void run_group_slow(struct fake_worker *fake)
{
    if (fake_join(fake))
        run_slow(fake);
}

/* The leader then waits for the other worker, and does not react. */
static void run_group_crash(struct fake_worker *fake)
{
    if (!fake_join(fake))
        return;
    if (fake_leads(fake))
        run_deaf(fake);
    else
        run_crash(fake);
}

static void run_group_wrong(struct fake_worker *fake)
{
    if (fake_leads(fake))
        fake_join(fake);
    else
        fake_finish(fake, "failed", false);
}

/* --- behaviours of a run that traces ------------------------------------------------------------------------------ */

static void fake_span(struct fake_worker *fake, const char *variant, const char *lane, const char *kind, int start_ns,
                      int end_ns)
{
    fake_send(fake, "span",
              json_pack("{s:{s:s, s:s, s:s, s:i, s:i, s:{s:s}}}", "span", "lane", lane, "kind", kind, "label",
                        "chunk 0", "start_ns", start_ns, "end_ns", end_ns, "axes", "variant", variant));
}

/* Sends spans of two variants, and a measurement and a warning as when it measures. The label of the first span is the
 * number of runs that the process executed before. */
static void run_trace(struct fake_worker *fake)
{
    char before[32];
    snprintf(before, sizeof before, "runs %u", fake->runs);
    fake_send(fake, "span",
              json_pack("{s:{s:s, s:s, s:s, s:i, s:i, s:{s:s}}}", "span", "lane", "stream 1", "kind", "copy-up",
                        "label", before, "start_ns", 0, "end_ns", 1500, "axes", "variant", "sequential"));
    fake_span(fake, "sequential", "stream 1", "compute", 1500, 2500);
    fake_progress(fake, 1, 2);
    fake_span(fake, "depth-first", "stream 2", "copy-down", 100, 350);
    fake_measurement(fake, 4096, false);
    fake_send(fake, "warning", json_pack("{s:s}", "text", "It was warm."));
    fake_send(fake, "warning", json_pack("{s:s}", "text", "The spans are coarse."));
    fake_send(fake, "note", json_pack("{s:s}", "text", "FAKE 1.2.3"));
    fake_finish(fake, "succeeded", false);
}

/* Crashes after the first span. */
static void run_trace_half(struct fake_worker *fake)
{
    fake_span(fake, "sequential", "stream 1", "compute", 0, 10);
    run_crash(fake);
}

/* The label of the span is the calibrated weight that the operation contains. */
static void run_trace_calibrated(struct fake_worker *fake)
{
    char label[32];
    snprintf(label, sizeof label, "weight %d", (int)json_integer_value(json_object_get(fake->calibrated, "weight")));
    fake_send(fake, "span",
              json_pack("{s:{s:s, s:s, s:s, s:i, s:i, s:{s:s}}}", "span", "lane", "stream 1", "kind", "compute",
                        "label", label, "start_ns", 0, "end_ns", 10, "axes", "variant", "sequential"));
    fake_finish(fake, "succeeded", false);
}

/* Reports two points that were skipped. */
static void run_skip(struct fake_worker *fake)
{
    static const char *const reasons[] = {"no such link", "too small"};
    for (size_t i = 0; i < 2; i++)
        fake_send(fake, "measurement",
                  json_pack("{s:{s:{s:i}, s:s, s:s, s:i, s:s}}", "measurement", "axes", "bytes", (int)i, "metric",
                            "time", "unit", "s", "n", 0, "skipped", reasons[i]));
    fake_finish(fake, "succeeded", false);
}

/* Reports nothing but success. */
static void run_empty(struct fake_worker *fake)
{
    fake_finish(fake, "succeeded", false);
}

static void run_silent(struct fake_worker *fake)
{
    fake_succeed(fake);
}

static void run_bad_span(struct fake_worker *fake)
{
    fake_span(fake, "sequential", "stream 1", "compute", 20, 10);
    run_slow(fake);
}

static const struct {
    const char *name;
    void (*run)(struct fake_worker *fake);
} behaviours[] = {
    {"finish", run_finish},
    {"note-kernels", run_note_kernels},
    {"wrong", run_wrong},
    {"lost", run_lost},
    {"conflict-unless-first", run_conflict_unless_first},
    {"conflict-always", run_conflict_always},
    {"conflict-late", run_conflict_late},
    {"conflict-unless-first-slow", run_conflict_unless_first_slow},
    {"slow", run_slow},
    {"crash", run_crash},
    {"exit-at-start", run_exit_at_start},
    {"exit-at-start-unless-first", run_exit_at_start_unless_first},
    {"exit", run_exit},
    {"kill", run_kill},
    {"deaf", run_deaf},
    {"ignore", run_ignore},
    {"heartbeats", run_heartbeats},
    {"sigstop", run_sigstop},
    {"flood", run_flood},
    {"chatter", run_chatter},
    {"garbage", run_garbage},
    {"too-deep", run_too_deep},
    {"long-line", run_long_line},
    {"other-run", run_other_run},
    {"close-output", run_close_output},
    {"idle-death", run_idle_death},
    {"success-despite-cancel", run_success_despite_cancel},
    {"bad-measurement", run_bad_measurement},
    {"impossible-measurement", run_impossible_measurement},
    {"kernel-without-name", run_kernel_without_name},
    {"kernel-with-text", run_kernel_with_text},
    {"bad-status", run_bad_status},
    {"with-child", run_with_child},
    {"stuck", run_stuck},
    {"calibrate", run_calibrate},
    {"submission", run_submission},
    {"judge-right", run_judge_right},
    {"judge-wrong", run_judge_wrong},
    {"group", run_group},
    {"group-slow", run_group_slow},
    {"group-crash", run_group_crash},
    {"group-wrong", run_group_wrong},
    {"trace", run_trace},
    {"trace-calibrated", run_trace_calibrated},
    {"trace-half", run_trace_half},
    {"silent", run_silent},
    {"skip", run_skip},
    {"empty", run_empty},
    {"bad-span", run_bad_span},
};

/* --- the main loop ------------------------------------------------------------------------------------------------ */

static bool fake_opens(const struct fake_worker *fake, unsigned device)
{
    char item[40];
    snprintf(item, sizeof item, "%s-%u,", fake->machine, device);
    return fake->only[0] == '\0' || strstr(fake->only, item) != NULL;
}

/* The facts of the devices that it opens, which it counts from 0 and of which each is a peer of the others. */
static json_t *fake_devices(const struct fake_worker *fake)
{
    json_t *devices = json_array();
    for (unsigned i = 0; i < fake->devices; i++) {
        char id[32], peer[32];
        json_t *peers = json_array();
        bool cuda = i > 0 || strcmp(fake->machine, "fake") != 0;
        snprintf(id, sizeof id, "%s-%u", fake->machine, i);
        for (unsigned k = 0; k < fake->devices; k++) {
            snprintf(peer, sizeof peer, "%s-%u", fake->machine, k);
            if (k != i && fake_opens(fake, k))
                json_array_append_new(peers, json_pack("{s:s}", "id", peer));
        }
        json_t *facts = json_pack("{s:s, s:i, s:s, s:s, s:{s:s, s:s, s:i}, s:o}", "id", id, "ordinal",
                                  (int)json_array_size(devices), "backend", cuda ? "cuda" : "fake", "name", "A device",
                                  "properties", "uuid", "", "compute_capability", "9.0", "max_threads_per_block", 1024,
                                  "peers", peers);
        if (fake_opens(fake, i))
            json_array_append_new(devices, facts);
        else
            json_decref(facts);
    }
    return devices;
}

static void fake_describe(struct fake_worker *fake)
{
    fake_send(fake, "description", json_pack("{s:o, s:{s:s}}", "devices", fake_devices(fake), "build", "version", "0"));
}

/* What the worker inherited from the process that started it. */
static json_t *fake_environment(const struct fake_worker *fake)
{
    int open = 0;
    for (int descriptor = 0; descriptor < 256; descriptor++)
        open += fcntl(descriptor, F_GETFD) >= 0;
    struct sigaction action;
    sigaction(SIGPIPE, NULL, &action);
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    return json_pack("{s:i, s:b, s:b, s:b, s:s, s:o}", "descriptors", open, "own_group", getpgrp() == getpid(),
                     "sigpipe_default", action.sa_handler == SIG_DFL, "unblocked", !sigismember(&mask, SIGTERM), "only",
                     fake->only, "devices", fake_devices(fake));
}

/* What the run's parameters select. For the experiment kernel, which has no such parameters: the image of the kernel,
 * or without one that of the reference. */
static const char *behaviour_of(const json_t *operation, bool tracing)
{
    const json_t *parameters = json_object_get(operation, "parameters");
    const char *behaviour = json_string_value(json_object_get(parameters, tracing ? "tracing" : "behaviour"));
    const json_t *variant = json_array_get(json_object_get(json_object_get(operation, "kernel"), "variants"), 0);
    if (behaviour == NULL)
        behaviour = json_string_value(json_object_get(variant, "image"));
    if (behaviour == NULL)
        behaviour = json_string_value(json_object_get(json_object_get(variant, "reference"), "image"));
    return behaviour;
}

static void fake_run(struct fake_worker *fake, const json_t *operation)
{
    bool tracing = fake->tracing = json_is_true(json_object_get(operation, "trace"));
    const char *behaviour = behaviour_of(operation, tracing);
    snprintf(fake->run, sizeof fake->run, "%s", json_string_value(json_object_get(operation, "run")));
    fake->operation = operation;
    fake->calibrated = json_object_get(operation, "calibrated");
    if (!ends_at_start(fake, behaviour))
        fake_send(fake, "started", json_pack("{s:o}", "environment", fake_environment(fake)));
    for (size_t i = 0; i < sizeof behaviours / sizeof behaviours[0]; i++)
        if (strcmp(behaviours[i].name, behaviour) == 0)
            behaviours[i].run(fake);
    fake->runs++;
}

/* Reads the options --device. False when one of the devices is not there. */
static bool fake_read_devices(struct fake_worker *fake, int argc, char **argv)
{
    const char *missing = getenv("FAKE_WORKER_MISSING");
    for (int i = 1; i + 1 < argc; i++) {
        size_t length = strlen(fake->only);
        if (strcmp(argv[i], "--device") != 0)
            continue;
        snprintf(fake->only + length, sizeof fake->only - length, "%s,", argv[i + 1]);
        if (missing != NULL && strcmp(argv[i + 1], missing) == 0)
            return false;
    }
    return true;
}

/* Whether the file exists that an environment variable names. */
static bool fake_file_exists(const char *variable)
{
    const char *path = getenv(variable);
    return path != NULL && access(path, F_OK) == 0;
}

static int fake_worker_main(int argc, char **argv)
{
    bool other = argc > 2 && strcmp(argv[1], "--runtime") == 0 && strcmp(argv[2], "host") != 0;
    struct fake_worker fake = {.input = stdin, .devices = 2, .machine = other ? argv[2] : "fake"};
    const char *mode = getenv("FAKE_WORKER");
    if (mode != NULL && strcmp(mode, "no-device") == 0) {
        fprintf(stderr, "no CUDA device: the driver is too old\n");
        return LAB_WORKER_EXIT_NO_DEVICE;
    }
    while (mode != NULL && strcmp(mode, "mute") == 0)
        pause();
    if (fake_file_exists("FAKE_WORKER_BROKEN")) {
        fprintf(stderr, "the driver is broken\n");
        return LAB_WORKER_EXIT_NO_DEVICE;
    }
    while (fake_file_exists("FAKE_WORKER_MUTE"))
        usleep(10000);
    if (mode == NULL || strcmp(mode, "old") != 0)
        printf("{\"event\":\"hello\",\"version\":%d,\"host\":\"fake\"}\n",
               mode != NULL && strcmp(mode, "other-version") == 0 ? 9999 : LAB_PROTOCOL_VERSION);
    if (argc > 4 && strcmp(argv[3], "--host-devices") == 0)
        fake.devices = (unsigned)atoi(argv[4]);
    if (!fake_read_devices(&fake, argc, argv)) {
        fprintf(stderr, "CUDA does not find a device\n");
        return LAB_WORKER_EXIT_NO_DEVICE;
    }
    fake.output = stdout;
    setvbuf(stdin, NULL, _IONBF, 0); /* so that nothing is buffered that poll cannot see */

    size_t size = 0;
    char *line = NULL;
    while (getline(&line, &size, fake.input) > 0) {
        json_t *operation = json_loads(line, 0, NULL);
        const char *op = json_string_value(json_object_get(operation, "op"));
        if (strcmp(op, "describe") == 0)
            fake_describe(&fake);
        else if (strcmp(op, "run") == 0)
            fake_run(&fake, operation);
        json_decref(operation);
    }
    free(line);
    return LAB_WORKER_EXIT_OK;
}

TEST_ROLE("--runtime", fake_worker_main)

/* A worker that examines its machine finds nothing; while FAKE_WORKER_BROKEN exists, it is an older one. */
static int fake_examine_main(int argc, char **argv)
{
    (void)argc;
    if (fake_file_exists("FAKE_WORKER_BROKEN")) {
        fprintf(stderr, "gpulab-worker: unrecognized option '%s'\nusage: …\n", argv[1]);
        return LAB_WORKER_EXIT_USAGE;
    }
    while (fake_file_exists("FAKE_EXAMINATION_SLOW"))
        usleep(10000);
    printf("{\"at\":\"2026-01-01T00:00:00Z\",\"version\":\"0\",\"works\":true,\"findings\":[]}\n");
    return LAB_WORKER_EXIT_OK;
}

TEST_ROLE("--examine", fake_examine_main)

const char fake_worker_path[] = "/proc/self/exe";
