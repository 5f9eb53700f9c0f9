/* Memory of the host runtime. All kinds of memory are this machine's RAM; they differ in the limit of an allocation and
 * in whether pages are locked. Every page is written when it is allocated, so that no page fault happens during a
 * measurement, and so that an allocation that is too large fails here and does not later cause the process to be
 * killed. Pages of managed memory are made when they are touched. */
#include "memory.h"

#include "ram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 * 1024 * 1024 };

struct host_allocation {
    struct host_allocation *next;
    struct host_device *device;
    enum lab_memory kind;
    unsigned char *address;
    size_t bytes, mapped_bytes;
};

static const struct {
    const char *name; /* NULL: the host runtime does not have this kind */
    bool of_device;   /* counts against the device's memory */
    bool locked;
} kinds[] = {
    [LAB_MEMORY_DEVICE] = {"device", true, false}, [LAB_MEMORY_PAGEABLE] = {"pageable", false, false},
    [LAB_MEMORY_PINNED] = {"pinned", false, true}, [LAB_MEMORY_WRITE_COMBINED] = {NULL, false, false},
    [LAB_MEMORY_MAPPED] = {"mapped", false, true}, [LAB_MEMORY_MANAGED] = {"managed", true, false},
};

size_t lab_host_round_to_page(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes > SIZE_MAX - page ? SIZE_MAX - SIZE_MAX % page : (bytes + page - 1) / page * page;
}

/* Like mmap of anonymous memory, but aligned to huge pages. */
static unsigned char *map_aligned(size_t bytes)
{
    unsigned char *start =
        mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return MAP_FAILED;
    size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0)
        munmap(start, before);
    munmap(start + before + bytes, HUGE_PAGE - before);
    return start + before;
}

/* Asks Linux to allocate the pages on a NUMA node. Failure is ignored, because the node is only a preference. */
static void prefer_node(void *address, size_t bytes, int64_t node)
{
    enum { PREFERRED = 1, NODES = 1024 };
    unsigned long nodes[NODES / (8 * sizeof(unsigned long))] = {0};
    if (node < 0 || node >= NODES)
        return;
    nodes[(size_t)node / (8 * sizeof nodes[0])] |= 1UL << ((size_t)node % (8 * sizeof nodes[0]));
    syscall(SYS_mbind, address, bytes, PREFERRED, nodes, (unsigned long)NODES, 0UL);
}

/* Writes to every page, so that Linux allocates it. */
static void touch(unsigned char *address, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    if (madvise(address, bytes, MADV_POPULATE_WRITE) == 0)
        return;
#endif
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < bytes; at += page)
        *(volatile unsigned char *)(address + at) = 0;
}

static void *map_untouched(size_t bytes, bool huge, int64_t node)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bool aligned = huge && bytes >= HUGE_PAGE;
    unsigned char *address =
        aligned ? map_aligned(bytes)
                : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED)
        return NULL;
    if (aligned)
        madvise(address, bytes, MADV_HUGEPAGE);
    prefer_node(address, bytes, node);
    return address;
}

void *lab_host_map(size_t bytes, bool huge, int64_t node)
{
    void *address = map_untouched(bytes, huge, node);
    if (address != NULL)
        touch(address, bytes);
    return address;
}

void lab_host_unmap(void *address, size_t bytes)
{
    munmap(address, bytes);
}

/* Locks pages in RAM. If this fails, the memory stays pageable, and the device's caveat is set to the reason. */
static void lock_pages(struct host_device *device, void *address, size_t bytes)
{
    struct rlimit limit;
    if (mlock(address, bytes) == 0)
        return;
    struct lab_error why = {0};
    const char *reason = strerror(errno);
    bool limited = getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (limited)
        lab_error_set(&why, LAB_ERROR_UNLOCKED, "",
                      "page-locked memory could not be locked: %s; this process may lock %llu bytes (ulimit -l)",
                      reason, (unsigned long long)limit.rlim_cur);
    else
        lab_error_set(&why, LAB_ERROR_UNLOCKED, "", "page-locked memory could not be locked: %s", reason);
    memcpy(device->base.caveat, why.detail, sizeof device->base.caveat);
}

/* The size in bytes of the largest allocation of this kind that is possible now. */
static size_t free_bytes_of(struct host_device *device, enum lab_memory kind)
{
    struct host_ram ram;
    size_t total = (size_t)device->base.facts.total_memory_bytes;
    size_t own = total > device->allocated_bytes ? total - device->allocated_bytes : 0;
    size_t available = lab_host_ram("", &ram) ? (size_t)ram.available : own;
    return kinds[kind].of_device && own < available ? own : available;
}

bool lab_host_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address)
{
    struct host_device *host = lab_host_device(device);
    if (!lab_host_alive(device))
        return false;
    if ((size_t)kind >= sizeof kinds / sizeof kinds[0] || kinds[kind].name == NULL)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "a CPU device does not have write-combined memory");
    if (bytes == 0)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "cannot allocate 0 bytes of %s memory",
                             kinds[kind].name);
    size_t mapped_bytes = lab_host_round_to_page(bytes);
    size_t free_bytes = free_bytes_of(host, kind);
    bool injected = lab_host_fault_due(&host->machine->fault, HOST_FAULT_ALLOCATION);
    struct host_allocation *allocation = calloc(1, sizeof *allocation);
    void *memory = NULL;
    if (allocation != NULL && mapped_bytes <= free_bytes && !injected)
        memory = kind == LAB_MEMORY_MANAGED ? map_untouched(mapped_bytes, false, device->facts.numa_node)
                                            : lab_host_map(mapped_bytes, kinds[kind].of_device,
                                                           kinds[kind].of_device ? device->facts.numa_node : -1);
    if (memory == NULL) {
        free(allocation);
        return lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                             "cannot allocate %zu bytes of %s memory: %zu bytes are free%s", bytes, kinds[kind].name,
                             free_bytes, injected ? " (injected fault)" : "");
    }
    if (kinds[kind].locked)
        lock_pages(host, memory, mapped_bytes);
    *allocation = (struct host_allocation){
        .device = host, .kind = kind, .address = memory, .bytes = bytes, .mapped_bytes = mapped_bytes};
    lab_host_lock(host);
    allocation->next = host->machine->allocations;
    host->machine->allocations = allocation;
    if (kinds[kind].of_device)
        host->allocated_bytes += mapped_bytes;
    lab_host_unlock(host);
    *address = memory;
    return true;
}

/* Removes from the list and returns the device's allocation at `address`, or any allocation of the device if `address`
 * is NULL. Returns NULL when there is none. The caller holds the lock. */
static struct host_allocation *remove_allocation(struct host_device *device, const void *address)
{
    struct host_allocation **place = &device->machine->allocations;
    while (*place != NULL && ((*place)->device != device || (address != NULL && (*place)->address != address)))
        place = &(*place)->next;
    struct host_allocation *allocation = *place;
    if (allocation == NULL)
        return NULL;
    *place = allocation->next;
    if (kinds[allocation->kind].of_device)
        device->allocated_bytes -= allocation->mapped_bytes;
    return allocation;
}

static void free_allocation(struct host_allocation *allocation)
{
    lab_host_fault_forget(&allocation->device->machine->fault, allocation->address, allocation->mapped_bytes);
    lab_host_unmap(allocation->address, allocation->mapped_bytes);
    free(allocation);
}

void lab_host_free(struct lab_device *device, enum lab_memory kind, void *address)
{
    struct host_device *host = lab_host_device(device);
    (void)kind;
    if (address == NULL)
        return;
    lab_host_drain(host);
    lab_host_lock(host);
    struct host_allocation *allocation = remove_allocation(host, address);
    lab_host_unlock(host);
    if (allocation != NULL)
        free_allocation(allocation);
}

void lab_host_release_all(struct host_device *device)
{
    for (;;) {
        lab_host_lock(device);
        struct host_allocation *allocation = remove_allocation(device, NULL);
        lab_host_unlock(device);
        if (allocation == NULL)
            return;
        free_allocation(allocation);
    }
}

bool lab_host_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes)
{
    if (!lab_host_alive(device))
        return false;
    *free_bytes = free_bytes_of(lab_host_device(device), LAB_MEMORY_DEVICE);
    *total_bytes = (size_t)device->facts.total_memory_bytes;
    return true;
}

/* The number of bytes from the first to the last byte of a region; 0 when it does not fit into size_t or the rows
 * overlap. */
static size_t extent(const struct lab_region *region)
{
    size_t rows = 0, bytes = 0;
    if (region->height > 1 && region->pitch < region->width)
        return 0;
    if (region->height > 1 && __builtin_mul_overflow(region->height - 1, region->pitch, &rows))
        return 0;
    return __builtin_add_overflow(rows, region->width, &bytes) ? 0 : bytes;
}

static bool has_access(const struct host_device *device, const struct host_device *other)
{
    return (device->peer_access >> other->base.facts.ordinal & 1) != 0;
}

bool lab_host_in_device_memory(struct host_device *device, const struct lab_region *region, bool or_addressable)
{
    const unsigned char *address = region->address;
    size_t bytes = extent(region);
    bool found = false;
    if (bytes == 0 || region->height == 0)
        return false;
    lab_host_lock(device);
    for (const struct host_allocation *i = device->machine->allocations; i != NULL && !found; i = i->next) {
        bool addressed = kinds[i->kind].of_device
                             ? i->device == device || (or_addressable && has_access(device, i->device))
                             : or_addressable && kinds[i->kind].locked;
        found = addressed && address >= i->address && (size_t)(address - i->address) <= i->bytes &&
                bytes <= i->bytes - (size_t)(address - i->address);
    }
    lab_host_unlock(device);
    return found;
}
