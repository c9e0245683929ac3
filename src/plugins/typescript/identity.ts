import { qualifiedGroup, type Resource } from "../../project/project.ts";

/** Identifies a kind in one version, independent of where its files are. */
export function identity(resource: Resource): string {
  return `${qualifiedGroup(resource)}/${resource.version}/${resource.kind}`;
}
