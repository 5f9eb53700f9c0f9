// The devices of a run: their short and full names, and the links between them. Data recorded by the run takes
// precedence over the current state of the lab.

import { plural } from '../text/format.js';

/** Axes whose values are device ids. */
const DEVICE_ID_AXES = new Set(['source', 'target', 'peer']);

/** [{id, ordinal, name, short, peers, backend, properties}] in the run's order. `deviceOf(id)` returns the device as
 * the lab has it now, or undefined; a device that is neither recorded nor there has the name that is stored with the
 * run. `short` is "#" and the ordinal, or the position in the run when the ordinal is unknown. */
export function devicesOf({ environment, devices }, deviceOf) {
  const recorded = new Map((environment?.devices ?? []).map?.((device) => [device.id, device]));
  return (devices ?? []).map(({ id, name: stored }, index) => {
    const {
      ordinal = null,
      name = stored,
      peers = [],
      backend = null,
      properties = {},
    } = recorded.get(id) ?? deviceOf(id) ?? {};
    const short = ordinal === null ? `device ${index + 1}` : `#${ordinal}`;
    return { id, ordinal, name, peers, short, backend, properties };
  });
}

/** A copy of the experiment in which the axes of devices have display names for their values (`values`, a Map): the
 * axes whose values are device ids, and `device`, whose values are ids or positions in the run, from 1. */
export function withDeviceNames(experiment, devices) {
  const byId = new Map(devices.map(({ id, short }) => [id, short]));
  const byPosition = new Map(
    devices.map(({ ordinal, short }, index) => [
      index + 1,
      ordinal === null ? short : `device ${index + 1} (${short})`,
    ]),
  );
  const values = ({ name }) => (DEVICE_ID_AXES.has(name) ? byId : name === 'device' ? new Map([...byId, ...byPosition]) : null);
  return {
    ...experiment,
    axes: (experiment.axes ?? []).map((axis) => (values(axis) ? { ...axis, values: values(axis) } : axis)),
  };
}

/** A short text for several devices: "NVIDIA H200 #0 to #7", "NVIDIA RTX A6000 #0 and #1, Quadro RTX 8000 #2". For one
 * device its name only, or its id when the name is unknown. */
export function deviceGroupText(devices) {
  const byName = new Map();
  for (const { name, ordinal } of devices.filter((device) => device.name))
    byName.set(name, [...(byName.get(name) ?? []), ordinal]);
  const unknown = devices.filter((device) => !device.name);
  return [
    ...[...byName].map(([name, ordinals]) => (devices.length > 1 ? severalText(name, ordinals) : name)),
    unknown.length > 1 ? `${plural(unknown.length, 'device')} no longer available` : unknown[0]?.id,
  ]
    .filter(Boolean)
    .join([...byName.keys()].some((name) => name.includes(',')) ? '; ' : ', ');
}

/** Explains the numbers of devices in the names of lanes ("device 2 copies 1"): "Devices 1 to 8 are NVIDIA H200 #0 to
 * #7, in this order."; '' for a single device. */
export function devicePositionsText(devices) {
  if (devices.length < 2 || devices.some(({ name }) => !name)) return '';
  const names = new Set(devices.map(({ name }) => name));
  if (names.size > 1)
    return `${devices.map(({ name, short }, at) => `Device ${at + 1} is ${name} ${short}`).join(', ')}.`;
  return `Devices 1 ${devices.length > 2 ? 'to' : 'and'} ${devices.length} are ${deviceGroupText(devices)}, in this order.`;
}

/** "NVIDIA H200 #0 and #1"; "2 x NVIDIA H200" where the numbers of devices are not known. */
function severalText(name, ordinals) {
  if (!ordinals.includes(null)) return `${name} ${ordinalsText(ordinals)}`;
  return ordinals.length > 1 ? `${ordinals.length} x ${name}` : name;
}

function ordinalsText(ordinals) {
  const consecutive = ordinals.every((ordinal, at) => ordinal === ordinals[0] + at);
  if (consecutive && ordinals.length > 2) return `#${ordinals[0]} to #${ordinals.at(-1)}`;
  const numbers = ordinals.map((ordinal) => `#${ordinal}`);
  return numbers.length > 1 ? `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}` : numbers[0];
}

/** The link from a device to another, as the device reports it: "NVLink x18", "PCIe, no peer access"; null when it
 * reports none. */
export function linkOf({ peers }, id) {
  const peer = peers.find((other) => other.id === id);
  if (!peer) return null;
  return [peer.link, peer.access === false ? 'no peer access' : null].filter(Boolean).join(', ') || null;
}

/** The theoretical peak of the NVLinks from a device to another, GB/s in one direction; null where it is not known. */
export function linkPeakOf({ peers }, id) {
  const peak = peers.find((other) => other.id === id)?.peak_bytes_per_s;
  return peak ? peak / 1e9 : null;
}

/** The peak that all pairs of the devices have in common, {value: GB/s in one direction, what}, or that of all devices
 * `together`; null where pairs differ or a peak is not known. */
export function commonLinkPeak(devices, together = false) {
  const pairs = devices.flatMap((device) => devices.filter((other) => other !== device).map(({ id }) => ({ device, id })));
  const peaks = new Set(pairs.map(({ device, id }) => linkPeakOf(device, id)));
  const [value] = peaks;
  if (peaks.size !== 1 || !value) return null;
  const link = `${linkOf(pairs[0].device, pairs[0].id)}, one direction`;
  return together ? { value: value * devices.length, what: `${devices.length} devices, ${link}` } : { value, what: link };
}

/** The links between the devices: {all: text} where every pair has the same link, {each: true} where links differ, null
 * when no device reports one. */
export function linksOf(devices) {
  const links = devices.flatMap((device) =>
    devices.filter((other) => other !== device).map((other) => linkOf(device, other.id)),
  );
  const distinct = new Set(links);
  if (links.every((link) => link === null)) return null;
  return distinct.size === 1 ? { all: links[0] } : { each: true };
}
