import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Registry } from "../../registry/registry.ts";
import { keyOf, type Resource } from "../../registry/resource.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Entry } from "../../storage/entry.ts";
import type { ParamRef } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { PolicySpec } from "../../expressions/policy.ts";

/** A misconfigured policy or binding; the failure policy decides whether the request is denied. */
export class MisconfiguredError extends Error {}

/** The resource and version of a policy's parameters. */
export interface ParamResource {
  readonly resource: Resource;
  readonly version: string;
}

export function findParamKind({ paramKind }: PolicySpec, registry: Registry): ParamResource | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const { group, version } = parseApiVersion(apiVersion);
  const resource = registry.findKind(group, kind);
  if (resource?.versions.some(({ name }) => name === version)) return { resource, version };
  const shown = `${group}/${version}, Kind=${kind}`;
  throw new MisconfiguredError(`failed to find resource referenced by paramKind: '${shown}'`);
}

/**
 * The parameter objects of a binding; its policy is evaluated once with each. A single undefined if the policy or
 * the binding has no parameters.
 */
export async function findParams(
  kind: ParamResource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<Array<ApiObject | undefined>> {
  if (!kind || !ref) return [undefined];
  const { resource, version } = kind;
  const where = namespaceOf(resource, ref, namespace);
  const found = select(resource, ref, where);
  if (found.length === 0 && ref.parameterNotFoundAction === "Deny") {
    throw new MisconfiguredError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return Promise.all(found.map(async (entry) => (await resource.present(entry, version)).object));
}

/** Namespaced parameters come from the binding's namespace. Default: the namespace of the request. */
function namespaceOf({ namespaced }: Resource, ref: ParamRef, namespace: string): string {
  if (namespaced) {
    const where = ref.namespace || namespace;
    if (where !== "") return where;
    throw new MisconfiguredError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  }
  if (!ref.namespace) return "";
  throw new MisconfiguredError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
}

function select(resource: Resource, { name, selector }: ParamRef, namespace: string): Entry[] {
  const { collection } = resource;
  if (name) {
    const entry = collection.get(keyOf(resource, namespace, name));
    return entry ? [entry] : [];
  }
  return collection
    .list(resource.namespaced ? `${namespace}/` : "")
    .filter(({ object }) => matchesLabelSelector(selector, object.metadata.labels ?? {}));
}
