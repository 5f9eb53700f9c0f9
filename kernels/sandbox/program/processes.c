#include "processes.h"

#include "core/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One process of this machine, or of the namespace. */
struct process {
    pid_t id, parent;
    char state;
    uint64_t processor_ticks, threads, resident_pages;
    bool ours;
};

static struct {
    struct process *items;
    size_t count, capacity;
} all;

/* Reads /proc/ID/stat (proc(5)), where the second word, the name in parentheses, may contain anything. */
static bool read_process(int proc, const char *name, struct process *process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "%.20s/stat", name);
    int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *at = strrchr(text, ')');
    uint64_t user, system, children_user, children_system;
    process->id = (pid_t)strtol(name, NULL, 10);
    process->ours = false;
    if (at == NULL || sscanf(at,
                             ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                             " %*d %*d %" SCNu64 " %*d %*u %*u %" SCNu64,
                             &process->state, &process->parent, &user, &system, &children_user, &children_system,
                             &process->threads, &process->resident_pages) != 8)
        return false;
    process->processor_ticks = user + system + children_user + children_system;
    return true;
}

static bool read_all(void)
{
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return false;
    all.count = 0;
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (all.count == all.capacity) {
            size_t capacity = 2 * all.capacity + 256;
            struct process *grown = realloc(all.items, capacity * sizeof *grown);
            if (grown == NULL)
                break;
            all.items = grown;
            all.capacity = capacity;
        }
        all.count += read_process(dirfd(proc), entry->d_name, &all.items[all.count]);
    }
    closedir(proc);
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const struct process *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* The first thread of a process may end before the others, and then has the state of a process that has ended. */
static bool lives(const struct process *process)
{
    return (process->state != 'Z' && process->state != 'X') || process->threads > 1;
}

static struct process *find(pid_t id)
{
    const struct process wanted = {.id = id};
    return bsearch(&wanted, all.items, all.count, sizeof wanted, compare_ids);
}

static bool is_ours(pid_t id)
{
    const struct process *found = id != getpid() ? find(id) : NULL;
    return id == getpid() || (found != NULL && found->ours);
}

/* Marks the descendants: parents mostly have lower numbers than their children, so few passes find all. */
static void mark_ours(void)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < all.count; i++)
            if (!all.items[i].ours && is_ours(all.items[i].parent))
                all.items[i].ours = found = true;
    }
}

bool lab_processes_scan(struct lab_processes *processes)
{
    processes->living = 0;
    processes->tasks = processes->memory_bytes = processes->processor_us = 0;
    if (!read_all())
        return false;
    qsort(all.items, all.count, sizeof *all.items, compare_ids);
    mark_ours();
    for (size_t i = 0; i < all.count; i++) {
        const struct process *process = &all.items[i];
        if (!process->ours)
            continue;
        processes->processor_us += process->processor_ticks * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
        if (!lives(process))
            continue;
        if (processes->living == processes->capacity) {
            size_t capacity = 2 * processes->capacity + 64;
            pid_t *grown = realloc(processes->ids, capacity * sizeof *grown);
            if (grown == NULL)
                break;
            processes->ids = grown;
            processes->capacity = capacity;
        }
        processes->ids[processes->living++] = process->id;
        processes->tasks += process->threads;
        processes->memory_bytes += process->resident_pages * (uint64_t)sysconf(_SC_PAGESIZE);
    }
    return true;
}

/* Reads the proportional set size (proc(5)): of pages that several processes share, their part; 0 of a process that
 * ends just now. */
static bool read_proportional(pid_t id, uint64_t *bytes)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    bool ended = length < 0 && (errno == ESRCH || errno == ENOENT);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *at = strstr(text, "\nPss:");
    bool good = at != NULL && sscanf(at, "\nPss: %" SCNu64, bytes) == 1;
    *bytes <<= 10;
    return good || ended;
}

uint64_t lab_processes_memory(const struct lab_processes *processes)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < processes->living; i++) {
        uint64_t bytes = 0;
        if (!read_proportional(processes->ids[i], &bytes))
            bytes = find(processes->ids[i])->resident_pages * (uint64_t)sysconf(_SC_PAGESIZE);
        sum += bytes;
    }
    return sum;
}

/* Reaps what has ended; if `id` has, *status is how. True if no child, and so no descendant, is left. */
static bool reap_all(pid_t id, int *status)
{
    pid_t reaped;
    for (int ended; (reaped = waitpid(-1, &ended, WNOHANG)) > 0;)
        if (reaped == id)
            *status = ended;
    return reaped < 0;
}

/* What was killed is not reaped before nothing seems to live, so that its number belongs to no new process, and so that
 * the limit on processes leaves fewer and fewer to a program that goes on starting them. */
unsigned lab_processes_end(struct lab_processes *processes, double deadline_s, unsigned *not_killed, pid_t id,
                           int *status)
{
    unsigned killed = 0;
    double end = lab_clock_now() + deadline_s;
    useconds_t pause_us = 500;
    *not_killed = 0;
    for (;;) {
        bool seen = lab_processes_scan(processes);
        if (seen && processes->living == 0 && reap_all(id, status))
            return killed;
        if (killed < processes->living)
            killed = processes->living;
        if (lab_clock_now() > end)
            break;
        if (getpid() == 1)
            kill(-1, SIGKILL); /* all of the namespace at once */
        for (unsigned i = 0; i < processes->living; i++)
            kill(processes->ids[i], SIGKILL);
        usleep(pause_us);
        pause_us += pause_us < 10000 ? pause_us : 0;
    }
    *not_killed = processes->living > 0 ? processes->living : 1;
    reap_all(id, status);
    return killed;
}
