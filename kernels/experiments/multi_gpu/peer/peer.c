/* peer: copies between devices, in pairs and all at once, with peer access and through the host. This file holds the
 * descriptor: parameters, axes, metrics, views and explanation.
 *
 * Measures what nvbandwidth and p2pBandwidthLatencyTest measure, by the rules of METHOD.md 11 and 12. Every copy is
 * verified on its target.
 */
#include "peer.h"

static const char *const engines[] = {"copy", "sm", NULL};
static const char *const operations[] = {"read", "write", NULL};
static const char *const patterns[] = {"pair",       "both-ways", "one-to-all", "all-to-one",
                                       "all-to-all", "host-up",   "host-down",  NULL};

static const struct lab_schema parameters[] = {
    {.name = "bytes",
     .title = "Size",
     .text = "Bytes of each copy. Choose more than the size of the devices' last-level cache to measure the link.",
     .unit = "B",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 1,
     .maximum = 1099511627776.0,
     .fallback = "[134217728]"},
    {.name = "pattern",
     .title = "Pattern",
     .text =
         "pair: one copy from one device to another, for each ordered pair; both-ways: both directions of a pair at "
         "once; one-to-all: one device to all others at once; all-to-one: all others to one device at once; "
         "all-to-all: every device to every other at once; host-up: host to all devices at once; host-down: all "
         "devices to the host at once.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = patterns,
     .fallback =
         "[\"pair\", \"both-ways\", \"one-to-all\", \"all-to-one\", \"all-to-all\", \"host-up\", \"host-down\"]"},
    {.name = "peer_access",
     .title = "Peer access",
     .text =
         "true: devices can address each other's memory, so copies are direct; false: the driver copies through host "
         "memory.",
     .type = LAB_TYPE_BOOLEAN,
     .count = LAB_ONE_OR_LIST,
     .fallback = "[true, false]"},
    {.name = "engine",
     .title = "Engine",
     .text = "copy: a copy engine (cudaMemcpyPeerAsync); sm: a kernel that loads from or stores to the other device's "
             "memory.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = engines,
     .fallback = "[\"copy\", \"sm\"]"},
    {.name = "access",
     .title = "Read or write",
     .text =
         "write: the copy runs on the source device, which writes to the target; read: it runs on the target, which "
         "reads from the source.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = operations,
     .fallback = "[\"read\", \"write\"]"},
    {.name = "latency_bytes",
     .title = "Latency copy size",
     .text =
         "Bytes of the copies whose time is reported as latency, measured with the pattern pair. The default is one "
         "word, so that the bandwidth does not matter.",
     .unit = "B",
     .type = LAB_TYPE_SIZE,
     .advanced = true,
     .minimum = 1,
     .maximum = 4096,
     .fallback = "4"},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "bandwidth",
     .title = "Bandwidth",
     .unit = "GB/s",
     .counter = LAB_COUNT_BYTES,
     .formula =
         "bytes / time / 10^9, each byte counted once; for host-up and host-down: of one device while all others copy too"},
    {.name = "aggregate_bandwidth",
     .title = "Aggregate bandwidth",
     .unit = "GB/s",
     .counter = LAB_COUNT_AGGREGATE_BYTES,
     .formula =
         "sum of the bytes of all copies / (last end - first start) / 10^9; all copies have the same size and start "
         "together, one for each ordered pair of devices that the pattern uses, or one per device for host-up and "
         "host-down"},
    {.name = "latency",
     .title = "Latency",
     .unit = "s",
     .formula =
         "time of many consecutive copies of latency_bytes in one stream / their number: the fixed cost of a copy"},
    {.name = "time",
     .title = "Time",
     .unit = "s",
     .formula =
         "from the start of the first copy of the point to the end of the last one, between two events on the device of "
         "the first copy; a latch releases the copies together, except without peer access"},
    {.name = "share_of_peak",
     .title = "Share of peak",
     .unit = "1",
     .formula = "bandwidth / peak of the PCIe link; not reported for other links, whose peak is unknown"},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {.name = "bandwidth", .title = "Bandwidth by pair", .kind = "matrix", .metric = "bandwidth", .x = "target"},
    {.name = "both-ways",
     .title = "Bandwidth, both directions",
     .kind = "matrix",
     .metric = "aggregate_bandwidth",
     .x = "target"},
    {.name = "latency", .title = "Latency by pair", .kind = "matrix", .metric = "latency", .x = "target"},
    {.name = "aggregate",
     .title = "Aggregate bandwidth by pattern",
     .kind = "bars",
     .metric = "aggregate_bandwidth",
     .x = "pattern"},
    {.name = "size",
     .title = "Bandwidth over size",
     .kind = "line",
     .metric = "bandwidth",
     .x = "bytes",
     .log_x = true,
     .log_y = true},
    {.name = "share", .title = "Share of peak", .kind = "table", .metric = "share_of_peak", .x = "target"},
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
    .parameters = parameters,
    .axes = peer_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    LAB_PAGE_FIELDS(peer),
    .plan = peer_plan,
    .run = peer_run,
};
