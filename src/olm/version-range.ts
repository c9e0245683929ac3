import { compareSemver, parseSemver, type Semver } from "@tsbuilder/apimachinery/semver";

type Condition = (version: Semver) => boolean;

/**
 * Parses a range of versions, as in `olm.skipRange`: `>=1.0.0 <1.2.0 || =2.0.0`. A condition is an operator and a version; all
 * conditions between two `||` must hold. At the end of a version, `x` stands for any number: `1.x`, `1.2.x`. Returns a test
 * for versions, and undefined if the text is no range.
 */
export function parseRange(text: string): Condition | undefined {
  // OLM requires blanks around `||`.
  if (/[^ ]\|\||\|\|[^ ]/u.test(text)) return undefined;
  const alternatives = text.split("||").map(parseConditions);
  if (alternatives.some((one) => one === undefined)) return undefined;
  return (version) => alternatives.some((conditions) => conditions!.every((holds) => holds(version)));
}

function parseConditions(text: string): Condition[] | undefined {
  // A blank may stand between an operator and its version.
  const words = text
    .replaceAll(/([<>=!]) +/gu, "$1")
    .split(" ")
    .filter((word) => word !== "");
  const conditions = words.map(parseCondition);
  return words.length > 0 && conditions.every((one) => one !== undefined) ? conditions : undefined;
}

function parseCondition(word: string): Condition | undefined {
  const [, operator = "", written = ""] = /^\s*(>=|<=|!=|==|>|<|=|!)?\s*(.*)$/su.exec(word) ?? [];
  const [, fixedPart = "", wildcards] = /^(.*?)((?:\.x){1,2})?$/u.exec(written) ?? [];
  // OLM takes every x for a wildcard, and so rejects 1.0.0-next.
  if (written.includes("x") && (wildcards === undefined || written.split(".").length > 3)) return undefined;
  const fixedParts = wildcards === undefined ? 0 : fixedPart.split(".").length;
  const first = parseSemver(fixedParts === 0 ? fixedPart : `${fixedPart}${".0".repeat(3 - fixedParts)}`);
  if (!first) return undefined;
  const [major, minor] = first.numbers;
  // The first version after those that a wildcard stands for. OLM counts parts: 1.x.x is 1.0.x.
  const isMinor = written.split(".").length === 2;
  const end: Semver | undefined =
    fixedParts === 0
      ? undefined
      : { numbers: isMinor ? [major + 1n, 0n, 0n] : [major, minor + 1n, 0n], prerelease: [] };
  const isAtLeast: Condition = (version) => compareSemver(version, first) >= 0;
  const isAbove: Condition = (version) =>
    end ? compareSemver(version, end) >= 0 : compareSemver(version, first) > 0;
  switch (operator) {
    case ">":
      return isAbove;
    case ">=":
      return isAtLeast;
    case "<":
      return (version) => !isAtLeast(version);
    case "<=":
      return (version) => !isAbove(version);
    case "!":
    case "!=":
      return (version) => !isAtLeast(version) || isAbove(version);
    default:
      return (version) => isAtLeast(version) && !isAbove(version);
  }
}
