import { isBase64, isBsonObjectId, isHexColor, isRGBColor, isSSN, isUUID } from "./codes.ts";
import { isCreditCard, isISBN10, isISBN13 } from "./checksums.ts";
import { isDate, isDateTime, isDuration } from "./times.ts";
import { isEmail } from "./email.ts";
import { isHostname, isLongName, isShortName } from "./names.ts";
import { isMAC, parseCIDR, parseIP } from "./ip.ts";
import { parseRequestURI } from "./go-url.ts";

/**
 * The string formats that a Kubernetes 1.36 API server enforces, by name without dashes;
 * it ignores every other format.
 */
const formats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["bsonobjectid", isBsonObjectId],
  ["byte", isBase64],
  ["cidr", (value: string) => parseCIDR(value, { sloppy: true }) !== undefined],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", isHexColor],
  ["hostname", isHostname],
  ["ipv4", (value: string) => value.includes(".") && parseIP(value, { sloppy: true }) !== undefined],
  ["ipv6", (value: string) => value.includes(":") && parseIP(value) !== undefined],
  ["isbn", (value: string) => isISBN10(value) || isISBN13(value)],
  ["isbn10", isISBN10],
  ["isbn13", isISBN13],
  ["k8slongname", isLongName],
  ["k8sshortname", isShortName],
  ["mac", isMAC],
  ["password", () => true],
  ["rgbcolor", isRGBColor],
  ["ssn", isSSN],
  ["uri", (value: string) => parseRequestURI(value) !== undefined],
  ["uuid", (value: string) => isUUID(value)],
  ["uuid3", (value: string) => isUUID(value, 3)],
  ["uuid4", (value: string) => isUUID(value, 4)],
  ["uuid5", (value: string) => isUUID(value, 5)],
]);

/** Returns true if the API server enforces a format. Dashes are ignored: `date-time` is `datetime`. */
export function isKnownFormat(format: string): boolean {
  return format !== "" && formats.has(format.replaceAll("-", ""));
}

/** Returns the check of a string format, or undefined for an unknown one. */
export function formatCheck(format: string): ((value: string) => boolean) | undefined {
  return formats.get(format.replaceAll("-", ""));
}
