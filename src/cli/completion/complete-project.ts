import { diskTree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Project, Resource } from "../../project/project.ts";
import { findProjectRoot, parseProject, projectFile } from "../../project/store.ts";
import { readFlagWord } from "../arguments/command-line.ts";

/** Flags whose values come from the project's kinds: the values that a kind has for each. */
const valuesByFlag: Readonly<Record<string, (resource: Resource) => readonly string[]>> = {
  group: ({ group }) => [group === "" ? "core" : group],
  version: ({ version }) => [version],
  kind: ({ kind }) => [kind],
  spoke: ({ version }) => [version],
  "controller-name": ({ controllers }) => controllers.map(({ name }) => name),
};

/** Returns whether the values of a flag come from the project. */
export function isOfProject(flag: string): boolean {
  return Object.hasOwn(valuesByFlag, flag);
}

/**
 * Returns the values of such a flag in the project that contains a folder, as far as they fit the flags before it.
 * Outside of a project there are none.
 */
export function projectValues(flag: string, before: readonly string[], cwd: string): string[] {
  const words = before.map((word) => readFlagWord(word));
  const typed = (name: string): string | undefined => {
    const at = words.findIndex((word) => word?.flag === `--${name}`);
    return at === -1 ? undefined : (words[at]?.value ?? before[at + 1]);
  };
  const fits = (resource: Resource): boolean =>
    (["group", "kind"] as const).every((name) => {
      const value = name === flag ? undefined : typed(name);
      return value === undefined || valuesByFlag[name]!(resource).includes(value);
    }) && !(flag === "spoke" && typed("version") === resource.version);
  const found = readResources(cwd).filter(fits).flatMap(valuesByFlag[flag]!);
  return [...new Set(found)];
}

/** Reads the project's kinds. Completion never fails: a project that can't be read has none. */
function readResources(cwd: string): Project["resources"] {
  const root = findProjectRoot(cwd);
  if (root === undefined) return [];
  try {
    return parseProject(diskTree(root).read(projectFile)!).project.resources;
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    return [];
  }
}
