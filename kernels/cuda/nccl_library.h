/* The functions of NCCL that collective.c calls. The library is loaded at its first use: it is part neither of the
 * driver nor of every toolkit, and only collectives need it.
 */
#ifndef LAB_CUDA_NCCL_LIBRARY_H
#define LAB_CUDA_NCCL_LIBRARY_H

#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>

struct nccl {
    __typeof__(&ncclGetVersion) get_version;
    __typeof__(&ncclGetErrorString) error_string;
    __typeof__(&ncclCommInitAll) init_all;
    __typeof__(&ncclGetUniqueId) get_unique_id;
    __typeof__(&ncclCommInitRank) init_rank;
    __typeof__(&ncclCommDestroy) destroy;
    __typeof__(&ncclCommAbort) abort;
    __typeof__(&ncclGroupStart) group_start;
    __typeof__(&ncclGroupEnd) group_end;
    __typeof__(&ncclAllReduce) all_reduce;
    __typeof__(&ncclAllGather) all_gather;
    __typeof__(&ncclReduceScatter) reduce_scatter;
    __typeof__(&ncclBroadcast) broadcast;
    __typeof__(&ncclSend) send;
    __typeof__(&ncclRecv) receive;
};

/* Loads the library and fills in *nccl. Returns false if no library that has all functions is found; the loader's error
 * is then written to `why`. */
bool lab_cuda_nccl_open(struct nccl *nccl, char *why, size_t why_size);

#endif
