/* server/jobs/sweep.c: the runs that a request with lists stands for. */
#include "jobs/sweep.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *expand(const char *text, struct lab_errors *errors)
{
    json_t *request = json_loads(text, 0, NULL);
    assert_non_null(request);
    json_t *runs = lab_sweep_expand(request, errors);
    json_decref(request);
    return runs;
}

TEST(lists_are_multiplied)
{
    static const struct {
        const char *request, *runs;
    } cases[] = {
        {"{\"parameters\":{}}", "[{\"parameters\":{}}]"},
        {"{\"parameters\":{\"a\":1}}", "[{\"parameters\":{\"a\":1}}]"},
        {"{\"parameters\":{\"a\":[1,2],\"b\":[3,4],\"c\":5},\"note\":\"n\"}",
         "[{\"parameters\":{\"a\":1,\"b\":3,\"c\":5},\"note\":\"n\"},{\"parameters\":{\"a\":1,\"b\":4,\"c\":5},\"note\":\"n\"},"
         "{\"parameters\":{\"a\":2,\"b\":3,\"c\":5},\"note\":\"n\"},{\"parameters\":{\"a\":2,\"b\":4,\"c\":5},\"note\":\"n\"}]"},
        {"{\"parameters\":{\"a\":[[1,2],[3]]}}", "[{\"parameters\":{\"a\":[1,2]}},{\"parameters\":{\"a\":[3]}}]"},
        {"{\"parameters\":{\"a\":[1,2]},\"devices\":[\"x\",\"y\"]}",
         "[{\"parameters\":{\"a\":1},\"devices\":[\"x\",\"y\"]},{\"parameters\":{\"a\":2},\"devices\":[\"x\",\"y\"]}]"},
        {"{\"parameters\":{\"a\":[1,2]},\"devices\":[[\"x\"],[\"y\"]]}",
         "[{\"parameters\":{\"a\":1},\"devices\":[\"x\"]},{\"parameters\":{\"a\":2},\"devices\":[\"x\"]},"
         "{\"parameters\":{\"a\":1},\"devices\":[\"y\"]},{\"parameters\":{\"a\":2},\"devices\":[\"y\"]}]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_errors errors = {0};
        json_t *runs = expand(cases[i].request, &errors), *wanted = json_loads(cases[i].runs, 0, NULL);
        assert_int_equal(errors.count, 0);
        if (!json_equal(runs, wanted))
            fail_msg("%s: %s", cases[i].request, json_dumps(runs, JSON_COMPACT));
        json_decref(runs);
        json_decref(wanted);
    }
}

TEST(impossible_sweeps_are_refused)
{
    static const struct {
        const char *request, *error;
    } cases[] = {
        {"{\"parameters\":{\"a\":[],\"b/c\":[]}}", "out-of-bounds /parameters/a"},
        {"{\"parameters\":{},\"devices\":[[\"x\"],\"y\"]}", "wrong-type /devices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_errors errors = {0};
        char found[256];
        assert_null(expand(cases[i].request, &errors));
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
        assert_string_equal(found, cases[i].error);
    }
    struct lab_errors errors = {0};
    assert_null(expand("{\"parameters\":{\"b/c\":[]}}", &errors));
    assert_string_equal(errors.items[0].pointer, "/parameters/b~1c");
}

TEST(at_most_1000_runs_are_allowed)
{
    json_t *ten = json_array(), *parameters = json_object();
    for (int i = 0; i < 10; i++)
        json_array_append_new(ten, json_integer(i));
    json_t *request = json_pack("{s:o}", "parameters", parameters);
    struct lab_errors errors = {0};
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        json_object_set(parameters, name, ten);
        json_t *runs = lab_sweep_expand(request, &errors);
        assert_int_equal(runs != NULL, i < 3);
        assert_int_equal(json_array_size(runs), i == 0 ? 10 : i == 1 ? 100 : i == 2 ? 1000 : 0);
        if (i == 3)
            assert_string_equal(errors.items[0].detail, "These lists make 10000 runs; a sweep may have at most 1000.");
        json_decref(runs);
    }
    json_decref(request);
    json_decref(ten);
}
