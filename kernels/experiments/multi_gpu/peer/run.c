/* Measures the points of peer: sets up the copies of one point at a time, queues and verifies them. */
#include "peer.h"

#include "benchmark/copies.h"
#include "benchmark/loop.h"
#include "benchmark/peer_access.h"
#include "benchmark/resources.h"
#include "descriptor/parameters.h"
#include "measure/placement.h"
#include "measure/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSFERS_MAX = LAB_RUN_DEVICES_MAX * (LAB_RUN_DEVICES_MAX - 1), HOST = LAB_RUN_DEVICES_MAX };

/* Duration of a sample of copies that several devices share: much longer than the microseconds in which events release
 * and join the devices (METHOD.md 18). */
static const double sample_s = 5e-3;

/* One copy of a point. */
struct transfer {
    size_t source, target; /* devices; HOST: page-locked memory of the host */
    size_t checker;        /* the device that fills, poisons and checks the buffers */
    void *from, *to;
    struct lab_plan *plan; /* the copy kernel; NULL if a copy engine copies */
};

struct peer {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct lab_resources resources;
    struct lab_peer_access *access;
    size_t devices;                         /* number of devices */
    size_t buffer_bytes, destination_count; /* peer_buffer_bytes and peer_destination_count (peer.h) */
    void *sources[LAB_RUN_DEVICES_MAX];     /* source buffer of each device, filled once from its own seed */
    void *destinations[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    /* Page-locked, one per device, each on the NUMA node of its device; NULL until a point needs them. */
    void *host_buffers[LAB_RUN_DEVICES_MAX];
    int64_t host_nodes[LAB_RUN_DEVICES_MAX];
    /* [device][other]: the stream for copies with another device, and for all copies of the device in steps, that with
     * the next one; [device][device]: for work that is not measured. */
    struct lab_stream *streams[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    /* By device: start of a repetition of the load on the first copy's checker, end of their copies on the others. */
    struct lab_event *marks[LAB_RUN_DEVICES_MAX];

    /* The point: its copies, of which the first `measured` are measured; the others are the load that runs
     * meanwhile. */
    size_t bytes, count, measured;
    int64_t numa_node; /* of the host's buffers that are measured; LAB_UNKNOWN: several nodes */
    struct transfer transfers[TRANSFERS_MAX];
    struct lab_lane lanes[TRANSFERS_MAX]; /* of each copy: the device that copies, and its stream */
    struct lab_destinations results;      /* of the measured copies */
    size_t kept;                          /* number of resources that later points use too */
};

/* --- buffers and streams ------------------------------------------------------------------------------------------ */

/* The device and its stream for filling, poisoning, checking and signalling. */
static struct lab_lane utility_lane(const struct peer *p, size_t device)
{
    return (struct lab_lane){p->run->devices[device], p->streams[device][device]};
}

/* The content of a source buffer: of the buffer on a device, or of the host's buffer for that device. */
static struct lab_expectation content_of(const struct peer *p, bool host, size_t device)
{
    uint64_t seed = (uint64_t)lab_parameter_integer(p->run->parameters, "seed");
    return (struct lab_expectation){.seed = (2 * seed + host) * LAB_RUN_DEVICES_MAX + device};
}

static bool fill(struct peer *p, enum lab_memory memory, void *address, size_t bytes, size_t device)
{
    struct lab_lane lane = utility_lane(p, device);
    return lab_run_forward_error(p->run, lane.device,
                                 lab_verify_fill(lane.device, lane.stream, memory, lab_region_of(address, bytes),
                                                 content_of(p, memory == LAB_MEMORY_PINNED, device)));
}

static bool open_device(struct peer *p, size_t device)
{
    struct lab_device *on = p->run->devices[device];
    for (size_t i = 0; i < p->devices; i++)
        if ((p->streams[device][i] = lab_resources_stream(&p->resources, on)) == NULL)
            return false;
    for (size_t i = 0; i < p->destination_count; i++)
        if ((p->destinations[device][i] =
                 lab_resources_memory(&p->resources, on, LAB_MEMORY_DEVICE, p->buffer_bytes)) == NULL)
            return false;
    p->marks[device] = lab_resources_event(&p->resources, on);
    p->sources[device] = lab_resources_memory(&p->resources, on, LAB_MEMORY_DEVICE, p->buffer_bytes);
    return p->marks[device] != NULL && p->sources[device] != NULL &&
           fill(p, LAB_MEMORY_DEVICE, p->sources[device], p->buffer_bytes, device);
}

static bool open_devices(struct peer *p)
{
    for (size_t i = 0; i < p->devices; i++)
        if (!open_device(p, i))
            return false;
    p->kept = p->resources.count;
    return true;
}

static bool allocate_host_buffers(struct peer *p)
{
    for (size_t i = 0; i < p->devices; i++) {
        struct lab_device *device = p->run->devices[i];
        if (p->host_buffers[i] != NULL)
            continue;
        p->host_nodes[i] = lab_placement_bind(device->facts.numa_node);
        p->host_buffers[i] = lab_resources_memory(&p->resources, device, LAB_MEMORY_PINNED, p->buffer_bytes);
        lab_placement_return(p->run->numa_node);
        if (p->host_buffers[i] == NULL)
            return false;
    }
    return true;
}

/* --- the copies of a pattern -------------------------------------------------------------------------------------- */

/* Adds a copy between two devices, or a device and HOST. A write runs in a stream of the source, a read in a stream of
 * the target. Every copy has a stream of its own, in steps every device. */
static void add(struct peer *p, const struct lab_point *point, size_t source, size_t target)
{
    size_t checker = target == HOST ? source : target, on = checker, other = (checker + 1) % p->devices;
    size_t slot = p->destination_count == 1 || source == HOST ? 0 : source < target ? source : source - 1;
    if (source != HOST && target != HOST) {
        on = point->values[PEER_OPERATION] == PEER_WRITE ? source : target;
        other = point->values[PEER_SCHEDULE] == PEER_STEPS ? (on + 1) % p->devices : source + target - on;
    }
    struct transfer *t = &p->transfers[p->count];
    *t = (struct transfer){.source = source,
                           .target = target,
                           .checker = checker,
                           .from = source == HOST ? p->host_buffers[target] : p->sources[source],
                           .to = target == HOST ? p->host_buffers[source] : p->destinations[target][slot]};
    p->lanes[p->count] = (struct lab_lane){p->run->devices[on], p->streams[on][other]};
    p->results.items[p->count++] =
        (struct lab_destination){.lane = utility_lane(p, checker),
                                 .memory = target == HOST ? LAB_MEMORY_PINNED : LAB_MEMORY_DEVICE,
                                 .region = lab_region_of(t->to, p->bytes),
                                 .expected = content_of(p, source == HOST, source == HOST ? target : source)};
}

/* In step s, device d sends to device (d + s) mod n, so that every device sends once and receives once in each step.
 * Only the copies from `source` and to `target` are added; LAB_NO_VALUE: from all, to all. */
static void add_in_steps(struct peer *p, const struct lab_point *point)
{
    int64_t source = point->values[PEER_SOURCE], target = point->values[PEER_TARGET];
    for (size_t step = 1; step < p->devices; step++)
        for (size_t d = 0; d < p->devices; d++) {
            size_t to = (d + step) % p->devices;
            if ((source == LAB_NO_VALUE || (int64_t)d == source) && (target == LAB_NO_VALUE || (int64_t)to == target))
                add(p, point, d, to);
        }
}

/* If a single device is measured, its copy is added first, because the first copy is the measured one. */
static void add_all_with_host(struct peer *p, const struct lab_point *point)
{
    bool up = point->values[PEER_PATTERN] == PEER_HOST_UP;
    int64_t single = point->values[up ? PEER_TARGET : PEER_SOURCE];
    size_t first = single != LAB_NO_VALUE ? (size_t)single : 0;
    for (size_t i = 0; i < p->devices; i++) {
        size_t device = (first + i) % p->devices;
        add(p, point, up ? HOST : device, up ? device : HOST);
    }
}

static void add_transfers(struct peer *p, const struct lab_point *point)
{
    p->count = 0;
    p->bytes = (size_t)point->values[PEER_BYTES];
    if (peer_with_host(point))
        add_all_with_host(p, point);
    else
        add_in_steps(p, point);
    if (point->values[PEER_PATTERN] == PEER_BOTH_WAYS)
        add(p, point, (size_t)point->values[PEER_TARGET], (size_t)point->values[PEER_SOURCE]);
    p->measured = p->results.count = peer_is_single(point) ? 1 : p->count;
}

static bool fill_host_buffers(struct peer *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!fill(p, LAB_MEMORY_PINNED, p->transfers[i].from, p->bytes, p->transfers[i].target))
            return false;
    return true;
}

static bool prepare_kernels(struct peer *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct transfer *t = &p->transfers[i];
        struct lab_device *device = p->lanes[i].device;
        struct lab_operation operation = {.kind = LAB_OPERATION_COPY,
                                          .destination = lab_region_of(t->to, p->bytes),
                                          .source = lab_region_of(t->from, p->bytes)};
        t->plan = lab_resources_plan(&p->resources, device, device->runtime->prepare(device, &operation));
        if (t->plan == NULL)
            return false;
    }
    return true;
}

/* The errors of peer access are those of the first context's run. */
static bool forward_access_error(struct peer *p, bool good)
{
    if (good || p->access->run == p->run)
        return good;
    p->run->error = p->access->run->error;
    p->access->run->error = (struct lab_error){0};
    return false;
}

/* Allows peer access for all pairs of the point, or denies it between all devices if the point is without peer
 * access. */
static bool set_access(struct peer *p, const struct lab_point *point)
{
    if (point->values[PEER_ACCESS] == 0)
        return lab_peer_access_deny(p->access);
    bool good = true;
    for (size_t i = 0; good && i < p->count; i++)
        good = lab_peer_access_allow(p->access, p->transfers[i].source, p->transfers[i].target);
    return forward_access_error(p, good);
}

static int64_t node_of_measured(const struct peer *p)
{
    int64_t node = p->host_nodes[p->transfers[0].checker];
    for (size_t i = 1; i < p->measured; i++)
        node = lab_placement_common(node, p->host_nodes[p->transfers[i].checker]);
    return node;
}

static bool prepare(struct peer *p, const struct lab_point *point)
{
    bool host = peer_with_host(point), good = !host || allocate_host_buffers(p);
    p->kept = p->resources.count;
    if (!good)
        return false;
    add_transfers(p, point);
    p->numa_node = node_of_measured(p);
    if (!host && !set_access(p, point))
        return false;
    if (point->values[PEER_ENGINE] == PEER_SM && !prepare_kernels(p))
        return false;
    return point->values[PEER_PATTERN] != PEER_HOST_UP || fill_host_buffers(p);
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

/* lab_measure reads all errors on the first lane's device. */
static bool forward_error(struct peer *p, const struct lab_device *device, bool good)
{
    return lab_device_forward_error(p->lanes[0].device, device, good);
}

static bool start(struct peer *p, size_t index)
{
    const struct transfer *t = &p->transfers[index];
    const struct lab_lane *lane = &p->lanes[index];
    struct lab_device *const *devices = p->run->devices;
    bool good;
    if (t->plan != NULL)
        good = p->runtime->enqueue(lane->device, t->plan, lane->stream);
    else if (t->source == HOST || t->target == HOST)
        good = p->runtime->copy(lane->device, lane->stream, t->to, t->from, p->bytes,
                                t->source == HOST ? LAB_H2D : LAB_D2H);
    else
        good = p->runtime->peer->copy(lane, devices[t->target], t->to, devices[t->source], t->from, p->bytes);
    return forward_error(p, lane->device, good);
}

static bool peer_enqueue(void *context)
{
    struct peer *p = context;
    for (size_t i = 0; i < p->measured; i++)
        if (!start(p, i))
            return false;
    return true;
}

/* Queues the load, the copies of the other devices, so that it begins and ends in one stream of the first device: the
 * other devices wait for an event recorded in that stream, and that stream waits for an event of each of them. */
static bool peer_load(void *context)
{
    struct peer *p = context;
    const struct lab_runtime *runtime = p->runtime;
    struct lab_lane background = utility_lane(p, p->transfers[0].checker);
    struct lab_event *begin = p->marks[p->transfers[0].checker];
    if (!runtime->event_record(background.device, begin, background.stream))
        return false;
    for (size_t i = p->measured; i < p->count; i++) {
        const struct lab_lane *lane = &p->lanes[i];
        struct lab_event *end = p->marks[p->transfers[i].checker];
        if (!forward_error(p, lane->device, runtime->stream_wait(lane->device, lane->stream, begin)) || !start(p, i) ||
            !forward_error(p, lane->device, runtime->event_record(lane->device, end, lane->stream)) ||
            !runtime->stream_wait(background.device, background.stream, end))
            return false;
    }
    return true;
}

static bool peer_poison(void *context)
{
    struct peer *p = context;
    return lab_destinations_poison(&p->results, p->lanes[0].device);
}

static bool peer_verify(void *context, uint64_t *wrong)
{
    struct peer *p = context;
    return lab_destinations_check(&p->results, p->lanes[0].device, wrong);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* Without peer access the driver copies the data through host memory and may block the calling thread. Behind a closed
 * latch such a call would block until the latch times out. Such copies are timed by events without a latch, so their
 * time includes the time to start them. */
static enum lab_timing timing_of(const struct lab_point *point)
{
    return point->values[PEER_ACCESS] == 0 ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

/* Value 0: none, because the peak of the links is not known. */
static struct lab_peak peak_of(const struct peer *p, const struct lab_point *point, char what[64])
{
    const struct transfer *t = &p->transfers[0];
    const struct lab_device_facts *const *facts = p->run->facts;
    bool both = point->values[PEER_PATTERN] == PEER_BOTH_WAYS;
    if (peer_with_host(point))
        return peer_is_single(point) ? lab_link_peak(facts[t->checker], false, what)
                                     : peer_host_links_peak(facts, p->devices, what);
    if (!(peer_is_single(point) || both) || point->values[PEER_ACCESS] == 0)
        return (struct lab_peak){0};
    return peer_link_peak(facts[t->source], facts[t->target], both, what);
}

static void set_work(struct peer *p, const struct lab_point *point, struct lab_case *c)
{
    bool loaded = p->measured < p->count;
    c->work = (struct lab_work){
        .timing = timing_of(point),
        .lane_count = p->measured,
        .lanes = p->lanes,
        .operations = p->count,
        .sample_s = loaded || peer_is_latency(p->run->parameters, point) ? 0 : sample_s,
        .context = p,
        .enqueue = peer_enqueue,
        .poison = peer_poison,
        .verify = peer_verify,
        .background = loaded ? p->results.items[0].lane.stream : NULL,
        .load = loaded ? peer_load : NULL,
        .restore = peer_with_host(point) ? NULL : lab_peer_access_restore,
        .restored = p->access,
    };
}

static bool peer_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct peer *p = context;
    bool sized = peer_is_sized(p->run->parameters, point), single = peer_is_single(point);
    bool host = peer_with_host(point);
    const char *impossible = peer_skip_reason(point);
    c->metric = !sized ? "latency" : single ? "bandwidth" : "aggregate_bandwidth";
    c->numa_node = host ? &p->numa_node : NULL;
    if (!host && !lab_peer_access_check(p->run))
        return false;
    if (impossible != NULL) {
        snprintf(c->skipped, sizeof c->skipped, "%s", impossible);
        return true;
    }
    if (!prepare(p, point))
        return false;
    if (host && !single) {
        char text[PEER_LINKS_TEXT];
        peer_host_links_describe(p->run->facts, p->devices, text);
        lab_loop_note_once(p->run, text);
    }
    set_work(p, point, c);
    if (sized)
        c->counts[single ? LAB_COUNT_BYTES : LAB_COUNT_AGGREGATE_BYTES] = (double)p->measured * (double)p->bytes;
    c->peak = peak_of(p, point, c->peak_text);
    /* Copies are read from the sources' memory, or from their caches if they fit. */
    if (sized && !host)
        lab_loop_note_cache(p->run, p->run->devices[p->transfers[0].source], p->bytes);
    return true;
}

static bool peer_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    const struct lab_parameters *given = ((struct peer *)context)->run->parameters;
    (void)c;
    return (!peer_is_sized(given, report->point) || lab_report_time(report, "time")) &&
           (!peer_is_latency(given, report->point) || lab_report_time(report, "latency"));
}

static void peer_end(void *context)
{
    struct peer *p = context;
    lab_resources_release(&p->resources, p->kept);
}

static bool peer_renew(void *context)
{
    struct peer *p = context;
    lab_resources_release(&p->resources, 0);
    memset(p->host_buffers, 0, sizeof p->host_buffers);
    return open_devices(p);
}

/* Pairs with NVLink share nothing with other pairs; those with PCIe may share a switch, and without peer access the
 * memory of the host. */
static bool peer_allows(const void *context, const struct lab_point *one, const struct lab_point *other)
{
    const struct lab_device_facts *const *facts = ((const struct peer *)context)->run->facts;
    return peer_is_alike(one, other) && peer_has_own_link(facts, one) && peer_has_own_link(facts, other);
}

/* Shares buffers, streams and access with the first context, because no device is used by two points. */
static void *peer_open(const void *context, struct lab_run *run)
{
    struct peer *other = malloc(sizeof *other);
    if (other == NULL) {
        lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a pair");
        return NULL;
    }
    *other = *(const struct peer *)context;
    other->run = run;
    other->resources = (struct lab_resources){.run = run};
    other->kept = 0;
    return other;
}

bool peer_run(struct lab_run *run)
{
    static const struct lab_loop_concurrency concurrency = {peer_allows, peer_open, free};
    static const struct lab_loop loop = {
        .begin = peer_begin, .report = peer_report, .end = peer_end, .renew = peer_renew, .concurrency = &concurrency};
    struct lab_peer_access access = {.run = run};
    struct peer p = {.run = run,
                     .runtime = run->devices[0]->runtime,
                     .resources = {.run = run},
                     .access = &access,
                     .devices = run->device_count,
                     .buffer_bytes = peer_buffer_bytes(run->parameters),
                     .destination_count = peer_destination_count(run->parameters, run->device_count)};
    bool good = open_devices(&p) && lab_loop_run(run, &loop, &p);
    bool denied = lab_peer_access_deny(&access);
    lab_resources_release(&p.resources, 0);
    return good && denied;
}
