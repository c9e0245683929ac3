import { optionalSets, rules } from "./rules.ts";

/** The optional sets, each with its rules. */
export function describeSets(): string[] {
  return Object.entries(optionalSets).flatMap(([set, about]) => [
    `${set}: ${about}`,
    ...Object.entries(rules)
      .filter(([, rule]) => rule.set === set)
      .map(([name, rule]) => `  ${name} (${rule.severity}): ${rule.about}`),
  ]);
}
