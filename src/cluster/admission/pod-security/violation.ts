import { type Container, containersOf, type SecurityContext, type SecuritySpec } from "./security-spec.ts";

/** What of a pod a standard doesn't allow: in short, and in detail. */
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

/** The names of the containers for which something holds. */
export function containersWhere(spec: SecuritySpec, holds: (container: Container) => boolean): string[] {
  return containersOf(spec)
    .filter(holds)
    .map(({ name }) => name);
}

/** Who of a pod and its containers says something in a security context: `pod and container "a"`. */
export function settersOf(spec: SecuritySpec, says: (context: SecurityContext) => boolean): string {
  const containers = containersWhere(spec, ({ securityContext }) => says(securityContext ?? {}));
  const setters = [
    ...(says(spec.securityContext ?? {}) ? ["pod"] : []),
    ...(containers.length > 0 ? [nameAll("container", containers)] : []),
  ];
  return setters.join(" and ");
}

/** All different values that pods and containers give for something, sorted. */
export function valuesOf(
  spec: SecuritySpec,
  read: (context: SecurityContext) => string | undefined,
): string[] {
  const contexts = [spec, ...containersOf(spec)].map(({ securityContext }) => securityContext ?? {});
  return [...new Set(contexts.flatMap((context) => read(context) ?? []))].toSorted();
}
