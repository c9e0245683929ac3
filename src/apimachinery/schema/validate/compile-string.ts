import { formatCheck } from "../formats/formats.ts";
import type { JSONSchema } from "../json-schema.ts";
import { compilePattern } from "../pattern.ts";
import type { Run } from "./run.ts";

/** Compiles a node's validations of strings; of length and pattern, only the first error is reported. */
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

/** Lengths are counted in Unicode code points, not UTF-16 code units. */
function countCharacters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}
