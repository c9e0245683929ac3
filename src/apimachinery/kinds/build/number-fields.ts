import { readFileSync } from "node:fs";
import type { ModelType } from "./model.ts";

/** Returns the protobuf field numbers of types from the overlay: `{ Container: { name: "1?", … } }`. */
export function numberFields(types: readonly ModelType[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    types.map((type) => {
      const numbers = (overlay ??= readOverlay()).get(`${type.module}.${type.name}`) ?? {};
      checkNumbers(type, numbers);
      return [type.name, numbers];
    }),
  );
}

let overlay: Map<string, Record<string, string>> | undefined;

function readOverlay(): Map<string, Record<string, string>> {
  const text = readFileSync(new URL("overlay/field-numbers.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [type = "", ...fields] = line.split(" ");
      return [type, Object.fromEntries(fields.map((field) => field.split("=")))];
    }),
  );
}

function checkNumbers({ module, name, fields }: ModelType, numbers: Readonly<Record<string, string>>): void {
  // A kind's own apiVersion and kind are in the envelope around the message.
  const expected = fields
    .map((field) => field.name)
    .filter((field) => field !== "apiVersion" && field !== "kind");
  const missing = expected.filter((field) => numbers[field] === undefined);
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(numbers).filter((field) => !known.has(field));
  if (missing.length + unknown.length > 0) {
    throw new Error(
      `${module}.${name}: fields without a number: ${missing.join(", ")}; numbers of unknown fields: ${unknown.join(", ")}`,
    );
  }
}
