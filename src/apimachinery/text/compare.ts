/** Orders texts by code unit: the order must not depend on the machine's language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders texts by character, as Go does. Code units would put the emoji before the last letters of the basic plane. */
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
