import { stringify } from "yaml";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";
import type { ApiChange } from "./compare-crds.ts";
import { type ChangeRule, isChangeRule, rules } from "./rules.ts";
import { didYouMean } from "../shared/text.ts";

/** The file of a project that lists the changes that are made on purpose. */
export const allowanceFile = "config/api-changes.yaml";

/** A change that is made on purpose, or all changes of a class. */
export interface Allowance {
  readonly rule: ChangeRule;
  /** A place as `placeOfChange` writes it, or only its path, such as `.spec.replicas`. Absent: every place. */
  readonly path?: string;
  readonly reason: string;
}

/** Reads the allowances of a project. Throws a TsbuilderError for an invalid entry. */
export function readAllowances(tree: Tree): Allowance[] {
  const values = readYaml(allowanceFile, tree.read(allowanceFile) ?? "").flatMap((value) => value ?? []);
  return values.map((value) => {
    const { rule, path, reason } = isObject(value) ? value : {};
    if (
      typeof rule !== "string" ||
      typeof reason !== "string" ||
      !["string", "undefined"].includes(typeof path)
    )
      throw invalid(`an entry of "${allowanceFile}" needs a rule and a reason, and may have a path`);
    return allowance(rule, path as string | undefined, reason);
  });
}

/** Creates an allowance. Throws a TsbuilderError if there is no such class of changes. */
export function allowance(rule: string, path: string | undefined, reason: string): Allowance {
  if (!isChangeRule(rule)) {
    const meant = didYouMean(rule, Object.keys(rules));
    throw invalid(`there is no class of changes "${rule}"`, meant && `did you mean "${meant}"?`);
  }
  return { rule, ...(path !== undefined && { path }), reason };
}

function invalid(
  message: string,
  hint = `the classes are: ${Object.keys(rules).join(", ")}`,
): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_ARGUMENT", hint });
}

/** Formats the place of a change: `mysqls.apps.example.com/v1.spec.replicas`. */
export function placeOfChange({ crd, version, path }: Pick<ApiChange, "crd" | "version" | "path">): string {
  return `${crd}${version === undefined ? "" : `/${version}`}${path}`;
}

/** Returns true if an allowance applies to a change. */
export function allows({ rule, path }: Allowance, change: ApiChange): boolean {
  if (rule !== change.rule) return false;
  return path === undefined || path === change.path || path === placeOfChange(change);
}

/** Formats the file. */
export function formatAllowances(allowances: readonly Allowance[]): string {
  const comment =
    "# Breaking changes of the API that are made on purpose. Remove an entry once its change is released. To add one:\n#   tsbuilder api check --allow RULE=PATH --reason TEXT\n";
  return `${comment}${stringify(allowances)}`;
}
