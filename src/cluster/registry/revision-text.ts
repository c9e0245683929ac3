import { StatusError } from "../contract/status-error.ts";

/** The number that the resource version of an object stands for: none is 0. Fails with Go's message. */
export function parseRevision(sent: string | null | undefined): bigint {
  const text = sent ?? "";
  const why = problemOf(text);
  if (why !== undefined)
    throw new StatusError(500, undefined, `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
  return BigInt(text);
}

/** Whether a resource version is not a number of 64 bits. */
export function isUnreadable(text = ""): boolean {
  return problemOf(text) !== undefined;
}

function problemOf(text: string): string | undefined {
  if (!/^\d*$/.test(text)) return "invalid syntax";
  return BigInt(text) < 2n ** 64n ? undefined : "value out of range";
}
