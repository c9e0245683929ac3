import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { TsbuilderError } from "../../shared/errors.ts";
import { keyName } from "../record/recorded.ts";
import type { ProjectFacts } from "./project-facts.ts";
import type { SessionWrites } from "./session-writes.ts";

/** Selects the objects of a test. */
export interface Selection {
  /** Returns true for custom resources of the project. */
  readonly isOwn: (object: KubernetesObject) => boolean;
  readonly has: (object: KubernetesObject) => boolean;
}

/**
 * Selects all objects, or with a key such as `default/db`, the custom resources with this key, their dependents, and other
 * objects in their namespace or without one. Other custom resources of the project, and their dependents, are left out.
 */
export function selectObjects(
  { writes }: Pick<SessionWrites, "writes">,
  { kinds }: Pick<ProjectFacts, "kinds">,
  chosen: string | undefined,
): Selection {
  const ownKinds = new Set(kinds.filter(({ isOwn }) => isOwn).map(groupKind));
  const isOwn = (object: KubernetesObject): boolean => ownKinds.has(groupKind(object));
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
  /** Returns undefined if an object has no custom resource among its owners. `seen` breaks cycles of owners. */
  const belongs = (object: KubernetesObject, seen: readonly KubernetesObject[] = []): boolean | undefined => {
    if (isOwn(object)) return keyName(object.metadata) === chosen;
    const owners = (object.metadata.ownerReferences ?? []).flatMap(({ uid }) => byUid.get(uid) ?? []);
    const answers = owners
      .filter((owner) => !seen.includes(owner))
      .map((owner) => belongs(owner, [...seen, owner]))
      .filter((answer) => answer !== undefined);
    return answers.length === 0 ? undefined : answers.includes(true);
  };
  const isInNamespace = ({ kind, metadata }: KubernetesObject): boolean => {
    const itsNamespace = kind === "Namespace" ? metadata.name : metadata.namespace;
    return namespace === undefined || itsNamespace === undefined || itsNamespace === namespace;
  };
  return { isOwn, has: (object) => belongs(object) ?? isInNamespace(object) };
}

function groupKind({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): string {
  return `${parseApiVersion(apiVersion ?? "v1").group} ${kind}`;
}
