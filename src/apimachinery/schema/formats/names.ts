import { RE2JS } from "re2js";

let hostname: RE2JS | undefined;

/** A host name of letters, digits, dashes and symbols of any script, each label at most 63 bytes. */
export function isHostname(value: string): boolean {
  hostname ??= RE2JS.compile(hostnamePattern());
  if (!hostname.test(value) || Buffer.byteLength(value) > 255) return false;
  return value.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

/** At most 63 lower-case letters, digits and inner dashes. */
export function isShortName(value: string): boolean {
  return value.length <= 63 && isLabel(value);
}

/** Short names joined by dots, at most 253 characters in total. */
export function isLongName(value: string): boolean {
  return value.length <= 253 && value.split(".").every(isLabel);
}

function isLabel(label: string): boolean {
  return /^[a-z0-9-]+$/.test(label) && !label.startsWith("-") && !label.endsWith("-");
}

/**
 * One label, or labels and a top-level domain of letters. As in the API server's pattern, the first alternative is
 * anchored at the start only, the second at the end only.
 */
function hostnamePattern(): string {
  const char = "[a-zA-Z0-9\\p{S}\\p{L}]";
  const inner = "[a-zA-Z0-9-\\p{S}\\p{L}]";
  const single = `${char}((-?${char}{0,62})?)`;
  const label = `${char}((${inner}{0,61}${char})?)`;
  return `^(${single}|(${label}(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`;
}
