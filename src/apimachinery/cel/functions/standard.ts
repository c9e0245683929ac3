import { arithmetic } from "./arithmetic.ts";
import { collections } from "./collections.ts";
import { comparison } from "./comparison.ts";
import { conversions } from "./conversions.ts";
import { type FunctionDecl, anyType, declare, typed } from "./function.ts";
import { text } from "./text.ts";
import { times } from "./times.ts";
import type { Value } from "../values/value.ts";

const { bool } = typed;
const any = anyType("A");

const compiledSeparately = (): Value => {
  throw new Error("compiled separately");
};

/** The logical operators. `compile-expr.ts` compiles all but negation, because they don't always need all operands. */
const logic = [
  declare("_?_:_", "conditional", [bool, any, any], any, compiledSeparately),
  declare("_&&_", "logical_and", [bool, bool], bool, compiledSeparately),
  declare("_||_", "logical_or", [bool, bool], bool, compiledSeparately),
  declare("!_", "logical_not", [bool], bool, (a) => !a),
  // The loop condition of `all` and `exists`; only macros call it.
  declare("@not_strictly_false", "not_strictly_false", [bool], bool, compiledSeparately),
];

/** The functions and operators of CEL's standard library, which every environment has. */
export const standard: readonly FunctionDecl[] = [
  ...arithmetic,
  ...collections,
  ...comparison,
  ...conversions,
  ...logic,
  ...text,
  ...times,
];
