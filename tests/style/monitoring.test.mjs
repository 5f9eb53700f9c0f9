// The alerts and the dashboard of deploy/ use only metrics and labels that METRICS.md describes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './files.mjs';

const text = (path) => readFileSync(join(root, path), 'utf8');
const ofScrape = ['job', 'instance', 'le'];

/** The labels of each metric of METRICS.md. */
const documented = new Map([...text('server/api/METRICS.md').matchAll(/^\| `(\w+)` \|([^|]*)\|/gm)].map(([, name, cell]) => {
  const labels = [...cell.matchAll(/`(\w+)`/g)].map(([, label]) => label);
  return [name, [...labels, ...(name.startsWith('gpulab_device_') ? ['device', 'name'] : [])]];
}));

const dashboards = ['gpulab', 'gpulab-results'].map((name) => JSON.parse(text(`deploy/grafana/${name}.json`)));
const panels = dashboards.flatMap(({ panels: each }) => each).filter(({ type }) => type !== 'row');
const queries = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
  ...dashboards.flatMap(({ templating }) => templating.list).filter(({ type }) => type === 'query').map(({ name, definition }) => ({ where: name, expr: definition })),
  ...[...text('deploy/prometheus-rules.yml').matchAll(/- alert: (\w+)\n +expr: (?:>-\n)?((?:.|\n)*?)\n +(?:for|labels):/g)].map(([, where, expr]) => ({ where, expr })),
];

test('every query is found', () => {
  assert.equal(queries.filter(({ where }) => where.startsWith('Lab') && where !== 'Lab').length, text('deploy/prometheus-rules.yml').match(/- alert:/g).length);
  assert.ok(panels.length > 20);
});

for (const { where, expr } of queries) {
  test(`${where}: its metrics and labels are described`, () => {
    const selectors = [...expr.matchAll(/\b((?:gpulab|process)_\w+|up)\b(?:\{([^}]*)\})?/g)].filter(([, name]) => name !== 'gpulab');
    assert.ok(selectors.length > 0, expr);
    const used = [];
    for (const [, name, matchers = ''] of selectors) {
      if (name === 'up') continue;
      const labels = documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ''));
      assert.ok(labels, `${name} is not in METRICS.md`);
      used.push(...labels);
      for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) assert.ok([...labels, ...ofScrape].includes(label), `${name} has no label ${label}`);
    }
    for (const [, list] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of list.split(/,\s*/)) assert.ok([...used, ...ofScrape].includes(label), `by (${label})`);
    }
  });
}

for (const dashboard of dashboards) test(`${dashboard.title}: panels do not overlap, and their ids differ`, () => {
  const ids = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const overlaps = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  for (const [i, { gridPos, title }] of dashboard.panels.entries()) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (const other of dashboard.panels.slice(i + 1)) assert.ok(!overlaps(gridPos, other.gridPos), `${title} and ${other.title}`);
  }
});
