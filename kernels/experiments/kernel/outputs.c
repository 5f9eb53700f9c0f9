#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

size_t kernel_piece_count(const struct kernel_record *record)
{
    return record->places != 0 ? KERNEL_PIECES : 1;
}

struct kernel_piece kernel_piece_of(const struct kernel_record *record, const struct kernel_argument *argument,
                                    size_t buffer, size_t index)
{
    uint64_t all = kernel_count_of(argument, &record->point),
             count = KERNEL_PIECE_BYTES / kernel_type_bytes(argument->type);
    if (record->places == 0 || count >= all)
        return (struct kernel_piece){0, all};
    uint64_t number = kernel_random(KERNEL_U64, index, record->places + buffer);
    return (struct kernel_piece){number % (all - count + 1), count};
}

uint64_t kernel_record_bytes(const struct kernel_definition *definition, const struct kernel_record *record)
{
    uint64_t bytes = 0;
    for (size_t i = 0, buffer = 0; i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        if (kernel_is_output(argument))
            bytes += kernel_piece_count(record) * kernel_piece_of(record, argument, buffer, 0).count *
                     kernel_type_bytes(argument->type);
        buffer += kernel_has_elements(argument);
    }
    return bytes;
}

/* --- the process of the kernel ------------------------------------------------------------------------------------ */

bool kernel_outputs_open(struct kernel_outputs *outputs, struct lab_run *run)
{
    *outputs = (struct kernel_outputs){0};
    return run->outputs == NULL || (outputs->file = fopen(run->outputs, "wb")) != NULL ||
           lab_error_set(&run->error, LAB_ERROR_FAILED, "", "The file for the outputs cannot be opened: %s.",
                         strerror(errno));
}

void kernel_outputs_begin(struct kernel_outputs *outputs)
{
    outputs->counted = 0;
    for (size_t i = 0; i < KERNEL_KEPT_MAX; i++) {
        free(outputs->kept[i].elements);
        outputs->kept[i] = (struct kernel_kept){0};
    }
}

void kernel_outputs_close(struct kernel_outputs *outputs)
{
    kernel_outputs_begin(outputs);
    if (outputs->file != NULL)
        fclose(outputs->file);
}

/* Sets *number to a random number other than 0. */
static bool draw(struct lab_device *device, uint64_t *number)
{
    *number = 0;
    while (*number == 0)
        if (getrandom(number, sizeof *number, 0) != (ssize_t)sizeof *number)
            return lab_error_set(&device->error, LAB_ERROR_FAILED, "", "The system has no random numbers: %s.",
                                 strerror(errno));
    return true;
}

bool kernel_outputs_renew(struct kernel_job *job)
{
    uint64_t seed;
    return draw(job->device, &seed) && kernel_job_renew(job, seed);
}

/* Begins a record of the last launch of a job, with space for its elements. */
static bool begin_record(const struct kernel_job *job, uint64_t places, struct kernel_kept *kept)
{
    kept->record = (struct kernel_record){.point = job->point, .seed = job->buffers.seed, .places = places};
    kept->record.bytes = kernel_record_bytes(job->definition, &kept->record);
    free(kept->elements);
    kept->elements = malloc(kept->record.bytes);
    return kept->elements != NULL ||
           lab_error_set(&job->device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the outputs");
}

/* Copies the elements of a record. */
static bool read_elements(struct kernel_job *job, const struct kernel_kept *kept)
{
    unsigned char *to = kept->elements;
    bool good = kernel_job_collect(job);
    for (size_t i = 0, buffer = 0; i < job->definition->argument_count; i++) {
        const struct kernel_argument *argument = &job->definition->arguments[i];
        uint32_t size = kernel_type_bytes(argument->type);
        size_t pieces = kernel_is_output(argument) ? kernel_piece_count(&kept->record) : 0;
        for (size_t k = 0; good && k < pieces; k++) {
            struct kernel_piece piece = kernel_piece_of(&kept->record, argument, buffer, k);
            good = kernel_job_get(job, buffer, piece.first * size, to, piece.count * size);
            to += piece.count * size;
        }
        buffer += kernel_has_elements(argument);
    }
    return good;
}

bool kernel_outputs_keep(struct kernel_outputs *outputs, struct kernel_job *job)
{
    uint64_t number, places, slot = outputs->counted++;
    if (!draw(job->device, &number) || !draw(job->device, &places))
        return false;
    if (slot >= KERNEL_KEPT_MAX)
        slot = number % outputs->counted;
    if (slot >= KERNEL_KEPT_MAX)
        return true;
    struct kernel_kept *kept = &outputs->kept[slot];
    return begin_record(job, places, kept) && read_elements(job, kept);
}

static bool write_record(const struct kernel_outputs *outputs, const struct kernel_job *job,
                         const struct kernel_kept *kept)
{
    return (fwrite(&kept->record, sizeof kept->record, 1, outputs->file) == 1 &&
            fwrite(kept->elements, 1, kept->record.bytes, outputs->file) == kept->record.bytes &&
            fflush(outputs->file) == 0) ||
           lab_error_set(&job->device->error, LAB_ERROR_FAILED, "", "The outputs cannot be written to their file: %s.",
                         strerror(errno));
}

static bool synchronize(struct lab_device *device, struct lab_stream *stream)
{
    const struct lab_runtime *runtime = device->runtime;
    return runtime->waiting != NULL ? runtime->waiting->synchronize(device)
                                    : runtime->stream_synchronize(device, stream);
}

bool kernel_outputs_write(struct kernel_outputs *outputs, struct kernel_job *job, const struct lab_lane *lane)
{
    struct kernel_kept whole = {0};
    for (size_t i = 0; i < KERNEL_KEPT_MAX && outputs->kept[i].elements != NULL; i++)
        if (!write_record(outputs, job, &outputs->kept[i]))
            return false;
    bool good = kernel_outputs_renew(job) && lab_kernels_enqueue(&job->kernels, lane) &&
                synchronize(job->device, lane->stream) && begin_record(job, 0, &whole) && read_elements(job, &whole) &&
                write_record(outputs, job, &whole);
    free(whole.elements);
    return good;
}
