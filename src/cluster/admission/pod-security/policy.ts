import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";

export type Level = "privileged" | "baseline" | "restricted";

/** A Pod Security Standard and the Kubernetes version whose rules apply: `restricted:latest`. */
export interface Standard {
  readonly level: Level;
  readonly version: string;
}

/** The standards that a namespace sets. There is no audit log, so the `audit` labels are only validated. */
export interface Policy {
  readonly enforce: Standard;
  readonly warn: Standard;
  readonly errors: readonly FieldError[];
}

const prefix = "pod-security.kubernetes.io/";
const levels: readonly Level[] = ["privileged", "baseline", "restricted"];

/** Reads the labels of a namespace. An invalid `enforce` label means `restricted`; an invalid `warn` label, no warnings. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): Policy {
  const errors: FieldError[] = [];
  const check = (label: string, isValid: (value: string) => boolean, message: string): string | undefined => {
    const value = labels[prefix + label];
    if (value === undefined || isValid(value)) return value;
    errors.push(invalid(`metadata.labels[${prefix}${label}]`, value, message));
    return undefined;
  };
  const isLevel = (value: string): boolean => levels.some((level) => level === value);
  const level = (mode: string) =>
    check(mode, isLevel, `must be one of ${levels.join(", ")}`) as Level | undefined;
  const version = (mode: string) =>
    check(
      `${mode}-version`,
      (value) => /^(latest|v1\.(0|[1-9]\d*))$/.test(value),
      'must be "latest" or "v1.x"',
    );
  const enforced = level("enforce");
  const enforcedVersion = version("enforce") ?? "latest";
  level("audit");
  version("audit");
  const warned = level("warn");
  const warnedVersion = version("warn");
  const saysWarn = `${prefix}warn` in labels;
  const follows = !saysWarn && enforced !== undefined && enforced !== "privileged";
  const saysEnforce = `${prefix}enforce` in labels;
  return {
    enforce: { level: enforced ?? (saysEnforce ? "restricted" : "privileged"), version: enforcedVersion },
    warn: follows
      ? { level: enforced, version: warnedVersion ?? enforcedVersion }
      : { level: warned ?? "privileged", version: warnedVersion ?? "latest" },
    errors,
  };
}

export function isStricter(a: Level, b: Level): boolean {
  return levels.indexOf(a) > levels.indexOf(b);
}

export function nameOf({ level, version }: Standard): string {
  return `${level}:${version}`;
}
