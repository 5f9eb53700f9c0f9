/* The error codes: what programs read in problem documents, in the error of a failed run and in the messages between
 * processes. A code arrives as text in one place of each entrance, and is compared as a value of the enumeration.
 */
#ifndef LAB_ERROR_CODES_H
#define LAB_ERROR_CODES_H

/* ROW(value of the enumeration, name, title, HTTP status). The name never changes: it is stored, and programs know it.
 * Title NULL: the words of the name. Status 0: no answer has this code as its type; it is among the errors of an
 * answer, of a failed run, or of the command line. Which routes answer with a code that has a status is in
 * server/api/routes.c, and in openapi/responses.c where it is all of them. */
#define LAB_ERROR_CODES(ROW)                                                                                           \
    /* requests that server/http refuses */                                                                            \
    ROW(MALFORMED_REQUEST, "malformed-request", NULL, 400)                                                             \
    ROW(MALFORMED_BODY, "malformed-body", NULL, 400)                                                                   \
    ROW(MALFORMED_TARGET, "malformed-target", NULL, 400)                                                               \
    ROW(MALFORMED_HEADER, "malformed-header", NULL, 400)                                                               \
    ROW(REPEATED_HEADER, "repeated-header", NULL, 400)                                                                 \
    ROW(AMBIGUOUS_LENGTH, "ambiguous-length", NULL, 400)                                                               \
    ROW(UNSUPPORTED_TRANSFER_ENCODING, "unsupported-transfer-encoding", NULL, 400)                                     \
    ROW(MISSING_HOST, "missing-host", NULL, 400)                                                                       \
    ROW(MALFORMED_HOST, "malformed-host", NULL, 400)                                                                   \
    ROW(MALFORMED_JSON, "malformed-json", "Malformed JSON", 400)                                                       \
    ROW(DUPLICATE_KEY, "duplicate-key", NULL, 400)                                                                     \
    ROW(TOO_DEEP, "too-deep", NULL, 400)                                                                               \
    ROW(MISSING_TOKEN, "missing-token", NULL, 401)                                                                     \
    ROW(UNKNOWN_TOKEN, "unknown-token", NULL, 401)                                                                     \
    ROW(FOREIGN_HOST, "foreign-host", "Host not allowed", 403)                                                         \
    ROW(FOREIGN_ORIGIN, "foreign-origin", "Origin not allowed", 403)                                                   \
    ROW(ROLE_TOO_LOW, "role-too-low", NULL, 403)                                                                       \
    ROW(METHOD_NOT_ALLOWED, "method-not-allowed", NULL, 405)                                                           \
    ROW(BODY_TOO_LARGE, "body-too-large", NULL, 413)                                                                   \
    ROW(TARGET_TOO_LONG, "target-too-long", NULL, 414)                                                                 \
    ROW(UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", NULL, 415)                                                   \
    ROW(INVALID_REQUEST, "invalid-request", NULL, 422)                                                                 \
    ROW(WRONG_TYPE, "wrong-type", NULL, 422)                                                                           \
    ROW(TOO_MANY_REQUESTS, "too-many-requests", NULL, 429)                                                             \
    ROW(HEADERS_TOO_LARGE, "headers-too-large", NULL, 431)                                                             \
    ROW(OUT_OF_MEMORY, "out-of-memory", NULL, 500)                                                                     \
    ROW(NO_ANSWER, "no-answer", "Internal server error", 500)                                                          \
    ROW(UNKNOWN_METHOD, "unknown-method", NULL, 501)                                                                   \
    ROW(TOO_MANY_STREAMS, "too-many-streams", NULL, 503)                                                               \
    ROW(TOO_BUSY, "too-busy", NULL, 503)                                                                               \
    ROW(NO_SPACE, "no-space", NULL, 503)                                                                               \
    ROW(STOPPING, "stopping", "Server is stopping", 503)                                                               \
    ROW(UNSUPPORTED_VERSION, "unsupported-version", NULL, 505)                                                         \
    /* requests that a handler refuses */                                                                              \
    ROW(BAD_CURSOR, "bad-cursor", "Invalid cursor", 400)                                                               \
    ROW(RUN_OF_ANOTHER, "run-of-another", NULL, 403)                                                                   \
    ROW(NOT_FOUND, "not-found", NULL, 404)                                                                             \
    ROW(RUN_IS_LIVE, "run-is-live", "Run has not finished", 409)                                                       \
    ROW(RUN_IS_FINISHED, "run-is-finished", "Run has finished", 409)                                                   \
    ROW(RUN_IS_PINNED, "run-is-pinned", NULL, 409)                                                                     \
    ROW(CHALLENGE_NOT_OPEN, "challenge-not-open", NULL, 409)                                                           \
    ROW(SUBMISSIONS_ARE_SECRET, "submissions-are-secret", NULL, 409)                                                   \
    ROW(NAME_IN_USE, "name-in-use", NULL, 409)                                                                         \
    ROW(TOO_MANY_TOKENS, "too-many-tokens", NULL, 409)                                                                 \
    ROW(TOO_MANY_COMMENTS, "too-many-comments", NULL, 409)                                                             \
    ROW(REVISION_MISMATCH, "revision-mismatch", NULL, 412)                                                             \
    ROW(IDEMPOTENCY_KEY_REUSED, "idempotency-key-reused", NULL, 422)                                                   \
    ROW(PRECONDITION_REQUIRED, "precondition-required", NULL, 428)                                                     \
    ROW(QUEUE_FULL, "queue-full", NULL, 429)                                                                           \
    ROW(NO_RANDOMNESS, "no-randomness", NULL, 500)                                                                     \
    ROW(STORE_UNAVAILABLE, "store-unavailable", NULL, 503)                                                             \
    ROW(NOT_READY, "not-ready", NULL, 503)                                                                             \
    ROW(RUN_IN_PROGRESS, "run-in-progress", NULL, 503)                                                                 \
    ROW(NOT_EXAMINED, "not-examined", NULL, 503)                                                                       \
    ROW(NO_COMPILER, "no-compiler", NULL, 503)                                                                         \
    ROW(COMPILER_FAILED, "compiler-failed", NULL, 503)                                                                 \
    /* what is wrong in a request */                                                                                   \
    ROW(BAD_NAME, "bad-name", NULL, 0)                                                                                 \
    ROW(CONFLICT, "conflict", NULL, 0)                                                                                 \
    ROW(CONTRADICTION, "contradiction", NULL, 0)                                                                       \
    ROW(CORRUPT_GZIP, "corrupt-gzip", NULL, 0)                                                                         \
    ROW(DEVICE_COUNT, "device-count", NULL, 0)                                                                         \
    ROW(DIFFERENT_RUN, "different-run", NULL, 0)                                                                       \
    ROW(DUPLICATE, "duplicate", NULL, 0)                                                                               \
    ROW(EXCEEDS_MEMORY, "exceeds-memory", NULL, 0)                                                                     \
    ROW(INCOMPLETE, "incomplete", NULL, 0)                                                                             \
    ROW(INVALID_RUN, "invalid-run", NULL, 0)                                                                           \
    ROW(MIN_ABOVE_MAX, "min-above-max", NULL, 0)                                                                       \
    ROW(MISSING, "missing", NULL, 0)                                                                                   \
    ROW(MISSING_PART, "missing-part", NULL, 0)                                                                         \
    ROW(NO_ARCHITECTURE, "no-architecture", NULL, 0)                                                                   \
    ROW(NO_COMMON_POINT, "no-common-point", NULL, 0)                                                                   \
    ROW(NO_CUDA_DEVICE, "no-cuda-device", NULL, 0)                                                                     \
    ROW(NO_RUN, "no-run", NULL, 0)                                                                                     \
    ROW(NO_WORKER, "no-worker", NULL, 0)                                                                               \
    ROW(NOT_A_POWER_OF_TWO, "not-a-power-of-two", NULL, 0)                                                             \
    ROW(NOT_AN_EXPORT, "not-an-export", NULL, 0)                                                                       \
    ROW(NOT_COMPARABLE, "not-comparable", NULL, 0)                                                                     \
    ROW(NOT_DISTINCT, "not-distinct", NULL, 0)                                                                         \
    ROW(OUT_OF_BOUNDS, "out-of-bounds", NULL, 0)                                                                       \
    ROW(QUEUE_HELD, "queue-held", NULL, 0)                                                                             \
    ROW(REFUSED, "refused", NULL, 0)                                                                                   \
    ROW(REPEATED_PARAMETER, "repeated-parameter", NULL, 0)                                                             \
    ROW(SAME_MACHINE, "same-machine", NULL, 0)                                                                         \
    ROW(SEVERAL_NODES, "several-nodes", NULL, 0)                                                                       \
    ROW(STREAMS_ABOVE_CHUNKS, "streams-above-chunks", NULL, 0)                                                         \
    ROW(TOO_LONG, "too-long", NULL, 0)                                                                                 \
    ROW(TOO_MANY_POINTS, "too-many-points", NULL, 0)                                                                   \
    ROW(TOO_MANY_RUNS, "too-many-runs", NULL, 0)                                                                       \
    ROW(UNKNOWN_ARCHITECTURE, "unknown-architecture", NULL, 0)                                                         \
    ROW(UNKNOWN_DEVICE, "unknown-device", NULL, 0)                                                                     \
    ROW(UNKNOWN_EXPERIMENT, "unknown-experiment", NULL, 0)                                                             \
    ROW(PROGRAMS_NOT_ALLOWED, "programs-not-allowed", NULL, 0)                                                         \
    ROW(UNKNOWN_PRESET, "unknown-preset", NULL, 0)                                                                     \
    ROW(UNKNOWN_FIELD, "unknown-field", NULL, 0)                                                                       \
    ROW(UNKNOWN_MEMBER, "unknown-member", NULL, 0)                                                                     \
    ROW(UNKNOWN_NODE, "unknown-node", NULL, 0)                                                                         \
    ROW(UNKNOWN_PARAMETER, "unknown-parameter", NULL, 0)                                                               \
    ROW(UNKNOWN_RUN, "unknown-run", NULL, 0)                                                                           \
    ROW(UNKNOWN_SOURCE, "unknown-source", NULL, 0)                                                                     \
    ROW(UNKNOWN_VALUE, "unknown-value", NULL, 0)                                                                       \
    ROW(BAD_EXPRESSION, "bad-expression", NULL, 0)                                                                     \
    ROW(COMPILE_LIMIT, "compile-limit", "The source of the kernel could not be compiled", 0)                           \
    /* how runs fail */                                                                                                \
    ROW(CANCELLED, "cancelled", "The worker process had to be killed", 0)                                              \
    ROW(COMPILE_FAILED, "compile-failed", "The source was rejected", 0)                                                \
    ROW(PROGRAM_FAILED, "program-failed", "The program failed", 0)                                                     \
    ROW(PROGRAM_NOT_FOUND, "program-not-found", "The machine has no such command", 0)                                  \
    ROW(DEVICE_UNAVAILABLE, "device-unavailable", NULL, 0)                                                             \
    ROW(FAILED, "failed", NULL, 0)                                                                                     \
    ROW(GROUP_FAILED, "group-failed", NULL, 0)                                                                         \
    ROW(INTERRUPTED, "interrupted", NULL, 0)                                                                           \
    ROW(KERNEL_NOT_FOUND, "kernel-not-found", "The source has no such kernel", 0)                                      \
    ROW(KERNEL_TOO_LARGE, "kernel-too-large", "The compiled kernel is too large", 0)                                   \
    ROW(INTERNAL_ERROR, "internal-error", NULL, 0)                                                                     \
    ROW(NO_RESULT, "no-result", "Nothing was measured", 0)                                                             \
    ROW(NO_SANITIZER, "no-sanitizer", "compute-sanitizer is missing", 0)                                               \
    ROW(NODE_UNREACHABLE, "node-unreachable", "The machine cannot be reached", 0)                                      \
    ROW(REFERENCE_WRONG, "reference-wrong", NULL, 0)                                                                   \
    ROW(TIME_LIMIT, "time-limit", "Time limit reached", 0)                                                             \
    ROW(UNKNOWN, "unknown", "Unknown failure", 0)                                                                      \
    ROW(UNMEASURABLE, "unmeasurable", NULL, 0)                                                                         \
    ROW(WORKER_DIED, "worker-died", "The worker process died", 0)                                                      \
    ROW(WORKER_PROTOCOL, "worker-protocol", "The worker process sent invalid data", 0)                                 \
    ROW(WORKER_SILENT, "worker-silent", "The worker process did not respond", 0)                                       \
    ROW(WORKER_START, "worker-start", "The worker process could not be started", 0)                                    \
    ROW(WORKER_STUCK, "worker-stuck", "The worker process cannot be killed", 0)                                        \
    ROW(WRONG_RESULT, "wrong-result", NULL, 0)                                                                         \
    /* devices, their libraries and the worker */                                                                      \
    ROW(CUDA_ERROR, "cuda-error", NULL, 0)                                                                             \
    ROW(DEVICE_LOST, "device-lost", NULL, 0)                                                                           \
    ROW(INSUFFICIENT_MEMORY, "insufficient-memory", NULL, 0)                                                           \
    ROW(INVALID_ARGUMENT, "invalid-argument", NULL, 0)                                                                 \
    ROW(INVALID_LAUNCH, "invalid-launch", NULL, 0)                                                                     \
    ROW(INVALID_VALUE, "invalid-value", NULL, 0)                                                                       \
    ROW(LOCK, "lock", NULL, 0)                                                                                         \
    ROW(NCCL_ERROR, "nccl-error", NULL, 0)                                                                             \
    ROW(NO_DEVICE, "no-device", NULL, 0)                                                                               \
    ROW(NO_THREAD, "no-thread", NULL, 0)                                                                               \
    ROW(PROCESS_SETTING_CONFLICT, "process-setting-conflict", NULL, 0)                                                 \
    ROW(RANKS_FAILED, "ranks-failed", NULL, 0)                                                                         \
    ROW(TRACE_FAILED, "trace-failed", NULL, 0)                                                                         \
    ROW(TRACE_INCOMPLETE, "trace-incomplete", NULL, 0)                                                                 \
    ROW(UNKNOWN_RUNTIME, "unknown-runtime", NULL, 0)                                                                   \
    ROW(UNLOCKED, "unlocked", NULL, 0)                                                                                 \
    ROW(UNSUPPORTED, "unsupported", NULL, 0)                                                                           \
    /* the compiler */                                                                                                 \
    ROW(NO_SANDBOX, "no-sandbox", NULL, 0)                                                                             \
    ROW(TOO_MANY_HEADERS, "too-many-headers", NULL, 0)                                                                 \
    /* the command line and the start of the server */                                                                 \
    ROW(ALREADY_RUNNING, "already-running", NULL, 0)                                                                   \
    ROW(BAD_CERTIFICATE, "bad-certificate", NULL, 0)                                                                   \
    ROW(CANNOT_LISTEN, "cannot-listen", NULL, 0)                                                                       \
    ROW(CANNOT_OPEN_LOG, "cannot-open-log", NULL, 0)                                                                   \
    ROW(INPUT, "input", NULL, 0)                                                                                       \
    ROW(LEFT, "left", NULL, 0)                                                                                         \
    ROW(MALFORMED_ADDRESS, "malformed-address", NULL, 0)                                                               \
    ROW(NO_DATABASE, "no-database", NULL, 0)                                                                           \
    ROW(NO_PROGRAM, "no-program", NULL, 0)                                                                             \
    ROW(NO_SERVER, "no-server", NULL, 0)                                                                               \
    ROW(NO_TOKEN, "no-token", NULL, 0)                                                                                 \
    ROW(NODE_LIST, "node-list", NULL, 0)                                                                               \
    ROW(NODES, "nodes", NULL, 0)                                                                                       \
    ROW(NOT_UTF_8, "not-utf-8", NULL, 0)                                                                               \
    ROW(OUTPUT, "output", NULL, 0)                                                                                     \
    ROW(PATH_TOO_LONG, "path-too-long", NULL, 0)                                                                       \
    ROW(PROBLEM, "problem", NULL, 0)                                                                                   \
    ROW(PROGRAM_USER, "program-user", NULL, 0)                                                                         \
    ROW(QUEUE_PAUSED, "queue-paused", NULL, 0)                                                                         \
    ROW(REPEATED, "repeated", NULL, 0)                                                                                 \
    ROW(STORE, "store", NULL, 0)                                                                                       \
    ROW(STORE_IN_USE, "store-in-use", NULL, 0)                                                                         \
    ROW(THREAD, "thread", NULL, 0)                                                                                     \
    ROW(TOKEN_FILE, "token-file", NULL, 0)                                                                             \
    ROW(TOO_FEW_FILES, "too-few-files", NULL, 0)                                                                       \
    ROW(TOO_MANY, "too-many", NULL, 0)                                                                                 \
    ROW(UNKNOWN_HOST, "unknown-host", NULL, 0)                                                                         \
    ROW(UNKNOWN_OPTION, "unknown-option", NULL, 0)                                                                     \
    ROW(USAGE, "usage", NULL, 0)

#define LAB_ERROR_VALUE(value, name, title, status) LAB_ERROR_##value,
enum lab_error_code { LAB_ERROR_NONE, LAB_ERROR_CODES(LAB_ERROR_VALUE) LAB_ERROR_CODE_COUNT };
#undef LAB_ERROR_VALUE

enum { LAB_ERROR_TITLE_SIZE = 64 };

/* The name in kebab-case, "out-of-bounds"; "" for LAB_ERROR_NONE. A static string. */
const char *lab_error_name(enum lab_error_code code);

/* Writes the title, such as "Out of bounds". */
void lab_error_title(enum lab_error_code code, char title[LAB_ERROR_TITLE_SIZE]);

/* The status of the answer whose type the code is; 0: there is none. */
int lab_error_status(enum lab_error_code code);

/* The code of that name; LAB_ERROR_UNKNOWN if there is none, as in a message of another version, and for NULL. */
enum lab_error_code lab_error_find(const char *name);

#endif
