import type { PackageManager } from "../../project/package-manager.ts";
import { readManifest, sections } from "./read-manifest.ts";

/**
 * Notes on the packages that an upgrade removes from a `package.json`: a script, a hook or a workflow of the user's may
 * run one.
 */
export function explainRemoved(before: string, after: string, manager: PackageManager): string[] {
  const [from, to] = [readManifest(before), readManifest(after)];
  if (from === undefined || to === undefined) return [];
  const remaining = new Set(sections.flatMap((section) => Object.keys(to[section] ?? {})));
  return sections.flatMap((section) =>
    Object.entries(from[section] ?? {})
      .filter(([name]) => !remaining.has(name))
      .map(
        ([name, version]) =>
          `package.json: removed "${name}", which new projects no longer use; if you do, ${section === "dependencies" ? manager.add : manager.addForDevelopment} ${name}@${version}`,
      ),
  );
}
