/* Measures copies between GPUs with a plain loop: cudaMemcpyPeerAsync between two events, with peer access. It shares
 * no code with kernels/, so that gpulab's results can be compared with it.
 *
 *   gpulab-plain-peer [BYTES [ROUNDS]]
 *
 * Prints a JSON line for each ordered pair of GPUs and each of the two devices on whose stream the copies can be
 * queued: "write" for the source's stream, "read" for the target's. A round measures each of them once, so that all are
 * measured
 * under the same conditions. The bandwidth is the median of the rounds in GB/s (10^9 bytes per second). Defaults: 256
 * MiB, 20 rounds. Exits with 77 if the machine has fewer than two GPUs.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

static const int copies_per_sample = 16, skipped = 77;

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "gpulab-plain-peer: %s: %s: %s\n", what, cudaGetErrorName(status), cudaGetErrorString(status));
    exit(1);
}

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/* A GPU's buffers (to copy from and to copy to), stream and events. */
struct gpu {
    std::string id;
    void *source, *target;
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

/* Copies from one GPU to another on the stream of one of the two, and the results. */
struct transfer {
    int source, target;
    const char *access; /* "write" or "read" */
    bool peer_access;
    std::vector<double> samples;
};

/* Converts a UUID to "GPU-" and hexadecimal digits. */
static std::string id_of(const cudaUUID_t &uuid)
{
    char text[48];
    const unsigned char *b = reinterpret_cast<const unsigned char *>(uuid.bytes);
    snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    return text;
}

static gpu open_gpu(int number, size_t bytes, const std::vector<unsigned char> &content)
{
    gpu g;
    cudaDeviceProp properties;
    must(cudaGetDeviceProperties(&properties, number), "properties");
    g.id = id_of(properties.uuid);
    must(cudaSetDevice(number), "device");
    must(cudaMalloc(&g.source, bytes), "device memory");
    must(cudaMalloc(&g.target, bytes), "device memory");
    for (size_t at = 0; at < bytes; at += content.size())
        must(cudaMemcpy(static_cast<char *>(g.source) + at, content.data(), std::min(content.size(), bytes - at),
                        cudaMemcpyHostToDevice),
             "filling");
    must(cudaStreamCreateWithFlags(&g.stream, cudaStreamNonBlocking), "stream");
    must(cudaEventCreate(&g.start), "event");
    must(cudaEventCreate(&g.stop), "event");
    return g;
}

static void close_gpu(int number, const gpu &g)
{
    must(cudaSetDevice(number), "device");
    must(cudaEventDestroy(g.stop), "event");
    must(cudaEventDestroy(g.start), "event");
    must(cudaStreamDestroy(g.stream), "stream");
    must(cudaFree(g.target), "device memory");
    must(cudaFree(g.source), "device memory");
}

static bool allow(int device, int other)
{
    int possible = 0;
    must(cudaDeviceCanAccessPeer(&possible, device, other), "querying peer access");
    if (!possible)
        return false;
    must(cudaSetDevice(device), "device");
    must(cudaDeviceEnablePeerAccess(other, 0), "peer access");
    return true;
}

static double sample(const std::vector<gpu> &gpus, const transfer &transfer, size_t bytes)
{
    const gpu &from = gpus[transfer.source], &to = gpus[transfer.target];
    int device = strcmp(transfer.access, "write") == 0 ? transfer.source : transfer.target;
    const gpu &queue = gpus[device];
    float milliseconds;
    must(cudaSetDevice(device), "device");
    must(cudaEventRecord(queue.start, queue.stream), "record");
    for (int i = 0; i < copies_per_sample; i++)
        must(cudaMemcpyPeerAsync(to.target, transfer.target, from.source, transfer.source, bytes, queue.stream),
             "copy");
    must(cudaEventRecord(queue.stop, queue.stream), "record");
    must(cudaEventSynchronize(queue.stop), "synchronize");
    must(cudaEventElapsedTime(&milliseconds, queue.start, queue.stop), "elapsed time");
    return copies_per_sample * (double)bytes / (milliseconds * 1e-3) / 1e9;
}

static void print(const std::vector<gpu> &gpus, const transfer &transfer, size_t bytes)
{
    printf(
        "{\"source\":%d,\"target\":%d,\"source_id\":\"%s\",\"target_id\":\"%s\",\"access\":\"%s\","
        "\"peer_access\":%s,\"bytes\":%zu,\"bandwidth\":%.6g,\"samples\":[",
        transfer.source, transfer.target, gpus[transfer.source].id.c_str(), gpus[transfer.target].id.c_str(),
        transfer.access, transfer.peer_access ? "true" : "false", bytes, median(transfer.samples));
    for (size_t i = 0; i < transfer.samples.size(); i++)
        printf("%s%.6g", i == 0 ? "" : ",", transfer.samples[i]);
    printf("]}\n");
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoull(argv[1], nullptr, 10) : (size_t)256 << 20;
    int rounds = argc > 2 ? atoi(argv[2]) : 20, count = 0;
    if (bytes == 0 || rounds < 1 || argc > 3) {
        fprintf(stderr, "usage: gpulab-plain-peer [BYTES [ROUNDS]]\n");
        return 2;
    }
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count < 2) {
        fprintf(stderr, "gpulab-plain-peer: needs two GPUs: %s, %d found\n", cudaGetErrorString(status), count);
        return skipped;
    }
    std::vector<unsigned char> content((size_t)16 << 20);
    for (size_t i = 0; i < content.size(); i++)
        content[i] = (unsigned char)(i * 2654435761u >> 13);

    std::vector<gpu> gpus;
    for (int i = 0; i < count; i++)
        gpus.push_back(open_gpu(i, bytes, content));
    std::vector<std::vector<bool>> access(count, std::vector<bool>(count));
    for (int device = 0; device < count; device++)
        for (int other = 0; other < count; other++)
            access[device][other] = device != other && allow(device, other);
    std::vector<transfer> transfers;
    for (int source = 0; source < count; source++)
        for (int target = 0; target < count; target++) {
            if (source == target)
                continue;
            transfers.push_back({source, target, "write", access[source][target], {}});
            transfers.push_back({source, target, "read", access[target][source], {}});
        }
    for (const transfer &transfer : transfers)
        sample(gpus, transfer, bytes);
    for (int i = 0; i < rounds; i++)
        for (transfer &transfer : transfers)
            transfer.samples.push_back(sample(gpus, transfer, bytes));
    for (const transfer &transfer : transfers)
        print(gpus, transfer, bytes);
    for (int i = 0; i < count; i++)
        close_gpu(i, gpus[i]);
    return 0;
}
