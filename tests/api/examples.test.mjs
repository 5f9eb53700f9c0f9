// The examples of deploy/examples that are not run by another test: the marks of Slurm's jobs with a real lab, the
// tests of ReFrame with a stand-in for ReFrame, and the form of the documents for Kubernetes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Place } from '../harness/cli.mjs';
import { environment, withLab } from '../harness/lab.mjs';

const examples = resolve(dirname(fileURLToPath(import.meta.url)), '../../deploy/examples');
const has = (module) => spawnSync('python3', ['-c', `import ${module}`]).status === 0;
const skip = { skip: spawnSync('bash', ['-c', 'command -v curl jq']).status !== 0 && 'no curl or jq' };

test('slurm-epilog.sh marks the beginning and the end of a job, and never fails', skip, () => withLab({}, async (lab) => {
  const run = async (context, more = {}) => {
    const variables = { SLURM_SCRIPT_CONTEXT: context, SLURM_JOB_ID: '4711', SLURM_JOB_USER: 'ada "x"', SLURMD_NODENAME: 'n1', GPULAB_MARKS_SETTINGS: '/nonexistent', GPULAB_SERVER: lab.address, ...more };
    return (await once(spawn('bash', [join(examples, 'slurm-epilog.sh')], { env: environment(lab.folder, variables), stdio: 'ignore' }), 'close'))[0];
  };
  assert.equal(await run('prolog_slurmd'), 0);
  assert.equal(await run('epilog_slurmd'), 0);
  const { marks } = (await lab.get('/api/v1/marks')).json;
  assert.deepEqual(marks.map(({ text, node }) => [text, node]), [['job 4711 of ada "x" began', 'n1'], ['job 4711 of ada "x" ended', 'n1']]);
  assert.equal(await run('prolog_slurmd', { GPULAB_SERVER: 'http://127.0.0.1:1' }), 0, 'a lab that does not answer');
  assert.equal(await run('prolog_slurmd', { GPULAB_SERVER: '' }), 0);
}));

/** A module in place of ReFrame, which then prints the headlines of its standard input. */
const standIn = `
import sys, types
def accept(*arguments, **named): return lambda function: function
class Any:
    def __init__(self, *arguments, **named): pass
modules = {"reframe": {"simple_test": lambda of: of, "RunOnlyRegressionTest": object}, "reframe.utility": {}, "reframe.utility.sanity": {},
           "reframe.core": {}, "reframe.core.builtins": {"parameter": Any, "variable": Any, "run_before": accept, "sanity_function": lambda function: function}}
for name, members in modules.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)
sys.path.insert(0, sys.argv[1])
import reframe_gpulab, json
print(json.dumps(reframe_gpulab.headlines(sys.stdin.read())))
`;

test('reframe_gpulab.py reads the headlines of what gpulab run --json prints', { skip: !has('json') && 'no Python' }, async (t) => {
  const place = new Place(t);
  mkdirSync(join(place.folder, 'python'));
  writeFileSync(join(place.folder, 'python', 'check.py'), standIn);
  const run = await place.gpulab(['run', 'transfer', '--preset', 'quick', '--runtime', 'host', '--no-save', '--json', '--set', 'max_bytes=64KiB', '--set', 'direction=h2d', '--set', 'memory=pinned']);
  assert.equal(run.code, 0, run.stderr);
  const { status, stdout, stderr } = spawnSync('python3', ['-B', join(place.folder, 'python', 'check.py'), examples], { input: run.stdout, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const found = Object.values(JSON.parse(stdout));
  assert.ok(found.length > 0 && found.every(([value, unit]) => value > 0 && unit), stdout);
});

test('kubernetes.yaml is YAML, and its parts refer to one another', { skip: !has('yaml') && 'no PyYAML' }, () => {
  const read = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))';
  const { stdout, stderr } = spawnSync('python3', ['-c', read, join(examples, 'kubernetes.yaml')], { encoding: 'utf8' });
  const parts = JSON.parse(stdout || assert.fail(stderr));
  const named = (kind, name) => parts.find((part) => part.kind === kind && part.metadata.name === name);
  const workers = named('StatefulSet', 'gpulab-worker');
  assert.equal(named('Service', workers.spec.serviceName).spec.selector.app, workers.spec.template.metadata.labels.app);
  const nodes = named('ConfigMap', 'gpulab-nodes').data.nodes.split('\n').filter((line) => line && !line.startsWith('#'));
  assert.equal(nodes.length, workers.spec.replicas);
  nodes.forEach((line, i) => assert.match(line, new RegExp(`^ssh gpulab@gpulab-worker-${i}\\.gpulab-worker name=gpu${i} worker=/opt/gpulab/bin/gpulab-worker option=Port=2222$`)));
  for (const part of [workers, named('Deployment', 'gpulab')]) {
    const { containers, volumes } = part.spec.template.spec;
    for (const { name } of containers.flatMap(({ volumeMounts }) => volumeMounts)) assert.ok(volumes.some((volume) => volume.name === name), name);
  }
});
