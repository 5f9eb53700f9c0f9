// The devices of a run, as people are told of them: what each is called, shortly and in full, and what joins them. What
// the run recorded goes before what the lab has now.

import { plural } from './format.js';

/** Axes whose values are ids of devices. */
const OF_DEVICES = new Set(['source', 'target']);

/** [{id, ordinal, name, short, peers}] in the run's order. `deviceOf(id)` is the device that the lab has now, if it
 * has; `short` is its ordinal, or its place in the run where nobody knows it. */
export function devicesOf({ environment, devices }, deviceOf) {
  const recorded = new Map((environment?.devices ?? []).map?.((device) => [device.id, device]));
  return (devices ?? []).map((id, place) => {
    const { ordinal = null, name = null, peers = [] } = recorded.get(id) ?? deviceOf(id) ?? {};
    return { id, ordinal, name, peers, short: ordinal === null ? `device ${place + 1}` : `#${ordinal}` };
  });
}

/** The experiment with axes that call devices by their short names: those of their ids, and `device`, their place in
 * the run. */
export function withDevices(experiment, devices) {
  const byId = new Map(devices.map(({ id, short }) => [id, short]));
  const byPlace = new Map(
    devices.map(({ ordinal, short }, at) => [at + 1, ordinal === null ? short : `device ${at + 1} (${short})`]),
  );
  const values = ({ name }) => (OF_DEVICES.has(name) ? byId : name === 'device' ? byPlace : null);
  return {
    ...experiment,
    axes: (experiment.axes ?? []).map((axis) => (values(axis) ? { ...axis, values: values(axis) } : axis)),
  };
}

/** Devices in few words: "NVIDIA H200 #0 to #7", "NVIDIA RTX A6000 #0 and #1, Quadro RTX 8000 #2"; the name alone of
 * one by itself, its id where nobody knows it. */
export function groupWords(devices) {
  const byName = new Map();
  for (const { name, ordinal } of devices.filter((device) => device.name))
    byName.set(name, [...(byName.get(name) ?? []), ordinal]);
  const unknown = devices.filter((device) => !device.name);
  return [
    ...[...byName].map(([name, ordinals]) => (devices.length > 1 ? `${name} ${ordinalWords(ordinals)}` : name)),
    unknown.length > 1 ? `${plural(unknown.length, 'device')} not here any more` : unknown[0]?.id,
  ]
    .filter(Boolean)
    .join([...byName.keys()].some((name) => name.includes(',')) ? '; ' : ', ');
}

/** Which devices the places in the run are that lanes are called by: "Devices 1 to 8 are NVIDIA H200 #0 to #7."; '' for
 * one device alone. */
export function placesWords(devices) {
  if (devices.length < 2 || devices.some(({ name }) => !name)) return '';
  const names = new Set(devices.map(({ name }) => name));
  if (names.size > 1)
    return `${devices.map(({ name, short }, at) => `Device ${at + 1} is ${name} ${short}`).join(', ')}.`;
  return `Devices 1 ${devices.length > 2 ? 'to' : 'and'} ${devices.length} are ${groupWords(devices)}, in this order.`;
}

const list = new Intl.ListFormat('en', { type: 'conjunction' });

function ordinalWords(ordinals) {
  const row = ordinals.every((ordinal, at) => ordinal === ordinals[0] + at);
  if (row && ordinals.length > 2) return `#${ordinals[0]} to #${ordinals.at(-1)}`;
  return list.format(ordinals.map((ordinal) => `#${ordinal}`));
}

/** How a device reaches another, as it tells it: "NVLink x18", "PCIe, no peer access"; null when it does not. */
export function linkOf({ peers }, id) {
  const peer = peers.find((other) => other.id === id);
  if (!peer) return null;
  return [peer.link, peer.access === false ? 'no peer access' : null].filter(Boolean).join(', ') || null;
}

/** What joins the devices: {all: words} where it is the same for every pair, {each: true} where it differs, null where
 * no device tells. */
export function linksOf(devices) {
  const links = devices.flatMap((device) =>
    devices.filter((other) => other !== device).map((other) => linkOf(device, other.id)),
  );
  const told = new Set(links);
  if (links.every((link) => link === null)) return null;
  return told.size === 1 ? { all: links[0] } : { each: true };
}
