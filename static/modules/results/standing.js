// Where a headline of a run stands: among the earlier runs of the same point on the same device model, and against
// published figures. From the answer of GET /runs/{id}/normal.

import { ordinal, percent, plural, quantity } from '../text/format.js';
import { shownUnit } from '../text/units.js';

/** The standing of one of the `headlines`: {tone: 'good', 'warn' or '', history, range, published}, texts or ''.
 * `lowest` says whether a lower value is better, `model` is the device model. */
export function standingOf({ metric, unit: own, verdict, better, history, references }, lowest, model) {
  const unit = shownUnit(metric, own);
  return {
    tone: better === true ? 'good' : better === false ? 'warn' : '',
    history: historyText({ verdict, better, history, unit }, lowest, model),
    range: rangeText(verdict, history, unit),
    published: references.map((reference) => publishedText(reference, unit)).join('; '),
  };
}

function historyText({ verdict, better, history, unit }, lowest, model) {
  const { runs } = history ?? { runs: 0 };
  if (!runs) return '';
  if (verdict === 'too-few')
    return `${runs > 1 ? 'median of ' : ''}${plural(runs, 'earlier run')}: ${quantity(history.median, unit)}`;
  const place = `${ordinal(placeOf(history, lowest))} of ${runs + 1}`;
  if (verdict === 'as-usual') return `as usual for ${model}, ${place}`;
  const word = better === null ? verdict : better ? 'better' : 'worse';
  return `${word} than usual for ${model}, ${place}`;
}

/** The place among the earlier runs, the best being the first. `percentile` is the share of lower values. */
function placeOf({ runs, percentile }, lowest) {
  const below = Math.round((runs * percentile) / 100);
  return 1 + (lowest ? below : runs - below);
}

function rangeText(verdict, history, unit) {
  if (!history?.runs || verdict === 'too-few') return '';
  return `usually ${quantity(history.low, unit)} to ${quantity(history.high, unit)}`;
}

/** "published 55.5 GB/s, this run 100 % of it" */
const publishedText = ({ value, share }, unit) =>
  `published ${quantity(value, unit, 3)}, this run ${percent(share, 3)} of it`;
