/* kernels/benchmark: textures, variables of the image, and what the runtime says of a kernel. Host devices have none of
 * these, so the tests give them to the table of the host runtime. */
#include "benchmark/check.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

#include <stdatomic.h>

enum { ROWS = 4, COLUMNS = 16, ELEMENTS = ROWS * COLUMNS, BYTES = 4 * ELEMENTS, HANDLE_OFFSET = 1000 };

#define FEW "\"min_samples\": 3, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

/* --- the table ---------------------------------------------------------------------------------------------------- */

static uint32_t *variable; /* the variable "table" of the image */
static struct {
    void *elements;
    struct lab_texture_shape shape;
} textures[LAB_BUFFERS_MAX];
static size_t created, released;

/* The handle is the index of the texture. */
static struct lab_texture *create_texture(struct lab_device *device, void *elements,
                                          const struct lab_texture_shape *shape, uint64_t *handle)
{
    (void)device;
    assert_true(created < LAB_BUFFERS_MAX);
    textures[created].elements = elements;
    textures[created].shape = *shape;
    *handle = HANDLE_OFFSET + created;
    return (struct lab_texture *)&textures[created++];
}

static void release_texture(struct lab_device *device, struct lab_texture *texture)
{
    (void)device;
    assert_ptr_equal(texture, &textures[released++]);
}

static bool find_variable(struct lab_device *device, struct lab_module *module, const char *name, void **address,
                          size_t *bytes)
{
    (void)device, (void)module;
    assert_string_equal(name, "table");
    *address = variable;
    *bytes = BYTES;
    return true;
}

static bool attributes_of(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                          struct lab_kernel_attributes *attributes)
{
    (void)device, (void)kernel, (void)launch;
    *attributes = (struct lab_kernel_attributes){.registers = 40, .local_bytes = 256, .occupancy = 0.75};
    return true;
}

static struct lab_runtime_module module_table;
static struct lab_runtime table;

static int open_with_table(void **state)
{
    struct lab_device *device = open_with(0, NULL);
    module_table = *runtime->module;
    module_table.texture_create = create_texture;
    module_table.texture_free = release_texture;
    module_table.global = find_variable;
    module_table.attributes = attributes_of;
    table = *runtime;
    table.module = &module_table;
    device->runtime = &table;
    variable = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    created = released = 0;
    *state = device;
    return 0;
}

static int close_with_table(void **state)
{
    runtime->free(*state, LAB_MEMORY_DEVICE, variable);
    return close_one(state);
}

/* --- the benchmark: the sum of what a texture or an address and a variable hold ----------------------------------- */

static void add(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *from = arguments[0].pointer;
    uint32_t *to = arguments[1].pointer;
    if (part->index != 0)
        return;
    if (arguments[2].u32 > 0) {
        size_t texture = arguments[0].u64 - HANDLE_OFFSET, rows = arguments[2].u32;
        assert_int_equal(textures[texture].shape.extent[1], rows > 1 ? rows : 0);
        assert_int_equal(textures[texture].shape.extent[0] * rows, ELEMENTS);
        from = textures[texture].elements;
    }
    for (size_t i = 0; i < ELEMENTS; i++)
        to[i] = from[i] + variable[i];
}

static uint32_t expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)parameters;
    return lab_pattern_word(i, seed) + lab_pattern_word(i, seed + 1);
}

LAB_CHECK_HOST(module_check, expected)

static const struct lab_host_kernel host_kernels[] = {{"add", add}, {"check", host_module_check}, {NULL, NULL}};
static const struct lab_image image = {"module", NULL, host_kernels};

/* The kernel of another image, which has the same name. */
static atomic_int other_calls;

static void add_of_other(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    other_calls++;
    add(part, arguments);
}

enum { ROWS_OF_OTHER = 8 }; /* the workload with so many has the other image */
static const struct lab_host_kernel other_kernels[] = {{"add", add_of_other}, {NULL, NULL}};
static const struct lab_image other_image = {"other", NULL, other_kernels};

static const struct lab_schema parameters[] = {
    {.name = "rows", .type = LAB_TYPE_SIZE, .count = LAB_ONE_OR_LIST, .minimum = 0, .maximum = 8, .fallback = "[0]"},
    {.name = NULL},
};
static const struct lab_axis axes[] = {{.name = "rows", .title = "Rows"}, {.name = NULL}};
static const struct lab_metric metrics[] = {
    {.name = "time", .unit = "s", .counter = LAB_COUNT_SECONDS},
    {.name = "registers", .unit = "1"},
    {.name = "local_bytes", .unit = "B"},
    {.name = NULL},
};

static void describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload)
{
    size_t rows = (size_t)point->values[0];
    size_t in = lab_workload_input(workload, BYTES, LAB_CONTENT_WORDS);
    (void)given, (void)device;
    workload->image = rows == ROWS_OF_OTHER ? &other_image : NULL;
    lab_workload_declare(workload, (struct lab_buffer){.bytes = BYTES, .global = "table"});
    size_t out = lab_workload_output(workload, BYTES);
    lab_workload_add_step(workload, "add");
    if (rows > 0)
        LAB_ARGUMENTS(workload, LAB_TEXTURE(in, lab_texture_of_words(ELEMENTS / rows, rows)));
    else
        LAB_ARGUMENTS(workload, LAB_BUFFER(in));
    LAB_ARGUMENTS(workload, LAB_BUFFER(out), LAB_U32(rows));
    lab_workload_launch(workload, 1, 1);
    workload->check = (struct lab_workload_check){.kernel = "check", .buffer = out};
}

static const struct lab_benchmark benchmark = {.image = &image, .describe = describe};
FAKE_BENCHMARK(experiment, benchmark, .name = "module", .parameters = parameters, .axes = axes, .metrics = metrics)

/* A copy to the variable, or from it if there is a row. */
static void describe_copy(const struct lab_parameters *given, const struct lab_device_facts *device,
                          const struct lab_point *point, struct lab_workload *workload)
{
    struct lab_buffer source = {.memory = LAB_MEMORY_PINNED, .bytes = BYTES}, destination = source;
    struct lab_buffer *of_device = point->values[0] > 0 ? &source : &destination;
    (void)given, (void)device;
    *of_device = (struct lab_buffer){.bytes = BYTES, .global = "table"};
    destination.output = true;
    lab_workload_add_copy(workload,
                          (struct lab_workload_copy){.source = lab_workload_declare(workload, source),
                                                     .destination = lab_workload_declare(workload, destination)});
}

static const struct lab_benchmark of_copies = {.image = &image, .describe = describe_copy};
FAKE_BENCHMARK(copies, of_copies, .name = "copies", .parameters = parameters, .axes = axes, .metrics = metrics)

/* A variable may be in constant memory, which no operation of the device must write. */
static struct lab_plan *prepare_elsewhere(struct lab_device *device, const struct lab_operation *operation)
{
    assert_true(operation->kind == LAB_OPERATION_CHECK || operation->destination.address != variable);
    return runtime->prepare(device, operation);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST_WITH(a_kernel_gets_a_texture_of_a_buffer, struct lab_device *device, .setup = open_with_table,
          .teardown = close_with_table)
{
    struct results results;
    run_experiment(&experiment, device, "{\"rows\": [0, 1, 4]," FEW "}", &results);
    assert_true(results.good && !results.any_wrong);
    assert_true(find_reported(&results, "time", "4")->verified);
    assert_int_equal(created, 2);
    assert_int_equal(released, 2);
}

TEST_WITH(a_workload_may_have_an_image_of_its_own, struct lab_device *device, .setup = open_with_table,
          .teardown = close_with_table)
{
    struct results results;
    other_calls = 0;
    run_experiment(&experiment, device, "{\"rows\": [0]," FEW "}", &results);
    assert_int_equal(other_calls, 0);
    run_experiment(&experiment, device, "{\"rows\": [8]," FEW "}", &results);
    assert_true(find_reported(&results, "time", "8")->verified);
    int calls = other_calls;
    assert_true(calls > 0);
    run_experiment(&experiment, device, "{\"rows\": [0]," FEW "}", &results);
    assert_int_equal(other_calls, calls);
}

TEST_WITH(a_variable_of_the_image_is_filled, struct lab_device *device, .setup = open_with_table,
          .teardown = close_with_table)
{
    struct results results;
    memset(variable, 0, BYTES);
    run_experiment(&experiment, device, "{\"seed\": 5," FEW "}", &results);
    assert_true(find_reported(&results, "time", "")->verified);
    for (size_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(variable[i], lab_pattern_word(i, 6));
}

TEST_WITH(a_variable_is_copied_to_and_from_and_overwritten_by_copies, struct lab_device *device,
          .setup = open_with_table, .teardown = close_with_table)
{
    struct results results;
    memset(variable, 0, BYTES);
    table.prepare = prepare_elsewhere;
    run_experiment(&copies, device, "{\"rows\": [0, 1], \"seed\": 5," FEW "}", &results);
    assert_true(results.good && !results.any_wrong);
    assert_true(find_reported(&results, "time", "0")->verified);
    assert_true(find_reported(&results, "time", "1")->verified);
}

TEST_WITH(registers_and_local_memory_are_reported_where_they_are_metrics, struct lab_device *device,
          .setup = open_with_table, .teardown = close_one)
{
    struct results results;
    run_experiment(&experiment, device, "{" FEW "}", &results);
    assert_true(find_reported(&results, "registers", "")->summary.median == 40);
    assert_true(find_reported(&results, "local_bytes", "")->summary.median == 256);
    assert_null(find_reported(&results, "occupancy", ""));
}

TEST(an_array_of_a_texture_counts_as_memory)
{
    struct lab_workload workload = {0};
    describe(NULL, NULL, &(struct lab_point){{1}}, &workload);
    assert_int_equal(lab_workload_bytes(&workload, true), 3 * BYTES);
    workload = (struct lab_workload){0};
    describe(NULL, NULL, &(struct lab_point){{ROWS}}, &workload);
    assert_int_equal(lab_workload_bytes(&workload, true), 4 * BYTES);
}
