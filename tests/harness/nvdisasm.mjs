// A stand-in for nvdisasm, because not every CUDA toolkit has it: a script in a folder of its own, with the shell that
// reads it, because nvdisasm can open no files but those beside it and the system's libraries.
import { copyFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commands of one, called as `nvdisasm -c -gi CUBIN`, that writes a line for a file that begins as a cubin
 * does. */
export const disassembles = 'read -r line < "$3"; case $line in *ELF*) echo "/*0000*/ EXIT ; $1 $2";; *) exit 3;; esac';

/** Puts a stand-in that runs these commands of sh into `folder`; returns the environment in which it is found. */
export function nvdisasmIn(folder, commands) {
  copyFileSync(realpathSync('/bin/sh'), join(folder, 'sh'));
  writeFileSync(join(folder, 'nvdisasm'), `#!${join(folder, 'sh')}\n${commands}\n`, { mode: 0o700 });
  return { PATH: `${folder}:${process.env.PATH}` };
}
