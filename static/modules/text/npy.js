// Files of NumPy (.npy): a magic number, a header that is a dictionary of Python as text, and elements.

const MAGIC = '\x93NUMPY';
const KINDS = { f: 'fp', V: 'bf', i: 'i', u: 'u', b: 'u' }; // ml_dtypes writes bf16 as V2

/** The elements in the bytes of a file, little-endian: those of a file of NumPy, which must be of `type` ("fp32"), or all bytes of another. */
export function elementsOf(bytes, type) {
  const textOf = (from, to) => String.fromCharCode(...bytes.subarray(from, to));
  if (textOf(0, MAGIC.length) !== MAGIC) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [from, length] = bytes[MAGIC.length] > 1 ? [12, view.getUint32(8, true)] : [10, view.getUint16(8, true)];
  const header = textOf(from, from + length);
  const [, order, kind, size] = /'descr': '([<|>=])(\w)(\d+)'/.exec(header) ?? [];
  const found = `${KINDS[kind] ?? kind}${8 * size}`;
  if (order === '>' || found !== type) throw new Error(`has elements of ${order === '>' ? 'big-endian ' : ''}${found}; those of the argument are ${type}.`);
  if (!header.includes("'fortran_order': False")) throw new Error('has its elements in the order of Fortran; save numpy.ascontiguousarray(ARRAY).');
  return bytes.subarray(from + length);
}
