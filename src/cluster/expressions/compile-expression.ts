import {
  CelSyntaxError,
  type CelType,
  type Env,
  EvalError,
  type Program,
  compileStrictly,
  formatType,
  isSameType,
  kubernetesEnv,
  mapType,
  objectType,
  quantityType,
  types,
} from "@tsbuilder/apimachinery/cel";

/** An expression that can be evaluated. */
interface CompiledExpression {
  readonly source: string;
  readonly type: CelType;
  readonly program: Program;
}

/** The API server's message about an expression that does not compile. */
interface ExpressionProblem {
  readonly detail: string;
  /** Type checking succeeded but the program could not be built, which the server reports as an internal error. */
  readonly internal?: boolean;
}

export type Compilation = CompiledExpression | ExpressionProblem;

/** Compiles an expression that must have one of the given types. Default: any type. */
export function compileExpression(source: string, env: Env, ...wanted: readonly CelType[]): Compilation {
  try {
    const { type, program } = compileStrictly(source, env);
    if (wanted.length > 0 && !wanted.some((each) => isSameType(each, type))) {
      return { detail: `must evaluate to ${listed(wanted)} but got ${shown(type)}` };
    }
    return { source, type, program };
  } catch (error) {
    if (error instanceof CelSyntaxError) return { detail: `compilation failed: ${error.message}` };
    if (error instanceof EvalError) {
      return { detail: `program instantiation failed: ${error.message}`, internal: true };
    }
    throw error;
  }
}

function listed(wanted: readonly CelType[]): string {
  return wanted.length === 1 ? shown(wanted[0]!) : `one of [${wanted.map(shown).join(" ")}]`;
}

/** The name of a type in messages. */
function shown(type: CelType): string {
  return type.params.length > 0 ? formatType(type) : type.runtimeName;
}

/** Compiles an expression that selects devices. Its type is bool, or dyn for an attribute. */
export function compileSelector(source: string): Compilation {
  const compiled = compileExpression(
    source,
    (deviceEnv ??= kubernetesEnv().withVariables([["device", deviceType]])),
  );
  if ("detail" in compiled) return compiled;
  const { type } = compiled;
  if (type.kind === "bool" || type.kind === "dyn") return compiled;
  return { detail: `must evaluate to bool or the unknown type, not ${shown(type)}` };
}

let deviceEnv: Env | undefined;

/** A map of maps: by domain, and in it by name. */
function qualified(value: CelType): CelType {
  return mapType(types.string, mapType(types.string, value));
}

/** The dynamic type under its name in protobuf. */
const any: CelType = { ...types.dyn, name: "google.protobuf.Any", runtimeName: "google.protobuf.Any" };

const deviceType = objectType(
  "kubernetes.DRADevice",
  new Map([
    ["driver", types.string],
    ["allowMultipleAllocations", types.bool],
    ["attributes", qualified(any)],
    ["capacity", qualified(quantityType)],
  ]),
);
