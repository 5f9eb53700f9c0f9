// The findings of a health run (GET /runs/{id}/health) as a grid of checks by devices, the worst first.

import { displayName } from '../text/displaynames.js';

const LEVELS = ['skipped', 'ok', 'warning', 'failure']; // the worst last

/** What a value is compared with, in the order in which one stands for a cell whose findings are equally bad. */
const BASES = ['peak', 'history', 'peers', 'opposite', 'limit', 'result'];

const rankOf = ({ level }) => LEVELS.indexOf(level);

/** How far a value is from its limit, as a share: below 1 it is beyond; Infinity where only a number is limited. */
const marginOf = ({ basis, value, limit }) => (limit > 0 && basis !== 'limit' ? value / limit : Infinity);

/** The worst first: by level, then by the distance from the limit. */
const byUrgency = (a, b) => rankOf(b) - rankOf(a) || marginOf(a) - marginOf(b) || 0;

/** The finding that stands for several of one value: the worst, of equally bad ones that of the first basis. */
const leading = (findings) =>
  [...findings].sort((a, b) => rankOf(b) - rankOf(a) || BASES.indexOf(a.basis) - BASES.indexOf(b.basis))[0];

const groupBy = (list, keyOf) => {
  const groups = new Map();
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
};

/** What a finding of a cell is among those with `count` other devices, in words. */
function standingOf({ level, limit, basis, value }, count) {
  if (level !== 'ok') return `worst of ${count}`;
  return Number.isFinite(marginOf({ limit, basis, value })) ? `nearest of ${count} to its limit` : `one of ${count}`;
}

/** A cell: {level, finding: the one that stands for it, standing: what it is among those with other devices, '' if
 * there are fewer than two, findings}. */
function cellOf(findings) {
  const byPeer = groupBy(findings, ({ peer }) => peer);
  const [finding] = [...byPeer.values()].map(leading).sort(byUrgency);
  return { level: finding.level, finding, standing: byPeer.size > 1 ? standingOf(finding, byPeer.size) : '', findings };
}

/** {devices: [id], rows: [{check, metric, cells: Map(device -> cell)}]}: the devices and the checks that are not as
 * they should be come first, of the devices then those whose values are nearest to their limits. */
export function healthGrid(findings) {
  const placed = findings.filter(({ device, check }) => device && check);
  const rows = [...groupBy(placed, ({ check, metric }) => `${check} ${metric}`).values()].map((list) => ({
    check: list[0].check,
    metric: list[0].metric,
    cells: new Map([...groupBy(list, ({ device }) => device)].map(([device, own]) => [device, cellOf(own)])),
  }));
  const worst = (cells) => cells.map(({ finding }) => finding).sort(byUrgency)[0];
  const worstOfRow = ({ cells }) => rankOf(worst([...cells.values()]));
  const worstOf = new Map(
    [...new Set(placed.map(({ device }) => device))].map((device) => [device, worst(rows.map(({ cells }) => cells.get(device)).filter(Boolean))]),
  );
  const isBad = (rank) => (rank > LEVELS.indexOf('ok') ? rank : 0);
  return {
    devices: [...worstOf.keys()].sort((a, b) => byUrgency(worstOf.get(a), worstOf.get(b))),
    rows: rows.sort((a, b) => isBad(worstOfRow(b)) - isBad(worstOfRow(a))),
  };
}

/** The findings, the worst first; of equally bad ones in their order. */
export const worstFirst = (findings) => [...findings].sort((a, b) => rankOf(b) - rankOf(a));

/** A finding in one line, with the names that the page has for devices, nameOf(id), and checks. */
export function findingText({ device, check, metric, peer, statement }, nameOf) {
  if (!device || !check) return statement;
  const name = displayName('check', check) ?? check.replaceAll('-', ' ');
  const subject = [name, metric === 'clock' ? 'clock' : '', peer ? `to ${nameOf(peer)}` : ''].filter(Boolean).join(' ');
  return `${nameOf(device)}: ${subject} ${statement}`;
}
