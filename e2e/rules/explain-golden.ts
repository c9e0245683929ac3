/** The files of a project by their relative paths. */
export type ProjectFiles = Readonly<Record<string, string>>;

const rewrite = "npm run golden writes them anew: read what git diff e2e/golden shows then, and commit it";

/** The differences between a golden project and the output of its script; empty if there are none. */
export function explainGolden(name: string, made: ProjectFiles, committed: ProjectFiles): string {
  const paths = [...new Set([...Object.keys(made), ...Object.keys(committed)])].sort();
  const sentences = paths.flatMap((path) => {
    const [now, before] = [made[path], committed[path]];
    const file = `e2e/golden/${name}/${path}`;
    if (now === before) return [];
    if (before === undefined) return [`${file} is new`];
    if (now === undefined) return [`${file} is not made any more`];
    return [`${file}${describeFirstDifference(before, now)}`];
  });
  return sentences.length === 0 ? "" : [...sentences, rewrite].join("\n");
}

function describeFirstDifference(before: string, now: string): string {
  const [old, made] = [before.split("\n"), now.split("\n")];
  const line = made.findIndex((text, i) => text !== old[i]);
  const i = line === -1 ? made.length : line;
  return `:${i + 1}\n  was    ${old[i] ?? "(end of the file)"}\n  is now ${made[i] ?? "(end of the file)"}`;
}
