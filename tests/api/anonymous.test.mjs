// A lab that is open to everyone (--anonymous), also to pages of other sites: which routes answer without a token, and
// that no answer has what people wrote. The routes come from the OpenAPI document, so that a new one is tried too.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, test } from 'node:test';
import { request } from '../harness/http.mjs';
import { execute, Lab, small, withLab } from '../harness/lab.mjs';

/** What people and machines have written, and no answer without a token may have. */
const secrets = ['secret-tag', 'secret-note', 'secret-person', 'secret-value', 'secret-source', 'secret-comment', 'secret-mark', 'secret-device'];
const bearer = (secret) => ({ authorization: `Bearer ${secret}` });

let lab, person, plain, shown, own, queries;

async function addToken(name, role) {
  const { code, stdout, stderr } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder });
  assert.equal(code, 0, stderr);
  return bearer(stdout.trim());
}

/** A run with all that people write. */
async function complete(by = person) {
  const { json } = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small, tags: ['secret-tag'], note: 'secret-note' }, by);
  await lab.until(async () => (await lab.get(`/api/v1/runs/${json.id}`, person)).json.status === 'succeeded', 'the run has succeeded');
  await lab.post(`/api/v1/runs/${json.id}/comments`, { text: 'secret-comment' }, person);
  return json.id;
}

/** Imports a run of a person's own kernel, which this machine cannot compile. */
async function importOwn(like) {
  const lines = (await lab.get('/api/v1/export', person)).text.trim().split('\n').map((line) => JSON.parse(line));
  const run = lines.find(({ type, id }) => type === 'run' && id === like);
  const id = `${like.slice(0, -4)}abcd`;
  const kernel = { source: 'secret-source', entry: 'secret_source', arguments: [], block: [1], grid: [1] };
  const text = [{ ...run, id, kernel, measurement_count: 0, headline: null, wrong_count: 0 }, { type: 'end', runs: 1 }].map((line) => JSON.stringify(line)).join('\n');
  const answer = await lab.request('POST', '/api/v1/import', { headers: { ...person, 'content-type': 'application/x-ndjson' }, body: `${text}\n` });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.imported, 1, answer.text);
  return id;
}

before(async () => {
  lab = await Lab.start({ args: ['--anonymous', '--rate-limit', '0'], env: { CUDA_SECRET: 'secret-value' } });
  person = await addToken('secret-person', 'admin');
  plain = await complete();
  shown = await complete(await addToken('open-person', 'operator'));
  const marked = await lab.request('PATCH', `/api/v1/runs/${shown}`, { headers: { ...person, 'if-match': '*' }, json: { public: true, note: 'for everyone', tags: ['open'] } });
  assert.equal(marked.json.public, true, marked.text);
  own = await importOwn(plain);
  await lab.post('/api/v1/marks', { text: 'secret-mark' }, person);
  const { measurements: [{ metric, axes }] } = (await lab.get(`/api/v1/runs/${plain}`, person)).json;
  queries = {
    '/api/v1/compare': [`base=${plain}&head=${shown}`],
    '/api/v1/series': [`experiment=transfer&metric=${metric}&axes=${encodeURIComponent(JSON.stringify(axes))}`],
    '/api/v1/series/points': ['experiment=transfer'],
    '/api/v1/references/measured': ['experiment=transfer'],
    '/api/v1/runs': ['', 'latest=result', 'latest=experiment', 'limit=1'],
  };
});
after(() => lab.close());

test('a route answers without a token if its role is anonymous or less, and no other', async () => {
  const { paths } = (await lab.get('/api/v1/openapi.json')).json;
  let open = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { 'x-role': role }] of Object.entries(methods)) {
      const answer = await lab.request(method.toUpperCase(), `${path.replace(/\{\w+\}/g, 'x')}?nonsense=1`, { headers: { 'content-type': 'application/json' } });
      const allowed = ['public', 'anonymous'].includes(role);
      assert.equal(answer.status === 401, !allowed, `${method} ${path}, ${role}: ${answer.status}`);
      if (role === 'anonymous') open++, assert.equal(method, 'get', path);
    }
  }
  assert.ok(open > 15, `${open} routes`);
});

/** The text of an answer without the runs that are marked public, which are shown whole. */
function withoutPublic({ text, json }) {
  return json === undefined ? text : JSON.stringify(json, (key, value) => (value?.public === true ? null : value));
}

test('no answer without a token has what people wrote or machines are called', async () => {
  const { paths } = (await lab.get('/api/v1/openapi.json')).json;
  const device = (await lab.get('/api/v1/devices')).json.devices[0].id;
  const host = hostname();
  assert.ok((await lab.get(`/api/v1/runs/${plain}`, person)).text.includes(host), 'the name of the machine is in the whole run');
  for (const secret of ['secret-tag', 'secret-note', 'secret-person', 'secret-value']) {
    assert.ok((await lab.get(`/api/v1/runs/${plain}`, person)).text.includes(secret), `${secret} is in the whole run`);
  }
  let tried = 0;
  for (const [path, { get }] of Object.entries(paths)) {
    if (get?.['x-role'] !== 'anonymous' || path.includes('{step}')) continue;
    const at = path.replace('/devices/{id}', `/devices/${device}`).replace('{name}', 'transfer').replace('{id}', plain).replace('{position}', 0);
    for (const query of queries[path] ?? ['']) {
      // Twice, as a person between: an answer may be kept.
      for (const headers of [undefined, person, undefined]) {
        const answer = await lab.get(`${at}?${query}`, headers);
        if (!/chart\.svg|fields|timeline/.test(path)) assert.equal(answer.status, 200, `${at}?${query}: ${answer.text}`);
        if (headers) continue;
        const text = withoutPublic(answer);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${at}?${query} has ${secret}`);
        assert.ok(!text.includes(`"${host}"`), `${at}?${query} has the name of the machine`);
        tried++;
      }
    }
  }
  assert.ok(tried > 40, `${tried} answers`);
});

test('a run that is marked public is shown whole, others are not, and those of own code not at all', async () => {
  const whole = (await lab.get(`/api/v1/runs/${shown}`)).json;
  assert.deepEqual([whole.note, whole.tags, whole.requested_by, whole.public], ['for everyone', ['open'], 'open-person', true]);
  assert.equal(whole.environment.variables.CUDA_SECRET, 'secret-value');
  const { note, tags, requested_by, host, error, environment, measurements, parameters } = (await lab.get(`/api/v1/runs/${plain}`)).json;
  assert.deepEqual({ note, tags, requested_by, host, error }, { note: '', tags: [], requested_by: null, host: '', error: null });
  assert.equal(environment.variables, undefined);
  assert.equal(environment.machine.name, null);
  assert.ok(measurements.length > 0 && parameters.min_bytes === 4096);
  for (const path of ['', '/experiment', '/measurements', '/measurements.csv', '/points.csv', '/timeline', '/fields', '/normal', '/chart.svg']) {
    assert.equal((await lab.get(`/api/v1/runs/${own}${path}`)).status, 404, path);
  }
  assert.equal((await lab.get(`/api/v1/compare?base=${own}&head=${plain}`)).status, 404);
  const { runs } = (await lab.get('/api/v1/runs')).json;
  assert.deepEqual(runs.map(({ id }) => id).sort(), [plain, shown].sort());
  assert.ok((await lab.get('/api/v1/runs', person)).json.runs.some(({ id }) => id === own));
});

/** The elements in the head of a page that previews of links read: {property: content}. */
async function previewOf(path, headers) {
  const { status, text } = await lab.get(path, headers);
  assert.equal(status, 200, path);
  return Object.fromEntries([...text.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">/g)].map(([, name, content]) => [name, content]));
}

test('heads of pages say what they show, with nothing that an anonymous client does not read', async () => {
  const { title, summary } = (await lab.get('/api/v1/experiments/transfer')).json;
  const device = (await lab.get('/api/v1/devices')).json.devices[0];
  const day = (await lab.get(`/api/v1/runs/${plain}`)).json.created_at.slice(0, 10);
  const run = await previewOf(`/runs/${plain}?view=table`, person);
  assert.equal(run['og:title'], title);
  assert.match(run['og:description'], new RegExp(`^Host to device [\\d.]+ GB/s.*\\. .+, ${day}$`));
  assert.equal(run['twitter:card'], 'summary');
  const comparison = await previewOf(`/compare?base=${plain}&head=${shown}`);
  assert.equal(comparison['og:title'], `Comparison: ${title}`);
  assert.match(comparison['og:description'], /Host to device .*Compared with .*Host to device/);
  assert.deepEqual(Object.values(await previewOf('/experiments/transfer')).slice(2, 4), [title, summary]);
  const card = await previewOf(`/devices/${device.id}/card`);
  assert.equal(card['og:title'], device.name);
  assert.equal(card['og:image'], `${lab.address}/api/v1/devices/${device.id}/card.svg`);
  assert.equal((await lab.get(new URL(card['og:image']).pathname)).headers['content-type'], card['og:image:type']);
  for (const preview of [run, comparison, card]) {
    for (const secret of [...secrets, hostname(), 'open-person']) assert.ok(!Object.values(preview).join('\n').includes(secret), secret);
  }
  for (const path of [`/runs/${own}`, `/compare?base=${own}&head=${plain}`, `/compare?head=${plain}`, '/runs/x', '/experiments/x', '/devices/x/card', '/runs', '/']) {
    assert.deepEqual(await previewOf(path, person), {}, path);
  }
});

test('a page with such a head has the headers of the page without, and is not sent again', async () => {
  const [page, other] = [await lab.get(`/runs/${plain}`), await lab.get('/runs')];
  for (const name of ['content-type', 'content-security-policy', 'referrer-policy', 'x-content-type-options', 'cache-control', 'vary'])
    assert.equal(page.headers[name], other.headers[name], name);
  assert.equal(page.text.replace(/ *<meta (?:property|name)="(?:og|twitter):.*\n/g, ''), other.text);
  assert.equal((await lab.get(`/runs/${plain}`, { 'if-none-match': page.headers.etag })).status, 304);
});

test('runs are not found by what is withheld', async () => {
  for (const path of ['runs?q=secret-note', 'runs?tag=secret-tag', 'series/points?experiment=kernel', 'series/points?experiment=program']) {
    const answer = await lab.get(`/api/v1/${path}`);
    assert.equal(answer.status, 401, path);
    assert.equal(answer.json.type, '/problems/missing-token');
  }
});

test('without any token nobody is admin over TCP, the Unix socket stays, and a page may read at a lower rate', async () => {
  await withLab({ args: ['--anonymous', '--rate-limit', '8'], listen: '0.0.0.0:0' }, async (own) => {
    assert.deepEqual((await own.get('/api/v1/session')).json, { name: null, role: 'anonymous', tokens_demanded: true });
    assert.equal((await own.post('/api/v1/runs', { experiment: 'transfer', parameters: small })).status, 401);
    assert.equal((await own.get('/api/v1/devices', bearer('x'))).status, 401);
    const { code } = await execute('gpulab', ['devices', '--db', own.database], { folder: own.folder });
    assert.equal(code, 0);
    const answers = await Promise.all(Array.from({ length: 40 }, () => own.get('/api/v1/devices')));
    const allowed = answers.filter(({ status }) => status === 200).length;
    assert.ok(allowed >= 1 && allowed < 20, `${allowed} of 40`);
    const pages = await Promise.all(Array.from({ length: 40 }, () => own.get('/experiments/transfer')));
    assert.ok(pages.every(({ status }) => status === 200));
    assert.ok(pages.some(({ text }) => !text.includes('og:title')), 'the page without what its head would say');
  });
  const both = new Lab({ args: ['--anonymous', '--insecure'] });
  await assert.rejects(both.start(), /--insecure.*cannot be combined with --anonymous/s);
});

// --- below a path, and for other sites
// --------------------------------------------------------------------------------------

const wiki = 'https://wiki.example';

test('below a path, addresses begin with it; other sites read what everyone may, and nothing with a session', async () => {
  const args = ['--anonymous', '--base-path', '/gpu/lab', '--cors-origin', wiki, '--frame-ancestors', wiki, '--frame-ancestors', 'http://10.0.0.7:3000'];
  await withLab({ args }, async (placed) => {
    const { stdout } = await execute('gpulab', ['token', 'add', 'ada', '--role', 'operator', '--db', placed.database], { folder: placed.folder });
    const ada = bearer(stdout.trim());
    const ask = (method, path, options) => request(placed.port, method, path, options); // paths that the OpenAPI document does not have
    for (const prefix of ['', '/gpu/lab']) {
      assert.equal((await ask('GET', `${prefix}/api/v1/devices`)).status, 200, prefix);
      const page = await ask('GET', `${prefix}/runs`);
      assert.match(page.text, /<html data-base="\/gpu\/lab" /);
      for (const [, address] of page.text.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
        assert.ok(address.startsWith('/gpu/lab/'), address);
        assert.equal((await ask('GET', address)).status, 200, address);
      }
      assert.match(page.headers['content-security-policy'], /frame-ancestors https:\/\/wiki\.example http:\/\/10\.0\.0\.7:3000$/);
    }
    assert.equal((await ask('GET', '/gpu/lab')).status, 200);
    assert.equal((await ask('GET', '/gpu/laboratory/api/v1/devices')).status, 200, 'the page, which says that it has no such view');
    const run = await ask('POST', '/gpu/lab/api/v1/runs', { headers: ada, json: { experiment: 'transfer', parameters: small } });
    assert.equal(run.headers.location, `/gpu/lab/api/v1/runs/${run.json.id}`);
    const second = await placed.request('POST', '/api/v1/runs', { headers: ada, json: { experiment: 'transfer', parameters: small } });
    await placed.until(async () => (await placed.get(`/api/v1/runs/${second.json.id}`)).json.status === 'succeeded', 'the run has succeeded');
    assert.match((await ask('GET', '/gpu/lab/api/v1/runs?limit=1')).headers.link, /^<\/gpu\/lab\/api\/v1\/runs\?limit=1&cursor=/);
    const session = await ask('POST', '/gpu/lab/api/v1/session', { json: { token: stdout.trim() } });
    assert.match(session.headers['set-cookie'][0], /; Path=\/gpu\/lab\/;/);
    assert.equal((await ask('GET', '/gpu/lab/api/v1/openapi.json')).json.servers[0].url, '/gpu/lab');

    const cookie = session.headers['set-cookie'][0].split(';')[0];
    for (const headers of [{}, ada, { cookie }]) {
      const answer = await placed.get('/api/v1/session', { ...headers, origin: wiki });
      assert.equal(answer.json.role, 'anonymous', JSON.stringify(headers));
      assert.equal(answer.headers['access-control-allow-origin'], wiki);
      assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      assert.match(String(answer.headers.vary), /Origin/);
    }
    for (const origin of [wiki, undefined, `${wiki}.evil`, wiki]) { // an answer that is kept has no header of another request
      const answer = await placed.get('/api/v1/experiments', origin ? { origin } : {});
      assert.equal(answer.headers['access-control-allow-origin'], origin === wiki ? wiki : undefined, String(origin));
    }
    assert.equal((await placed.request('POST', '/api/v1/runs', { headers: { ...ada, origin: wiki }, json: { experiment: 'transfer' } })).status, 403);
    assert.equal((await placed.request('OPTIONS', '/api/v1/runs', { headers: { origin: wiki } })).status, 405);
    const { code } = await execute('gpulab', ['runs', '--db', placed.database], { folder: placed.folder });
    assert.equal(code, 0);
  });
});

test('paths and origins that are not such are refused, and origins without --anonymous', async () => {
  const wrong = [['--base-path', '/lab/'], ['--base-path', 'lab'], ['--base-path', '/api'], ['--base-path', '/a/../b'], ['--base-path', '/a"b'],
    ['--cors-origin', '*'], ['--cors-origin', 'https://wiki.example/'], ['--frame-ancestors', "https://a;script-src"], ['--frame-ancestors', 'https://A.example']];
  for (const args of wrong) {
    const { code, stderr } = await execute('gpulab', ['serve', '--anonymous', '--listen', '127.0.0.1:0', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, /must be (a path|an origin)/);
  }
  for (const option of ['--cors-origin', '--frame-ancestors']) {
    assert.match((await execute('gpulab', ['serve', option, wiki])).stderr, /needs --anonymous/);
  }
});
