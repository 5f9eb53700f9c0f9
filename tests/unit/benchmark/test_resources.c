/* kernels/benchmark/resources.c, peer_access.c on devices of the host runtime: what is released, and when. */
#include "benchmark/peer_access.h"
#include "benchmark/resources.h"
#include "host/host.h"
#include "support/peer_harness.h"
#include "support/test.h"

AROUND_EACH_TEST(.setup = open_peers, .teardown = close_devices)

/* What was released, a letter for each: s stream, e event, m memory, i image, p plan; w: a stream was waited for. */
static char released[16];

static void log_letter(char what)
{
    size_t length = strlen(released);
    assert_true(length + 1 < sizeof released);
    released[length] = what;
}

static void release_stream(struct lab_device *device, struct lab_stream *stream)
{
    log_letter('s');
    lab_host_runtime.stream_free(device, stream);
}

static bool synchronize_stream(struct lab_device *device, struct lab_stream *stream)
{
    log_letter('w');
    return lab_host_runtime.stream_synchronize(device, stream);
}

static void release_event(struct lab_device *device, struct lab_event *event)
{
    log_letter('e');
    lab_host_runtime.event_free(device, event);
}

static void release_memory(struct lab_device *device, enum lab_memory kind, void *address)
{
    assert_int_equal(kind, LAB_MEMORY_PINNED);
    log_letter('m');
    lab_host_runtime.free(device, kind, address);
}

static void release_plan(struct lab_device *device, struct lab_plan *plan)
{
    log_letter('p');
    lab_host_runtime.plan_free(device, plan);
}

static void unload(struct lab_device *device, struct lab_module *module)
{
    log_letter('i');
    lab_host_runtime.module->unload(device, module);
}

static struct lab_runtime_module changed_module;
static struct lab_run run;
static struct lab_resources resources;

static void open_resources(void)
{
    changed.stream_free = release_stream;
    changed.stream_synchronize = synchronize_stream;
    changed.event_free = release_event;
    changed.free = release_memory;
    changed.plan_free = release_plan;
    changed_module = *lab_host_runtime.module;
    changed_module.unload = unload;
    changed.module = &changed_module;
    use_runtime(&changed);
    memset(released, 0, sizeof released);
    run = (struct lab_run){.device_count = DEVICES};
    memcpy(run.devices, devices, sizeof devices);
    resources = (struct lab_resources){.run = &run};
}

TEST(the_latest_are_released_first_after_all_streams_have_ended)
{
    open_resources();
    assert_non_null(lab_resources_stream(&resources, devices[0]));
    assert_non_null(lab_resources_event(&resources, devices[1]));
    size_t kept = resources.count;
    void *memory = lab_resources_memory(&resources, devices[0], LAB_MEMORY_PINNED, 64);
    assert_non_null(memory);
    const struct lab_operation fill = {.kind = LAB_OPERATION_FILL, .destination = lab_region_of(memory, 64)};
    assert_non_null(lab_resources_plan(&resources, devices[0], changed.prepare(devices[0], &fill)));
    lab_resources_release(&resources, kept);
    assert_string_equal(released, "wpm");
    lab_resources_release(&resources, kept);
    assert_string_equal(released, "wpm");
    lab_resources_release(&resources, 0);
    assert_string_equal(released, "wpmwes");
    assert_null(resources.items);
}

TEST(many_resources_are_kept)
{
    open_resources();
    changed.event_free = lab_host_runtime.event_free;
    for (size_t i = 0; i < 200; i++)
        assert_non_null(lab_resources_event(&resources, devices[i % DEVICES]));
    assert_int_equal(resources.count, 200);
    lab_resources_release(&resources, 0);
    assert_int_equal(resources.count, 0);
}

static struct lab_plan *refuse(struct lab_device *device)
{
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "refused by the test");
    return NULL;
}

TEST(a_failure_is_the_error_of_the_run)
{
    open_resources();
    assert_null(lab_resources_plan(&resources, devices[1], refuse(devices[1])));
    assert_int_equal(run.error.code, LAB_ERROR_UNSUPPORTED);
    assert_string_equal(run.error.detail, "refused by the test");
    assert_int_equal(resources.count, 0);
    lab_resources_release(&resources, 0);
    assert_string_equal(released, "");
}

static void double_number(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    if (part->index == 0)
        *(int *)arguments[0].pointer *= 2;
}

static const struct lab_host_kernel host_kernels[] = {{"double", double_number}, {NULL, NULL}};
static const struct lab_image image = {"of-the-test", NULL, host_kernels};

TEST(kernels_of_an_image_are_launched)
{
    int number = 21;
    const struct lab_launch launch = {.grid = {1}, .block = {1}};
    const struct lab_argument argument = lab_argument_pointer(&number);
    open_resources();
    struct lab_stream *stream = lab_resources_stream(&resources, devices[0]);
    struct lab_module *module = lab_resources_module(&resources, devices[0], &image);
    assert_non_null(module);
    struct lab_kernel *kernel = lab_resources_kernel(&resources, devices[0], module, "double");
    assert_non_null(kernel);
    struct lab_plan *plan = lab_resources_launch(&resources, devices[0], kernel, &launch, &argument, 1);
    assert_non_null(plan);
    assert_true(lab_host_runtime.enqueue(devices[0], plan, stream));
    assert_true(lab_host_runtime.stream_synchronize(devices[0], stream));
    assert_int_equal(number, 42);
    assert_null(lab_resources_kernel(&resources, devices[0], module, "treble"));
    assert_int_equal(run.error.code, LAB_ERROR_UNSUPPORTED);
    lab_resources_release(&resources, 0);
    assert_string_equal(released, "wpis");
}

TEST(a_runtime_without_modules_is_unsupported)
{
    open_resources();
    changed.module = NULL;
    assert_null(lab_resources_module(&resources, devices[0], &image));
    assert_int_equal(run.error.code, LAB_ERROR_UNSUPPORTED);
    assert_int_equal(resources.count, 0);
    lab_resources_release(&resources, 0);
}

/* --- peer access -------------------------------------------------------------------------------------------------- */

static size_t denials;

static bool fail_to_deny(struct lab_device *device, struct lab_device *other)
{
    denials++;
    return lab_error_set(&device->error, LAB_ERROR_DEVICE_LOST, "", "from %zu to %zu", place_of_device(device),
                         place_of_device(other));
}

TEST(access_is_allowed_once_and_denied_for_all_pairs)
{
    open_resources();
    struct lab_peer_access access = {.run = &run};
    watch_peers();
    for (int i = 0; i < 2; i++)
        assert_true(lab_peer_access_allow(&access, 0, 2));
    assert_int_equal(watch.allowances, 2);
    assert_true(lab_peer_access_is_allowed(&access, 2, 0));
    assert_false(lab_peer_access_is_allowed(&access, 0, 1));
    assert_true(lab_peer_access_deny(&access));
    assert_false(lab_peer_access_is_allowed(&access, 2, 0));
    expect_nothing_allowed();
}

TEST(a_failure_to_deny_does_not_end_denying_and_keeps_an_earlier_error)
{
    open_resources();
    struct lab_peer_access access = {.run = &run};
    changed_peer.deny = fail_to_deny;
    denials = 0;
    assert_false(lab_peer_access_deny(&access));
    assert_int_equal(denials, DEVICES * (DEVICES - 1));
    assert_string_equal(run.error.detail, "from 0 to 1");
    access = (struct lab_peer_access){.run = &run};
    lab_error_set(&run.error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
    assert_false(lab_peer_access_deny(&access));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
}

TEST(without_a_peer_table_nothing_is_denied)
{
    open_resources();
    struct lab_peer_access access = {.run = &run};
    changed.peer = NULL;
    assert_false(lab_peer_access_check(&run));
    assert_int_equal(run.error.code, LAB_ERROR_UNSUPPORTED);
    assert_true(lab_peer_access_deny(&access));
}
