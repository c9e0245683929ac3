import { kindFile } from "./paths.ts";
import type { Project, Resource } from "./project.ts";

/** The name of a kind's first controller; with several groups it includes the group. */
export function defaultControllerName(
  { multigroup }: Pick<Project, "multigroup">,
  resource: Resource,
): string {
  return multigroup ? groupedName(resource) : kindFile(resource);
}

/** Whether a controller has its kind's default name, in either layout. */
export function isDefaultControllerName(resource: Resource, name: string): boolean {
  return name === kindFile(resource) || name === groupedName(resource);
}

function groupedName(resource: Resource): string {
  const group = resource.group.replaceAll(/[^a-z0-9]+/gu, "-");
  return group === "" ? kindFile(resource) : `${group}-${kindFile(resource)}`;
}
