import { stripVTControlCharacters } from "node:util";

/**
 * Explains the difference between the output that a page shows and that of a command; undefined if there is none. A line `…`
 * stands for any lines, and times may differ.
 */
export function explainOutput(shown: string, printed: string): string | undefined {
  const wanted = linesOf(shown);
  const actual = linesOf(printed);
  let at = 0;
  let mayPass = false;
  for (const line of wanted) {
    if (line === "…") {
      mayPass = true;
      continue;
    }
    const found = mayPass ? actual.indexOf(line, at) : at;
    if (found === -1 || actual[found] !== line)
      return `the page shows "${line}", but the command printed:\n${printed}`;
    at = found + 1;
    mayPass = false;
  }
  return mayPass || at === actual.length
    ? undefined
    : `the page lacks "${actual[at]}", and ends before:\n${printed}`;
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, "TIME")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
