import type { Condition } from "@tsbuilder/apimachinery/meta";
import { duplicate, invalid, notSupported, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { checkConditionReason, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/sent.ts";
import { type Problems, refused } from "./problems.ts";

const statuses = ["False", "True", "Unknown"];
const longestReason = 1024;
const longestMessage = 32 * 1024;

/** Validates conditions of the type that most kinds share, for those kinds whose status the server validates. */
export function* conditionProblems(field: string, conditions: readonly Sent<Condition>[] = []): Problems {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = `${field}[${index}]`;
    const { type = "", status = "", observedGeneration = 0, reason = "", message = "" } = condition;
    if (seen.has(type)) yield duplicate(`${at}.type`, type);
    seen.add(type);
    yield* refused(`${at}.type`, type, checkQualifiedName(type));
    if (!statuses.includes(status)) yield notSupported(`${at}.status`, status, statuses);
    if (observedGeneration < 0) {
      const detail = "must be greater than or equal to zero";
      yield invalid(`${at}.observedGeneration`, observedGeneration, detail);
    }
    if (!condition.lastTransitionTime) yield required(`${at}.lastTransitionTime`);
    if (reason === "") yield required(`${at}.reason`);
    else yield* refused(`${at}.reason`, reason, checkConditionReason(reason));
    if (reason.length > longestReason) yield tooLong(`${at}.reason`, longestReason);
    if (message.length > longestMessage) yield tooLong(`${at}.message`, longestMessage);
  }
}
