/* kernels/sandbox: files that programs read, write and leave behind. Attacks that are harmless are made without a
 * sandbox too, where they must succeed. */
#include "support/sandbox_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_ALL(other_files_cannot_be_read, struct sandbox_fixture *fixture)
{
    expect_something(fixture, "read", fixture->secret);
    expect_nothing(fixture, "read", fixture->secret);
    char shadow[] = "/etc/shadow", passwd[] = "/etc/passwd", up[] = "../../etc/passwd", init[] = "/proc/1/environ";
    char *paths[] = {shadow, passwd, up, init};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_nothing(fixture, "read", paths[i]);
}

TEST_ALL(other_files_cannot_be_written, struct sandbox_fixture *fixture)
{
    expect_something(fixture, "write", fixture->other_file);
    assert_int_equal(unlink(fixture->other_file), 0);
    char system[] = "/usr/lib/other_file", root[] = "/other_file", device[] = "/dev/other_file",
         setting[] = "/proc/sys/vm/swappiness", memory[] = "/dev/mem";
    char *paths[] = {fixture->other_file, system, root, device, setting, memory};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_nothing(fixture, "write", paths[i]);
    assert_int_equal(access(fixture->other_file, F_OK), -1);
}

/* root without capabilities still owns the files of the kernel's settings. */
TEST_WITH(root_cannot_write_settings, struct sandbox_fixture *fixture, .setup = open_as_root, .teardown = close_sandbox)
{
    char setting[] = "/proc/sys/vm/swappiness", trigger[] = "/proc/sysrq-trigger";
    expect_something(fixture, "write", setting);
    expect_nothing(fixture, "write", setting);
    expect_nothing(fixture, "write", trigger);
}

TEST_BOTH(its_folder_is_its_own, struct sandbox_fixture *fixture)
{
    char inside[] = "inside", *environment[] = {"HOME=/elsewhere", NULL}, below[64];
    assert_true(run_attack(fixture, "write", inside));
    expect_exit(fixture, 1);
    snprintf(below, sizeof below, "%s/inside", fixture->folder);
    assert_int_equal(access(below, F_OK), 0);
    fixture->call.environment = environment;
    char *const arguments[] = {"/bin/sh", "-c", "echo $HOME; cd /; cd ~; pwd; echo x > $TMPDIR/y && cat $TMPDIR/y",
                               NULL};
    char expected[128];
    snprintf(expected, sizeof expected, "%s\n%s\nx\n", fixture->folder, fixture->folder);
    assert_true(run_arguments(fixture, arguments));
    expect_exit(fixture, 0);
    assert_string_equal(fixture->output, expected);
}

TEST_ALL(links_lead_nowhere, struct sandbox_fixture *fixture)
{
    char link[64];
    expect_something(fixture, "symlink", fixture->secret);
    snprintf(link, sizeof link, "%s/link", fixture->folder);
    assert_int_equal(unlink(link), 0);
    expect_nothing(fixture, "symlink", fixture->secret);
    assert_int_equal(unlink(link), 0);
    expect_nothing(fixture, "link", fixture->secret);
    assert_int_equal(symlink(fixture->outside, link), 0); /* removed with the folder, and not what it names */
}

TEST_BOTH(a_link_in_place_of_the_temporary_folder_is_refused, struct sandbox_fixture *fixture)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s/" LAB_SANDBOX_TEMPORARY, fixture->folder);
    assert_int_equal(symlink(fixture->outside, temporary), 0);
    assert_false(run_attack(fixture, "read", fixture->secret));
    assert_int_equal(fixture->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_non_null(strstr(fixture->result.detail, "Not a directory"));
}

TEST_BOTH(listed_files_can_be_read, struct sandbox_fixture *fixture)
{
    const char *readable[] = {fixture->outside, NULL};
    fixture->call.readable = readable;
    assert_true(run_attack(fixture, "read", fixture->secret));
    expect_exit(fixture, 1);
    expect_nothing(fixture, "write", fixture->secret);
    expect_nothing(fixture, "link", fixture->secret);
    readable[0] = fixture->secret;
    assert_true(run_attack(fixture, "read", fixture->secret));
    expect_exit(fixture, 1);
}

TEST_ALL(only_listed_devices_can_be_opened, struct sandbox_fixture *fixture)
{
    char device[64], null[] = "/dev/null";
    const char *devices[] = {device, NULL};
    assert_true(run_attack(fixture, "write", null));
    expect_exit(fixture, 1);
    snprintf(device, sizeof device, "%s/device", fixture->outside);
    if (mknod(device, S_IFCHR, makedev(1, 5)) != 0 || chmod(device, 0666) != 0) /* /dev/zero */
        skip();
    expect_nothing(fixture, "write", device);
    fixture->call.devices = devices;
    assert_true(run_attack(fixture, "write", device));
    expect_exit(fixture, 1);
}

TEST_BOTH(the_disk_is_not_filled, struct sandbox_fixture *fixture)
{
    assert_true(run_attack(fixture, "fill", NULL));
    expect_end(fixture, LAB_SANDBOX_FOLDER_LIMIT);
    assert_true(run_attack(fixture, "one-file", NULL));
    expect_end(fixture, LAB_SANDBOX_FOLDER_LIMIT); /* what the first has left */
}

TEST_BOTH(a_folder_without_permissions_counts, struct sandbox_fixture *fixture)
{
    assert_true(run_attack(fixture, "fill-hidden", NULL));
    expect_end(fixture, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(many_folders_count, struct sandbox_fixture *fixture)
{
    assert_true(run_attack(fixture, "many", NULL));
    expect_end(fixture, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(deep_folders_are_found_and_removed, struct sandbox_fixture *fixture)
{
    fixture->call.limits.folder_files = 1000000;
    assert_true(run_attack(fixture, "deep", NULL));
    expect_end(fixture, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(a_large_file_ends_the_program, struct sandbox_fixture *fixture)
{
    assert_true(run_attack(fixture, "one-file", NULL));
    assert_int_equal(fixture->result.end, LAB_SANDBOX_ITSELF);
    assert_int_equal(WTERMSIG(fixture->result.status), SIGXFSZ);
}
