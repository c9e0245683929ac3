import { formatCheck } from "../formats/formats.ts";
import type { JSONSchema } from "../json-schema.ts";
import { compilePattern } from "../pattern.ts";
import type { Run } from "./run.ts";

/** Compiles what a node asks of strings; only the first broken one of length and pattern is reported. */
export function compileString(
  schema: JSONSchema,
  format: string,
): ((value: string, run: Run) => void) | undefined {
  const { minLength, maxLength, pattern } = schema;
  const matches = pattern === undefined || pattern === "" ? undefined : compilePattern(pattern);
  const isFormatted = formatCheck(format);
  if (minLength === undefined && maxLength === undefined && !matches && !isFormatted) return undefined;

  return (value, run) => {
    if (maxLength !== undefined && value.length > maxLength && countCharacters(value) > maxLength) {
      run.tooLong(maxLength);
    } else if (minLength !== undefined && isShorter(value, minLength)) {
      run.invalid(value, `should be at least ${minLength} chars long`);
    } else if (matches && !matches.test(value)) {
      run.invalid(value, `should match '${matches.error ?? pattern!}'`);
    }
    if (isFormatted) {
      run.matches++;
      if (!isFormatted(value)) run.wrongFormat(format, value);
    }
  };
}

function isShorter(value: string, min: number): boolean {
  return value.length < min || (value.length < min * 2 && countCharacters(value) < min);
}

/** Lengths count Unicode characters, not UTF-16 units. */
function countCharacters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}
