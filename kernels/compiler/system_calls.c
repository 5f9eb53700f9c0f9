/* Filters of system calls: programs for the kernel's packet filter, which decide by the number of a call and by its
 * arguments. */
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
static const uint32_t allowed[] = {
    SYS_read,         SYS_write,          SYS_writev,       SYS_close,       SYS_brk,
    SYS_munmap,       SYS_mremap,         SYS_madvise,      SYS_futex,       SYS_clock_gettime,
    SYS_getpid,       SYS_gettid,         SYS_sched_yield,  SYS_getrandom,   SYS_sysinfo,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_exit,
    SYS_exit_group,
};

enum { LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0 };

/* A call that is allowed if, of one argument's lower 32 bits, those in `mask` equal `value`. */
struct condition {
    uint32_t call, argument, mask, value;
};

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(action))
#define SKIP_UNLESS_EQUAL(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define SKIP_IF_EQUAL(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (count), 0)

static bool install(const struct sock_filter *program, size_t length)
{
    const struct sock_fprog filter = {(unsigned short)length, (struct sock_filter *)(uintptr_t)program};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

/* A call that is not listed fails with ENOENT, so that NVRTC reports a file that it cannot open as missing. */
bool lab_system_calls_filter(void)
{
    enum { ALLOWED = sizeof allowed / sizeof *allowed, CONDITIONS = 3 };
    const struct condition conditions[CONDITIONS] = {
        {SYS_mmap, 2, PROT_EXEC, 0},
        {SYS_mprotect, 2, PROT_EXEC, 0},
        {SYS_tgkill, 0, ~0U, (uint32_t)getpid()}, /* abort() */
    };
    struct sock_filter program[4 + 2 * ALLOWED + 6 * CONDITIONS + 1], *at = program;
    *at++ = (struct sock_filter)LOAD(offsetof(struct seccomp_data, arch));
    *at++ = (struct sock_filter)SKIP_IF_EQUAL(ARCHITECTURE, 1);
    *at++ = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
    *at++ = (struct sock_filter)LOAD(offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ALLOWED; i++) {
        *at++ = (struct sock_filter)SKIP_UNLESS_EQUAL(allowed[i], 1);
        *at++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    }
    for (size_t i = 0; i < CONDITIONS; i++) {
        const struct condition *condition = &conditions[i];
        *at++ = (struct sock_filter)SKIP_UNLESS_EQUAL(condition->call, 5);
        *at++ = (struct sock_filter)LOAD(offsetof(struct seccomp_data, args[condition->argument]) + LOW_WORD);
        *at++ = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition->mask);
        *at++ = (struct sock_filter)SKIP_UNLESS_EQUAL(condition->value, 1);
        *at++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
        *at++ = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | ENOENT);
    }
    *at++ = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | ENOENT);
    return install(program, (size_t)(at - program));
}

/* clone3 passes its flags in memory, which a filter cannot read; the C library uses clone where it does not exist. Calls of the
 * x32 interface have bit 30. */
bool lab_system_calls_forbid_processes(void)
{
    enum { X32 = 1 << 30 };
    static const struct sock_filter program[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        SKIP_IF_EQUAL(ARCHITECTURE, 1),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, X32, 0, 1),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        SKIP_UNLESS_EQUAL(SYS_clone3, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
#ifdef SYS_fork
        SKIP_UNLESS_EQUAL(SYS_fork, 1),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        SKIP_UNLESS_EQUAL(SYS_vfork, 1),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
#endif
        SKIP_UNLESS_EQUAL(SYS_clone, 3),
        LOAD(offsetof(struct seccomp_data, args[0]) + LOW_WORD),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        RETURN(SECCOMP_RET_ALLOW),
    };
    return install(program, sizeof program / sizeof *program);
}
#else
bool lab_system_calls_forbid_processes(void)
{
    return false;
}

bool lab_system_calls_filter(void)
{
    return false;
}
#endif
