import type { MatchResources, ParamRef } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Registry } from "../../registry/registry.ts";
import type { Store } from "../../storage/store.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type AdmissionRequest, requestNamespace } from "../../registry/admission-request.ts";
import type { ActivePolicy } from "./active-policies.ts";
import type { Policy, PolicyBinding, PolicySpec } from "../../expressions/policy.ts";
import { matchVersion, matchesNamespace, matchesObject } from "../match-rules.ts";
import { type Resource, keyOf } from "../../registry/resource.ts";
import type { Entry } from "../../storage/entry.ts";

/** A policy that applies to a request, with one parameter object. */
export interface PolicyCall<Spec extends PolicySpec, Compiled> {
  readonly policy: Policy<Spec>;
  readonly binding: PolicyBinding;
  readonly compiled: Compiled;
  /** The version in which the policy's rule matches the object. */
  readonly version: string;
  readonly params: ApiObject | undefined;
}

/** A misconfigured policy or binding. */
export interface PolicyFault<Spec extends PolicySpec> {
  readonly policy: Policy<Spec>;
  readonly binding?: PolicyBinding;
  readonly fault: string;
}

/** Finds the policies that apply to a request: one call for each policy, binding and parameter object. */
export async function* findCalls<Spec extends PolicySpec, Compiled>(
  active: ReadonlyArray<ActivePolicy<Spec, Compiled>>,
  request: AdmissionRequest,
  { store, registry }: { readonly store: Store; readonly registry: Registry },
): AsyncGenerator<PolicyCall<Spec, Compiled> | PolicyFault<Spec>> {
  for (const { policy, bindings, compiled } of active) {
    const version = matchResources(policy.spec.matchConstraints ?? {}, request, store);
    if (version === undefined) continue;
    let kind: ParamResource | undefined;
    try {
      kind = findParamKind(policy.spec, registry);
    } catch (error) {
      yield { policy, fault: `failed to configure policy: ${reasonOf(error)}` };
      continue;
    }
    for (const binding of bindings) {
      const match = binding.spec.matchResources;
      if (match && matchResources(match, request, store) === undefined) continue;
      try {
        const found = await findParams(kind, binding.spec.paramRef, requestNamespace(request));
        for (const params of found) yield { policy, binding, compiled, version, params };
      } catch (error) {
        yield { policy, binding, fault: `failed to configure binding: ${reasonOf(error)}` };
      }
    }
  }
}

/** Finds the version in which a policy or binding matches a request; undefined if it does not match. */
function matchResources(
  { resourceRules = [], excludeResourceRules = [], ...match }: MatchResources,
  request: AdmissionRequest,
  store: Store,
): string | undefined {
  if (!matchesObject(match.objectSelector, request)) return undefined;
  if (matchVersion(excludeResourceRules, match.matchPolicy, request) !== undefined) return undefined;
  const version =
    resourceRules.length === 0 ? request.version : matchVersion(resourceRules, match.matchPolicy, request);
  if (version === undefined) return undefined;
  return matchesNamespace(match.namespaceSelector, request, store) ? version : undefined;
}

/** Other errors are bugs, or already the error for the client. */
function reasonOf(error: unknown): string {
  if (error instanceof MisconfiguredError) return error.message;
  throw error;
}

/** A misconfigured policy or binding; the failure policy decides whether the request is denied. */
class MisconfiguredError extends Error {}

/** The resource and version of a policy's parameters. */
interface ParamResource {
  readonly resource: Resource;
  readonly version: string;
}

function findParamKind({ paramKind }: PolicySpec, registry: Registry): ParamResource | undefined {
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
async function findParams(
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
