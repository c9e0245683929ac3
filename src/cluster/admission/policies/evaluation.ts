import type { Value } from "@tsbuilder/apimachinery/cel";
import type { Authorizer } from "../../contract/authorizer.ts";
import { notFound } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Store } from "../../storage/store.ts";
import type { AdmissionRequest } from "../../registry/admission-request.ts";
import { LazyVariables } from "../../expressions/lazy-variables.ts";
import { objectInVersion, requestNames } from "../../expressions/request-names.ts";
import type { Budget, Names } from "../../expressions/run-expression.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import type { PolicyCall } from "./find-calls.ts";
import type { PolicySpec } from "../../expressions/policy.ts";

export interface PolicyContext {
  readonly store: Store;
  readonly authorizer: Authorizer;
}

/** The variables in scope of a group of expressions. Each group evaluates the policy's variables itself, on its own budget. */
export type PolicyNames = (budget: Budget) => Names;

/** Prepares the names for one request and one set of parameters. */
export async function policyNames<Spec extends PolicySpec, Compiled extends CompiledPolicy>(
  { compiled, version, params }: PolicyCall<Spec, Compiled>,
  request: AdmissionRequest,
  { store, authorizer }: PolicyContext,
): Promise<PolicyNames> {
  const [object, oldObject] = await Promise.all(
    [request.object, request.oldObject].map((each) => objectInVersion(each, request, version)),
  );
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

/** `namespaceObject` of a request; undefined for namespaces themselves and other cluster-scoped objects. */
function namespaceObject({ resource, namespace }: AdmissionRequest, store: Store): ApiObject | undefined {
  if (!resource.namespaced || namespace === "") return undefined;
  const stored = store.collection("namespaces").get(namespace);
  if (!stored) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespace);
  const { metadata, spec, status } = stored.object;
  const { managedFields: _managers, ownerReferences: _owners, ...shown } = metadata;
  return { metadata: shown, spec, status } as unknown as ApiObject;
}
