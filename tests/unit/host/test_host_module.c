/* kernels/host/module.c: kernels of an image that are C functions. */
#include "measure/clock.h"
#include "support/host_harness.h"
#include "support/test.h"

#include <sched.h>
#include <string.h>

enum { ELEMENTS = 1000 };

/* Writes `value` + index to the elements of its part, and counts the part. */
static void fill_part(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    uint64_t *to = arguments[0].pointer, begin, end;
    lab_host_part_range(part, arguments[1].u64, 8, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        to[i] += arguments[2].u64 + i;
    __atomic_fetch_add((uint64_t *)arguments[3].pointer, 1, __ATOMIC_RELAXED);
}

/* Writes what it gets of the launch and of arguments of each type. */
static void write_arguments(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    double *to = arguments[0].pointer;
    if (part->index != 0)
        return;
    to[0] = (double)arguments[1].u32;
    to[1] = (double)arguments[2].f32;
    to[2] = arguments[3].f64;
    to[3] = (double)part->launch->grid[0];
    to[4] = (double)part->launch->block[1];
    to[5] = ((const double *)arguments[4].pointer)[1];
}

/* Waits until all parts of the launch have begun, for at most 10 s, and counts the parts that have seen it. */
static void meet(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    size_t *begun = arguments[0].pointer, *met = begun + 1;
    double end = lab_now_s() + 10;
    __atomic_fetch_add(begun, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(begun, __ATOMIC_RELAXED) < part->count && lab_now_s() < end)
        sched_yield();
    __atomic_fetch_add(met, __atomic_load_n(begun, __ATOMIC_RELAXED) == part->count, __ATOMIC_RELAXED);
}

static const struct lab_host_kernel kernels[] = {
    {"fill", fill_part}, {"write_arguments", write_arguments}, {"meet", meet}, {NULL, NULL}};
static const struct lab_image image = {"test", NULL, kernels}, image_without_kernels = {"device-only", NULL, NULL};

static const struct lab_runtime_module *table(void)
{
    return runtime->module;
}

/* Launches a kernel of the image and waits for it. */
static void launch(struct lab_device *device, const char *name, const struct lab_launch *shape,
                   const struct lab_argument *arguments, size_t count, size_t times)
{
    struct lab_module *module = table()->load(device, &image);
    struct lab_stream *stream = runtime->stream_create(device);
    succeed(device, module != NULL);
    struct lab_kernel *kernel = table()->kernel(device, module, name);
    succeed(device, kernel != NULL);
    struct lab_plan *plan = table()->prepare(device, kernel, shape, arguments, count);
    succeed(device, plan != NULL);
    for (size_t i = 0; i < times; i++)
        succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    runtime->plan_free(device, plan);
    runtime->stream_free(device, stream);
    table()->unload(device, module);
}

TEST_WITH(a_launch_has_a_part_for_each_core_that_together_cover_all_elements, struct lab_device *device,
          .setup = open_one, .teardown = close_one)
{
    uint64_t *to = allocate(device, LAB_MEMORY_DEVICE, (ELEMENTS + 1) * sizeof *to), *parts = to + ELEMENTS;
    memset(to, 0, (ELEMENTS + 1) * sizeof *to);
    const struct lab_argument arguments[] = {lab_argument_pointer(to), lab_argument_u64(ELEMENTS), lab_argument_u64(5),
                                             lab_argument_pointer(parts)};
    launch(device, "fill", &(struct lab_launch){.grid = {1}, .block = {1}}, arguments, 4, 3);
    assert_int_equal(*parts, 3 * (uint64_t)device->facts.multiprocessors);
    for (uint64_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(to[i], 3 * (5 + i)); /* every element exactly once in each of the three launches */
    runtime->free(device, LAB_MEMORY_DEVICE, to);
}

DEVICE_TEST(the_parts_of_a_launch_run_at_the_same_time)
{
    size_t *counts = allocate(device, LAB_MEMORY_DEVICE, 2 * sizeof *counts);
    memset(counts, 0, 2 * sizeof *counts);
    const struct lab_argument argument = lab_argument_pointer(counts);
    launch(device, "meet", &(struct lab_launch){.grid = {1}, .block = {1}}, &argument, 1, 1);
    assert_int_equal(counts[1], device->facts.multiprocessors);
    runtime->free(device, LAB_MEMORY_DEVICE, counts);
}

DEVICE_TEST(arguments_and_launch_are_copied_to_the_kernel)
{
    double *to = allocate(device, LAB_MEMORY_DEVICE, 6 * sizeof *to);
    static const double large[2] = {0, 1.5};
    const struct lab_argument arguments[] = {lab_argument_pointer(to), lab_argument_u32(7), lab_argument_f32(0.5f),
                                             lab_argument_f64(-1e300), lab_argument_large(large, sizeof large)};
    launch(device, "write_arguments", &(struct lab_launch){.grid = {11}, .block = {32, 4}}, arguments, 5, 1);
    assert_true(to[0] == 7 && to[1] == 0.5 && to[2] == -1e300 && to[3] == 11 && to[4] == 4 && to[5] == 1.5);
    runtime->free(device, LAB_MEMORY_DEVICE, to);
}

DEVICE_TEST(what_is_missing_is_unsupported)
{
    assert_null(table()->load(device, &image_without_kernels));
    assert_int_equal(device->error.code, LAB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(device->error.detail, "device-only"));

    struct lab_module *module = table()->load(device, &image);
    assert_null(table()->kernel(device, module, "subtract"));
    assert_int_equal(device->error.code, LAB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(device->error.detail, "subtract"));

    struct lab_kernel_attributes attributes;
    struct lab_kernel *kernel = table()->kernel(device, module, "fill");
    assert_false(table()->attributes(device, kernel, &(struct lab_launch){0}, &attributes));
    assert_int_equal(device->error.code, LAB_ERROR_UNSUPPORTED);
    table()->unload(device, module);
}

DEVICE_TEST(too_many_arguments_are_an_error)
{
    static const struct lab_argument arguments[LAB_ARGUMENTS_MAX + 1];
    struct lab_module *module = table()->load(device, &image);
    struct lab_kernel *kernel = table()->kernel(device, module, "fill");
    assert_null(table()->prepare(device, kernel, &(struct lab_launch){0}, arguments, LAB_ARGUMENTS_MAX + 1));
    assert_int_equal(device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    struct lab_plan *plan = table()->prepare(device, kernel, &(struct lab_launch){0}, arguments, LAB_ARGUMENTS_MAX);
    succeed(device, plan != NULL);
    runtime->plan_free(device, plan);
    table()->unload(device, module);
}

/* The ranges of all parts are adjacent, and begin at multiples of the unit. */
TEST(ranges_of_parts_are_a_partition)
{
    static const uint64_t totals[] = {0, 1, 7, 8, 9, 63, 64, 1000};
    for (size_t t = 0; t < sizeof totals / sizeof *totals; t++)
        for (size_t count = 1; count <= 7; count++) {
            uint64_t next = 0, begin, end;
            for (size_t i = 0; i < count; i++) {
                lab_host_part_range(&(struct lab_host_part){i, count, NULL}, totals[t], 8, &begin, &end);
                assert_int_equal(begin, next);
                assert_true(end >= begin && (begin % 8 == 0 || begin == totals[t]));
                next = end;
            }
            assert_int_equal(next, totals[t]);
        }
}
