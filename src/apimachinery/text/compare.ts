/** Compares strings by UTF-16 code unit, whatever the machine's locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares strings by code point, as Go does. By code unit, emoji would come before U+E000 to U+FFFF. */
export function compareCharacters(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  if (index === length) return a.length - b.length;
  const [first, second] = [a.charCodeAt(index), b.charCodeAt(index)];
  const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
  if (isSurrogate(first) !== isSurrogate(second)) return isSurrogate(first) ? 1 : -1;
  return first - second;
}
