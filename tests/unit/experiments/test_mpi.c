/* kernels/experiments/multi_gpu/mpi and its program: how data are divided among ranks, bytes and formulas, plans,
 * command lines, packing in host memory, and the inputs of an all-reduce.
 */
#include "descriptor/parameters.h"
#include "experiments/multi_gpu/mpi/block.h"
#include "experiments/multi_gpu/mpi/command.h"
#include "experiments/multi_gpu/mpi/geometry.h"
#include "experiments/multi_gpu/mpi/program/moves.h"
#include "experiments/multi_gpu/mpi/program/summand.h"
#include "host/host.h"
#include "support/host_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab_experiment lab_mpi;

/* --- geometry ----------------------------------------------------------------------------------------------------- */

TEST(sizes_are_rounded_to_what_an_operation_can_have)
{
    assert_int_equal(lab_mpi_round(LAB_MPI_PING_PONG, 2, 13), 13);
    assert_int_equal(lab_mpi_round(LAB_MPI_ALL_REDUCE, 3, 13), 12);
    assert_int_equal(lab_mpi_round(LAB_MPI_ALL_REDUCE, 3, 1), 4);
    assert_int_equal(lab_mpi_round(LAB_MPI_HALO, 2, 1), 4);
    assert_int_equal(lab_mpi_round(LAB_MPI_HALO, 2, 1048576), 1048576);       /* 512 x 512 elements */
    assert_int_equal(lab_mpi_round(LAB_MPI_HALO, 2, 1048575), 511 * 511 * 4); /* the next smaller square */
    assert_int_equal(lab_mpi_round(LAB_MPI_TRANSPOSE, 4, 1), 4 * 4);          /* a block of one element for each */
    assert_int_equal(lab_mpi_round(LAB_MPI_TRANSPOSE, 2, 1048576), 2 * 362 * 362 * 4);
    assert_int_equal(lab_mpi_round(LAB_MPI_JOB, 6, 1000), 6 * 41 * 4); /* equal parts of whole elements */
    assert_int_equal(lab_mpi_round(LAB_MPI_JOB, 6, 1), 6 * 4);
}

TEST(bandwidths_count_what_a_rank_sends)
{
    assert_true(lab_mpi_sent_bytes(LAB_MPI_PING_PONG, 8, 1000) == 1000);
    assert_true(lab_mpi_sent_bytes(LAB_MPI_HALO, 8, 1048576) == 4 * 512 * 4);
    assert_true(lab_mpi_sent_bytes(LAB_MPI_ALL_REDUCE, 2, 1000) == 1000);
    assert_true(lab_mpi_sent_bytes(LAB_MPI_ALL_REDUCE, 4, 1000) == 1500);
    assert_true(lab_mpi_sent_bytes(LAB_MPI_TRANSPOSE, 4, 1000) == 750);
    assert_true(lab_mpi_sent_bytes(LAB_MPI_JOB, 4, 1000) == 0);
}

TEST(devices_that_several_ranks_use_count_once)
{
    assert_int_equal(lab_mpi_job_devices(2, 2, 8), 4);
    assert_int_equal(lab_mpi_job_devices(2, 2, 4), 4);
    assert_int_equal(lab_mpi_job_devices(2, 2, 3), 3);
    assert_int_equal(lab_mpi_job_devices(4, 1, 1), 1);
}

TEST(grids_are_as_square_as_possible)
{
    static const size_t expected[][3] = {{2, 1, 2},  {4, 2, 2},  {6, 2, 3}, {7, 1, 7},
                                         {12, 3, 4}, {16, 4, 4}, {64, 8, 8}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct lab_mpi_grid grid = lab_mpi_grid(expected[i][0]);
        assert_int_equal(grid.rows, expected[i][1]);
        assert_int_equal(grid.columns, expected[i][2]);
    }
}

/* The neighbour on a side has this rank as its neighbour on the opposite side, and each rank is somebody's
 * neighbour. */
TEST(neighbours_agree)
{
    for (size_t ranks = 2; ranks <= LAB_MPI_RANKS_MAX; ranks++)
        for (int side = 0; side < LAB_MPI_SIDES; side++) {
            bool found[LAB_MPI_RANKS_MAX] = {false};
            for (size_t rank = 0; rank < ranks; rank++) {
                size_t neighbour = lab_mpi_neighbour(ranks, rank, (enum lab_mpi_side)side);
                assert_true(neighbour < ranks && !found[neighbour]);
                found[neighbour] = true;
                assert_int_equal(lab_mpi_neighbour(ranks, neighbour, lab_mpi_opposite((enum lab_mpi_side)side)), rank);
            }
        }
    assert_int_equal(lab_mpi_neighbour(6, 0, LAB_MPI_UP), 3); /* 2 rows of 3 */
    assert_int_equal(lab_mpi_neighbour(6, 0, LAB_MPI_LEFT), 2);
    assert_int_equal(lab_mpi_neighbour(6, 4, LAB_MPI_RIGHT), 5);
}

/* Edges lie within a domain and halos around it; of both together every element but the corners is on one line per
 * side. */
TEST(edges_and_halos_have_the_right_indices)
{
    enum { SIDE = 3, PITCH = SIDE + 2 };
    static const char *const expected[] = {".UUU.", "L***R", "L*.*R", "L***R", ".DDD."};
    static const char names[] = "UDLR";
    char found[PITCH][PITCH + 1];
    for (int row = 0; row < PITCH; row++)
        memcpy(found[row], ".....", PITCH + 1);
    for (int side = 0; side < LAB_MPI_SIDES; side++)
        for (size_t i = 0; i < SIDE; i++) {
            struct lab_mpi_line halo = lab_mpi_edge(SIDE, (enum lab_mpi_side)side, true);
            struct lab_mpi_line edge = lab_mpi_edge(SIDE, (enum lab_mpi_side)side, false);
            size_t at = halo.first + i * halo.step, inside = edge.first + i * edge.step;
            found[at / PITCH][at % PITCH] = names[side];
            found[inside / PITCH][inside % PITCH] = '*';
        }
    for (int row = 0; row < PITCH; row++)
        assert_string_equal(found[row], expected[row]);
}

/* --- packing and inputs ------------------------------------------------------------------------------------------- */

TEST(blocks_are_transposed_and_columns_packed)
{
    enum { SIDE = 37, PITCH = 40 };
    static uint32_t from[SIDE][PITCH], to[SIDE][SIDE], column[SIDE];
    for (uint32_t row = 0; row < SIDE; row++)
        for (uint32_t i = 0; i < PITCH; i++)
            from[row][i] = 1000 * row + i;
    const struct lab_region matrix = {from, 4 * SIDE, SIDE, 4 * PITCH};
    move_on_host(&(struct move){true, {to, 4 * SIDE, SIDE, 4 * SIDE}, matrix, NULL});
    move_on_host(&(struct move){false, {column, 4, SIDE, 4}, {&from[0][5], 4, SIDE, 4 * PITCH}, NULL});
    for (uint32_t row = 0; row < SIDE; row++) {
        assert_int_equal(column[row], 1000 * row + 5);
        for (uint32_t i = 0; i < SIDE; i++)
            assert_int_equal(to[i][row], 1000 * row + i);
    }
}

DEVICE_TEST(a_kernel_transposes_blocks)
{
    static const uint32_t sides[] = {1, 2, 31, 64, 100};
    enum { GAP = 3, SIDE_MAX = 100, WORDS = SIDE_MAX * (SIDE_MAX + GAP) };
    const struct lab_runtime_module *modules = runtime->module;
    struct lab_stream *stream = runtime->stream_create(device);
    struct lab_module *module = modules->load(device, &lab_mpi_image);
    struct lab_kernel *kernel = modules->kernel(device, module, "transpose_block");
    uint32_t *from = allocate(device, LAB_MEMORY_DEVICE, 4 * WORDS),
             *to = allocate(device, LAB_MEMORY_DEVICE, 4 * WORDS);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const uint32_t side = sides[i], pitch = side + GAP;
        const struct lab_argument arguments[] = {lab_argument_pointer(to), lab_argument_u64(4 * pitch),
                                                 lab_argument_pointer(from), lab_argument_u64(4 * side),
                                                 lab_argument_u32(side)};
        fill(device, stream, lab_region_of(from, 4 * WORDS), 7);
        memset(to, 0xff, 4 * WORDS);
        struct lab_plan *plan = modules->prepare(device, kernel, &(struct lab_launch){0}, arguments, 5);
        succeed(device,
                plan != NULL && runtime->enqueue(device, plan, stream) && runtime->stream_synchronize(device, stream));
        runtime->plan_free(device, plan);
        for (uint32_t row = 0; row < side; row++)
            for (uint32_t column = 0; column < pitch; column++)
                assert_int_equal(to[row * pitch + column], column < side ? from[column * side + row] : UINT32_MAX);
    }
    runtime->free(device, LAB_MEMORY_DEVICE, to);
    runtime->free(device, LAB_MEMORY_DEVICE, from);
    modules->unload(device, module);
    runtime->stream_free(device, stream);
}

/* In every order of addition, the sum is the pattern, to the bit. */
TEST(summands_add_up_to_the_pattern)
{
    static const uint32_t counts[] = {2, 3, LAB_MPI_RANKS_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t index = 0; index < 500; index++) {
            float up = 0, down = 0;
            for (uint32_t rank = 0; rank < counts[c]; rank++) {
                up += summand(index, 42, rank, counts[c]);
                down += summand(index, 42, counts[c] - 1 - rank, counts[c]);
            }
            assert_true(up == lab_pattern_float(index, 42));
            assert_true(down == up);
        }
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

static bool plan(const char *text, int64_t device_memory, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_device_facts facts;
    const struct lab_device_facts *devices[] = {&facts};
    json_t *given = json_loads(text, 0, NULL);
    *errors = (struct lab_errors){0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_mpi, given, errors);
    json_decref(given);
    lab_facts_clear(&facts);
    facts.total_memory_bytes = device_memory;
    bool good = parameters != NULL && lab_mpi.plan(parameters, devices, 1, estimate, errors);
    lab_parameters_free(parameters);
    return good;
}

TEST(a_plan_counts_points_and_memory)
{
    struct lab_estimate estimate;
    struct lab_errors errors;
    assert_true(plan("{\"min_bytes\": 1024, \"max_bytes\": 1048576, \"factor\": 1024, \"ranks\": [2, 4]}", 1 << 30,
                     &estimate, &errors));
    /* ranks, operations with two memories and the job with one and 1 or 2 devices, sizes */
    assert_int_equal(estimate.points, 2 * (4 * 2 + 2) * 2);
    assert_int_equal(estimate.device_bytes, 4 * 4 << 20); /* four ranks on one device, with four buffers each */
    assert_int_equal(estimate.host_bytes, 4 * 4 << 20);
    assert_true(plan("{\"memory\": \"host\"}", 0, &estimate, &errors));
    assert_int_equal(estimate.device_bytes, 0);
}

TEST(impossible_plans_are_refused)
{
    static const struct {
        const char *parameters, *pointer;
    } cases[] = {{"{\"min_bytes\": 2048, \"max_bytes\": 1024}", "/parameters/min_bytes"},
                 {"{\"ranks\": [1]}", "/parameters/ranks/0"},
                 {"{\"ranks\": [65]}", "/parameters/ranks/0"},
                 {"{\"launcher\": \"ssh\"}", "/parameters/launcher"},
                 {"{\"max_bytes\": 1048576}", "/parameters/max_bytes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_estimate estimate;
        struct lab_errors errors;
        assert_false(plan(cases[i].parameters, 1 << 20, &estimate, &errors));
        assert_string_equal(errors.items[0].pointer, cases[i].pointer);
    }
}

/* --- command lines ------------------------------------------------------------------------------------------------ */

/* The words, separated by spaces. */
static const char *command_line(bool slurm, enum lab_mpi_transport transport, bool as_root, bool host_file)
{
    static char text[LAB_MPI_TEXT_MAX];
    static struct lab_mpi_command command;
    struct lab_device device = {.runtime = &lab_host_runtime, .facts = {.id = "host-0-1234"}};
    struct lab_device *devices[] = {&device};
    const struct lab_mpi_programs programs = {slurm, "/bin/launcher", "/opt/gpulab-mpi"};
    const struct lab_mpi_job job = {3, transport, as_root, host_file, 1, devices};
    lab_mpi_command_write(&command, &programs, &job);
    text[0] = '\0';
    for (size_t i = 0; i < command.count; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, command.items[i]);
    }
    assert_null(command.items[command.count]);
    return text;
}

TEST(command_lines_bind_and_choose_the_transport)
{
    const struct lab_runtime_options options = {.host_devices = 2};
    struct lab_error error;
    assert_true(lab_host_runtime.start(&options, &error));
    assert_string_equal(command_line(false, LAB_MPI_AUTOMATIC, false, false),
                        "/usr/bin/env /bin/launcher --map-by core:OVERSUBSCRIBE --bind-to core:overload-allowed -n 3 "
                        "/opt/gpulab-mpi --runtime host --host-devices 2 host-0-1234");
    assert_string_equal(command_line(false, LAB_MPI_TCP, true, true),
                        "/usr/bin/env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 "
                        "OMPI_MCA_btl=tcp,self /bin/launcher --map-by core --bind-to core:overload-allowed -n 3 "
                        "/opt/gpulab-mpi --runtime host --host-devices 2 host-0-1234");
    assert_string_equal(command_line(true, LAB_MPI_SHARED, false, false),
                        "/usr/bin/env OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self /bin/launcher --mpi=pmix "
                        "--kill-on-bad-exit=1 --overlap --input=0 --cpu-bind=cores -n 3 "
                        "/opt/gpulab-mpi --runtime host --host-devices 2 host-0-1234");
    lab_host_runtime.stop();
}

TEST(missing_programs_are_named)
{
    struct lab_mpi_programs programs;
    struct lab_error error;
    assert_false(lab_mpi_find_programs(LAB_MPI_MPIRUN, &programs, &error)); /* it is not beside the tests */
    assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.detail, "gpulab-mpi is missing"));
}
