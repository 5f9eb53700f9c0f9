/* gpulab-trace.so in a program (tests/tracer), with a library in place of CUPTI. Skipped where the tracer is not
 * built. */
#include "core/hardware_counters.h"
#include "support/test.h"
#include "trace/missing.h"
#include "trace/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACER LAB_TEST_BUILD "/gpulab-trace.so"
#define PROGRAM LAB_TEST_BUILD "/tracer/traced_program"
#define CUPTI LAB_TEST_BUILD "/tracer/fake_cupti.so"
#define COUNTING LAB_TEST_BUILD "/tracer/fake_counting.so"

enum { EXIT_CODE = 7, MANY = 4000 };

/* How the program is run. */
struct traced {
    const char *way;                       /* in which it ends */
    bool pair;                             /* two processes that use CUDA */
    uint64_t limit;                        /* in bytes; 0: the default */
    const char *refuses, *cupti, *file;    /* for the environment; NULL: not set, of `cupti`: CUPTI */
    bool has_no_variable, has_wrong_inode; /* the descriptor is not named, or by the inode of another file */
    const char *counters, *fails;          /* numbers of counters that are read; which function of CUPTI fails */
    bool crashes;                          /* CUPTI does, soon after the first records */
    bool is_read_late, is_never_read;      /* after the program has ended; its pipe is closed before it starts */
};

/* What became of it. */
static struct {
    int status;
    char output[200];
    size_t bytes; /* of records */
    struct lab_trace trace;
} result;

static int release(void **state)
{
    (void)state;
    lab_trace_release(&result.trace);
    return 0;
}
AROUND_EACH_TEST(.teardown = release)

static void set(void *context, const char *name, const char *value)
{
    (void)context;
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static pid_t start(const struct traced *traced, int records, int output)
{
    struct lab_tracer tracer = {.library = TRACER};
    char other[64];
    pid_t child = fork();
    if (child != 0)
        return child;
    snprintf(tracer.cupti, sizeof tracer.cupti, "%s", traced->cupti != NULL ? traced->cupti : CUPTI);
    lab_tracer_variables(&tracer, records, traced->limit > 0 ? traced->limit : LAB_TRACE_LIMIT_DEFAULT, set, NULL);
    if (traced->has_no_variable)
        unsetenv(LAB_TRACE_VARIABLE_FD);
    snprintf(other, sizeof other, "%d:1", records); /* no pipe has the first inode */
    if (traced->has_wrong_inode)
        set(NULL, LAB_TRACE_VARIABLE_FD, other);
    set(NULL, "FAKE_CUPTI_REFUSES", traced->refuses);
    set(NULL, "FAKE_CUPTI_CRASHES", traced->crashes ? "1" : NULL);
    set(NULL, "TRACED_FILE", traced->file);
    set(NULL, LAB_TRACE_VARIABLE_COUNTERS, traced->counters);
    set(NULL, "FAKE_COUNTING_FAILS", traced->fails);
    signal(SIGPIPE, SIG_DFL);
    dup2(output, STDOUT_FILENO);
    execl(PROGRAM, PROGRAM, traced->way, traced->pair ? "pair" : NULL, NULL);
    _exit(127);
}

static void read_records(int records)
{
    unsigned char bytes[8192];
    ssize_t size;
    while ((size = read(records, bytes, sizeof bytes)) > 0) {
        lab_trace_read(&result.trace, bytes, (size_t)size);
        result.bytes += (size_t)size;
    }
}

/* Runs the program and reads its records. */
static void run(struct traced traced)
{
    int records[2], output[2];
    if (access(TRACER, F_OK) != 0)
        skip();
    assert_int_equal(pipe2(records, 0), 0);
    assert_int_equal(pipe2(output, O_CLOEXEC), 0);
    fcntl(records[0], F_SETFD, FD_CLOEXEC);
    lab_trace_release(&result.trace); /* of an earlier program */
    lab_trace_init(&result.trace, LAB_TRACE_RECORDS_MAX);
    if (traced.is_never_read)
        close(records[0]);
    pid_t child = start(&traced, records[1], output[1]);
    close(records[1]);
    close(output[1]);
    if (traced.is_read_late || traced.is_never_read)
        assert_int_equal(waitpid(child, &result.status, 0), child);
    if (!traced.is_never_read)
        read_records(records[0]);
    if (!traced.is_read_late && !traced.is_never_read)
        assert_int_equal(waitpid(child, &result.status, 0), child);
    ssize_t size = read(output[0], result.output, sizeof result.output - 1);
    assert_true(size >= 0);
    assert_true(lab_trace_finish(&result.trace));
    assert_false(result.trace.is_damaged);
}

static void expect_unharmed(void)
{
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), EXIT_CODE);
    assert_string_equal(result.output, "output\n");
}

static char sentences[2000];

static void collect(void *context, const char *text)
{
    (void)context;
    size_t length = strlen(sentences);
    snprintf(sentences + length, sizeof sentences - length, "%s\n", text);
}

static void list_missing(int signal)
{
    sentences[0] = '\0';
    lab_trace_missing(&result.trace, (struct lab_trace_ending){.signal = signal}, collect, NULL);
}

TEST(each_kind_of_activity_arrives)
{
    run((struct traced){.way = "exit"});
    expect_unharmed();
    const struct lab_trace *trace = &result.trace;
    assert_int_equal(trace->process_count, 1);
    assert_true(trace->processes[0].has_ended);
    assert_int_equal(trace->gpus[0].multiprocessors, 132);
    assert_int_equal(trace->stream_count, 2);
    uint32_t process = trace->processes[0].id;
    assert_int_equal(lab_trace_order_of(trace, process, 1, 7), LAB_TRACE_ORDER_DEFAULT);
    assert_int_equal(lab_trace_order_of(trace, process, 1, 13), LAB_TRACE_ORDER_NON_BLOCKING);
    assert_string_equal(lab_trace_title_of(trace, process, LAB_TRACE_TITLE_STREAM, 1, 13), "uploads");
    assert_int_equal(trace->call_count, 2);
    assert_string_equal(trace->names[trace->calls[0].name], "cudaLaunchKernel_v7000");
    assert_string_equal(trace->names[trace->calls[1].name], "cuLaunchKernel");
    assert_int_equal(trace->calls[1].result, 100);
    assert_int_equal(trace->set_count, 1);
    assert_int_equal(trace->sets[0].value, 9);
    assert_int_equal(trace->wait_count, 1);
    assert_int_equal(trace->waits[0].what, LAB_TRACE_WAIT_STREAM);
    assert_int_equal(trace->overhead_count, 1);
    assert_string_equal(trace->names[trace->overheads[0].name], "loading a kernel at its first launch");
    assert_int_equal(trace->range_count, 1);
    assert_int_equal(trace->ranges[0].end_ns - trace->ranges[0].start_ns, 50);
    list_missing(0);
    assert_string_equal(sentences,
                        "Records that are missing: 3, because CUPTI dropped them.\n"
                        "Records that are missing: 1, because CUPTI had no times for them.\n");
}

TEST(kernels_and_copies_arrive_with_all_that_is_known)
{
    run((struct traced){.way = "exit"});
    const struct lab_trace_kernel *kernel = &result.trace.kernels[0];
    assert_int_equal(result.trace.kernel_count, 1);
    assert_string_equal(result.trace.names[kernel->name], "scale(float*, int)");
    assert_int_equal(kernel->end_ns - kernel->start_ns, 1000);
    assert_int_equal(kernel->grid[1], 2);
    assert_int_equal(kernel->block[0], 256);
    assert_int_equal(kernel->registers, 32);
    assert_int_equal(kernel->local_bytes, 16);
    assert_int_equal(kernel->static_shared_bytes, 1024);
    assert_int_equal(kernel->dynamic_shared_bytes, 2048);
    assert_int_equal(kernel->stream, 13);
    assert_int_equal(kernel->graph, 5);
    assert_int_equal(result.trace.copy_count, 2);
    bool first_is_peer = result.trace.copies[0].direction == LAB_TRACE_COPY_P2P;
    const struct lab_trace_copy *peer = &result.trace.copies[first_is_peer ? 0 : 1];
    const struct lab_trace_copy *upload = &result.trace.copies[first_is_peer ? 1 : 0];
    assert_int_equal(upload->direction, LAB_TRACE_COPY_H2D);
    assert_int_equal(upload->from, LAB_TRACE_MEMORY_PAGEABLE);
    assert_int_equal(upload->to, LAB_TRACE_MEMORY_DEVICE);
    assert_int_equal(upload->bytes, 4096);
    assert_int_equal(upload->asynchronous, 0);
    assert_int_equal(peer->direction, LAB_TRACE_COPY_P2P);
    assert_int_equal(peer->to_device, 1);
    assert_int_equal(peer->asynchronous, 1);
}

TEST(a_kind_that_cannot_be_recorded_is_named)
{
    run((struct traced){.way = "_exit", .refuses = "12"}); /* markers, whose activities the library then aborts on */
    assert_true(WIFSIGNALED(result.status));
    assert_string_equal(result.trace.notes[0],
                        "Not recorded: NVTX ranges, because CUPTI answers CUPTI_ERROR_NOT_COMPATIBLE.");
}

TEST(without_cupti_the_program_runs_and_a_note_says_why)
{
    run((struct traced){.way = "exit", .cupti = "/nonexistent/libcupti.so"});
    expect_unharmed();
    assert_true(result.trace.processes[0].has_ended);
    assert_int_equal(result.trace.kernel_count, 0);
    assert_int_equal(result.trace.note_count, 1);
    assert_non_null(strstr(result.trace.notes[0], "Nothing could be recorded, because CUPTI is not installed: "));
    assert_non_null(strstr(result.trace.notes[0], "/nonexistent/libcupti.so"));
}

TEST(a_library_that_is_not_cupti_is_refused)
{
    run((struct traced){.way = "exit", .cupti = TRACER});
    expect_unharmed();
    assert_int_equal(result.trace.note_count, 1);
    assert_non_null(strstr(result.trace.notes[0], "undefined symbol: cupti"));
}

TEST(without_the_descriptor_that_is_meant_nothing_is_written)
{
    run((struct traced){.way = "idle", .has_no_variable = true});
    expect_unharmed();
    assert_int_equal(result.bytes, 0);
    run((struct traced){.way = "idle", .has_wrong_inode = true});
    expect_unharmed();
    assert_int_equal(result.bytes, 0);
}

TEST(a_program_outlives_its_reader)
{
    run((struct traced){.way = "many", .is_never_read = true});
    expect_unharmed();
}

TEST(a_reader_that_does_not_read_loses_records_and_stops_no_program)
{
    run((struct traced){.way = "many", .is_read_late = true});
    expect_unharmed();
    assert_true(result.trace.kernel_count > 0 && result.trace.kernel_count < MANY);
    assert_string_equal(result.trace.names[result.trace.kernels[0].name], "scale(float*, int)");
}

TEST(many_records_arrive)
{
    run((struct traced){.way = "many"});
    expect_unharmed();
    assert_int_equal(result.trace.kernel_count, MANY);
    assert_int_equal(result.trace.name_count, 2); /* no text and that of all kernels */
    assert_true(result.trace.processes[0].has_ended);
}

TEST(after_the_limit_records_are_counted)
{
    enum { LIMIT = 5000 };
    run((struct traced){.way = "many", .limit = LIMIT});
    expect_unharmed();
    assert_true(result.bytes <= LIMIT + 20 * sizeof(struct lab_trace_lost) + sizeof(struct lab_trace_end));
    assert_true(result.trace.processes[0].has_ended);
    assert_true(result.trace.kernel_count > 0);
    assert_int_equal(result.trace.processes[0].lost[LAB_TRACE_LOSS_LIMIT] + result.trace.kernel_count, MANY);
}

TEST(before_an_abort_all_but_the_end_has_arrived)
{
    run((struct traced){.way = "abort"});
    assert_true(WIFSIGNALED(result.status));
    assert_int_equal(WTERMSIG(result.status), SIGABRT);
    assert_string_equal(result.output, "output\n");
    assert_int_equal(result.trace.kernel_count, 1);
    assert_false(result.trace.processes[0].has_ended);
    assert_true(result.trace.processes[0].flushed_ns > result.trace.processes[0].begun_ns);
    list_missing(WTERMSIG(result.status));
    assert_non_null(strstr(sentences, "The program was ended by SIGABRT. What happened"));
}

TEST(of_a_crash_in_the_tracer_the_end_alone_is_missing)
{
    run((struct traced){.way = "wait", .crashes = true});
    assert_true(WIFSIGNALED(result.status));
    assert_int_equal(WTERMSIG(result.status), SIGSEGV);
    assert_string_equal(result.output, "output\n");
    assert_int_equal(result.trace.kernel_count, 1);
    assert_false(result.trace.processes[0].has_ended);
    list_missing(WTERMSIG(result.status));
    assert_non_null(strstr(sentences, "The program was ended by SIGSEGV. What happened"));
}

TEST(an_end_without_exit_handlers_is_named)
{
    run((struct traced){.way = "_exit"});
    expect_unharmed();
    assert_int_equal(result.trace.kernel_count, 1);
    assert_false(result.trace.processes[0].has_ended);
    list_missing(0);
    assert_non_null(strstr(sentences, "The program did not end by exit()"));
}

TEST(a_forked_process_writes_nothing)
{
    run((struct traced){.way = "fork"});
    expect_unharmed();
    assert_int_equal(result.trace.process_count, 1);
    assert_true(result.trace.processes[0].has_ended);
    assert_int_equal(result.trace.kernel_count, 1);
}

TEST(records_of_two_processes_do_not_mix)
{
    run((struct traced){.way = "many", .pair = true});
    expect_unharmed();
    assert_int_equal(result.trace.process_count, 2);
    assert_int_equal(result.trace.kernel_count, 2 * MANY);
    for (size_t i = 0; i < result.trace.kernel_count; i++)
        assert_string_equal(result.trace.names[result.trace.kernels[i].name], "scale(float*, int)");
    assert_true(result.trace.processes[0].has_ended && result.trace.processes[1].has_ended);
}

TEST(a_file_to_which_the_program_gives_the_descriptor_stays_empty)
{
    char path[] = "/tmp/gpulab-traced-XXXXXX";
    struct stat status;
    close(mkstemp(path));
    run((struct traced){.way = "close", .file = path});
    expect_unharmed();
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
    unlink(path);
}

/* --- where the tracer is ------------------------------------------------------------------------------------------ */

static int print_tracer(int argc, char **argv)
{
    struct lab_tracer tracer;
    (void)argc;
    (void)argv;
    printf("%s", lab_tracer_find(&tracer) ? tracer.library : "none");
    return 0;
}
TEST_ROLE("--find-tracer", print_tracer)

/* What a program in the folder finds. */
static void expect_found(const char *folder, const char *path)
{
    char program[300], found[PATH_MAX] = "";
    snprintf(program, sizeof program, "%s/bin/program --find-tracer", folder);
    FILE *output = popen(program, "r");
    assert_non_null(output);
    assert_true(fread(found, 1, sizeof found - 1, output) > 0);
    assert_int_equal(pclose(output), 0);
    assert_string_equal(found, path);
}

TEST(the_tracer_is_beside_the_program_or_in_libexec)
{
    char folder[] = LAB_TEST_BUILD "/find-XXXXXX", command[600], path[300];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "cd %s && mkdir -p bin libexec/gpulab && cp /proc/%d/exe bin/program", folder,
             getpid());
    assert_int_equal(system(command), 0);
    expect_found(folder, "none");
    snprintf(path, sizeof path, "%s/bin/../libexec/gpulab/gpulab-trace.so", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    expect_found(folder, path);
    snprintf(path, sizeof path, "%s/bin/gpulab-trace.so", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    expect_found(folder, path);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* --- hardware counters -------------------------------------------------------------------------------------------- */

/* The numbers of those that the library has (occupancy, device memory, L1), and of one that it has not. */
static const char *numbers(void)
{
    static char text[64];
    snprintf(text, sizeof text, "%d,%d,%d,%d", LAB_HARDWARE_OCCUPANCY, LAB_HARDWARE_FP64_UTILIZATION,
             LAB_HARDWARE_DRAM_READ_BYTES, LAB_HARDWARE_L1_HIT_RATE);
    return text;
}

static void count(struct traced traced)
{
    if (access(COUNTING, F_OK) != 0)
        skip();
    traced.counters = numbers();
    if (traced.cupti == NULL)
        traced.cupti = COUNTING;
    run(traced);
    expect_unharmed();
    assert_true(result.trace.processes[0].has_ended);
}

TEST(counters_that_fit_into_one_pass_are_read_for_each_launch)
{
    count((struct traced){.way = "launch"});
    const struct lab_trace *trace = &result.trace;
    assert_int_equal(trace->note_count, 0);
    assert_int_equal(trace->kernel_count, 0);
    assert_int_equal(trace->metric_count, 2);
    assert_int_equal(trace->metrics[0].counter, LAB_HARDWARE_FP64_UTILIZATION);
    assert_int_equal(trace->metrics[0].name, 0);
    assert_int_equal(trace->metrics[1].counter, LAB_HARDWARE_OCCUPANCY);
    assert_string_equal(trace->names[trace->metrics[1].name], "sm__warps_active.avg.pct_of_peak_sustained_active");
    assert_int_equal(trace->launch_count, 301);
    for (size_t i = 0; i < 300; i++) {
        assert_string_equal(trace->names[trace->launches[i].name], i % 2 == 0 ? "scale(float*, int)" : "copy");
        /* percents: ten for the first counter, and one for each earlier range of a group of 256 */
        assert_float_equal(trace->launches[i].counts[LAB_HARDWARE_OCCUPANCY], 0.1 + 0.01 * (double)(i % 256), 1e-9);
        assert_true(isnan(trace->launches[i].counts[LAB_HARDWARE_DRAM_READ_BYTES]));
    }
    assert_string_equal(trace->names[trace->launches[300].name], "CUDA-graph");
    list_missing(0);
    assert_string_equal(
        sentences,
        "Launches without hardware counters: 1, because they are in another context than the first one.\n"
        "Launches without hardware counters: 1, because a CUDA graph was captured meanwhile, whose kernels "
        "are counted when it is launched.\n");
}

TEST(a_context_that_is_destroyed_is_counted_before)
{
    count((struct traced){.way = "destroy"});
    assert_int_equal(result.trace.launch_count, 1);
    list_missing(0);
    assert_string_equal(sentences, "");
}

TEST(a_program_that_launches_nothing_opens_no_profiler)
{
    count((struct traced){.way = "idle", .fails = "cuptiProfilerInitialize 999"});
    assert_int_equal(result.trace.metric_count + result.trace.launch_count + result.trace.note_count, 0);
}

/* Whatever cannot be counted, the program runs as without it, and one note says why. */
TEST(what_prevents_the_counting_is_a_note)
{
    static const struct {
        const char *fails, *cupti, *text;
    } failures[] = {
        {"cuptiProfilerGetCounterAvailability 35", NULL, "NVreg_RestrictProfilingToAdminUsers=0"},
        {"cuptiRangeProfilerStart 26", NULL, "another program reads the hardware counters"},
        {"cuptiProfilerInitialize 43", NULL, "MIG is off"},
        {"cuptiProfilerHostGetNumOfPasses 999", NULL, "while counting the passes"},
        {"cuptiRangeProfilerPushRange 999", NULL, "while beginning to count"},
        {"cuptiRangeProfilerPopRange 999", NULL, "while ending to count"},
        {"cuptiRangeProfilerStop 999", NULL, "while stopping a pass"},
        {"cuptiRangeProfilerDecodeData 999", NULL, "while reading the counters"},
        {"cuptiProfilerHostEvaluateToGpuValues 999", NULL, "while evaluating the counters"},
        {"cuptiSubscribe 39", NULL, "CUPTI is in use by another tool in the program"},
        {NULL, "/nonexistent/libcupti.so", "CUPTI is not installed: "},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        count((struct traced){.way = "launch", .fails = failures[i].fails, .cupti = failures[i].cupti});
        assert_int_equal(result.trace.note_count, 1);
        assert_non_null(strstr(result.trace.notes[0], failures[i].text));
    }
}
