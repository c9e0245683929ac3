import { kindFile } from "./paths.ts";
import type { Project, Resource } from "./project.ts";

/** The name of a kind's first controller; with several groups it names the group, too. */
export function defaultControllerName(
  { multigroup }: Pick<Project, "multigroup">,
  resource: Resource,
): string {
  return multigroup ? groupedName(resource) : kindFile(resource);
}

/** Whether a controller goes by its kind's name: in the layout with several groups, or in the other one. */
export function isDefaultControllerName(resource: Resource, name: string): boolean {
  return name === kindFile(resource) || name === groupedName(resource);
}

function groupedName(resource: Resource): string {
  const group = resource.group.replaceAll(/[^a-z0-9]+/gu, "-");
  return group === "" ? kindFile(resource) : `${group}-${kindFile(resource)}`;
}
