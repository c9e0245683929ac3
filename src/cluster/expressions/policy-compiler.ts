// CEL expressions of admission policies and webhooks. This file compiles them with their variables,
// `request-names.ts` gives the variables values, and `expression.ts` evaluates on a cost budget.

import type { CelType, Env, Value } from "@tsbuilder/apimachinery/cel";
import {
  CelObject,
  EvalError,
  OutOfBudgetError,
  appliedObjectType,
  authorizerType,
  jsonPatchType,
  kubernetesEnv,
  listType,
  mapType,
  mutationStructs,
  mutations,
  objectType,
  perCallLimit,
  resourceCheckType,
  types,
} from "@tsbuilder/apimachinery/cel";
import { type Budget, type Compilation, type Names, compileExpression } from "./expression.ts";

/**
 * Compiles the expressions of one policy. Each variable is in scope, with its type, for the expressions compiled after
 * it. A policy without variables can be compiled without `variables` in scope.
 */
export class PolicyCompiler {
  readonly variables = new Map<string, Compilation>();
  readonly variablesType: CelType | undefined;
  readonly #fields = new Map<string, CelType>();
  readonly #params: boolean;

  constructor(options: { readonly params: boolean; readonly variables: boolean }) {
    this.#params = options.params;
    this.variablesType = options.variables ? objectType("kubernetes.variables", this.#fields) : undefined;
  }

  /** Compiles a variable, and adds it to the scope of later expressions. */
  variable(name: string, expression: string): Compilation {
    const compiled = compileExpression(expression, this.#env());
    this.#fields.set(name, "program" in compiled ? fieldType(compiled.type) : types.dyn);
    this.variables.set(name, compiled);
    return compiled;
  }

  condition(expression: string): Compilation {
    return compileExpression(expression, this.#env(), types.bool);
  }

  /** Message expressions have no `authorizer`. */
  message(expression: string): Compilation {
    return compileExpression(expression, this.#env({ authorizer: false }), types.string);
  }

  auditAnnotation(expression: string): Compilation {
    return compileExpression(expression, this.#env(), types.string, types.null);
  }

  applyConfiguration(expression: string): Compilation {
    return compileExpression(expression, this.#env({ mutates: true }), appliedObjectType);
  }

  jsonPatch(expression: string): Compilation {
    const env = this.#env({ mutates: true });
    return compileExpression(expression, env, listType(jsonPatchType));
  }

  /** The variables and functions of an expression. Mutations also have `Object{…}` and `JSONPatch{…}`. */
  #env({ authorizer = true, mutates = false } = {}): Env {
    const names: Array<readonly [string, CelType]> = [
      ["object", types.dyn],
      ["oldObject", types.dyn],
      ["namespaceObject", namespaceType],
      ["request", requestType],
    ];
    if (this.#params) names.push(["params", types.dyn]);
    if (authorizer) {
      names.push(["authorizer", authorizerType], ["authorizer.requestResource", resourceCheckType]);
    }
    if (this.variablesType) names.push(["variables", this.variablesType]);
    return (mutates ? mutationEnv() : kubernetesEnv()).withVariables(names);
  }
}

const scalarKinds: ReadonlySet<CelType["kind"]> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "null",
  "string",
  "timestamp",
  "uint",
]);

/** Scalars, and lists and maps of these, keep their type; all other variables are dynamic. */
function fieldType(type: CelType): CelType {
  if (type.kind === "list") return listType(fieldType(type.params[0]!));
  if (type.kind === "map") return mapType(fieldType(type.params[0]!), fieldType(type.params[1]!));
  return scalarKinds.has(type.kind) && !type.isWrapper ? type : types.dyn;
}

let withMutations: Env | undefined;

function mutationEnv(): Env {
  withMutations ??= kubernetesEnv().extend({ libraries: [mutations], structs: mutationStructs });
  return withMutations;
}

const { string } = types;
const strings = listType(string);

const kindType = structType("GroupVersionKind", { group: string, version: string, kind: string });

const resourceType = structType("GroupVersionResource", { group: string, version: string, resource: string });

const requestType = structType("AdmissionRequest", {
  kind: kindType,
  resource: resourceType,
  subResource: string,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: structType("UserInfo", {
    username: string,
    uid: string,
    groups: strings,
    extra: mapType(string, strings),
  }),
  dryRun: types.bool,
  options: types.dyn,
});

const stringMap = mapType(string, string);

/** The type of `namespaceObject`: as on the real server without owners and managed fields, and with `UID`. */
const namespaceType = structType("Namespace", {
  metadata: structType("NamespaceMetadata", {
    name: string,
    generateName: string,
    namespace: string,
    labels: stringMap,
    annotations: stringMap,
    UID: string,
    creationTimestamp: types.timestamp,
    deletionGracePeriodSeconds: types.int,
    deletionTimestamp: types.timestamp,
    generation: types.int,
    resourceVersion: string,
    finalizers: strings,
  }),
  spec: structType("NamespaceSpec", { finalizers: strings }),
  status: structType("NamespaceStatus", {
    conditions: listType(
      structType("NamespaceCondition", {
        status: string,
        type: string,
        lastTransitionTime: types.timestamp,
        message: string,
        reason: string,
      }),
    ),
    phase: string,
  }),
});

function structType(name: string, fields: Record<string, CelType>): CelType {
  return objectType(`kubernetes.${name}`, new Map(Object.entries(fields)));
}

/** The `variables` of a policy: each is evaluated once, when it is first read. */
export class LazyVariables extends CelObject {
  readonly celType: CelType;
  readonly #definitions: ReadonlyMap<string, Compilation>;
  readonly #evaluated = new Map<string, Value | EvalError>();
  readonly #names: Names;
  readonly #budget: Budget;

  constructor(
    type: CelType,
    definitions: ReadonlyMap<string, Compilation>,
    { names, budget }: { names: Names; budget: Budget },
  ) {
    super();
    this.celType = type;
    this.#definitions = definitions;
    this.#budget = budget;
    this.#names = (name) => (name === "variables" ? this : names(name));
  }

  get size(): number {
    return this.#definitions.size;
  }

  has(field: string): boolean {
    return this.#definitions.has(field);
  }

  fields(): string[] {
    return [...this.#definitions.keys()];
  }

  find(field: string): Value | undefined {
    const definition = this.#definitions.get(field);
    if (!definition) return undefined;
    const outcome = this.#evaluated.get(field) ?? this.#evaluate(field, definition);
    this.#evaluated.set(field, outcome);
    if (outcome instanceof EvalError) throw outcome;
    return outcome;
  }

  #evaluate(name: string, definition: Compilation): Value | EvalError {
    const variable = `composited variable ${JSON.stringify(name)}`;
    if ("detail" in definition) return new EvalError(`${variable} fails to compile: ${definition.detail}`);
    const { value, error, cost } = definition.program.evaluate(this.#names, perCallLimit);
    this.#budget.spend(cost);
    if (error instanceof OutOfBudgetError) throw error;
    if (!error) return value!;
    return new EvalError(`${variable} fails to evaluate: ${error.message}`);
  }
}
