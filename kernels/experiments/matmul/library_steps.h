/* What the page shows of the steps of matmul whose code is that of the runtimes. */

// step mma "Tensor cores with mma.sync" shows kernels/cuda/gemm/mma.cuh, kernels/cuda/gemm/mma.cu:kernel, kernels/cuda/gemm/wgmma/fp64.cuh
/* So far every thread multiplied numbers of its own. Now the 32 threads of a warp pass tiles to a tensor core
 * together: one mma.sync multiplies 16 x 16 by 16 x 8 elements of bf16 or fp16, 2048 multiply-adds (16 x 8 by 8 x 8 of
 * tf32, 1024), where an fp32 instruction of a warp does 32. The sums are accumulated in fp32. The rest of the kernel
 * feeds the tensor core. Asynchronous copies (cp.async) bring the next stages of A and B into a ring of buffers in
 * shared memory, ldmatrix distributes 8 x 8 tiles to the threads in the layout of the tensor core, and the operands of
 * the next multiplication are loaded while the current one runs. The 16-byte chunks of a row are swizzled in shared
 * memory, so that chunks which are read together are in different banks. The inputs have fewer significant bits: 8 in
 * bf16, 11 in fp16 and tf32. In tf32 the matrices stay fp32 in memory and the tensor core ignores the last 13 bits;
 * rounding them first (cvt.rna.tf32) would be slightly more accurate and about a quarter slower.
 *
 * For tf32, bf16 and fp16 this instruction does not reach the full rate of Hopper's tensor cores; expect somewhat more
 * than half of cuBLAS. The warps that multiply also compute addresses, start copies, load operands and wait for each
 * other every 64 bytes along k, and their registers (244 of 255) leave room for only two warps per scheduler to hide
 * that. Rows that are not a multiple of 16 bytes cannot be copied asynchronously and are several times slower.
 *
 * fp64 has tensor cores, too, on the data-centre GPUs; gpulab uses them on Hopper. One instruction multiplies 16 x 16
 * by 16 x 8 numbers, at twice the rate of the fp64 cores. There is no other instruction for fp64: the ceiling in the
 * roofline is measured with mma.sync itself. The rest of its kernel is that of the step WGMMA + TMA. There are no
 * matrix loads for numbers of 8 bytes; each thread loads its numbers one by one, in an order in which the 16 threads
 * that read at a time read from different banks, directly into the registers that the instruction needs next to each
 * other: loading two at a time and moving one of them took a tenth of the throughput. Two or three warps share a
 * scheduler: while one waits for its numbers, another multiplies. Large products are limited by the GPU's power; of
 * the instruction's forms the one with the most numbers along k is used, because it reads and writes the sums least
 * often. Reading memory takes power as well: when blocks worked at different places along k, a product of 16384 read
 * 349 GB from memory instead of 55 GB, and was 6 % slower. */

// step wgmma "WGMMA + TMA" shows kernels/cuda/gemm/wgmma/schedule.h, kernels/cuda/gemm/wgmma/instructions.cuh, kernels/cuda/gemm/wgmma/block.cuh, kernels/cuda/gemm/wgmma/produce.cuh, kernels/cuda/gemm/wgmma/multiply.cuh, kernels/cuda/gemm/wgmma/pass_on.cuh, kernels/cuda/gemm/wgmma/store.cuh, kernels/cuda/gemm/wgmma/kernel.cuh:kernel
/* For Hopper. One producer thread only issues copies of boxes of A and B to the tensor memory accelerator (TMA), which
 * computes the addresses and fills elements beyond the edge with zeros. One or two consumer warpgroups of 128 threads
 * only issue multiplications: one wgmma multiplies 64 rows by up to 256 columns, 32 bytes along k, directly from
 * shared memory, 262,144 multiply-adds of bf16, and runs asynchronously while the next is issued. Producer and
 * consumers synchronise only through barriers in shared memory, "full" and "empty" for each of several stages; there
 * is no barrier for the whole block. The blocks are persistent, so the stages of the next tile are filled while a tile
 * is stored. Two blocks can share each box of B or A (cluster multicast), which saves a third of the traffic from the
 * L2 cache. The tiles are visited in bands, back and forth, and alternately forwards and backwards along k, so that
 * the cache still holds more of the data needed next. A cache also helps only while blocks need the same data at about
 * the same time. So in large products all blocks begin with whole tiles, and every 4 KB along k those that are ahead
 * wait for the others.
 *
 * No single size of tiles suits all products. Large ones read each number least often, but at 1024 there are only 32
 * tiles of 128 x 256 for the 132 multiprocessors of an H200. Small products therefore use smaller tiles. Where these
 * are still too few, and k is large, several blocks divide the sums of a tile along k: into equal parts (split-k), or
 * so that each block has the same number of steps (stream-k, which also divides the last tiles of large products). The
 * blocks that share a tile add their sums in a tree, so that 32 of them take five additions one after the other, not
 * 31. A table has the choices that were measured; a rule with estimated costs decides for other products. Each
 * measurement names its choice. A kernel may start while the one before it in the stream ends (programmatic launch):
 * it prepares its barriers and waits before it reads.
 *
 * At large sizes the limit is power: the multiplications take nearly all of the cycles, but the clock drops under the
 * load. From here on, every byte and instruction saved also saves energy. So the loop over the stages is unrolled:
 * what depends on the stage is then a constant, and what all threads of a warp share is computed once. For bf16 and
 * blocks of 128 x 256, a consumer warp issues 43 instructions for each step along k, four of them multiplications,
 * instead of 93. Expect the throughput of cuBLAS or slightly more. fp16 is slower than bf16, because more bits switch
 * in the same instructions. tf32 and fp8 run through the same code, because an instruction multiplies 32 bytes along k
 * of every type; but wgmma reads their B in shared memory only along k, so for tf32 in layout nn the transposed
 * product is computed, with B in registers. fp8 keeps only about 14 bits of its sums. TMA requires rows that are a
 * multiple of 16 bytes: for other sizes A and B are first copied to padded rows, and C is stored element by element,
 * which halves the throughput. */

// step cublas "cuBLAS" shows kernels/cuda/gemm/cublas.c, kernels/cuda/gemm/cublaslt.c
/* NVIDIA's library, the reference for the other steps. It contains many kernels for each type, generated and tuned for
 * each generation of devices, and selects one by the sizes of the matrices. Its source is not public; shown here is
 * how gpulab calls it.
 *
 * cuBLAS expects matrices stored column by column. A matrix stored row by row is its own transpose in that view, so
 * gpulab computes C^T = B^T A^T and no data has to be moved. fp32 is multiplied in fp32, without tf32. Sums of 16-bit
 * types are accumulated in fp32. fp8 is multiplied by cuBLASLt, the same library's other interface, with the tensor
 * cores' own accumulation ("fast accumulation"), as by wgmma. */

// step naive "Naive" shows kernels/host/gemm/naive.c
/* Three nested loops: each element of C is the sum of a row of A times a column of B, one multiply-add after the
 * other. Every multiply-add needs two numbers from memory. If B is stored row by row, the next number of a column is a
 * whole row away: the CPU fetches a cache line of 64 bytes and uses 4 or 8 of them. Try the layout tn, in which the
 * columns of B are contiguous: the same loops are several times as fast.
 *
 * A second limit does not depend on the cache: all additions go into the same sum, so each waits for the previous one.
 * A core then completes one addition in three or four clock cycles, though it could do several per cycle. */

// step tiled-8, tiled-16, tiled-32 "Cache tiling" shows kernels/host/gemm/tiled.c
/* The same three loops, cut into tiles: a tile of A and a tile of B are copied into two small arrays and multiplied
 * there before the next two tiles are fetched. Each fetched number is used as often as a tile is wide, so less data
 * comes from memory, and the two arrays stay in the first-level cache. The copy matters as much as the tiling: in the
 * matrix, the rows of a tile are a whole matrix row apart, and for sizes such as 1024 they map to the same few cache
 * sets and evict one another.
 *
 * The arrays have a fixed size, and elements beyond the edge of the matrix are 0. So the compiler can compute four
 * adjacent fp32 sums at a time with the vector instructions that every 64-bit CPU has. Larger tiles use each number
 * more often, smaller ones can be unrolled completely; which is faster has to be measured. A GPU keeps such tiles in
 * shared memory, a CPU relies on its cache, which keeps recently used data. */

// step blocked "Packing and micro-kernel (GotoBLAS scheme)" shows kernels/host/gemm/blocked.c
/* With tiling, the arithmetic units still wait: even from the first-level cache, one load per multiply-add is too
 * much. Here the innermost part, the micro-kernel, keeps a tile of C in vector registers (with AVX-512: 14 x 32 fp32
 * sums in 28 registers) and walks along k once. In each step it loads two vectors of B and 14 single numbers of A and
 * does 28 vector multiply-adds with them: 16 loads for 448 multiply-adds, all independent of each other.
 *
 * The numbers must arrive in the right order and from a near cache. So A and B are packed first: copied into slivers
 * as high and as wide as the micro-kernel's tile, vector by vector; where the elements of a row or column must be
 * spread, whole squares of them are transposed in registers. Each core computes parts of C on its own, so that cores
 * never wait for each other's packing. The sizes follow the caches: a sliver of A stays in the first level while the
 * slivers of B of a part, which stay in the second level, pass. Every packed number is used hundreds of times.
 *
 * What remains are accesses to the unpacked matrices. While a tile is multiplied, the micro-kernel fetches the tile's
 * part of C and the rows of A that are packed next into the caches, a few cache lines at a time. Edges are not filled
 * up with zeros: the micro-kernel is compiled for each number of rows.
 *
 * The source is compiled for vectors of 16, 32 and 64 bytes, and the program selects the widest that the CPU supports.
 * The scheme is that of K. Goto and R. van de Geijn ("Anatomy of High-Performance Matrix Multiplication", 2008), which
 * most libraries follow. On a CPU with AVX-512, expect about the throughput of OpenBLAS or slightly more. */

// step openblas "OpenBLAS" shows kernels/host/gemm/openblas.c
/* The same scheme as "Packing and micro-kernel (GotoBLAS scheme)", with a micro-kernel in assembly for each family of
 * CPUs and years of tuning. It is the reference for the other steps, where the library is installed. Each core of the
 * device computes its own part of C with a call of its own, so that a device uses only its own cores. */
