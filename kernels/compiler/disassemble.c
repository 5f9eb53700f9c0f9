/* Finds nvdisasm and becomes it. */
#include "disassemble.h"

#include "compile.h"
#include "core/lines.h"
#include "core/program.h"
#include "sandbox/landlock.h"
#include "sandbox/system_calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool lab_nvdisasm_find(const struct lab_nvrtc *nvrtc, char path[PATH_MAX])
{
    static const char name[] = "nvdisasm";
    char toolkit[PATH_MAX];
    bool known = nvrtc != NULL && lab_nvrtc_program_folder(nvrtc, name, toolkit, sizeof toolkit);
    return lab_program_find(name, known ? toolkit : NULL, path);
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

/* Puts the cubin that standard input delivers into memory, and that in the place of standard input, as a file that
 * nvdisasm can open and in which it can move. */
static bool replace_input(void)
{
    int file = memfd_create("kernel.cubin", MFD_CLOEXEC);
    if (file < 0)
        return fail("There is no memory for the cubin.");
    return copy_input(file) && (dup2(file, STDIN_FILENO) == STDIN_FILENO || fail("The cubin cannot be passed on."));
}

int lab_disassemble(const char *nvdisasm, const struct lab_protection_limits *limits)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", nvdisasm);
    *strrchr(folder, '/') = '\0';
    const struct lab_landlock_path readable[] = {
        {folder, LAB_LANDLOCK_READ},     {"/lib", LAB_LANDLOCK_READ},       {"/lib64", LAB_LANDLOCK_READ},
        {"/usr/lib", LAB_LANDLOCK_READ}, {"/usr/lib64", LAB_LANDLOCK_READ}, {"/etc/ld.so.cache", LAB_LANDLOCK_READ}};
    if (!replace_input())
        return 1;
    if (!lab_protection_limit(limits))
        return !fail("nvdisasm is not started, because the kernel cannot keep it from gaining rights.");
    lab_landlock_restrict(readable, sizeof readable / sizeof *readable, LAB_LANDLOCK_NO_TCP);
    lab_system_calls_forbid_processes();
    /* No variables: they may hold secrets. */
    char program[] = "nvdisasm", code[] = "-c", lines[] = "-gi", cubin[] = "/proc/self/fd/0";
    char *const arguments[] = {program, code, lines, cubin, NULL}, *const environment[] = {NULL};
    execve(nvdisasm, arguments, environment);
    fprintf(stderr, "%s cannot be executed: %s\n", nvdisasm, strerrordesc_np(errno));
    return 1;
}
