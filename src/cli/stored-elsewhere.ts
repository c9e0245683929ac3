import { apiFolder, kindFile } from "../project/paths.ts";
import { isSameKind, type Project, type Resource } from "../project/project.ts";
import type { SourceTree } from "../generators/model/files.ts";

/** A note if objects are stored in another version than the hub of a conversion, which is then unusual. */
export function storedElsewhere(project: Project, hub: Resource, tree: SourceTree): string[] {
  const file = (version: Resource): string => `${apiFolder(project, version)}/${kindFile(version)}_types.ts`;
  const stored = project.resources.find(
    (version) => isSameKind(version, hub) && marker.test(tree.read(file(version)) ?? ""),
  );
  if (!stored || stored.version === hub.version) return [];
  return [
    `${hub.kind} is stored as ${stored.version}. To store the hub, move +kubebuilder:storageversion from ${file(stored)} to ${file(hub)}`,
  ];
}

const marker = /^\s*(?:\/\/|\*)\s*\+kubebuilder:storageversion\s*$/mu;
