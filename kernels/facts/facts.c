/* Writes device facts as JSON and reads them, from one table of fields. */
#include "facts/facts.h"
#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

enum fact_type { FACT_TEXT, FACT_INTEGER, FACT_REAL, FACT_BOOLEAN };

/* A field of struct lab_device_facts. */
struct fact {
    const char *name, *unit;
    enum fact_type type;
    size_t offset;
    size_t count; /* text: size of the array in bytes; others: 1, or the number of dimensions */
};

#define TEXT(field)                                                                                                    \
    {                                                                                                                  \
#field, "", FACT_TEXT, offsetof(struct lab_device_facts, field), sizeof((struct lab_device_facts *)0)->field   \
    }
#define NUMBER(field, unit)                                                                                            \
    {                                                                                                                  \
#field, unit, FACT_INTEGER, offsetof(struct lab_device_facts, field), 1                                        \
    }
#define NUMBERS(field, n)                                                                                              \
    {                                                                                                                  \
#field, "", FACT_INTEGER, offsetof(struct lab_device_facts, field), n                                          \
    }
#define REAL(field, unit)                                                                                              \
    {                                                                                                                  \
#field, unit, FACT_REAL, offsetof(struct lab_device_facts, field), 1                                           \
    }
#define FLAG(field)                                                                                                    \
    {                                                                                                                  \
#field, "", FACT_BOOLEAN, offsetof(struct lab_device_facts, field), 1                                          \
    }

static const struct fact properties[] = {
    TEXT(driver_version),
    TEXT(driver_release),
    TEXT(runtime_version),
    TEXT(compute_capability),
    NUMBER(total_memory_bytes, "B"),
    NUMBER(multiprocessors, ""),
    NUMBER(cuda_cores, ""),
    REAL(clock_hz, "Hz"),
    REAL(memory_clock_hz, "Hz"),
    NUMBER(memory_bus_bits, "bit"),
    NUMBER(l2_bytes, "B"),
    NUMBER(persisting_l2_max_bytes, "B"),
    NUMBER(constant_memory_bytes, "B"),
    NUMBER(shared_per_block_bytes, "B"),
    NUMBER(shared_per_block_optin_bytes, "B"),
    NUMBER(shared_per_multiprocessor_bytes, "B"),
    NUMBER(reserved_shared_per_block_bytes, "B"),
    NUMBER(registers_per_block, ""),
    NUMBER(registers_per_multiprocessor, ""),
    NUMBER(warp_size, ""),
    NUMBER(max_threads_per_multiprocessor, ""),
    NUMBER(max_threads_per_block, ""),
    NUMBER(max_blocks_per_multiprocessor, ""),
    NUMBERS(max_block_dim, 3),
    NUMBERS(max_grid_dim, 3),
    NUMBER(max_pitch_bytes, "B"),
    NUMBER(texture_alignment_bytes, "B"),
    NUMBER(texture_pitch_alignment_bytes, "B"),
    NUMBER(surface_alignment_bytes, "B"),
    NUMBER(max_texture_1d, ""),
    NUMBERS(max_texture_2d, 2),
    NUMBERS(max_texture_3d, 3),
    NUMBERS(max_texture_1d_layered, 2),
    NUMBERS(max_texture_2d_layered, 3),
    NUMBER(copy_engines, ""),
    FLAG(concurrent_kernels),
    FLAG(kernel_time_limit),
    FLAG(integrated),
    FLAG(can_map_host_memory),
    FLAG(ecc_enabled),
    FLAG(unified_addressing),
    FLAG(managed_memory),
    FLAG(concurrent_managed_access),
    FLAG(pageable_memory_access),
    FLAG(compute_preemption),
    FLAG(cooperative_launch),
    FLAG(cluster_launch),
    FLAG(stream_priorities),
    FLAG(persistence_mode),
    TEXT(compute_mode),
    TEXT(uuid),
    TEXT(pci_address),
    TEXT(pci_root_port),
    NUMBER(pcie_max_generation, ""),
    NUMBER(pcie_max_width, ""),
    REAL(pcie_peak_bytes_per_s, "B/s"),
    NUMBER(numa_node, ""),
    REAL(memory_peak_bytes_per_s, "B/s"),
    REAL(fp32_peak_flops, "FLOP/s"),
    REAL(fp64_peak_flops, "FLOP/s"),
    REAL(tensor_fp64_peak_flops, "FLOP/s"),
    REAL(tensor_tf32_peak_flops, "FLOP/s"),
    REAL(tensor_bf16_peak_flops, "FLOP/s"),
    REAL(tensor_fp16_peak_flops, "FLOP/s"),
    REAL(tensor_fp8_peak_flops, "FLOP/s"),
};

enum { PROPERTY_COUNT = sizeof properties / sizeof properties[0] };

static int64_t *integers_of(struct lab_device_facts *facts, const struct fact *fact)
{
    return (int64_t *)(void *)((char *)facts + fact->offset);
}

static double *real_of(struct lab_device_facts *facts, const struct fact *fact)
{
    return (double *)(void *)((char *)facts + fact->offset);
}

static char *text_of(struct lab_device_facts *facts, const struct fact *fact)
{
    return (char *)facts + fact->offset;
}

void lab_facts_clear(struct lab_device_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    facts->ordinal = LAB_UNKNOWN;
    for (size_t p = 0; p < PROPERTY_COUNT; p++) {
        const struct fact *fact = &properties[p];
        if (fact->type == FACT_REAL)
            *real_of(facts, fact) = LAB_UNKNOWN_REAL;
        else if (fact->type != FACT_TEXT)
            for (size_t i = 0; i < fact->count; i++)
                integers_of(facts, fact)[i] = LAB_UNKNOWN;
    }
}

bool lab_fact_exists(const char *name)
{
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        if (strcmp(properties[p].name, name) == 0)
            return true;
    return false;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static json_t *filled_or_null(const char *text)
{
    return lab_json_text_or_null(text[0] != '\0' ? text : NULL);
}

static json_t *property_to_json(struct lab_device_facts *facts, const struct fact *fact)
{
    switch (fact->type) {
    case FACT_TEXT:
        return filled_or_null(text_of(facts, fact));
    case FACT_REAL:
        return lab_json_real_or_null(*real_of(facts, fact));
    case FACT_BOOLEAN:
        return *integers_of(facts, fact) != LAB_UNKNOWN ? json_boolean(*integers_of(facts, fact) != 0) : json_null();
    case FACT_INTEGER:
        break;
    }
    const int64_t *values = integers_of(facts, fact);
    if (fact->count == 1)
        return lab_json_integer_or_null(values[0]);
    if (values[0] == LAB_UNKNOWN)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < fact->count; i++)
        json_array_append_new(list, lab_json_integer_or_null(values[i]));
    return list;
}

json_t *lab_facts_to_json(const struct lab_device_facts *facts)
{
    /* Uses a copy, because integers_of, real_of and text_of take non-const facts (reading uses them too). */
    struct lab_device_facts copy = *facts;
    json_t *fields = json_object();
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        json_object_set_new(fields, properties[p].name, property_to_json(&copy, &properties[p]));

    json_t *peers = json_array();
    for (size_t i = 0; i < copy.peer_count; i++) {
        const struct lab_peer_fact *peer = &copy.peers[i];
        json_array_append_new(
            peers,
            json_pack("{s:s, s:b, s:b, s:o, s:o, s:o}", "id", peer->id, "access", peer->access, "native_atomics",
                      peer->native_atomics, "rank", lab_json_integer_or_null(peer->rank), "link",
                      filled_or_null(peer->link), "peak_bytes_per_s",
                      lab_json_real_or_null(peer->peak_bytes_per_s > 0 ? peer->peak_bytes_per_s : LAB_UNKNOWN_REAL)));
    }
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o}", "id", copy.id, "ordinal", lab_json_integer_or_null(copy.ordinal),
                     "backend", copy.backend, "name", copy.name, "properties", fields, "peers", peers);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void read_text(const json_t *object, const char *name, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(object, name));
    if (value != NULL)
        snprintf(text, size, "%s", value);
}

static int64_t integer_from(const json_t *value)
{
    return json_is_integer(value) ? json_integer_value(value) : LAB_UNKNOWN;
}

static void property_from_json(struct lab_device_facts *facts, const struct fact *fact, const json_t *fields)
{
    const json_t *value = json_object_get(fields, fact->name);
    switch (fact->type) {
    case FACT_TEXT:
        read_text(fields, fact->name, text_of(facts, fact), fact->count);
        return;
    case FACT_REAL:
        *real_of(facts, fact) = lab_number_or_nan(value);
        return;
    case FACT_BOOLEAN:
        *integers_of(facts, fact) = json_is_boolean(value) ? json_is_true(value) : LAB_UNKNOWN;
        return;
    case FACT_INTEGER:
        break;
    }
    if (fact->count == 1)
        *integers_of(facts, fact) = integer_from(value);
    else
        for (size_t i = 0; i < fact->count; i++)
            integers_of(facts, fact)[i] = integer_from(json_array_get(value, i));
}

static void peers_from_json(struct lab_device_facts *facts, const json_t *peers)
{
    size_t index;
    json_t *item;
    json_array_foreach(peers, index, item)
    {
        if (facts->peer_count == LAB_PEERS_MAX)
            break;
        struct lab_peer_fact *peer = &facts->peers[facts->peer_count++];
        read_text(item, "id", peer->id, sizeof peer->id);
        read_text(item, "link", peer->link, sizeof peer->link);
        peer->access = json_is_true(json_object_get(item, "access"));
        peer->native_atomics = json_is_true(json_object_get(item, "native_atomics"));
        peer->rank = integer_from(json_object_get(item, "rank"));
        peer->peak_bytes_per_s = json_number_value(json_object_get(item, "peak_bytes_per_s"));
    }
}

bool lab_facts_from_json(const json_t *json, struct lab_device_facts *facts)
{
    lab_facts_clear(facts);
    const json_t *fields = json_object_get(json, "properties");
    if (!json_is_string(json_object_get(json, "id")) || !json_is_object(fields))
        return false;
    read_text(json, "id", facts->id, sizeof facts->id);
    read_text(json, "backend", facts->backend, sizeof facts->backend);
    read_text(json, "name", facts->name, sizeof facts->name);
    facts->ordinal = integer_from(json_object_get(json, "ordinal"));
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        property_from_json(facts, &properties[p], fields);
    peers_from_json(facts, json_object_get(json, "peers"));
    return true;
}

const char *lab_facts_unit(const char *property)
{
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        if (strcmp(properties[p].name, property) == 0)
            return properties[p].unit;
    return NULL;
}
