/** Whether a text has all words of the filter. */
export function matches(filter: string, text: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => lower.includes(word));
}
