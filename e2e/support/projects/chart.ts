import { run, type Shell } from "../shell.ts";
import { type ManifestObject, parseManifest } from "../../../src/ship/manifest.ts";

/** The objects that Helm renders from a chart with some values; the release has the project's name and namespace. */
export async function helmTemplate(
  shell: Shell,
  helm: string,
  project: string,
  ...values: readonly string[]
): Promise<ManifestObject[]> {
  const sets = values.flatMap((value) => ["--set", value]);
  const target = [project, "dist/chart", "--namespace", `${project}-system`];
  return parseManifest((await run(shell, helm, "template", ...target, ...sets)).stdout);
}

/** Objects by kind, namespace and name. */
export function byName(objects: readonly ManifestObject[]): Map<string, ManifestObject> {
  return new Map(
    objects.map((object) => {
      const { kind, metadata } = object;
      return [`${kind} ${metadata.namespace ?? ""} ${metadata.name}`, object];
    }),
  );
}

/**
 * An object without Helm's labels, and without empty values: null, {} and []. Variables that take their value from
 * elsewhere come first: only plain values may refer to others, so only their order has a meaning. Flags are sorted: a chart
 * adds those that values switch after all others.
 */
export function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !helmNames.has(key))
    .map(([key, field]) => [key, essence(Array.isArray(field) ? inOneOrder(key, field) : field)] as const)
    .filter(
      ([, field]) => field !== null && JSON.stringify(field) !== "{}" && JSON.stringify(field) !== "[]",
    );
  return Object.fromEntries(entries);
}

/** Sorts what has no order: flags, and variables, of which those with plain values come last. */
function inOneOrder(key: string, list: readonly unknown[]): readonly unknown[] {
  const hasValue = (variable: unknown): number => Number("value" in (variable as object));
  if (key === "env") return [...list].sort((left, right) => hasValue(left) - hasValue(right));
  return key === "args" ? (list as readonly string[]).toSorted() : list;
}

const helmNames = new Set([
  "app.kubernetes.io/instance",
  "app.kubernetes.io/managed-by",
  "app.kubernetes.io/name",
  "app.kubernetes.io/version",
  "helm.sh/chart",
  "helm.sh/resource-policy",
]);
