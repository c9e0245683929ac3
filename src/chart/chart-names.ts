import type { ManifestObject } from "../ship/manifest.ts";
import { textAction } from "./actions.ts";

/** The common parts of the names in a rendered deployment. */
export interface Deployed {
  /** The chart's name, which is the project's. */
  readonly chart: string;
  /** The prefix of all names, from config/base: `mysql-operator-`. */
  readonly prefix: string;
  readonly namespace: string;
  readonly objects: readonly ManifestObject[];
}

/** The name of an object without the prefix: `manager-role`. */
export function shortName(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The template action for a name in the release. */
export function releaseName(chart: string, suffix: string): string {
  return textAction(`include "${chart}.resourceName" (dict "suffix" "${suffix}" "context" $)`);
}

export function accountName(chart: string): string {
  return textAction(`include "${chart}.serviceAccountName" .`);
}

/**
 * Replaces the deployment's names and namespace with the release's in all strings: references, DNS names, annotations,
 * arguments.
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
      name === namespace ? textAction(".Release.Namespace") : releaseName(chart, shortName(name, prefix)),
    );
}

const escape = (text: string): string => text.replaceAll(".", "\\.");
