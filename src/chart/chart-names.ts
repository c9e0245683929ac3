import type { ManifestObject } from "../ship/manifest.ts";
import { action } from "./actions.ts";

/** What the names of a rendered deployment have in common. */
export interface Deployed {
  /** The project's name: the prefix of all names, and the chart's name. */
  readonly project: string;
  readonly namespace: string;
  readonly objects: readonly ManifestObject[];
}

/** The name of an object without the project's: `manager-role`. */
export function shortName(name: string, project: string): string {
  return name.startsWith(`${project}-`) ? name.slice(project.length + 1) : name;
}

/** The action for a name that the release gives. */
export function releaseName(chart: string, suffix: string): string {
  return action(`include "${chart}.resourceName" (dict "suffix" "${suffix}" "context" $)`);
}

export function accountName(chart: string): string {
  return action(`include "${chart}.serviceAccountName" .`);
}

/**
 * Puts the release's names and namespace in the place of the deployment's, wherever a text has them: in references,
 * DNS names, annotations, arguments.
 */
export function renamer({ project, namespace, objects }: Deployed): (text: string) => string {
  const names = objects
    .filter(({ kind }) => kind !== "Namespace" && kind !== "CustomResourceDefinition")
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(`${project}-`))
    .sort((a, b) => b.length - a.length);
  const known = new RegExp(`(?<![\\w-])(?:${[...names, namespace].map(escape).join("|")})(?![\\w-])`, "gu");
  return (text) =>
    text.replaceAll(known, (name) =>
      name === namespace ? action(".Release.Namespace") : releaseName(project, shortName(name, project)),
    );
}

const escape = (text: string): string => text.replaceAll(".", "\\.");
