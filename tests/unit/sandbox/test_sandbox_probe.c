/* kernels/sandbox/probe.c: what is found on machines of several kinds. */
#include "support/sandbox_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(root_needs_another_user_without_bubblewrap)
{
    struct lab_sandbox sandbox;
    const struct lab_sandbox_options options = {.without_bubblewrap = true, .helper = LAB_TEST_BUILD "/gpulab-sandbox"};
    if (geteuid() != 0)
        skip();
    assert_false(lab_sandbox_probe(&options, &sandbox));
    assert_int_equal(sandbox.way, LAB_SANDBOX_NONE);
    assert_string_equal(sandbox.detail,
                        "Without bubblewrap, root needs another user to run programs as (option --program-user).");
}

TEST(without_bubblewrap_and_landlock_nothing_runs)
{
    struct sandbox_fixture fixture = {0};
    const struct lab_sandbox_options options = sandbox_options(true);
    forget_landlock();
    assert_false(lab_sandbox_probe(&options, &fixture.sandbox));
    assert_string_equal(
        fixture.sandbox.detail,
        "Landlock and seccomp do not work: The program cannot be started: this kernel does not have Landlock, "
        "which is in Linux 5.13 and newer where lsm= of its command line names it.");
    assert_false(run_attack(&fixture, "greet", "you"));
    assert_int_equal(fixture.result.end, LAB_SANDBOX_NOT_STARTED);
}

/* As on a machine that does not let users make namespaces. */
TEST(bubblewrap_that_does_not_work_is_replaced)
{
    struct lab_sandbox sandbox;
    const struct lab_sandbox_options options = sandbox_options(false);
    char folder[] = "/tmp/gpulab-bwrap-XXXXXX", script[64];
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/bwrap", folder);
    FILE *file = fopen(script, "w");
    fputs("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", file);
    fclose(file);
    chmod(script, 0755);
    setenv("PATH", folder, 1);
    bool found = lab_sandbox_probe(&options, &sandbox);
    lab_sandbox_folder_remove(folder);
    if (!found)
        skip();
    assert_int_equal(sandbox.way, LAB_SANDBOX_LANDLOCK);
    assert_string_equal(sandbox.detail,
                        "bubblewrap is installed and does not work: The program cannot be started: "
                        "bwrap: No permissions to create new namespace.");
}

TEST(a_missing_helper_is_named)
{
    struct lab_sandbox sandbox;
    const struct lab_sandbox_options options = {.helper = "/nowhere/gpulab-sandbox"};
    assert_false(lab_sandbox_probe(&options, &sandbox));
    assert_non_null(strstr(sandbox.detail, "gpulab-sandbox"));
}
