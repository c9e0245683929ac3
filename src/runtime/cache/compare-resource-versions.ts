/**
 * Compares two resource versions of one kind: negative if `a` is older, 0 if they are the same, undefined if one of them
 * is not a number, as servers other than Kubernetes' own may make them. They are compared as text, being larger than
 * a double can hold.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}
