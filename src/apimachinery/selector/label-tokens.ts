/** A word or a symbol of a label selector's text; an empty one is its end. */
export interface Token {
  readonly kind: "identifier" | "symbol" | "end";
  readonly text: string;
}

const SYMBOLS = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);
const SPECIAL = /[=!(),><]/u;
const SPACE = /[ \t\r\n]/u;

/** Splits a label selector's text. A run of symbols is read as the longest known ones, from the left. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const first = text[at]!;
    if (SPACE.test(first)) {
      at++;
      continue;
    }
    const token = SPECIAL.test(first) ? readSymbol(text, at) : readIdentifier(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: "end", text: "" }];
}

function readSymbol(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  return { kind: "symbol", text: SYMBOLS.has(two) ? two : text[at]! };
}

function readIdentifier(text: string, at: number): Token {
  let end = at;
  while (end < text.length && !SPACE.test(text[end]!) && !SPECIAL.test(text[end]!)) end++;
  return { kind: "identifier", text: text.slice(at, end) };
}
