import type { Value } from "../values/value.ts";

/** Turns a JSON value into the value that CEL sees; lists and objects turn their content when it is read. */
export type Adapter = (json: unknown) => Value;
