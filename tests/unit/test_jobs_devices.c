/* server/jobs/devices.c: the table of devices: what a new description changes, and how telemetry keeps away from
 * measurements. */
#include "jobs/devices.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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
    assert_true(lab_devices_update(devices, description));
    json_decref(description);
}

static struct lab_devices *create(void)
{
    struct lab_devices *devices = lab_devices_create();
    assert_non_null(devices);
    update(devices, device("a", "A"), device("b", "B"));
    return devices;
}

/* "a:available b:busy", and behind it the temperature where there is telemetry: "a:available:41", stale "a:busy:41?". */
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

static void a_new_description_keeps_what_is_known(void **state)
{
    (void)state;
    struct lab_devices *devices = create();
    json_t *ids = json_pack("[s]", "b");
    uint64_t generation = lab_devices_generation(devices);
    lab_devices_occupy(devices, ids, true);
    assert_true(lab_devices_generation(devices) > generation);
    assert_states(devices, "a:available b:busy");
    update(devices, device("c", "C"), device("b", "B again"));
    assert_states(devices, "c:available b:busy"); /* a is gone, and b is still what it was */
    struct lab_device_facts facts;
    assert_true(lab_devices_find(devices, "b", &facts));
    assert_string_equal(facts.name, "B again");
    assert_false(lab_devices_find(devices, "a", NULL));
    lab_devices_occupy(devices, ids, false);
    assert_states(devices, "c:available b:available");
    json_decref(ids);
    lab_devices_free(devices);
}

static void what_is_no_description_changes_nothing(void **state)
{
    (void)state;
    struct lab_devices *devices = create();
    json_t *wrong = json_pack("{s:[o,s]}", "devices", device("c", "C"), "d");
    json_t *empty = json_object();
    assert_false(lab_devices_update(devices, wrong));
    assert_false(lab_devices_update(devices, empty));
    assert_false(lab_devices_update(devices, NULL));
    assert_states(devices, "a:available b:available");
    json_decref(wrong);
    json_decref(empty);
    lab_devices_free(devices);
}

static void a_condemned_device_stays_listed_and_is_not_the_default(void **state)
{
    (void)state;
    struct lab_devices *devices = create();
    json_t *ids = json_pack("[s]", "a");
    char id[LAB_ID_MAX], reason[64];
    lab_devices_condemn(devices, ids, "It hangs.");
    update(devices, device("b", "B"), NULL); /* the driver does not list it any more */
    assert_states(devices, "b:available a:unavailable");
    assert_true(lab_devices_available(devices, 0, id));
    assert_string_equal(id, "b");
    assert_false(lab_devices_available(devices, 1, id));
    assert_true(lab_devices_unavailable(devices, "a", reason, sizeof reason));
    assert_string_equal(reason, "It hangs.");
    assert_true(lab_devices_unavailable(devices, "x", reason, sizeof reason));
    assert_false(lab_devices_unavailable(devices, "b", reason, sizeof reason));
    lab_devices_condemn(devices, ids, NULL);
    assert_states(devices, "b:available a:available");
    json_decref(ids);
    lab_devices_free(devices);
}

/* Looks by counting. */
static json_t *count_up(void *context, const char *uuid)
{
    int *looks = context;
    return strcmp(uuid, "none") == 0 ? NULL : json_pack("{s:i}", "temperature_c", 40 + ++*looks);
}

static void a_busy_device_is_not_looked_at(void **state)
{
    (void)state;
    struct lab_devices *devices = create();
    update(devices, device("a", "A"), device("none", "B"));
    json_t *ids = json_pack("[s]", "a");
    int looks = 0;
    json_decref(lab_devices_observe(devices, count_up, &looks));
    assert_states(devices, "a:available:41 none:available");
    lab_devices_occupy(devices, ids, true);
    json_t *seen = lab_devices_observe(devices, count_up, &looks);
    assert_int_equal(json_array_size(seen), 0);
    json_decref(seen);
    assert_states(devices, "a:busy:41? none:available");
    lab_devices_occupy(devices, ids, false);
    seen = lab_devices_observe(devices, count_up, &looks);
    assert_int_equal(json_array_size(seen), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(seen, 0), "id")), "a");
    json_decref(seen);
    assert_states(devices, "a:available:42 none:available");
    json_decref(ids);
    lab_devices_free(devices);
}

struct slow_look {
    struct lab_devices *devices;
    int entered, leave; /* pipes' ends: the look has begun; it may end */
};

static json_t *look_slowly(void *context, const char *uuid)
{
    const struct slow_look *slow = context;
    char byte = 'x';
    if (strcmp(uuid, "a") != 0)
        return NULL;
    assert_int_equal(write(slow->entered, &byte, 1), 1);
    assert_int_equal(read(slow->leave, &byte, 1), 1);
    return json_pack("{s:i}", "temperature_c", 50);
}

static void *observe(void *context)
{
    struct slow_look *slow = context;
    json_decref(lab_devices_observe(slow->devices, look_slowly, slow));
    return NULL;
}

static void *let_go_later(void *context)
{
    usleep(100000);
    assert_int_equal(write(*(int *)context, "x", 1), 1);
    return NULL;
}

static void a_measurement_waits_for_a_look_under_way(void **state)
{
    (void)state;
    int entered[2], leave[2];
    assert_int_equal(pipe(entered), 0);
    assert_int_equal(pipe(leave), 0);
    struct slow_look slow = {create(), entered[1], leave[0]};
    json_t *ids = json_pack("[s]", "a");
    pthread_t observer, opener;
    char byte;
    assert_int_equal(pthread_create(&observer, NULL, observe, &slow), 0);
    assert_int_equal(read(entered[0], &byte, 1), 1);
    update(slow.devices, device("b", "B"), NULL); /* the device goes while it is looked at */
    assert_int_equal(pthread_create(&opener, NULL, let_go_later, &leave[1]), 0);
    lab_devices_occupy(slow.devices, ids, true);
    assert_states(slow.devices, "b:available a:busy:50?"); /* the look has ended, and was the last */
    pthread_join(opener, NULL);
    pthread_join(observer, NULL);

    /* One that does not end holds nobody up for long. */
    lab_devices_occupy(slow.devices, ids, false);
    assert_int_equal(pthread_create(&observer, NULL, observe, &slow), 0);
    assert_int_equal(read(entered[0], &byte, 1), 1);
    lab_devices_occupy(slow.devices, ids, true);
    assert_states(slow.devices, "b:available a:busy:50?");
    assert_int_equal(write(leave[1], "x", 1), 1);
    pthread_join(observer, NULL);
    for (int end = 0; end < 2; end++) {
        close(entered[end]);
        close(leave[end]);
    }
    json_decref(ids);
    lab_devices_free(slow.devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_description_keeps_what_is_known),
        cmocka_unit_test(what_is_no_description_changes_nothing),
        cmocka_unit_test(a_condemned_device_stays_listed_and_is_not_the_default),
        cmocka_unit_test(a_busy_device_is_not_looked_at),
        cmocka_unit_test(a_measurement_waits_for_a_look_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
