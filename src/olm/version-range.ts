import { compareSemver, parseSemver, type Semver } from "@tsbuilder/apimachinery/semver";

/** Versions between bounds, as in `olm.skipRange`: `>=1.0.0 <1.2.0 || =2.0.0`. */
export interface VersionRange {
  has(version: Semver): boolean;
}

/**
 * Parses a range: conditions of an operator and a version, all of which must hold, and alternatives between `||`. `x`
 * stands for any number at the end of a version. Undefined if it is no range.
 */
export function parseRange(text: string): VersionRange | undefined {
  const alternatives = text.split("||").map(parseConditions);
  if (alternatives.some((one) => one === undefined)) return undefined;
  return {
    has: (version) => alternatives.some((conditions) => conditions!.every((holds) => holds(version))),
  };
}

type Condition = (version: Semver) => boolean;

function parseConditions(text: string): Condition[] | undefined {
  // A blank may stand between an operator and its version.
  const words = text
    .trim()
    .replaceAll(/([<>=!])\s+/gu, "$1")
    .split(/\s+/u);
  const conditions = words.map(parseCondition);
  return conditions.every((one) => one !== undefined) ? conditions : undefined;
}

function parseCondition(word: string): Condition | undefined {
  const [, operator = "", written = ""] = /^(>=|<=|!=|==|>|<|=|!)?(.*)$/u.exec(word) ?? [];
  const [, known = "", wildcards] = /^(.*?)((?:\.[xX*]){1,2})?$/u.exec(written) ?? [];
  const count = (wildcards?.length ?? 0) / 2;
  const from = parseSemver(`${known}${".0".repeat(count)}`);
  if (!from) return undefined;
  const [major, minor] = from.numbers;
  // What comes after all versions that a wildcard stands for.
  const end: Semver | undefined =
    count === 0
      ? undefined
      : { numbers: count === 2 ? [major + 1n, 0n, 0n] : [major, minor + 1n, 0n], prerelease: [] };
  const isAtLeast: Condition = (version) => compareSemver(version, from) >= 0;
  const isBehind: Condition = (version) =>
    end ? compareSemver(version, end) >= 0 : compareSemver(version, from) > 0;
  switch (operator) {
    case ">":
      return isBehind;
    case ">=":
      return isAtLeast;
    case "<":
      return (version) => !isAtLeast(version);
    case "<=":
      return (version) => !isBehind(version);
    case "!":
    case "!=":
      return (version) => !isAtLeast(version) || isBehind(version);
    default:
      return (version) => isAtLeast(version) && !isBehind(version);
  }
}
