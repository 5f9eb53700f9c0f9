/* Finds nvdisasm and becomes it. */
#include "disassemble.h"

#include "compile.h"
#include "core/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether `folder`, of `length` characters, contains nvdisasm; then `path` is its path without symbolic links. */
static bool is_in(const char *folder, size_t length, char path[PATH_MAX])
{
    char candidate[PATH_MAX + 16];
    struct stat file;
    if (length == 0 || length >= PATH_MAX || folder[0] != '/')
        return false;
    snprintf(candidate, sizeof candidate, "%.*s/nvdisasm", (int)length, folder);
    return stat(candidate, &file) == 0 && S_ISREG(file.st_mode) && access(candidate, X_OK) == 0 &&
           realpath(candidate, path) != NULL;
}

bool lab_nvdisasm_find(const struct lab_nvrtc *nvrtc, char path[PATH_MAX])
{
    static const char usual[] = "/usr/local/cuda/bin";
    char toolkit[PATH_MAX];
    const char *folder = getenv("PATH");
    while (folder != NULL && *folder != '\0') {
        size_t length = strcspn(folder, ":");
        if (is_in(folder, length, path))
            return true;
        folder += length + (folder[length] == ':');
    }
    if (nvrtc != NULL && lab_nvrtc_program_folder(nvrtc, "nvdisasm", toolkit, sizeof toolkit) &&
        is_in(toolkit, strlen(toolkit), path))
        return true;
    return is_in(usual, strlen(usual), path);
}

static bool fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    return false;
}

/* Copies standard input to `file`. False, with a message, if it is too long or cannot be copied. */
static bool copy_input(int file)
{
    static char bytes[64 << 10];
    for (size_t total = 0;;) {
        ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !lab_write_all(file, bytes, (size_t)got))
            return fail("The cubin cannot be copied.");
        total += (size_t)got;
        if (total > LAB_CODE_BYTES_MAX)
            return fail("The cubin is larger than 16 MiB.");
    }
}

/* Puts the cubin that standard input delivers into memory, and that in the place of standard input, as a file that nvdisasm
 * can open and in which it can move. */
static bool replace_input(void)
{
    int file = memfd_create("kernel.cubin", MFD_CLOEXEC);
    if (file < 0)
        return fail("There is no memory for the cubin.");
    return copy_input(file) && (dup2(file, STDIN_FILENO) == STDIN_FILENO || fail("The cubin cannot be passed on."));
}

int lab_disassemble(const char *nvdisasm, const struct lab_sandbox_limits *limits)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", nvdisasm);
    *strrchr(folder, '/') = '\0';
    const char *const readable[] = {folder, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"};
    if (!replace_input())
        return 1;
    if (!lab_sandbox_limit(limits))
        return !fail("nvdisasm is not started, because the kernel cannot keep it from gaining rights.");
    lab_sandbox_forbid_files(readable, sizeof readable / sizeof *readable);
    /* No variables: they may hold secrets. */
    char program[] = "nvdisasm", option[] = "-c", cubin[] = "/proc/self/fd/0";
    char *const arguments[] = {program, option, cubin, NULL}, *const environment[] = {NULL};
    execve(nvdisasm, arguments, environment);
    fprintf(stderr, "%s cannot be executed: %s\n", nvdisasm, strerrordesc_np(errno));
    return 1;
}
