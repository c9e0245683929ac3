/**
 * Tests below a folder in rings by how near they are to a file: the one that is expected to notice a change of it, if it
 * is still there, those that import the file, those that import a file that does, and all others. Paths are relative to
 * the repository.
 */
export function ringsOfTests(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  folder: string,
  expected?: string,
): readonly (readonly string[])[] {
  const tests = [...imports.keys()].filter((one) => one.startsWith(folder) && one.endsWith(".test.ts"));
  const importersOf = (files: ReadonlySet<string>): Set<string> =>
    new Set([...imports].filter(([, targets]) => targets.some((one) => files.has(one))).map(([one]) => one));
  const first = importersOf(new Set([file]));
  const second = importersOf(first);
  const ringOf = (test: string): number =>
    test === expected ? 0 : first.has(test) ? 1 : second.has(test) ? 2 : 3;
  return [0, 1, 2, 3]
    .map((ring) => tests.filter((test) => ringOf(test) === ring))
    .filter((ring) => ring.length > 0);
}
