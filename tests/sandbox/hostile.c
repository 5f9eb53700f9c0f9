/* gpulab-hostile ATTACK [ARGUMENT]: does what a sandbox must prevent. Exit code 0: it got nothing; 1: it got what it
 * wanted, also written to standard output. What could exhaust a machine without a sandbox is bounded, and ends after a
 * minute. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MINUTE_S = 60 };

extern char **environ;

static int got(bool something, const char *what)
{
    if (something)
        printf("%s\n", what);
    return something;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static int read_file(const char *path)
{
    return got(open(path, O_RDONLY) >= 0, path);
}

static int write_file(const char *path)
{
    return got(open(path, O_WRONLY | O_CREAT, 0600) >= 0, path);
}

static int follow_link(const char *path)
{
    if (symlink(path, "link") != 0)
        return 2;
    return read_file("link");
}

static int link_out(const char *path)
{
    return got(link(path, "hard") == 0, path);
}

static int fill_folder(const char *unused)
{
    static char block[1 << 16];
    (void)unused;
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "file%d", i);
        int file = open(name, O_WRONLY | O_CREAT, 0600);
        for (int j = 0; j < 16 && file >= 0; j++)
            if (write(file, block, sizeof block) < 0)
                return 2;
        close(file);
        usleep(1000);
    }
    return got(true, "a gigabyte");
}

/* The files are below a folder that nobody can read. */
static int fill_hidden(const char *unused)
{
    if (mkdir("hidden", 0700) != 0 || chdir("hidden") != 0 || chmod("../hidden", 0300) != 0)
        return 2;
    return fill_folder(unused);
}

static int make_many(const char *unused)
{
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "d%d", i);
        mkdir(name, 0);
        usleep(100);
    }
    return got(true, "many folders");
}

static int make_deep(const char *unused)
{
    (void)unused;
    for (int i = 0; i < 5000; i++)
        if (mkdir("d", 0700) != 0 || chdir("d") != 0)
            return 2;
    while (pause() != 0) {
    }
    return 2;
}

static int write_one_file(const char *unused)
{
    static char block[1 << 20];
    int file = open("file", O_WRONLY | O_CREAT, 0600);
    (void)unused;
    for (int i = 0; i < 1000; i++)
        if (write(file, block, sizeof block) < 0)
            return 2;
    return got(true, "a gigabyte");
}

/* --- the network -------------------------------------------------------------------------------------------------- */

static int connect_to(int type, const char *port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = socket(AF_INET, type, 0);
    if (one < 0 || connect(one, (const struct sockaddr *)&address, sizeof address) != 0)
        return 0;
    ssize_t sent = write(one, "x", 1);
    /* Nobody hears a datagram in an own network: the next call says so. */
    return got(sent == 1 && (type == SOCK_STREAM || write(one, "x", 1) == 1), "connected");
}

static int tcp(const char *port)
{
    return connect_to(SOCK_STREAM, port);
}

static int udp(const char *port)
{
    return connect_to(SOCK_DGRAM, port);
}

static int connect_unix(const char *name, bool abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    memcpy(address.sun_path + abstract, name, length);
    int one = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + length);
    return got(one >= 0 && connect(one, (const struct sockaddr *)&address, size) == 0, name);
}

static int abstract_socket(const char *name)
{
    return connect_unix(name, true);
}

static int unix_socket(const char *path)
{
    return connect_unix(path, false);
}

static int other_sockets(const char *unused)
{
    static const int families[] = {AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_KEY};
    int found = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        found |= got(socket(families[i], SOCK_DGRAM, 0) >= 0 || errno != EPERM, "a socket");
    return found;
}

/* --- other processes ---------------------------------------------------------------------------------------------- */

/* Signal 0 only asks whether a signal would arrive. */
static int signal_others(const char *id)
{
    pid_t other = (pid_t)atoi(id);
    return got(kill(other, 0) == 0, "a process");
}

static int signal_parent(const char *unused)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGSEGV, SIGSTOP, SIGKILL};
    (void)unused;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        kill(getppid(), signals[i]);
    usleep(100000);
    return 0;
}

static int trace_others(const char *id)
{
    pid_t other = (pid_t)atoi(id);
    long seized = ptrace(PTRACE_SEIZE, other, NULL, NULL);
    return got(seized == 0 || ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0, "a process");
}

/* The bomb of a shell, bounded by a count that all its processes share. */
static int fork_bomb(const char *unused)
{
    atomic_int *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)unused;
    alarm(MINUTE_S);
    while (atomic_fetch_add(count, 1) < 3000)
        if (fork() == 0)
            alarm(MINUTE_S); /* is not inherited */
    while (pause() != 0) {
    }
    return 2;
}

/* Leaves a process that has no terminal, parent and group of this one. It holds descriptor 3. */
static int leave_daemon(const char *unused)
{
    int ready[2];
    char byte;
    (void)unused;
    if (pipe(ready) != 0)
        return 2;
    pid_t between = fork();
    if (between == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_IGN);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (int i = 0; i < MINUTE_S; i++)
            sleep(1);
        _exit(0);
    }
    return read(ready[0], &byte, 1) == 1 && waitpid(between, NULL, 0) == between ? 0 : 2;
}

/* A process that forks and ends, over and over, holds descriptor 3: whoever looks for it finds one that has ended. */
static int run_away(const char *unused)
{
    time_t end = time(NULL) + MINUTE_S;
    (void)unused;
    if (fork() == 0) {
        setsid();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        while (time(NULL) < end) {
            if (fork() > 0)
                _exit(0);
        }
        _exit(0);
    }
    usleep(50000);
    return 0;
}

static int open_namespace(const char *unused)
{
    (void)unused;
    return got(unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWPID) == 0 ||
                   syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL) >= 0,
               "a namespace");
}

/* Calls that must fail with EPERM, whatever their arguments. */
static int forbidden_calls(const char *unused)
{
    static const struct {
        const char *name;
        long number;
    } calls[] = {{"mount", SYS_mount},
                 {"umount2", SYS_umount2},
                 {"chroot", SYS_chroot},
                 {"keyctl", SYS_keyctl},
                 {"add_key", SYS_add_key},
                 {"bpf", SYS_bpf},
                 {"perf_event_open", SYS_perf_event_open},
                 {"io_uring_setup", SYS_io_uring_setup},
                 {"userfaultfd", SYS_userfaultfd},
                 {"process_vm_readv", SYS_process_vm_readv},
                 {"memfd_create", SYS_memfd_create},
                 {"setns", SYS_setns},
                 {"open_by_handle_at", SYS_open_by_handle_at},
                 {"init_module", SYS_init_module}};
    int found = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        found |= got(syscall(calls[i].number, 0, 0, 0, 0, 0) >= 0 || errno != EPERM, calls[i].name);
    return found;
}

/* --- what is inherited -------------------------------------------------------------------------------------------- */

static int print_environment(const char *unused)
{
    (void)unused;
    for (char **variable = environ; *variable != NULL; variable++)
        printf("%s\n", *variable);
    return 0;
}

static int print_descriptors(const char *unused)
{
    (void)unused;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0)
            printf("%d ", descriptor);
    return 0;
}

/* --- time, memory, output ----------------------------------------------------------------------------------------- */

static int loop(const char *unused)
{
    (void)unused;
    alarm(MINUTE_S);
    for (volatile bool on = true; on;) {
    }
    return 2;
}

static int write_endlessly(const char *unused)
{
    static char block[1 << 16];
    (void)unused;
    alarm(MINUTE_S);
    while (write(STDOUT_FILENO, block, sizeof block) > 0) {
    }
    return 2;
}

/* Writes 256 MiB to each stream. */
static int flood(const char *unused)
{
    static char block[1 << 16];
    (void)unused;
    for (int i = 0; i < 4096; i++)
        for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
            for (size_t written = 0; written < sizeof block;) {
                ssize_t more = write(stream, block, sizeof block - written);
                if (more < 0)
                    return 2;
                written += (size_t)more;
            }
    return 0;
}

static int close_output(const char *unused)
{
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    return loop(unused);
}

static int stop_itself(const char *unused)
{
    raise(SIGSTOP);
    return loop(unused);
}

static int kill_group(const char *unused)
{
    kill(0, SIGKILL);
    return loop(unused);
}

static void *loop_in_thread(void *unused)
{
    loop(unused);
    return NULL;
}

/* The first thread ends: the process looks as if it had. */
static int outlive_first_thread(const char *unused)
{
    pthread_t thread;
    (void)unused;
    if (fork() == 0) {
        setsid();
        if (pthread_create(&thread, NULL, loop_in_thread, NULL) == 0)
            pthread_exit(NULL);
    }
    usleep(100000);
    return 0;
}

static bool touch(size_t bytes)
{
    char *memory = malloc(bytes);
    for (size_t i = 0; memory != NULL && i < bytes; i += 4096)
        *(volatile char *)(memory + i) = 1;
    return memory != NULL;
}

static int use_memory(const char *unused)
{
    (void)unused;
    return got(touch((size_t)1 << 30), "a gigabyte");
}

/* Each process stays within what one may have. */
static int use_memory_together(const char *unused)
{
    (void)unused;
    alarm(MINUTE_S);
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            alarm(MINUTE_S);
            touch((size_t)16 << 20);
            pause();
        }
    while (pause() != 0) {
    }
    return 2;
}

/* What the processes share counts once: 48 MiB. */
static int share_memory(const char *unused)
{
    size_t bytes = (size_t)48 << 20;
    char *memory = malloc(bytes);
    (void)unused;
    if (memory == NULL)
        return 2;
    memset(memory, 1, bytes);
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            usleep(500000);
            _exit(memory[i] == 1 ? 0 : 2);
        }
    while (wait(NULL) > 0) {
    }
    return 0;
}

static int greet(const char *name)
{
    char line[64] = "";
    ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
    printf("hello %s, %zd: %s", name, length, line);
    fprintf(stderr, "careful");
    return 7;
}

static int crash(const char *unused)
{
    (void)unused;
    raise(SIGSEGV);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const char *argument);
    } attacks[] = {
        {"read", read_file},
        {"write", write_file},
        {"symlink", follow_link},
        {"link", link_out},
        {"fill", fill_folder},
        {"fill-hidden", fill_hidden},
        {"many", make_many},
        {"deep", make_deep},
        {"one-file", write_one_file},
        {"tcp", tcp},
        {"udp", udp},
        {"abstract", abstract_socket},
        {"unix", unix_socket},
        {"sockets", other_sockets},
        {"signal", signal_others},
        {"signal-parent", signal_parent},
        {"trace", trace_others},
        {"bomb", fork_bomb},
        {"daemon", leave_daemon},
        {"run-away", run_away},
        {"namespace", open_namespace},
        {"calls", forbidden_calls},
        {"environment", print_environment},
        {"descriptors", print_descriptors},
        {"loop", loop},
        {"output", write_endlessly},
        {"flood", flood},
        {"close", close_output},
        {"stop", stop_itself},
        {"group", kill_group},
        {"thread", outlive_first_thread},
        {"memory", use_memory},
        {"memory-together", use_memory_together},
        {"memory-shared", share_memory},
        {"greet", greet},
        {"crash", crash},
    };
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks && argc > 1; i++)
        if (strcmp(attacks[i].name, argv[1]) == 0)
            return attacks[i].run(argc > 2 ? argv[2] : NULL);
    return 99;
}
