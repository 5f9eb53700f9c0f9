// The columns of the table of measurements that follow the axes: the value, its spread, and how it was measured.

import { samplesButton } from '../../charts/samples/button.js';
import { cautionTags } from '../../parts/cautiontags.js';
import { cautionsOf, hasCautions, isWrong } from '../../results/cautions.js';
import { STOP_REASONS } from '../../text/displaynames.js';
import { bytes, percent, plain, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';
import { h } from '../../dom.js';

/** The columns for measurements of one metric, as virtualTable takes them. Columns that would be empty are left out.
 * showSamples(measurement) shows the samples of one. */
export function valueColumns(rows, run, showSamples) {
  const any = (holds) => rows.some(holds);
  return [
    { title: 'Median', kind: 'figure', value: ({ median }) => median, cell: ({ metric, median, unit }) => h('span', { class: 'strong' }, quantity(median, shownUnit(metric, unit))) },
    any(isSampled) && { title: 'Quartiles', kind: 'figure', value: ({ q1 }) => q1, cell: quartiles },
    any(({ noise }) => noise > 0) && {
      title: 'Noise',
      kind: 'figure',
      hint: 'Distance of the quartiles / median',
      value: ({ noise }) => noise,
      cell: ({ noise }) => percent(noise),
    },
    any(isSampled) && { title: 'Samples', kind: 'figure', value: ({ n }) => n, cell: (one) => samples(one, showSamples) },
    { title: 'Verified', value: verifiedText, text: verifiedText, cell: verified },
    any((one) => one.kernel) && { title: 'Kernel', value: (one) => one.kernel?.registers, cell: kernel },
    any((one) => hasCautions(one, run)) && {
      title: 'Cautions',
      text: (one) => cautionsOf(one, run).map(({ name }) => name).join(' '),
      cell: (one) => spaced(cautionTags(one, run)),
    },
  ].filter(Boolean);
}

const isSampled = ({ n }) => n > 0;

/** "12.1 … 12.3 GB/s": the unit once if both share it. */
function quartiles(one) {
  const { metric, q1, q3 } = one;
  const unit = shownUnit(metric, one.unit);
  if (!isSampled(one) || typeof q1 !== 'number') return '–';
  const [low, high] = [quantity(q1, unit), quantity(q3, unit)];
  const [number, lowUnit] = low.split('\u00a0');
  return `${lowUnit === high.split('\u00a0')[1] ? number : low} … ${high}`;
}

/** The number of samples, or that there are hardware counters instead, which shows them; the tooltip says why sampling
 * stopped. */
const samples = (one, showSamples) =>
  isSampled(one)
    ? h('span', { title: STOP_REASONS[one.stop_reason] ?? one.stop_reason ?? null }, samplesButton(one, showSamples))
    : one.counters?.length
      ? samplesButton(one, showSamples, 'counters')
      : '–';

const verifiedText = (one) => (isWrong(one) ? 'wrong' : one.verified ? 'correct' : 'not checked');

function verified(one) {
  if (isWrong(one)) return h('strong', { class: 'no' }, `✗ ${one.wrong ? plain(one.wrong) : ''} wrong`);
  return h('span', { class: one.verified ? 'yes' : 'aside' }, one.verified ? '✓\u00a0' : '', verifiedText(one));
}

/** "32 registers, 100 %": registers of a thread and occupancy; the tooltip has the rest. */
function kernel({ kernel: used }) {
  if (!used) return '–';
  const { name, registers, local_bytes: local, shared_bytes: shared, occupancy } = used;
  const rest = `${name ?? 'kernel'}: ${plain(registers)} registers and ${bytes(local)} of local memory per thread, ${bytes(shared)} of shared memory per block, occupancy ${percent(occupancy)}`;
  return h('span', { class: 'aside', title: rest }, `${plain(registers)} registers, ${bytes(shared)} shared, ${percent(occupancy)}`);
}

/** Elements with spaces between them. */
const spaced = (elements) => elements.flatMap((element, at) => (at ? [' ', element] : [element]));
