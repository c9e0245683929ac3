/** The cases whose verdict differs, by their ids, with the reason. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([]);
