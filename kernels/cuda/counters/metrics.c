/* The metrics of NVIDIA GPUs, as CUPTI names them: UNIT__COUNTER.ROLLUP. CUPTI 13 lists these for the chips GV100 to
 * GB202; where one has another name there, it is the second. Those of L2 are of the multiprocessors alone, because the
 * profiler itself has some 10^5 sectors there; its hits and misses take a pass each, so that a ratio that CUPTI makes
 * of them can be above 1. Blackwell has no immediate constant cache, and only Hopper waits for WGMMA.
 */
#include "metrics.h"

#define SECTOR_BYTES 32
#define PERCENT 0.01
#define NANOSECOND 1e-9
#define OF_PEAK_ELAPSED(counter) counter ".avg.pct_of_peak_sustained_elapsed"
#define OF_PEAK_ACTIVE(counter) counter ".avg.pct_of_peak_sustained_active"
#define STALLED(reason)                                                                                                \
    {                                                                                                                  \
        {"smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"}, 1                                     \
    }

const struct cuda_counter_metric lab_cuda_counter_metrics[LAB_HARDWARE_COUNTER_COUNT] = {
    [LAB_HARDWARE_TIME] = {{"gpu__time_duration.sum"}, NANOSECOND},
    [LAB_HARDWARE_CYCLES] = {{"sm__cycles_elapsed.max"}, 1},

    [LAB_HARDWARE_DRAM_READ_BYTES] = {{"dram__bytes_read.sum", "dram__bytes_op_read.sum"}, 1},
    [LAB_HARDWARE_DRAM_WRITTEN_BYTES] = {{"dram__bytes_write.sum", "dram__bytes_op_write.sum"}, 1},
    [LAB_HARDWARE_DRAM_UTILIZATION] = {{OF_PEAK_ELAPSED("dram__throughput")}, PERCENT},
    [LAB_HARDWARE_L2_READ_BYTES] = {{"lts__t_sectors_srcunit_tex_op_read.sum"}, SECTOR_BYTES},
    [LAB_HARDWARE_L2_WRITTEN_BYTES] = {{"lts__t_sectors_srcunit_tex_op_write.sum"}, SECTOR_BYTES},
    [LAB_HARDWARE_L2_HITS] = {{"lts__t_sectors_srcunit_tex_lookup_hit.sum"}, 1},
    [LAB_HARDWARE_L2_MISSES] = {{"lts__t_sectors_srcunit_tex_lookup_miss.sum"}, 1},
    [LAB_HARDWARE_L2_UTILIZATION] = {{OF_PEAK_ELAPSED("lts__t_sectors")}, PERCENT},
    [LAB_HARDWARE_L1_HIT_RATE] = {{"l1tex__t_sector_hit_rate.pct"}, PERCENT},
    [LAB_HARDWARE_L1_UTILIZATION] = {{OF_PEAK_ELAPSED("l1tex__data_pipe_lsu_wavefronts")}, PERCENT},

    [LAB_HARDWARE_LOAD_REQUESTS] = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}, 1},
    [LAB_HARDWARE_LOAD_SECTORS] = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}, 1},
    [LAB_HARDWARE_SECTORS_PER_LOAD] = {{"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"}, 1},
    [LAB_HARDWARE_STORE_REQUESTS] = {{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}, 1},
    [LAB_HARDWARE_STORE_SECTORS] = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}, 1},
    [LAB_HARDWARE_SECTORS_PER_STORE] = {{"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"}, 1},
    [LAB_HARDWARE_ATOMIC_REQUESTS] = {{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"}, 1},
    [LAB_HARDWARE_REDUCTION_REQUESTS] = {{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"}, 1},
    [LAB_HARDWARE_LOCAL_READ_BYTES] = {{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}, SECTOR_BYTES},
    [LAB_HARDWARE_LOCAL_WRITTEN_BYTES] = {{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}, SECTOR_BYTES},
    [LAB_HARDWARE_TEXTURE_REQUESTS] = {{"l1tex__t_requests_pipe_tex.sum"}, 1},
    [LAB_HARDWARE_TEXTURE_SECTORS] = {{"l1tex__t_sectors_pipe_tex.sum"}, 1},
    [LAB_HARDWARE_CONSTANT_REQUESTS] = {{"idc__requests.sum"}, 1},

    [LAB_HARDWARE_SHARED_LOADS] = {{"smsp__inst_executed_op_shared_ld.sum"}, 1},
    [LAB_HARDWARE_SHARED_LOAD_WAVEFRONTS] = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}, 1},
    [LAB_HARDWARE_SHARED_LOAD_CONFLICTS] = {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"}, 1},
    [LAB_HARDWARE_SHARED_STORES] = {{"smsp__inst_executed_op_shared_st.sum"}, 1},
    [LAB_HARDWARE_SHARED_STORE_WAVEFRONTS] = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}, 1},
    [LAB_HARDWARE_SHARED_STORE_CONFLICTS] = {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}, 1},
    [LAB_HARDWARE_SHARED_ATOMIC_WAVEFRONTS] = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}, 1},

    [LAB_HARDWARE_INSTRUCTIONS] = {{"smsp__inst_executed.sum"}, 1},
    [LAB_HARDWARE_BRANCHES] = {{"smsp__inst_executed_op_branch.sum"}, 1},
    [LAB_HARDWARE_THREADS_PER_INSTRUCTION] = {{"smsp__thread_inst_executed_per_inst_executed.ratio"}, 1},
    [LAB_HARDWARE_OCCUPANCY] = {{OF_PEAK_ACTIVE("sm__warps_active")}, PERCENT},
    [LAB_HARDWARE_ISSUE_UTILIZATION] = {{OF_PEAK_ACTIVE("smsp__issue_active")}, PERCENT},
    [LAB_HARDWARE_FP32_UTILIZATION] = {{OF_PEAK_ACTIVE("sm__pipe_fma_cycles_active")}, PERCENT},
    [LAB_HARDWARE_FP64_UTILIZATION] = {{OF_PEAK_ACTIVE("sm__pipe_fp64_cycles_active")}, PERCENT},
    [LAB_HARDWARE_TENSOR_UTILIZATION] = {{OF_PEAK_ACTIVE("sm__pipe_tensor_cycles_active")}, PERCENT},
    [LAB_HARDWARE_SFU_UTILIZATION] = {{OF_PEAK_ACTIVE("sm__inst_executed_pipe_xu")}, PERCENT},
    [LAB_HARDWARE_LSU_UTILIZATION] = {{OF_PEAK_ACTIVE("sm__inst_executed_pipe_lsu")}, PERCENT},

    [LAB_HARDWARE_STALL_SELECTED] = STALLED("selected"),
    [LAB_HARDWARE_STALL_NOT_SELECTED] = STALLED("not_selected"),
    [LAB_HARDWARE_STALL_LONG_SCOREBOARD] = STALLED("long_scoreboard"),
    [LAB_HARDWARE_STALL_SHORT_SCOREBOARD] = STALLED("short_scoreboard"),
    [LAB_HARDWARE_STALL_BARRIER] = STALLED("barrier"),
    [LAB_HARDWARE_STALL_MEMBAR] = STALLED("membar"),
    [LAB_HARDWARE_STALL_WAIT] = STALLED("wait"),
    [LAB_HARDWARE_STALL_MATH_PIPE] = STALLED("math_pipe_throttle"),
    [LAB_HARDWARE_STALL_LG_THROTTLE] = STALLED("lg_throttle"),
    [LAB_HARDWARE_STALL_MIO_THROTTLE] = STALLED("mio_throttle"),
    [LAB_HARDWARE_STALL_TEX_THROTTLE] = STALLED("tex_throttle"),
    [LAB_HARDWARE_STALL_BRANCH] = STALLED("branch_resolving"),
    [LAB_HARDWARE_STALL_NO_INSTRUCTION] = STALLED("no_instruction"),
    [LAB_HARDWARE_STALL_IMC_MISS] = STALLED("imc_miss"),
    [LAB_HARDWARE_STALL_DRAIN] = STALLED("drain"),
    [LAB_HARDWARE_STALL_DISPATCH] = STALLED("dispatch_stall"),
    [LAB_HARDWARE_STALL_GMMA] = STALLED("gmma"),
    [LAB_HARDWARE_STALL_SLEEPING] = STALLED("sleeping"),
    [LAB_HARDWARE_STALL_MISC] = STALLED("misc"),
};
