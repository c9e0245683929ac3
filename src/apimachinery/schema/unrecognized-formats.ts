import type { JSONSchema } from "./json-schema.ts";
import { nodesOf } from "./nodes-of.ts";
import { effectiveFormat } from "./validate/schema-types.ts";

/** The formats in a schema that the API server ignores, and warns of. */
export function* unrecognizedFormats(schema: JSONSchema): Generator<string, void> {
  for (const node of nodesOf(schema)) {
    const { type, format } = node;
    if (format && effectiveFormat(node, type ? [type] : []) === "") yield format;
  }
}
