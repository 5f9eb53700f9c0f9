// What the search field of the header finds: groups {title, results: [{href, title, text}]}.

import * as api from '../lab/api.js';
import * as lab from '../lab/lab.js';
import { headlineFigures } from '../results/headline.js';
import { ago } from '../text/format.js';
import { findTerms, pagesOf, termId } from '../text/guide.js';
import { figureFor, findDevices, findExperiments, findGuidePages, findPages, findPrograms, isFigure, stemsOf, termsOf } from '../text/search.js';

const RESULTS_MAX = 5; // of each kind

/** What is known of the lab and has the words of `text`: {groups, runs, complete()}. complete() asks the lab for what
 * mentions them and for runs, and resolves with {groups, runs} of all that is found. */
export async function findAtOnce(text) {
  const [experiments, devices, guide, programs] = await Promise.all([lab.experiments(), knownDevices(), lab.guide(), lab.programs()]);
  const byTitle = findExperiments(experiments, text);
  const groupsOf = (found, results) => [
    { title: 'Experiments', results: found.slice(0, RESULTS_MAX).map((one) => experimentResult(one, results, termsOf(text))) },
    { title: 'Devices', results: findDevices(devices, text).slice(0, RESULTS_MAX).map(deviceResult) },
    { title: 'Terms', results: findTerms(guide.terms, text).slice(0, RESULTS_MAX).map(termResult) },
    { title: 'Programs', results: findPrograms(programs, text).slice(0, RESULTS_MAX).map(programResult) },
    { title: 'Pages', results: [...findPages(text), ...findGuidePages(pagesOf(guide), text).map(guideResult)].slice(0, RESULTS_MAX) },
  ];
  async function complete() {
    const { mentioned, results, runs } = await askLab(text);
    const hasFigure = (run) => headlineFigures(run).some((figure) => isFigure(figure, text));
    const withFigure = results.filter(hasFigure).map(({ experiment }) => experiments.find(({ name }) => name === experiment));
    const all = new Map([...byTitle, ...withFigure, ...mentioned].filter(Boolean).map((one) => [one.name, one]));
    return { groups: groupsOf([...all.values()], results), runs: runs.map((run) => runResult(run, experiments)) };
  }
  return { groups: groupsOf(byTitle, []), runs: [], complete };
}

/** What the lab finds: {mentioned: experiments, results: the run of each experiment that stands for it, runs}. */
async function askLab(text) {
  const [mentioned, results, { runs }] = await Promise.all([
    Promise.all(termsOf(text).map(stemsOf).map(api.experimentsMentioning)),
    api.resultRuns({}),
    api.runs({ q: text, limit: RESULTS_MAX }),
  ]).catch(() => [[], [], { runs: [] }]);
  const all = mentioned.flat();
  return { mentioned: all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at), results, runs };
}

let devicesRequest = null;

/** The devices of the lab and those that only runs have, fetched once: for names it does not matter that their state
 * changes. */
function knownDevices() {
  devicesRequest ??= lab.knownDevices().catch((error) => {
    devicesRequest = null;
    throw error;
  });
  return devicesRequest;
}

/** An experiment with the figure of its result that the terms ask for: "Host to device 55.5 GB/s on NVIDIA H200". */
function experimentResult({ name, title, summary }, results, terms) {
  const run = results.find(({ experiment }) => experiment === name);
  const figure = run && figureFor(headlineFigures(run), terms);
  const result = figure && `${figure.title} ${figure.text} on ${lab.runDevicesText(run)}`;
  return { href: `/experiments/${name}`, title, text: [result, summary].filter(Boolean).join(' · ') };
}

/** A term, with the name by which it was found. */
const termResult = ({ found, ...term }) => ({
  href: `/guide/terms#${termId(term)}`,
  title: found === term.term ? found : `${term.term} (${found})`,
  text: term.text,
});

const programResult = ({ name, title }) => ({ href: `/program?sample=${name}`, title, text: 'sample program' });

const guideResult = ({ name, title, summary }) => ({ href: `/guide/${name}`, title, text: summary });

const deviceResult = ({ id, name }) => ({
  href: `/devices/${encodeURIComponent(id)}`,
  title: lab.device(id) ? lab.deviceTitle(id) : (name ?? id),
  text: lab.device(id) ? null : 'seen in runs',
});

function runResult(run, experiments) {
  const title = experiments.find(({ name }) => name === run.experiment)?.title ?? run.experiment;
  const [figure] = headlineFigures(run);
  const text = [figure && `${figure.title} ${figure.text}`, ...run.tags, lab.runPlaceText(run), ago(run.created_at)];
  return { href: `/runs/${run.id}`, title, text: text.filter(Boolean).join(' · ') };
}
