import { conflictMarkers } from "../../scaffold/merge-texts.ts";
import { OwnedFiles } from "../../scaffold/ownership.ts";
import type { Tree } from "../../scaffold/tree.ts";
import type { Finding } from "./finding.ts";

/** Finds conflicts that an upgrade, or a merge by git, left in files that tsbuilder scaffolds. */
export function checkConflicts(tree: Tree): Finding[] {
  const texts = tree.list("").filter((path) => /\.(?:[cm]?ts|json|ya?ml|md)$/u.test(path));
  // Hidden folders are not listed, but some of their files are scaffolded.
  const paths = new Set([...texts, ...OwnedFiles.read(tree).paths()]);
  return [...paths].sort().flatMap((path) => {
    const lines = (tree.read(path) ?? "").split(/\r?\n/u);
    return lines.flatMap((line, i) => (isStart(line, lines.slice(i)) ? [finding(`${path}:${i + 1}`)] : []));
  });
}

const isStart = (line: string, rest: readonly string[]): boolean =>
  line.startsWith(`${conflictMarkers.start} `) &&
  rest.some((other) => other.startsWith(`${conflictMarkers.end} `));

const finding = (subject: string): Finding => ({
  state: "wrong",
  subject,
  message: "a conflict is not resolved",
  remedy: `choose the lines of one side or of both, and delete those with ${conflictMarkers.start}, ${conflictMarkers.middle} and ${conflictMarkers.end}`,
});
