/** Mutants that no test can notice, by their ids, and why. */
export const survivors: Readonly<Record<string, string>> = {};
