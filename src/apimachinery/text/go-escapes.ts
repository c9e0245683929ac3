/** What a letter behind a backslash stands for in Go, and in the languages that took it from there, as CEL. */
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

/** How a character stands between double quotes if it needs a backslash and one more character. */
export function shortEscape(char: string): string | undefined {
  if (char === '"' || char === "\\") return `\\${char}`;
  const letter = letters[char];
  return letter === undefined ? undefined : `\\${letter}`;
}
