/* What the counters of a device's hardware count while a point's work runs once. Each is named by its meaning; which
 * metric of a device it is, its runtime knows (cuda/counters/metrics.c).
 *
 *     ROW(x, NAME, name, title, unit, text)
 *
 * Of a request, a warp's access to memory by one instruction, and of a wavefront, what a multiprocessor's memory serves
 * in one cycle, the glossary says more. A utilisation is a share of what the unit can do, over the time of the work; of
 * a pipe and of issue slots, over the cycles in which the multiprocessors have warps.
 */
#ifndef LAB_HARDWARE_COUNTERS_H
#define LAB_HARDWARE_COUNTERS_H

#define LAB_HARDWARE_COUNTERS(ROW, x)                                                                                  \
    ROW(x, TIME, time, "Time while counting", "s", "The time of the counting pass; longer than that of the samples.")  \
    ROW(x, CYCLES, cycles, "Cycles", "1", "Cycles of the multiprocessors' clock, from the first to the last.")         \
    LAB_MEMORY_COUNTERS(ROW, x)                                                                                        \
    LAB_ACCESS_COUNTERS(ROW, x)                                                                                        \
    LAB_SHARED_COUNTERS(ROW, x)                                                                                        \
    LAB_EXECUTION_COUNTERS(ROW, x)                                                                                     \
    LAB_STALL_COUNTERS(ROW, x)

#define LAB_MEMORY_COUNTERS(ROW, x)                                                                                    \
    ROW(x, DRAM_READ_BYTES, dram_read_bytes, "DRAM bytes read", "B", "Bytes that came from device memory.")            \
    ROW(x, DRAM_WRITTEN_BYTES, dram_written_bytes, "DRAM bytes written", "B", "Bytes that went to device memory.")     \
    ROW(x, DRAM_UTILIZATION, dram_utilization, "DRAM utilisation", "1",                                                \
        "Utilisation of the busiest part of device memory.")                                                           \
    ROW(x, L2_READ_BYTES, l2_read_bytes, "L2 bytes read", "B", "Bytes that the multiprocessors read from L2.")         \
    ROW(x, L2_WRITTEN_BYTES, l2_written_bytes, "L2 bytes written", "B", "Bytes that the multiprocessors wrote to L2.") \
    ROW(x, L2_HITS, l2_hits, "L2 sectors found", "1", "Sectors requested by the multiprocessors and found in L2.")     \
    ROW(x, L2_MISSES, l2_misses, "L2 sectors missed", "1",                                                             \
        "Sectors requested by the multiprocessors and not found in L2.")                                               \
    ROW(x, L2_UTILIZATION, l2_utilization, "L2 utilisation", "1", "Sectors looked up / the most that L2 can.")         \
    ROW(x, L1_HIT_RATE, l1_hit_rate, "L1 hit rate", "1", "Sectors found in L1 / sectors looked up.")                   \
    ROW(x, L1_UTILIZATION, l1_utilization, "L1 utilisation", "1",                                                      \
        "Wavefronts of L1 and shared memory / the most that the multiprocessors can serve.")

#define LAB_ACCESS_COUNTERS(ROW, x)                                                                                    \
    ROW(x, LOAD_REQUESTS, load_requests, "Global load requests", "1", "Loads of a warp from global memory.")           \
    ROW(x, LOAD_SECTORS, load_sectors, "Global load sectors", "1", "Sectors of 32 bytes that the loads touch.")        \
    ROW(x, SECTORS_PER_LOAD, sectors_per_load, "Sectors per load", "1", "Global load sectors / requests.")             \
    ROW(x, STORE_REQUESTS, store_requests, "Global store requests", "1", "Stores of a warp to global memory.")         \
    ROW(x, STORE_SECTORS, store_sectors, "Global store sectors", "1", "Sectors of 32 bytes that the stores touch.")    \
    ROW(x, SECTORS_PER_STORE, sectors_per_store, "Sectors per store", "1", "Global store sectors / requests.")         \
    ROW(x, ATOMIC_REQUESTS, atomic_requests, "Global atomic requests", "1",                                            \
        "Atomic operations of a warp on global memory that return a value.")                                           \
    ROW(x, REDUCTION_REQUESTS, reduction_requests, "Global reduction requests", "1",                                   \
        "Atomic operations of a warp on global memory whose value is not used.")                                       \
    ROW(x, LOCAL_READ_BYTES, local_read_bytes, "Local memory bytes read", "B",                                         \
        "Reads of spilled registers and arrays.")                                                                      \
    ROW(x, LOCAL_WRITTEN_BYTES, local_written_bytes, "Local memory bytes written", "B",                                \
        "Writes of spilled registers and arrays.")                                                                     \
    ROW(x, TEXTURE_REQUESTS, texture_requests, "Texture requests", "1", "Reads of a warp through the texture unit.")   \
    ROW(x, TEXTURE_SECTORS, texture_sectors, "Texture sectors", "1", "Sectors of 32 bytes that the reads touch.")      \
    ROW(x, CONSTANT_REQUESTS, constant_requests, "Constant requests", "1",                                             \
        "Reads of the cache for indexed constants: one for each different address of a warp.")

#define LAB_SHARED_COUNTERS(ROW, x)                                                                                    \
    ROW(x, SHARED_LOADS, shared_loads, "Shared loads", "1", "Loads of a warp from shared memory.")                     \
    ROW(x, SHARED_LOAD_WAVEFRONTS, shared_load_wavefronts, "Shared load wavefronts", "1",                              \
        "Wavefronts in which shared memory served them.")                                                              \
    ROW(x, SHARED_LOAD_CONFLICTS, shared_load_conflicts, "Bank conflicts of loads", "1",                               \
        "Wavefronts that the banks made necessary in addition.")                                                       \
    ROW(x, SHARED_STORES, shared_stores, "Shared stores", "1", "Stores of a warp to shared memory.")                   \
    ROW(x, SHARED_STORE_WAVEFRONTS, shared_store_wavefronts, "Shared store wavefronts", "1",                           \
        "Wavefronts in which shared memory served them.")                                                              \
    ROW(x, SHARED_STORE_CONFLICTS, shared_store_conflicts, "Bank conflicts of stores", "1",                            \
        "Wavefronts that the banks made necessary in addition.")                                                       \
    ROW(x, SHARED_ATOMIC_WAVEFRONTS, shared_atomic_wavefronts, "Shared atomic wavefronts", "1",                        \
        "Wavefronts of atomic operations on shared memory.")

#define LAB_EXECUTION_COUNTERS(ROW, x)                                                                                 \
    ROW(x, INSTRUCTIONS, instructions, "Instructions", "1", "Instructions of warps that were executed.")               \
    ROW(x, BRANCHES, branches, "Branches", "1", "Executed branches.")                                                  \
    ROW(x, THREADS_PER_INSTRUCTION, threads_per_instruction, "Threads per instruction", "1",                           \
        "Threads of a warp that execute an instruction, on average; 32 without divergence.")                           \
    ROW(x, OCCUPANCY, occupancy, "Achieved occupancy", "1",                                                            \
        "Warps on a multiprocessor, on average over the cycles in which it has any, / the most that it can hold.")     \
    ROW(x, ISSUE_UTILIZATION, issue_utilization, "Issue slots used", "1",                                              \
        "Cycles in which a scheduler issues an instruction / cycles in which it has warps.")                           \
    ROW(x, FP32_UTILIZATION, fp32_utilization, "FP32 pipe utilisation", "1", "Utilisation by multiply-adds in fp32.")  \
    ROW(x, FP64_UTILIZATION, fp64_utilization, "FP64 pipe utilisation", "1", "Utilisation by arithmetic in fp64.")     \
    ROW(x, TENSOR_UTILIZATION, tensor_utilization, "Tensor pipe utilisation", "1", "Utilisation of the tensor cores.") \
    ROW(x, SFU_UTILIZATION, sfu_utilization, "SFU pipe utilisation", "1",                                              \
        "Utilisation by special functions, such as sine, and conversions.")                                            \
    ROW(x, LSU_UTILIZATION, lsu_utilization, "LSU pipe utilisation", "1", "Utilisation by loads and stores.")

/* The cycles from one instruction of a warp to the next, on average, by what the warp does in them; their sum is the
 * warp's time for an instruction, which is longer than a scheduler's, because a scheduler has several warps. */
#define LAB_STALL_COUNTERS(ROW, x)                                                                                     \
    ROW(x, STALL_SELECTED, stall_selected, "Cycles of issuing", "cycles",                                              \
        "The warp does not wait: its instruction is issued.")                                                          \
    ROW(x, STALL_NOT_SELECTED, stall_not_selected, "Cycles not selected", "cycles",                                    \
        "It could issue an instruction, but the scheduler issues that of another warp.")                               \
    ROW(x, STALL_LONG_SCOREBOARD, stall_long_scoreboard, "Cycles waiting for global memory", "cycles",                 \
        "For data of L1, L2 or device memory: global, local and texture accesses (long scoreboard).")                  \
    ROW(x, STALL_SHORT_SCOREBOARD, stall_short_scoreboard, "Cycles waiting for shared memory", "cycles",               \
        "For data of shared memory or a special function (short scoreboard).")                                         \
    ROW(x, STALL_BARRIER, stall_barrier, "Cycles waiting at a barrier", "cycles", "For the other warps of the block.") \
    ROW(x, STALL_MEMBAR, stall_membar, "Cycles waiting for a fence", "cycles", "For its earlier accesses to memory.")  \
    ROW(x, STALL_WAIT, stall_wait, "Cycles waiting a fixed time", "cycles",                                            \
        "For an earlier instruction whose time is known, such as a multiply-add.")                                     \
    ROW(x, STALL_MATH_PIPE, stall_math_pipe, "Cycles waiting for an arithmetic pipe", "cycles",                        \
        "The pipe that it needs is busy.")                                                                             \
    ROW(x, STALL_LG_THROTTLE, stall_lg_throttle, "Cycles waiting for the global memory queue", "cycles",               \
        "The queue for instructions on local and global memory is full.")                                              \
    ROW(x, STALL_MIO_THROTTLE, stall_mio_throttle, "Cycles waiting for the shared memory queue", "cycles",             \
        "The queue for shared memory, special functions and dynamic branches is full.")                                \
    ROW(x, STALL_TEX_THROTTLE, stall_tex_throttle, "Cycles waiting for the texture queue", "cycles",                   \
        "The queue for textures is full.")                                                                             \
    ROW(x, STALL_BRANCH, stall_branch, "Cycles waiting for a branch", "cycles", "Until its target is known.")          \
    ROW(x, STALL_NO_INSTRUCTION, stall_no_instruction, "Cycles waiting for instructions", "cycles",                    \
        "Its next instruction is not in the cache, or it has just branched.")                                          \
    ROW(x, STALL_IMC_MISS, stall_imc_miss, "Cycles waiting for a constant", "cycles",                                  \
        "An immediate constant is not in its cache.")                                                                  \
    ROW(x, STALL_DRAIN, stall_drain, "Cycles waiting to end", "cycles", "Until its last stores are written.")          \
    ROW(x, STALL_DISPATCH, stall_dispatch, "Cycles waiting for dispatch", "cycles",                                    \
        "The dispatcher holds the instruction back, because of conflicts or missing resources.")                       \
    ROW(x, STALL_GMMA, stall_gmma, "Cycles waiting for WGMMA", "cycles",                                               \
        "For asynchronous products of the tensor cores.")                                                              \
    ROW(x, STALL_SLEEPING, stall_sleeping, "Cycles sleeping", "cycles", "All of its threads sleep.")                   \
    ROW(x, STALL_MISC, stall_misc, "Cycles waiting for another reason", "cycles", "Another reason.")

#define LAB_HARDWARE_COUNTER_ENUMERATOR(x, NAME, name, title, unit, text) LAB_HARDWARE_##NAME,
enum lab_hardware_counter { LAB_HARDWARE_COUNTERS(LAB_HARDWARE_COUNTER_ENUMERATOR, ) LAB_HARDWARE_COUNTER_COUNT };

/* What lets users who are no administrators read them: how the module of the driver is loaded. */
#define LAB_COUNTERS_REMEDY "NVreg_RestrictProfilingToAdminUsers=0, or give the worker the capability CAP_SYS_ADMIN"

/* Rows of the table as data, in the order of the enum. */
struct lab_hardware_counter_row {
    const char *name, *title, *unit, *text;
};
extern const struct lab_hardware_counter_row lab_hardware_counter_rows[LAB_HARDWARE_COUNTER_COUNT];

/* The title of the counter with this name; the name, if this build does not know it. */
const char *lab_hardware_counter_title(const char *name);

#endif
