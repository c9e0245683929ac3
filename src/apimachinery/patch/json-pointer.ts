/**
 * Splits a JSON pointer (RFC 6901) into its unescaped steps; `""` is the whole document.
 * What stands before the first slash is ignored, as the API server does.
 */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Writes steps as a JSON pointer (RFC 6901). */
export function formatPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
