import type { Call, Expr } from "../ast.ts";
import type { Env } from "../check/env.ts";
import { EvalError } from "../values/eval-error.ts";
import { NativeList } from "../values/list.ts";
import { NativeMap } from "../values/map.ts";
import { noSuchOverload } from "./no-such-overload.ts";
import type { Value } from "../values/value.ts";

/** The conversions that are evaluated at compile time if their argument is a constant. */
const conversions: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/**
 * Returns the value of a constant expression, or undefined. Folded expressions cost nothing at run time; as on the API
 * server, they are literals, literal lists and maps, and conversions.
 */
export function constantOf(expr: Expr, env: Env): Value | undefined {
  switch (expr.kind) {
    case "literal":
      return expr.value;
    case "list":
      return expr.optional.size > 0 ? undefined : constantList(expr.items, env);
    case "map": {
      if (expr.entries.some(({ optional }) => optional)) return undefined;
      const keys = expr.entries.map(({ key }) => constantOf(key, env));
      const values = expr.entries.map(({ value }) => constantOf(value, env));
      if (keys.includes(undefined) || values.includes(undefined)) return undefined;
      return constantMap(keys as Value[], values as Value[]);
    }
    case "call":
      return constantConversion(expr, env);
    default:
      return undefined;
  }
}

function constantList(items: readonly Expr[], env: Env): Value | undefined {
  const values = items.map((item) => constantOf(item, env));
  return values.includes(undefined) ? undefined : new NativeList(values as Value[]);
}

function constantMap(keys: readonly Value[], values: readonly Value[]): Value | undefined {
  try {
    return new NativeMap(keys.map((key, index) => [key, values[index]!] as const));
  } catch (error) {
    // A repeated key is an error at run time.
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

function constantConversion({ name, target, args, overloads }: Call, env: Env): Value | undefined {
  if (target || args.length !== 1 || !conversions.has(name)) return undefined;
  const argument = constantOf(args[0]!, env);
  if (argument === undefined) return undefined;
  const candidates = overloads ?? env.findFunction(name)?.overloads ?? [];
  const fitting = candidates.find((candidate) => candidate.accepts([argument]));
  if (!fitting) throw noSuchOverload(name, [argument]);
  return fitting.apply([argument]);
}
