// A client of the event stream. It keeps all events in order and can wait for one.
import http from 'node:http';
import { slowdown } from './http.mjs';

/** Resolves with a stream when its headers have arrived. options: run, last (an event id), headers. */
export function openEvents(port, { run, last, headers = {} } = {}) {
  const path = `/api/v1/events${run ? `?run=${run}` : ''}`;
  const fields = { accept: 'text/event-stream', ...headers, ...(last ? { 'last-event-id': last } : {}) };
  return new Promise((resolve, reject) => {
    const call = http.request({ host: '127.0.0.1', port, path, headers: fields, agent: false }, (answer) => resolve(new Stream(call, answer)));
    call.on('error', reject);
    call.end();
  });
}

class Stream {
  constructor(call, answer) {
    this.call = call;
    this.status = answer.statusCode;
    this.headers = answer.headers;
    this.events = [];
    this.comments = 0;
    this.waiting = [];
    this.rest = '';
    answer.setEncoding('utf8');
    answer.on('data', (text) => this.feed(text));
    call.removeAllListeners('error').on('error', () => {});
    /** Resolves with 'end' when the server ended the stream by the protocol, 'aborted' when the connection broke. */
    this.ended = new Promise((done) => {
      answer.on('end', () => done('end'));
      answer.on('error', () => done('aborted'));
      answer.on('close', () => done('aborted'));
    });
  }

  feed(text) {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop();
    for (const block of blocks) {
      const event = { at: performance.now(), event: 'message', data: '' };
      let fields = 0;
      for (const line of block.split('\n')) {
        if (line.startsWith(':')) {
          this.comments += 1;
          continue;
        }
        const [, name, value] = /^([^:]+):? ?(.*)$/.exec(line) ?? [];
        if (name === 'data') event.data += value;
        else if (name) event[name] = value;
        fields += name === undefined ? 0 : 1;
      }
      if (!fields || event.data === '') continue;
      event.json = JSON.parse(event.data);
      this.events.push(event);
    }
    this.waiting = this.waiting.filter((try_) => !try_());
  }

  /** Resolves with the first event, already received or still to come, for which `wanted` returns true. */
  find(wanted, what, timeout_ms = 20_000 * slowdown) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.events.find(wanted);
        if (found) {
          clearTimeout(timer);
          resolve(found);
        }
        return Boolean(found);
      };
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== look);
        reject(new Error(`no event within ${timeout_ms} ms: ${what}; received ${this.events.map((event) => event.event)}`));
      }, timeout_ms);
      if (!look()) this.waiting.push(look);
    });
  }

  close() {
    this.call.destroy();
  }
}
