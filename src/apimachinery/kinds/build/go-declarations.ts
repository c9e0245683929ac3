import { readFileSync } from "node:fs";
import type { ModelType } from "./model.ts";

/** Returns how Go declares the fields of types, from the overlay: `{ NodeCondition: "type!:v1.NodeConditionType …" }`. */
export function goDeclarations(types: readonly ModelType[]): Record<string, string> {
  const declared = types.flatMap((type) => {
    const line = (overlay ??= readOverlay()).get(`${type.module}.${type.name}`);
    checkFields(type, line ?? "");
    return line === undefined ? [] : [[type.name, line] as const];
  });
  return Object.fromEntries(declared);
}

let overlay: Map<string, string> | undefined;

function readOverlay(): Map<string, string> {
  const text = readFileSync(new URL("overlay/go-fields.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
}

function checkFields({ module, name, fields }: ModelType, line: string): void {
  const declared = new Set(line.split(" ").map((word) => /([^/?!=:]*)[?!=]?(?::.*)?$/u.exec(word)![1]!));
  const expected = fields
    .map((field) => field.name)
    .filter((field) => field !== "apiVersion" && field !== "kind");
  const missing = expected.filter((field) => !declared.has(field));
  if (missing.length > 0) {
    throw new Error(`${module}.${name}: fields without a Go declaration: ${missing.join(", ")}`);
  }
}
