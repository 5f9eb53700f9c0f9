// C and CUDA as coloured text: splits a source into comments, strings, numbers, preprocessor lines, keywords and the
// rest. It follows the language's spelling, not its grammar, and gives every character back.

const KEYWORDS = new Set(
  `alignas alignof asm auto bool break case catch char class const constexpr const_cast continue decltype default delete
  do double dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable namespace new
  noexcept nullptr NULL operator private protected public register reinterpret_cast restrict return short signed sizeof
  static static_assert static_cast struct switch template this throw true try typedef typename union unsigned using
  virtual void volatile while _Atomic _Bool _Generic _Noreturn _Static_assert _Thread_local __restrict__ __asm__
  int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t half __half
  __nv_bfloat16 float2 float4 double2 int2 int4 uint2 uint4 dim3
  __global__ __device__ __host__ __shared__ __constant__ __managed__ __forceinline__ __noinline__ __launch_bounds__
  __align__ __grid_constant__ __cluster_dims__ __attribute__`
    .trim()
    .split(/\s+/),
);

/** In this order; each begins where the one before ended. */
const FORMS = [
  ['comment', /\/\/(?:\\\r?\n|[^\n])*|\/\*[^]*?(?:\*\/|$)/y],
  ['string', /(?:u8|[uUL])?R"([^()\\\s]{0,16})\([^]*?(?:\)\1"|$)/y],
  ['string', /(?:u8|[uUL])?"(?:\\[^]|[^"\\\n])*"?/y],
  ['string', /(?:u8|[uUL])?'(?:\\[^]|[^'\\\n])*'?/y],
  ['number', /\.?[0-9](?:[eEpP][+-]|'(?=[0-9A-Za-z])|[0-9A-Za-z_.])*/y],
  ['word', /[A-Za-z_$][0-9A-Za-z_$]*/y],
  ['space', /[ \t\r\n\f\v]+/y],
  ['other', /[^]/y],
];
const DIRECTIVE = /#[ \t]*[a-z_]*/y;
const HEADER = /<[^>\n]*>/y;

const at = (form, text, place) => {
  form.lastIndex = place;
  return form.exec(text)?.[0] ?? null;
};

/** What begins at `place`: [kind, its text]. `fresh`: nothing but space stands before it on its line; `including`: it
 * follows #include. */
function next(text, place, fresh, including) {
  const directive = fresh && at(DIRECTIVE, text, place);
  if (directive) return ['directive', directive];
  const header = including && at(HEADER, text, place);
  if (header) return ['string', header];
  for (const [kind, form] of FORMS) {
    const found = at(form, text, place);
    if (!found) continue;
    if (kind === 'word') return [KEYWORDS.has(found) ? 'keyword' : '', found];
    return [kind === 'space' || kind === 'other' ? '' : kind, found];
  }
  return ['', text.slice(place)];
}

/** [{kind, text}] in order, kind one of comment, string, number, directive, keyword and "" for all else. */
export function tokens(text) {
  const list = [];
  let [fresh, including] = [true, false];
  for (let place = 0; place < text.length;) {
    const [kind, found] = next(text, place, fresh, including);
    place += found.length;
    if (list.at(-1)?.kind === kind) list.at(-1).text += found;
    else list.push({ kind, text: found });
    if (kind === 'directive') including = /include$/.test(found);
    else if (found.trim()) including = false;
    if (kind !== 'comment') fresh = /\n[ \t]*$/.test(found) || (fresh && !found.trim());
  }
  return list;
}
