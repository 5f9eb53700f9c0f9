// What the page edits: the source of a step of an experiment, or a kernel from nothing.

import { Problem } from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { PRESETS } from '../../text/kernelpresets.js';
import { sameDraft } from '../../text/ownkernel.js';

/** Stands for the experiment of kernels from nothing where the lab does not describe it. */
const OWN_KERNEL = { name: 'kernel', title: 'Own kernel', parameters: {}, axes: [], metrics: [], views: [] };

/** A promise of {edits, experiment, step, title, original}: `edits` is "EXPERIMENT/STEP" or '', `step` an entry of the
 * experiment's sources or null, `original` the draft (text/ownkernel.js) to begin with. `preset` names a kernel from
 * nothing. */
export async function subjectOf(edits, preset) {
  if (edits) return editedSource(edits);
  const experiment = (await lab.experiment(OWN_KERNEL.name)) ?? OWN_KERNEL;
  const { draft } = PRESETS.find(({ name }) => name === preset) ?? PRESETS[0];
  return { edits: '', experiment, step: null, title: 'Own kernel', original: draft };
}

async function editedSource(edits) {
  const [name, stepName] = edits.split('/');
  const experiment = await lab.experiment(name);
  const step = experiment?.sources?.find((source) => source.step === stepName && source.editable);
  if (!step)
    throw new Problem(404, {
      title: 'Kernel not found',
      detail: `This lab has no kernel “${edits}” to edit. The lessons show those that can be edited.`,
    });
  const source = await lab.sourceText(name, step);
  return { edits, experiment, step, title: `Edit: ${step.title}`, original: { source, block: '', grid: '' } };
}

/** The preset with which a draft of a kernel from nothing began: itself or, of a changed one, that with the same name
 * of the kernel. */
export const presetOf = (draft) =>
  PRESETS.find((preset) => sameDraft(preset.draft, draft)) ?? PRESETS.find((preset) => preset.draft.entry === draft.entry) ?? PRESETS[0];
