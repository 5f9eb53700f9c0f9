/* Packing and unpacking in host memory. */
#ifndef GPULAB_MPI_MOVES_H
#define GPULAB_MPI_MOVES_H

#include "exchange.h"

/* Copies or transposes a region, as the plan of a move does on a device. */
void move_on_host(const struct move *move);

#endif
