// The headers that answer those of NVIDIA's CUDA samples: what the samples call compiles, and does what they expect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile as compileIn, cpp, headers, nvcc, temporaryFolder, without } from './compilers.mjs';
import { run } from './files.mjs';

const folder = temporaryFolder();

/** Compiles main() with these statements behind these headers; returns the path of the program. */
const compile = (compiler, included, statements) =>
  compileIn(folder, [...compiler, headers], `${included.map((name) => `#include <${name}>\n`).join('')}int main(int argc, char **argv)\n{\n${statements}\n}\n`);

test('arguments of the command line are found as the samples write them', { skip: without('c++') }, () => {
  const program = compile(cpp, ['helper_string.h'], `
    const char **arguments = (const char **)argv;
    char *text;
    bool found = getCmdLineArgumentString(argc, arguments, "type", &text);
    printf("%d %d|%d %d|%g|%d %s\\n", checkCmdLineFlag(argc, arguments, "device"), checkCmdLineFlag(argc, arguments, "dev"),
           getCmdLineArgumentInt(argc, arguments, "n"), getCmdLineArgumentInt(argc, arguments, "device="),
           getCmdLineArgumentFloat(argc, arguments, "scale"), found, found ? text : "-");
    return text != NULL ? EXIT_WAIVED : EXIT_SUCCESS;`);
  const answer = (...given) => {
    const { status, stdout } = run(program, given);
    return `${status} ${stdout}`;
  };
  assert.equal(answer('-device=3', '--N=-5', '-scale=2.5', '-type=a=b'), '2 1 0|-5 3|2.5|1 a=b\n');
  assert.equal(answer('-device', '--n', '-type', 'scale=1', '-', ''), '0 1 0|0 0|0|0 -\n');
});

test('a timer adds the periods in which it runs', { skip: without('c++') }, () => {
  const program = compile(cpp, ['helper_timer.h', 'stdio.h'], `
    (void)argc, (void)argv;
    StopWatchInterface *timer = NULL;
    bool right = !sdkStartTimer(&timer) && sdkGetTimerValue(&timer) == 0 && sdkCreateTimer(&timer) && sdkGetTimerValue(&timer) == 0;
    sdkStartTimer(&timer);
    while (sdkGetTimerValue(&timer) < 2)
      ;
    sdkStopTimer(&timer);
    float first = sdkGetTimerValue(&timer);
    right = right && first >= 2 && first == sdkGetTimerValue(&timer);
    sdkStartTimer(&timer);
    sdkStopTimer(&timer);
    float both = sdkGetTimerValue(&timer);
    right = right && both >= first && sdkGetAverageTimerValue(&timer) == both / 2;
    sdkResetTimer(&timer);
    right = right && sdkGetTimerValue(&timer) == 0 && sdkGetAverageTimerValue(&timer) == 0;
    sdkStartTimer(&timer);
    while (sdkGetTimerValue(&timer) < 2)
      ;
    sdkResetTimer(&timer); /* begins again, and goes on */
    while (sdkGetTimerValue(&timer) == 0)
      ;
    return right && sdkDeleteTimer(&timer) && timer == NULL && !sdkDeleteTimer(&timer) ? 0 : 1;`);
  assert.equal(run(program, []).status, 0);
});

test('arrays are compared with a tolerance', { skip: without('c++') }, () => {
  const program = compile(cpp, ['helper_functions.h'], `
    (void)argc, (void)argv;
    float reference[4] = {1, 2, 3, 4}, close[4] = {1.009f, 2, 3, 4}, nan[4] = {1, NAN, 3, 4};
    assert(compareData(reference, close, 4, 0.01f, 0.0f) && !compareData(reference, close, 4, 0.001f, 0.0f));
    assert(compareData(reference, close, 4, 0.001f, 0.25f) && !compareData(reference, nan, 4, 0.01f, 0.0f));
    return 0;`);
  const compared = run(program, []);
  assert.equal(compared.status, 0, compared.stderr);
  assert.equal(compared.stdout, '1 of 4 values differ from the reference by more than 0.001\n1 of 4 values differ from the reference by more than 0.01\n');
});

test('a sample with all helpers compiles, and ends with an error where there is no device', { skip: without('nvcc') }, () => {
  const program = compile(nvcc, ['helper_cuda.h', 'helper_functions.h'], `
    const struct { int major, minor, cores; } known[] = {{3, 5, 192}, {5, 2, 128}, {6, 0, 64}, {6, 1, 128}, {7, 5, 64}, {8, 0, 64}, {8, 9, 128}, {9, 0, 128}, {12, 0, 128}};
    for (auto &row : known)
      assert(_ConvertSMVer2Cores(row.major, row.minor) == row.cores);
    assert(MAX(1, 2) == 2 && MIN(1, 2) == 1);
    checkCudaErrors(0);
    if (argc > 1)
      gpuDeviceInit(gpuGetMaxGflopsDeviceId());
    int device = findCudaDevice(argc, (const char **)argv);
    getLastCudaError("nothing was launched");
    return device;`);
  const { status, stderr } = run('env', ['CUDA_VISIBLE_DEVICES=', program]);
  assert.equal(status, 1);
  assert.match(stderr, /helper_cuda\.h:\d+: cudaGetDeviceCount\(&count\): cudaError\w+ \(\d+\)\n$/);
});
