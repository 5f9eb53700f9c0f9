/* peer: copies between devices, in pairs and all at once, with peer access and through the host. This file holds the
 * descriptor.
 *
 * Measures what nvbandwidth and p2pBandwidthLatencyTest measure, by the rules of METHOD.md 11 and 12. Every copy is
 * verified on its target.
 */
#include "peer.h"

static const char *const engines[] = {"copy", "sm", NULL};
static const char *const operations[] = {"read", "write", NULL};
static const char *const patterns[] = {"pair",       "both-ways", "one-to-all", "all-to-one",
                                       "all-to-all", "host-up",   "host-down",  NULL};

static const char *const schedules[] = {[PEER_TOGETHER] = "together", [PEER_STEPS] = "steps", NULL};

static const struct lab_schema parameters[] = {
    {LAB_INTEGERS("bytes", "Size",
                  "Bytes of each copy. Choose more than the size of the devices' last-level cache to measure the link.",
                  134217728),
     .unit = "B", .minimum = 1, .maximum = 1099511627776.0},
    {LAB_CHOICES_ALL(
        "pattern", "Pattern",
        "pair: one copy from one device to another, for each ordered pair; both-ways: both directions of a pair at "
        "once; one-to-all: one device to all others at once; all-to-one: all others to one device at once; "
        "all-to-all: every device to every other at once; host-up: host to all devices at once; host-down: all "
        "devices to the host at once.",
        patterns)},
    {LAB_CHOICES_ALL(
        "schedule", "Schedule",
        "Of the pattern all-to-all. together: every copy has a stream of its own, and all start at once; steps: the copies "
        "of a device follow each other, so that at any time it sends to about one device and receives from one. With two "
        "devices both are the same, and only the first is measured.",
        schedules)},
    {LAB_BOOLEANS(
        "peer_access", "Peer access",
        "true: devices can address each other's memory, so copies are direct; false: the driver copies through host "
        "memory.",
        true, false)},
    {LAB_CHOICES_ALL(
        "engine", "Engine",
        "copy: a copy engine (cudaMemcpyPeerAsync); sm: a kernel that loads from or stores to the other device's "
        "memory.",
        engines)},
    {LAB_CHOICES_ALL(
        "access", "Read or write",
        "write: the copy runs on the source device, which writes to the target; read: it runs on the target, which "
        "reads from the source.",
        operations)},
    {LAB_INTEGER(
         "latency_bytes", "Latency copy size",
         "Bytes of the copies whose time is reported as latency, measured with the pattern pair. The default is one "
         "word, so that the bandwidth does not matter.",
         4),
     .unit = "B", .advanced = true, .minimum = 1, .maximum = 4096},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes / time / 10^9, each byte counted once; for host-up and host-down: of one device while all others copy too"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
         "aggregate_bandwidth", "Aggregate bandwidth", "GB/s",
         "sum of the bytes of all copies / (last end - first start) / 10^9; all copies have the same size and start "
         "together, one for each ordered pair of devices that the pattern uses, or one per device for host-up and "
         "host-down"),
     .counter = LAB_COUNT_AGGREGATE_BYTES},
    {LAB_METRIC(
        "latency", "Latency", "s",
        "time of many consecutive copies of latency_bytes in one stream / their number: the fixed cost of a copy")},
    {LAB_METRIC(
        "time", "Time", "s",
        "from the start of the first copy of the point to the end of the last one, between two events on the device of "
        "the first copy; a latch releases the copies together, except without peer access")},
    {LAB_METRIC(
        "share_of_peak", "Share of peak", "1",
        "bandwidth / peak of the link between two devices, NVLink or PCIe, both ways / twice that; for host-up and "
        "host-down / peak of the PCIe link, of all devices that of all links, those below one root port counted once; not "
        "reported for one-to-all, all-to-one and all-to-all")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("matrix", "bandwidth", "Bandwidth by pair", "bandwidth", "target")},
    {LAB_VIEW("matrix", "both-ways", "Bandwidth, both directions", "aggregate_bandwidth", "target")},
    {LAB_VIEW("matrix", "latency", "Latency by pair", "latency", "target")},
    {LAB_VIEW("bars", "aggregate", "Aggregate bandwidth by pattern", "aggregate_bandwidth", "pattern")},
    {LAB_VIEW("line", "size", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "share", "Share of peak", "share_of_peak", "target")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("One way, fastest pair", "bandwidth"), .at = {{"pattern", "pair"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Both ways, fastest pair", "aggregate_bandwidth"), .at = {{"pattern", "both-ways"}},
     .largest = {"bytes"}},
    {LAB_HEADLINE("All to all", "aggregate_bandwidth"), .at = {{"pattern", "all-to-all"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Latency, fastest pair", "latency"), .at = {{"pattern", "pair"}}, .smallest = {"bytes"},
     .lowest = true},
    {0},
};

LAB_PAGE(peer);
const struct lab_experiment lab_peer = {
    .name = "peer",
    .title = "Peer-to-peer (P2P)",
    .subject = "multi-gpu",
    .summary =
        "Bandwidth and latency of copies between devices: by pair, in both directions, all at once, with and without "
        "peer access.",
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    LAB_RUN_FIELDS(peer),
};
