import { compareText } from "../text/text.ts";

/** A semantic version; build metadata, which follows a +, doesn't count. */
export interface Semver {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** `["rc", "1"]` of `1.0.0-rc.1` */
  readonly prerelease: readonly string[];
}

const numberPattern = "(0|[1-9]\\d*)";
const identifierPattern = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const pattern = new RegExp(
  `^${numberPattern}\\.${numberPattern}\\.${numberPattern}(?:-(${identifierPattern}(?:\\.${identifierPattern})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
  "u",
);
/** Go's packages hold the numbers in 64 bits. */
const maxNumber = 2n ** 64n - 1n;

/** Parses a semantic version, which has three numbers and no leading v; undefined if the text is not one. */
export function parseSemver(text: string): Semver | undefined {
  const [, major, minor, patch, prerelease] = pattern.exec(text) ?? [];
  if (major === undefined) return undefined;
  const numbers = [BigInt(major), BigInt(minor!), BigInt(patch!)] as const;
  return numbers.some((number) => number > maxNumber)
    ? undefined
    : { numbers, prerelease: prerelease?.split(".") ?? [] };
}

/** Compares semantic versions: a prerelease comes before its release. */
export function compareSemver(a: Semver, b: Semver): -1 | 0 | 1 {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index]!;
    if (number !== other) return number > other ? 1 : -1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return sign(b.prerelease.length - a.prerelease.length);
  for (const [index, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return sign(a.prerelease.length - b.prerelease.length);
}

/** Returns the tags of releases among those of a repository, such as `v1.2.0`, the newest first. A prerelease is none. */
export function releaseTags(tags: readonly string[]): string[] {
  return tags
    .flatMap((tag) => {
      const version = parseSemver(tag.replace(/^v/u, ""));
      return version?.prerelease.length === 0 ? [{ tag, version }] : [];
    })
    .sort((a, b) => compareSemver(b.version, a.version))
    .map(({ tag }) => tag);
}

/** Numeric identifiers come before alphanumeric ones, and are compared as numbers. */
function compareIdentifiers(a: string, b: string): -1 | 0 | 1 {
  const [isNumber, isOtherNumber] = [/^\d+$/u.test(a), /^\d+$/u.test(b)];
  if (isNumber && isOtherNumber) return sign(Number(BigInt(a) - BigInt(b)));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return sign(compareText(a, b));
}

function sign(difference: number): -1 | 0 | 1 {
  return Math.sign(difference) as -1 | 0 | 1;
}
