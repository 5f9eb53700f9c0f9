/* server/compiler: what becomes of each way in which the compiler can end. Scripts stand for the compiler, so that
 * NVRTC is not needed. */
#include "compiler/compiler.h"
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char script[] = "/tmp/gpulab-compiler-XXXXXX";

static int make_script(void **state)
{
    int file = mkstemp(script);
    (void)state;
    return file < 0 || fchmod(file, 0700) != 0 || close(file) != 0;
}

static int remove_script(void **state)
{
    (void)state;
    return unlink(script);
}

AROUND_EACH_TEST(.setup = make_script, .teardown = remove_script)

static void write_script(const char *commands)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", commands);
    fclose(file);
}

/* Compiles with a script in place of the compiler. The caller destroys *compiler. */
static json_t *compile_with(const char *commands, double time_limit_s, struct lab_error *error)
{
    const struct lab_compiler_options options = {
        .path = script, .time_limit_s = time_limit_s, .processor_s = 3, .memory_mib = 500};
    struct lab_compiler *compiler = lab_compiler_create(&options);
    json_t *request = json_pack("{s:s}", "source", "text");
    write_script(commands);
    json_t *answer = lab_compile(compiler, request, error);
    json_decref(request);
    lab_compiler_free(compiler);
    return answer;
}

static void expect_error(const char *commands, const char *code, const char *pointer, const char *words)
{
    struct lab_error error = {0};
    assert_null(compile_with(commands, 30, &error));
    assert_string_equal(lab_error_name(error.code), code);
    assert_string_equal(error.pointer, pointer);
    if (strstr(error.detail, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error.detail);
}

TEST(request_and_limits_reach_the_program)
{
    struct lab_error error;
    json_t *answer =
        compile_with("read request; printf '{\"request\":%s,\"arguments\":\"%s\"}' \"$request\" \"$*\"", 30, &error);
    assert_non_null(answer);
    assert_string_equal(json_string_value(json_object_get(json_object_get(answer, "request"), "source")), "text");
    assert_string_equal(json_string_value(json_object_get(answer, "arguments")),
                        "--processor-seconds 3 --memory-mib 500");
    json_decref(answer);
}

TEST(errors_of_the_program_are_passed_on)
{
    expect_error("echo '{\"error\":{\"code\":\"no-sandbox\",\"pointer\":\"\",\"detail\":\"No seccomp.\"}}'",
                 "no-compiler", "", "No seccomp.");
    expect_error(
        "echo '{\"error\":{\"code\":\"unknown-architecture\",\"pointer\":\"/architecture\",\"detail\":\"Unknown.\"}}'",
        "unknown-architecture", "/architecture", "Unknown.");
    expect_error("echo '{\"error\":7}'", "compiler-failed", "", "");
}

TEST(ends_by_a_signal_are_explained)
{
    expect_error("kill -XCPU $$", "compile-limit", "/source", "more than 3 s of processor time");
    expect_error("echo 'LLVM ERROR: out of memory' >&2; kill -ABRT $$", "compile-limit", "/source",
                 "more than 500 MiB");
    expect_error("kill -SEGV $$", "compile-limit", "/source", "nested too deeply");
    expect_error("kill -ABRT $$", "compiler-failed", "/source", "SIGABRT");
    expect_error("kill -KILL $$", "compiler-failed", "/source", "SIGKILL");
}

TEST(answers_that_cannot_be_read_are_errors)
{
    expect_error("echo broken >&2; exit 3", "compiler-failed", "", "exited with code 3");
    expect_error("echo broken >&2; exit 3", "compiler-failed", "", "broken");
    expect_error("echo '[]'", "compiler-failed", "", "exited with code 0");
    expect_error("echo '{'", "compiler-failed", "", "exited with code 0");
}

TEST(floods_are_stopped)
{
    expect_error("yes", "compile-limit", "/source", "longer than 32 MiB");
    expect_error("yes >&2 & sleep 0.2; kill $!; exit 1", "compiler-failed", "", "exited with code 1");
}

TEST(a_program_that_never_ends_is_killed)
{
    struct lab_error error = {0};
    assert_null(compile_with("trap '' TERM; while :; do sleep 1; done", 0.3, &error));
    assert_int_equal(error.code, LAB_ERROR_COMPILE_LIMIT);
    assert_non_null(strstr(error.detail, "within 0.3 s"));
    assert_null(compile_with("exec >&- 2>&-; while :; do sleep 1; done", 0.3, &error));
    assert_int_equal(error.code, LAB_ERROR_COMPILE_LIMIT);
}

TEST(a_program_that_does_not_read_is_answered_for)
{
    struct lab_error error;
    json_t *answer = compile_with("exec <&-; echo '{}'", 30, &error);
    assert_non_null(answer);
    json_decref(answer);
}

TEST(a_missing_program_is_named)
{
    const struct lab_compiler_options options = {.path = "/nowhere/gpulab-compiler"};
    struct lab_compiler *compiler = lab_compiler_create(&options);
    struct lab_error error;
    json_t *request = json_object();
    assert_null(lab_compile(compiler, request, &error));
    assert_int_equal(error.code, LAB_ERROR_NO_COMPILER);
    assert_non_null(strstr(error.detail, "/nowhere/gpulab-compiler cannot be started: No such file"));
    json_decref(request);
    lab_compiler_free(compiler);
}

/* Has the cubin "\177ELF" disassembled by a script, and compares what is added to the answer: the SASS, or the note. */
static void expect_sass(const char *commands, double time_limit_s, const char *member, const char *expected)
{
    const struct lab_compiler_options options = {.path = script, .time_limit_s = time_limit_s, .processor_s = 3};
    struct lab_compiler *compiler = lab_compiler_create(&options);
    json_t *answer = json_pack("{s:s, s:[], s:{s:b}, s:{s:s}}", "cubin", "f0VMRg==", "messages", "compiler", "sass", 1,
                               "names", "_Z1kPi", "k(int*)");
    write_script(commands);
    lab_compiler_add_sass(compiler, answer);
    json_t *sass = json_object_get(answer, "sass"), *note = json_array_get(json_object_get(answer, "messages"), 0);
    assert_true((sass != NULL) != (note != NULL));
    assert_string_equal(json_string_value(sass != NULL ? sass : json_object_get(note, "text")), expected);
    assert_string_equal(sass != NULL ? "sass" : json_string_value(json_object_get(note, "severity")), member);
    json_decref(answer);
    lab_compiler_free(compiler);
}

TEST(sass_or_the_reason_for_none_is_added)
{
    expect_sass("cat; echo \" $5\"", 30, "sass", "\177ELF --disassemble\n");
    expect_sass("echo '.text._Z1kPi: $_Z1kPi$_Z1fv _Z1kPi_1 x_Z1kPi'", 30, "sass",
                ".text.k(int*): $k(int*)$_Z1fv _Z1kPi_1 x_Z1kPi\n");
    expect_sass("echo part; echo bad >&2; echo worse >&2; exit 4", 30, "note",
                "There is no SASS: nvdisasm exited with code 4. bad");
    expect_sass("kill -XCPU $$", 30, "note", "There is no SASS: nvdisasm takes more than 3 s of processor time.");
    expect_sass("trap '' TERM; while :; do sleep 1; done", 0.3, "note",
                "There is no SASS: nvdisasm did not end within 0.3 s.");
}

TEST(without_nvdisasm_nothing_is_started)
{
    const struct lab_compiler_options options = {.path = "/nowhere/gpulab-compiler"};
    struct lab_compiler *compiler = lab_compiler_create(&options);
    json_t *answer = json_pack("{s:s, s:[], s:{s:b}}", "cubin", "f0VMRg==", "messages", "compiler", "sass", 0);
    json_t *before = json_deep_copy(answer);
    lab_compiler_add_sass(compiler, answer);
    assert_true(json_equal(answer, before));
    json_decref(before);
    json_decref(answer);
    lab_compiler_free(compiler);
}

static void *compile_in_thread(void *context)
{
    struct lab_error error = {0};
    json_t *request = json_object();
    json_t *answer = lab_compile(context, request, &error);
    bool stopped =
        answer == NULL && error.code == LAB_ERROR_COMPILER_FAILED && strstr(error.detail, "stopping") != NULL;
    json_decref(answer);
    json_decref(request);
    return stopped ? context : NULL;
}

TEST(stopping_ends_all_compilations)
{
    const struct lab_compiler_options options = {.path = script};
    struct lab_compiler *compiler = lab_compiler_create(&options);
    pthread_t threads[2];
    write_script("while :; do sleep 1; done");
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_in_thread, compiler), 0);
    usleep(100000);
    lab_compiler_stop(compiler);
    for (size_t i = 0; i < 2; i++) {
        void *stopped;
        pthread_join(threads[i], &stopped);
        assert_ptr_equal(stopped, compiler);
    }
    lab_compiler_free(compiler);
}

static void *is_answered(void *context)
{
    struct lab_error error = {0};
    json_t *request = json_object();
    json_t *answer = lab_compile(context, request, &error);
    bool answered = answer != NULL;
    json_decref(answer);
    json_decref(request);
    return answered ? context : NULL;
}

/* Each script waits until the other one has begun. */
TEST(two_sources_are_compiled_at_the_same_time)
{
    const struct lab_compiler_options options = {.path = script, .time_limit_s = 60};
    struct lab_compiler *compiler = lab_compiler_create(&options);
    char commands[256], begun[64];
    pthread_t thread;
    void *answered;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        skip();
    snprintf(begun, sizeof begun, "%s-begun", script);
    snprintf(commands, sizeof commands, "echo 1 >>%s\nwhile [ \"$(wc -l <%s)\" -lt 2 ]; do sleep 0.01; done\necho '{}'",
             begun, begun);
    write_script(commands);
    assert_int_equal(pthread_create(&thread, NULL, is_answered, compiler), 0);
    assert_non_null(is_answered(compiler));
    pthread_join(thread, &answered);
    assert_non_null(answered);
    unlink(begun);
    lab_compiler_free(compiler);
}
