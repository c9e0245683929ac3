/**
 * Splits a JSON pointer (RFC 6901) into its unescaped tokens; `""` is the whole document.
 * As on the API server, text before the first slash is ignored.
 */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Formats tokens as a JSON pointer (RFC 6901). */
export function formatPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
