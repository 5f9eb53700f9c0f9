// The grid of a health run: a row for each check, a column for each device. A bar is a share of what the value is
// compared with, with a mark at the limit.

import { h, replace } from '../../dom.js';
import { sorter } from '../../parts/sortheads.js';
import { healthGrid } from '../../results/healthgrid.js';
import { displayName, titleFromName } from '../../text/displaynames.js';
import { percent, plain, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';

/** What the value of a finding is a share of, by basis. */
const SHARES = { peak: 'of the peak', history: 'of what is usual', peers: 'of the other devices', opposite: 'of the other direction' };
const TONES = { failure: 'bad', warning: 'warn' };

/** The element; `findings` as of the API, `nameOf(id)` returns the name of a device, `shortOf(id)` its short name and
 * `lineOf(finding)` its text; null where no finding is about a check. */
export function healthTable(findings, { nameOf, shortOf, lineOf }) {
  const { devices, rows } = healthGrid(findings);
  if (!rows.length) return null;
  const body = h('tbody', {});
  const rowOf = (row) => h('tr', {}, h('th', { scope: 'row' }, checkTitle(row)), devices.map((id) => cell(row.cells.get(id), { shortOf, lineOf })));
  const draw = () => replace(body, heads.sorted(rows).map(rowOf));
  const heads = sorter([{ title: 'Check', value: checkTitle }, ...devices.map((id) => deviceColumn(id, nameOf))], draw);
  draw();
  return h(
    'div',
    { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': 'Checks by device' },
    h(
      'table',
      { class: 'figures first-stays health-grid' },
      h('caption', { class: 'visually-hidden' }, 'Checks by device, the worst first'),
      h('thead', {}, h('tr', {}, heads.cells)),
      body,
    ),
  );
}

/** A device, by whose shares of what is expected the checks are sorted. */
const deviceColumn = (id, nameOf) => ({ title: nameOf(id), href: `/devices/${encodeURIComponent(id)}`, value: ({ cells }) => shareOf(cells.get(id)?.finding) });

/** The share of what a value is compared with; null where it is compared with a fixed number, or was not checked. */
const shareOf = (finding) => (finding?.basis in SHARES && finding.expected > 0 && Number.isFinite(finding.value) ? finding.value / finding.expected : null);

/** "Host → device", "Link width", "Clock, matrix product" */
function checkTitle({ check, metric }) {
  const title = displayName('check', check) ?? titleFromName(check);
  const named = title.charAt(0).toUpperCase() + title.slice(1);
  return metric === 'clock' ? `Clock, ${title}` : named;
}

/** A cell of the grid; its tooltip has the lines of all its findings. */
function cell(content, { shortOf, lineOf }) {
  if (!content) return h('td', {});
  const { level, finding, standing, findings } = content;
  const title = findings.map(lineOf).join('\n');
  if (level === 'skipped') return h('td', { class: 'none', title }, '–', h('span', { class: 'visually-hidden' }, ' not checked'));
  return h(
    'td',
    { class: `health-cell ${level}`, title },
    h('span', { class: 'health-value' }, numberText(finding, finding.value), ' ', verdict(level)),
    standing ? h('span', { class: 'aside' }, `to ${shortOf(finding.peer)}, ${standing}`) : null,
    barOf(finding),
    h('span', { class: 'aside' }, comparisonText(finding)),
  );
}

/** A value or limit of a finding as text; what a device reports is a count. */
const numberText = ({ metric, unit }, number) => (unit === '1' ? plain(number) : quantity(number, shownUnit(metric, unit)));

const verdict = (level) =>
  level === 'ok'
    ? h('span', { class: 'yes' }, h('span', { 'aria-hidden': 'true' }, '✓'), h('span', { class: 'visually-hidden' }, 'ok'))
    : h('span', { class: `status ${TONES[level]}` }, level);

/** The share of what a value is compared with; null where it is compared with a fixed number. */
function barOf({ basis, value, expected, limit }) {
  if (!(basis in SHARES) || !(expected > 0)) return null;
  const at = (number) => `${Math.min(100, (100 * number) / expected)}%`;
  return h(
    'span',
    { class: 'health-bar', 'aria-hidden': 'true' },
    h('span', { class: 'health-fill', style: { width: at(value) } }),
    h('span', { class: 'health-limit', style: { left: at(limit) } }),
  );
}

/** "86 % of the peak, at least 75 %", "at most 0", "wrong result" */
function comparisonText(finding) {
  const { basis, level, value, expected, limit } = finding;
  if (basis in SHARES && expected > 0) return `${percent(value / expected)} ${SHARES[basis]}, at least ${percent(limit / expected)}`;
  if (basis === 'limit' && typeof limit === 'number') return `at most ${numberText(finding, limit)}`;
  return level === 'failure' && basis === 'result' ? 'wrong result' : '';
}
