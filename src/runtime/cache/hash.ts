import { createHash } from "node:crypto";

/** A short text that identifies a value. */
export function hashOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("base64");
}
