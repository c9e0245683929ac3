import { createHash } from "node:crypto";

/** A short text that stands for a value. */
export function hashOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("base64");
}
