/* Copies measurements, spans, environments and other texts and queues them for the writer thread, which commits them in
 * groups.
 */
#include "store_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* The members of records of environments and texts. Records of measurements and spans have the members of their rows
 * (store.h). */
static const struct lab_row_member environment_members[] = {
    {"content", LAB_FORM_TEXT, false,
     offsetof(struct lab_record, row.environment.content) - offsetof(struct lab_record, row)},
    {"key", LAB_FORM_TEXT, true, offsetof(struct lab_record, row.environment.key) - offsetof(struct lab_record, row)},
    {0},
};
static const struct lab_row_member text_members[] = {
    {"content", LAB_FORM_TEXT, false, offsetof(struct lab_record, row.text.content) - offsetof(struct lab_record, row)},
    {0},
};

/* Copies `draft` and everything it points to into one block of memory; NULL when out of memory. */
static struct lab_record *copy(struct lab_record *draft, const char *run, const struct lab_row_member *members,
                               size_t sample_count)
{
    size_t bytes = sizeof *draft + sample_count * sizeof(double) + lab_row_text_bytes(members, &draft->row);
    struct lab_record *record = malloc(bytes);
    if (record == NULL)
        return NULL;
    *record = *draft;
    record->bytes = bytes;
    snprintf(record->run, sizeof record->run, "%s", run);
    lab_row_copy_texts(members, &record->row, (char *)&record->content[sample_count]);
    return record;
}

void lab_store_add_measurement(struct lab_store *store, const char *run_id,
                               const struct lab_measurement_row *measurement)
{
    size_t samples = measurement->samples == NULL ? 0 : measurement->sample_count;
    struct lab_record draft = {.write = lab_write_measurement, .row.measurement = *measurement};
    struct lab_record *record = copy(&draft, run_id, lab_measurement_row_members, samples);
    if (record != NULL && samples > 0) {
        lab_samples_copy(record->content, measurement->samples, samples);
        record->row.measurement.samples = record->content;
    }
    lab_writer_add(store, run_id, record);
}

void lab_store_add_span(struct lab_store *store, const char *run_id, const struct lab_span_row *span)
{
    struct lab_record draft = {.write = lab_write_span, .row.span = *span};
    lab_writer_add(store, run_id, copy(&draft, run_id, lab_span_row_members, 0));
}

void lab_store_set_environment(struct lab_store *store, const char *id, const char *environment, const char *key)
{
    struct lab_record draft = {.write = lab_write_environment, .row.environment = {environment, key}};
    lab_writer_add(store, id, copy(&draft, id, environment_members, 0));
}

static void add_text(struct lab_store *store, const char *id, enum lab_text_kind kind, const char *text)
{
    struct lab_record draft = {.write = lab_write_text, .row.text = {kind, text}};
    lab_writer_add(store, id, copy(&draft, id, text_members, 0));
}

void lab_store_set_headline(struct lab_store *store, const char *id, const char *headline)
{
    add_text(store, id, LAB_TEXT_HEADLINE, headline);
}

void lab_store_set_messages(struct lab_store *store, const char *id, const char *messages)
{
    add_text(store, id, LAB_TEXT_MESSAGES, messages);
}

void lab_store_set_findings(struct lab_store *store, const char *id, const char *findings)
{
    add_text(store, id, LAB_TEXT_FINDINGS, findings);
}

void lab_store_add_output(struct lab_store *store, const char *id, const char *text)
{
    add_text(store, id, LAB_TEXT_OUTPUT, text);
}

void lab_store_add_warning(struct lab_store *store, const char *id, const char *warning)
{
    add_text(store, id, LAB_TEXT_WARNING, warning);
}

void lab_store_add_field(struct lab_store *store, const char *id, const char *content)
{
    add_text(store, id, LAB_TEXT_FIELD, content);
}

void lab_store_add_note(struct lab_store *store, const char *id, const char *note)
{
    add_text(store, id, LAB_TEXT_NOTE, note);
}
