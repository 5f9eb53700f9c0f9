// Copies in a trace, checked against the speed of their link. A copy between devices without peer access goes through
// host memory in pieces, of which the tracer records one with the size of the whole copy.

const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const TOLERANCE = 1.1; // factor by which a copy may seem faster than its link: clocks are inaccurate

/** The number of bytes that a label gives, such as "chunk 1 · 16 MiB"; null if it gives none. */
function bytesOf(label) {
  const match = /([\d.,]+)\s(B|KiB|MiB|GiB)\b/.exec(label);
  return match ? Number(match[1].replaceAll(',', '')) * UNITS[match[2]] : null;
}

/** The most bytes per second that a copy of a `kind` can have on `devices` (rundevices.js); null if unknown. */
function limitOf(kind, { peer_access: peerAccess }, devices) {
  const largest = (name) => Math.max(0, ...devices.map(({ properties }) => properties?.[name] ?? 0)) || null;
  const betweenDevices = kind === 'copy-peer' && peerAccess !== false;
  return largest(betweenDevices ? 'memory_peak_bytes_per_s' : 'pcie_peak_bytes_per_s');
}

/** A variant (timeline.js) whose copies have `rate`, in bytes per second, or `partial: true` where the traced time is
 * shorter than the link needs for the size in the label. */
export function withCopyRates(variant, devices) {
  const sizes = new Map(variant.spans.map(({ label }) => [label, null]));
  for (const label of sizes.keys()) sizes.set(label, bytesOf(label));
  const spans = variant.spans.map((span) => {
    const bytes = span.kind.startsWith('copy-') ? sizes.get(span.label) : null;
    if (!bytes || !(span.end > span.start)) return span;
    const rate = (bytes / (span.end - span.start)) * 1e9;
    const limit = limitOf(span.kind, variant.axes, devices);
    return limit !== null && rate > TOLERANCE * limit ? { ...span, partial: true } : { ...span, rate };
  });
  return { ...variant, spans };
}
