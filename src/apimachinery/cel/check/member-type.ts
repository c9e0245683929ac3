import { reservedWords } from "../syntax/token.ts";
import { type CelType, formatType, types } from "../types/type.ts";

/** Returns the type of a field, or an error message. */
export function memberType(target: CelType, field: string): CelType | string {
  switch (target.kind) {
    case "map":
      return target.params[1]!;
    case "object": {
      // A keyword may be selected, although the field is declared under its escaped name.
      const keyword = reservedWords.has(field) ? `__${field}__` : field;
      if (target.isOpen) return types.dyn;
      if (!target.fields) return `unexpected failed resolution of '${target.name}'`;
      return target.fields.get(field) ?? target.fields.get(keyword) ?? `undefined field '${field}'`;
    }
    case "param":
    case "dyn":
    case "error":
      return types.dyn;
    default:
      return `type '${formatType(target)}' does not support field selection`;
  }
}

/** Returns the types of the one or two iteration variables, or undefined if the type can't be iterated. */
export function iterationTypes(range: CelType, pairs: boolean): readonly [CelType, CelType] | undefined {
  switch (range.kind) {
    case "list":
      return pairs ? [types.int, range.params[0]!] : [range.params[0]!, range.params[0]!];
    case "map":
      return [range.params[0]!, range.params[1]!];
    case "dyn":
    case "error":
    case "param":
      return [types.dyn, types.dyn];
    default:
      return undefined;
  }
}
