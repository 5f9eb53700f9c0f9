/* The language between server and worker: one JSON object a line, UTF-8, in both directions.
 *
 * Operations, server to worker
 *   {"op":"describe"}
 *   {"op":"run","run":ID,"experiment":NAME,"devices":[ID,…],"parameters":{…}}    parameters resolved by the server
 *                                                   and "trace":true for the pass that yields spans alone
 *   {"op":"cancel","run":ID}                                                     honoured between two samples
 *
 * Events, worker to server
 *   {"event":"description","devices":[facts…],"build":{version,commit,compiler,flags,cuda,architectures,runtime}}
 *   {"event":"started","run":ID,"environment":{…}}                               METHOD.md 16
 *   {"event":"progress","run":ID,"done":N,"total":N,"label":TEXT}
 *   {"event":"measurement","run":ID,"measurement":{… as in the API, and "samples":[…]}}
 *   {"event":"span","run":ID,"span":{lane,kind,label,start_ns,end_ns,axes}}
 *   {"event":"warning","run":ID,"text":TEXT}                                     belongs to the result
 *   {"event":"log","text":TEXT}
 *   {"event":"finished","run":ID,"status":"succeeded|failed|cancelled","contended":BOOL,"lost":BOOL,
 *    "error":{"type","title","detail"}|null}                                     exactly one ends a run
 *
 * "lost" says that the worker's device context is broken; such a worker exits by itself after the line.
 * The worker reads operations on fd 0 and writes events to what was fd 1; its fd 1 then goes to stderr, because
 * libraries print. It ends when its input closes.
 */
#ifndef LAB_PROTOCOL_H
#define LAB_PROTOCOL_H

enum { LAB_PROTOCOL_VERSION = 1 };

/* Where the device locks lie unless --lock-dir names another folder: shared by all users of the machine. */
#define LAB_LOCK_DIR_DEFAULT "/run/lock/gpulab"

/* A line is at most this long, its newline included; a longer one is a broken peer. */
enum { LAB_LINE_MAX = 4 * 1024 * 1024 };

/* Exit codes of the worker. */
enum {
    LAB_WORKER_EXIT_OK = 0,
    LAB_WORKER_EXIT_USAGE = 2,
    LAB_WORKER_EXIT_NO_DEVICE = 3,
    LAB_WORKER_EXIT_LOST = 4,
    LAB_WORKER_EXIT_PROTOCOL = 5
};

#endif
