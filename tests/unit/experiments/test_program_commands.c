/* kernels/experiments/program/commands.c: which commands a machine offers, and with which arguments. */
#include "experiments/program/commands.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char file[64];

static int make_file(void **state)
{
    (void)state;
    snprintf(file, sizeof file, "/tmp/gpulab-test-XXXXXX");
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(file);
    return 0;
}

AROUND_EACH_TEST(.setup = make_file, .teardown = remove_file)

static void write_file(const char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* Reads the command "x" with arguments, as JSON; the error's detail, "" for none. */
static const char *read_command(const char *arguments)
{
    static struct lab_error error;
    json_t *given = json_loads(arguments, 0, NULL);
    error = (struct lab_error){0};
    json_t *command = program_command_read(file, "x", given, &error);
    assert_int_equal(command == NULL, error.code != LAB_ERROR_NONE);
    json_decref(command);
    json_decref(given);
    return error.detail;
}

static void assert_refused(const char *arguments, const char *part)
{
    const char *detail = read_command(arguments);
    if (strstr(detail, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", detail, part);
}

TEST(a_command_takes_the_arguments_that_match)
{
    write_file(
        "{\"x\": {\"command\": [\"/bin/x\", \"-j\"], \"arguments\": [\"-t\", \"[a-z_]+\", \"--n=[0-9]{1,3}\"]}}");
    assert_string_equal(read_command("[]"), "");
    assert_string_equal(read_command("[\"-t\", \"device_copy\", \"--n=12\"]"), "");
    assert_refused(
        "[\"--n=1234\"]",
        "does not take the argument \"--n=1234\"; it takes those that match -t or [a-z_]+ or --n=[0-9]{1,3}.");
    assert_refused("[\"a b\"]", "does not take");
    assert_refused("[\"a\\nb\"]", "does not take");
    assert_refused("[\"-t;id\"]", "does not take");
}

TEST(a_pattern_that_is_none_is_named)
{
    write_file("{\"x\": {\"command\": [\"/bin/x\"], \"arguments\": [\"[a-z]+\", \"(((\"]}}");
    assert_refused("[\"a\"]", "x/arguments/1 must be an extended regular expression");
}

TEST(without_patterns_there_are_no_arguments)
{
    write_file("{\"x\": {\"command\": [\"/bin/x\"]}}");
    assert_string_equal(read_command("[]"), "");
    assert_refused("[\"-v\"]", "takes no arguments");
}

TEST(a_file_that_others_can_write_is_refused)
{
    write_file("{\"x\": {\"command\": [\"/bin/x\"]}}");
    assert_int_equal(chmod(file, 0664), 0);
    assert_refused("[]", "nobody else may be able to write it");
    assert_int_equal(chmod(file, 0602), 0);
    assert_refused("[]", "nobody else may be able to write it");
}

TEST(what_is_wrong_with_a_file_is_said)
{
    write_file("{\"y\": {\"command\": [\"/bin/y\"]}, \"z\": {\"command\": [\"/bin/z\"]}}");
    assert_refused("[]", "no command \"x\"; it has: y, z.");
    write_file("{\"x\": ");
    assert_refused("[]", "is not JSON: line 1");
    write_file("[]");
    assert_refused("[]", "must be an object of commands");
    write_file("{\"x\": {\"command\": [\"x\"]}}");
    assert_refused("[]", "must be an absolute path");
    write_file("{\"x\": {\"command\": []}}");
    assert_refused("[]", "/command");
    write_file("{\"x\": {\"command\": [\"/bin/x\"], \"shell\": true}}");
    assert_refused("[]", "shell");
    write_file("{\"x\": {\"command\": \"/bin/x\"}}");
    assert_refused("[]", "/command");
    unlink(file);
    assert_refused("[]", "offers no commands");
}
