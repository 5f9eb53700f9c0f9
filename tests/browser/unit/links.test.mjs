// The links between devices in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkBetween, linkExplanations, linkSummary, linkText } from '../../../static/modules/text/links.js';

/** Devices of which each has the link that `linkOf(from, to)` returns to each other one. */
const devices = (count, linkOf, nodes = []) =>
  Array.from({ length: count }, (_, from) => ({
    id: `d${from}`,
    properties: { numa_node: nodes[from] ?? null },
    peers: Array.from({ length: count }, (_, to) => ({ id: `d${to}`, ...linkOf(from, to) })).filter((_, to) => to !== from),
  }));
const nvlink = () => ({ link: 'NVLink x18', access: true });

test('the text of a link', () => {
  assert.equal(linkText('NVLink x18'), 'NVLink ×18');
  assert.equal(linkText('PCIe'), 'PCIe');
  assert.equal(linkText(null), 'not reported');
});

test('a link with peer access and NUMA nodes', () => {
  const [first, second, third] = devices(3, (from, to) => (from + to === 1 ? nvlink() : { link: 'PCIe', access: false }), [0, 0, 1]);
  assert.deepEqual(linkBetween(first, second), { text: 'NVLink ×18', kind: 'nvlink', access: 'peer access', numa: 'same NUMA node' });
  assert.deepEqual(linkBetween(first, third), { text: 'PCIe', kind: 'pcie', access: 'no peer access', numa: 'NUMA nodes 0 and 1' });
  assert.deepEqual(linkBetween({ ...first, peers: [] }, third), { text: 'not reported', kind: 'unknown', access: null, numa: null });
  assert.equal(linkBetween(...devices(2, nvlink, [-1, -1])).numa, null);
});

test('the summary says what all links have in common', () => {
  assert.equal(linkSummary(devices(2, nvlink)), 'Both ways: NVLink ×18, peer access.');
  assert.equal(linkSummary(devices(8, nvlink, [0, 0, 0, 0, 1, 1, 1, 1])), 'Every pair: NVLink ×18, peer access.');
  assert.equal(linkSummary(devices(3, (from, to) => ({ link: from + to === 1 ? 'NVLink x4' : 'PCIe', access: true }))), 'Every pair: peer access.');
  assert.equal(
    linkSummary(devices(3, (from, to) => ({ link: from + to === 1 ? 'NVLink x4' : 'PCIe', access: from + to === 1 }))),
    'The devices are linked in different ways.',
  );
});

test('only the kinds of links that exist are explained', () => {
  const starts = linkExplanations(devices(2, nvlink)).map((sentence) => sentence.split(':')[0]);
  assert.deepEqual(starts, ['NVLink ×N', 'Peer access']);
});
