// CEL expressions of admission policies and webhooks. This file compiles them with their variables,
// `request-names.ts` gives the variables values, and `expression.ts` evaluates on a cost budget.

import * as cel from "@tsbuilder/apimachinery/cel";
import { type Budget, type Compilation, type Names, compileExpression } from "./expression.ts";

/**
 * Compiles the expressions of one policy. Each variable is in scope, with its type, for the expressions compiled after
 * it. A policy without variables can be compiled without `variables` in scope.
 */
export class PolicyCompiler {
  readonly variables = new Map<string, Compilation>();
  readonly variablesType: cel.CelType | undefined;
  readonly #fields = new Map<string, cel.CelType>();
  readonly #params: boolean;

  constructor(options: { readonly params: boolean; readonly variables: boolean }) {
    this.#params = options.params;
    this.variablesType = options.variables ? cel.objectType("kubernetes.variables", this.#fields) : undefined;
  }

  /** Compiles a variable, and adds it to the scope of later expressions. */
  variable(name: string, expression: string): Compilation {
    const compiled = compileExpression(expression, this.#env());
    this.#fields.set(name, "program" in compiled ? fieldType(compiled.type) : cel.types.dyn);
    this.variables.set(name, compiled);
    return compiled;
  }

  condition(expression: string): Compilation {
    return compileExpression(expression, this.#env(), cel.types.bool);
  }

  /** Message expressions have no `authorizer`. */
  message(expression: string): Compilation {
    return compileExpression(expression, this.#env({ authorizer: false }), cel.types.string);
  }

  auditAnnotation(expression: string): Compilation {
    return compileExpression(expression, this.#env(), cel.types.string, cel.types.null);
  }

  applyConfiguration(expression: string): Compilation {
    return compileExpression(expression, this.#env({ mutates: true }), cel.appliedObjectType);
  }

  jsonPatch(expression: string): Compilation {
    const env = this.#env({ mutates: true });
    return compileExpression(expression, env, cel.listType(cel.jsonPatchType));
  }

  /** The variables and functions of an expression. Mutations also have `Object{…}` and `JSONPatch{…}`. */
  #env({ authorizer = true, mutates = false } = {}): cel.Env {
    const names: Array<readonly [string, cel.CelType]> = [
      ["object", cel.types.dyn],
      ["oldObject", cel.types.dyn],
      ["namespaceObject", namespaceType],
      ["request", requestType],
    ];
    if (this.#params) names.push(["params", cel.types.dyn]);
    if (authorizer) {
      names.push(["authorizer", cel.authorizerType], ["authorizer.requestResource", cel.resourceCheckType]);
    }
    if (this.variablesType) names.push(["variables", this.variablesType]);
    return (mutates ? mutationEnv() : cel.kubernetesEnv()).withVariables(names);
  }
}

const scalarKinds: ReadonlySet<cel.CelType["kind"]> = new Set([
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
function fieldType(type: cel.CelType): cel.CelType {
  if (type.kind === "list") return cel.listType(fieldType(type.params[0]!));
  if (type.kind === "map") return cel.mapType(fieldType(type.params[0]!), fieldType(type.params[1]!));
  return scalarKinds.has(type.kind) && !type.isWrapper ? type : cel.types.dyn;
}

let withMutations: cel.Env | undefined;

function mutationEnv(): cel.Env {
  withMutations ??= cel.kubernetesEnv().extend({ libraries: [cel.mutations], structs: cel.mutationStructs });
  return withMutations;
}

const { string } = cel.types;
const strings = cel.listType(string);
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
    extra: cel.mapType(string, strings),
  }),
  dryRun: cel.types.bool,
  options: cel.types.dyn,
});

const stringMap = cel.mapType(string, string);

/** The type of `namespaceObject`: as on the real server without owners and managed fields, and with `UID`. */
const namespaceType = structType("Namespace", {
  metadata: structType("NamespaceMetadata", {
    name: string,
    generateName: string,
    namespace: string,
    labels: stringMap,
    annotations: stringMap,
    UID: string,
    creationTimestamp: cel.types.timestamp,
    deletionGracePeriodSeconds: cel.types.int,
    deletionTimestamp: cel.types.timestamp,
    generation: cel.types.int,
    resourceVersion: string,
    finalizers: strings,
  }),
  spec: structType("NamespaceSpec", { finalizers: strings }),
  status: structType("NamespaceStatus", {
    conditions: cel.listType(
      structType("NamespaceCondition", {
        status: string,
        type: string,
        lastTransitionTime: cel.types.timestamp,
        message: string,
        reason: string,
      }),
    ),
    phase: string,
  }),
});

function structType(name: string, fields: Record<string, cel.CelType>): cel.CelType {
  return cel.objectType(`kubernetes.${name}`, new Map(Object.entries(fields)));
}

/** The `variables` of a policy: each is evaluated once, when it is first read. */
export class LazyVariables extends cel.CelObject {
  readonly celType: cel.CelType;
  readonly #definitions: ReadonlyMap<string, Compilation>;
  readonly #evaluated = new Map<string, cel.Value | cel.EvalError>();
  readonly #names: Names;
  readonly #budget: Budget;

  constructor(
    type: cel.CelType,
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

  find(field: string): cel.Value | undefined {
    const definition = this.#definitions.get(field);
    if (!definition) return undefined;
    const outcome = this.#evaluated.get(field) ?? this.#evaluate(field, definition);
    this.#evaluated.set(field, outcome);
    if (outcome instanceof cel.EvalError) throw outcome;
    return outcome;
  }

  #evaluate(name: string, definition: Compilation): cel.Value | cel.EvalError {
    const variable = `composited variable ${JSON.stringify(name)}`;
    if ("detail" in definition)
      return new cel.EvalError(`${variable} fails to compile: ${definition.detail}`);
    const { value, error, cost } = definition.program.evaluate(this.#names, cel.perCallLimit);
    this.#budget.spend(cost);
    if (error instanceof cel.OutOfBudgetError) throw error;
    if (!error) return value!;
    return new cel.EvalError(`${variable} fails to evaluate: ${error.message}`);
  }
}
