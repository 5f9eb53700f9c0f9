/* A copy from one device to another: memory, work and check of a point. */
#include "health.h"

#include "descriptor/parameters.h"

static bool health_enqueue(void *context)
{
    const struct health_pair *pair = context;
    return pair->source->runtime->peer->copy(&pair->lane, pair->target, pair->to, pair->source, pair->from,
                                             pair->bytes);
}

static bool health_poison(void *context)
{
    const struct health_pair *pair = context;
    return lab_destinations_poison(&pair->result, pair->source);
}

static bool health_verify(void *context, uint64_t *wrong)
{
    const struct health_pair *pair = context;
    return lab_destinations_check(&pair->result, pair->source, wrong);
}

/* Creates memory and streams, and fills the source. */
static bool open_pair(struct health_pair *pair)
{
    struct lab_resources *resources = &pair->resources;
    struct lab_expectation content = {.seed = (uint64_t)lab_parameter_integer(resources->run->parameters, "seed")};
    struct lab_lane checker = {pair->target, lab_resources_stream(resources, pair->target)};
    pair->lane = (struct lab_lane){pair->source, lab_resources_stream(resources, pair->source)};
    if (checker.stream == NULL || pair->lane.stream == NULL)
        return false;
    pair->from = lab_resources_memory(resources, pair->source, LAB_MEMORY_DEVICE, pair->bytes);
    pair->to = lab_resources_memory(resources, pair->target, LAB_MEMORY_DEVICE, pair->bytes);
    if (pair->from == NULL || pair->to == NULL)
        return false;
    pair->result.count = 1;
    pair->result.items[0] =
        (struct lab_destination){checker, LAB_MEMORY_DEVICE, lab_region_of(pair->to, pair->bytes), content};
    return lab_run_forward_error(resources->run, pair->source,
                                 lab_verify_fill(pair->source, pair->lane.stream, LAB_MEMORY_DEVICE,
                                                 lab_region_of(pair->from, pair->bytes), content));
}

bool health_pair_begin(struct health_pair *pair, struct lab_peer_access *access, const struct lab_point *point,
                       struct lab_case *c)
{
    struct lab_run *run = pair->resources.run;
    size_t source = (size_t)point->values[HEALTH_DEVICE], target = (size_t)point->values[HEALTH_PEER];
    pair->source = run->devices[source];
    pair->target = run->devices[target];
    pair->bytes = health_copy_bytes(&pair->source->facts, HEALTH_P2P);
    if (!lab_peer_access_check(run) || !lab_peer_access_allow(access, source, target) || !open_pair(pair))
        return false;
    c->counts[LAB_COUNT_BYTES] = (double)pair->bytes;
    c->work = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                .lane_count = 1,
                                .lanes = &pair->lane,
                                .operations = 1,
                                .context = pair,
                                .enqueue = health_enqueue,
                                .poison = health_poison,
                                .verify = health_verify,
                                .restore = lab_peer_access_restore,
                                .restored = access};
    return true;
}

void health_pair_end(struct health_pair *pair)
{
    lab_resources_release(&pair->resources, 0);
}
