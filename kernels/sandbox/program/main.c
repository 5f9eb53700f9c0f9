/* gpulab-sandbox: becomes the supervisor of a program in a sandbox (README.md). It is a program of its own, because a
 * process with several threads, such as gpulab-worker, can do little between fork and exec.
 */
#include "sandbox/limits.h"
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the program ended, for a person. Returns the exit code that shells give it. */
static int describe(const struct lab_sandbox_report *report)
{
    if (report->stage == LAB_SANDBOX_REFUSED) {
        fprintf(stderr, "%s\n", report->detail);
        return 127;
    }
    bool by_signal = WIFSIGNALED(report->status);
    int number = by_signal ? WTERMSIG(report->status) : WEXITSTATUS(report->status);
    fprintf(stderr, "%s %d%s%s; %.3f s, processor %.3f s, memory %.1f MiB, %u processes left behind\n",
            by_signal ? "signal" : "exit code", number, report->end == LAB_SANDBOX_ITSELF ? "" : ", ",
            lab_sandbox_end_text(report->end), (double)report->wall_ns * 1e-9, (double)report->processor_us * 1e-6,
            (double)report->memory_bytes / (1 << 20), report->left_behind);
    return by_signal ? 128 + number : number;
}

/* gpulab-sandbox --cgroup DIR -- PROGRAM ARGUMENT…: enters the cgroup and becomes the program, which is bubblewrap or
 * gpulab-sandbox itself. Returns the exit code of a failure. */
static int enter_cgroup(char **argv)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cgroup.procs", argv[2]);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, "0", 1) == 1)
        execv(argv[4], argv + 4);
    fprintf(stderr, "%s: %s\n", path, strerrordesc_np(errno));
    return 2;
}

int main(int argc, char **argv)
{
    if (argc > 4 && strcmp(argv[1], "--cgroup") == 0 && strcmp(argv[3], "--") == 0)
        return enter_cgroup(argv);
    struct lab_sandbox_settings settings;
    struct lab_sandbox_report report;
    if (!lab_sandbox_settings_read(&settings, argc, argv))
        return 2;
    lab_close_from(settings.reported ? LAB_SANDBOX_PASSED + (int)settings.kept : 3);
    if (geteuid() == 0 && !settings.has_user && !settings.namespaces) {
        report = (struct lab_sandbox_report){.stage = LAB_SANDBOX_REFUSED};
        snprintf(report.detail, sizeof report.detail,
                 "Root runs a program only as another user (--user) or in namespaces.");
    } else {
        lab_supervise(&settings, &report);
    }
    lab_report_send(&settings, &report);
    return settings.reported ? 0 : describe(&report);
}
