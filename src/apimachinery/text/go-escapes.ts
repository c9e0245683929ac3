/** The escape sequences of Go, and of languages that adopted them, such as CEL: letter to character. */
export const controlEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const letters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(controlEscapes).map(([letter, char]) => [char, letter]),
);

/** Returns the two-character escape sequence that a character needs within double quotes, if it has one. */
export function shortEscape(char: string): string | undefined {
  if (char === '"' || char === "\\") return `\\${char}`;
  const letter = letters[char];
  return letter === undefined ? undefined : `\\${letter}`;
}
