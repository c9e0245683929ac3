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

/** What is wrong with an expression, in the words of the API server. */
export interface ExpressionProblem {
  readonly detail: string;
  /** The type fits, and yet no program comes of it: the server calls that an internal error. */
  readonly internal?: boolean;
}

export type Compilation = CompiledExpression | ExpressionProblem;

/** Compiles an expression that must have one of the given types; of any type where none is given. */
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

/** Messages name types as values print them. */
function shown(type: CelType): string {
  return type.params.length > 0 ? formatType(type) : type.runtimeName;
}
