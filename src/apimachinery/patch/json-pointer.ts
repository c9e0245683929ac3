import { PatchError } from "./patch-error.ts";

/** Splits a JSON pointer (RFC 6901) into its unescaped steps; `""` is the whole document. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) {
    throw new PatchError("inapplicable", `JSON pointer must be empty or start with a "/": ${pointer}`);
  }
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Writes steps as a JSON pointer (RFC 6901). */
export function formatPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
