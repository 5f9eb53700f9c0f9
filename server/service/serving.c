/* The options of `gpulab serve`. */
#include "serving.h"

static const char *const log_formats[] = {"text", "json", NULL};

const struct lab_option lab_serving_options[] = {
    {.name = "--listen",
     .value = "ADDR:PORT",
     .help = "The address to listen on; port 0 selects a free port. An address that other machines can reach needs "
             "a token (gpulab token add), or --insecure.",
     .accepts = {.fallback = "127.0.0.1:8080"},
     .environment = true,
     .offset = offsetof(struct lab_serving, listen)},
    {.name = "--nodes",
     .value = "FILE",
     .help = "The machines on which runs are executed, one on each line: 'local' for this one, 'ssh HOST', or 'slurm "
             "PARTITION'; the README says more. Default: this machine.",
     .environment = true,
     .offset = offsetof(struct lab_serving, nodes)},
    {.name = "--worker-idle",
     .value = "S",
     .help = "Seconds for which the worker process is kept after a run, with its GPUs initialised.",
     .accepts = {.type = LAB_TYPE_NUMBER, .minimum = 0, .maximum = 86400, .fallback = "60"},
     .environment = true,
     .offset = offsetof(struct lab_serving, worker_idle_s)},
    {.name = "--allow-host",
     .value = "NAME",
     .help = "A host name that requests may have in their Host header, in addition to the loopback names. Can be "
             "repeated.",
     .accepts = {.count = LAB_LIST},
     .environment = true,
     .offset = offsetof(struct lab_serving, allow_hosts)},
    {.name = "--insecure",
     .help =
         "Demand no token on an address that other machines can reach while there is none: anyone who reaches it can "
         "run experiments.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .environment = true,
     .offset = offsetof(struct lab_serving, insecure)},
    {.name = "--anonymous",
     .help =
         "Let everyone who reaches --listen read results without a token: devices, experiments, comparisons, histories, and "
         "runs without what people wrote; runs that are marked public whole. All else over TCP needs a token.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .environment = true,
     .offset = offsetof(struct lab_serving, anonymous)},
    {.name = "--base-path",
     .value = "PATH",
     .help = "The path below which a reverse proxy serves the lab, such as /lab; the proxy may keep or remove it.",
     .environment = true,
     .offset = offsetof(struct lab_serving, base_path)},
    {.name = "--frame-ancestors",
     .value = "ORIGIN",
     .help =
         "An origin, such as https://wiki.example, whose pages may show the page in a frame, where it reads without a "
         "token and keeps no session; needs --anonymous. Can be repeated.",
     .accepts = {.count = LAB_LIST},
     .environment = true,
     .offset = offsetof(struct lab_serving, frame_ancestors)},
    {.name = "--cors-origin",
     .value = "ORIGIN",
     .help = "An origin whose scripts may read (GET) what everyone may, without credentials; needs --anonymous. Can be "
             "repeated.",
     .accepts = {.count = LAB_LIST},
     .environment = true,
     .offset = offsetof(struct lab_serving, cors_origins)},
    {.name = "--allow-programs",
     .help =
         "Execute whole programs and checks of kernels in C, in a sandbox and as this user or that of --program-user, for operators who send them over TCP; the lab must have "
         "a token for each. On the Unix socket, where only this user is, it is not needed.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .environment = true,
     .offset = offsetof(struct lab_serving, allow_programs)},
    {.name = "--program-limit",
     .value = "N",
     .help =
         "Whole programs, and kernels with a check in C, that may be queued and running at the same time, those of all people together. 0: as many as "
         "the queue takes.",
     .accepts = {.type = LAB_TYPE_WHOLE, .maximum = 10000, .fallback = "32"},
     .environment = true,
     .offset = offsetof(struct lab_serving, program_limit)},
    {.name = "--tls-cert",
     .value = "FILE",
     .help =
         "Speak TLS on --listen with this certificate, a PEM file with the chain of its issuers. SIGHUP reads it again.",
     .environment = true,
     .offset = offsetof(struct lab_serving, tls_cert)},
    {.name = "--tls-key",
     .value = "FILE",
     .help = "The key of the certificate, a PEM file.",
     .environment = true,
     .offset = offsetof(struct lab_serving, tls_key)},
    {.name = "--rate-limit",
     .value = "N",
     .help =
         "Requests a second that each token, or without a token each address, may send; twice as many at once, and a "
         "tenth of them writes; without a token in a lab with --anonymous a quarter of that. 0: no limit. On this machine without tokens there is none.",
     .accepts = {.type = LAB_TYPE_WHOLE, .maximum = 1000000, .fallback = "200"},
     .environment = true,
     .offset = offsetof(struct lab_serving, rate_limit)},
    {.name = "--keep-samples-days",
     .value = "N",
     .help =
         "Remove the samples of runs that are older than N days and not pinned, and what they printed; summaries and the "
         "files of programs stay. 0: keep all.",
     .accepts = {.type = LAB_TYPE_WHOLE, .maximum = 36500, .fallback = "0"},
     .environment = true,
     .offset = offsetof(struct lab_serving, keep_samples_days)},
    {.name = "--access-log",
     .value = "FILE",
     .help = "Append a line for each request to FILE; - stands for stderr. SIGHUP opens the file again. Default: none.",
     .environment = true,
     .offset = offsetof(struct lab_serving, access_log)},
    {.name = "--audit-log",
     .value = "FILE",
     .help = "Append a line for each request that changes something, or tried to, to FILE; - stands for stderr.",
     .accepts = {.fallback = "-"},
     .environment = true,
     .offset = offsetof(struct lab_serving, audit_log)},
    {.name = "--log-format",
     .value = "FORMAT",
     .help = "The format of both logs: text, or a JSON object on each line.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = log_formats, .fallback = "text"},
     .environment = true,
     .offset = offsetof(struct lab_serving, log_format)},
    {0},
};
