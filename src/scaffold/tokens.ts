/** A token of TypeScript source with its position; whitespace and comments are skipped. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits TypeScript into tokens, well enough to find imports and statements after reformatting: quotes are normalized,
 * and trailing commas are dropped. A full parser would take longer to load than the whole command runs.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(source); match; match = tokenPattern.exec(source)) {
    const { space, quoted, regex } = match.groups as Record<string, string | undefined>;
    if (space !== undefined) continue;
    let [text] = match;
    if (regex !== undefined && !canStartRegex(tokens.at(-1))) {
      // What looked like a regular expression was a division.
      text = "/";
      tokenPattern.lastIndex = match.index + 1;
    }
    const start = match.index;
    const token = { text: quoted === undefined ? text : unquote(quoted), start, end: tokenPattern.lastIndex };
    if (closing.has(text) && tokens.at(-1)?.text === ",") tokens.pop();
    tokens.push(token);
  }
  return tokens;
}

/** Finds a sequence of tokens in another one. Returns the index of its first token, or -1. */
export function findTokens(tokens: readonly Token[], wanted: readonly Token[], from = 0): number {
  if (wanted.length === 0) return -1;
  for (let at = from; at + wanted.length <= tokens.length; at++) {
    if (wanted.every(({ text }, i) => tokens[at + i]!.text === text)) return at;
  }
  return -1;
}

const tokenPattern = new RegExp(
  [
    String.raw`(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`,
    // A template literal is one token, including its expressions; nested ones are usually balanced.
    String.raw`\x60(?:[^\x60\\]|\\[\s\S])*\x60`,
    String.raw`(?<regex>\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)`,
    String.raw`[\p{ID_Start}$_#][\p{ID_Continue}$]*`,
    String.raw`\d[\w.]*`,
    String.raw`=>|[\s\S]`,
  ].join("|"),
  "guy",
);

const closing = new Set([")", "]", "}"]);

function unquote(quoted: string): string {
  return `"${quoted.slice(1, -1).replaceAll(String.raw`\'`, "'")}"`;
}

function canStartRegex(before: Token | undefined): boolean {
  if (!before) return true;
  if (/^(?:return|typeof|case|in|of|delete|void|throw|new|await|yield)$/u.test(before.text)) return true;
  return !/^[\p{ID_Continue}$)\]"`]/u.test(before.text);
}
