/* Collects the facts about all ranks. */
#include "requests.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* Where a rank runs: bytes that are gathered. */
struct place {
    char host[64];
    int cpus, first_cpu; /* on which it may run */
};

static struct place own_place(void)
{
    struct place place = {.cpus = 0};
    cpu_set_t cpus;
    gethostname(place.host, sizeof place.host - 1);
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return place;
    place.cpus = CPU_COUNT(&cpus);
    size_t cpu = 0;
    while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &cpus))
        cpu++;
    place.first_cpu = (int)cpu;
    return place;
}

/* The function is an extension of Open MPI, which other versions of the library may not have. */
static bool is_cuda_aware(void)
{
    int (*query)(void);
    *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    return query != NULL && query() == 1;
}

json_t *requests_greeting(const struct rank *rank)
{
    struct place places[LAB_MPI_RANKS_MAX], own = own_place();
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Gather(&own, sizeof own, MPI_BYTE, places, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank->number != 0)
        return NULL;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    json_t *ranks = json_array();
    for (int i = 0; i < rank->count; i++)
        json_array_append_new(ranks, json_pack("{s:s, s:i, s:i}", "host", places[i].host, "cpus", places[i].cpus,
                                               "first_cpu", places[i].first_cpu));
    return json_pack("{s:s, s:b, s:o}", "library", library, "cuda_aware", is_cuda_aware(), "ranks", ranks);
}
