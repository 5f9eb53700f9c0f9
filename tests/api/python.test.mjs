// The Python client, gpulab.py: served by the lab, used by python_client.py and by the cells of the example notebook.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { execute, Lab, slowdown, temporaryFolder, withLab } from '../harness/lab.mjs';

const root = new URL('../..', import.meta.url).pathname, here = new URL('.', import.meta.url).pathname;
const client = readFileSync(join(root, 'static/gpulab.py'), 'utf8');
const interpreter = ['/usr/bin/python3'].find(existsSync) ?? 'python3'; // the one that has the packages of the system
const have = (...modules) => spawnSync(interpreter, ['-c', modules.map((name) => `import ${name}`).join('\n')]).status === 0;
const noPython = !have('json') && 'no Python';

let lab, folder;
before(async () => {
  lab = await Lab.start();
  folder = temporaryFolder();
});
after(async () => {
  await lab.close();
});

/** Runs Python with the module in static/; rejects with what it printed unless it exits with 0. */
const python = (args, env = {}) => promisify(execFile)(interpreter, ['-B', ...args], { timeout: 300e3 * slowdown, env: { PATH: process.env.PATH, HOME: folder, PYTHONPATH: join(root, 'static'), ...env } });

test('a lab serves the client', async () => {
  const { status, headers, text } = await lab.get('/gpulab.py');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/x-python; charset=utf-8');
  assert.equal(text, client);
});

test('the client imports the standard library alone', { skip: noPython }, async () => {
  const imported = [...client.matchAll(/^(?:import|from) (\w+)/gm)].map(([, name]) => name);
  const { stdout } = await python(['-c', `import sys\nprint([name for name in ${JSON.stringify(imported)} if name not in sys.stdlib_module_names])`]);
  assert.ok(imported.length > 5);
  assert.equal(stdout.trim(), '[]');
});

test('the client runs, waits, compares, sweeps and refuses', { skip: noPython }, async () => {
  const { stderr } = await python([join(here, 'python_client.py'), lab.address, `${lab.database}.sock`]);
  assert.match(stderr, /\nRan 1\d tests in [^]*\nOK\n$/);
});

test('the cells of the notebook run, and their charts are not empty', { skip: (noPython || !have('pandas', 'matplotlib')) && 'no pandas or no matplotlib' }, async () => {
  const notebook = join(root, 'deploy/examples/gpulab.ipynb');
  const { stdout } = await python([join(here, 'python_notebook.py'), notebook, folder], { GPULAB_SERVER: lab.address, MPLCONFIGDIR: folder });
  const lines = stdout.trim().split('\n'), pictures = lines.filter((line) => line.endsWith('.png'));
  assert.equal(pictures.length, 2, stdout);
  for (const picture of pictures) assert.ok(statSync(picture).size > 10000, picture);
  const { cells } = JSON.parse(readFileSync(notebook, 'utf8'));
  assert.match(lines.at(-1), new RegExp(`^${cells.filter(({ cell_type: type }) => type === 'code').length} cells, ([89]|1\\d) as HTML$`));
  assert.deepEqual(cells.filter(({ outputs }) => outputs?.length), [], 'outputs are not kept in the repository');
});

test('a token is sent, from an argument or a file, and never to a socket', { skip: noPython }, () => withLab({}, async (own) => {
  const { stdout } = await execute('gpulab', ['token', 'add', 'someone', '--role', 'admin', '--db', own.database], { folder: own.folder });
  const asked = (text, env) => python(['-c', `import gpulab\n${text}`], { GPULAB_SERVER: own.address, ...env }).then(({ stdout: printed }) => printed.trim());
  const read = 'print(lab.get("/session")["name"])';
  assert.equal(await asked(`lab = gpulab.connect(token=${JSON.stringify(stdout.trim())}); ${read}`), 'someone');
  const file = join(own.folder, 'token');
  await promisify(execFile)('sh', ['-c', `printf '%s' '${stdout}' > '${file}'`]);
  assert.equal(await asked(`lab = gpulab.connect(); ${read}`, { GPULAB_TOKEN_FILE: file }), 'someone');
  assert.equal(await asked('lab = gpulab.connect()\ntry: lab.runs()\nexcept gpulab.Error as error: print(error.status, error.code)'), '401 missing-token');
  assert.equal(await asked(`lab = gpulab.connect(socket=${JSON.stringify(`${own.database}.sock`)}); print(lab.get("/session")["role"])`), 'admin');
}));
