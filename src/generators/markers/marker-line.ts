/** A plus sign directly before a letter; `+ item` is a list item in prose. */
export function isMarkerLine(line: string): boolean {
  return /^\+[A-Za-z]/u.test(line);
}
