/* server/jobs/devices.c: what a new description changes, and that telemetry does not disturb measurements. */
#include "jobs/devices.h"
#include "support/test.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct lab_devices_node nodes[] = {{"here", true}, {"there", false}};

static json_t *device(const char *id, const char *name)
{
    return json_pack("{s:s, s:i, s:s, s:s, s:{s:s}, s:[]}", "id", id, "ordinal", 0, "backend", "fake", "name", name,
                     "properties", "uuid", id, "peers");
}

/* A description of these devices; takes their references. */
static void update(struct lab_devices *devices, json_t *first, json_t *second)
{
    json_t *description = json_pack("{s:[o]}", "devices", first);
    if (second != NULL)
        json_array_append_new(json_object_get(description, "devices"), second);
    struct lab_error error = {0};
    assert_true(lab_devices_update(devices, 0, description, &error));
    json_decref(description);
}

static struct lab_devices *create(void)
{
    struct lab_devices *devices = lab_devices_create(nodes, 2);
    assert_non_null(devices);
    update(devices, device("a", "A"), device("b", "B"));
    return devices;
}

/* Compares the states with a text such as "a:available b:busy". A device with telemetry has its temperature behind the
 * state, "a:available:41", and a '?' if it is stale, "a:busy:41?". */
static void assert_states(struct lab_devices *devices, const char *wanted)
{
    char text[256] = "";
    json_t *json = lab_devices_json(devices), *item;
    size_t index;
    json_array_foreach(json_object_get(json, "devices"), index, item)
    {
        size_t length = strlen(text);
        const json_t *telemetry = json_object_get(item, "telemetry");
        snprintf(text + length, sizeof text - length, "%s%s:%s", index > 0 ? " " : "",
                 json_string_value(json_object_get(item, "id")), json_string_value(json_object_get(item, "state")));
        length = strlen(text);
        if (json_is_object(telemetry))
            snprintf(text + length, sizeof text - length, ":%d%s",
                     (int)json_integer_value(json_object_get(telemetry, "temperature_c")),
                     json_is_true(json_object_get(telemetry, "stale")) ? "?" : "");
    }
    assert_string_equal(text, wanted);
    json_decref(json);
}

/* A read function whose temperatures are 41, 42, … */
static json_t *read_rising(void *context, const char *uuid)
{
    int *reads = context;
    return strcmp(uuid, "none") == 0 ? NULL : json_pack("{s:i}", "temperature_c", 40 + ++*reads);
}

TEST(a_new_description_keeps_the_states)
{
    struct lab_devices *devices = create();
    json_t *ids = json_pack("[s]", "b");
    uint64_t generation = lab_devices_generation(devices);
    lab_devices_set_busy(devices, ids, 0);
    assert_true(lab_devices_generation(devices) > generation);
    assert_states(devices, "a:available b:busy");
    update(devices, device("c", "C"), device("b", "B again"));
    assert_states(devices, "c:available b:busy"); /* a was removed, and b kept its state */
    struct lab_device_facts facts;
    assert_true(lab_devices_find(devices, "b", &facts));
    assert_string_equal(facts.name, "B again");
    assert_false(lab_devices_find(devices, "a", NULL));
    lab_devices_set_idle(devices, ids);
    assert_states(devices, "c:available b:available");
    json_decref(ids);
    lab_devices_free(devices);
}

TEST(each_node_has_devices_of_its_own)
{
    struct lab_devices *devices = create();
    struct lab_error error = {0};
    char id[LAB_ID_MAX];
    json_t *there =
        json_pack("{s:[o,o], s:{s:s}}", "devices", device("c", "C"), device("d", "D"), "machine", "name", "m");
    json_t *same = json_pack("{s:[o,o]}", "devices", device("e", "E"), device("a", "A"));
    assert_true(lab_devices_update(devices, 1, there, &error));
    update(devices, device("b", "B"), NULL); /* changes the first node only */
    assert_states(devices, "b:available c:available d:available");
    assert_int_equal(lab_devices_node_of(devices, "d"), 1);
    assert_int_equal(lab_devices_node_of(devices, "a"), -1);
    assert_int_equal(lab_devices_node_named(devices, "there"), 1);
    assert_int_equal(lab_devices_node_named(devices, "nowhere"), -1);
    assert_true(lab_devices_available(devices, 1, 1, id));
    assert_string_equal(id, "d");
    assert_false(lab_devices_available(devices, 0, 1, id));
    json_t *node = lab_devices_node_json(devices, 1),
           *wanted = json_pack("{s:{s:s}, s:[s,s]}", "machine", "name", "m", "devices", "c", "d");
    assert_true(json_equal(node, wanted));
    update(devices, device("a", "A"), device("b", "B"));
    assert_false(lab_devices_update(devices, 1, same, &error)); /* it has a device of the first node */
    assert_int_equal(error.code, LAB_ERROR_SAME_MACHINE);
    assert_states(devices, "a:available b:available c:available d:available");
    int reads = 0;
    json_t *list = lab_devices_read_telemetry(devices, read_rising, &reads);
    assert_int_equal(json_array_size(list), 2); /* those of this machine */
    json_decref(list);
    json_decref(node);
    json_decref(wanted);
    json_decref(there);
    json_decref(same);
    lab_devices_free(devices);
}

TEST(a_malformed_description_changes_nothing)
{
    struct lab_devices *devices = create();
    json_t *wrong = json_pack("{s:[o,s]}", "devices", device("c", "C"), "d");
    json_t *empty = json_object();
    struct lab_error error = {0};
    assert_false(lab_devices_update(devices, 0, wrong, &error));
    assert_false(lab_devices_update(devices, 0, empty, &error));
    assert_false(lab_devices_update(devices, 0, NULL, &error));
    assert_int_equal(error.code, LAB_ERROR_WORKER_PROTOCOL);
    assert_states(devices, "a:available b:available");
    json_decref(wrong);
    json_decref(empty);
    lab_devices_free(devices);
}

TEST(an_unavailable_device_stays_listed_and_is_not_taken_by_default)
{
    struct lab_devices *devices = create();
    json_t *ids = json_pack("[s]", "a");
    char id[LAB_ID_MAX], reason[64];
    lab_devices_set_unavailable(devices, ids, "It hangs.");
    update(devices, device("b", "B"), NULL); /* the new description does not contain it */
    assert_states(devices, "b:available a:unavailable");
    assert_true(lab_devices_available(devices, 0, 0, id));
    assert_string_equal(id, "b");
    assert_false(lab_devices_available(devices, 0, 1, id));
    assert_true(lab_devices_is_unavailable(devices, "a", reason, sizeof reason));
    assert_string_equal(reason, "It hangs.");
    assert_true(lab_devices_is_unavailable(devices, "x", reason, sizeof reason));
    assert_false(lab_devices_is_unavailable(devices, "b", reason, sizeof reason));
    lab_devices_set_unavailable(devices, ids, NULL);
    assert_states(devices, "b:available a:available");
    json_decref(ids);
    lab_devices_free(devices);
}

TEST(the_telemetry_of_a_busy_device_is_not_read)
{
    struct lab_devices *devices = create();
    update(devices, device("a", "A"), device("none", "B"));
    json_t *ids = json_pack("[s]", "a");
    int reads = 0;
    json_decref(lab_devices_read_telemetry(devices, read_rising, &reads));
    assert_states(devices, "a:available:41 none:available");
    lab_devices_set_busy(devices, ids, 0);
    json_t *list = lab_devices_read_telemetry(devices, read_rising, &reads);
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
    assert_states(devices, "a:busy:41? none:available");
    lab_devices_set_idle(devices, ids);
    list = lab_devices_read_telemetry(devices, read_rising, &reads);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "id")), "a");
    json_decref(list);
    assert_states(devices, "a:available:42 none:available");
    json_decref(ids);
    lab_devices_free(devices);
}

/* A read function that returns only when the test allows it. */
struct slow_read {
    struct lab_devices *devices;
    int begun;   /* a pipe: the read writes a byte when it begins */
    int may_end; /* a pipe: it ends when it has read a byte */
};

static json_t *read_slowly(void *context, const char *uuid)
{
    const struct slow_read *slow = context;
    char byte = 'x';
    if (strcmp(uuid, "a") != 0)
        return NULL;
    assert_int_equal(write(slow->begun, &byte, 1), 1);
    assert_int_equal(read(slow->may_end, &byte, 1), 1);
    return json_pack("{s:i}", "temperature_c", 50);
}

static void *read_in_thread(void *context)
{
    struct slow_read *slow = context;
    json_decref(lab_devices_read_telemetry(slow->devices, read_slowly, slow));
    return NULL;
}

static void *end_read_later(void *context)
{
    usleep(100000);
    assert_int_equal(write(*(int *)context, "x", 1), 1);
    return NULL;
}

TEST(a_measurement_waits_until_a_read_has_ended)
{
    int begun[2], may_end[2];
    assert_int_equal(pipe(begun), 0);
    assert_int_equal(pipe(may_end), 0);
    struct slow_read slow = {create(), begun[1], may_end[0]};
    json_t *ids = json_pack("[s]", "a");
    pthread_t reader, ender;
    char byte;
    assert_int_equal(pthread_create(&reader, NULL, read_in_thread, &slow), 0);
    assert_int_equal(read(begun[0], &byte, 1), 1);
    update(slow.devices, device("b", "B"), NULL); /* the device is removed while it is read */
    assert_int_equal(pthread_create(&ender, NULL, end_read_later, &may_end[1]), 0);
    lab_devices_set_busy(slow.devices, ids, 20);
    assert_states(slow.devices, "b:available a:busy:50?"); /* the read has ended */
    pthread_join(ender, NULL);
    pthread_join(reader, NULL);

    /* lab_devices_set_busy waits at most wait_s, its last argument. */
    lab_devices_set_idle(slow.devices, ids);
    assert_int_equal(pthread_create(&reader, NULL, read_in_thread, &slow), 0);
    assert_int_equal(read(begun[0], &byte, 1), 1);
    lab_devices_set_busy(slow.devices, ids, 0.05);
    assert_states(slow.devices, "b:available a:busy:50?");
    assert_int_equal(write(may_end[1], "x", 1), 1);
    pthread_join(reader, NULL);
    for (int end = 0; end < 2; end++) {
        close(begun[end]);
        close(may_end[end]);
    }
    json_decref(ids);
    lab_devices_free(slow.devices);
}
