/** Tells of texts whether they have all words of a filter; it is made once for many. */
export function matcher(filter: string): (text: string) => boolean {
  const words = filter
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return () => true;
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}
