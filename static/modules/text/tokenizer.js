// Splits C and CUDA source into tokens for syntax highlighting: comments, strings, numbers, preprocessor directives,
// keywords and the rest. It applies lexical rules only, no grammar, and the tokens together are the complete
// text.

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

/** [kind, pattern] of the tokens; the first pattern that matches at the current position applies. */
const TOKEN_PATTERNS = [
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
const INCLUDE_PATH = /<[^>\n]*>/y;

const matchAt = (pattern, text, position) => {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? null;
};

/** The token at `position` as [kind, text]. `lineStart`: only whitespace precedes it on its line; `afterInclude`: it
 * follows #include. */
function nextToken(text, position, lineStart, afterInclude) {
  const directive = lineStart && matchAt(DIRECTIVE, text, position);
  if (directive) return ['directive', directive];
  const header = afterInclude && matchAt(INCLUDE_PATH, text, position);
  if (header) return ['string', header];
  for (const [kind, pattern] of TOKEN_PATTERNS) {
    const found = matchAt(pattern, text, position);
    if (!found) continue;
    if (kind === 'word') return [KEYWORDS.has(found) ? 'keyword' : '', found];
    return [kind === 'space' || kind === 'other' ? '' : kind, found];
  }
  return ['', text.slice(position)];
}

/** The tokens of `text` in order: [{kind, text}], kind one of comment, string, number, directive, keyword, or "" for
 * everything else. */
export function tokenize(text) {
  const list = [];
  let [lineStart, afterInclude] = [true, false];
  for (let position = 0; position < text.length;) {
    const [kind, found] = nextToken(text, position, lineStart, afterInclude);
    position += found.length;
    if (list.at(-1)?.kind === kind) list.at(-1).text += found;
    else list.push({ kind, text: found });
    if (kind === 'directive') afterInclude = /include$/.test(found);
    else if (found.trim()) afterInclude = false;
    if (kind !== 'comment') lineStart = /\n[ \t]*$/.test(found) || (lineStart && !found.trim());
  }
  return list;
}

/** The tokens of each line of `text`, without line breaks: [[{kind, text}]]. */
export function tokenLines(text) {
  const lines = [[]];
  for (const { kind, text: found } of tokenize(text))
    found.split('\n').forEach((part, at) => {
      if (at) lines.push([]);
      if (part) lines.at(-1).push({ kind, text: part });
    });
  return lines;
}
