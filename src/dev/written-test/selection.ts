import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ProjectFacts } from "./project-facts.ts";
import type { SessionWrites } from "./session-writes.ts";

/** Which objects a test is about. */
export interface Selection {
  /** Whether an object is a custom resource of the project. */
  readonly isOwn: (object: KubernetesObject) => boolean;
  readonly has: (object: KubernetesObject) => boolean;
}

/**
 * All objects, or with `chosen`, such as `default/db`: the custom resources of this name, what they own, and what else is
 * in their namespace or in none, but no other custom resources of the project with theirs.
 */
export function select(
  { writes }: Pick<SessionWrites, "writes">,
  { kinds }: Pick<ProjectFacts, "kinds">,
  chosen: string | undefined,
): Selection {
  const own = new Set(kinds.filter(({ isOwn }) => isOwn).map(groupKind));
  const isOwn = (object: KubernetesObject): boolean => own.has(groupKind(object));
  if (chosen === undefined) return { isOwn, has: () => true };
  const keys = new Set(writes.filter(({ object }) => isOwn(object)).map(({ key }) => key));
  if (!keys.has(chosen)) {
    throw new TsbuilderError(`the record has no custom resource "${chosen}"`, {
      code: "NOT_FOUND",
      hint: keys.size === 0 ? "it has none at all" : `it has ${[...keys].join(", ")}`,
    });
  }
  const byUid = new Map(writes.map(({ object }) => [object.metadata.uid ?? "", object]));
  const [namespace] = chosen.includes("/") ? chosen.split("/") : [undefined];
  /** Undefined if an object belongs to no custom resource. Objects may own each other. */
  const belongs = (object: KubernetesObject, seen: readonly KubernetesObject[] = []): boolean | undefined => {
    if (isOwn(object)) return keyOf(object) === chosen;
    const owners = (object.metadata.ownerReferences ?? []).flatMap(({ uid }) => byUid.get(uid) ?? []);
    const answers = owners
      .filter((owner) => !seen.includes(owner))
      .map((owner) => belongs(owner, [...seen, owner]))
      .filter((answer) => answer !== undefined);
    return answers.length === 0 ? undefined : answers.includes(true);
  };
  const isBeside = ({ kind, metadata }: KubernetesObject): boolean => {
    const other = kind === "Namespace" ? metadata.name : metadata.namespace;
    return namespace === undefined || other === undefined || other === namespace;
  };
  return { isOwn, has: (object) => belongs(object) ?? isBeside(object) };
}

function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined ? (name ?? "") : `${namespace}/${name}`;
}

function groupKind({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): string {
  return `${parseApiVersion(apiVersion ?? "v1").group} ${kind}`;
}
