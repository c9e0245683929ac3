/** The number of code points in a string. */
export function textLength(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** The code points of a string. */
export function characters(text: string): string[] {
  return Array.from(text);
}
