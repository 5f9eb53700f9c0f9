// The formulas of explanations: a small part of TeX's notation (kernels/experiments/README.md, "Explanations"), made
// into a tree.

const DEPTH_MAX = 16;

const OPERATORS = {
  cdot: '·', times: '×', pm: '±', le: '≤', leq: '≤', ge: '≥', geq: '≥', ne: '≠', neq: '≠', approx: '≈', to: '→', sum: '∑', ldots: '…',
  lceil: '⌈', rceil: '⌉', lfloor: '⌊', rfloor: '⌋',
};
const NAMES = {
  alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', eta: 'η', theta: 'θ', kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ',
  pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', phi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ',
  Pi: 'Π', Sigma: 'Σ', Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω', infty: '∞', log: 'log', ln: 'ln', exp: 'exp', sin: 'sin', cos: 'cos', min: 'min',
  max: 'max',
};

const TOKEN = /\\(?<command>[A-Za-z]+)|\\(?<literal>.)|(?<name>\p{L}+)|(?<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)|(?<space>\s+)|(?<character>.)/gsu;

/** The tree of a formula: {kind: 'row', items}, {kind: 'number', 'name', 'operator' or 'text', text}, {kind:
 * 'fraction', above, below}, {kind: 'root', content} and {kind: 'scripts', base, below, above}, where `below` or
 * `above` may be null. Letters that follow one another are one name. null: a command is not known, braces or arguments
 * are missing, or the formula is nested too deeply. */
export function formulaOf(text) {
  const reader = { tokens: [...text.matchAll(TOKEN)], at: 0, depth: 0 };
  try {
    const row = rowOf(reader);
    return reader.at === reader.tokens.length ? row : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const peek = ({ tokens, at }) => tokens[at]?.[0];

function rowOf(reader) {
  const items = [];
  while (reader.at < reader.tokens.length && peek(reader) !== '}') {
    const item = atomOf(reader);
    if (item) items.push(scriptsOf(reader, item));
  }
  return items.length === 1 ? items[0] : { kind: 'row', items };
}

/** An item with the subscript and the superscript that follow it. */
function scriptsOf(reader, base) {
  const scripts = { _: null, '^': null };
  skipSpace(reader);
  for (let mark = peek(reader); Object.hasOwn(scripts, mark); mark = peek(reader)) {
    if (scripts[mark]) throw new SyntaxError('two scripts in one place');
    reader.at += 1;
    scripts[mark] = argumentOf(reader);
    skipSpace(reader);
  }
  return scripts._ || scripts['^'] ? { kind: 'scripts', base, below: scripts._, above: scripts['^'] } : base;
}

function skipSpace(reader) {
  if (reader.tokens[reader.at]?.groups.space) reader.at += 1;
}

function argumentOf(reader) {
  skipSpace(reader);
  const found = atomOf(reader);
  if (!found) throw new SyntaxError('an argument is missing');
  return found;
}

/** The next item; null for space and what has no shape. */
function atomOf(reader) {
  const token = reader.tokens[reader.at];
  if (!token || token[0] === '}') throw new SyntaxError('an item is missing');
  reader.at += 1;
  const { command, literal, name, number, space, character } = token.groups;
  if (command) return commandOf(reader, command);
  if (space || /[,;:! ]/.test(literal)) return null; // \, and the like are distances
  if (name) return { kind: 'name', text: name };
  if (number) return { kind: 'number', text: number };
  if (character === '{') return groupOf(reader);
  if (/[_^\\]/.test(character)) throw new SyntaxError('a script of nothing, or a command without a name');
  return { kind: 'operator', text: literal ?? character.replace('-', '−').replace('*', '∗') };
}

function groupOf(reader) {
  reader.depth += 1;
  if (reader.depth > DEPTH_MAX) throw new SyntaxError('nested too deeply');
  const row = rowOf(reader);
  if (peek(reader) !== '}') throw new SyntaxError('a brace is missing');
  reader.at += 1;
  reader.depth -= 1;
  return row;
}

function commandOf(reader, command) {
  if (Object.hasOwn(OPERATORS, command)) return { kind: 'operator', text: OPERATORS[command] };
  if (Object.hasOwn(NAMES, command)) return { kind: 'name', text: NAMES[command] };
  if (command === 'left' || command === 'right') return null;
  if (command === 'text') return { kind: 'text', text: plainArgument(reader) };
  if (command !== 'frac' && command !== 'sqrt') throw new SyntaxError('not a command of these');
  reader.depth += 1;
  if (reader.depth > DEPTH_MAX) throw new SyntaxError('nested too deeply');
  const first = argumentOf(reader);
  const node = command === 'sqrt' ? { kind: 'root', content: first } : { kind: 'fraction', above: first, below: argumentOf(reader) };
  reader.depth -= 1;
  return node;
}

/** The text between braces, as it is. */
function plainArgument(reader) {
  if (peek(reader) !== '{') throw new SyntaxError('a brace is missing');
  const end = reader.tokens.findIndex((token, index) => index > reader.at && token[0] === '}');
  if (end < 0) throw new SyntaxError('a brace is missing');
  const text = reader.tokens.slice(reader.at + 1, end).map(([all]) => all).join('');
  reader.at = end + 1;
  return text;
}
