/* kernels/experiments/memory/pitch: the workloads of the points, the figures that are computed, and the check of the
 * padding. */
#include "benchmark/benchmark.h"
#include "descriptor/points.h"
#include "experiments/memory/pitch/pitch.h"
#include "support/plan_harness.h"
#include "support/test.h"

/* The workload of arrays of 64 KiB. */
static struct lab_workload describe(const char *step, int row_bytes, int alignment)
{
    char request[160];
    struct lab_errors errors = {0};
    struct lab_points points;
    struct lab_workload workload = {0};
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    snprintf(request, sizeof request,
             "{\"step\": \"%s\", \"row_bytes\": %d, \"alignment\": %d, \"bytes\": 65536, \"load\": \"sustained\"}",
             step, row_bytes, alignment);
    struct lab_parameters *parameters = parse("pitch", request);
    lab_facts_clear(&facts);
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    assert_true(lab_points_init(&points, parameters, devices, 1, &errors));
    assert_int_equal(points.count, 1);
    parameters->experiment->benchmark->describe(parameters, &facts, &points.items[0], &workload);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return workload;
}

/* The value of a figure; 0 if the workload does not have it. */
static double figure(const struct lab_workload *workload, const char *metric)
{
    for (size_t i = 0; i < workload->figure_count; i++)
        if (strcmp(workload->figures[i].metric, metric) == 0)
            return workload->figures[i].value;
    return 0;
}

/* Packed rows of 1028 bytes have 8 requests of 128 bytes and one of 4: they touch 8 x 4 + 1 sectors in the first of 8
 * rows, and 8 x 5 + 1 in the others. */
TEST(sectors_depend_on_where_rows_begin)
{
    static const struct {
        const char *step;
        int row_bytes, alignment;
        double pitch, per_row, per_request; /* per_request 0: none, because a copy engine copies */
    } cases[] = {
        {"element", 1024, 4, 1024, 32, 4},
        {"element", 1028, 4, 1028, 33, (33 + 7 * 41) / (8 * 9.0)},
        {"element", 1028, 32, 1056, 33, 33 / 9.0},
        {"element", 1028, 512, 1536, 33, 33 / 9.0},
        {"element", 1000, 4, 1000, 32, (32 + 3 * 39) / (4 * 8.0)},
        {"element", 1000, 48, 1008, 32, (32 + 39) / (2 * 8.0)},
        {"element", 100, 4, 100, 4, 4},
        {"vector", 1024, 16, 1024, 32, 16},
        {"vector", 1028, 16, 1040, 33, (33 + 35) / (2 * 3.0)},
        {"copy-h2d", 1028, 128, 1152, 33, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload w = describe(cases[i].step, cases[i].row_bytes, cases[i].alignment);
        assert_string_equal(w.skipped, "");
        assert_float_equal(figure(&w, "pitch_bytes"), cases[i].pitch, 0);
        assert_float_equal(figure(&w, "sectors_per_row"), cases[i].per_row, 0);
        assert_float_equal(figure(&w, "sectors_per_request"), cases[i].per_request, 1e-9);
    }
}

/* 63 rows of 1028 bytes fit in 65536 bytes. */
TEST(padding_is_neither_counted_nor_written)
{
    enum { ROWS = 63, PITCH = 1152 / 4 };
    static const struct {
        const char *step;
        uint64_t copied; /* words of a row */
    } cases[] = {{"element", 257}, {"vector", 260}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload w = describe(cases[i].step, 1028, 128);
        assert_float_equal(w.counts[LAB_COUNT_BYTES], 2.0 * ROWS * 1028, 0);
        assert_int_equal(w.buffers[w.check.buffer].bytes, ROWS * PITCH * 4);
        for (uint64_t word = 0; word < 2 * PITCH; word++) {
            bool copied = word % PITCH < cases[i].copied;
            assert_int_equal(pitch_expected(word, 7, w.check.parameters),
                             lab_pattern_word(word, copied ? 7 : ~UINT64_C(7)));
        }
    }
}

TEST(copies_lead_from_packed_rows_to_padded_rows)
{
    static const struct {
        const char *step;
        enum lab_memory memory;
        int count; /* of each byte */
    } cases[] = {{"copy-d2d", LAB_MEMORY_DEVICE, 2}, {"copy-h2d", LAB_MEMORY_PINNED, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload w = describe(cases[i].step, 1028, 128);
        const struct lab_buffer *from = &w.buffers[w.copies[0].source], *to = &w.buffers[w.copies[0].destination];
        assert_int_equal(w.copy_count, 1);
        assert_int_equal(w.step_count, 0);
        assert_int_equal(from->memory, cases[i].memory);
        assert_int_equal(to->memory, LAB_MEMORY_DEVICE);
        assert_int_equal(from->pitch, 1028);
        assert_int_equal(to->pitch, 1152);
        assert_float_equal(w.counts[LAB_COUNT_BYTES], (double)cases[i].count * (double)from->bytes, 0);
    }
}

TEST(accesses_of_16_bytes_need_a_pitch_that_is_a_multiple)
{
    assert_string_equal(describe("vector", 1028, 4).skipped,
                        "the pitch of 1028 bytes is not a multiple of the 16 bytes of an access");
    assert_string_equal(describe("vector", 1024, 4).skipped, "");
    assert_string_equal(describe("vector", 1028, 16).skipped, "");
}

TEST(a_three_dimensional_copy_has_layers_of_32_rows)
{
    struct lab_workload workload = describe("copy-3d-h2d", 1000, 512);
    assert_string_equal(workload.skipped, "");
    assert_int_equal(workload.copies[0].layers, 2);
    assert_int_equal(workload.buffers[0].bytes, 64 * 1000);
    assert_int_equal(workload.buffers[1].pitch, 1024);
    assert_int_equal(describe("copy-h2d", 1000, 512).copies[0].layers, 0);
    assert_string_equal(describe("copy-3d-d2d", 4096, 512).skipped, "16 rows are no layer, which has 32");
}
