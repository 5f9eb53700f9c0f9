// --entry 'mandelbrot<256>' --reference 'mandelbrot<256>' --arg 'y:u32[n*n]:out' --arg n:i32=512 --arg zoom:fp32=0.005 --grid '(n + 15) / 16; (n + 15) / 16' --block '16; 16'

template <int STEPS> __global__ void mandelbrot(unsigned *y, int n, float zoom)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= n)
        return;
    float cx = (column - n / 2) * zoom - 0.5f, cy = (row - n / 2) * zoom, a = 0, b = 0;
    unsigned steps = 0;
    while (steps < STEPS && a * a + b * b < 4) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
        steps++;
    }
    y[row * n + column] = steps;
}
