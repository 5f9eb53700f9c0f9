// A server that gives made-up answers of the API, where what a lab measures must not decide a test.
import http from 'node:http';

/** Serves `routes`: 'METHOD /path' -> (query, body) => document, [status, document] or text. Returns {address,
 * requests}; `requests` is the list of those that have come. */
export async function serveAnswers(t, routes) {
  const requests = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://lab');
    let body = '';
    request.setEncoding('utf8').on('data', (part) => (body += part)).on('end', () => {
      requests.push({ method: request.method, path: url.pathname, query: Object.fromEntries(url.searchParams), body, headers: request.headers });
      const route = { 'GET /api/v1/version': () => ({ name: 'gpulab' }), 'GET /api/v1/experiments': () => ({ experiments: [] }), ...routes }[`${request.method} ${url.pathname}`];
      const answer = route?.(Object.fromEntries(url.searchParams), body) ?? [404, { detail: `no route ${request.url}` }];
      const [status, document] = Array.isArray(answer) ? answer : [200, answer];
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(typeof document === 'string' ? document : JSON.stringify(document));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  return { requests, address: `http://127.0.0.1:${server.address().port}` };
}

/** The answer of GET /compare about these sides, whose points have the given verdicts. */
export function comparisonOf(sides, verdicts) {
  const points = verdicts.map((verdict, i) => ({ axes: { direction: 'h2d', bytes: 4096 << i }, metric: 'bandwidth', unit: 'GB/s',
    base: { median: 20, q1: 19, q3: 21, n: 9, verified: true }, head: { median: 18, q1: 17, q3: 19, n: 9, verified: true },
    ratio: 0.9, low: 0.881, high: 0.919, verdict, method: 'blocks', reason: verdict === 'unclear' ? 'wide' : null,
    detectable: verdict && 0.0144, needed: verdict === 'unclear' ? 3.44 : null }));
  const words = ['slower', 'faster', 'unclear', 'same'];
  return { ...sides, environment: [{ path: 'driver', base: '570.1', head: '580.2' }], warnings: ['throttled'], samples_missing: { base: 0, head: 0 },
    points, only_base: { count: 0, axes: [] }, only_head: { count: 2, axes: [] }, minimum_effect: 0.01, verdict: words.find((word) => verdicts.includes(word)) ?? 'unclear',
    summary: Object.fromEntries(words.map((word) => [word, verdicts.filter((each) => each === word).length])) };
}
