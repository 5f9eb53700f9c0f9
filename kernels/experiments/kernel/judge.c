#include "judge.h"

#include "host_check.h"
#include "outputs.h"
#include "variant.h"
#include "wrong.h"

#include "benchmark/report.h"
#include "benchmark/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1024 * 1024 };

LAB_IMAGE(kernel);

struct judge {
    struct lab_run *run;
    struct lab_device *device;
    const struct kernel_definition *definition;
    struct lab_lane lane;
    struct lab_module *module; /* the kernels that fill */
    struct kernel_job job;     /* of the reference */
    struct kernel_check check;
    FILE *file;
    unsigned char *block; /* what elements must be, BLOCK_BYTES */

    struct kernel_record record;
    unsigned char *elements; /* of the record */

    /* of the point of the last record */
    bool begun, complete; /* complete: there was a record of whole outputs */
    uint64_t wrong;       /* elements, the most of a record */
    struct kernel_wrong first;
    uint64_t first_seed; /* of the record of `first` */
};

static bool fail(struct judge *j)
{
    j->run->error = j->device->error;
    return false;
}

/* --- elements ----------------------------------------------------------------------------------------------------- */

/* The elements of an output from `first` on, as they must be; valid until the next call. NULL with the device's error
 * set. */
static const unsigned char *must_be(struct judge *j, const struct kernel_argument *argument, size_t buffer,
                                    uint64_t first, size_t count)
{
    const unsigned char *given = j->check.outputs[buffer] != NULL ? j->check.outputs[buffer] : argument->saved;
    size_t size = kernel_type_bytes(argument->type);
    if (given != NULL)
        return given + first * size;
    return kernel_job_get(&j->job, buffer, first * size, j->block, count * size) ? j->block : NULL;
}

static void note_wrong(struct judge *j, const struct kernel_wrong *wrong)
{
    if (j->first.argument != NULL)
        return;
    j->first = *wrong;
    j->first_seed = j->record.seed;
}

/* Compares a piece of an output, whose elements are `found`. Adds the number of wrong ones to *wrong. */
static bool compare(struct judge *j, const struct kernel_argument *argument, size_t buffer, struct kernel_piece piece,
                    const unsigned char *found, uint64_t *wrong)
{
    double tolerance = kernel_tolerance_of(j->definition, argument);
    size_t at_once = BLOCK_BYTES / kernel_type_bytes(argument->type);
    for (uint64_t done = 0; done < piece.count; done += at_once) {
        size_t count = piece.count - done < at_once ? (size_t)(piece.count - done) : at_once;
        const unsigned char *expected = must_be(j, argument, buffer, piece.first + done, count);
        if (expected == NULL)
            return fail(j);
        for (size_t i = 0; i < count; i++) {
            struct kernel_wrong element = {.argument = argument,
                                           .index = piece.first + done + i,
                                           .found = kernel_load(found, argument->type, done + i),
                                           .expected = kernel_load(expected, argument->type, i)};
            if (kernel_equal(argument->type, element.found, element.expected, tolerance))
                continue;
            (*wrong)++;
            note_wrong(j, &element);
        }
    }
    return true;
}

/* --- a record ----------------------------------------------------------------------------------------------------- */

/* Computes what the outputs of the record must be. */
static bool compute(struct judge *j)
{
    if (!kernel_check_compute(&j->check, j->run, &j->record.point, j->record.seed))
        return false;
    return (kernel_job_renew(&j->job, j->record.seed) && lab_kernels_enqueue(&j->job.kernels, &j->lane) &&
            j->device->runtime->stream_synchronize(j->device, j->lane.stream) && kernel_job_collect(&j->job)) ||
           fail(j);
}

static bool judge_record(struct judge *j)
{
    const unsigned char *found = j->elements;
    uint64_t wrong = 0;
    if (!compute(j))
        return false;
    for (size_t i = 0, buffer = 0; i < j->definition->argument_count; i++) {
        const struct kernel_argument *argument = &j->definition->arguments[i];
        size_t pieces = kernel_is_output(argument) ? kernel_piece_count(&j->record) : 0;
        for (size_t k = 0; k < pieces; k++) {
            struct kernel_piece piece = kernel_piece_of(&j->record, argument, buffer, k);
            if (!compare(j, argument, buffer, piece, found, &wrong))
                return false;
            found += piece.count * kernel_type_bytes(argument->type);
        }
        buffer += kernel_has_elements(argument);
    }
    j->wrong = wrong > j->wrong ? wrong : j->wrong;
    j->complete = j->complete || j->record.places == 0;
    return true;
}

static bool broken(struct judge *j)
{
    return lab_error_set(&j->run->error, LAB_ERROR_FAILED, "", "The file of the outputs is not complete.");
}

/* Reads the next record. Sets *ended at the end of the file. */
static bool read_record(struct judge *j, bool *ended)
{
    size_t read = fread(&j->record, 1, sizeof j->record, j->file);
    *ended = read == 0 && feof(j->file);
    return *ended || read == sizeof j->record || broken(j);
}

static bool read_elements(struct judge *j)
{
    if (j->record.bytes != kernel_record_bytes(j->definition, &j->record))
        return broken(j);
    free(j->elements);
    j->elements = malloc(j->record.bytes);
    if (j->elements == NULL)
        return lab_error_set(&j->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the outputs");
    return fread(j->elements, 1, j->record.bytes, j->file) == j->record.bytes || broken(j);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool begin_point(struct judge *j)
{
    const struct lab_point *point = &j->record.point;
    struct lab_errors errors = {0};
    const struct lab_own_variant *variant = kernel_variant_at(j->run, point);
    j->begun = true;
    j->complete = false;
    j->wrong = 0;
    j->first.argument = NULL;
    if (variant == NULL)
        return false;
    if (!kernel_describe(j->definition, &j->device->facts, point, KERNEL_REFERENCE, &j->job.workload, &errors)) {
        j->run->error = errors.items[0];
        return false;
    }
    return kernel_job_begin(&j->job, point, &variant->reference) || fail(j);
}

/* Ends the point of the last record: passes its verdict on. */
static bool end_point(struct judge *j, const struct lab_point *point)
{
    char text[LAB_DETAIL_MAX];
    struct lab_axes axes = {0};
    if (!j->begun)
        return true;
    j->begun = false;
    kernel_job_end(&j->job);
    if (!j->complete)
        return broken(j);
    if (j->wrong > 0)
        kernel_wrong_text(j->definition, point, j->first_seed, &j->first, text, sizeof text);
    lab_report_axes(j->run, point, &axes);
    j->run->sink.verdict(j->run->sink.context, &axes, j->wrong, j->wrong > 0 ? text : NULL);
    return true;
}

/* Judges all records, those of a point one after the other. */
static bool judge_all(struct judge *j)
{
    struct lab_point last = {0};
    for (bool ended = false; read_record(j, &ended);) {
        bool other = memcmp(&last, &j->record.point, sizeof last) != 0;
        if ((ended || other) && !end_point(j, &last))
            return false;
        if (ended)
            return true;
        if (lab_run_cancelled(j->run))
            return lab_error_set(&j->run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
        last = j->record.point;
        if ((!j->begun && !begin_point(j)) || !read_elements(j) || !judge_record(j))
            return false;
    }
    return false;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool open_judge(struct judge *j)
{
    j->file = fopen(j->run->outputs, "rb");
    j->block = malloc(BLOCK_BYTES);
    if (j->file == NULL || j->block == NULL)
        return lab_error_set(&j->run->error, LAB_ERROR_FAILED, "", "The file of the outputs cannot be opened: %s.",
                             strerror(errno));
    j->lane = (struct lab_lane){j->device, lab_run_stream(j->run, j->device)};
    return (j->lane.stream != NULL && (j->module = j->device->runtime->module->load(j->device, &image)) != NULL &&
            kernel_job_open(&j->job, j->device, j->lane.stream, j->module, j->definition, 0)) ||
           fail(j);
}

static void close_judge(struct judge *j)
{
    if (j->begun)
        kernel_job_end(&j->job);
    kernel_job_close(&j->job);
    if (j->module != NULL)
        j->device->runtime->module->unload(j->device, j->module);
    lab_run_stream_return(j->run, j->device, j->lane.stream);
    free(j->elements);
    free(j->block);
    if (j->file != NULL)
        fclose(j->file);
}

bool kernel_judge(struct lab_run *run)
{
    struct judge j = {.run = run, .device = run->devices[0], .definition = kernel_definition_of(run->experiment)};
    bool good = kernel_check_open(&j.check, run, j.definition);
    if (good) {
        good = open_judge(&j) && judge_all(&j);
        close_judge(&j);
    }
    kernel_check_close(&j.check);
    return good;
}
