import {
  CelSyntaxError,
  type CelType,
  compileStrictly,
  type Env,
  EvalError,
  formatType,
  isSameType,
  type Program,
} from "@tsbuilder/apimachinery/cel";

/** An expression that can be evaluated. */
export interface CompiledExpression {
  readonly source: string;
  readonly type: CelType;
  readonly program: Program;
}

/** Why an expression does not compile, in the API server's words. */
export interface ExpressionProblem {
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
export function shown(type: CelType): string {
  return type.params.length > 0 ? formatType(type) : type.runtimeName;
}
