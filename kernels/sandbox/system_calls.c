/* The rules of each filter, and the program for the kernel's packet filter that they become: it decides by the number
 * of a call and by its arguments. */
#include "system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
/* Applies to the call, or to the call if the lower 32 bits of one argument, of which those in `mask` count, equal
 * `value`, or unless they do. The first rule that applies decides. */
struct rule {
    uint32_t call;
    enum { ALWAYS, IF_EQUAL, UNLESS_EQUAL } when;
    uint32_t argument, mask, value;
};

enum {
    ALLOW = SECCOMP_RET_ALLOW,
    MISSING = SECCOMP_RET_ERRNO | ENOENT,
    FORBID = SECCOMP_RET_ERRNO | EPERM,
    UNKNOWN = SECCOMP_RET_ERRNO | ENOSYS,
    LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0,
    SOCK_TYPE = 0xf, /* without flags such as SOCK_CLOEXEC */
    X32 = 1 << 30,   /* bit of the calls of the x32 interface */
    INSTRUCTIONS_MAX = 1024,
};

struct filter {
    struct sock_filter program[INSTRUCTIONS_MAX];
    size_t length;
};

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define LOAD_CALL LOAD(offsetof(struct seccomp_data, nr))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(action))
#define JUMP(test, value, then, otherwise) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), (then), (otherwise))
#define APPEND(filter, ...)                                                                                            \
    append(filter, (const struct sock_filter[]){__VA_ARGS__},                                                          \
           sizeof(const struct sock_filter[]){__VA_ARGS__} / sizeof(struct sock_filter))

static void append(struct filter *filter, const struct sock_filter *instructions, size_t count)
{
    for (size_t i = 0; i < count && filter->length < INSTRUCTIONS_MAX; i++)
        filter->program[filter->length++] = instructions[i];
}

static void begin(struct filter *filter)
{
    filter->length = 0;
    APPEND(filter, LOAD(offsetof(struct seccomp_data, arch)), JUMP(BPF_JEQ, ARCHITECTURE, 1, 0),
           RETURN(SECCOMP_RET_KILL_PROCESS), LOAD_CALL, JUMP(BPF_JSET, X32, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS));
}

/* Appends rules of one action. */
static void add(struct filter *filter, const struct rule *rules, size_t count, uint32_t action)
{
    for (const struct rule *rule = rules; rule < rules + count; rule++) {
        if (rule->when == ALWAYS)
            APPEND(filter, JUMP(BPF_JEQ, rule->call, 0, 1), RETURN(action));
        else
            APPEND(filter, JUMP(BPF_JEQ, rule->call, 0, 5),
                   LOAD(offsetof(struct seccomp_data, args[rule->argument]) + LOW_WORD),
                   BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->mask),
                   JUMP(BPF_JEQ, rule->value, rule->when == UNLESS_EQUAL, rule->when == IF_EQUAL), RETURN(action),
                   LOAD_CALL);
    }
}

#define ADD(filter, rules, action) add(filter, rules, sizeof(rules) / sizeof *(rules), action)

/* Ends the filter with the action for all other calls, and installs it for all threads. */
static bool install(struct filter *filter, uint32_t otherwise)
{
    APPEND(filter, RETURN(otherwise));
    const struct sock_fprog program = {(unsigned short)filter->length, filter->program};
    return filter->length < INSTRUCTIONS_MAX &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

bool lab_system_calls_allow_few(void)
{
    const struct rule allowed[] = {
        {.call = SYS_read},
        {.call = SYS_write},
        {.call = SYS_writev},
        {.call = SYS_close},
        {.call = SYS_brk},
        {.call = SYS_munmap},
        {.call = SYS_mremap},
        {.call = SYS_madvise},
        {.call = SYS_futex},
        {.call = SYS_clock_gettime},
        {.call = SYS_getpid},
        {.call = SYS_gettid},
        {.call = SYS_sched_yield},
        {.call = SYS_getrandom},
        {.call = SYS_sysinfo},
        {.call = SYS_rt_sigaction},
        {.call = SYS_rt_sigprocmask},
        {.call = SYS_rt_sigreturn},
        {.call = SYS_sigaltstack},
        {.call = SYS_exit},
        {.call = SYS_exit_group},
        {SYS_mmap, IF_EQUAL, 2, PROT_EXEC, 0},
        {SYS_mprotect, IF_EQUAL, 2, PROT_EXEC, 0},
        {SYS_tgkill, IF_EQUAL, 0, ~0U, (uint32_t)getpid()}, /* abort() */
    };
    struct filter filter;
    begin(&filter);
    ADD(&filter, allowed, ALLOW);
    return install(&filter, MISSING);
}

/* clone3 passes its flags in memory, which a filter cannot read; the C library uses clone where clone3 does not
 * exist. */
static const struct rule unreadable[] = {{.call = SYS_clone3}};

bool lab_system_calls_forbid_processes(void)
{
    static const struct rule starting[] = {
#ifdef SYS_fork
        {.call = SYS_fork},
        {.call = SYS_vfork},
#endif
        {SYS_clone, UNLESS_EQUAL, 0, CLONE_THREAD, CLONE_THREAD},
    };
    struct filter filter;
    begin(&filter);
    ADD(&filter, unreadable, UNKNOWN);
    ADD(&filter, starting, FORBID);
    return install(&filter, ALLOW);
}

/* Calls that the C library's headers of older systems lack; the same numbers on all processors. */
enum {
    OPEN_TREE = 428,
    MOVE_MOUNT,
    FSOPEN,
    FSCONFIG,
    FSMOUNT,
    FSPICK,
    PIDFD_GETFD = 438,
    PROCESS_MADVISE = 440,
    MOUNT_SETATTR = 442,
    QUOTACTL_FD = 443,
    MEMFD_SECRET = 447,
    PROCESS_MRELEASE = 448,
    NEWEST = 462, /* mseal. Later ones are unknown to the rules, and fail as on an older kernel */
};

static const struct rule system_wide[] = {
    /* inspect other processes */
    {.call = SYS_ptrace},
    {.call = SYS_process_vm_readv},
    {.call = SYS_process_vm_writev},
    {.call = SYS_kcmp},
    {.call = PIDFD_GETFD},
    {.call = PROCESS_MADVISE},
    {.call = PROCESS_MRELEASE},
    {.call = SYS_move_pages},
    {.call = SYS_migrate_pages},
    {.call = SYS_perf_event_open},
    /* other namespaces and file systems */
    {.call = SYS_unshare},
    {.call = SYS_setns},
    {SYS_clone, UNLESS_EQUAL, 0,
     CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET, 0},
    {.call = SYS_mount},
    {.call = SYS_umount2},
    {.call = SYS_pivot_root},
    {.call = SYS_chroot},
    {.call = OPEN_TREE},
    {.call = MOVE_MOUNT},
    {.call = FSOPEN},
    {.call = FSCONFIG},
    {.call = FSMOUNT},
    {.call = FSPICK},
    {.call = MOUNT_SETATTR},
    {.call = SYS_name_to_handle_at},
    {.call = SYS_open_by_handle_at},
    {.call = SYS_fanotify_init},
    {.call = SYS_quotactl},
    {.call = QUOTACTL_FD},
    {.call = SYS_swapon},
    {.call = SYS_swapoff},
    /* the kernel and its clock */
    {.call = SYS_bpf},
    {.call = SYS_init_module},
    {.call = SYS_finit_module},
    {.call = SYS_delete_module},
    {.call = SYS_kexec_load},
    {.call = SYS_reboot},
    {.call = SYS_acct},
    {.call = SYS_syslog},
    {.call = SYS_sethostname},
    {.call = SYS_setdomainname},
    {.call = SYS_settimeofday},
    {.call = SYS_clock_settime},
    {.call = SYS_adjtimex},
    {.call = SYS_clock_adjtime},
    {.call = SYS_personality},
#ifdef SYS_iopl
    {.call = SYS_iopl},
    {.call = SYS_ioperm},
    {.call = SYS_kexec_file_load},
#endif
    /* keys, which belong to the user */
    {.call = SYS_keyctl},
    {.call = SYS_add_key},
    {.call = SYS_request_key},
    /* memory outside of the limits */
    {.call = SYS_memfd_create},
    {.call = MEMFD_SECRET},
    /* calls that reach others past a filter, or halt the kernel's own accesses */
    {.call = SYS_io_uring_setup},
    {.call = SYS_io_uring_enter},
    {.call = SYS_io_uring_register},
    {.call = SYS_userfaultfd},
    {SYS_ioctl, IF_EQUAL, 1, ~0U, TIOCSTI},
    {SYS_ioctl, IF_EQUAL, 1, ~0U, TIOCLINUX},
    {SYS_socketpair, UNLESS_EQUAL, 0, ~0U, AF_UNIX},
};

/* Sockets that stay in a network namespace. */
static const struct rule own_network[] = {
    {SYS_socket, IF_EQUAL, 0, ~0U, AF_UNIX},
    {SYS_socket, IF_EQUAL, 0, ~0U, AF_INET},
    {SYS_socket, IF_EQUAL, 0, ~0U, AF_INET6},
    {SYS_socket, IF_EQUAL, 0, ~0U, AF_NETLINK},
};
static const struct rule sockets[] = {{.call = SYS_socket}};

/* Without an own network: a socket for those that reach the program, which libcuda opens, and none that reaches
 * others. */
static const struct rule machines_network[] = {
    {SYS_socket, UNLESS_EQUAL, 0, ~0U, AF_UNIX},
    {SYS_socket, UNLESS_EQUAL, 1, SOCK_TYPE, SOCK_SEQPACKET},
};
static const struct rule connections[] = {{.call = SYS_connect}};

/* What reaches all processes of the user, or all that share an IPC namespace. */
static const struct rule user_wide[] = {
    {.call = SYS_shmget},
    {.call = SYS_shmat},
    {.call = SYS_shmctl},
    {.call = SYS_semget},
    {.call = SYS_semop},
    {.call = SYS_semtimedop},
    {.call = SYS_semctl},
    {.call = SYS_msgget},
    {.call = SYS_msgsnd},
    {.call = SYS_msgrcv},
    {.call = SYS_msgctl},
    {.call = SYS_mq_open},
    {.call = SYS_mq_unlink},
    {SYS_prlimit64, UNLESS_EQUAL, 0, ~0U, 0},
    {SYS_setpriority, UNLESS_EQUAL, 0, ~0U, PRIO_PROCESS},
    {SYS_setpriority, UNLESS_EQUAL, 1, ~0U, 0},
    {SYS_sched_setparam, UNLESS_EQUAL, 0, ~0U, 0},
    {SYS_sched_setscheduler, UNLESS_EQUAL, 0, ~0U, 0},
    {SYS_sched_setattr, UNLESS_EQUAL, 0, ~0U, 0},
    {SYS_sched_setaffinity, UNLESS_EQUAL, 0, ~0U, 0},
    {.call = SYS_ioprio_set},
};

/* Forbids signals but those to the process itself and to its group, also such as tell of a descriptor (F_SETOWN). What
 * the program starts cannot signal itself, because its number is not known yet. */
static void forbid_signals(struct filter *filter)
{
    const uint32_t own = (uint32_t)getpid();
    const struct rule to_itself[] = {{SYS_kill, IF_EQUAL, 0, ~0U, own},
                                     {SYS_kill, IF_EQUAL, 0, ~0U, -own},
                                     {SYS_kill, IF_EQUAL, 0, ~0U, 0},
                                     {SYS_tgkill, IF_EQUAL, 0, ~0U, own}};
    static const struct rule to_others[] = {{.call = SYS_kill},
                                            {.call = SYS_tgkill},
                                            {.call = SYS_tkill},
                                            {.call = SYS_rt_sigqueueinfo},
                                            {.call = SYS_rt_tgsigqueueinfo},
                                            {.call = SYS_pidfd_send_signal},
                                            {SYS_fcntl, IF_EQUAL, 1, ~0U, F_SETOWN},
                                            {SYS_fcntl, IF_EQUAL, 1, ~0U, F_SETOWN_EX},
                                            {SYS_ioctl, IF_EQUAL, 1, ~0U, FIOSETOWN},
                                            {SYS_ioctl, IF_EQUAL, 1, ~0U, SIOCSPGRP}};
    ADD(filter, to_itself, ALLOW);
    ADD(filter, to_others, FORBID);
}

bool lab_system_calls_forbid_others(struct lab_system_calls_surroundings surroundings)
{
    struct filter filter;
    begin(&filter);
    APPEND(&filter, JUMP(BPF_JGT, NEWEST, 0, 1), RETURN(UNKNOWN));
    ADD(&filter, unreadable, UNKNOWN);
    ADD(&filter, system_wide, FORBID);
    if (surroundings.namespaces) {
        ADD(&filter, own_network, ALLOW);
        ADD(&filter, sockets, FORBID);
    } else {
        ADD(&filter, user_wide, FORBID);
        ADD(&filter, machines_network, FORBID);
        ADD(&filter, connections, MISSING); /* as if MPS, which libcuda asks for, did not run */
    }
    if (!surroundings.namespaces && !surroundings.scopes)
        forbid_signals(&filter);
    return install(&filter, ALLOW);
}
#else
bool lab_system_calls_allow_few(void)
{
    return false;
}

bool lab_system_calls_forbid_processes(void)
{
    return false;
}

bool lab_system_calls_forbid_others(struct lab_system_calls_surroundings surroundings)
{
    (void)surroundings;
    return false;
}
#endif
