// A real lab for a test: `gpulab serve` on a free port, with the host runtime and a database in a folder of its own.
// It is stopped by its pid, and whatever it or its worker left in the log is shown when a test fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from './http.mjs';
import { openEvents } from './sse.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The folder with `gpulab` and `gpulab-worker`: $GPULAB_BUILD, else the newest usual one. */
export const build = process.env.GPULAB_BUILD
  ? resolve(process.env.GPULAB_BUILD)
  : ['release', 'host', 'debug'].map((name) => join(repository, 'build', name)).find((path) => existsSync(join(path, 'gpulab')));

if (!build) throw new Error('nothing is built: cmake --preset release && cmake --build --preset release, or set GPULAB_BUILD');

/** How much longer everything may take here than on an idle machine (sanitizers). */
export const patience = Number(process.env.GPULAB_TEST_PATIENCE ?? 1);

/** Parameters of a transfer that is over in a few milliseconds. */
export const small = {
  direction: 'h2d', memory: 'pinned', engine: 'copy', min_bytes: 4096, max_bytes: 4096, min_samples: 1, max_samples: 1,
};

/** Parameters of a transfer that goes on for minutes, with a first measurement at once and many after it. */
export const endless = {
  direction: ['h2d', 'd2h'], memory: ['pinned', 'pageable'], engine: 'copy', min_bytes: 1024, max_bytes: 1048576, factor: 1.01,
  min_samples: 200, max_samples: 200, max_noise: 0, time_budget_s: 600,
};

export function temporaryFolder() {
  return mkdtempSync(join(tmpdir(), 'gpulab-test-'));
}

/** Environment for our programs: nothing of the caller's settings leaks into a test. GPULAB_TEST_WORKER names a worker of another
 * build, for when the server alone is under test. */
export function environment(folder, extra = {}) {
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GPULAB_')));
  if (process.env.GPULAB_TEST_WORKER) kept.GPULAB_WORKER = process.env.GPULAB_TEST_WORKER;
  return { ...kept, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: folder,
    GPULAB_LOCK_DIR: join(folder, 'locks'), ...extra };
}

/** Runs one of our programs to its end. */
export async function execute(name, args, { env = {}, folder = tmpdir(), timeout_s = 60, input } = {}) {
  const child = spawn(join(build, name), args, { env: environment(folder, env), stdio: ['pipe', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  child.stdin.on('error', () => {}).end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout_s * 1000 * patience);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return { code, signal, ...output };
}

/** Ids of the processes whose parent is `pid`. */
export function childrenOf(pid) {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === pid && state !== 'Z';
    } catch {
      return false; // it ended meanwhile
    }
  }).map(Number);
}

/** Whether a process is there and not a zombie. */
export function alive(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    return false;
  }
}

/** Waits until `condition` gives something true, and returns it. */
export async function until(condition, what, timeout_s = 20) {
  const deadline = Date.now() + timeout_s * 1000 * patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeout_s * patience} s in vain: ${what}`);
    await sleep(20);
  }
}

/** Repeats a check until it holds: a page draws what it has been told a moment later. When it never does, its last failure is
 * the one to tell. */
export async function soon(check, timeout_s = 20) {
  const deadline = Date.now() + timeout_s * 1000 * patience;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

/** Labs that run: when a test is ended from outside, so are they. */
const running = new Set();
process.on('exit', () => running.forEach((lab) => lab.child?.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A lab for as long as `work` takes. */
export async function withLab(options, work) {
  const lab = await Lab.start(options);
  try {
    await work(lab);
  } catch (error) {
    await lab.close().catch(() => {}); // the first failure is the one to tell
    throw error;
  }
  await lab.close();
}

export class Lab {
  /** options: args, env, folder (kept by the caller), database, wrap (a command to start it through). */
  constructor(options = {}) {
    this.options = options;
    this.ownsFolder = !options.folder;
    this.folder = options.folder ?? temporaryFolder();
    this.database = options.database ?? join(this.folder, 'lab.db');
    this.log = '';
  }

  static async start(options) {
    const lab = new Lab(options);
    await lab.start();
    return lab;
  }

  async start() {
    const serve = ['serve', '--listen', '127.0.0.1:0', '--runtime', 'host', '--db', this.database, ...(this.options.args ?? [])];
    const [command, ...args] = [...(this.options.wrap ?? []), join(build, 'gpulab'), ...serve];
    this.child = spawn(command, args, { env: environment(this.folder, this.options.env), stdio: ['ignore', 'pipe', 'pipe'] });
    this.pid = this.child.pid;
    running.add(this);
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    let over;
    this.ended.then((result) => (over = result));
    let printed = '';
    this.child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.log += text));
    await until(() => {
      if (over) {
        this.child = null;
        throw new Error(`gpulab serve ended with ${JSON.stringify(over)}:\n${printed}${this.log}`);
      }
      return (this.address = /^listening on (http:\/\/\S+)$/m.exec(printed)?.[1]);
    }, 'gpulab serve says that it listens');
    this.port = Number(new URL(this.address).port);
  }

  /** SIGTERM; resolves with {code, signal, seconds}. */
  async stop() {
    if (!this.child) return null;
    const began = Date.now();
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 20_000 * patience);
    const result = await this.ended;
    clearTimeout(timer);
    this.child = null;
    running.delete(this);
    return { ...result, seconds: (Date.now() - began) / 1000 };
  }

  /** As a power cut would: kill -9. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
    this.child = null;
    running.delete(this);
  }

  /** Ends it, whatever state it is in, and removes what it left; a lab that does not end cleanly fails the test. */
  async close() {
    const result = await this.stop();
    if (this.ownsFolder) rmSync(this.folder, { recursive: true, force: true });
    if (result && result.code !== 0) throw new Error(`gpulab serve ended with ${JSON.stringify(result)}:\n${this.log}`);
  }

  request(method, path, options) {
    return request(this.port, method, path, options);
  }

  get(path, headers) {
    return this.request('GET', path, { headers });
  }

  post(path, json = {}, headers) {
    return this.request('POST', path, { json, headers });
  }

  events(options) {
    return openEvents(this.port, options);
  }

  /** Queues a transfer and returns the run of the 202. */
  async submit(parameters = small, rest = {}) {
    const answer = await this.post('/api/v1/runs', { experiment: 'transfer', parameters, ...rest });
    if (answer.status !== 202) throw new Error(`POST /runs answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }

  async run(id) {
    return (await this.get(`/api/v1/runs/${id}`)).json;
  }

  /** Waits until the run has one of these states; without any, until it is over. */
  async reach(id, ...states) {
    const over = ['succeeded', 'failed', 'cancelled', 'interrupted'];
    let run;
    await until(async () => {
      run = await this.run(id);
      if (states.length && over.includes(run.status) && !states.includes(run.status)) {
        throw new Error(`run is ${run.status}, not ${states}: ${JSON.stringify(run.error)}\n${this.log}`);
      }
      return (states.length ? states : over).includes(run.status);
    }, `run ${id} becomes ${states.length ? states : 'finished'}`, 40);
    return run;
  }

  async complete(parameters, rest) {
    const run = await this.submit(parameters, rest);
    return this.reach(run.id, 'succeeded');
  }

  /** The worker that is there now, 0 for none. */
  worker() {
    return childrenOf(this.pid)[0] ?? 0;
  }
}
