/* Copies measurements, spans, environments and other texts and queues them for the writer thread, which commits them in groups.
 */
#include "store_internal.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of the strings in each kind of record. */
static const size_t measurement_strings[] = {
    offsetof(struct lab_record, row.measurement.axes),       offsetof(struct lab_record, row.measurement.metric),
    offsetof(struct lab_record, row.measurement.unit),       offsetof(struct lab_record, row.measurement.stop_reason),
    offsetof(struct lab_record, row.measurement.cache),      offsetof(struct lab_record, row.measurement.peak),
    offsetof(struct lab_record, row.measurement.conditions), offsetof(struct lab_record, row.measurement.kernel),
    offsetof(struct lab_record, row.measurement.skipped),    offsetof(struct lab_record, row.measurement.side),
    offsetof(struct lab_record, row.measurement.rounds),
};
static const size_t span_strings[] = {
    offsetof(struct lab_record, row.span.lane),
    offsetof(struct lab_record, row.span.kind),
    offsetof(struct lab_record, row.span.label),
    offsetof(struct lab_record, row.span.axes),
};
static const size_t environment_strings[] = {
    offsetof(struct lab_record, row.environment.content),
    offsetof(struct lab_record, row.environment.key),
};
static const size_t text_strings[] = {offsetof(struct lab_record, row.text)};

static const char **string_of(struct lab_record *record, size_t offset)
{
    return (const char **)(void *)((char *)record + offset);
}

void lab_samples_copy(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        bits = htole64(bits);
        memcpy(&to[i], &bits, sizeof bits);
    }
}

/* Copies `draft` and everything it points to into one block of memory; NULL when out of memory. */
static struct lab_record *copy(struct lab_record *draft, const char *run, const size_t *strings, size_t string_count,
                               size_t sample_count)
{
    size_t bytes = sizeof *draft + sample_count * sizeof(double);
    for (size_t i = 0; i < string_count; i++)
        if (*string_of(draft, strings[i]) != NULL) /* NOLINT(clang-analyzer-core.*): the string at this offset is set */
            bytes += strlen(*string_of(draft, strings[i])) + 1;

    struct lab_record *record = malloc(bytes);
    if (record == NULL)
        return NULL;
    *record = *draft;
    record->bytes = bytes;
    snprintf(record->run, sizeof record->run, "%s", run);
    char *end = (char *)&record->content[sample_count];
    for (size_t i = 0; i < string_count; i++) {
        const char **string = string_of(record, strings[i]);
        if (*string == NULL)
            continue;
        size_t size = strlen(*string) + 1;
        *string = memcpy(end, *string, size);
        end += size;
    }
    return record;
}

void lab_store_add_measurement(struct lab_store *store, const char *run_id,
                               const struct lab_measurement_row *measurement)
{
    size_t samples = measurement->samples == NULL ? 0 : measurement->sample_count;
    struct lab_record draft = {.write = lab_write_measurement, .row.measurement = *measurement};
    struct lab_record *record =
        copy(&draft, run_id, measurement_strings, sizeof measurement_strings / sizeof *measurement_strings, samples);
    if (record != NULL && samples > 0) {
        lab_samples_copy(record->content, measurement->samples, samples);
        record->row.measurement.samples = record->content;
    }
    lab_writer_add(store, run_id, record);
}

void lab_store_add_span(struct lab_store *store, const char *run_id, const struct lab_span_row *span)
{
    struct lab_record draft = {.write = lab_write_span, .row.span = *span};
    lab_writer_add(store, run_id, copy(&draft, run_id, span_strings, sizeof span_strings / sizeof *span_strings, 0));
}

void lab_store_set_environment(struct lab_store *store, const char *id, const char *environment, const char *key)
{
    struct lab_record draft = {.write = lab_write_environment, .row.environment = {environment, key}};
    lab_writer_add(store, id, copy(&draft, id, environment_strings, 2, 0));
}

static void add_text(struct lab_store *store, const char *id, lab_write_record *write, const char *text)
{
    struct lab_record draft = {.write = write, .row.text = text};
    lab_writer_add(store, id, copy(&draft, id, text_strings, 1, 0));
}

void lab_store_set_headline(struct lab_store *store, const char *id, const char *headline)
{
    add_text(store, id, lab_write_headline, headline);
}

void lab_store_set_output(struct lab_store *store, const char *id, const char *output)
{
    add_text(store, id, lab_write_output, output);
}

void lab_store_add_warning(struct lab_store *store, const char *id, const char *warning)
{
    add_text(store, id, lab_write_warning, warning);
}

void lab_store_add_field(struct lab_store *store, const char *id, const char *content)
{
    add_text(store, id, lab_write_field, content);
}

void lab_store_add_note(struct lab_store *store, const char *id, const char *note)
{
    add_text(store, id, lab_write_note, note);
}
