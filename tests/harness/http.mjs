// Requests as the tests need them: any Host, any method, bodies that are no JSON, and raw bytes on a socket. `fetch` allows
// none of these.
import http from 'node:http';
import net from 'node:net';

/** Resolves with {status, headers, text, json}. `json` is undefined where the body is none. */
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
    call.setTimeout(30_000, () => call.destroy(new Error(`${method} ${path}: no answer within 30 s`)));
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

/** Sends bytes as they are and resolves with everything that comes back until the server closes, or for `wait_ms`. */
export function raw(port, bytes, wait_ms = 1500) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    const timer = setTimeout(finish, wait_ms);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', finish);
    socket.on('error', (error) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? finish() : reject(error)));
  });
}

/** Status codes of all the answers in what `raw` returned. */
export function statuses(text) {
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map((match) => Number(match[1]));
}
