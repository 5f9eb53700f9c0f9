/* peer: how fast devices reach each other's memory, in pairs and all at once, directly and through the host.
 *
 * What it measures is what nvbandwidth and p2pBandwidthLatencyTest measure, by the lab's own rules (METHOD.md 11, 12):
 * every copy is verified on the device that it arrives at.
 */
#include "peer.h"

const char *const peer_engines[] = {"copy", "sm", NULL};
const char *const peer_operations[] = {"read", "write", NULL};
const char *const peer_patterns[] = {"pair",       "both-ways", "one-to-all", "all-to-one",
                                     "all-to-all", "host-up",   "host-down",  NULL};

static const struct lab_parameter parameters[] = {
    {.name = "bytes",
     .title = "Size",
     .help = "Bytes of each copy. Larger than the devices' caches, it shows the link.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 1,
     .maximum = 1099511627776.0,
     .fallback = "[134217728]"},
    {.name = "pattern",
     .title = "Pattern",
     .help =
         "pair: from each device to each other, by itself; both-ways: both directions of a pair at once; one-to-all, "
         "all-to-one, all-to-all: as they say, all copies at once; host-up, host-down: every device and the host.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = peer_patterns,
     .fallback =
         "[\"pair\", \"both-ways\", \"one-to-all\", \"all-to-one\", \"all-to-all\", \"host-up\", \"host-down\"]"},
    {.name = "peer_access",
     .title = "Peer access",
     .help = "true: devices address each other's memory and copies go directly; false: copies go through host memory.",
     .type = LAB_PARAMETER_BOOLEAN,
     .list = true,
     .fallback = "[true, false]"},
    {.name = "engine",
     .title = "Moved by",
     .help = "copy: a copy engine (cudaMemcpyPeerAsync); sm: a kernel that loads and stores the other device's memory.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = peer_engines,
     .fallback = "[\"copy\", \"sm\"]"},
    {.name = "access",
     .title = "Read or write",
     .help = "write: the copy is in a stream of the source device, which pushes; read: of the target, which fetches.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = peer_operations,
     .fallback = "[\"read\", \"write\"]"},
    {.name = "latency_bytes",
     .title = "Size for the latency",
     .help =
         "Bytes of the copies whose time is the latency; one word by default, so that all of it is the way and none of "
         "it the load. Measured with the pattern pair.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 4096,
     .fallback = "4"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"pattern", "Pattern", NULL},
    {"bytes", "Size", "B"},
    {"peer_access", "Peer access", NULL},
    {"engine", "Moved by", NULL},
    {"access", "Read or write", NULL},
    {"opposing", "Other direction runs too", NULL},
    {"source", "From", NULL},
    {"target", "To", NULL},
    {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"bandwidth", "Bandwidth", "GB/s",
     "bytes / time / 10^9, each byte counted once; of host-up and host-down, of one device while all others copy too"},
    {"aggregate_bandwidth", "Aggregate bandwidth", "GB/s",
     "bytes of all copies that cross / (last end - first start) / 10^9, each byte counted once; equal copies, released "
     "together, one for each ordered pair or each device that takes part"},
    {"latency", "Latency", "s",
     "seconds for one copy of latency_bytes, many of them behind each other in a stream / their number: what a "
     "copy costs before its size counts"},
    {"time", "Time", "s",
     "seconds from the first start to the last end of the point's copies, between two events on the device of the "
     "first; released together by a latch, but without one where peer access is off"},
    {"share_of_peak", "Share of the peak", "1",
     "bandwidth / peak of the PCIe link; left out for links whose attributes tell no peak"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"bandwidth", "Bandwidth of each pair", "matrix", "bandwidth", "target", false, false},
    {"both-ways", "Both directions together", "matrix", "aggregate_bandwidth", "target", false, false},
    {"latency", "Latency of each pair", "matrix", "latency", "target", false, false},
    {"aggregate", "Many devices at once", "bars", "aggregate_bandwidth", "pattern", false, false},
    {"size", "Bandwidth over size", "line", "bandwidth", "bytes", true, true},
    {"share", "Share of the peak", "table", "share_of_peak", "target", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "When a problem is larger than one device, its parts have to talk, and then the links between the devices "
    "decide how much of the hardware is of use. This experiment fills in the table that every multi-device program "
    "is planned with: from each device to each other, how many bytes in a second, and how long before the first one "
    "is there.\n\n"
    "Peer access means that one device addresses the memory of another. With it a copy engine, or a kernel's "
    "ordinary loads and stores, go over the link that joins the two: PCIe, or NVLink, which gives each device "
    "several times the bandwidth of PCIe, either straight to another device or through switches that let every pair "
    "talk at full speed. Without it nothing is lost but speed: the driver copies the bytes into host memory and "
    "from there to the other device, in pieces that overlap. Each byte then crosses two PCIe links and the host's "
    "memory twice, and all pairs share that way. Expect it at or below the bandwidth of one PCIe link, and expect "
    "pairs that share a link, or the host's memory, to slow each other down. Kernels cannot do even that; sm is "
    "skipped without peer access.\n\n"
    "Peer access is a property of the machine: two devices that hang on different sockets, a virtual machine, or "
    "settings of PCIe (access control services, the IOMMU) may rule it out. The device facts list it for each pair, "
    "with the kind of link.\n\n"
    "A write and a read move the same bytes between the same places and still differ. A device that writes sends "
    "the data and goes on. One that reads sends a request and waits until the answer has come the whole way back, "
    "so it needs many requests in flight to fill the link, and the requests take up room in the other direction. On "
    "PCIe writes are commonly faster; over NVLink the two are close. A latency is the time of a copy of one word: "
    "mostly the cost of starting a copy at all, so a copy engine and a kernel may differ by more than two links do. "
    "Bandwidth counts for halos and blocks, latency for small messages; where they meet is bandwidth times latency, "
    "in bytes.\n\n"
    "Links work in both directions at once. Both ways together should reach nearly twice one way; where they do "
    "not, the two share something, a host's memory or one copy engine. One to all and all to one tell what a single "
    "device can send and take in: behind a switch no more than its own links carry, with links of its own to each "
    "other device the sum of these.\n\n"
    "All to all is what transposes, Fourier transforms and sorting over several devices come down to, and there the "
    "order counts. If every device began with device 0, device 0 would take in everything while the links of all "
    "others stood idle, and then device 1, and so on. Here each copy has a stream of its own and all of them "
    "are released at once, so that the links share out the work; peer-transpose takes the copies one after the other, in an "
    "order in which no two that run at a time begin or end at the same device.\n\n"
    "The last two patterns set all devices on the host at once. Each has a PCIe link, but links may meet in one "
    "switch, devices may hang on the socket that the buffers do not lie on, and the host's memory has a limit of "
    "its own. So the sum is often less than one device's share times their number, and the figure for each device, "
    "measured while all the others keep copying, tells which of them pays for it.";

const struct lab_experiment lab_peer = {
    .name = "peer",
    .title = "Device to device",
    .summary =
        "How fast devices reach each other's memory: each pair, both ways, all at once, with and without peer access.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .quick =
        "{\"bytes\": 8388608, \"engine\": \"copy\", \"access\": \"write\", "
        "\"pattern\": [\"pair\", \"both-ways\", \"all-to-all\", \"host-up\", \"host-down\"], \"time_budget_s\": 2}",
    .plan = peer_plan,
    .run = peer_run,
};
