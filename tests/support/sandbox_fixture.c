#include "sandbox_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool keep(void *context, enum lab_sandbox_stream stream, const char *bytes, size_t size)
{
    struct sandbox_fixture *fixture = context;
    char *kept = stream == LAB_SANDBOX_OUTPUT ? fixture->output : fixture->errors;
    size_t *count = stream == LAB_SANDBOX_OUTPUT ? &fixture->output_bytes : &fixture->errors_bytes;
    for (size_t i = 0; i < size && *count + i < KEPT_OUTPUT - 1; i++)
        kept[*count + i] = bytes[i];
    *count += size;
    return fixture->output_limit == 0 || *count <= fixture->output_limit;
}

void pass(struct sandbox_fixture *fixture, int descriptor)
{
    fixture->passed[fixture->call.kept_count++] = descriptor;
    fixture->call.kept = fixture->passed;
}

static void copy_program(const char *to)
{
    char bytes[1 << 16];
    int in = open(LAB_TEST_BUILD "/gpulab-hostile", O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0755);
    assert_true(in >= 0 && out >= 0);
    for (ssize_t got; (got = read(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(write(out, bytes, (size_t)got), got);
    close(in);
    close(out);
}

struct lab_sandbox_options sandbox_options(bool without_bubblewrap)
{
    return (struct lab_sandbox_options){
        .has_user = geteuid() == 0,
        .user = {NOBODY, NOBODY},
        .without_bubblewrap = without_bubblewrap,
        .helper = LAB_TEST_BUILD "/gpulab-sandbox",
    };
}

static int open_sandbox(void **state, enum lab_sandbox_way way, bool as_root)
{
    static struct sandbox_fixture fixture;
    static char *nothing[] = {NULL};
    struct lab_sandbox_options options = sandbox_options(way == LAB_SANDBOX_LANDLOCK);
    options.has_user = options.has_user && !as_root;
    if (!lab_sandbox_probe(&options, &fixture.sandbox) || fixture.sandbox.way != way) {
        printf("no %s: %s\n", lab_sandbox_way_name(way), fixture.sandbox.detail);
        skip();
    }
    umask(022); /* other users may read what must not be read */
    strcpy(fixture.folder, "/tmp/gpulab-fixture-XXXXXX");
    strcpy(fixture.outside, "/tmp/gpulab-outside-XXXXXX");
    if (mkdtemp(fixture.folder) == NULL || mkdtemp(fixture.outside) == NULL || chmod(fixture.outside, 0777) != 0)
        return 1;
    snprintf(fixture.program, sizeof fixture.program, "%s/program", fixture.folder);
    snprintf(fixture.secret, sizeof fixture.secret, "%s/secret", fixture.outside);
    snprintf(fixture.other_file, sizeof fixture.other_file, "%s/other_file", fixture.outside);
    copy_program(fixture.program);
    int secret = open(fixture.secret, O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(secret, "secret", 6), 6);
    close(secret);
    fixture.call = (struct lab_sandbox_call){
        .environment = nothing,
        .folder = fixture.folder,
        .input = -1,
        .limits = {.wall_s = 60,
                   .processor_s = 60,
                   .memory_bytes = 128 << 20,
                   .tasks = 40,
                   .open_files = 64,
                   .file_bytes = 4 << 20,
                   .folder_bytes = 32 << 20,
                   .folder_files = 1000},
        .sink = keep,
        .context = &fixture,
    };
    *state = &fixture;
    return 0;
}

int open_with_bubblewrap(void **state)
{
    return open_sandbox(state, LAB_SANDBOX_BUBBLEWRAP, false);
}

int open_with_landlock(void **state)
{
    return open_sandbox(state, LAB_SANDBOX_LANDLOCK, false);
}

void forget_landlock(void)
{
    static struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof program / sizeof *program, program};
    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

int open_with_namespaces_alone(void **state)
{
    forget_landlock();
    return open_sandbox(state, LAB_SANDBOX_BUBBLEWRAP, false);
}

int open_as_root(void **state)
{
    if (geteuid() != 0)
        skip();
    forget_landlock();
    return open_sandbox(state, LAB_SANDBOX_BUBBLEWRAP, true);
}

static int remove_folders(void *state)
{
    struct sandbox_fixture *fixture = state;
    bool removed = lab_sandbox_folder_remove(fixture->folder) && access(fixture->folder, F_OK) != 0;
    return removed && access(fixture->secret, F_OK) == 0 && lab_sandbox_folder_remove(fixture->outside) ? 0 : 1;
}

int close_sandbox(void **state)
{
    return remove_folders(*state);
}

bool run_arguments(struct sandbox_fixture *fixture, char *const *arguments)
{
    fixture->output_bytes = fixture->errors_bytes = 0;
    memset(fixture->output, 0, sizeof fixture->output);
    memset(fixture->errors, 0, sizeof fixture->errors);
    fixture->call.arguments = arguments;
    return lab_sandbox_run(&fixture->sandbox, &fixture->call, &fixture->result);
}

bool run_attack(struct sandbox_fixture *fixture, char *attack, char *argument)
{
    char *const arguments[] = {fixture->program, attack, argument, NULL};
    return run_arguments(fixture, arguments);
}

void expect_exit(const struct sandbox_fixture *fixture, int code)
{
    const struct lab_sandbox_result *result = &fixture->result;
    if (result->end != LAB_SANDBOX_ITSELF || !WIFEXITED(result->status) || WEXITSTATUS(result->status) != code)
        fail_msg("end %d, status 0x%x, not exit code %d: %s\n%s%s", (int)result->end, (unsigned)result->status, code,
                 result->detail, fixture->output, fixture->errors);
}

void expect_end(const struct sandbox_fixture *fixture, enum lab_sandbox_end end)
{
    if (fixture->result.end != end)
        fail_msg("end %d, status 0x%x, not end %d: %s\n%s%s", (int)fixture->result.end,
                 (unsigned)fixture->result.status, (int)end, fixture->result.detail, fixture->output, fixture->errors);
    assert_string_equal(fixture->result.detail, lab_sandbox_end_text(end));
}

void expect_nothing(struct sandbox_fixture *fixture, char *attack, char *argument)
{
    assert_true(run_attack(fixture, attack, argument));
    assert_string_equal(fixture->output, "");
    expect_exit(fixture, 0);
}

void expect_something(const struct sandbox_fixture *fixture, char *attack, char *argument)
{
    int status;
    pid_t process = fork();
    if (process == 0) {
        freopen("/dev/null", "w", stdout);
        if (chdir(fixture->folder) == 0)
            execl(fixture->program, fixture->program, attack, argument, (char *)NULL);
        _exit(98);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 1 << 8);
}
