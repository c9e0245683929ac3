import { stringify } from "yaml";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { Position } from "../shared/errors.ts";
import { count, listWords } from "../shared/text.ts";
import { type Allowance, allows, placeOfChange } from "./allowances.ts";
import type { ApiChange } from "./compare-crds.ts";
import { rules } from "./rules.ts";
import type { Witness } from "./witness.ts";

/** A change with its place in the sources, and with the reason if the project allows it. */
export interface ReportedChange extends Omit<ApiChange, "field"> {
  /** The line of TypeScript; absent for a kind that has no types any more. */
  readonly position?: Position;
  /** The reason from `config/api-changes.yaml`. A change with a reason does not count as an error. */
  readonly allowed?: string;
}

/** Adds positions and reasons to changes, and sorts the changes by file and line. */
export function reportChanges(
  changes: readonly ApiChange[],
  allowances: readonly Allowance[],
  positionOf: (change: ApiChange) => Position | undefined,
): ReportedChange[] {
  return changes
    .map((change): ReportedChange => {
      const { field: _, ...shown } = change;
      const position = positionOf(change);
      const allowed = allowances.find((one) => allows(one, change))?.reason;
      return { ...shown, ...(position && { position }), ...(allowed !== undefined && { allowed }) };
    })
    .toSorted(
      ({ position: a, ...one }, { position: b, ...two }) =>
        compareText(a?.file ?? "", b?.file ?? "") ||
        (a?.line ?? 0) - (b?.line ?? 0) ||
        compareText(placeOfChange(one), placeOfChange(two)),
    );
}

/** Returns true if a change makes the command fail. */
export function isBreaking({ severity, allowed }: ReportedChange): boolean {
  return severity === "error" && allowed === undefined;
}

/** Formats the changes that break somebody, and counts all changes. */
export function formatChanges(changes: readonly ReportedChange[], against: string): string {
  const told = changes.filter(({ severity }) => severity !== "none");
  const errors = told.filter(isBreaking).length;
  const allowed = told.filter((change) => change.allowed !== undefined).length;
  const counts = [
    count(errors, "error"),
    count(told.length - errors - allowed, "warning"),
    ...(allowed > 0 ? [`${allowed} allowed`] : []),
    `${count(changes.length - told.length, "change")} that ${changes.length - told.length === 1 ? "breaks" : "break"} nobody`,
  ];
  return [...told.map(formatChange), `Compared with ${against}: ${counts.join(", ")}`].join("\n");
}

function formatChange(change: ReportedChange): string {
  const { rule, severity, breaks, message, position, witness, allowed } = change;
  const at = position ? `${position.file}:${position.line}:${position.column}: ` : "";
  const state = allowed === undefined ? severity : "allowed";
  const lines = [`${at}${state}: ${placeOfChange(change)}: ${message} (${rule})`];
  if (allowed !== undefined) return [...lines, `    ${allowed}`].join("\n");
  if (breaks.length > 0) lines.push(`    breaks ${listWords(breaks, "and")}`);
  if (witness) lines.push(...describeWitness(witness).map((line) => `    ${line}`));
  else if (rules[rule].severity === "witness")
    lines.push("    no object was found that was valid before and is rejected now");
  return lines.join("\n");
}

const outcomes: Readonly<Record<Witness["outcome"], string>> = {
  refused: "valid before, rejected now",
  lost: "valid before and now, but loses data",
  "other value": "valid before and now, but with another value",
  unknown: "valid now, but earlier clients do not expect it",
};

/** Describes a witness for people, a line each. */
export function describeWitness({ outcome, object, old, detail, unchanged }: Witness): string[] {
  const indented = (value: object): string[] =>
    stringify(value)
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`);
  const kept = `a stored object like this can still be updated if ${unchanged} stays unchanged (ratcheting, Kubernetes 1.30 and newer)`;
  return [
    `${outcomes[outcome]}: ${detail}`,
    ...indented(object),
    ...(old ? ["as an update of:", ...indented(old)] : []),
    ...(unchanged === undefined ? [] : [kept]),
  ];
}
