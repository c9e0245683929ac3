import { RE2JS } from "re2js";
import { parseDuration } from "./times.ts";
import { parseCIDR, parseIP } from "./ip.ts";
import { parseRequestURI } from "./go-url.ts";

/** The numbers of Visa, Mastercard, Discover, American Express, Diners Club and JCB. */
const cardSchemes = new RegExp(
  [
    "^4\\d{12}(?:\\d{3})?$",
    "^5[1-5]\\d{14}$",
    "^6(?:011|5\\d\\d)\\d{12}$",
    "^3[47]\\d{13}$",
    "^3(?:0[0-5]|[68]\\d)\\d{11}$",
    "^(?:2131|1800|35\\d{3})\\d{11}$",
  ].join("|"),
);

/** The parts of addresses in RFC 5322, with non-ASCII characters (RFC 6532). */
const atomChar = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]";
const dotAtom = new RegExp(`^${atomChar}+(?:\\.${atomChar}+)*$`, "u");
const quotedString = /^"(?:[^"\\\p{Cc}]|\t|\\[ -~\t])*"$/u;
const domainLiteral = /^\[[^[\]\\\s]*\]$/;

/** The string formats that a Kubernetes 1.36 API server enforces, by name without dashes; it ignores all others. */
const formats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["bsonobjectid", matching(/^[0-9a-fA-F]{24}$/)],
  ["byte", isBase64],
  ["cidr", (value: string) => parseCIDR(value, { sloppy: true }) !== undefined],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", (value: string) => parseDuration(value) !== undefined],
  ["email", isEmail],
  ["hexcolor", matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
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
  // A US social security number.
  ["ssn", matching(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ["uri", (value: string) => parseRequestURI(value) !== undefined],
  ["uuid", isUUID],
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

function matching(pattern: RegExp): (value: string) => boolean {
  return (value) => pattern.test(value);
}

/** Standard base64 with padding; the API server rejects the empty string. */
function isBase64(value: string): boolean {
  return value.length > 0 && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

/** A card number of a known scheme with a valid check digit; other characters than digits are ignored. */
function isCreditCard(value: string): boolean {
  const digits = value.replaceAll(/[^0-9]+/g, "");
  return cardSchemes.test(digits) && luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  let sum = 0;
  digitsOf(digits).forEach((digit, index) => {
    const isDoubled = (digits.length - index) % 2 === 0;
    const weighted = isDoubled ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  });
  return sum;
}

/** A date, `2024-02-29`. */
function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** A time with a time zone. Hour, minute and second are range-checked, the zone is not. */
function isDateTime(value: string): boolean {
  const parts = value.toLowerCase().split("t");
  if (value.length < 4 || parts.length < 2 || !isDate(parts[0]!)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(parts[1]!);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * An address as Go's mail package parses it: `user@host`, `<user@host>`, or `Name <user@host>`,
 * with quoted local parts and names.
 */
function isEmail(value: string): boolean {
  const text = value.trim();
  const open = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  if (open === -1) return isAddress(text);
  return isName(text.slice(0, open).trim()) && isAddress(text.slice(open + 1, -1));
}

function isAddress(address: string): boolean {
  const at = address.lastIndexOf("@");
  if (at < 1) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  return (
    (dotAtom.test(local) || (quotedString.test(local) && local.length > 2)) &&
    (dotAtom.test(domain) || domainLiteral.test(domain))
  );
}

function isName(name: string): boolean {
  if (name === "" || quotedString.test(name)) return true;
  return name
    .split(/[ \t]+/)
    .every((word) => dotAtom.test(word) || quotedString.test(word) || /^[^"<>()@,:;\\]+$/.test(word));
}

let hostname: RE2JS | undefined;

/** A host name of letters, digits, dashes and symbols of any script, each label at most 63 bytes. */
function isHostname(value: string): boolean {
  hostname ??= RE2JS.compile(hostnamePattern());
  if (!hostname.test(value) || Buffer.byteLength(value) > 255) return false;
  return value.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

/**
 * One label, or labels and a top-level domain of letters. As in the API server's pattern, a name that is one label can
 * have a dash only as its second character.
 */
function hostnamePattern(): string {
  const char = "[a-zA-Z0-9\\p{S}\\p{L}]";
  const inner = "[a-zA-Z0-9-\\p{S}\\p{L}]";
  const single = `${char}((-?${char}{0,62})?)`;
  const label = `${char}((${inner}{0,61}${char})?)`;
  return `^(${single}|(${label}(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`;
}

/** Ten digits, the last may be X; spaces and dashes are ignored. */
function isISBN10(value: string): boolean {
  const digits = withoutSeparators(value);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = digitsOf(digits).reduce((total, digit, index) => total + (index + 1) * digit, 0);
  return sum % 11 === 0;
}

/** Thirteen digits; spaces and dashes are ignored. */
function isISBN13(value: string): boolean {
  const digits = withoutSeparators(value);
  if (!/^\d{13}$/.test(digits)) return false;
  const weighted = digitsOf(digits.slice(0, 12)).map((digit, index) => (index % 2 === 0 ? digit : 3 * digit));
  const sum = weighted.reduce((total, digit) => total + digit, 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function digitsOf(text: string): number[] {
  return Array.from(text, (char) => (char === "X" ? 10 : Number(char)));
}

function withoutSeparators(value: string): string {
  return value.replaceAll(/[\t\n\f\r -]+/g, "");
}

/** Short names joined by dots, at most 253 characters in total. */
function isLongName(value: string): boolean {
  return value.length <= 253 && value.split(".").every(isLabel);
}

/** At most 63 lower-case letters, digits and inner dashes. */
function isShortName(value: string): boolean {
  return value.length <= 63 && isLabel(value);
}

function isLabel(label: string): boolean {
  return /^[a-z0-9-]+$/.test(label) && !label.startsWith("-") && !label.endsWith("-");
}

/** A MAC address of 6, 8 or 20 bytes, separated by colons, dashes or (in groups of four digits) dots. */
function isMAC(value: string): boolean {
  const byBytes = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2})*$/;
  if (byBytes.test(value)) return [17, 23, 59].includes(value.length);
  return /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(value) && [14, 19, 49].includes(value.length);
}

/** `rgb(r,g,b)` with three numbers of at most 255. */
function isRGBColor(value: string): boolean {
  const match =
    /^rgb\([\t\n\f\r ]*(\d+)[\t\n\f\r ]*,[\t\n\f\r ]*(\d+)[\t\n\f\r ]*,[\t\n\f\r ]*(\d+)[\t\n\f\r ]*\)$/.exec(
      value,
    );
  return (
    match !== null && match.slice(1).every((part) => String(Number(part)) === part && Number(part) < 256)
  );
}

/** A UUID in upper or lower case, with or without dashes; checks the version if one is given. */
function isUUID(value: string, version?: 3 | 4 | 5): boolean {
  const match =
    /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i.exec(value);
  if (!match) return false;
  if (version === undefined) return true;
  if (match[1] !== String(version)) return false;
  return version === 3 || "89abAB".includes(match[2]!);
}
