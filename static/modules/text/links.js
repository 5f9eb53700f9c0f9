// The links between devices in words.

/** Kinds of links, by how the text of the API begins: the name of the colour, and what the link is. */
const KINDS = [
  [/^NVLink/, 'nvlink', 'NVLink ×N: N NVLinks lead from one device to the other, directly or through a switch.'],
  [/^PCIe/, 'pcie', 'PCIe: the devices exchange data through PCI Express.'],
  [/^same memory/, 'memory', 'Same memory: both devices are cores of one CPU.'],
];

const kindOf = (text) => KINDS.find(([pattern]) => pattern.test(text ?? ''));

/** "NVLink x18" of the API as "NVLink ×18"; "not reported" where the API has none. */
export const linkText = (link) => (link ? link.replace(/ x(\d+)$/, ' ×$1') : 'not reported');

const numaNode = ({ properties }) => properties?.numa_node ?? -1;

/** "same NUMA node", "NUMA nodes 0 and 1"; null where the node of a device is unknown. */
function numaText(device, other) {
  const [from, to] = [numaNode(device), numaNode(other)];
  if (from < 0 || to < 0) return null;
  return from === to ? 'same NUMA node' : `NUMA nodes ${from} and ${to}`;
}

/** The link from `device` to `other` (documents of the API): {text, kind, access, numa}, all in words; `access` and
 * `numa` are null where they are unknown. */
export function linkBetween(device, other) {
  const peer = (device.peers ?? []).find(({ id }) => id === other.id);
  if (!peer) return { text: linkText(null), kind: 'unknown', access: null, numa: null };
  return {
    text: linkText(peer.link),
    kind: kindOf(peer.link)?.[1] ?? 'unknown',
    access: peer.access ? 'peer access' : 'no peer access',
    numa: numaText(device, other),
  };
}

const pairsOf = (devices) =>
  devices.flatMap((device) => devices.filter((other) => other !== device).map((other) => linkBetween(device, other)));

/** What all links between the devices have in common, as a sentence: "Every pair: NVLink ×18, peer access." */
export function linkSummary(devices) {
  const pairs = pairsOf(devices);
  const common = ['text', 'access', 'numa']
    .map((fact) => new Set(pairs.map((pair) => pair[fact])))
    .map((values) => (values.size === 1 ? [...values][0] : null))
    .filter(Boolean);
  if (!common.length) return 'The devices are linked in different ways.';
  return `${devices.length === 2 ? 'Both ways' : 'Every pair'}: ${common.join(', ')}.`;
}

/** Explains the kinds of links that the devices have: sentences. */
export function linkExplanations(devices) {
  const kinds = new Set(pairsOf(devices).map(({ kind }) => kind));
  const access = 'Peer access: kernels on a device can read and write the memory of the other one.';
  return [...KINDS.filter(([, kind]) => kinds.has(kind)).map(([, , sentence]) => sentence), access];
}
