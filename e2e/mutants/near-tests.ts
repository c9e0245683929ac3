/**
 * Tests below a folder by how near they are to a file: first those that import it or a file that does, then all others.
 * Paths are relative to the repository.
 */
export function nearTests(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  folder: string,
): { readonly near: readonly string[]; readonly others: readonly string[] } {
  const tests = [...imports.keys()].filter((one) => one.startsWith(folder) && one.endsWith(".test.ts"));
  const importersOf = (files: ReadonlySet<string>): Set<string> =>
    new Set([...imports].filter(([, targets]) => targets.some((one) => files.has(one))).map(([one]) => one));
  const first = importersOf(new Set([file]));
  const reached = new Set([...first, ...importersOf(first)]);
  return {
    near: tests.filter((test) => reached.has(test)),
    others: tests.filter((test) => !reached.has(test)),
  };
}
