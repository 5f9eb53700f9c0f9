/* Runs a program that may be hostile, such as one that a person wrote or the compiler that builds it, in a sandbox. It
 * can read the system and what the call lists, write to one folder, and open the devices of the call; it has no
 * network, sees no other process, gets none of the caller's descriptors and variables, and leaves no process behind.
 * README.md says how, and what each way cannot do.
 *
 * Functions may be called from any thread, and several programs may run at a time, each with a folder of its own.
 */
#ifndef LAB_SANDBOX_H
#define LAB_SANDBOX_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { LAB_SANDBOX_DETAIL_MAX = 512 };

/* --- what this machine offers ------------------------------------------------------------------------------------- */

enum lab_sandbox_way {
    LAB_SANDBOX_NONE,
    LAB_SANDBOX_LANDLOCK,   /* Landlock, seccomp, limits */
    LAB_SANDBOX_BUBBLEWRAP, /* the same in namespaces of its own */
};

/* How the way is called, for people and in documents: "none", "landlock", "bubblewrap". */
const char *lab_sandbox_way_name(enum lab_sandbox_way way);

/* The user that programs run as, where the caller is root. */
struct lab_sandbox_user {
    uid_t uid;
    gid_t gid;
};

/* What lab_sandbox_probe looks for. A zero or NULL means what stands first. */
struct lab_sandbox_options {
    bool has_user; /* false: programs run as the caller's user, which must not be root for LAB_SANDBOX_LANDLOCK */
    struct lab_sandbox_user user;
    bool without_bubblewrap; /* false: the better way is tried first */
    const char *helper;      /* path of gpulab-sandbox; NULL: in the folder of this program */
};

/* Filled by lab_sandbox_probe, and not changed by others. */
struct lab_sandbox {
    enum lab_sandbox_way way;
    /* Sentences: why a better way is not available; "" if there is none. Of LAB_SANDBOX_NONE: what to install or to
     * enable. */
    char detail[LAB_SANDBOX_DETAIL_MAX];
    bool has_user;
    struct lab_sandbox_user user;
    char helper[PATH_MAX], bubblewrap[PATH_MAX];
    /* The cgroup below which each program gets one of its own; "": none was delegated. What the kernel limits there. */
    char cgroup[PATH_MAX - 64];
    bool cgroup_memory, cgroup_tasks;
};

/* Finds the best way by running a program that does nothing. False: there is none (LAB_SANDBOX_NONE). Takes less than a
 * second, and needs to be called once in a process. */
bool lab_sandbox_probe(const struct lab_sandbox_options *options, struct lab_sandbox *sandbox);

/* --- running a program -------------------------------------------------------------------------------------------- */

/* Bounds. Each must be at least 1. */
struct lab_sandbox_limits {
    double wall_s;
    uint64_t processor_s;  /* of each process; then SIGXCPU ends it. Of all together: LAB_SANDBOX_PROCESSOR_LIMIT */
    uint64_t memory_bytes; /* resident in all processes; data of each, beyond which its allocations fail */
    uint64_t tasks;        /* processes and threads at a time */
    uint64_t open_files;   /* of each process */
    uint64_t file_bytes;   /* of each file; then SIGXFSZ ends the process */
    uint64_t folder_bytes; /* of the files in the folder, checked several times a second */
    uint64_t folder_files; /* their number, with folders */
};

enum lab_sandbox_stream { LAB_SANDBOX_OUTPUT, LAB_SANDBOX_ERRORS };

/* Gets output as it comes, in the thread that called lab_sandbox_run. False ends the program
 * (LAB_SANDBOX_OUTPUT_LIMIT). What is not kept is gone: output is read for as long as the program runs, so that the
 * program never waits for its reader. */
typedef bool lab_sandbox_sink(void *context, enum lab_sandbox_stream stream, const char *bytes, size_t size);

/* The first of the descriptors `kept` in the program; the others follow it. */
enum { LAB_SANDBOX_KEPT = 3, LAB_SANDBOX_KEPT_MAX = 4 };

/* Lists end with NULL; a list that is NULL is empty. Paths are absolute and without symbolic links. */
struct lab_sandbox_call {
    char *const *arguments; /* the first is the program's path, absolute or in `folder` */

    /* All variables of the program, NAME=VALUE, but HOME and TMPDIR, which follow from `folder`. Like the arguments,
     * they are visible to all users of the machine. */
    char *const *environment;

    /* Where the program can write, and nowhere else: its working folder and HOME; TMPDIR is the folder
     * LAB_SANDBOX_TEMPORARY in it. It exists, and nobody else can replace it. With another user, who must be able to
     * enter the folders above it, it and all that is in it is given to that user. */
    const char *folder;

    const char *const *readable; /* more files and folders to read and to execute */
    const char *const *devices;  /* device files to open */
    int input;                   /* standard input, open for reading alone; -1: empty */
    const int *kept;             /* open descriptors that the program gets, from LAB_SANDBOX_KEPT on */
    size_t kept_count;           /* at most LAB_SANDBOX_KEPT_MAX */
    struct lab_sandbox_limits limits;
    const atomic_bool *cancel; /* becomes true to end the program; NULL: never */
    lab_sandbox_sink *sink;
    void *context; /* of the sink */
};

#define LAB_SANDBOX_TEMPORARY ".tmp"

/* Why a program ended. */
enum lab_sandbox_end {
    LAB_SANDBOX_NOT_STARTED, /* `detail` says why */
    LAB_SANDBOX_ITSELF,      /* `status` says how: a limit of one process is a signal there */
    LAB_SANDBOX_CANCELLED,
    LAB_SANDBOX_WALL_LIMIT,
    LAB_SANDBOX_PROCESSOR_LIMIT,
    LAB_SANDBOX_MEMORY_LIMIT,
    LAB_SANDBOX_TASK_LIMIT,
    LAB_SANDBOX_FOLDER_LIMIT,
    LAB_SANDBOX_DISK_LIMIT, /* the file system of the folder is nearly full, by whomever */
    LAB_SANDBOX_OUTPUT_LIMIT,
    LAB_SANDBOX_LOST, /* gpulab-sandbox was killed by somebody, or a process could not be killed; see `detail` */
};

/* A sentence; "" for LAB_SANDBOX_ITSELF. */
const char *lab_sandbox_end_text(enum lab_sandbox_end end);

struct lab_sandbox_result {
    enum lab_sandbox_end end;
    int status;                          /* from waitpid, unless end is NOT_STARTED or LOST */
    char detail[LAB_SANDBOX_DETAIL_MAX]; /* lab_sandbox_end_text, or one that says more of NOT_STARTED or LOST */
    double wall_s, processor_s;          /* of all its processes */
    uint64_t memory_bytes;               /* the most that was seen resident in all of them */
    unsigned left_behind; /* processes that still ran when the program had ended by itself, and were killed */
};

/* Runs the program and returns when no process of it is left. True if it was started. */
bool lab_sandbox_run(const struct lab_sandbox *sandbox, const struct lab_sandbox_call *call,
                     struct lab_sandbox_result *result);

/* --- its folder --------------------------------------------------------------------------------------------------- */

/* Removes a folder and all that is in it, whatever its permissions and depth. Follows no symbolic link. No program may
 * run in it. False with errno if something is left. */
bool lab_sandbox_folder_remove(const char *path);

#endif
