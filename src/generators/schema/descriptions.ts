import type { Schema } from "./schema.ts";

/** Limits all descriptions of a schema to a number of bytes, at the end of a sentence or word; 0 removes them. */
export function limitDescriptions(schema: Schema, limit: number | undefined): Schema {
  if (limit === undefined) return schema;
  return mapSchema(schema, (node) =>
    node.description === undefined
      ? node
      : { ...node, description: limit === 0 ? undefined : cutText(node.description, limit) },
  );
}

/** Cuts a text to at most `limit` bytes, at the last full stop, or else at the last whitespace. */
export function cutText(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // Never within a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  const cut = bytes.subarray(0, end).toString();
  const sentence = lastIndexOf(cut, /\p{Sentence_Terminal}/u);
  if (sentence > 0) return cut.slice(0, sentence + 1);
  const space = lastIndexOf(cut, /\s/u);
  return `${space > 0 ? cut.slice(0, space) : cut}...`;
}

function lastIndexOf(text: string, pattern: RegExp): number {
  for (let i = text.length - 1; i > 0; i--) if (pattern.test(text[i]!)) return i;
  return -1;
}

/** Rebuilds a schema bottom-up. */
export function mapSchema(schema: Schema, edit: (schema: Schema) => Schema): Schema {
  const copy: Schema = { ...schema };
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, property]) => [name, mapSchema(property, edit)]),
    );
  }
  if (copy.items) copy.items = mapSchema(copy.items, edit);
  if (typeof copy.additionalProperties === "object") {
    copy.additionalProperties = mapSchema(copy.additionalProperties, edit);
  }
  return edit(copy);
}
