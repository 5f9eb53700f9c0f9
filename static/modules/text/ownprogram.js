// A whole program as the page for it keeps it, as a draft, and as a request has it.

import { joinArguments, splitArguments } from './commandline.js';

/** The draft with these files ({name: text}) and no settings. A draft is {files: [{name, text}], command, name,
 * arguments, stdin, format, options, parameters}: `command` is that of a machine, which is run instead of the files, ''
 * for none; the arguments are a line, options and parameters those that are not as by default. */
export const draftOfFiles = (files) => ({
  files: Object.entries(files).map(([name, text]) => ({ name, text: text ?? '' })),
  command: '',
  name: '',
  arguments: '',
  stdin: '',
  format: '',
  options: {},
  parameters: {},
});

/** The draft for the program of a run; `parameters` are those of the run. */
export const draftOfProgram = (program, parameters = {}) => ({
  ...draftOfFiles(program.files ?? {}),
  command: program.command ?? '',
  name: program.name ?? '',
  arguments: joinArguments(program.arguments ?? []),
  stdin: program.stdin ?? '',
  format: program.format ?? '',
  options: program.options ?? {},
  parameters,
});

/** The member `program` of a request. A line of arguments with an error has none: the form says so before. */
export function programOf({ files, command, name, arguments: line, stdin, format, options }) {
  const list = splitArguments(line).value ?? [];
  const own = {
    files: Object.fromEntries(files.map((file) => [file.name, file.text])),
    ...(format && { format }),
    ...(Object.keys(options).length && { options }),
  };
  return {
    ...(command ? { command } : own),
    ...(name && { name }),
    ...(list.length && { arguments: list }),
    ...(stdin && { stdin }),
  };
}

/** Whether a value from the browser's storage is a draft; those of earlier versions have no `command`. */
export function isProgramDraft(value) {
  const isFile = (one) => typeof one?.name === 'string' && typeof one.text === 'string';
  return (
    ['name', 'arguments', 'stdin', 'format'].every((name) => typeof value?.[name] === 'string') &&
    typeof (value.command ?? '') === 'string' &&
    ['options', 'parameters'].every((name) => value[name] === Object(value[name])) &&
    Array.isArray(value.files) &&
    value.files.length > 0 &&
    value.files.every(isFile)
  );
}

/** Whether two drafts have the same files with the same texts, in whatever order. */
export const sameFiles = (a, b) => textOfFiles(a.files) === textOfFiles(b.files);

/** What is wrong with the name of a file among `files`, as far as the lab cannot say it; '' if nothing is: a request
 * has each name once. */
export function nameError({ name }, files) {
  if (!name) return 'A file needs a name.';
  return files.filter((other) => other.name === name).length > 1 ? `Two files are called ${name}.` : '';
}

/** A name that no file has, like `name`: "main-2.cu" for "main.cu". */
export function freeName(name, files) {
  const [, stem, end] = /^(.*?)((?:\.[^./]*)?)$/s.exec(name);
  const taken = new Set(files.map((file) => file.name));
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${stem}-${n}${end}`;
    if (!taken.has(tried)) return tried;
  }
}

/** All files as one text, for their differences: each below a line with its name, in order of the names. */
export const textOfFiles = (files) =>
  [...files]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => `── ${name}\n${text.replace(/\n$/, '')}`)
    .join('\n');

/** The file that the pointer of an error leads to: its name; undefined if it leads to no file. */
export function fileOfPointer(pointer = '') {
  const name = /^\/program\/files\/([^/]+)/.exec(pointer)?.[1];
  return name?.replaceAll('~1', '/').replaceAll('~0', '~');
}
