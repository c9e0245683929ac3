import { compareSemver, parseSemver, type Semver } from "../../semver/semver.ts";
import { type FunctionDecl, type TypeOf, declare, method, typed } from "../functions/function.ts";
import { objectType } from "../types/type.ts";
import { EvalError, succeeds } from "../values/eval-error.ts";
import { Boxed, type Int, type Value, toInt } from "../values/value.ts";

const { bool, int, string } = typed;

export const semverType: TypeOf<SemverValue> = objectType("kubernetes.Semver");

class SemverValue extends Boxed<Semver> {
  readonly celType = semverType;

  equals(other: Value): boolean {
    return other instanceof SemverValue && compare(this, other) === 0;
  }
}

const compare = (a: SemverValue, b: SemverValue): Int => compareSemver(a.content, b.content);

const numberMethod = (name: string, index: 0 | 1 | 2): FunctionDecl =>
  method(name, `semver_${name}`, [semverType], int, ({ content }) => toInt(content.numbers[index]));

const isSemver = succeeds(parse);
const pair = [semverType, semverType] as const;

/** Kubernetes' semver library. The second argument of `semver` and `isSemver` allows versions to be normalized. */
export const semvers: readonly FunctionDecl[] = [
  declare("semver", "string_to_semver", [string], semverType, parse),
  declare("semver", "string_bool_to_semver", [string, bool], semverType, parse),
  declare("isSemver", "is_semver_string", [string], bool, isSemver),
  declare("isSemver", "is_semver_string_bool", [string, bool], bool, isSemver),
  method("isGreaterThan", "semver_is_greater_than", pair, bool, (a, b) => compare(a, b) === 1),
  method("isLessThan", "semver_is_less_than", pair, bool, (a, b) => compare(a, b) === -1),
  method("compareTo", "semver_compare_to", pair, int, compare),
  numberMethod("major", 0),
  numberMethod("minor", 1),
  numberMethod("patch", 2),
];

function parse(text: string, normalized = false): SemverValue {
  const version = parseSemver(normalized ? normalize(text) : text);
  if (version) return new SemverValue(version);
  if (text === "") throw new EvalError("Version string empty");
  if (text.split(".").length < 3) throw new EvalError("No Major.Minor.Patch elements found");
  throw new EvalError(`Invalid character(s) found in version "${text}"`);
}

/** Completes `v1.2` to `1.2.0` and `1` to `1.0.0`, and strips leading zeros: `01.2.3` becomes `1.2.3`. */
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
