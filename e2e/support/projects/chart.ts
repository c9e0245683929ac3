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
 * elsewhere come first: only plain values may refer to others, so only their order has a meaning.
 */
export function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !helmNames.has(key))
    .map(
      ([key, field]) =>
        [key, essence(key === "env" && Array.isArray(field) ? plainLast(field) : field)] as const,
    )
    .filter(
      ([, field]) => field !== null && JSON.stringify(field) !== "{}" && JSON.stringify(field) !== "[]",
    );
  return Object.fromEntries(entries);
}

function plainLast(env: readonly object[]): readonly object[] {
  return [...env].sort((left, right) => Number("value" in left) - Number("value" in right));
}

const helmNames = new Set([
  "app.kubernetes.io/instance",
  "app.kubernetes.io/managed-by",
  "app.kubernetes.io/name",
  "app.kubernetes.io/version",
  "helm.sh/chart",
  "helm.sh/resource-policy",
]);
