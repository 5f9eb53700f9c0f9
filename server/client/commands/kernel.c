/* gpulab kernel FILE: measures a kernel of a source file. */
#include "commands.h"
#include "kernel_request.h"
#include "run.h"

#include <stdio.h>

struct kernel_options {
    struct lab_run_options run;
    struct lab_kernel_options kernel;
};

static const char usage[] =
    "Usage: gpulab kernel FILE.cu [HEADER...] --arg ARGUMENT... [OPTIONS]\n\n"
    "Compiles a kernel, which can include the other files, measures it on a CUDA device and prints the results. Sizes, counts and values are numbers (also\n"
    "64KiB, 1M, 2^20) or expressions of the axes with + - * / % << >>, min, max and ceil_div. What must be whole is computed\n"
    "as in C: '/' of integers drops the fraction. --bytes and --operations do not round. Example:\n\n"
    "  gpulab kernel axpy.cu --arg n:i32=1M,16M --arg a:fp32=2.5 --arg 'x:fp32[n]' --arg 'y:fp32[n]:inout' \\\n"
    "      --bytes '12 * n' --operations '2 * n'\n";

static bool kernel_check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    struct kernel_options *options = values;
    (void)context;
    return lab_request_options_complete(&options->run.request, errors);
}

/* Writes the files of a run that has succeeded. */
static enum lab_exit_code kernel_ended(const struct lab_run_context *context, const json_t *run,
                                       enum lab_exit_code code)
{
    const struct kernel_options *options = context->ended_context;
    struct lab_errors errors = {0};
    if (code != LAB_EXIT_OK || options->kernel.saved.count == 0 ||
        lab_kernel_saved_write(&options->kernel, context->lab->session.client, run, &errors))
        return code;
    return lab_fail(LAB_EXIT_ERROR, &errors);
}

static enum lab_exit_code kernel_measure(struct lab_context *lab, void *values)
{
    const struct kernel_options *options = values;
    struct lab_run_context context = {
        .options = &options->run, .lab = lab, .ended = kernel_ended, .ended_context = options};
    struct lab_errors errors = {0};
    context.kernel = lab_kernel_request(&options->kernel, &lab->arguments.words, &errors);
    if (context.kernel != NULL && options->run.compare_files.count > 0)
        context.base = lab_kernel_base(context.kernel, &options->run.compare_files, &errors);
    enum lab_exit_code code =
        errors.count == 0 ? lab_run_unlisted(&context, "kernel") : lab_fail(LAB_EXIT_USAGE, &errors);
    json_decref(context.base);
    json_decref(context.kernel);
    return code;
}

int lab_command_kernel(const struct lab_invocation *invocation)
{
    struct kernel_options options = {.kernel.tolerance = -1};
    struct lab_option build[LAB_KERNEL_OPTIONS + 1];
    lab_build_options_table(build, LAB_KERNEL_OPTIONS, offsetof(struct lab_kernel_options, build));
    const struct lab_option_group groups[] = {
        {"Kernel", lab_kernel_options_table, &options.kernel},
        {"Compiler", build, &options.kernel},
        {"Run", lab_request_options_table, &options.run.request},
        {"Command", lab_own_code_options, &options.run},
        {0},
    };
    const struct lab_client_command command = {
        .usage = usage,
        .words_min = 1,
        .words_max = LAB_TEXTS_MAX,
        .signals = true,
        .temporary = &options.run.no_save,
        .check = kernel_check,
        .work = kernel_measure,
    };
    return lab_client_command_main(&command, groups, &options, invocation);
}
