// HTTP requests with any Host, any method and any body, and raw bytes on a socket. `fetch` allows none of these.
import http from 'node:http';
import net from 'node:net';

/** How many times longer than usual a test may wait; above 1 under sanitizers. */
export const slowdown = Number(process.env.GPULAB_TEST_SLOWDOWN ?? 1);

/** Resolves with {status, headers, bytes, text, json}. `json` is undefined when the body is not JSON. */
export function request(port, method, path, { headers = {}, json, body, agent = false } = {}) {
  const payload = json === undefined ? body : JSON.stringify(json);
  const fields = { ...headers };
  if (json !== undefined && !('content-type' in fields)) fields['content-type'] = 'application/json';
  if (payload !== undefined) fields['content-length'] = Buffer.byteLength(payload);
  return new Promise((resolve, reject) => {
    const call = http.request({ host: '127.0.0.1', port, method, path, headers: fields, agent }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString('utf8'), json: parsed(bytes) });
      });
    });
    call.on('error', reject);
    call.setTimeout(30_000 * slowdown, () => call.destroy(new Error(`${method} ${path}: no answer within ${30 * slowdown} s`)));
    call.end(payload);
  });
}

function parsed(bytes) {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Sends `bytes` and resolves with {text, closed}: everything received until the server closed the connection, or for
 * `wait_ms`; `closed` says whether it was closed. */
export function raw(port, bytes, wait_ms = 10_000 * slowdown) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = (closed) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: Buffer.concat(chunks).toString('latin1'), closed });
    };
    const timer = setTimeout(finish, wait_ms, false);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => finish(true));
    socket.on('error', (error) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? finish(true) : reject(error)));
  });
}

/** Status codes of all answers in a text that `raw` returned. */
export function statuses(text) {
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map((match) => Number(match[1]));
}
