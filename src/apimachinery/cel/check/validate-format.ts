import type { Call, Expr } from "../ast.ts";
import type { Issue } from "../syntax/issue.ts";

/** The types that a formatting clause accepts, and the message for others. */
const clauses: Readonly<Record<string, { readonly kinds: readonly string[]; readonly message: string }>> = {
  s: {
    kinds: [
      "list",
      "map",
      "int",
      "uint",
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null",
    ],
    message:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
  d: { kinds: ["int", "uint"], message: "decimal clause can only be used on integers" },
  f: { kinds: ["double", "string"], message: "fixed-point clause can only be used on doubles" },
  e: { kinds: ["double", "string"], message: "scientific clause can only be used on doubles" },
  b: { kinds: ["int", "uint", "bool"], message: "only integers and bools can be formatted as binary" },
  o: { kinds: ["int", "uint"], message: "octal clause can only be used on integers" },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    message: "only integers, byte buffers, and strings can be formatted as hex",
  },
};

/** Checks a literal format string against the literal list of its arguments. */
export function checkFormatCall(call: Call, issues: Issue[]): void {
  const { target, args } = call;
  const list = args[0];
  if (call.name !== "format" || target?.kind !== "literal" || typeof target.value !== "string") return;
  if (args.length !== 1 || list?.kind !== "list") return;
  const report = (pos: number, message: string): number => issues.push({ pos, message });
  let used = 0;
  for (const [, percent, precision, clause] of target.value.matchAll(/%(?:(%)|(\.\d*)?(.)?)/gsu)) {
    if (percent !== undefined) continue;
    const known = clause === undefined ? undefined : clauses[clause === "X" ? "x" : clause];
    if (!known || (precision !== undefined && clause !== "f" && clause !== "e")) {
      report(call.pos, `could not parse formatting clause: unrecognized formatting clause "${clause ?? ""}"`);
      return;
    }
    const argument = list.items[used++];
    if (!argument) {
      report(call.pos, `index ${used - 1} out of range`);
      return;
    }
    const wrong = findWrong(argument, known.kinds);
    if (!wrong) continue;
    report(wrong.pos, `error during formatting: ${known.message}, was given ${wrong.type!.runtimeName}`);
    return;
  }
  if (list.items.length > used) {
    report(
      call.pos,
      `too many arguments supplied to string.format (expected ${used}, got ${list.items.length})`,
    );
  }
}

/** Returns the argument, or the part of a literal list or map, that a clause does not accept. */
function findWrong(expr: Expr, kinds: readonly string[]): Expr | undefined {
  const kind = expr.type?.kind ?? "dyn";
  if (kind !== "dyn" && !kinds.includes(kind)) return expr;
  if (expr.kind !== "list" && expr.kind !== "map") return undefined;
  const parts = expr.kind === "list" ? expr.items : expr.entries.flatMap(({ key, value }) => [key, value]);
  for (const part of parts) {
    const wrong = findWrong(part, kinds);
    if (wrong) return wrong;
  }
  return undefined;
}
