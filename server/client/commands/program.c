/* gpulab program FILE…: compiles a whole program and executes it on the lab's devices. */
#include "commands.h"
#include "program_commands.h"
#include "program_request.h"
#include "run.h"

#include <stdio.h>

struct program_options {
    struct lab_run_options run;
    struct lab_program_options program;
    char runs[64]; /* what --runs means */
};

static const char usage[] =
    "Usage: gpulab program FILE... [OPTIONS] [-- ARGUMENT...]\n"
    "       gpulab program --command NAME [OPTIONS] [-- ARGUMENT...]\n"
    "       gpulab program --commands [--node NODE]\n\n"
    "Compiles a program with main(), in CUDA, C++ or C, on the machine that has the devices, and executes it there in a\n"
    "sandbox. Prints its output as it comes, its results and what it did on the GPU. Files that end in .cu, .cpp, .cc, .cxx and .c are\n"
    "compiled; others are headers and data. Examples:\n\n"
    "  gpulab program main.cu --define N=1024 --library cublas --runs 5 -- 4096 fast\n"
    "  gpulab program new.cu --compare-with old.cu\n";

/* Makes --set runs=N of --runs N. */
static bool set_runs(struct program_options *options, struct lab_errors *errors)
{
    struct lab_texts *set = &options->run.request.set;
    if (options->program.runs == NULL)
        return true;
    if (set->count == LAB_TEXTS_MAX)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "--set", "at most %d parameters can be set", LAB_TEXTS_MAX);
    snprintf(options->runs, sizeof options->runs, "runs=%s", options->program.runs);
    set->items[set->count++] = options->runs;
    return true;
}

static bool program_check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    struct program_options *options = values;
    (void)context;
    return set_runs(options, errors) && lab_request_options_complete(&options->run.request, errors);
}

static enum lab_exit_code program_execute(struct lab_context *lab, void *values)
{
    const struct program_options *options = values;
    struct lab_run_context context = {.options = &options->run, .lab = lab};
    struct lab_errors errors = {0};
    if (options->program.lists_commands)
        return lab_program_commands(lab, &options->run.request.nodes);
    context.program = lab_program_request(&options->program, &lab->arguments, &errors);
    if (context.program != NULL && options->run.compare_files.count > 0)
        context.base = lab_program_base(context.program, &options->run.compare_files, &errors);
    enum lab_exit_code code =
        errors.count == 0 ? lab_run_unlisted(&context, "program") : lab_fail(LAB_EXIT_USAGE, &errors);
    json_decref(context.base);
    json_decref(context.program);
    return code;
}

int lab_command_program(const struct lab_invocation *invocation)
{
    struct program_options options = {0};
    struct lab_option build[LAB_BUILD_OPTIONS + 1];
    lab_build_options_table(build, LAB_BUILD_OPTIONS, offsetof(struct lab_program_options, build));
    const struct lab_option_group groups[] = {
        {"Program", lab_program_options_table, &options.program},
        {"Compiler", build, &options.program},
        {"Run", lab_request_options_table, &options.run.request},
        {"Command", lab_own_code_options, &options.run},
        {0},
    };
    const struct lab_client_command command = {
        .usage = usage,
        .words_max = LAB_TEXTS_MAX,
        .signals = true,
        .temporary = &options.run.no_save,
        .check = program_check,
        .work = program_execute,
    };
    return lab_client_command_main(&command, groups, &options, invocation);
}
