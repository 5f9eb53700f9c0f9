/* kernels/sandbox/cgroup.c: programs in cgroups of their own, where one is delegated. Needs root, and cgroups of
 * version 2. */
#include "sandbox/cgroup.h"
#include "support/sandbox_fixture.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static char mount[64], before[256], delegated[128], part[160];

static bool write_to(const char *cgroup, const char *name, const char *text)
{
    char path[320];
    snprintf(path, sizeof path, "%s/%s", cgroup, name);
    int file = open(path, O_WRONLY);
    bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return good;
}

static bool is_mounted(const char *path)
{
    struct statfs status;
    return statfs(path, &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC;
}

/* The cgroup of this process. */
static void read_own(char *path, size_t size)
{
    char line[200] = "";
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "0::", 3) != 0)
        ;
    if (file != NULL)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    snprintf(path, size, "%s%s", mount, line + 3);
}

/* Makes a cgroup as systemd delegates one, and moves this process into a part of it. Ends the test where that is
 * impossible. */
static void delegate(void)
{
    snprintf(mount, sizeof mount, "%s", is_mounted("/sys/fs/cgroup") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified");
    if (geteuid() != 0 || !is_mounted(mount))
        skip();
    read_own(before, sizeof before);
    snprintf(delegated, sizeof delegated, "%s/gpulab-test-%ld", mount, (long)getpid());
    snprintf(part, sizeof part, "%s/lab", delegated);
    if (mkdir(delegated, 0755) != 0)
        skip();
    assert_int_equal(setxattr(delegated, "user.delegate", "1", 1, 0), 0);
    assert_int_equal(mkdir(part, 0755), 0);
    assert_true(write_to(part, "cgroup.procs", "0"));
}

/* Removes it, which the kernel refuses while there is a cgroup in it. */
static void end_delegation(void)
{
    assert_true(write_to(before, "cgroup.procs", "0"));
    assert_int_equal(rmdir(part), 0);
    assert_int_equal(rmdir(delegated), 0);
}

TEST_BOTH(a_program_has_a_cgroup_of_its_own, struct sandbox_fixture *fixture)
{
    char *const arguments[] = {"/bin/cat", "/proc/self/cgroup", NULL};
    char expected[64];
    delegate();
    lab_cgroup_find(&fixture->sandbox);
    assert_string_equal(fixture->sandbox.cgroup, delegated);
    assert_true(run_arguments(fixture, arguments));
    expect_exit(fixture, 0);
    /* In namespaces it sees its own as the first of all. */
    if (fixture->sandbox.way == LAB_SANDBOX_LANDLOCK)
        snprintf(expected, sizeof expected, "0::/gpulab-test-%ld/program-%ld-0\n", (long)getpid(), (long)getpid());
    else
        snprintf(expected, sizeof expected, "0::/\n");
    if (strstr(fixture->output, expected) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", fixture->output, expected);
    end_delegation();
}

TEST_BOTH(what_is_left_behind_ends_with_its_cgroup, struct sandbox_fixture *fixture)
{
    delegate();
    lab_cgroup_find(&fixture->sandbox);
    assert_true(run_attack(fixture, "daemon", NULL));
    assert_true(fixture->result.left_behind > 0);
    fixture->call.limits.wall_s = 0.3;
    assert_true(run_attack(fixture, "loop", NULL));
    expect_end(fixture, LAB_SANDBOX_WALL_LIMIT);
    end_delegation();
}

TEST_BOTH(the_kernel_limits_memory_where_that_is_delegated, struct sandbox_fixture *fixture)
{
    delegate();
    lab_cgroup_find(&fixture->sandbox);
    bool limits = fixture->sandbox.cgroup_memory && fixture->sandbox.cgroup_tasks;
    if (limits) {
        assert_true(run_attack(fixture, "memory-together", NULL));
        expect_end(fixture, LAB_SANDBOX_MEMORY_LIMIT);
    }
    end_delegation();
    if (!limits)
        skip();
}

TEST(a_cgroup_that_was_not_delegated_is_not_used)
{
    static struct lab_sandbox sandbox;
    char path[PATH_MAX];
    delegate();
    assert_int_equal(removexattr(delegated, "user.delegate"), 0);
    lab_cgroup_find(&sandbox);
    assert_string_equal(sandbox.cgroup, "");
    assert_false(lab_cgroup_make(&sandbox, &(struct lab_sandbox_limits){.memory_bytes = 1}, path));
    assert_string_equal(path, "");
    assert_false(lab_cgroup_remove(path));
    end_delegation();
}
