import { qualifiedGroup, type Resource } from "../../project/project.ts";

/** Names a kind in one version, wherever its files are. */
export function identity(resource: Resource): string {
  return `${qualifiedGroup(resource)}/${resource.version}/${resource.kind}`;
}
