/** A token of a label selector; empty text marks the end. */
export interface Token {
  readonly kind: "identifier" | "symbol" | "end";
  readonly text: string;
}

const symbols = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);
const special = /[=!(),><]/u;
const space = /[ \t\r\n]/u;

/** Splits a label selector into tokens. A run of symbols is split into the longest known ones, from the left. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const first = text[at]!;
    if (space.test(first)) {
      at++;
      continue;
    }
    const token = special.test(first) ? readSymbol(text, at) : readIdentifier(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: "end", text: "" }];
}

function readSymbol(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  return { kind: "symbol", text: symbols.has(two) ? two : text[at]! };
}

function readIdentifier(text: string, at: number): Token {
  let end = at;
  while (end < text.length && !space.test(text[end]!) && !special.test(text[end]!)) end++;
  return { kind: "identifier", text: text.slice(at, end) };
}
