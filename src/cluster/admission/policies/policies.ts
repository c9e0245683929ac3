// ValidatingAdmissionPolicies and MutatingAdmissionPolicies. This file has the parts that both share: which policies
// are active, which of them apply to a request and with which parameters, and the variables of their expressions.
// `validating-policies.ts` and `mutating-policies.ts` evaluate them.

import type { Value } from "@tsbuilder/apimachinery/cel";
import type { MatchResources, ParamRef } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Registry } from "../../registry/registry.ts";
import type { Store } from "../../storage/store.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type AdmissionRequest, requestNamespace } from "../../registry/core.ts";
import type { Policy, PolicyBinding, PolicySpec } from "../../expressions/policy.ts";
import { matchVersion, matchesNamespace, matchesObject } from "../match-rules.ts";
import { type Resource, keyOf } from "../../registry/resource.ts";
import type { Entry } from "../../storage/entry.ts";
import type { Budget, Compilation, Names } from "../../expressions/expression.ts";
import { LazyVariables, PolicyCompiler } from "../../expressions/policy-compiler.ts";
import type { Authorizer } from "../../contract/authorizer.ts";
import { notFound } from "../../contract/status-error.ts";
import { objectsInVersion, requestNames } from "../../expressions/request-names.ts";

interface ActivePolicy<Spec extends PolicySpec, Compiled> {
  readonly policy: Policy<Spec>;
  readonly bindings: readonly PolicyBinding[];
  readonly compiled: Compiled;
}

const group = "admissionregistration.k8s.io";

/** The policies with bindings: a cache that a change of any policy or binding clears. Each policy is compiled once. */
export class ActivePolicies<Spec extends PolicySpec, Compiled> {
  readonly #store: Store;
  readonly #names: { readonly policies: string; readonly bindings: string };
  readonly #compile: (spec: Spec) => Compiled;
  readonly #compiled = new WeakMap<Spec, Compiled>();
  #active: ReadonlyArray<ActivePolicy<Spec, Compiled>> | undefined;

  constructor(store: Store, prefix: "validating" | "mutating", compile: (spec: Spec) => Compiled) {
    this.#store = store;
    this.#compile = compile;
    this.#names = {
      policies: `${prefix}admissionpolicies.${group}`,
      bindings: `${prefix}admissionpolicybindings.${group}`,
    };
    const forget = () => void (this.#active = undefined);
    for (const name of Object.values(this.#names)) store.collection(name).listen(forget);
  }

  list(): ReadonlyArray<ActivePolicy<Spec, Compiled>> {
    this.#active ??= this.#collect();
    return this.#active;
  }

  #collect(): Array<ActivePolicy<Spec, Compiled>> {
    const bindings = this.#store
      .collection(this.#names.bindings)
      .list()
      .map(({ object }) => object as PolicyBinding);
    return this.#store
      .collection(this.#names.policies)
      .list()
      .flatMap(({ object }) => {
        const policy = object as Policy<Spec>;
        const policyBindings = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
        if (policyBindings.length === 0) return [];
        return [{ policy, bindings: policyBindings, compiled: this.#compiledOf(policy.spec) }];
      });
  }

  #compiledOf(spec: Spec): Compiled {
    const compiled = this.#compiled.get(spec) ?? this.#compile(spec);
    this.#compiled.set(spec, compiled);
    return compiled;
  }
}

/** Kinds that no policy applies to: a policy that denies everything could not be deleted. */
const exemptKinds = new Set([
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
]);

/** Groups of reviews, which are not stored. */
const reviewGroups = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

/** Returns true if no policy applies to a request. */
export function isExempt({ resource }: AdmissionRequest): boolean {
  return (resource.group === group && exemptKinds.has(resource.kind)) || reviewGroups.has(resource.group);
}

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

/** The resource of parameter objects, and the version in which a policy reads them. */
interface ParamResource {
  readonly resource: Resource;
  readonly version: string;
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
    let paramResource: ParamResource | undefined;
    try {
      paramResource = findParamKind(policy.spec, registry);
    } catch (error) {
      yield { policy, fault: `failed to configure policy: ${misconfigurationOf(error)}` };
      continue;
    }
    for (const binding of bindings) {
      const match = binding.spec.matchResources;
      if (match && matchResources(match, request, store) === undefined) continue;
      try {
        const objects = await findParams(paramResource, binding.spec.paramRef, requestNamespace(request));
        for (const params of objects) yield { policy, binding, compiled, version, params };
      } catch (error) {
        yield { policy, binding, fault: `failed to configure binding: ${misconfigurationOf(error)}` };
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

/** A misconfigured policy or binding; the failure policy decides whether the request is denied. */
class MisconfiguredError extends Error {}

/** Returns the message of a MisconfiguredError. Rethrows any other error: it is a bug, or an error for the client. */
function misconfigurationOf(error: unknown): string {
  if (error instanceof MisconfiguredError) return error.message;
  throw error;
}

function findParamKind({ paramKind }: PolicySpec, registry: Registry): ParamResource | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const { group, version } = parseApiVersion(apiVersion);
  const resource = registry.findKind(group, kind);
  if (resource?.versions.some(({ name }) => name === version)) return { resource, version };
  const wanted = `${group}/${version}, Kind=${kind}`;
  throw new MisconfiguredError(`failed to find resource referenced by paramKind: '${wanted}'`);
}

/** Finds the parameter objects, for each of which the policy is evaluated; one `undefined` without parameters. */
async function findParams(
  paramResource: ParamResource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<Array<ApiObject | undefined>> {
  if (!paramResource || !ref) return [undefined];
  const { resource, version } = paramResource;
  const entries = selectParams(resource, ref, paramNamespace(resource, ref, namespace));
  if (entries.length === 0 && ref.parameterNotFoundAction === "Deny") {
    throw new MisconfiguredError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return Promise.all(entries.map(async (entry) => (await resource.present(entry, version)).object));
}

/** The namespace of parameters: that of the paramRef, by default the request's; empty for cluster-scoped parameters. */
function paramNamespace({ namespaced }: Resource, ref: ParamRef, namespace: string): string {
  if (namespaced) {
    const chosen = ref.namespace || namespace;
    if (chosen !== "") return chosen;
    throw new MisconfiguredError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  }
  if (!ref.namespace) return "";
  throw new MisconfiguredError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
}

function selectParams(resource: Resource, { name, selector }: ParamRef, namespace: string): Entry[] {
  const { collection } = resource;
  if (name) {
    const entry = collection.get(keyOf(resource, namespace, name));
    return entry ? [entry] : [];
  }
  return collection
    .list(resource.namespaced ? `${namespace}/` : "")
    .filter(({ object }) => matchesLabelSelector(selector, object.metadata.labels ?? {}));
}

/** The compiled expressions that policies of both kinds have. */
export interface CompiledPolicy {
  readonly compiler: PolicyCompiler;
  readonly conditions: readonly Compilation[];
}

/** Compiles variables and match conditions. A compile error is reported when the expression is evaluated. */
export function compileCommon({
  paramKind,
  variables = [],
  matchConditions = [],
}: PolicySpec): CompiledPolicy {
  const compiler = new PolicyCompiler({ params: paramKind !== undefined, variables: true });
  for (const { name, expression } of variables) compiler.variable(name, expression);
  return {
    compiler,
    conditions: matchConditions.map(({ expression }) => compiler.condition(expression)),
  };
}

/** The parts of the cluster that expressions of policies read. */
export interface PolicyContext {
  readonly store: Store;
  readonly authorizer: Authorizer;
}

/** Makes the names for a group of expressions, which share a budget and the values of the policy's variables. */
export type PolicyNames = (budget: Budget) => Names;

/** Prepares the names for one request and one set of parameters. */
export async function policyNames<Spec extends PolicySpec, Compiled extends CompiledPolicy>(
  { compiled, version, params }: PolicyCall<Spec, Compiled>,
  request: AdmissionRequest,
  { store, authorizer }: PolicyContext,
): Promise<PolicyNames> {
  const [object, oldObject] = await objectsInVersion(request, version);
  const namespace = namespaceObject(request, store);
  const names = requestNames(request, { authorizer, version, object, oldObject, namespace, params });
  return (budget) => withVariables(names, compiled, budget);
}

function withVariables(names: Names, { compiler }: CompiledPolicy, budget: Budget): Names {
  let variables: Value | undefined;
  return (name) => {
    if (name !== "variables") return names(name);
    variables ??= new LazyVariables(compiler.variablesType!, compiler.variables, { names, budget });
    return variables;
  };
}

/** The CEL variable `namespaceObject`; undefined for requests for namespaces and other cluster-scoped objects. */
function namespaceObject({ resource, namespace }: AdmissionRequest, store: Store): ApiObject | undefined {
  if (!resource.namespaced || namespace === "") return undefined;
  const stored = store.collection("namespaces").get(namespace);
  if (!stored) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespace);
  const { metadata, spec, status } = stored.object;
  const { managedFields: _managers, ownerReferences: _owners, ...shown } = metadata;
  return { metadata: shown, spec, status } as unknown as ApiObject;
}
