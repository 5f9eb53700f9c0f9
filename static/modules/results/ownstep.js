// A run that measures an edited step beside the others of the experiment, and beside its original.

import { orderOf } from '../text/valueorder.js';
import { ofOwnRequest } from './measurementset.js';

/** The axis of the experiment's chart of steps; undefined without one. */
export const stepAxis = ({ views }) => views?.find(({ kind }) => kind === 'ladder')?.x;

/** What is shown of a run: {experiment, shown(measurement)}. shown() returns a measurement of the run's own request as
 * it is, and null for one of the base. Where an edited step was measured beside the others, compared with its original,
 * both are shown: the edited one, whose member `of` is the measurement as the run has it, is a step of its own that the
 * experiment lists after the original. */
export function withOwnStep(experiment, run) {
  const axis = stepAxis(experiment);
  const step = run.kernel?.edits?.split('/')[1];
  const isBeside = axis && step && [run.parameters?.[axis] ?? step].flat().some((one) => one !== step) && isComparedWithOriginal(run);
  if (!isBeside) return { experiment, shown: ofOwnRequest };
  const name = `${experiment.sources?.find((source) => source.step === step)?.title ?? step}, edited`;
  return {
    experiment: listing(experiment, axis, step, name),
    shown(one) {
      if (one.axes?.[axis] !== step) return ofOwnRequest(one);
      return one.side === 'base' ? one : { ...one, axes: { ...one.axes, [axis]: name }, of: one };
    },
  };
}

/** Whether the base of a run is the same request with the original kernel. */
function isComparedWithOriginal({ experiment, devices, parameters, compare_with: base }) {
  const ids = (list) => (list ?? []).map(({ id }) => id).join();
  const isSame = ([name, value]) => JSON.stringify(value) === JSON.stringify(parameters[name]);
  return Boolean(
    base &&
      !base.kernel &&
      base.experiment === experiment &&
      ids(base.devices) === ids(devices) &&
      Object.entries(base.parameters ?? {}).every(isSame),
  );
}

/** The experiment with a further choice of a parameter, `name` after `step`. */
function listing(experiment, axis, step, name) {
  const { parameters } = experiment;
  const choices = orderOf(experiment, axis).flatMap((one) => (one === step ? [one, name] : [one]));
  return {
    ...experiment,
    parameters: { ...parameters, properties: { ...parameters?.properties, [axis]: { ...parameters?.properties?.[axis], anyOf: null, enum: choices } } },
  };
}
