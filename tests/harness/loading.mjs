// How a page loads: a proxy that counts requests and bytes and adds a round-trip time, and a visit that ends at the
// first chart.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A drawn line chart, or a bar. */
const CHART = '.chart-area svg path, .chart-area .bar-value';
const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/1\.1\r$/gm;

/** Forwards what `from` receives to `to`, `delay_ms` later; the first bytes `first_ms` later. */
function forward(from, to, delay_ms, first_ms, seen) {
  let open_at = performance.now() + first_ms;
  from.on('data', (bytes) => {
    seen(bytes);
    open_at = Math.max(open_at, performance.now() + delay_ms);
    setTimeout(() => to.writable && to.write(bytes), open_at - performance.now());
  });
  from.on('end', () => setTimeout(() => to.end(), Math.max(delay_ms, open_at - performance.now())));
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroySoon());
}

/** A TCP proxy to a port of this machine that adds `roundTrip_ms` to every exchange, and as much to the opening of a
 * connection. {address, bytes, paths, reset(), closeConnections(), close()}; `paths` are those of the requests, `bytes`
 * those of the answers. */
export async function delayingProxy(port, roundTrip_ms) {
  const sockets = new Set();
  const proxy = { bytes: 0, paths: [] };
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1').setNoDelay();
    client.setNoDelay();
    for (const socket of [client, target]) sockets.add(socket.on('close', () => sockets.delete(socket)));
    forward(client, target, roundTrip_ms / 2, roundTrip_ms * 1.5, (bytes) => {
      const lines = bytes.toString('latin1').match(REQUEST_LINE) ?? [];
      proxy.paths.push(...lines.map((line) => line.split(' ')[1]));
    });
    forward(target, client, roundTrip_ms / 2, 0, (bytes) => (proxy.bytes += bytes.length));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.address = `http://127.0.0.1:${server.address().port}`;
  proxy.reset = () => Object.assign(proxy, { bytes: 0, paths: [] });
  proxy.closeConnections = () => sockets.forEach((socket) => socket.destroy());
  proxy.close = () => {
    proxy.closeConnections();
    server.close();
  };
  return proxy;
}

/** Parameters of a transfer with the sizes and directions of a default one, of a sample each. */
export const sampledOnce = { direction: ['h2d', 'd2h'], memory: ['pageable', 'pinned'], max_bytes: 16 * 2 ** 20, min_samples: 1, max_samples: 1, min_time_s: 0 };

/** Prepares a page, before it is opened, to tell when `selector` first matches: returns a function, whose promise is of
 * the ms since the navigation began. The page reports it by itself: asking it again and again would take time that is
 * measured. */
export async function firstMatch(page, selector) {
  const sign = 'first match after ms:';
  await page.addInitScript(([wanted, text]) => {
    const look = () => (document.querySelector(wanted) ? console.debug(text, performance.now()) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  }, [selector, sign]);
  const message = page.waitForEvent('console', { predicate: (one) => one.text().startsWith(sign), timeout: 60_000 });
  return async () => Number((await message).text().slice(sign.length));
}

/** Opens `path` in a new page of `context`, over new connections of `proxy`, and waits for the first chart. {requests,
 * bytes, paths} are what passed the proxy until then, `ms` is the time. */
export async function visit(context, proxy, path) {
  proxy.closeConnections();
  proxy.reset();
  const page = await context.newPage();
  const firstChart = await firstMatch(page, CHART);
  await page.goto(proxy.address + path, { waitUntil: 'commit' });
  const ms = await firstChart();
  const { bytes } = proxy;
  // The browser repeats requests of the page before whose connection was closed: they come before the page itself.
  const paths = proxy.paths.slice(proxy.paths.indexOf(path));
  await page.close();
  return { ms, requests: paths.length, bytes, paths };
}
