import { compareText } from "@tsbuilder/apimachinery/text";

/** The characters of generated names: no vowels, so that no words appear. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A short hash for names of pods and revisions, the same for equal values regardless of the order of their fields.
 * Another `attempt` gives another hash, in case of a collision.
 */
export function templateHash(value: unknown, attempt = 0): string {
  const text = `${canonicalText(value)}${attempt > 0 ? attempt : ""}`;
  // FNV-1a with 32 bits.
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return String(hash).replace(/\d/g, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]!);
}

/** JSON with sorted keys. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member)}`);
  return `{${members.join(",")}}`;
}
