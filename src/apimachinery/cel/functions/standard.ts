import { arithmetic } from "./arithmetic.ts";
import { collections } from "./collections.ts";
import { comparison } from "./comparison.ts";
import { conversions } from "./conversions.ts";
import type { FunctionDecl } from "./function.ts";
import { logic } from "./logic.ts";
import { text } from "./text.ts";
import { times } from "./times.ts";

/** The functions of CEL's standard library. */
export const standard: readonly FunctionDecl[] = [
  ...arithmetic,
  ...collections,
  ...comparison,
  ...conversions,
  ...logic,
  ...text,
  ...times,
];
