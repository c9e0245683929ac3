import { compareText } from "@tsbuilder/apimachinery/text";

/** A version of a bundle: a semantic version without a leading v, as OLM compares them. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** `["rc", "1"]` of `1.0.0-rc.1` */
  readonly prerelease: readonly string[];
}

/** Parses a semantic version; undefined if it is none. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] = semantic.exec(text) ?? [];
  if (major === undefined) return undefined;
  const numbers = [Number(major), Number(minor), Number(patch)] as const;
  if (numbers.some((number) => !Number.isSafeInteger(number))) return undefined;
  return { numbers, prerelease: prerelease?.split(".") ?? [] };
}

/** The order of semantic versions: a prerelease comes before its release, and what stands behind a + doesn't count. */
export function compareSemver(a: Version, b: Version): number {
  const index = a.numbers.findIndex((number, i) => number !== b.numbers[i]);
  if (index !== -1) return a.numbers[index]! - b.numbers[index]!;
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length - a.prerelease.length;
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** The version at the end of the name of a ClusterServiceVersion, `1.0.0` of `shop.v1.0.0`. */
export function versionOfName(name: string): string | undefined {
  return /\.v(\d.*)$/u.exec(name)?.[1];
}

const number = "(0|[1-9]\\d*)";
const identifier = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const semantic = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
  "u",
);

function compareParts(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/u.test(a), /^\d+$/u.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return compareText(a, b);
}
