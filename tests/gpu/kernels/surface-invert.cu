// --arg 'image:surface<uchar4>[n; n]' --arg 'out:surface<uchar4>[n; n]:out' --arg 'count:surface<u32>[n]:inout:ramp' --arg n:i32=1024 --grid 'n / 32; n / 8' --block '32; 8' --bytes '8 * n * n' --expect 'out=255 - image[i]' --expect 'count=count[i] + 1'

__global__ void invert(cudaSurfaceObject_t image, cudaSurfaceObject_t out, cudaSurfaceObject_t count, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uchar4 p = surf2Dread<uchar4>(image, x * sizeof(uchar4), y);
    surf2Dwrite(make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, 255 - p.w), out, x * sizeof(uchar4), y);
    if (y == 0)
        surf1Dwrite(surf1Dread<unsigned>(count, x * sizeof(unsigned)) + 1, count, x * sizeof(unsigned));
}
