/* Errors that arrive late, and errors that stay
 *
 * A launch that cannot be made is an error at once, and after cudaGetLastError has returned it everything works again.
 * A kernel that accesses a wrong address is an error that a later call returns, whatever that call is, because the
 * launch did not wait for the kernel; and then every call of the process fails. The program shows this in a child
 * process, which must be made before the first CUDA call.
 *
 * Lessons: launch
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error_ = (call)) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

__global__ void store(int *address)
{
    *address = 1;
}

static int unexpected; /* the number of errors that are not those expected */

static void expect(const char *what, cudaError_t found, cudaError_t expected)
{
    printf("  %-46s %s\n", what, cudaGetErrorName(found));
    unexpected += found != expected;
}

/* The error of a launch that is refused has another name in some drivers. */
static void expect_refusal(const char *what, cudaError_t found)
{
    expect(what, found, found == cudaErrorInvalidValue ? found : cudaErrorInvalidConfiguration);
}

/* What the CUDA runtime says of a launch with too many threads. */
static void launch_wrongly(int *address)
{
    puts("A block of 5000 threads:");
    store<<<1, 5000>>>(address); /* returns nothing: a launch is no function */
    expect_refusal("cudaPeekAtLastError after the launch", cudaPeekAtLastError());
    expect_refusal("cudaGetLastError, which forgets the error", cudaGetLastError());
    expect("cudaGetLastError once more", cudaGetLastError(), cudaSuccess);
    store<<<1, 1>>>(address);
    expect("cudaDeviceSynchronize after a right launch", cudaDeviceSynchronize(), cudaSuccess);
}

/* What it says of a wrong address. */
static void access_wrongly()
{
    int *more;
    puts("A kernel that writes to no memory:");
    store<<<1, 1>>>(NULL);
    expect("cudaGetLastError after the launch", cudaGetLastError(), cudaSuccess);
    expect("cudaDeviceSynchronize", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    expect("cudaMalloc, which has nothing to do with it", cudaMalloc(&more, 4), cudaErrorIllegalAddress);
    cudaGetLastError(); /* does not help: this error stays until the process ends */
    expect("cudaMalloc after cudaGetLastError", cudaMalloc(&more, 4), cudaErrorIllegalAddress);
}

int main()
{
    int status, result = 0, *address;
    pid_t child = fork();
    if (child == 0) {
        CHECK(cudaFree(NULL)); /* starts the CUDA runtime */
        access_wrongly();
        exit(unexpected == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return EXIT_FAILURE;
    unexpected += status != 0;
    puts("In another process, on the same GPU:");
    CHECK(cudaMalloc(&address, sizeof *address));
    launch_wrongly(address);
    CHECK(cudaMemcpy(&result, address, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(address));
    printf("The right launch has written %d; %d errors were unexpected\n", result, unexpected);
    return result == 1 && unexpected == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
