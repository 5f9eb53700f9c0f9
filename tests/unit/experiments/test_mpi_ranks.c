/* kernels/experiments/multi_gpu/mpi/ranks.c: a launcher that answers, fails, says nothing or does not end; shell
 * scripts take its part. */
#include "experiments/multi_gpu/mpi/ranks.h"
#include "support/test.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool cancel;

static struct lab_mpi_ranks *start(const char *script, json_t **greeting, struct lab_error *error)
{
    struct lab_mpi_command command = {.count = 3,
                                      .items = {(char *)"/bin/sh", (char *)"-c", (char *)(uintptr_t)script}};
    atomic_store(&cancel, false);
    return lab_mpi_ranks_start(&command, &cancel, greeting, error);
}

static json_t *ask(struct lab_mpi_ranks *ranks, struct lab_error *error)
{
    return lab_mpi_ranks_ask(ranks, json_pack("{s:s}", "request", "verify"), error);
}

TEST(requests_are_answered)
{
    json_t *greeting;
    struct lab_error error;
    struct lab_mpi_ranks *ranks =
        start("echo 'a library prints'; echo '{\"library\":\"none\"}'; read line; echo \"$line\"", &greeting, &error);
    assert_non_null(ranks);
    assert_string_equal(json_string_value(json_object_get(greeting, "library")), "none");
    json_t *answer = ask(ranks, &error);
    assert_string_equal(json_string_value(json_object_get(answer, "request")), "verify");
    json_decref(answer);
    json_decref(greeting);
    lab_mpi_ranks_stop(ranks);
}

TEST(the_error_of_a_rank_keeps_its_code)
{
    json_t *greeting;
    struct lab_error error;
    struct lab_mpi_ranks *ranks = start(
        "echo '{}'; read line; echo '{\"error\":{\"code\":\"insufficient-memory\",\"detail\":"
        "\"too large\"}}'; read line; echo '{\"error\":{\"code\":\"strange\"}}'",
        &greeting, &error);
    assert_null(ask(ranks, &error));
    assert_int_equal(error.code, LAB_ERROR_INSUFFICIENT_MEMORY);
    assert_string_equal(error.detail, "too large");
    assert_null(ask(ranks, &error));
    assert_int_equal(error.code, LAB_ERROR_RANKS_FAILED);
    assert_string_equal(error.detail, "strange");
    json_decref(greeting);
    lab_mpi_ranks_stop(ranks);
}

TEST(what_a_failed_launcher_printed_is_part_of_the_error)
{
    json_t *greeting;
    struct lab_error error;
    assert_null(start("printf -- '-----------\\nno such\\n  host\\n-----------\\n' >&2; exit 3", &greeting, &error));
    assert_int_equal(error.code, LAB_ERROR_RANKS_FAILED);
    assert_string_equal(error.detail, "the launcher of the ranks exited with code 3; it printed: no such host ");
    assert_null(start("echo 'There are not enough slots available' >&2; exit 1", &greeting, &error));
    assert_int_equal(error.code, LAB_ERROR_UNSUPPORTED);
    assert_null(start("kill -9 $$", &greeting, &error));
    assert_string_equal(error.detail, "the launcher of the ranks was ended by signal 9 and printed nothing");
}

TEST(a_launcher_that_ends_between_requests_is_noticed)
{
    json_t *greeting;
    struct lab_error error;
    struct lab_mpi_ranks *ranks = start("echo '{}'; echo 'rank 1 has crashed' >&2; exit 1", &greeting, &error);
    assert_non_null(ranks);
    signal(SIGPIPE, SIG_IGN);
    assert_null(ask(ranks, &error));
    assert_non_null(strstr(error.detail, "rank 1 has crashed"));
    json_decref(greeting);
    lab_mpi_ranks_stop(ranks);
}

/* The launcher says its process id, and ignores the end of its input and SIGTERM. */
TEST(nothing_stays_after_a_cancel)
{
    json_t *greeting;
    struct lab_error error;
    struct lab_mpi_ranks *ranks = start("trap '' TERM; echo \"{\\\"pid\\\":$$}\"; exec sleep 1000", &greeting, &error);
    assert_non_null(ranks);
    pid_t pid = (pid_t)json_integer_value(json_object_get(greeting, "pid"));
    atomic_store(&cancel, true);
    assert_null(ask(ranks, &error));
    assert_int_equal(error.code, LAB_ERROR_CANCELLED);
    assert_int_equal(kill(pid, 0), 0);
    lab_mpi_ranks_stop(ranks);
    assert_int_equal(kill(pid, 0), -1);
    json_decref(greeting);
}
