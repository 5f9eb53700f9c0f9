// A real lab for a test: `gpulab serve` on a free port, with the host runtime. The database and the device locks are in
// a folder of its own, so that labs of several tests can run at the same time. What fails in withLab is printed with
// the end of the log of the server and its worker, and so is, in any test, that a lab ends with an error or a run does
// not reach the state expected.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request, slowdown } from './http.mjs';
import { Description } from './openapi.mjs';
import { openEvents } from './sse.mjs';

export { slowdown };

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The folder with `gpulab` and `gpulab-worker`: $GPULAB_BUILD, else the first of build/release, host and debug that
 * exists. */
export const build = process.env.GPULAB_BUILD
  ? resolve(process.env.GPULAB_BUILD)
  : ['release', 'host', 'debug'].map((name) => join(repository, 'build', name)).find((path) => existsSync(join(path, 'gpulab')));

if (!build) throw new Error('nothing is built: cmake --preset release && cmake --build --preset release, or set GPULAB_BUILD');

/** The version of the worker protocol. */
export const protocolVersion = Number(/LAB_PROTOCOL_VERSION = (\d+)/.exec(readFileSync(join(repository, 'kernels/core/protocol.h'), 'utf8'))[1]);

/** Whether tests that wait for real deadlines of 10 s and more are run: tests/run.sh --thorough. */
export const long = process.env.GPULAB_TEST_LONG === '1';
export const skipLong = { skip: !long && 'takes long: tests/run.sh --thorough' };

/** Parameters of a transfer that takes a few milliseconds. */
export const small = {
  direction: 'h2d', memory: 'pinned', engine: 'copy', min_bytes: 4096, max_bytes: 4096, min_samples: 1, max_samples: 1,
};

/** Parameters of a transfer that takes minutes; the first measurement comes at once. It pauses before each sample,
 * which leaves the cores to what is tested beside it. */
export const endless = {
  direction: ['h2d', 'd2h'], memory: ['pinned', 'pageable'], engine: 'copy', min_bytes: 1024, max_bytes: 1048576, factor: 1.01,
  min_samples: 20, max_samples: 20, max_noise: 0, rest_s: 0.005, time_budget_s: 600,
};

const folders = [];
/** Labs that are running. */
const running = new Set();
// The labs first: while they write, a folder cannot be removed, and the error would end this function.
process.once('exit', () => {
  running.forEach((lab) => lab.child?.kill('SIGKILL'));
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
});

/** A new folder; it is removed when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gpulab-test-'));
  folders.push(folder);
  return folder;
}

/** Environment of a gpulab program: the caller's GPULAB_ variables are left out, and all files, device locks among
 * them, are below `folder`. GPULAB_TEST_WORKER names a worker of another build, for when only the server is under
 * test. */
export function environment(folder, extra = {}) {
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GPULAB_')));
  if (process.env.GPULAB_TEST_WORKER) kept.GPULAB_WORKER = process.env.GPULAB_TEST_WORKER;
  return { ...kept, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: folder,
    GPULAB_LOCK_DIR: join(folder, 'locks'), ...extra };
}

/** Runs a gpulab program until it ends; resolves with {code, signal, stdout, stderr}. Without `folder` it has an empty
 * one, which is removed afterwards. */
export async function execute(name, args, { env = {}, folder, timeout_s = 60, input } = {}) {
  const files = folder ?? temporaryFolder();
  const child = spawn(join(build, name), args, { env: environment(files, env), stdio: ['pipe', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  child.stdin.on('error', () => {}).end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout_s * 1000 * slowdown);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  if (!folder) rmSync(files, { recursive: true, force: true });
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

/** Whether a process exists and is not a zombie. */
export function alive(pid) {
  return !['Z', undefined].includes(stateOf(`/proc/${pid}`));
}

/** Waits until a process hangs: for 0.3 s on end, none of its threads is seen running or waiting for a core. */
export async function untilHanging(pid) {
  let since = Date.now();
  await until(() => {
    const states = readdirSync(`/proc/${pid}/task`).map((thread) => stateOf(`/proc/${pid}/task/${thread}`));
    if (states.some((state) => state !== 'S')) since = Date.now();
    return Date.now() - since > 300;
  }, 'the process hangs');
}

/** The state of a process or thread as one letter of proc(5); undefined when it has ended. */
function stateOf(folder) {
  try {
    const stat = readFileSync(`${folder}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2];
  } catch {
    return undefined;
  }
}

/** Waits until `condition` returns something true, and returns that. */
export async function until(condition, what, timeout_s = 60) {
  const deadline = Date.now() + timeout_s * 1000 * slowdown;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${timeout_s * slowdown} s: ${what}`);
    await sleep(20);
  }
}

/** Repeats a check until it passes, because a page is redrawn some time after the data arrived. Throws the check's last
 * error when the time is over. */
export async function soon(check, timeout_s = 60) {
  const deadline = Date.now() + timeout_s * 1000 * slowdown;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Adds a text to an error, where every reporter of tests prints it: some print the message, some the stack. */
function addTo(error, text) {
  const { stack } = error; // begins with the message that the error has when its stack is first read
  error.message += `\n${text}\n`;
  error.stack = `${stack}\n${text}\n`;
}

/** Starts a lab, calls `work` with it and closes it. An error of `work` is thrown with the end of the lab's log. */
export async function withLab(options, work) {
  const lab = await Lab.start(options);
  try {
    await work(lab);
  } catch (error) {
    await lab.close().catch((failure) => addTo(error, failure.message));
    throw lab.explain(error);
  }
  await lab.close();
}

/** The OpenAPI document of the build; set when a lab is closed. */
let description;

export class Lab {
  /** options: args, listen (127.0.0.1:0), runtime (host), env, folder (removed by the caller), database, wrap (a
   * command and its arguments that run gpulab). */
  constructor(options = {}) {
    this.options = options;
    this.ownsFolder = !options.folder;
    this.folder = options.folder ?? temporaryFolder();
    this.database = options.database ?? join(this.folder, 'lab.db');
    this.log = '';
    this.answers = new Map(); // different ones
  }

  static async start(options) {
    const lab = new Lab(options);
    await lab.start();
    return lab;
  }

  async start() {
    const serve = ['serve', '--listen', this.options.listen ?? '127.0.0.1:0', '--runtime', this.options.runtime ?? 'host', '--db', this.database, ...(this.options.args ?? [])];
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
    await this.until(() => {
      if (over) {
        this.child = null;
        throw new Error(`gpulab serve ended with ${JSON.stringify(over)}:\n${printed}`);
      }
      return (this.address = /^listening on (https?:\/\/\S+)$/m.exec(printed)?.[1]);
    }, 'gpulab serve prints its address');
    this.port = Number(new URL(this.address).port);
  }

  /** SIGTERM; resolves with {code, signal, seconds}. */
  async stop() {
    if (!this.child) return null;
    const began = Date.now();
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 20_000 * slowdown);
    const result = await this.ended;
    clearTimeout(timer);
    this.child = null;
    running.delete(this);
    return { ...result, seconds: (Date.now() - began) / 1000 };
  }

  /** kill -9: nothing is cleaned up. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
    this.child = null;
    running.delete(this);
  }

  /** What the OpenAPI document does not describe in the answers that a test received: a list of texts. */
  async undescribed() {
    if (this.child) description ??= await Description.of({ get: (path) => request(this.port, 'GET', path) }).catch(() => undefined);
    return [...this.answers.values()].flatMap((each) => (description?.undescribed(each) ?? [])
      .map((error) => `${each.method} ${each.path}: ${error} in ${each.answer.text.slice(0, 500)}`));
  }

  /** Adds the end of the log to an error, unless it is there; returns the error. */
  explain(error) {
    const heading = `-- the end of the log of the lab ${this.pid}:`;
    if (!error.message.includes(heading)) addTo(error, [heading, ...this.log.trimEnd().split('\n').slice(-100)].join('\n'));
    return error;
  }

  /** until(), whose error is explained. */
  until(...wait) {
    return until(...wait).catch((error) => { throw this.explain(error); });
  }

  /** Stops the lab if it is running and removes its folder. Throws when it did not end with exit code 0, and when it
   * gave an answer that its OpenAPI document does not describe. */
  async close() {
    const undescribed = await this.undescribed(), result = await this.stop();
    if (this.ownsFolder) rmSync(this.folder, { recursive: true, force: true });
    if (result && result.code !== 0) throw this.explain(new Error(`gpulab serve ended with ${JSON.stringify(result)}`));
    if (undescribed.length > 0) throw new Error(`answers that are not described:\n${undescribed.slice(0, 10).join('\n')}`);
  }

  async request(method, path, options) {
    const answer = await request(this.port, method, path, options);
    this.answers.set(`${method} ${path} ${answer.status} ${answer.text}`, { method, path, answer });
    return answer;
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

  /** Submits a transfer and returns the run from the answer. */
  async submit(parameters = small, rest = {}) {
    const answer = await this.post('/api/v1/runs', { experiment: 'transfer', parameters, ...rest });
    if (answer.status !== 202) throw new Error(`POST /runs answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }

  async run(id) {
    return (await this.get(`/api/v1/runs/${id}`)).json;
  }

  /** Waits until the run has one of `states`, or, without `states`, until it is over; returns the run. */
  async reach(id, ...states) {
    const over = ['succeeded', 'failed', 'cancelled', 'interrupted'], wanted = states.length ? states : over;
    let run;
    await this.until(async () => {
      run = await this.run(id);
      if (over.includes(run.status) && !wanted.includes(run.status)) {
        throw new Error(`run is ${run.status}, not ${states}: ${JSON.stringify(run.error)}`);
      }
      return wanted.includes(run.status);
    }, `run ${id} becomes ${states.length ? states : 'finished'}`, 150);
    return run;
  }

  async complete(parameters, rest) {
    const run = await this.submit(parameters, rest);
    return this.reach(run.id, 'succeeded');
  }

  /** The process id of the present worker, 0 when there is none. */
  worker() {
    return childrenOf(this.pid)[0] ?? 0;
  }
}
