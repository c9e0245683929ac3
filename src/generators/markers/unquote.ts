import { controlEscapes } from "@tsbuilder/apimachinery/text";
import { MarkerError } from "./marker-error.ts";
import type { Token } from "./scanner.ts";

const escapes: Readonly<Record<string, string>> = { ...controlEscapes, "\\": "\\", '"': '"' };

/** Removes the quotes of a string: with Go's escapes in double quotes, without any in backticks. */
export function unquote(token: Token): string {
  const inner = token.text.slice(1, -1);
  if (token.kind === "raw") return inner.replaceAll("\r", "");
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gu,
    (escape, x?: string, u?: string, long?: string, octal?: string, simple?: string, at = 0) => {
      const hex = x ?? u ?? long;
      const code =
        hex !== undefined ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined;
      if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
      const known = simple === undefined ? undefined : escapes[simple];
      if (known !== undefined) return known;
      throw new MarkerError(
        `"${escape}" is not a valid escape sequence`,
        token.start + 1 + at,
        "write \\\\ for a backslash, or put the string in backticks",
      );
    },
  );
}
