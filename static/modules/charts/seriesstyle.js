// The style of a series: colour, dash and marker, the same in charts (canvas), legends and tables (SVG). The colours
// can be distinguished with any kind of colour vision, and dash and marker distinguish series as well.

import { svg } from '../dom.js';

/** Dash patterns in CSS pixels; [] is a solid line. Their number must match DASHES in series.js. */
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 2]];

/** Marker outlines around (0, 0), about 8 px across. */
const MARKERS = [
  'M3.4 0A3.4 3.4 0 1 1-3.4 0A3.4 3.4 0 1 1 3.4 0Z', // circle
  'M-3.1-3.1H3.1V3.1H-3.1Z', // square
  'M0-4.2L3.9 2.9H-3.9Z', // triangle
  'M0-4.4L4.4 0L0 4.4L-4.4 0Z', // diamond
  'M0 4.2L3.9-2.9H-3.9Z', // triangle, down
];

export const dashOf = (series) => DASHES[series.dash];
export const markerOf = (series) => MARKERS[series.marker];

/** The CSS variable with the colour of a series. */
export const colourVariable = (series) => `--series-${series.colour + 1}`;

/** A sample of the line with its marker; with `line` false only the marker, with `bar` a piece of a bar instead. */
export function swatch(series, { line = true, bar = false } = {}) {
  const wide = line && !bar;
  return svg(
    'svg',
    {
      class: 'swatch',
      viewBox: wide ? '0 0 34 12' : '11 0 12 12',
      width: wide ? 34 : 12,
      height: 12,
      'aria-hidden': 'true',
      style: { color: `var(${colourVariable(series)})` },
    },
    wide &&
      svg('path', {
        d: 'M1 6H33',
        stroke: 'currentColor',
        'stroke-width': 2,
        'stroke-dasharray': dashOf(series).join(' ') || null,
      }),
    bar
      ? svg('rect', { x: 11, y: 0, width: 12, height: 12, rx: 2, fill: 'currentColor' })
      : svg('path', {
          d: markerOf(series),
          transform: 'translate(17 6)',
          fill: 'currentColor',
          stroke: 'var(--panel)',
          'stroke-width': 1,
        }),
  );
}
