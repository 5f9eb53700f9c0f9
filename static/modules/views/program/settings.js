// The form below the editor: name, arguments, input and format of the program, how it is compiled, how often it is
// executed and where.

import { h } from '../../dom.js';
import { control } from '../../forms/fields.js';
import { placePick } from '../../forms/place.js';
import { splitArguments } from '../../text/commandline.js';
import { changed as changedOf, errorsByField, fieldsOf, optionalFieldsOf } from '../../text/schema.js';

const USUAL_DEVICES = 1; // chosen at first: most programs use one

/** Returns {element, read(), write(draft), setCommand(isCommand), choose(devices), mark(errors)}. read() returns
 * {draft, place, wrong}: the members of a draft (text/ownprogram.js) but its files, the members of a request that say
 * where, and whether a field has an error, which it shows. `schema` is that of a program (lab.js). mark() shows errors
 * of a problem document, and returns the texts of those that belong to no field. */
export function programSettings({ schema, experiment, devices, changed }) {
  const fields = fieldsOfGroups(schema, experiment);
  const place = placePick(devices, { ...experiment.devices, usual: USUAL_DEVICES }, changed);
  place.restrict('compare'); // a run on one machine (forms/request.js)
  const groups = Object.entries(fields).map(([group, list]) => [
    group,
    new Map(list.map((field) => [field.name, control(field, changed, { resettable: group === 'parameters' })])),
  ]);
  const controls = Object.fromEntries(groups);
  const all = () => new Map([...groups.flatMap(([, group]) => [...group]), ...place.controls()]);
  const elementsOf = (group) => h('div', { class: 'fields' }, [...controls[group].values()].map((one) => one.element));
  const options = h('details', { class: 'folded' }, h('summary', {}, 'How it is compiled'), elementsOf('options'));
  const element = h(
    'section',
    { class: 'panel run-form stack spaced', 'aria-label': 'Settings' },
    h('h2', {}, 'Settings'),
    elementsOf('texts'),
    options,
    elementsOf('parameters'),
    place.element,
  );

  /** The values of some controls; shows their errors, and adds one to `wrong` for each. */
  function valuesOf(some, wrong) {
    const values = {};
    for (const [name, one] of some) {
      const { value, error } = name === 'arguments' ? lineOf(one) : one.read();
      if (value !== undefined) values[name] = value;
      if (!error) continue;
      wrong.push(error);
      one.mark([error]);
    }
    return values;
  }

  return {
    element,
    read() {
      const wrong = [];
      const [texts, chosen, parameters] = ['texts', 'options', 'parameters'].map((group) => valuesOf(controls[group], wrong));
      const draft = { ...texts, options: changedOf(fields.options, chosen), parameters: changedOf(fields.parameters, parameters) };
      return { draft, place: valuesOf(place.controls(), wrong), wrong: wrong.length > 0 };
    },
    write({ options: chosen, parameters, ...texts }) {
      const values = { texts, options: chosen, parameters };
      for (const [group, own] of groups)
        for (const [name, one] of own) one.write(values[group][name] ?? one.field.defaultValue);
      options.open = Object.keys(chosen).length > 0;
    },
    /** Leaves out what is said of files alone, where a command is run. */
    setCommand(isCommand) {
      options.hidden = controls.texts.get('format').element.hidden = isCommand;
    },
    choose: (ids) => place.write({ devices: ids }),
    mark(errors) {
      const own = all();
      const found = errorsByField(errors, [...own.keys()]);
      for (const [name, one] of own) one.mark(found.fields.get(name) ?? []);
      if ([...controls.options.keys()].some((name) => found.fields.has(name))) options.open = true;
      return found.other;
    },
  };
}

/** The fields of each group. The arguments are one line; parameters for measuring in general say nothing about a
 * program. */
function fieldsOfGroups({ properties: { name, arguments: list, stdin, format, options } }, { parameters }) {
  const description = `${list.description} Blanks separate them; quotes keep blanks, as in a shell.`;
  return {
    texts: optionalFieldsOf({ properties: { name, arguments: { ...list, items: undefined, type: 'string', description }, stdin, format } }),
    options: optionalFieldsOf(options),
    parameters: fieldsOf(parameters).filter(({ advanced }) => !advanced),
  };
}

/** The line of arguments, and what is wrong with it. */
function lineOf(one) {
  const { value } = one.read();
  return { value, error: splitArguments(value).error };
}
