import { compareText } from "@tsbuilder/apimachinery/text";
import type { Registry } from "../registry/registry.ts";

/** An API group with its versions, the preferred one first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The served groups: built-in ones first, so that clients find their short names before those of CRDs. */
export function groupsOf(registry: Registry): ApiGroup[] {
  const groups = new Map<string, Set<string>>();
  for (const resource of registry.all()) {
    const versions = groups.get(resource.group) ?? new Set();
    for (const { name } of resource.versions) versions.add(name);
    groups.set(resource.group, versions);
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(compareVersions) }));
}

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

/** Kubernetes' version order, best first: v2, v1, v1beta2, v1beta1, v1alpha1, then other names by letter. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [pattern.exec(a), pattern.exec(b)];
  if (!x || !y) return x ? -1 : y ? 1 : compareText(a, b);
  const stage = (found: RegExpExecArray) => (found[2] === undefined ? 2 : stages[found[2]]!);
  return stage(y) - stage(x) || Number(y[1]) - Number(x[1]) || Number(y[3] ?? 0) - Number(x[3] ?? 0);
}
