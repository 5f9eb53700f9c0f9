/* kernels/descriptor/parameters.c and parameters_schema.c: accepted values, errors and their pointers, the schema, the
 * command line. */
#include "descriptor/parameters.h"
#include "support/expect_abort.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct lab_experiment *transfer(void)
{
    return lab_experiment_find("transfer");
}

/* Parses JSON text as parameters of transfer. */
static struct lab_parameters *parse(const char *text, struct lab_errors *errors)
{
    json_t *given = json_loads(text, 0, NULL);
    assert_non_null(given);
    *errors = (struct lab_errors){0};
    struct lab_parameters *parameters = lab_parameters_parse(transfer(), given, errors);
    json_decref(given);
    return parameters;
}

static void expect_refusal(const char *text, const char *code, const char *pointer)
{
    struct lab_errors errors;
    struct lab_parameters *parameters = parse(text, &errors);
    if (parameters != NULL)
        fail_msg("%s was accepted", text);
    assert_int_equal(errors.count, 1);
    assert_string_equal(lab_error_name(errors.items[0].code), code);
    assert_string_equal(errors.items[0].pointer, pointer);
    assert_true(strlen(errors.items[0].detail) > 10);
}

TEST(missing_parameters_get_their_defaults)
{
    struct lab_errors errors;
    struct lab_parameters *p = parse("{\"max_bytes\": 4096}", &errors);
    assert_non_null(p);
    assert_int_equal(lab_parameter_integer(p, "max_bytes"), 4096);
    assert_int_equal(lab_parameter_integer(p, "min_bytes"), 1024);
    assert_int_equal(lab_parameter_values(p, "direction")->count, 2);
    assert_int_equal(lab_parameter_integer(p, "max_samples"), 1000);
    assert_true(lab_parameter_number(p, "max_noise") == 0.005);
    assert_true(lab_parameter_values(p, "max_bytes")->given);
    assert_false(lab_parameter_values(p, "min_bytes")->given);
    lab_parameters_free(p);
}

TEST(a_single_value_is_accepted_for_a_list)
{
    struct lab_errors errors;
    struct lab_parameters *p = parse("{\"direction\": \"d2h\", \"opposing\": [true, false], \"factor\": 2}", &errors);
    assert_non_null(p);
    json_t *all = lab_parameters_to_json(p);
    json_t *direction = json_object_get(all, "direction");
    assert_int_equal(json_array_size(direction), 1);
    assert_string_equal(json_string_value(json_array_get(direction, 0)), "d2h");
    assert_true(json_is_true(json_array_get(json_object_get(all, "opposing"), 0)));
    assert_true(json_is_integer(json_object_get(all, "min_bytes")));
    json_decref(all);
    lab_parameters_free(p);
}

TEST(resolved_parameters_parse_to_themselves)
{
    struct lab_errors errors;
    struct lab_parameters *first = parse("{\"memory\": [\"pinned\"], \"factor\": 3.5}", &errors);
    json_t *once = lab_parameters_to_json(first);
    struct lab_parameters *second = lab_parameters_parse(transfer(), once, &errors);
    assert_non_null(second);
    json_t *twice = lab_parameters_to_json(second);
    assert_true(json_equal(once, twice));
    json_decref(once);
    json_decref(twice);
    lab_parameters_free(first);
    lab_parameters_free(second);
}

TEST(bad_values_are_refused_with_a_pointer)
{
    expect_refusal("{\"min_bites\": 1}", "unknown-parameter", "/parameters/min_bites");
    expect_refusal("{\"a/b~c\": 1}", "unknown-parameter", "/parameters/a~1b~0c");
    expect_refusal("{\"min_bytes\": [1024]}", "wrong-type", "/parameters/min_bytes");
    expect_refusal("{\"max_noise\": -0.1}", "out-of-bounds", "/parameters/max_noise");
    expect_refusal("{\"direction\": [\"h2d\", \"up\"]}", "unknown-value", "/parameters/direction/1");
    expect_refusal("{\"direction\": [\"h2d\", \"h2d\"]}", "duplicate", "/parameters/direction/1");
    expect_refusal("{\"min_samples\": 20, \"max_samples\": 10}", "min-above-max", "/parameters/min_samples");
    expect_refusal("[]", "wrong-type", "/parameters");
}

TEST(messages_say_what_is_taken_and_what_was_given)
{
    static const struct {
        const char *given, *detail;
    } examples[] = {
        {"{\"max_bytes\": \"a lot\"}",
         "'max_bytes' must be a whole number or a size (65536, 64KiB, 1MiB, 64MB, 2^20) from 1 to 1099511627776 B, not "
         "\"a lot\"."},
        {"{\"min_bites\": 1}",
         "Unknown parameter 'min_bites'; GET /api/v1/experiments/transfer lists those of transfer. Did you mean 'min_bytes'?"},
        {"[]", "'parameters' must be an object, not a list."},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_errors errors;
        assert_null(parse(examples[i].given, &errors));
        assert_string_equal(errors.items[0].detail, examples[i].detail);
    }
}

TEST(integers_may_be_texts_of_sizes_and_are_resolved)
{
    struct lab_errors errors;
    struct lab_parameters *p =
        parse("{\"min_bytes\": \"1 KiB\", \"max_bytes\": \"64mb\", \"min_samples\": \"2^4\"}", &errors);
    assert_non_null(p);
    json_t *resolved = lab_parameters_to_json(p);
    assert_int_equal(json_integer_value(json_object_get(resolved, "min_bytes")), 1024);
    assert_int_equal(json_integer_value(json_object_get(resolved, "max_bytes")), 64000000);
    assert_int_equal(json_integer_value(json_object_get(resolved, "min_samples")), 16);
    json_decref(resolved);
    lab_parameters_free(p);
}

TEST(all_errors_are_reported_at_once)
{
    struct lab_errors errors;
    assert_null(parse("{\"x\": 1, \"min_bytes\": 0, \"memory\": [\"pinned\", 3, \"red\"], \"seed\": true}", &errors));
    assert_int_equal(errors.count, 5);
}

TEST(the_list_of_errors_is_bounded)
{
    json_t *given = json_object();
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "unknown_%d", i);
        json_object_set_new(given, name, json_integer(i));
    }
    struct lab_errors errors = {0};
    assert_null(lab_parameters_parse(transfer(), given, &errors));
    assert_int_equal(errors.count, LAB_ERRORS_MAX);
    assert_int_equal(errors.dropped, 100 - LAB_ERRORS_MAX);
    json_decref(given);
}

TEST(max_samples_lowers_the_default_of_min_samples)
{
    struct lab_errors errors;
    struct lab_parameters *p = parse("{\"max_samples\": 1}", &errors);
    assert_non_null(p);
    assert_int_equal(lab_parameter_integer(p, "min_samples"), 1);
    lab_parameters_free(p);
}

/* The loads and the pauses of a request for an experiment with the axis `load`: "sustained 0, burst 0.1". */
static void describe_loads(const char *text, char *loads, size_t size)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *p = lab_parameters_parse(lab_experiment_find("stream"), given, &errors);
    size_t used = 0;
    snprintf(loads, size, "%s", p == NULL ? errors.items[0].pointer : "");
    for (size_t i = 0; p != NULL && i < lab_parameter_loads(p)->count; i++) {
        int64_t load = lab_parameter_loads(p)->items[i].integer;
        used += (size_t)snprintf(loads + used, size - used, "%s%s %g", i > 0 ? ", " : "", lab_loads[load],
                                 lab_parameter_rest_s(p, load));
    }
    lab_parameters_free(p);
    json_decref(given);
}

TEST(a_pause_alone_makes_bursts_and_bursts_have_a_pause)
{
    static const char *const cases[][2] = {
        {"{}", "sustained 0"},
        {"{\"rest_s\": 0.25}", "burst 0.25"},
        {"{\"load\": \"burst\"}", "burst 0.1"},
        {"{\"load\": [\"sustained\", \"burst\"]}", "sustained 0, burst 0.1"},
        {"{\"load\": [\"burst\", \"sustained\"], \"rest_s\": 2}", "burst 2, sustained 0"},
        {"{\"load\": [\"sustained\"], \"rest_s\": 2}", "/parameters/rest_s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char loads[64];
        describe_loads(cases[i][0], loads, sizeof loads);
        assert_string_equal(loads, cases[i][1]);
    }
}

TEST(only_experiments_with_the_axis_have_a_load)
{
    struct lab_errors errors;
    struct lab_parameters *p = parse("{\"rest_s\": 0.5}", &errors);
    assert_null(lab_parameter_loads(p));
    assert_true(lab_parameter_rest_s(p, LAB_NO_VALUE) == 0.5);
    lab_parameters_free(p);
    expect_refusal("{\"load\": \"burst\"}", "unknown-parameter", "/parameters/load");

    json_t *of_stream = lab_parameters_schema(lab_experiment_find("stream")),
           *other = lab_parameters_schema(transfer());
    assert_non_null(json_object_get(json_object_get(of_stream, "properties"), "load"));
    assert_null(json_object_get(json_object_get(other, "properties"), "load"));
    json_decref(of_stream);
    json_decref(other);
}

TEST(the_schema_has_the_bounds_and_choices_of_the_tables)
{
    json_t *schema = lab_parameters_schema(transfer());
    json_t *properties = json_object_get(schema, "properties");
    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    json_t *bytes = json_object_get(properties, "min_bytes");
    assert_string_equal(json_string_value(json_array_get(json_object_get(bytes, "type"), 0)), "integer");
    assert_string_equal(json_string_value(json_array_get(json_object_get(bytes, "type"), 1)), "string");
    assert_non_null(json_object_get(bytes, "pattern"));
    assert_string_equal(json_string_value(json_object_get(bytes, "x-unit")), "B");
    assert_int_equal(json_integer_value(json_object_get(bytes, "minimum")), 1);
    assert_int_equal(json_integer_value(json_object_get(bytes, "default")), 1024);
    json_t *either = json_object_get(json_object_get(properties, "direction"), "anyOf");
    assert_int_equal(json_array_size(either), 2);
    json_t *list = json_array_get(either, 1);
    assert_true(json_is_true(json_object_get(list, "uniqueItems")));
    assert_int_equal(json_array_size(json_object_get(json_object_get(list, "items"), "enum")), 3);
    assert_non_null(json_object_get(properties, "seed"));
    json_decref(schema);
}

TEST(every_default_is_valid)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        struct lab_errors errors = {0};
        struct lab_parameters *p = lab_parameters_parse(lab_experiments[i], NULL, &errors);
        assert_non_null(p);
        lab_parameters_free(p);
    }
}

static void assign(json_t *object, const char *assignment)
{
    struct lab_error error;
    assert_true(lab_parameter_assign(object, NULL, assignment, &error));
}

/* A choice that is added to a table is then measured without a second change. A default in another order is named. */
TEST(a_default_that_is_all_choices_names_none)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_schema *row = lab_experiments[i]->parameters; row->name != NULL; row++) {
            struct lab_schema all = *row;
            json_t *fallback = lab_schema_fallback_to_json(row), *choices = NULL;
            all.fallback = LAB_ALL_CHOICES;
            if (row->type == LAB_TYPE_CHOICE && row->count == LAB_ONE_OR_LIST)
                choices = lab_schema_fallback_to_json(&all);
            if (choices != NULL && json_equal(fallback, choices) && strcmp(row->fallback, LAB_ALL_CHOICES) != 0)
                fail_msg("%s %s: %s must be LAB_ALL_CHOICES", lab_experiments[i]->name, row->name, row->fallback);
            json_decref(choices);
            json_decref(fallback);
        }
}

TEST(a_command_line_assigns_values)
{
    json_t *object = json_object();
    assign(object, "min_bytes=64KiB");
    assign(object, "max_bytes=65536");
    assign(object, "direction=h2d,d2h");
    assign(object, "opposing=true");
    assign(object, "factor=2.5");
    assign(object, "max_noise=.5");
    assign(object, "many=99999999999999999999");
    assign(object, "sizes=1KiB, 2^20,3");
    assign(object, "list=[1, 2]");
    assign(object, "memory=pinned");
    json_t *wanted = json_loads(
        "{\"min_bytes\": \"64KiB\", \"max_bytes\": 65536, \"direction\": [\"h2d\", \"d2h\"],"
        "\"opposing\": true, \"factor\": 2.5, \"max_noise\": 0.5, \"many\": \"99999999999999999999\","
        "\"sizes\": [\"1KiB\", \" 2^20\", 3], \"list\": [1, 2], \"memory\": \"pinned\"}",
        0, NULL);
    assert_true(json_equal(object, wanted));
    json_decref(wanted);
    struct lab_error error;
    assert_false(lab_parameter_assign(object, NULL, "no value", &error));
    assert_false(lab_parameter_assign(object, NULL, "=5", &error));
    assert_false(lab_parameter_assign(object, NULL, "x=\xff", &error));
    assert_false(lab_parameter_assign(object, NULL, "memory=pageable", &error));
    assert_string_equal(error.detail, "memory is given twice; where it takes a list, give memory=A,B");
    json_decref(object);
}

TEST(a_choice_that_looks_like_a_number_is_a_string)
{
    static const char *const shares[] = {"automatic", "0", "25", "true", NULL};
    static const struct lab_schema rows[] = {{LAB_CHOICES("share", "Share", "Share.", shares, "automatic")},
                                             {LAB_INTEGERS("size", "Size", "Size.", 1)},
                                             {0}};
    static const char *const given[][2] = {
        {"share=0", "{\"share\": \"0\"}"},       {"share=0,25", "{\"share\": [\"0\", \"25\"]}"},
        {"share=true", "{\"share\": \"true\"}"}, {"share=[\"0\"]", "{\"share\": [\"0\"]}"},
        {"share=\"25\"", "{\"share\": \"25\"}"}, {"size=0,25", "{\"size\": [0, 25]}"}};
    struct lab_experiment experiment = *lab_experiments[0];
    experiment.parameters = rows;
    json_t *schema = lab_parameters_schema(&experiment);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        json_t *object = json_object(), *wanted = json_loads(given[i][1], 0, NULL);
        struct lab_error error;
        assert_true(lab_parameter_assign(object, schema, given[i][0], &error));
        if (!json_equal(object, wanted))
            fail_msg("%s", given[i][0]);
        json_decref(wanted);
        json_decref(object);
    }
    json_decref(schema);
}

static void read_an_unknown_parameter(void)
{
    struct lab_errors errors;
    lab_parameter_integer(parse("{}", &errors), "min_bites");
}

TEST(an_unknown_name_aborts_the_process)
{
    expect_abort(read_an_unknown_parameter, "transfer has no parameter \"min_bites\"");
}
