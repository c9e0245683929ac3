/**
 * The object or list in brackets that a YAML text begins with, without what follows; another text as it is.
 */
export function firstFlow(text: string): string {
  if (!/^\s*[[{]/u.test(text)) return text;
  let depth = 0;
  let before = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isQuote(char) && startsValue(before)) at = endOfQuoted(text, at);
    else if (char === "#" && /\s/u.test(text[at - 1] ?? "")) at = endOfLine(text, at);
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return withoutRest(text, at + 1);
    if (!/\s/u.test(char)) before = char;
  }
  return text;
}

/** A colon makes the object the key of another one. */
function withoutRest(text: string, end: number): string {
  return /^[ \t]*:/u.test(text.slice(end)) ? text : text.slice(0, end);
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'";
}

/** Within a word, a quote is a character like others. */
function startsValue(before: string): boolean {
  return before !== "" && "{[,:".includes(before);
}

function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  return at;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}
