/* kernels/experiments/multi_gpu/peer/links.c, points.c: peaks of PCIe links, what devices share on the way to the host,
 * which pairs can be measured at the same time. */
#include "experiments/multi_gpu/peer/peer.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 4 };

static struct lab_device_facts facts[COUNT];
static const struct lab_device_facts *devices[COUNT];

static int clear(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        lab_facts_clear(&facts[i]);
        snprintf(facts[i].id, sizeof facts[i].id, "GPU-%zu", i);
        strcpy(facts[i].backend, "cuda");
        facts[i].pcie_peak_bytes_per_s = 63e9;
        facts[i].numa_node = (int64_t)i / 2;
        devices[i] = &facts[i];
    }
    return 0;
}

AROUND_EACH_TEST(.setup = clear)

static void set_ports(const char *const ports[COUNT])
{
    for (size_t i = 0; i < COUNT; i++)
        snprintf(facts[i].pci_root_port, sizeof facts[i].pci_root_port, "%s", ports[i]);
}

static void expect_host_links(double gigabytes, const char *name, const char *note)
{
    char what[64], text[PEER_LINKS_TEXT];
    struct lab_peak peak = peer_host_links_peak(devices, COUNT, what);
    assert_true(fabs(peak.value - gigabytes) < 1e-9);
    assert_string_equal(peak.what, name);
    peer_host_links_describe(devices, COUNT, text);
    if (strstr(text, note) == NULL)
        fail_msg("\"%s\" is not in: %s", note, text);
}

TEST(devices_with_ports_of_their_own_are_limited_by_the_memory)
{
    set_ports((const char *const[]){"0000:1a:01.0", "0000:3a:01.0", "0000:5a:01.0", "0000:7a:01.0"});
    expect_host_links(
        252, "4 PCIe links together, one direction",
        "each of the 4 devices has a root port of its own; what they reach together less than their links is "
        "limited by the memory of 2 NUMA nodes");
}

TEST(a_port_that_devices_share_counts_once)
{
    set_ports((const char *const[]){"0000:1a:01.0", "0000:3a:01.0", "0000:1a:01.0", "0000:1a:01.0"});
    for (size_t i = 0; i < COUNT; i++)
        facts[i].numa_node = 0;
    expect_host_links(
        126, "2 PCIe links together, one direction",
        "the 4 devices share 2 root ports, whose links limit the copies, unless the memory of 1 NUMA node does");
}

TEST(unknown_ports_are_said_to_be_unknown)
{
    set_ports((const char *const[]){"0000:1a:01.0", "", "", ""});
    facts[2].numa_node = -1;
    expect_host_links(252, "4 PCIe links together, one direction", "the root ports of the 4 devices are not known");
    expect_host_links(252, "4 PCIe links together, one direction",
                      "by a port that they share, or by the memory of the host");
}

TEST(an_unknown_link_has_no_peak)
{
    char what[64];
    facts[1].pcie_peak_bytes_per_s = NAN;
    assert_false(isfinite(peer_host_links_peak(devices, COUNT, what).value));
}

TEST(the_peak_of_a_pair_is_that_of_the_slower_link)
{
    char what[64];
    assert_true(peer_link_peak(devices[0], devices[1], false, what).value == 0);
    facts[0].peer_count = 1;
    strcpy(facts[0].peers[0].id, "GPU-1");
    strcpy(facts[0].peers[0].link, "NVLink x18");
    assert_true(peer_link_peak(devices[0], devices[1], false, what).value == 0);
    facts[0].peers[0].peak_bytes_per_s = 450e9;
    assert_true(fabs(peer_link_peak(devices[0], devices[1], false, what).value - 450) < 1e-9);
    assert_string_equal(what, "NVLink x18, one direction");
    assert_true(fabs(peer_link_peak(devices[0], devices[1], true, what).value - 900) < 1e-9);
    assert_string_equal(what, "NVLink x18, both directions");
    strcpy(facts[0].peers[0].link, "PCIe");
    facts[1].pcie_peak_bytes_per_s = 31.5e9;
    assert_true(fabs(peer_link_peak(devices[0], devices[1], false, what).value - 31.5) < 1e-9);
    assert_true(fabs(peer_link_peak(devices[0], devices[1], true, what).value - 63) < 1e-9);
}

static struct lab_point pair_of(int64_t source, int64_t target)
{
    return (struct lab_point){{[PEER_ACCESS] = 1,
                               [PEER_PATTERN] = PEER_PAIR,
                               [PEER_BYTES] = 4096,
                               [PEER_SOURCE] = source,
                               [PEER_TARGET] = target}};
}

TEST(pairs_that_differ_in_all_devices_and_nothing_else_are_alike)
{
    struct lab_point one = pair_of(0, 1), other = pair_of(2, 3);
    assert_true(peer_is_alike(&one, &other));
    other.values[PEER_BYTES] = 8192;
    assert_false(peer_is_alike(&one, &other));
    for (int64_t device = 0; device < 2; device++) {
        other = pair_of(device, 3);
        assert_false(peer_is_alike(&one, &other));
        other = pair_of(3, device);
        assert_false(peer_is_alike(&one, &other));
    }
    one.values[PEER_PATTERN] = other.values[PEER_PATTERN] = PEER_ALL_TO_ALL;
    other.values[PEER_SOURCE] = 2;
    assert_false(peer_is_alike(&one, &other));
}

TEST(a_pair_has_its_links_to_itself_with_nvlink_and_access)
{
    struct lab_point point = pair_of(0, 1);
    assert_false(peer_has_own_link(devices, &point));
    facts[0].peer_count = 1;
    strcpy(facts[0].peers[0].id, "GPU-1");
    strcpy(facts[0].peers[0].link, "PCIe");
    assert_false(peer_has_own_link(devices, &point));
    strcpy(facts[0].peers[0].link, "NVLink x18");
    assert_true(peer_has_own_link(devices, &point));
    point.values[PEER_ACCESS] = 0;
    assert_false(peer_has_own_link(devices, &point));
}

/* The estimated duration of all pairs of devices with that kind of link. */
static double planned_s(const char *link)
{
    struct lab_parameters *parameters =
        parse("peer", "{\"pattern\": \"pair\", \"peer_access\": true, \"time_budget_s\": 1000}");
    struct lab_estimate estimate;
    struct lab_errors errors = {0};
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT - 1; k++) {
            struct lab_peer_fact *peer = &facts[i].peers[k];
            facts[i].peer_count = COUNT - 1;
            snprintf(peer->id, sizeof peer->id, "GPU-%zu", k < i ? k : k + 1);
            snprintf(peer->link, sizeof peer->link, "%s", link);
        }
    assert_true(peer_plan(parameters, devices, COUNT, &estimate, &errors));
    lab_parameters_free(parameters);
    return estimate.seconds;
}

TEST(pairs_that_are_measured_at_the_same_time_are_planned_so)
{
    assert_true(fabs(planned_s("NVLink x18") - planned_s("PCIe") / 2) < 1e-6);
}
