/* kernels/facts/pci.c on a directory tree like that of sysfs: a port, and below it a device, reached by a symbolic
 * link. */
#include "facts/pci.h"
#include "support/test.h"

#include "facts/facts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char device[] = "0000:3b:00.0";
static char tree[64];

static void write_file(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", tree, path);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", tree, path);
    assert_int_equal(mkdir(whole, 0700), 0);
}

static int create_tree(void **state)
{
    char link[256];
    (void)state;
    strcpy(tree, "/tmp/gpulab-pci-XXXXXX");
    if (mkdtemp(tree) == NULL)
        return -1;
    make_folder("devices");
    make_folder("port");
    make_folder("port/0000:3b:00.0");
    snprintf(link, sizeof link, "%s/devices/%s", tree, device);
    return symlink("../port/0000:3b:00.0", link);
}

static int remove_tree(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", tree);
    return system(command);
}

AROUND_EACH_TEST(.setup = create_tree, .teardown = remove_tree)

static void check_link(int64_t generation, int64_t lanes)
{
    char devices[128];
    int64_t found_generation = LAB_UNKNOWN, found_lanes = LAB_UNKNOWN;
    snprintf(devices, sizeof devices, "%s/devices", tree);
    lab_pci_link(devices, device, &found_generation, &found_lanes);
    assert_int_equal(found_generation, generation);
    assert_int_equal(found_lanes, lanes);
}

TEST(the_link_without_a_port)
{
    check_link(LAB_UNKNOWN, LAB_UNKNOWN);
    write_file("port/0000:3b:00.0/max_link_speed", "32.0 GT/s PCIe\n");
    check_link(LAB_UNKNOWN, LAB_UNKNOWN);
    write_file("port/0000:3b:00.0/max_link_width", "16\n");
    check_link(5, 16);
}

TEST(a_slower_port_limits_the_link)
{
    write_file("port/0000:3b:00.0/max_link_speed", "16.0 GT/s PCIe\n");
    write_file("port/0000:3b:00.0/max_link_width", "16\n");
    write_file("port/max_link_speed", "8 GT/s\n");
    write_file("port/max_link_width", "8\n");
    check_link(3, 8);
    write_file("port/max_link_speed", "64.0 GT/s PCIe\n");
    write_file("port/max_link_width", "32\n");
    check_link(4, 16);
}

TEST(a_virtual_link_is_unknown)
{
    write_file("port/0000:3b:00.0/max_link_speed", "Unknown\n");
    write_file("port/0000:3b:00.0/max_link_width", "255\n");
    check_link(LAB_UNKNOWN, LAB_UNKNOWN);
    write_file("port/0000:3b:00.0/max_link_speed", "2.5 GT/s PCIe\n");
    check_link(LAB_UNKNOWN, LAB_UNKNOWN);
}

TEST(the_numa_node)
{
    char devices[128];
    snprintf(devices, sizeof devices, "%s/devices", tree);
    assert_int_equal(lab_pci_numa_node(devices, device), LAB_UNKNOWN);
    write_file("port/0000:3b:00.0/numa_node", "-1\n");
    assert_int_equal(lab_pci_numa_node(devices, device), -1);
    write_file("port/0000:3b:00.0/numa_node", "1\n");
    assert_int_equal(lab_pci_numa_node(devices, device), 1);
}

static void expect_root_port(const char *target, const char *expected)
{
    char devices[128], link[256], port[24] = "before";
    snprintf(devices, sizeof devices, "%s/devices", tree);
    snprintf(link, sizeof link, "%s/%s", devices, device);
    unlink(link);
    assert_int_equal(symlink(target, link), 0);
    lab_pci_root_port(devices, device, port);
    assert_string_equal(port, expected);
}

TEST(the_root_port_is_the_first_below_the_host_bridge)
{
    make_folder("pci0000:3a");
    make_folder("pci0000:3a/0000:3b:00.0");
    make_folder("pci0000:3a/0000:3a:01.0");
    make_folder("pci0000:3a/0000:3a:01.0/0000:3b:00.0");
    make_folder("pci0000:3a/0000:3a:01.0/0000:3b:00.0/0000:3c:00.0");
    expect_root_port("../pci0000:3a/0000:3a:01.0/0000:3b:00.0", "0000:3a:01.0");
    expect_root_port("../pci0000:3a/0000:3a:01.0/0000:3b:00.0/0000:3c:00.0", "0000:3a:01.0");
    expect_root_port("../pci0000:3a/0000:3b:00.0", "");
    expect_root_port("../nowhere", "");
}

TEST(without_a_tree_the_root_port_is_unknown)
{
    expect_root_port("../port/0000:3b:00.0", "");
}
