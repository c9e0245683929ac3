import { EvalError } from "../values/eval-error.ts";
import { CelList } from "../values/list.ts";
import { typeOf } from "../values/type-of.ts";
import type { Value } from "../values/value.ts";

/** The functions whose names cel-go omits in the error. */
const anonymous: ReadonlySet<string> = new Set([
  "@in",
  "contains",
  "endsWith",
  "find",
  "findAll",
  "matches",
  "startsWith",
]);

/** The error of values without a matching overload, which is possible with dynamic types only. */
export function noSuchOverload(name: string, values: readonly Value[]): EvalError {
  if (/^[_!-]/.test(name) || anonymous.has(name)) return new EvalError("no such overload");
  if (name === "size" || (name === "join" && !(values[0] instanceof CelList))) {
    return new EvalError(`no such overload: ${name}`);
  }
  const types = values.map((value) => typeOf(value).runtimeName);
  return new EvalError(`no such overload: ${name}(${types.join(", ")})`);
}
