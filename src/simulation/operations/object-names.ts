import { Random } from "../random/index.ts";
import { drawObject } from "./draw-object.ts";
import type { CheckedKind } from "./validity.ts";

/**
 * Names of objects: short, beginning alike, with digits, and as long as a label's value may be. An operator that
 * appends something to a long one gets names and labels that are rejected, unless it shortens them.
 */
export const objectNames: readonly string[] = [
  "web",
  "web-1",
  "web-10",
  "a",
  "db",
  `web-${"long-".repeat(11)}name`,
  "b-2",
];

/** Names that are cut are never shorter. */
const shortest = 8;

/** The names that a kind admits; long ones are cut to the length that its rules admit. */
export function admittedNames(kind: CheckedKind, names: readonly string[]): string[] {
  const drawing = { random: new Random(1), values: {}, optional: 0 };
  const [first] = names.filter((name) => name.length < shortest);
  const object = drawObject(kind, { name: first ?? "a" }, drawing);
  if (!object) return [...names];
  const admitted = names.flatMap((name) => {
    for (let length = name.length; length >= Math.min(shortest, name.length); length--) {
      const cut = name.slice(0, length).replace(/-+$/, "");
      if (kind.errors({ ...object, metadata: { ...object.metadata, name: cut } }).length === 0) return [cut];
    }
    return [];
  });
  return [...new Set(admitted)];
}
