/* The executions of a program, and what becomes of them. */
#include "run.h"

#include "build.h"
#include "call.h"
#include "commands.h"
#include "passes.h"

#include "descriptor/parameters.h"
#include "formats/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The exit code of NVIDIA's samples where the machine lacks what they need. Nothing is measured then. */
enum { EXIT_WAIVED = 2 };
static const char waived[] = "the program exited with code 2: by convention, what it needs is not here";

static void report(const struct lab_run *run, size_t done, size_t total, const char *label)
{
    run->sink.progress(run->sink.context, done, total, label);
}

/* --- the results of an execution ---------------------------------------------------------------------------------- */

/* The format in which the program prints its results; NULL: it prints none. */
static const char *format_of(const struct program *program)
{
    const char *format = json_string_value(json_object_get(program->command, "format"));
    return format != NULL ? format : json_string_value(json_object_get(program->run->program, "format"));
}

static bool read_text(struct program *program, const char *format, const char *text, size_t size)
{
    return program_results_read(&program->results, program->run, program->executions, format, text, size,
                                &program->run->error);
}

/* Reads the file in which the program has written its results. */
static bool read_file(struct program *program, const char *name, const char *format)
{
    struct lab_error *error = &program->run->error;
    size_t size;
    char *text = program_file_read(program->folder.path, name, LAB_RESULT_SIZE_MAX, &size, error);
    bool good = text != NULL && read_text(program, format, text, size);
    free(text);
    return good;
}

static bool read_results(struct program *program, const struct program_end *end)
{
    const char *format = format_of(program), *file = json_string_value(json_object_get(program->command, "results"));
    if (end->given.size > 0 && !read_text(program, "gpulab", end->given.bytes, end->given.size))
        return false;
    if (format == NULL)
        return true;
    if (file != NULL)
        return read_file(program, file, format);
    return read_text(program, format, end->printed.bytes != NULL ? end->printed.bytes : "", end->printed.size);
}

/* Keeps what a program that has failed reported before, as far as its lines are whole and right. */
static void keep_results(struct program *program, const struct program_end *end)
{
    const char *begin = end->given.bytes, *last = begin != NULL ? memrchr(begin, '\n', end->given.size) : NULL;
    struct lab_error ignored;
    if (last != NULL)
        program_results_read(&program->results, program->run, program->executions, "gpulab", begin,
                             (size_t)(last + 1 - begin), &ignored);
}

/* --- an execution ------------------------------------------------------------------------------------------------- */

/* How an execution has ended: exit code 2 is that of a sample which cannot run here. */
static bool judge(struct program *program, const struct program_end *end)
{
    program->waived = program->waived || end->code == EXIT_WAIVED;
    return end->code == 0 || end->code == EXIT_WAIVED ||
           lab_error_set(&program->run->error, LAB_ERROR_PROGRAM_FAILED, "", "The program %s.", end->text);
}

/* Executes the program once; its output is kept unless it is silent. One that is recorded is measured only if it is the
 * only one. */
static bool execute(struct program *program, bool silent, bool traced, bool measured)
{
    struct lab_run *run = program->run;
    struct program_end end = {0};
    struct program_call call;
    bool good = program_call_prepare(program, &call);
    call.silent = silent;
    call.tracer = traced ? &program->tracer : NULL;
    call.prints_results = format_of(program) != NULL;
    good = good && program_execute(program, &call, &end);
    if (traced)
        program_trace_report(run, end.records.bytes, end.records.size, end.signal, end.ended_ns);
    if (good && measured && end.code != EXIT_WAIVED) {
        program_samples_add(&program->elapsed, program->executions, end.elapsed_s);
        program_samples_add(&program->processor, program->executions, end.processor_s);
    }
    bool succeeds = good && judge(program, &end);
    if (measured && !succeeds)
        keep_results(program, &end);
    good = succeeds && (end.code != 0 || !measured || read_results(program, &end));
    program->executions += measured;
    program_end_release(&end);
    program_call_release(&call);
    return good;
}

/* --- a side ------------------------------------------------------------------------------------------------------- */

/* Whether the format of the program's results, if it has one, exists. */
static bool check_format(struct program *program)
{
    const char *format = format_of(program);
    return format == NULL || lab_result_format_find(format) != NULL ||
           lab_result_format_refuse(format, LAB_ERROR_PROGRAM_FAILED, "/program/format", &program->run->error);
}

/* Makes the folder of a program, and builds it there unless it is a command of the machine. */
static bool prepare(struct program *program)
{
    struct lab_run *run = program->run;
    const char *name = json_string_value(json_object_get(run->program, "command"));
    if (!program_folder_make(&program->folder, &run->error))
        return false;
    if (name == NULL)
        return check_format(program) &&
               program_files_write(program->folder.path, json_object_get(run->program, "files"), &run->error) &&
               program_build(program);
    program->command =
        program_command_read(run->programs, name, json_object_get(run->program, "arguments"), &run->error);
    program->calls_cuda = true;
    return program->command != NULL && check_format(program);
}

/* Sends a result of the lab itself. */
static void send_result(const struct program *program, const struct program_samples *samples, const char *metric)
{
    if (program->waived && samples->count == 0)
        program_skipped_send(program->run, metric, "s", waived);
    else
        program_samples_send(samples, program->run, metric, "s");
}

/* Sends what was measured of the head and, in a comparison, of the base, whose measurements come before those of the
 * head. */
static void send_results(const struct program *sides, size_t count)
{
    for (size_t side = count; side-- > 0;)
        send_result(&sides[side], &sides[side].elapsed, "elapsed");
    for (size_t side = count; side-- > 0;)
        send_result(&sides[side], &sides[side].processor, "processor");
    program_results_send(&sides[0].results, count > 1 ? &sides[1].results : NULL, sides[0].run);
}

static void release(struct program *program)
{
    program_results_release(&program->results);
    program_samples_release(&program->elapsed);
    program_samples_release(&program->processor);
    free(program->compiled.bytes);
    json_decref(program->command);
    if (!program_folder_remove(&program->folder))
        program->run->sink.warning(program->run->sink.context, "the folder of the program could not be removed");
}

/* Gives the head the error of a side. */
static void forward_error(struct lab_run *head, struct lab_run *side)
{
    if (side == head)
        return;
    lab_error_set(&head->error, side->error.code, side->error.pointer, "base: %s", side->error.detail);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Executes the sides alternately. The timeline is that of the head: of its only execution, or of one before all. */
static bool execute_all(struct program *sides, size_t count, size_t runs, bool traces)
{
    bool apart = traces && runs * count > 1;
    if (apart) {
        report(sides[0].run, 0, runs, "executing, recorded");
        if (!execute(&sides[0], false, true, false))
            return false;
    }
    for (size_t i = 0; i < runs; i++)
        for (size_t side = 0; side < count; side++) {
            report(sides[0].run, i, runs, "executing");
            if (!execute(&sides[side], i > 0 || (apart && side == 0), traces && !apart, true)) {
                forward_error(sides[0].run, sides[side].run);
                return false;
            }
        }
    report(sides[0].run, runs, runs, "executed");
    return true;
}

/* Counts the base of a comparison before the head, where the run asks for it. */
static bool count_all(struct program *sides, size_t side_count)
{
    struct lab_run *head = sides[0].run;
    bool good = true;
    for (size_t side = side_count; good && side-- > 0;)
        if (lab_parameter_counters(sides[side].run->parameters) && sides[side].calls_cuda && !sides[side].waived)
            good = program_count(&sides[side], head);
    if (!good)
        lab_error_set(&head->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
    return good;
}

/* Finds the tracer for the sides, if the run asks for a timeline or hardware counters, and a side calls CUDA. */
static bool find_tracer(struct program *sides, size_t count)
{
    const struct lab_run *run = sides[0].run;
    bool calls_cuda = sides[0].calls_cuda || (count > 1 && sides[1].calls_cuda);
    bool wanted = lab_parameter_integer(run->parameters, "timeline") != 0 || lab_parameter_counters(run->parameters);
    if (!wanted || !calls_cuda || !program_tracer_find(&sides[0].tracer, run))
        return false;
    for (size_t side = 1; side < count; side++)
        sides[side].tracer = sides[0].tracer;
    return true;
}

bool program_run(struct lab_run *run)
{
    struct program_output output = {.run = run};
    /* The head, then the base. */
    struct program sides[LAB_SIDES] = {{.run = run, .output = &output}, {.run = run->base, .output = &output}};
    size_t count = run->base != NULL ? 2 : 1;
    bool good = true;
    report(run, 0, 1, "compiling");
    for (size_t side = 0; good && side < count; side++) {
        good = prepare(&sides[side]);
        if (!good)
            forward_error(run, sides[side].run);
    }
    bool has_tracer = good && find_tracer(sides, count);
    bool traces = has_tracer && lab_parameter_integer(run->parameters, "timeline") != 0 && sides[0].calls_cuda;
    good = good && execute_all(sides, count, (size_t)lab_parameter_integer(run->parameters, "runs"), traces);
    program_output_end(&output);
    send_results(sides, count);
    good = good && (!has_tracer || count_all(sides, count));
    for (size_t side = 0; side < count; side++)
        release(&sides[side]);
    return good;
}
