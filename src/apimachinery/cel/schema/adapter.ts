import type { Value } from "../values/value.ts";

/** Converts a JSON value to a CEL value; the content of lists and objects is converted on access. */
export type Adapter = (json: unknown) => Value;
