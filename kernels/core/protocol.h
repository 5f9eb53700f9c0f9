/* The protocol between server and worker: one JSON object per line, UTF-8, in both directions.
 *
 * Both sides begin with a hello, each as its first line. A side that hears another version than LAB_PROTOCOL_VERSION
 * ends the connection with both numbers.
 *
 * Operations, server to worker
 *   {"op":"hello","version":N,"host":NAME}
 *   {"op":"describe"}
 *   {"op":"run","run":ID,"experiment":NAME,"devices":[ID,…],"parameters":{…}}    parameters as resolved by the server;
 *                                                   "trace":true runs the experiment for its spans only;
 *                                                   "calibrated":{name:integer}: see `finished`
 *                                                   "kernel": the person's own kernel as the request has it, but instead of
 *                                                   "source" and "files" an edited source has "image":BASE64, a cubin, and
 *                                                   a kernel of its own "variants":[{"macros":{name:value},"image",
 *                                                   "entry":the name in the cubin,"reference":{"entry","image"?}},…], or
 *                                                   with "refusal":TEXT where the compiler rejected the source
 *                                                   "program": the whole program as the request has it
 *                                                   "outputs":PATH of a file: the outputs of the own kernel are written to
 *                                                   it, and another process judges them (METHOD.md 23). With
 *                                                   "judges":true this is that process: the kernel has its reference
 *                                                   alone, nothing is measured, and each point gets an event `verdict`.
 *                                                   In both, "secret":true of the kernel makes random contents such that
 *                                                   their seed cannot be computed from them
 *                                                   "owner": of a program or of the check of a kernel, an id of the person who
 *                                                   asks for the run; what is built of it is kept for that person. Absent: the
 *                                                   user of the lab
 *                                                   "compare_with":{"experiment","devices","parameters","kernel","program"}: measured
 *                                                   alternately with the run; its measurements have "side":"base",
 *                                                   the run's own "side":"head", both "rounds":[[…],…] (METHOD.md 19)
 *                                                   "group":{"size":N,"index":I,"ranks":N,"first_rank":N}: `size` workers
 *                                                   execute the run together, and this is the one with the index I. Each
 *                                                   gets its own devices. All devices have ranks from 0 on, those of this
 *                                                   worker from `first_rank` on. Measurements are sent by index 0
 *   {"op":"group","run":ID,"id":TEXT}               to all workers of a group, when each has sent its event `group`: the id
 *                                                   that index 0 sent
 *   {"op":"cancel","run":ID}                                                     takes effect between two samples
 *   {"op":"heartbeat"}                              every LAB_HEARTBEAT_S to a worker that was started with --silence
 *
 * Events, worker to server
 *   {"event":"hello","version":N,"host":NAME}       before the devices are looked for
 *   {"event":"description","devices":[facts…],"machine":{name,kernel,cpu,processors,memory_bytes},
 *    "build":{version,commit,type,compiler,flags,cuda,architectures,runtime},
 *    "programs":{"commands":[{name,text,arguments,format,limit_s}…],"reason"}}    the commands of the machine (experiments/program/commands.h)
 *   {"event":"started","run":ID,"environment":{…}}                               METHOD.md 16
 *   {"event":"group","run":ID,"id":TEXT|null}       the worker has opened its devices and waits for the operation `group`;
 *                                                   index 0 sends the id by which the workers find each other, Base64
 *   {"event":"progress","run":ID,"done":N,"total":N,"label":TEXT}
 *   {"event":"measurement","run":ID,"measurement":{… as in the API, and "samples":[…]}}
 *   {"event":"verdict","run":ID,"axes":{…},"wrong":N,"text":TEXT|null}           elements of the outputs of a point that are
 *                                                   wrong, and which is the first
 *   {"event":"span","run":ID,"span":{lane,kind,label,start_ns,end_ns,axes,details}}
 *   {"event":"field","run":ID,"field":{name,rows,columns,values,element_type,axes}}    at most LAB_FIELDS_MAX of a run
 *   {"event":"warning","run":ID,"text":TEXT}                                     casts doubt on the result; shown with it
 *   {"event":"note","run":ID,"text":TEXT}                                        a fact; shown with the result
 *   {"event":"messages","run":ID,"messages":[{severity,text,file,line,column},…]}  what compilers say of the files of a program,
 *                                                   errors first
 *   {"event":"findings","run":ID,"findings":[{name,text,lesson},…]}              what the timeline of a program shows
 *   {"event":"output","run":ID,"stream":"compiler|stdout|stderr","text":TEXT}    what a program printed, as it comes; at most
 *                                                   LAB_OUTPUT_MAX bytes of a run
 *   {"event":"log","text":TEXT}
 *   {"event":"heartbeat"}                           every LAB_HEARTBEAT_S, also during a run, from a thread of its own
 *   {"event":"finished","run":ID,"status":"succeeded|failed|cancelled","contended":BOOL,"lost":BOOL,
 *    "error":{"type","title","detail"}|null,                                     exactly one, the last event of a run
 *    "calibrated":{name:integer},                 values found by calibration, for the `run` that traces the same run
 *    "libraries":{name:version|null}}                                            null: the process has not opened it
 *
 * "cancelled" is also the status of a run that was cancelled after its last point. "lost":true means that the worker's
 * device context is unusable; the worker exits after sending this line. The worker reads operations from fd 0. It
 * writes events to a duplicate of the fd 1 that it was started with, and redirects fd 1 to stderr, because libraries
 * print to stdout. The worker exits when its input is closed, and, started with --silence S, when it has received
 * nothing for S seconds: a worker on another machine must not go on measuring when the server or the network is gone.
 */
#ifndef LAB_PROTOCOL_H
#define LAB_PROTOCOL_H

/* The directory of the device locks unless --lock-dir names another one; shared by all users of the machine. */
#define LAB_LOCK_DIR_DEFAULT "/run/lock/gpulab"

/* The file of the commands that a machine offers (experiments/program/commands.h), unless --programs names another
 * one. */
#define LAB_PROGRAMS_FILE_DEFAULT "/etc/gpulab/programs.json"

/* Changes with every change of the protocol that the other side must know of. */
enum { LAB_PROTOCOL_VERSION = 11 };

/* Maximum length of a line in bytes, including its newline. After a longer line the worker exits with
 * LAB_WORKER_EXIT_PROTOCOL and the server kills the worker; both say so and keep at most this many bytes. */
enum { LAB_LINE_MAX = 4 * 1024 * 1024 };

/* Where output of a program comes from. */
#define LAB_OUTPUT_STREAMS "compiler", "stdout", "stderr"

/* Bytes of output that are kept of a run. */
enum { LAB_OUTPUT_MAX = 1024 * 1024 };

/* Bytes of a saved output of an own kernel, and of elements that are given. */
enum { LAB_SAVED_OUTPUT_MAX = 512 * 1024 };

/* Rows and columns of a field that is no saved output, and fields of a run. */
enum { LAB_FIELD_SIDE_MAX = 256, LAB_FIELDS_MAX = 64 };

/* Seconds between two heartbeats. They show that the process runs; a thread of it may hang all the same. */
enum { LAB_HEARTBEAT_S = 5 };

/* Exit codes of the worker. */
enum {
    LAB_WORKER_EXIT_OK = 0,
    LAB_WORKER_EXIT_USAGE = 2,
    LAB_WORKER_EXIT_NO_DEVICE = 3,
    LAB_WORKER_EXIT_LOST = 4, /* a device context became unusable: see "lost" above */
    LAB_WORKER_EXIT_PROTOCOL =
        5 /* a line that is not an operation or is too long, too many queued operations, a pipe that failed */
};

#endif
