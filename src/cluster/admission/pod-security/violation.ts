import type { Container, PodSpec } from "../../kinds/core/pod-spec/types.ts";
import { containersOf, type SecurityContext } from "./containers.ts";

/** How a pod violates a standard: in short, and in detail. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** `"a", "b"`. */
export function quoted(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(", ");
}

/** `container "a"`, `containers "a", "b"`. */
export function nameAll(what: string, names: readonly string[]): string {
  return `${plural(what, names.length)} ${quoted(names)}`;
}

export function plural(what: string, count: number): string {
  return count === 1 ? what : `${what}s`;
}

/** The names of the containers that match a condition. */
export function containersWhere(spec: PodSpec, holds: (container: Container) => boolean): string[] {
  return containersOf(spec)
    .filter(holds)
    .map(({ name = "" }) => name);
}

/** Names the pod and the containers whose security context matches a condition: `pod and container "a"`. */
export function settersOf(spec: PodSpec, matches: (context: SecurityContext) => boolean): string {
  const containers = containersWhere(spec, ({ securityContext }) => matches(securityContext ?? {}));
  const setters = [
    ...(matches(spec.securityContext ?? {}) ? ["pod"] : []),
    ...(containers.length > 0 ? [nameAll("container", containers)] : []),
  ];
  return setters.join(" and ");
}

/** The distinct values that the security contexts of a pod and its containers have, sorted. */
export function valuesOf(spec: PodSpec, read: (context: SecurityContext) => string | undefined): string[] {
  const contexts = [spec, ...containersOf(spec)].map(({ securityContext }) => securityContext ?? {});
  return [...new Set(contexts.flatMap((context) => read(context) ?? []))].toSorted();
}
