// Files of NumPy (.npy): a magic number, a header that is a dictionary of Python as text, and elements.

const MAGIC = '\x93NUMPY';
const KINDS = { f: 'fp', V: 'bf', i: 'i', u: 'u', b: 'u' }; // ml_dtypes writes bf16 as V2

/** The elements in the bytes of a file, little-endian: those of a file of NumPy, which must be of `type` ("fp32"), or
 * all bytes of another. */
export function elementsOf(bytes, type) {
  const textOf = (from, to) => String.fromCharCode(...bytes.subarray(from, to));
  if (textOf(0, MAGIC.length) !== MAGIC) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = bytes[MAGIC.length] > 1 ? 12 : 10;
  const length = bytes.length < from ? NaN : from === 12 ? view.getUint32(8, true) : view.getUint16(8, true);
  if (!(from + length <= bytes.length)) throw new Error('is no whole NumPy file.');
  const header = textOf(from, from + length);
  const [, order, kind, size] = /'descr': '([<|>=])(\w)(\d+)'/.exec(header) ?? [];
  if (!kind) throw new Error(`has elements that are structures; those of the argument are ${type}.`);
  const found = `${KINDS[kind] ?? kind}${8 * size}`;
  if (order === '>' || found !== type) throw new Error(`has elements of ${order === '>' ? 'big-endian ' : ''}${found}; those of the argument are ${type}.`);
  if (!header.includes("'fortran_order': False")) throw new Error('has its elements in the order of Fortran; save numpy.ascontiguousarray(ARRAY).');
  return bytes.subarray(from + length);
}
