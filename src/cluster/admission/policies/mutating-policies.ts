import { type JSONObject, copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import type {
  MutatingAdmissionPolicySpec,
  Mutation,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import {
  CelList,
  CelMap,
  EvalError,
  OutOfBudgetError,
  type Value,
  WrittenObject,
  runtimeBudget,
  toJSON,
} from "@tsbuilder/apimachinery/cel";
import { FailedTestError, PatchError, type SchemaNode, applyJSONPatch } from "@tsbuilder/apimachinery/patch";
import { SchemaMismatchError, mergeApplyConfiguration } from "@tsbuilder/apimachinery/patch/apply";
import type { AdmissionRequest } from "../../registry/core.ts";
import type { ObjectSchema } from "../../registry/resource.ts";
import type { Registry } from "../../registry/registry.ts";
import { StatusError, internalError } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type AdmissionPlugin, type Rounds, refusalSubject } from "../admission.ts";
import { Budget, type Compilation, conditionsHold, runExpression } from "../../expressions/expression.ts";
import type { PolicyCompiler } from "../../expressions/policy-compiler.ts";
import { objectInVersion } from "../../expressions/request-names.ts";
import type { CompiledPolicy, PolicyCall, PolicyContext, PolicyFault, PolicyNames } from "./policies.ts";
import { ActivePolicies, compileCommon, findCalls, isExempt, policyNames } from "./policies.ts";

interface CompiledMutation {
  readonly mutation: Mutation;
  readonly patch: Compilation;
}

interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly CompiledMutation[];
}

type Call = PolicyCall<MutatingAdmissionPolicySpec, CompiledMutatingPolicy>;
type Fault = PolicyFault<MutatingAdmissionPolicySpec> & { readonly reason?: string };

interface MutatingContext extends PolicyContext {
  readonly registry: Registry;
}

const name = "MutatingAdmissionPolicy";

/** Applies MutatingAdmissionPolicies one by one, each to the result of those before it. */
export function mutatingPolicies(cluster: MutatingContext): AdmissionPlugin {
  const policies = new ActivePolicies(cluster.store, "mutating", compileMutatingPolicy);
  return {
    name,
    async mutate(request, rounds) {
      const active = policies.list();
      // A deletion has no object to mutate.
      if (active.length === 0 || request.operation === "DELETE" || isExempt(request)) return request.object;
      const calls: Call[] = [];
      const faults: Fault[] = [];
      for await (const outcome of findCalls(active, request, cluster)) {
        if ("fault" in outcome) faults.push(outcome);
        else calls.push(outcome);
      }
      const object = await callAll(calls, request, { cluster, rounds, faults });
      refuse(request, faults);
      return object;
    },
  };
}

function compileMutatingPolicy(spec: MutatingAdmissionPolicySpec): CompiledMutatingPolicy {
  const common = compileCommon(spec);
  const mutations = (spec.mutations ?? []).map((mutation) => ({
    mutation,
    patch: compileMutation(common.compiler, mutation),
  }));
  return { ...common, mutations };
}

function compileMutation(compiler: PolicyCompiler, { patchType, ...mutation }: Mutation): Compilation {
  return patchType === "JSONPatch"
    ? compiler.jsonPatch(mutation.jsonPatch?.expression ?? "")
    : compiler.applyConfiguration(mutation.applyConfiguration?.expression ?? "");
}

interface CallContext {
  readonly cluster: MutatingContext;
  readonly rounds: Rounds;
  /** Collects the errors; the remaining policies still run. */
  readonly faults: Fault[];
}

/** Applies the policies whose conditions hold and that are due in this round. Returns the last state of the object. */
async function callAll(
  calls: readonly Call[],
  request: AdmissionRequest,
  context: CallContext,
): Promise<ApiObject | undefined> {
  let { object } = request;
  let isPatched = false;
  const roundCalls = context.rounds.callsOf(name, object);
  for (const call of calls) {
    const current = { ...request, object };
    const key = [call.policy, call.binding, call.params].map((part) => part?.metadata.uid).join(" ");
    if (!(await matchesConditions(call, current, context)) || !roundCalls.isDue(key)) continue;
    object = await mutate(call, current, context);
    if (!isEqual(current.object, object)) roundCalls.noteChange();
    if (call.policy.spec.reinvocationPolicy === "IfNeeded") roundCalls.remember(key);
    isPatched ||= object !== current.object;
  }
  // As on the real server, a policy is called again even after its own change.
  if (isPatched) roundCalls.noteChange();
  roundCalls.endRound(object);
  return object;
}

async function matchesConditions(call: Call, request: AdmissionRequest, { cluster, faults }: CallContext) {
  const names = await policyNames(call, request, cluster);
  const holds = conditionsHold(call.compiled.conditions, names);
  if (typeof holds === "boolean") return holds;
  faults.push({ ...call, fault: holds.error, reason: "Invalid" });
  return false;
}

/** Applies the mutations of one policy. A mutation that fails is a fault, and the others still run. */
async function mutate(
  call: Call,
  request: AdmissionRequest,
  context: CallContext,
): Promise<ApiObject | undefined> {
  let { object } = request;
  for (const mutation of call.compiled.mutations) {
    if (object === undefined) return undefined;
    try {
      object = await mutateOnce(call, mutation, { ...request, object }, context.cluster);
    } catch (error) {
      if (!(error instanceof MutationFailedError)) throw error;
      context.faults.push({ ...call, fault: error.message, reason: "Invalid" });
    }
  }
  return object;
}

/** Defaults are applied after each mutation, so that the next one sees a complete object. */
async function mutateOnce(
  call: Call,
  mutation: CompiledMutation,
  request: AdmissionRequest & { object: ApiObject },
  cluster: MutatingContext,
): Promise<ApiObject> {
  const { resource } = request;
  const names = await policyNames(call, request, cluster);
  // The object of a subresource such as `scale` has another kind: it is neither converted nor defaulted.
  const isItself = request.object.kind === resource.kind;
  const servedVersion = resource.versions.find(({ name: version }) => version === call.version);
  const schema = isItself ? servedVersion?.schema : undefined;
  const before = (await objectInVersion(request.object, request, call.version))!;
  const after = mutateObject(mutation, before, names, schema?.node);
  if (mutation.mutation.patchType === "JSONPatch" && !resource.custom) checkDecodes(after, schema);
  const isInVersion = !isItself || call.version === request.version;
  const next = copyJSON(isInVersion ? after : await resource.convert(after, request.version));
  if (isItself) resource.strategy.default?.(next, request);
  return next;
}

/** A mutation that can't be applied; the failure policy decides whether the request is denied. */
class MutationFailedError extends Error {}

/** Applies one mutation of a policy to an object and returns the result; the object itself is not changed. */
function mutateObject(
  { mutation, patch }: CompiledMutation,
  object: ApiObject,
  names: PolicyNames,
  schema: SchemaNode | undefined,
): ApiObject {
  const budget = new Budget(runtimeBudget);
  try {
    const outcome = runExpression(patch, names(budget), budget);
    if ("error" in outcome) throw new MutationFailedError(outcome.error);
    return mutation.patchType === "JSONPatch"
      ? applyOperations(outcome.value, object)
      : applyConfiguration(outcome.value, object, schema);
  } catch (error) {
    if (error instanceof OutOfBudgetError || error instanceof EvalError)
      throw new MutationFailedError(error.message);
    throw error;
  }
}

function applyConfiguration(value: Value, object: ApiObject, schema: SchemaNode | undefined): ApiObject {
  if (!(value instanceof WrittenObject)) throw new MutationFailedError("unsupported return type");
  checkTypes(value);
  const applied = toJSON(value) as JSONObject;
  const { apiVersion, kind } = object;
  try {
    return mergeApplyConfiguration(
      object as unknown as JSONObject,
      { ...applied, apiVersion, kind },
      schema,
    ) as never;
  } catch (error) {
    if (error instanceof SchemaMismatchError)
      throw new MutationFailedError(`error applying patch: ${error.message}`);
    throw error;
  }
}

/** If a `test` operation fails, the object stays as it is. */
function applyOperations(value: Value, object: ApiObject): ApiObject {
  const operations = [...(value as CelList)].map((operation) => operationOf(operation as WrittenObject));
  try {
    return applyJSONPatch(object as unknown as JSONObject, operations as never) as never;
  } catch (error) {
    if (error instanceof FailedTestError) return object;
    if (error instanceof PatchError) throw new MutationFailedError(`JSON Patch: ${error.message}`);
    throw error;
  }
}

function operationOf(operation: WrittenObject): Record<string, unknown> {
  const { op = "", path = "", from, ...rest } = Object.fromEntries(operation.values);
  const value = rest["value"];
  if (value instanceof WrittenObject) checkTypes(value);
  return {
    op,
    path,
    ...(from !== undefined && from !== "" && { from }),
    ...(value !== undefined && { value: toJSON(value) }),
  };
}

function checkTypes(value: WrittenObject): void {
  const wrong = [...wrongTypeNames(value, value.celType.name)];
  if (wrong.length > 0) throw new MutationFailedError(`type mismatch: ${wrong.join("\n")}`);
}

/** Finds objects whose type name is not the path of their field, such as `Object.spec`; items have the list's path. */
function* wrongTypeNames(value: Value, path: string): Generator<string> {
  if (value instanceof WrittenObject) {
    const { name } = value.celType;
    if (name !== path) {
      const detail = "which matches field name path from root Object type";
      yield `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, ${detail}`;
    }
    for (const [field, child] of value.values) yield* wrongTypeNames(child, `${path}.${field}`);
  } else if (value instanceof CelList) {
    for (const item of value) yield* wrongTypeNames(item, path);
  } else if (value instanceof CelMap) {
    for (const key of value.keys()) yield* wrongTypeNames(value.find(key)!, path);
  }
}

/** A JSON patch must leave an object of a built-in kind valid against its Go type. */
function checkDecodes(object: ApiObject, schema: ObjectSchema | undefined): void {
  try {
    const problems = (schema?.unknownFields(object) ?? []).map(
      (path) => `unknown field ${JSON.stringify(path)}`,
    );
    if (problems.length > 0) throw new DecodeError(`strict decoding error: ${problems.join(", ")}`);
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}

/** Denies the request if there are faults that count: the message is that of the first, and all are causes. */
function refuse(request: AdmissionRequest, faults: readonly Fault[]): void {
  const counted = faults.filter(({ policy }) => policy.spec.failurePolicy !== "Ignore");
  if (counted.length === 0) return;
  const causes = counted.map((fault) => ({ message: messageOf(fault) }));
  const { details } = refusalSubject(request);
  throw new StatusError(403, counted[0]!.reason ?? "Forbidden", causes[0]!.message, { ...details, causes });
}

function messageOf({ policy, binding, fault }: Fault): string {
  const policyName = policy.metadata.name!;
  return binding
    ? `policy '${policyName}' with binding '${binding.metadata.name}' denied request: ${fault}`
    : `policy ${JSON.stringify(policyName)} denied request: ${fault}`;
}
