// Which line of a source the instructions of PTX and SASS belong to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkClasses, ptxParts, sassParts } from '../../../static/modules/text/codelinks.js';

const ptx = `.version 9.0
.visible .entry k(
)
{
	.reg .b32 	%r<3>;
	.loc	2 4 0

	ld.param.u64 	%rd1, [k_param_0];
	.loc	1 14 5, function_name $L__info_string0, inlined_at 2 5 5
	mov.u32 	%r1, %tid.x;
	.loc	2 5 9
	add.s32 	%r1, %r1, 1;
	.loc	1 9 1
	add.s32 	%r2, %r1, 1;
	.loc	2 0 1
	ret;
}
.func f(
	.file	1 "other/kernel.cu"
	.file	2 "kernel.cu"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90

	}
`;

test('instructions belong to the line of the source, those of inlined functions to the call', () => {
  const parts = ptxParts(ptx, 'kernel.cu');
  assert.deepEqual(parts.map(({ line, text }) => [line, text.trim().split('\n').at(-1).trim()]), [
    [0, '.reg .b32 	%r<3>;'],
    [4, 'ld.param.u64 	%rd1, [k_param_0];'],
    [5, 'add.s32 	%r1, %r1, 1;'],
    [0, '.func f('],
  ]);
});

test('the texts are the PTX without its line information', () => {
  const text = ptxParts(ptx, 'kernel.cu').map((part) => part.text).join('');
  assert.equal(text, ptx.replace(/\t\.loc.*\n/g, '').replace(/\t\.file[^]*/, ''));
  assert.equal(ptxParts('a\n}\nb\n', 'kernel.cu').map((part) => part.text).join(''), 'a\n}\nb\n');
});

const sass = `	.target	sm_90

//--------------------- .text.k --------------------------
	.section	.text.k,"ax",@progbits
.text.k:
	//## File "kernel.cu", line 4
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/usr/include/math.h", line 90 inlined at "kernel.cu", line 5
	//## File "kernel.cu", line 5
        /*0010*/                   FADD R2, R0, 1 ;
.L_x_0:
	//## File "kernel.cu", line 1 inlined at "kernel.cu", line 5
	//## File "kernel.cu", line 5
        /*0020*/                   FMUL R2, R2, 2 ;
	//## File "other/kernel.cu", line 4
        /*0030*/                   EXIT ;
.L_x_1:

//--------------------- .text.m --------------------------
.text.m:
        /*0000*/                   EXIT ;
`;

test('machine code belongs to the line of the source, that of inlined functions of other files to the call', () => {
  const parts = sassParts(sass, 'kernel.cu');
  assert.deepEqual(parts.map(({ line, text }) => [line, text.trim().split('\n').at(-1).trim()]), [
    [0, '.text.k:'],
    [4, '/*0000*/                   LDC R1, c[0x0][0x28] ;'],
    [5, '.L_x_0:'],
    [1, '/*0020*/                   FMUL R2, R2, 2 ;'],
    [0, '/*0000*/                   EXIT ;'],
  ]);
  assert.equal(parts.map((part) => part.text).join(''), sass.replace(/\t\/\/## .*\n/g, ''));
});

test('lines that follow one another have different colours', () => {
  const classes = linkClasses([9, 0, 3, 9, 4].map((line) => ({ line })));
  assert.deepEqual([...classes], [[3, 'linked-0'], [4, 'linked-1'], [9, 'linked-2']]);
});
