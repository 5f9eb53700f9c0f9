// --arg 'x:fp32[n]' --arg 'y:fp32[n]:inout' --arg 'p:{alpha:fp32=2.5,beta:fp64=0.5,skip:i32=3,flags:u8=1}' --arg 'shift:float4=(1,2,3,4)' --arg n:i32=1M --bytes '12 * n' --expect 'y=i % p.skip == 0 ? y[i] : p.alpha * x[i] + p.beta * y[i] + (p.flags & 1 ? shift.w : shift.x)'

struct params {
    float alpha;
    double beta;
    int skip;
    unsigned char flags;
};

__global__ void blend(const float *x, float *y, params p, float4 shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % p.skip != 0)
        y[i] = p.alpha * x[i] + (float)p.beta * y[i] + ((p.flags & 1) != 0 ? shift.w : shift.x);
}
