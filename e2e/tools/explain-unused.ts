/** A finding of knip, as its JSON reporter writes it. */
interface Finding {
  readonly name: string;
  readonly line?: number;
}

/** One file's findings, by their type. */
export interface UnusedIssue {
  readonly file: string;
  readonly [kind: string]: string | readonly (Finding | readonly Finding[])[];
}

type Explain = (place: string, name: string) => string;

const deletion: Explain = (place, name) =>
  `${place} exports ${name}, which nothing uses: delete it, or import it where it belongs`;
const uninstall: Explain = (place, name) =>
  `${place} lists ${name}, which nothing imports: npm uninstall ${name}; if a tool loads it by name, add it to ` +
  `knip.ignoreDependencies in package.json`;

const explanations: Readonly<Record<string, Explain>> = {
  files: (place) =>
    `nothing imports ${place}: delete it; if a command runs it, name it in "entry" of knip in package.json`,
  exports: deletion,
  types: deletion,
  dependencies: uninstall,
  devDependencies: uninstall,
  unlisted: (place, name) =>
    `${place} imports ${name}, which its package.json doesn't list: npm install ${name}, with --save-dev unless it is shipped`,
  unresolved: (place, name) => `${place} imports ${name}, which does not exist: fix the path`,
  binaries: (place, name) =>
    `${place} starts ${name}, which no dependency installs: if it is installed globally, add it to knip.ignoreBinaries in package.json`,
  duplicates: (place, name) => `${place} exports the same thing as ${name}: keep one of the names`,
};

/** A sentence for each finding: the problem and its fix. */
export function explainUnused(issues: readonly UnusedIssue[]): string[] {
  return issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, findings]) =>
      typeof findings === "string" ? [] : findings.map((finding) => explain(file, kind, [finding].flat())),
    ),
  );
}

function explain(file: string, kind: string, findings: readonly Finding[]): string {
  const line = findings[0]?.line;
  const place = line === undefined || kind === "files" ? file : `${file}:${line}`;
  const name = findings.map((finding) => finding.name).join(" and ");
  return explanations[kind]?.(place, name) ?? `${place}: ${name} is unused (${kind} in knip): delete it`;
}
