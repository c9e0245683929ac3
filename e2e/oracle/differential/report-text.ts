import { isDeepStrictEqual } from "node:util";
import { kindOf } from "./classify.ts";
import type { Difference } from "./compare-servers.ts";
import type { DifferenceClass, Report } from "./run.ts";

/** Formats the result of a comparison for a terminal: each class with a request, and the parts of the answers that differ. */
export function reportText({ classes, ...counts }: Report): string {
  const { answers, different, accepted, differentAccepted, wronglyAccepted, wronglyAcceptedOften } = counts;
  return [
    ...classes.map(classText),
    `${answers} answers, ${different} differ (${percent(different, answers)})`,
    `${accepted} of them accepted by the real server, ${differentAccepted} differ (${percent(differentAccepted, accepted)})`,
    `${wronglyAccepted.length} accepted by the embedded server alone${namesOf(wronglyAccepted)}`,
    `${wronglyAcceptedOften.length} of them about the forty most used kinds or custom objects${namesOf(wronglyAcceptedOften)}`,
  ].join("\n");
}

/** Formats a few differences of a class. */
function namesOf(differences: readonly Difference[]): string {
  if (differences.length === 0) return "";
  return `: ${differences.map(({ story, step }) => `${kindOf(story)} by ${step.method} ${step.path}`).join(", ")}`;
}

function classText({ name, count, example: { step, real, embedded } }: DifferenceClass): string {
  return [
    `${count} × ${name}`,
    `  ${step.method} ${step.path} ${step.type ?? ""}`,
    `  ${textOf(step.body)}`,
    `  real:     ${real.code} ${textOf(withoutEqual(real.body, embedded.body))}`,
    `  embedded: ${embedded.code} ${textOf(withoutEqual(embedded.body, real.body))}`,
    "",
  ].join("\n");
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "none" : `${((100 * part) / whole).toFixed(1)} %`;
}

function textOf(value: unknown): string {
  return value === undefined ? "no body" : JSON.stringify(value).slice(0, 600);
}

/** The parts of a value that are not the same in another one. */
function withoutEqual(value: unknown, other: unknown): unknown {
  if (typeof value !== "object" || value === null || typeof other !== "object" || other === null)
    return value;
  if (Array.isArray(value) !== Array.isArray(other)) return value;
  const members = Object.entries(value)
    .map(([name, child]) => [name, child as unknown, (other as Record<string, unknown>)[name]] as const)
    .filter(([, child, theirs]) => !isDeepStrictEqual(child, theirs))
    .map(([name, child, theirs]) => [name, withoutEqual(child, theirs)]);
  return Object.fromEntries(members);
}
