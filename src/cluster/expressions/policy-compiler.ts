import {
  appliedObjectType,
  type CelType,
  jsonPatchType,
  listType,
  mapType,
  objectType,
  types,
} from "@tsbuilder/apimachinery/cel";
import { type Compilation, compileExpression } from "./compile-expression.ts";
import { expressionEnv } from "./expression-env.ts";

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

  variable(name: string, expression: string): Compilation {
    const compiled = compileExpression(expression, this.#env({ authorizer: true }));
    this.#fields.set(name, "program" in compiled ? fieldType(compiled.type) : types.dyn);
    this.variables.set(name, compiled);
    return compiled;
  }

  condition(expression: string): Compilation {
    return compileExpression(expression, this.#env({ authorizer: true }), types.bool);
  }

  /** Message expressions have no `authorizer`. */
  message(expression: string): Compilation {
    return compileExpression(expression, this.#env({ authorizer: false }), types.string);
  }

  auditAnnotation(expression: string): Compilation {
    return compileExpression(expression, this.#env({ authorizer: true }), types.string, types.null);
  }

  applyConfiguration(expression: string): Compilation {
    return compileExpression(expression, this.#env({ authorizer: true, mutations: true }), appliedObjectType);
  }

  jsonPatch(expression: string): Compilation {
    const env = this.#env({ authorizer: true, mutations: true });
    return compileExpression(expression, env, listType(jsonPatchType));
  }

  #env(more: { authorizer: boolean; mutations?: boolean }) {
    return expressionEnv({
      params: this.#params,
      ...more,
      ...(this.variablesType && { variables: this.variablesType }),
    });
  }
}

const scalars: ReadonlySet<CelType["kind"]> = new Set([
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
  return scalars.has(type.kind) && !type.isWrapper ? type : types.dyn;
}
