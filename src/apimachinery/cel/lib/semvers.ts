import { declare, type FunctionDecl, method, overload } from "../functions/function.ts";
import { objectType, types } from "../types/type.ts";
import { EvalError } from "../values/eval-error.ts";
import { ExtensionValue } from "../values/extension.ts";
import { type Int, maxUint, toInt } from "../values/int.ts";
import type { Value } from "../values/value.ts";

const { bool, int, string } = types;

/** The type of semantic versions. */
export const semverType = objectType("kubernetes.Semver");

class SemverValue extends ExtensionValue {
  readonly celType = semverType;
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: Value): boolean {
    return other instanceof SemverValue && order(this, other) === 0;
  }
}

const number = "(0|[1-9]\\d*)";
const identifier = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const pattern = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

function read(text: string): SemverValue | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const numbers = [BigInt(match[1]!), BigInt(match[2]!), BigInt(match[3]!)] as const;
  if (numbers.some((one) => one > maxUint)) return undefined;
  return new SemverValue(numbers, match[4]?.split(".") ?? []);
}

/** Normalizes `v1.2`, `1` and `01.2.3`. */
function normalize(text: string): string {
  const parts = text.replace(/^v/, "").split(".");
  const main = [...parts.slice(0, 2), ...(parts.length > 2 ? [parts.slice(2).join(".")] : [])].map((part) => {
    if (part.length < 2) return part;
    const trimmed = part.replace(/^0+/, "");
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (main.length < 3 && /[+-]/.test(main.at(-1)!)) {
    throw new EvalError("short version cannot contain PreRelease/Build meta data");
  }
  while (main.length < 3) main.push("0");
  return main.join(".");
}

function parse(text: string, normalized = false): SemverValue {
  const version = read(normalized ? normalize(text) : text);
  if (version) return version;
  if (text === "") throw new EvalError("Version string empty");
  if (text.split(".").length < 3) throw new EvalError("No Major.Minor.Patch elements found");
  throw new EvalError(`Invalid character(s) found in version "${text}"`);
}

function isSemver(text: string, normalized = false): boolean {
  try {
    parse(text, normalized);
    return true;
  } catch (error) {
    if (error instanceof EvalError) return false;
    throw error;
  }
}

/** Compares versions: build metadata is ignored, a prerelease comes before its release. */
function order(a: SemverValue, b: SemverValue): Int {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] > b.numbers[index] ? 1 : -1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (let index = 0; index < Math.min(a.prerelease.length, b.prerelease.length); index++) {
    const difference = compareIdentifiers(a.prerelease[index]!, b.prerelease[index]!);
    if (difference !== 0) return difference;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numeric identifiers come before alphanumeric ones, and are compared as numbers. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Math.sign(Number(BigInt(a) - BigInt(b)));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (a === b) return 0;
  return a > b ? 1 : -1;
}

const pair = [semverType, semverType];
const part = (name: string, index: 0 | 1 | 2): FunctionDecl =>
  declare(
    name,
    method(`semver_${name}`, [semverType], int, ({ numbers }: SemverValue) => toInt(numbers[index])),
  );

/** The functions of the semver library. */
export const semvers: readonly FunctionDecl[] = [
  declare(
    "semver",
    overload("string_to_semver", [string], semverType, parse),
    overload("string_bool_to_semver", [string, bool], semverType, parse),
  ),
  declare(
    "isSemver",
    overload("is_semver_string", [string], bool, isSemver),
    overload("is_semver_string_bool", [string, bool], bool, isSemver),
  ),
  declare(
    "isGreaterThan",
    method("semver_is_greater_than", pair, bool, (a: SemverValue, b: SemverValue) => order(a, b) === 1),
  ),
  declare(
    "isLessThan",
    method("semver_is_less_than", pair, bool, (a: SemverValue, b: SemverValue) => order(a, b) === -1),
  ),
  declare("compareTo", method("semver_compare_to", pair, int, order)),
  part("major", 0),
  part("minor", 1),
  part("patch", 2),
];
