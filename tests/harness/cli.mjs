// Runs gpulab commands as scripts do: in a folder of their own, and with the labs that they start or find there.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { build, childrenOf, endless, environment, Lab, slowdown, temporaryFolder, until } from './lab.mjs';

/** Exit codes. */
export const SUCCESS = 0, FAILED = 1, USAGE = 2, NO_DEVICE = 3, CANCELLED = 4, ERROR = 5;

/** Options of a transfer that takes a few milliseconds, and of one that takes minutes. */
export const quick = ['--set', 'direction=h2d', '--set', 'memory=pinned', '--set', 'min_bytes=4KiB', '--set', 'max_bytes=4KiB', '--set', 'max_samples=1'];
export const slow = Object.entries(endless).flatMap(([name, value]) => ['--set', `${name}=${value}`]);

/** A folder for one test, and commands that run in it: HOME, TMPDIR and a database of its own. */
export class Place {
  constructor(t) {
    this.folder = temporaryFolder();
    this.temporary = join(this.folder, 'tmp');
    this.database = join(this.folder, 'runs.db');
    mkdirSync(this.temporary);
    this.started = [];
    t.after(() => {
      this.started.forEach(({ child }) => child.kill('SIGKILL'));
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Starts gpulab and returns {child, pid, stdout, stderr, ended}; `ended` resolves with the exit code. */
  start(args, { env = {} } = {}) {
    const child = spawn(join(build, 'gpulab'), args,
      { env: { ...environment(this.folder, env), TMPDIR: this.temporary }, stdio: ['ignore', 'pipe', 'pipe'] });
    const command = { child, pid: child.pid, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (command.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (command.stderr += text));
    command.ended = once(child, 'close').then(([code, signal]) => signal ?? code);
    this.started.push(command);
    return command;
  }

  /** The same, when it has ended; a command that does not end is killed. */
  async gpulab(args, options) {
    const command = this.start(args, options);
    const timer = setTimeout(() => command.child.kill('SIGKILL'), 120_000 * slowdown);
    command.code = await command.ended;
    clearTimeout(timer);
    return command;
  }

  run(parameters, ...rest) {
    return ['run', 'transfer', ...parameters, '--runtime', 'host', '--db', this.database, ...rest];
  }

  /** The text of a GET from the lab that serves the database, over its Unix socket; undefined while none answers. */
  text(path) {
    return new Promise((resolve) => {
      const call = http.get({ socketPath: `${this.database}.sock`, path, headers: { host: 'localhost' }, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => resolve(text));
        answer.on('error', () => resolve());
      });
      call.on('error', () => resolve());
    });
  }

  /** The same as JSON. */
  async get(path) {
    const text = await this.text(path);
    return text && JSON.parse(text);
  }

  /** Waits until a run with this note has the status, and returns it. */
  reach(note, status) {
    return until(async () => (await this.get('/api/v1/runs'))?.runs.find((run) => run.note === note && run.status === status),
      `the run "${note}" is ${status}`, 60);
  }

  /** Waits until a command follows its run: it reads the events, and its private lab knows the run by then. */
  follows() {
    return until(async () => /^gpulab_event_streams [1-9]/m.test(await this.text('/metrics')), 'the command follows its run', 60);
  }

  /** The runs in the database by note, as a lab shows them that starts after the labs of all commands have ended. */
  async history() {
    spawnSync('flock', ['--wait', '20', `${this.database}.lock`, 'true']);
    const lab = await Lab.start({ folder: this.folder, database: this.database });
    try {
      return Object.fromEntries((await lab.get('/api/v1/runs')).json.runs.map((run) => [run.note, run.status]));
    } finally {
      await lab.close();
    }
  }

  /** The command, its private lab and the worker of the lab. */
  processes(command) {
    const labs = childrenOf(command.pid);
    return [command.pid, ...labs, ...labs.flatMap(childrenOf)];
  }
}
