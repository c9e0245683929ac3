import type { ManifestObject } from "../ship/manifest.ts";
import { action } from "./actions.ts";

/** What the names of a rendered deployment have in common. */
export interface Deployed {
  /** The chart's name, which is the project's. */
  readonly chart: string;
  /** What all names start with, as config/base says: `mysql-operator-`. */
  readonly prefix: string;
  readonly namespace: string;
  readonly objects: readonly ManifestObject[];
}

/** The name of an object without what all names start with: `manager-role`. */
export function shortName(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
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
export function renamer({ chart, prefix, namespace, objects }: Deployed): (text: string) => string {
  const names = objects
    .filter(({ kind }) => kind !== "Namespace" && kind !== "CustomResourceDefinition")
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  const known = new RegExp(`(?<![\\w-])(?:${[...names, namespace].map(escape).join("|")})(?![\\w-])`, "gu");
  return (text) =>
    text.replaceAll(known, (name) =>
      name === namespace ? action(".Release.Namespace") : releaseName(chart, shortName(name, prefix)),
    );
}

const escape = (text: string): string => text.replaceAll(".", "\\.");
