/* server/analysis/environment.c, on environments as kernels/worker/environment.c writes them. */
#include "analysis/environment.h"
#include "support/test.h"

#include "facts/facts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *device(void)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    snprintf(facts.id, sizeof facts.id, "GPU-1");
    snprintf(facts.name, sizeof facts.name, "NVIDIA H200");
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    snprintf(facts.driver_release, sizeof facts.driver_release, "580.159.04");
    snprintf(facts.uuid, sizeof facts.uuid, "GPU-1");
    facts.ordinal = 0;
    facts.multiprocessors = 132;
    facts.clock_hz = 1.98e9;
    facts.fp32_peak_flops = 66.9e12;
    facts.ecc_enabled = 1;
    facts.warp_size = 32;
    return lab_facts_to_json(&facts);
}

static json_t *environment(void)
{
    return json_pack("{s:{s:s, s:s, s:s, s:I}, s:{s:s, s:s, s:s}, s:[o], s:n, s:{s:s}, s:{s:s, s:n}, s:{s:s}}",
                     "machine", "name", "lab", "kernel", "Linux 6.1", "cpu", "Xeon", "memory_bytes",
                     (json_int_t)1 << 37, "build", "version", "0.1.0", "commit", "aaa", "cuda", "13.0", "devices",
                     device(), "numa_node", "variables", "CUDA_HOME", "/usr/local/cuda", "libraries", "cublas", "13.1",
                     "nccl", "sandbox", "protection", "bubblewrap");
}

/* Sets the value at `path`, whose parts are separated by '.'; a number selects an element of an array. */
static void set(json_t *json, const char *path, json_t *value)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", path);
    char *rest = copy;
    for (char *dot; (dot = strchr(rest, '.')) != NULL; rest = dot + 1) {
        *dot = '\0';
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(rest)) : json_object_get(json, rest);
        assert_non_null(json);
    }
    assert_int_equal(json_object_set_new(json, rest, value), 0);
}

/* The differences when head has another value at `path`. */
static json_t *differences_with(const char *path, json_t *value)
{
    json_t *base = environment();
    json_t *head = environment();
    set(head, path, value);
    json_t *differences = lab_environment_differences(base, head);
    assert_non_null(differences);
    json_decref(base);
    json_decref(head);
    return differences;
}

static const char *text_of(const json_t *differences, size_t index, const char *member)
{
    const char *text = json_string_value(json_object_get(json_array_get(differences, index), member));
    assert_non_null(text);
    return text;
}

TEST(equal_environments_do_not_differ)
{
    json_t *differences = differences_with("machine.name", json_string("lab"));
    assert_int_equal(json_array_size(differences), 0);
    json_decref(differences);
}

TEST(each_fact_has_its_kind)
{
    static const struct {
        const char *place, *path, *kind;
    } rows[] = {
        {"devices.0.properties.driver_release", "/devices/0/properties/driver_release", "driver"},
        {"devices.0.properties.clock_hz", "/devices/0/properties/clock_hz", "clocks"},
        {"devices.0.properties.power_limit_w", "/devices/0/properties/power_limit_w", "clocks"},
        {"devices.0.properties.ecc_enabled", "/devices/0/properties/ecc_enabled", "mode"},
        {"devices.0.properties.mig_mode", "/devices/0/properties/mig_mode", "mode"},
        {"sandbox.protection", "/sandbox/protection", "sandbox"},
        {"devices.0.properties.warp_size", "/devices/0/properties/warp_size", "device"},
        {"devices.0.properties.pcie_max_width", "/devices/0/properties/pcie_max_width", "link"},
        {"devices.0.properties.uuid", "/devices/0/properties/uuid", "unit"},
        {"devices.0.id", "/devices/0/id", "unit"},
        {"build.cuda", "/build/cuda", "cuda"},
        {"build.commit", "/build/commit", "gpulab"},
        {"libraries.nccl", "/libraries/nccl", "library"},
        {"machine.kernel", "/machine/kernel", "system"},
        {"machine.name", "/machine/name", "host"},
        {"numa_node", "/numa_node", "link"},
        {"variables.NCCL_ALGO", "/variables/NCCL_ALGO", "variable"},
        {"variables.A/B~C", "/variables/A~1B~0C", "variable"},
        {"new_member", "/new_member", "other"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *differences = differences_with(rows[i].place, json_string("another"));
        if (json_array_size(differences) != 1)
            fail_msg("%s: %zu differences", rows[i].place, json_array_size(differences));
        assert_string_equal(text_of(differences, 0, "path"), rows[i].path);
        assert_string_equal(text_of(differences, 0, "kind"), rows[i].kind);
        assert_string_equal(text_of(differences, 0, "head"), "another");
        json_decref(differences);
    }
}

TEST(facts_that_always_differ_are_left_out)
{
    static const char *const places[] = {
        "devices.0.ordinal",
        "devices.0.temperature_c",
        "devices.0.properties.fp32_peak_flops",
        "machine.uptime_s",
        "machine.memory_used_bytes",
        "machine.pid",
        "machine.memory_available_bytes",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        json_t *differences = differences_with(places[i], json_integer(77));
        if (json_array_size(differences) != 0)
            fail_msg("%s is a difference", places[i]);
        json_decref(differences);
    }
}

TEST(a_fact_that_one_side_does_not_know_is_null)
{
    json_t *differences = differences_with("libraries.cublas", json_null());
    assert_int_equal(json_array_size(differences), 1);
    assert_string_equal(text_of(differences, 0, "base"), "13.1");
    assert_true(json_is_null(json_object_get(json_array_get(differences, 0), "head")));
    json_decref(differences);
    differences = differences_with("libraries.nvrtc", json_null());
    assert_int_equal(json_array_size(differences), 0);
    json_decref(differences);
}

TEST(numbers_are_equal_whatever_their_type)
{
    json_t *differences = differences_with("devices.0.properties.clock_hz", json_integer(1980000000));
    assert_int_equal(json_array_size(differences), 0);
    json_decref(differences);
}

TEST(what_usually_explains_a_difference_comes_first)
{
    json_t *base = environment();
    json_t *head = environment();
    set(head, "variables.CUDA_HOME", json_string("/opt"));
    set(head, "build.commit", json_string("bbb"));
    set(head, "machine.name", json_string("other"));
    set(head, "devices.0.properties.uuid", json_string("GPU-2"));
    set(head, "devices.0.properties.driver_release", json_string("590.1"));
    static const char *const kinds[] = {"driver", "host", "variable", "gpulab", "unit"};
    json_t *differences = lab_environment_differences(base, head);
    assert_int_equal(json_array_size(differences), 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(text_of(differences, i, "kind"), kinds[i]);
    json_decref(differences);
    json_decref(base);
    json_decref(head);
}

TEST(properties_that_follow_from_another_model_are_left_out)
{
    json_t *base = environment();
    json_t *head = environment();
    set(head, "devices.0.name", json_string("NVIDIA B200"));
    set(head, "devices.0.properties.warp_size", json_integer(64));
    set(head, "devices.0.properties.multiprocessors", json_integer(148));
    json_t *differences = lab_environment_differences(base, head);
    assert_int_equal(json_array_size(differences), 2);
    assert_string_equal(text_of(differences, 0, "path"), "/devices/0/name");
    assert_string_equal(text_of(differences, 1, "path"), "/devices/0/properties/multiprocessors");
    json_decref(differences);
    json_decref(base);
    json_decref(head);
}

TEST(a_side_without_an_environment_differs_in_all_facts)
{
    json_t *one = environment();
    json_t *differences = lab_environment_differences(one, NULL);
    assert_true(json_array_size(differences) > 8);
    json_decref(differences);
    differences = lab_environment_differences(NULL, NULL);
    assert_int_equal(json_array_size(differences), 0);
    json_decref(differences);
    json_decref(one);
}

static char *key_with(const char *path, json_t *value)
{
    json_t *one = environment();
    set(one, path, value);
    char *key = lab_environment_key(one);
    assert_non_null(key);
    json_decref(one);
    return key;
}

TEST(the_key_changes_with_what_marks_a_series)
{
    static const struct {
        const char *place;
        bool changes;
    } rows[] = {
        {"devices.0.name", true},
        {"devices.0.properties.driver_release", true},
        {"devices.0.properties.ecc_enabled", true},
        {"libraries.cublas", true},
        {"machine.kernel", true},
        {"build.commit", true},
        {"variables.NCCL_ALGO", true},
        {"devices.0.id", false},
        {"devices.0.properties.uuid", false},
        {"devices.0.properties.fp32_peak_flops", false},
        {"devices.0.ordinal", false},
        {"machine.name", false},
        {"machine.memory_bytes", false},
    };
    char *key = key_with("machine.name", json_string("lab"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *other = key_with(rows[i].place, json_string("another"));
        if ((strcmp(key, other) != 0) != rows[i].changes)
            fail_msg("%s: %s", rows[i].place, other);
        free(other);
    }
    free(key);
}

TEST(the_key_does_not_depend_on_the_order_of_members)
{
    json_t *one =
        json_pack("{s:{s:s, s:s}, s:{s:s}}", "build", "cuda", "13.0", "commit", "aaa", "machine", "kernel", "6");
    json_t *other =
        json_pack("{s:{s:s}, s:{s:s, s:s}}", "machine", "kernel", "6", "build", "commit", "aaa", "cuda", "13.0");
    char *key = lab_environment_key(one);
    char *same = lab_environment_key(other);
    assert_string_equal(key, same);
    assert_string_equal(key, "{\"/build/commit\":\"aaa\",\"/build/cuda\":\"13.0\",\"/machine/kernel\":\"6\"}");
    free(key);
    free(same);
    json_decref(one);
    json_decref(other);
    key = lab_environment_key(NULL);
    assert_string_equal(key, "{}");
    free(key);
}
