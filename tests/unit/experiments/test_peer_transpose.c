/* kernels/experiments/multi_gpu/peer_transpose: the shapes of a request, the correct transpose in every variant on two
 * and three devices, and detection of wrong results.
 */
#include "experiments/multi_gpu/peer_transpose/job.h"
#include "support/peer_harness.h"
#include "support/test.h"

AROUND_EACH_TEST(.setup = open_peers, .teardown = close_devices)

/* --- the plan ----------------------------------------------------------------------------------------------------- */

TEST(each_shape_has_baselines_and_variants)
{
    /* the local transposes; with peer access the copies alone and three variants, without it not the variant direct */
    expect_points_on("peer-transpose", "{}", 2, 1 + 4 + 3);
    /* the variant direct only writes */
    expect_points_on("peer-transpose", "{\"access\": [\"read\", \"write\"]}", 2, 1 + (3 + 4) + (3 + 3));
    expect_points_on("peer-transpose", "{\"variant\": \"direct\", \"peer_access\": false}", 2, 1 + 1);
    expect_points_on("peer-transpose", "{\"n\": [512, 1024], \"chunks\": [1, 2, 4], \"peer_access\": true}", 3,
                     2 * 3 * (1 + 4));
    expect_points_on("peer-transpose", "{\"variant\": \"overlapped\", \"peer_access\": false, \"access\": \"read\"}", 2,
                     1 + 2);
}

/* The shape of the first point. */
static struct transpose_shape shape_of(const struct lab_parameters *parameters, size_t count)
{
    struct lab_points points;
    struct lab_errors errors = {0};
    const struct lab_device_facts *facts[LAB_RUN_DEVICES_MAX];
    for (size_t i = 0; i < count; i++)
        facts[i] = &devices[0]->facts;
    assert_true(lab_points_init(&points, parameters, facts, count, &errors));
    struct transpose_shape shape = transpose_shape_of(&points.items[0]);
    lab_points_release(&points);
    return shape;
}

static void expect_shape(const char *text, size_t count, struct transpose_shape wanted)
{
    struct lab_parameters *parameters = parse("peer-transpose", text);
    struct transpose_shape shape = shape_of(parameters, count);
    lab_parameters_free(parameters);
    assert_int_equal(shape.devices, wanted.devices);
    assert_int_equal(shape.chunks, wanted.chunks);
    assert_int_equal(shape.n, wanted.n);
    assert_int_equal(shape.width, wanted.width);
    assert_int_equal(shape.chunk_rows, wanted.chunk_rows);
}

TEST(n_is_rounded_to_whole_chunks)
{
    expect_shape("{\"n\": 1000, \"chunks\": 1}", 3, (struct transpose_shape){3, 999, 333, 1, 333});
    expect_shape("{\"n\": 1000, \"chunks\": 4}", 3, (struct transpose_shape){3, 996, 332, 4, 83});
    expect_shape("{\"n\": 1000, \"chunks\": 4, \"device_count\": 2}", 3,
                 (struct transpose_shape){2, 1000, 500, 4, 125});
    /* chunks 0: each device sends at least four chunks */
    expect_shape("{\"n\": 1024}", 2, (struct transpose_shape){2, 1024, 512, 4, 128});
    expect_shape("{\"n\": 1024}", 3, (struct transpose_shape){3, 1020, 340, 2, 170});
    expect_shape("{\"n\": 1024}", 8, (struct transpose_shape){8, 1024, 128, 1, 128});
    /* n 0: 8192 on a CPU */
    expect_shape("{}", 3, (struct transpose_shape){3, 8190, 2730, 2, 1365});
}

TEST(memory_counts_parts_results_and_blocks_to_send)
{
    struct plan plan = plan_on("peer-transpose", "{\"n\": 1024}", 4, PLAN_MEMORY);
    assert_true(plan.good);
    assert_int_equal(plan.estimate.device_bytes, 2 * 1024 * 256 * 4 + 3 * 256 * 256 * 4);
    assert_int_equal(plan.estimate.host_bytes, 0);
}

TEST(the_duration_follows_the_points_and_the_budget)
{
    expect_duration("peer-transpose", "{\"n\": 64}", 0.7, 3);
    expect_duration("peer-transpose", "{\"n\": [16384, 65536]}", 12, 17);
}

TEST(invalid_requests_are_refused_with_a_pointer)
{
    expect_refusal_on("peer-transpose", "{\"device_count\": 1}", 2, "out-of-bounds", "/parameters/device_count");
    expect_refusal_on("peer-transpose", "{\"device_count\": 3}", 2, "out-of-bounds", "/parameters/device_count");
    expect_refusal_on("peer-transpose", "{\"n\": [64, 7], \"chunks\": 4}", 2, "out-of-bounds", "/parameters/n/1");
    expect_refusal_on("peer-transpose", "{\"n\": [5]}", 3, "out-of-bounds", "/parameters/n/0");
    assert_true(plan_on("peer-transpose", "{\"n\": 6}", 3, PLAN_MEMORY).good);
    expect_refusal_on("peer-transpose", "{\"n\": 20480}", 2, "exceeds-memory", "/parameters/n");
}

/* --- the job ------------------------------------------------------------------------------------------------------ */

/* The transpose under test, and the parameters and run that it refers to. */
static struct transpose setup;
static struct transpose_job job = {.transpose = &setup};
static struct lab_parameters *setup_parameters;
static struct lab_run setup_run;

static void open_setup(const char *text, size_t count)
{
    setup_parameters = parse("peer-transpose", text);
    setup_run = (struct lab_run){.parameters = setup_parameters, .device_count = count, .cancel = &cancel};
    memcpy(setup_run.devices, devices, count * sizeof devices[0]);
    struct transpose_shape shape = shape_of(setup_parameters, count);
    if (!transpose_open(&setup, &setup_run) || !transpose_prepare(&setup, &shape))
        fail_msg("%s", setup_run.error.detail);
}

static void close_setup(void)
{
    transpose_close(&setup);
    lab_parameters_free(setup_parameters);
}

/* Runs a variant once and returns the number of words that its verification finds wrong. */
static uint64_t run_variant(enum transpose_variant variant)
{
    uint64_t wrong;
    job.variant = variant;
    if (!transpose_poison(&job) || !transpose_enqueue(&job))
        fail_msg("%s", devices[0]->error.detail);
    for (size_t d = 0; d < setup.devices; d++)
        assert_true(setup.runtime->stream_synchronize(setup.lanes[d].device, setup.lanes[d].stream));
    if (!transpose_verify(&job, &wrong))
        fail_msg("%s", devices[0]->error.detail);
    return wrong;
}

/* The word of the matrix at a row and a column; the column determines its device. */
static uint32_t matrix_word(size_t row, size_t column)
{
    size_t width = setup.shape.width;
    return lab_pattern_word(row * width + column % width, setup.seed + column / width);
}

/* Checks the results independently of the experiment's verification. The memory of host devices can be read
 * directly. */
static void expect_transposed(void)
{
    for (size_t row = 0; row < setup.shape.n; row++)
        for (size_t column = 0; column < setup.shape.n; column++) {
            size_t width = setup.shape.width;
            const uint32_t *result = setup.results[column / width];
            if (result[row * width + column % width] != matrix_word(column, row))
                fail_msg("row %zu, column %zu of %zu on %zu devices in %zu chunks", row, column, setup.shape.n,
                         setup.devices, setup.shape.chunks);
        }
}

TEST(every_variant_computes_the_transpose)
{
    static const char *const requests[] = {
        "{\"n\": 64, \"chunks\": 1, \"streams\": 1}", "{\"n\": 100, \"chunks\": 4, \"streams\": 2}",
        "{\"n\": 333, \"chunks\": 3, \"streams\": 5}", "{\"n\": 6, \"chunks\": 1, \"streams\": 3}",
        "{\"n\": 1000, \"chunks\": 0, \"streams\": 2}"};
    for (size_t count = 2; count <= DEVICES; count++)
        for (size_t r = 0; r < 2 * sizeof requests / sizeof *requests; r++) {
            open_setup(requests[r / 2], count);
            setup.reads = r % 2 == 1;
            for (int variant = TRANSPOSE_SEQUENTIAL; variant <= TRANSPOSE_DIRECT; variant++) {
                assert_int_equal(run_variant((enum transpose_variant)variant), 0);
                expect_transposed();
            }
            close_setup();
        }
}

TEST(a_device_beyond_device_count_takes_no_part)
{
    open_setup("{\"n\": 128, \"device_count\": 2}", 3);
    assert_int_equal(setup.devices, 2);
    assert_int_equal(run_variant(TRANSPOSE_OVERLAPPED), 0);
    expect_transposed();
    assert_null(setup.results[2]);
    close_setup();
}

/* Overwrites the results and runs a baseline, which must write its half of them correctly. */
static void run_baseline(enum transpose_variant variant)
{
    for (size_t d = 0; d < setup.devices; d++)
        memset(setup.results[d], 0xff, transpose_part_bytes(&setup.shape));
    assert_int_equal(run_variant(variant), 0);
}

TEST(each_baseline_does_its_half)
{
    open_setup("{\"n\": 96, \"chunks\": 2}", 3);
    size_t block = transpose_block_bytes(&setup.shape) / 4;
    run_baseline(TRANSPOSE_LOCAL);
    assert_int_equal(transpose_operations(&setup, job.variant), 3 * (2 * 2 + 1));
    run_baseline(TRANSPOSE_ALL_TO_ALL); /* sends the blocks of the previous local transposes */
    assert_int_equal(transpose_operations(&setup, job.variant), 3 * 2 * 2);
    /* a baseline alone does not compute the complete transpose */
    uint64_t wrong;
    job.variant = TRANSPOSE_OVERLAPPED;
    assert_true(transpose_verify(&job, &wrong));
    assert_int_equal(wrong, 3 * block);
    run_baseline(TRANSPOSE_LOCAL);
    job.variant = TRANSPOSE_SEQUENTIAL;
    assert_true(transpose_verify(&job, &wrong));
    assert_int_equal(wrong, 6 * block);
    assert_int_equal(transpose_operations(&setup, job.variant), 3 * (2 * 2 + 1 + 2 * 2));
    job.variant = TRANSPOSE_DIRECT;
    assert_int_equal(transpose_operations(&setup, job.variant), 3);
    close_setup();
}

TEST(consecutive_jobs_are_correct)
{
    uint64_t wrong;
    for (int reads = 0; reads <= 1; reads++) {
        open_setup("{\"n\": 300, \"chunks\": 2}", 3);
        setup.reads = reads;
        job.variant = TRANSPOSE_OVERLAPPED;
        assert_true(transpose_poison(&job));
        for (size_t i = 0; i < 5; i++)
            assert_true(transpose_enqueue(&job));
        for (size_t d = 0; d < setup.devices; d++)
            assert_true(setup.runtime->stream_synchronize(setup.lanes[d].device, setup.lanes[d].stream));
        assert_true(transpose_verify(&job, &wrong));
        assert_int_equal(wrong, 0);
        expect_transposed();
        close_setup();
    }
}

/* --- copies between devices --------------------------------------------------------------------------------------- */

static size_t lost;    /* number of the copy, from 1, that moves nothing; 0: none */
static size_t swapped; /* number of the copy that goes to the destination of the next one; 0: none */

static bool corrupting_copy(const struct lab_lane *lane, struct lab_device *target, void *destination,
                            struct lab_device *source, const void *from, size_t bytes)
{
    char *to = destination;
    assert_true(lane->device == (setup.reads ? target : source));
    return watch.copies == lost ||
           lab_host_runtime.peer->copy(lane, target, watch.copies == swapped ? to + bytes : to, source, from, bytes);
}

static void corrupt_copies(size_t lost_copy, size_t swapped_copy)
{
    watch_peers();
    watch.copy = corrupting_copy;
    lost = lost_copy;
    swapped = swapped_copy;
}

TEST(in_each_step_every_device_sends_to_another)
{
    corrupt_copies(0, 0);
    open_setup("{\"n\": 96, \"chunks\": 2}", 3);
    for (int turn = 0; turn <= 2 * TRANSPOSE_ALL_TO_ALL + 1; turn++) {
        int variant = turn / 2;
        setup.reads = turn % 2 == 1;
        if (variant == TRANSPOSE_DIRECT)
            continue;
        watch.copies = 0;
        assert_int_equal(run_variant((enum transpose_variant)variant), 0);
        assert_int_equal(watch.copies, 2 * 2 * 3);
        for (size_t i = 0; i < watch.copies; i++) {
            size_t step = i / (2 * 3) + 1; /* each of three devices sends two chunks per step */
            assert_int_equal(watch.from[i], i % 3);
            assert_int_equal(watch.to[i], (i % 3 + step) % 3);
        }
    }
    close_setup();
}

TEST(lost_and_misplaced_chunks_are_detected)
{
    corrupt_copies(3, 0);
    open_setup("{\"n\": 96, \"chunks\": 2, \"streams\": 1}", 2);
    size_t chunk = setup.shape.chunk_rows * setup.shape.width;
    assert_int_equal(run_variant(TRANSPOSE_OVERLAPPED), chunk);
    assert_int_equal(run_variant(TRANSPOSE_OVERLAPPED), 0);
    /* chunk 1 is sent to the destination of the next chunk, which overwrites it; its own destination keeps the
     * poison */
    corrupt_copies(0, 1);
    assert_int_equal(run_variant(TRANSPOSE_SEQUENTIAL), chunk);
    close_setup();
}

/* The kernels write to all devices; nothing is copied, and no memory for blocks to send is used. */
TEST(direct_transposes_need_no_copies)
{
    watch_peers();
    open_setup("{\"n\": 333, \"chunks\": 3}", 3);
    for (size_t d = 0; d < setup.devices; d++)
        memset(setup.results[d], 0xff, transpose_part_bytes(&setup.shape));
    memset(setup.staging[1], 0x5a, transpose_block_bytes(&setup.shape));
    assert_int_equal(run_variant(TRANSPOSE_DIRECT), 0);
    assert_int_equal(watch.copies, 0);
    expect_transposed();
    for (size_t i = 0; i < transpose_block_bytes(&setup.shape); i++)
        assert_int_equal(((unsigned char *)setup.staging[1])[i], 0x5a);
    uint32_t *result = setup.results[1];
    result[0]++; /* a word that device 0 has written */
    uint64_t wrong;
    assert_true(transpose_verify(&job, &wrong));
    assert_int_equal(wrong, 1);
    close_setup();
}

TEST(an_untransposed_block_is_detected)
{
    open_setup("{\"n\": 64, \"chunks\": 1}", 2);
    size_t width = setup.shape.width, side = width * width;
    assert_int_equal(run_variant(TRANSPOSE_OVERLAPPED), 0);
    /* the block of device 1 is sent without transposing: all elements except its diagonal are wrong */
    memcpy((uint32_t *)setup.results[0] + side, setup.parts[1], side * 4);
    uint64_t wrong;
    assert_true(transpose_verify(&job, &wrong));
    assert_int_equal(wrong, side - width);
    close_setup();
}
