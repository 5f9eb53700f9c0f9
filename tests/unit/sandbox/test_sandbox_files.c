/* kernels/sandbox: files that programs read, write and leave behind. Attacks that are harmless are made without a sandbox too, where they
 * must succeed. */
#include "support/lair.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_ALL(other_files_cannot_be_read, struct lair *lair)
{
    expect_something(lair, "read", lair->secret);
    expect_nothing(lair, "read", lair->secret);
    char shadow[] = "/etc/shadow", passwd[] = "/etc/passwd", up[] = "../../etc/passwd", init[] = "/proc/1/environ";
    char *paths[] = {shadow, passwd, up, init};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_nothing(lair, "read", paths[i]);
}

TEST_ALL(other_files_cannot_be_written, struct lair *lair)
{
    expect_something(lair, "write", lair->prey);
    assert_int_equal(unlink(lair->prey), 0);
    char system[] = "/usr/lib/prey", root[] = "/prey", device[] = "/dev/prey", setting[] = "/proc/sys/vm/swappiness",
         memory[] = "/dev/mem";
    char *paths[] = {lair->prey, system, root, device, setting, memory};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect_nothing(lair, "write", paths[i]);
    assert_int_equal(access(lair->prey, F_OK), -1);
}

/* root without capabilities still owns the files of the kernel's settings. */
TEST_WITH(root_cannot_write_settings, struct lair *lair, .setup = open_as_root, .teardown = close_lair)
{
    char setting[] = "/proc/sys/vm/swappiness", trigger[] = "/proc/sysrq-trigger";
    expect_something(lair, "write", setting);
    expect_nothing(lair, "write", setting);
    expect_nothing(lair, "write", trigger);
}

TEST_BOTH(its_folder_is_its_own, struct lair *lair)
{
    char inside[] = "inside", *environment[] = {"HOME=/elsewhere", NULL}, below[64];
    assert_true(run_attack(lair, "write", inside));
    expect_exit(lair, 1);
    snprintf(below, sizeof below, "%s/inside", lair->folder);
    assert_int_equal(access(below, F_OK), 0);
    lair->call.environment = environment;
    char *const arguments[] = {"/bin/sh", "-c", "echo $HOME; cd /; cd ~; pwd; echo x > $TMPDIR/y && cat $TMPDIR/y",
                               NULL};
    char expected[128];
    snprintf(expected, sizeof expected, "%s\n%s\nx\n", lair->folder, lair->folder);
    assert_true(run_arguments(lair, arguments));
    expect_exit(lair, 0);
    assert_string_equal(lair->output, expected);
}

TEST_ALL(links_lead_nowhere, struct lair *lair)
{
    char link[64];
    expect_something(lair, "symlink", lair->secret);
    snprintf(link, sizeof link, "%s/link", lair->folder);
    assert_int_equal(unlink(link), 0);
    expect_nothing(lair, "symlink", lair->secret);
    assert_int_equal(unlink(link), 0);
    expect_nothing(lair, "link", lair->secret);
    assert_int_equal(symlink(lair->outside, link), 0); /* removed with the folder, and not what it names */
}

TEST_BOTH(a_link_in_place_of_the_temporary_folder_is_refused, struct lair *lair)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s/" LAB_SANDBOX_TEMPORARY, lair->folder);
    assert_int_equal(symlink(lair->outside, temporary), 0);
    assert_false(run_attack(lair, "read", lair->secret));
    assert_int_equal(lair->result.end, LAB_SANDBOX_NOT_STARTED);
    assert_non_null(strstr(lair->result.detail, "Not a directory"));
}

TEST_BOTH(listed_files_can_be_read, struct lair *lair)
{
    const char *readable[] = {lair->outside, NULL};
    lair->call.readable = readable;
    assert_true(run_attack(lair, "read", lair->secret));
    expect_exit(lair, 1);
    expect_nothing(lair, "write", lair->secret);
    expect_nothing(lair, "link", lair->secret);
    readable[0] = lair->secret;
    assert_true(run_attack(lair, "read", lair->secret));
    expect_exit(lair, 1);
}

TEST_ALL(only_listed_devices_can_be_opened, struct lair *lair)
{
    char device[64], null[] = "/dev/null";
    const char *devices[] = {device, NULL};
    assert_true(run_attack(lair, "write", null));
    expect_exit(lair, 1);
    snprintf(device, sizeof device, "%s/device", lair->outside);
    if (mknod(device, S_IFCHR, makedev(1, 5)) != 0 || chmod(device, 0666) != 0) /* /dev/zero */
        skip();
    expect_nothing(lair, "write", device);
    lair->call.devices = devices;
    assert_true(run_attack(lair, "write", device));
    expect_exit(lair, 1);
}

TEST_BOTH(the_disk_is_not_filled, struct lair *lair)
{
    assert_true(run_attack(lair, "fill", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
    assert_true(run_attack(lair, "one-file", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT); /* what the first has left */
}

TEST_BOTH(a_folder_without_permissions_counts, struct lair *lair)
{
    assert_true(run_attack(lair, "fill-hidden", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(many_folders_count, struct lair *lair)
{
    assert_true(run_attack(lair, "many", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(deep_folders_are_found_and_removed, struct lair *lair)
{
    lair->call.limits.folder_files = 1000000;
    assert_true(run_attack(lair, "deep", NULL));
    expect_end(lair, LAB_SANDBOX_FOLDER_LIMIT);
}

TEST_BOTH(a_large_file_ends_the_program, struct lair *lair)
{
    assert_true(run_attack(lair, "one-file", NULL));
    assert_int_equal(lair->result.end, LAB_SANDBOX_ITSELF);
    assert_int_equal(WTERMSIG(lair->result.status), SIGXFSZ);
}
