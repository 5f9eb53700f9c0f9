// Compiled code that is compared: without addresses, numbers of labels and lines of the source.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPtx, plainSass } from '../../../static/modules/text/comparedcode.js';

const sass = (first, label) => `	.headerflags	@"EF_CUDA_SM90"
//--------------------- .text.k --------------------------
	.section	.text.k,"ax",@progbits
        .size           k,(.L_x_${label + 1} - k)
k:
.text.k:
	//## File "kernel.cu", line ${first}
        /*${first}0*/                   LDC R1, c[0x0][0x28] ;
.L_x_${label}:
        /*${first}8*/               @P0 BRA \`(.L_x_${label}) ;
`;

test('equal machine code at other addresses is equal; registers stay', () => {
  assert.equal(plainSass(sass(12, 0)), 'k:\n    LDC R1, c[0x0][0x28] ;\n.L:\n    @P0 BRA `(.L) ;');
  assert.equal(plainSass(sass(12, 0)), plainSass(sass(34, 7)));
  assert.notEqual(plainSass(sass(12, 0)), plainSass(sass(12, 0).replace('R1', 'R2')));
});

test('PTX is compared without the lines of the source', () => {
  assert.equal(plainPtx('a;\n\t.loc\t1 2 3\nb;\n'), 'a;\nb;\n');
});
