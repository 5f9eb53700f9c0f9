/* db/writer/records.c, write_records.c, results/read_results.c: measurements, spans, warnings and notes are read back
 * completely and in order. */
#include "support/store_harness.h"
#include "support/test.h"

#include <math.h>

struct kept_measurement {
    struct lab_measurement_row row;
    char axes[64], metric[32], unit[16], stop_reason[32], cache[16], peak[64], conditions[64], kernel[64], skipped[64],
        side[8], rounds[32];
};

struct kept_measurements {
    size_t count;
    struct kept_measurement items[16];
};

static void keep_measurement(void *context, const struct lab_measurement_row *row)
{
    struct kept_measurements *kept = context;
    assert_true(kept->count < sizeof kept->items / sizeof *kept->items);
    struct kept_measurement *item = &kept->items[kept->count++];
    item->row = *row;
#define KEEP(field) item->row.field = keep_text(item->field, sizeof item->field, row->field)
    KEEP(axes);
    KEEP(metric);
    KEEP(unit);
    KEEP(stop_reason);
    KEEP(cache);
    KEEP(peak);
    KEEP(conditions);
    KEEP(kernel);
    KEEP(skipped);
    KEEP(side);
    KEEP(rounds);
#undef KEEP
}

static void count_measurement(void *context, const struct lab_measurement_row *row)
{
    (void)row;
    ++*(size_t *)context;
}

static void running(struct lab_store *store, char id[LAB_RUN_ID_SIZE])
{
    add_plain_run(store, id);
    assert_int_equal(lab_store_start_run(store, id, 1, NULL), LAB_STORE_OK);
}

static void finished(struct lab_store *store, const char *id)
{
    assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL), LAB_STORE_OK);
}

static const double four_samples[] = {1.25, -0.0, 1e-300, 4.9e-324};

/* One row with every field set, one with as few as allowed. */
static const struct lab_measurement_row full = {.position = 77,
                                                .axes = "{\"bytes\":1024}",
                                                .metric = "bandwidth",
                                                .unit = "GB/s",
                                                .n = 4,
                                                .median = 1,
                                                .q1 = 2,
                                                .q3 = 3,
                                                .min = 4,
                                                .max = 5,
                                                .mean = 6,
                                                .stdev = 7,
                                                .noise = 8,
                                                .stop_reason = "converged",
                                                .verified = 1,
                                                .wrong = 0,
                                                .cache = "warm",
                                                .numa_node = 3,
                                                .peak = "{\"value\":64}",
                                                .conditions = "{\"power_w\":70}",
                                                .kernel = "{\"registers\":32}",
                                                .skipped = NULL,
                                                .side = "base",
                                                .rounds = "[1,2]",
                                                .sample_count = 4,
                                                .samples = four_samples};

static struct lab_measurement_row bare(void)
{
    return (struct lab_measurement_row){.axes = "{}",
                                        .metric = "time",
                                        .unit = "s",
                                        .median = NAN,
                                        .q1 = NAN,
                                        .q3 = NAN,
                                        .min = NAN,
                                        .max = NAN,
                                        .mean = NAN,
                                        .stdev = NAN,
                                        .noise = NAN,
                                        .verified = -1,
                                        .numa_node = INT64_MIN,
                                        .skipped = "no such memory"};
}

STORE_TEST(reads_back_every_field)
{
    char id[LAB_RUN_ID_SIZE];
    running(fixture->store, id);
    struct lab_measurement_row little = bare();
    lab_store_add_measurement(fixture->store, id, &full);
    lab_store_add_measurement(fixture->store, id, &little);
    finished(fixture->store, id);

    struct kept_measurements kept = {0};
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, SIZE_MAX, keep_measurement, &kept),
                     LAB_STORE_OK);
    assert_int_equal(kept.count, 2);
    const struct lab_measurement_row *row = &kept.items[0].row;
    assert_int_equal(row->position, 0);
    assert_string_equal(row->axes, full.axes);
    assert_string_equal(row->metric, "bandwidth");
    assert_string_equal(row->unit, "GB/s");
    assert_int_equal(row->n, 4);
    const double read[] = {row->median, row->q1, row->q3, row->min, row->max, row->mean, row->stdev, row->noise};
    for (int i = 0; i < 8; i++)
        assert_true(read[i] == i + 1);
    assert_string_equal(row->stop_reason, "converged");
    assert_int_equal(row->verified, 1);
    assert_int_equal(row->wrong, 0);
    assert_string_equal(row->cache, "warm");
    assert_int_equal(row->numa_node, 3);
    assert_string_equal(row->peak, full.peak);
    assert_string_equal(row->conditions, full.conditions);
    assert_string_equal(row->kernel, full.kernel);
    assert_null(row->skipped);
    assert_int_equal(row->sample_count, 4);
    assert_string_equal(row->side, "base");
    assert_string_equal(row->rounds, "[1,2]");

    row = &kept.items[1].row;
    assert_int_equal(row->position, 1);
    const double none[] = {row->median, row->q1, row->q3, row->min, row->max, row->mean, row->stdev, row->noise};
    for (int i = 0; i < 8; i++)
        assert_true(isnan(none[i]));
    assert_null(row->stop_reason);
    assert_int_equal(row->verified, -1);
    assert_null(row->cache);
    assert_int_equal(row->numa_node, INT64_MIN);
    assert_null(row->peak);
    assert_null(row->conditions);
    assert_null(row->kernel);
    assert_string_equal(row->skipped, "no such memory");
    assert_int_equal(row->sample_count, 0);
    assert_null(row->samples);
    assert_null(row->side);
    assert_null(row->rounds);
}

STORE_TEST(samples_are_read_in_parts)
{
    char id[LAB_RUN_ID_SIZE];
    double values[4];
    size_t total = 99;
    struct lab_measurement_row without = bare();
    running(fixture->store, id);
    lab_store_add_measurement(fixture->store, id, &full);
    lab_store_add_measurement(fixture->store, id, &without);
    finished(fixture->store, id);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 0, 4, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 4);
    assert_memory_equal(values, four_samples, sizeof four_samples);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 2, 1, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 4);
    assert_memory_equal(values, &four_samples[2], sizeof *values);
    assert_memory_equal(&values[1], &four_samples[1], sizeof *values); /* not written */
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 3, 4, values, &total), LAB_STORE_OK);
    assert_memory_equal(values, &four_samples[3], sizeof *values);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 4, 4, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 4);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 1, 0, 4, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 0);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 2, 0, 4, values, &total), LAB_STORE_NOT_FOUND);
}

STORE_TEST(samples_are_little_endian_on_the_disk)
{
    char id[LAB_RUN_ID_SIZE];
    running(fixture->store, id);
    lab_store_add_measurement(fixture->store, id, &full);
    finished(fixture->store, id);
    assert_int_equal(ask_file(fixture->path,
                              "SELECT hex(substr(content, 1, 8)) = '000000000000F43F' AND"
                              " length(content) = 32 FROM samples"),
                     1);
}

STORE_TEST(keeps_the_order_of_the_calls)
{
    char one[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    running(fixture->store, one);
    running(fixture->store, other);
    struct kept_measurements kept = {0};
    for (int i = 0; i < 12; i++) {
        char axes[32];
        struct lab_measurement_row row = bare();
        snprintf(axes, sizeof axes, "{\"bytes\":%d}", i);
        row.axes = axes;
        lab_store_add_measurement(fixture->store, i % 3 == 0 ? other : one, &row);
        memset(axes, 'x', sizeof axes - 1); /* the store has copied it */
        if (i == 5)
            sleep_ms(250); /* so that there are two groups */
    }
    finished(fixture->store, one);
    finished(fixture->store, other);
    assert_int_equal(lab_store_list_measurements(fixture->store, other, 0, SIZE_MAX, keep_measurement, &kept),
                     LAB_STORE_OK);
    assert_int_equal(kept.count, 4);
    for (size_t i = 0; i < kept.count; i++) {
        char axes[32];
        snprintf(axes, sizeof axes, "{\"bytes\":%zu}", 3 * i);
        assert_int_equal(kept.items[i].row.position, i);
        assert_string_equal(kept.items[i].axes, axes);
    }
}

STORE_TEST(groups_are_committed_without_a_call)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    struct lab_store_counts counts;
    running(fixture->store, id);
    uint64_t generation = lab_store_generation(fixture->store);
    for (int i = 0; i < 50; i++)
        lab_store_add_measurement(fixture->store, id, &full);
    double began = lab_clock_now();
    do {
        sleep_ms(5);
        lab_store_counts(fixture->store, &counts);
    } while (counts.pending_records > 0 && lab_clock_now() - began < 10);
    assert_int_equal(counts.pending_records, 0);
    assert_in_range(lab_store_generation(fixture->store) - generation, 50 + 1, 50 + 5); /* usually one group */
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.measurement_count, 50);
    assert_int_equal(kept.row.revision, 2);
}

static void count_span(void *context, const struct lab_span_row *row)
{
    (void)row;
    ++*(size_t *)context;
}

STORE_TEST(what_is_queued_is_read)
{
    char id[LAB_RUN_ID_SIZE];
    double values[4];
    size_t measurements = 0, spans = 0, samples = 0;
    running(fixture->store, id);
    uint64_t generation = lab_store_generation(fixture->store);
    lab_store_add_measurement(fixture->store, id, &full);
    assert_true(lab_store_generation(fixture->store) >
                generation); /* or an answer from before would be taken for this one */
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 0, 4, values, &samples), LAB_STORE_OK);
    assert_int_equal(samples, 4);
    lab_store_add_measurement(fixture->store, id, &full);
    lab_store_list_measurements(fixture->store, id, 0, SIZE_MAX, count_measurement, &measurements);
    assert_int_equal(measurements, 2);
    lab_store_add_span(fixture->store, id, &(struct lab_span_row){.lane = "stream 1", .kind = "compute", .axes = "{}"});
    lab_store_list_spans(fixture->store, id, 0, SIZE_MAX, count_span, &spans);
    assert_int_equal(spans, 1);
}

STORE_TEST(close_writes_what_is_pending)
{
    char id[LAB_RUN_ID_SIZE];
    size_t count = 0;
    running(fixture->store, id);
    lab_store_add_measurement(fixture->store, id, &full);
    reopen_store(fixture);
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, SIZE_MAX, count_measurement, &count),
                     LAB_STORE_OK);
    assert_int_equal(count, 1);
}

STORE_TEST(counts_wrong_measurements)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    struct lab_measurement_row wrong = full, unchecked = full;
    running(fixture->store, id);
    wrong.verified = 0;
    wrong.wrong = 1000;
    unchecked.verified = -1;
    lab_store_add_measurement(fixture->store, id, &wrong);
    lab_store_add_measurement(fixture->store, id, &full);
    lab_store_add_measurement(fixture->store, id, &unchecked);
    lab_store_add_measurement(fixture->store, id, &wrong);
    finished(fixture->store, id);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.measurement_count, 4);
    assert_int_equal(kept.row.wrong_count, 2);
    struct kept_measurements measurements = {0};
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, SIZE_MAX, keep_measurement, &measurements),
                     LAB_STORE_OK);
    assert_int_equal(measurements.items[0].row.verified, 0);
    assert_int_equal(measurements.items[0].row.wrong, 1000);
}

STORE_TEST(warnings_and_notes_become_arrays)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    running(fixture->store, id);
    lab_store_add_warning(fixture->store, id, "the \"L2\" holds it all");
    lab_store_add_warning(fixture->store, id, "второе");
    lab_store_add_note(fixture->store, id, "FAKE 1.2.3");
    lab_store_add_note(fixture->store, id, "multicast off");
    finished(fixture->store, id);
    get_run(fixture->store, id, &kept);
    assert_string_equal(kept.warnings, "[\"the \\\"L2\\\" holds it all\",\"второе\"]");
    assert_string_equal(kept.notes, "[\"FAKE 1.2.3\",\"multicast off\"]");
}

struct kept_spans {
    size_t count;
    struct lab_span_row rows[4];
    char lanes[4][16], labels[4][16], axes[4][16];
};

static void keep_span(void *context, const struct lab_span_row *row)
{
    struct kept_spans *kept = context;
    assert_true(kept->count < 4);
    size_t i = kept->count++;
    kept->rows[i] = *row;
    keep_text(kept->lanes[i], sizeof kept->lanes[i], row->lane);
    kept->rows[i].label = keep_text(kept->labels[i], sizeof kept->labels[i], row->label);
    kept->rows[i].axes = keep_text(kept->axes[i], sizeof kept->axes[i], row->axes);
}

STORE_TEST(spans_come_back_in_order)
{
    char id[LAB_RUN_ID_SIZE];
    running(fixture->store, id);
    const struct lab_span_row first = {"stream 1", "compute",     "chunk 0",      "{\"n\":1}",
                                       -5,         1000000000000, "{\"bytes\":4}"},
                              second = {"copy-up", "copy-up", NULL, NULL, 0, 1, NULL};
    lab_store_add_span(fixture->store, id, &first);
    lab_store_add_span(fixture->store, id, &second);
    finished(fixture->store, id);
    struct kept_spans kept = {0};
    assert_int_equal(lab_store_list_spans(fixture->store, id, 0, SIZE_MAX, keep_span, &kept), LAB_STORE_OK);
    assert_int_equal(kept.count, 2);
    assert_string_equal(kept.lanes[0], "stream 1");
    assert_string_equal(kept.labels[0], "chunk 0");
    assert_string_equal(kept.axes[0], "{\"n\":1}");
    assert_int_equal(kept.rows[0].start_ns, -5);
    assert_int_equal(kept.rows[0].end_ns, 1000000000000);
    assert_string_equal(kept.lanes[1], "copy-up");
    assert_null(kept.rows[1].label);
    assert_null(kept.rows[1].axes);
    assert_null(kept.rows[1].details);
}

struct kept_fields {
    size_t count;
    char content[4][32];
};

static void keep_field(void *context, const char *content)
{
    struct kept_fields *kept = context;
    assert_true(kept->count < 4);
    keep_text(kept->content[kept->count], sizeof kept->content[kept->count], content);
    kept->count++;
}

STORE_TEST(fields_come_back_in_order)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_fields all = {0}, second = {0};
    running(fixture->store, id);
    lab_store_add_field(fixture->store, id, "{\"name\":\"potential\"}");
    lab_store_add_field(fixture->store, id, "{\"name\":\"charge\"}");
    finished(fixture->store, id);
    assert_int_equal(lab_store_list_fields(fixture->store, id, 0, SIZE_MAX, keep_field, &all), LAB_STORE_OK);
    assert_int_equal(all.count, 2);
    assert_string_equal(all.content[0], "{\"name\":\"potential\"}");
    assert_int_equal(lab_store_list_fields(fixture->store, id, 1, 1, keep_field, &second), LAB_STORE_OK);
    assert_int_equal(second.count, 1);
    assert_string_equal(second.content[0], "{\"name\":\"charge\"}");
}

STORE_TEST(unknown_runs_have_no_results)
{
    const char *id = "0190c0de-0000-7000-8000-000000000000";
    char known[LAB_RUN_ID_SIZE];
    size_t count = 0;
    struct kept_spans spans = {0};
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, SIZE_MAX, count_measurement, &count),
                     LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_list_spans(fixture->store, id, 0, SIZE_MAX, keep_span, &spans), LAB_STORE_NOT_FOUND);
    add_plain_run(fixture->store, known);
    assert_int_equal(lab_store_list_measurements(fixture->store, known, 0, SIZE_MAX, count_measurement, &count),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_list_spans(fixture->store, known, 0, SIZE_MAX, keep_span, &spans), LAB_STORE_OK);
    assert_int_equal(count + spans.count, 0);
}

/* A measurement that violates the schema and one of an unknown run: the others are kept, and the loss is reported. */
STORE_TEST(rejected_records_are_reported)
{
    char id[LAB_RUN_ID_SIZE], message[200] = "";
    struct kept_run kept;
    struct lab_measurement_row broken = full;
    broken.metric = NULL;
    running(fixture->store, id);
    lab_store_add_measurement(fixture->store, id, &full);
    lab_store_add_measurement(fixture->store, id, &broken);
    lab_store_add_measurement(fixture->store, "0190c0de-0000-7000-8000-000000000000", &full);
    lab_store_add_measurement(fixture->store, id, &full);

    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 9, false, NULL, NULL),
                     LAB_STORE_LOST);
    assert_non_null(strstr(lab_store_message(fixture->store), "1 of the run's results"));
    assert_true(lab_store_healthy(fixture->store, message, sizeof message)); /* the warning was written */
    assert_non_null(strstr(message, "could not be stored"));
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_RUNNING);
    assert_int_equal(kept.row.measurement_count, 2);
    assert_non_null(strstr(kept.warnings, "could not be stored"));

    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_FAILED, 9, false, NULL, NULL), LAB_STORE_OK);
    struct kept_measurements measurements = {0};
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, SIZE_MAX, keep_measurement, &measurements),
                     LAB_STORE_OK);
    assert_int_equal(measurements.count, 2);
    assert_int_equal(measurements.items[1].row.position, 1);
}
