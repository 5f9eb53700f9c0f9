/* The few functions of NCCL that collectives call, looked up when they are first needed: the library comes neither with the
 * driver nor with every toolkit, and all but collectives goes without it.
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

/* False when no library is found that has them all; `why` is then filled with what the loader said. */
bool lab_cuda_nccl_open(struct nccl *nccl, char *why, size_t why_size);

#endif
