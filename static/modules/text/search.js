// Which experiments and devices a text finds.

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The entries of `list` in which every word of `text` occurs, those that have it earlier in `textsOf(entry)` first: a list of
 * texts, the most important one first. */
function matching(list, text, textsOf) {
  const words = wordsOf(text);
  if (!words.length) return [];
  const found = [];
  for (const entry of list) {
    const texts = textsOf(entry).map((one) => one.toLowerCase());
    const ranks = words.map((word) => texts.findIndex((one) => one.includes(word)));
    if (!ranks.includes(-1)) found.push({ entry, rank: Math.max(...ranks) });
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

/** Experiments, as in lists, by title, name, summary and titles of metrics. */
export const findExperiments = (experiments, text) =>
  matching(experiments, text, ({ title, name, summary, metric_titles }) => [
    title,
    name,
    summary,
    metric_titles.join(' '),
  ]);

/** Devices by name, machine and id. */
export const findDevices = (devices, text) => matching(devices, text, ({ name, node, id }) => [name, node, id]);
