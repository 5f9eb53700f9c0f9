#include "host_check.h"

#include "check_source.h"

#include "descriptor/own_kernel.h"
#include "experiments/program/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = LAB_OWN_FIELDS_MAX * LAB_ARGUMENTS_MAX + 1, WORD_SIZE = 17 };

/* Seconds of an execution. */
static const double limit_s = 60;

/* Gives the run of the kernel the error of the program. */
static bool forward(struct lab_run *run, const struct kernel_check *check)
{
    run->error = check->run.error;
    return false;
}

bool kernel_check_open(struct kernel_check *check, struct lab_run *run, const struct kernel_definition *definition)
{
    *check = (struct kernel_check){.run = *run, .definition = definition};
    if (definition->check == NULL)
        return true;
    check->output.run = &check->run;
    check->program = (struct program){.run = &check->run, .output = &check->output};
    check->run.base = NULL;
    check->run.device_count = 0;
    json_t *files = kernel_check_files(definition);
    check->run.program = json_pack("{s:o, s:{s:[s]}}", "files", files, "options", "libraries", "m");
    if (check->run.program == NULL)
        return lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the check of the kernel");
    run->sandbox = program_sandbox(run->program_user, &run->error);
    return run->sandbox != NULL && ((program_folder_make(&check->program.folder, &check->run.error) &&
                                     program_files_write(check->program.folder.path, files, &check->run.error) &&
                                     program_build(&check->program)) ||
                                    forward(run, check));
}

void kernel_check_close(struct kernel_check *check)
{
    if (check->definition == NULL || check->definition->check == NULL)
        return;
    program_output_end(&check->output);
    if (!program_folder_remove(&check->program.folder))
        check->run.sink.warning(check->run.sink.context, "the folder of the check could not be removed");
    free(check->program.compiled.bytes);
    json_decref((json_t *)(uintptr_t)check->run.program);
    free(check->bytes);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* The words of a command line. */
struct words {
    size_t count;
    char *items[WORDS_MAX + 1];
    char text[WORDS_MAX][WORD_SIZE];
};

static void add(struct words *words, uint64_t number)
{
    snprintf(words->text[words->count], WORD_SIZE, "%" PRIx64, number);
    words->items[words->count] = words->text[words->count];
    words->count++;
}

static void add_fields(struct words *words, const struct kernel_argument *argument, const struct lab_point *point)
{
    unsigned char bytes[KERNEL_STRUCT_MAX];
    kernel_write_struct(argument, point, bytes);
    for (size_t i = 0; i < argument->field_count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, bytes + argument->fields[i].offset, kernel_type_bytes(argument->fields[i].type));
        add(words, bits);
    }
}

static void add_argument(struct words *words, const struct kernel_argument *argument, const struct lab_point *point,
                         size_t buffer, uint64_t seed)
{
    if (argument->kind == KERNEL_STRUCT) {
        add_fields(words, argument, point);
        return;
    }
    if (!kernel_has_elements(argument)) {
        add(words, kernel_scalar_bits_of(argument, point));
        return;
    }
    struct kernel_fill fill = kernel_fill_of(point, argument, buffer, seed);
    add(words, kernel_count_of(argument, point));
    add(words, argument->direction == KERNEL_OUT ? KERNEL_ZERO : fill.content);
    add(words, fill.seed);
    add(words, fill.value);
    if (argument->kind == KERNEL_TABLE)
        add(words, kernel_buffers_of(argument, point));
}

/* The bytes of the outputs that come before an argument, or of all for NULL. */
static size_t bytes_before(const struct kernel_definition *d, const struct lab_point *point,
                           const struct kernel_argument *end)
{
    size_t bytes = 0;
    for (const struct kernel_argument *argument = d->arguments;
         argument < d->arguments + d->argument_count && argument != end; argument++)
        if (kernel_is_output(argument))
            bytes += (size_t)kernel_count_of(argument, point) * kernel_type_bytes(argument->type);
    return bytes;
}

/* Executes the function with the command line. */
static bool execute(struct kernel_check *check, struct words *words)
{
    struct program_end end;
    const struct program_call call = {.arguments = words->items, .limit_s = limit_s};
    bool good = program_execute(&check->program, &call, &end);
    if (good && end.code != 0)
        good = lab_error_set(&check->run.error, LAB_ERROR_PROGRAM_FAILED, "", "The check of the kernel %s.", end.text);
    program_end_release(&end);
    return good;
}

/* Reads what the function has written. */
static bool read_outputs(struct kernel_check *check, const struct lab_point *point)
{
    const struct kernel_definition *d = check->definition;
    size_t wanted = bytes_before(d, point, NULL), found, buffer = 0;
    free(check->bytes);
    check->bytes =
        program_file_read(check->program.folder.path, KERNEL_CHECK_OUTPUT, wanted, &found, &check->run.error);
    if (check->bytes == NULL)
        return false;
    if (found != wanted)
        return lab_error_set(&check->run.error, LAB_ERROR_PROGRAM_FAILED, "",
                             "The check of the kernel has written %zu bytes of outputs instead of %zu.", found, wanted);
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        if (!kernel_has_elements(argument))
            continue;
        check->outputs[buffer++] =
            kernel_is_output(argument) ? (const unsigned char *)check->bytes + bytes_before(d, point, argument) : NULL;
    }
    return true;
}

bool kernel_check_compute(struct kernel_check *check, struct lab_run *run, const struct lab_point *point, uint64_t seed)
{
    static char path[] = "./" PROGRAM_EXECUTABLE;
    const struct kernel_definition *d = check->definition;
    if (d->check == NULL)
        return true;
    struct words *words = calloc(1, sizeof *words);
    if (words == NULL)
        return lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the check of the kernel");
    words->items[words->count++] = path;
    for (size_t i = 0, buffer = 0; i < d->argument_count; i++) {
        add_argument(words, &d->arguments[i], point, buffer, seed);
        buffer += kernel_has_elements(&d->arguments[i]);
    }
    bool good = execute(check, words) && read_outputs(check, point);
    free(words);
    return good || forward(run, check);
}
