import { type MistakeClass, refOf, refText } from "../contract/index.ts";
import type { Finding } from "./examine.ts";

/** Classes that say it all, whatever brings them about. */
const plain = new Set<Finding["class"]>([
  "hot-loop",
  "fight",
  "hang",
  "foreign-object",
  "forbidden",
  "without-lease",
  "conditions",
]);

/** Names a mistake after what is left once everything else was left out. */
export function classify({ class: found, scenario, run }: Finding): MistakeClass {
  const { faults = [], steps = [] } = scenario;
  const kinds = new Set(faults.map(({ fault }) => fault));
  const isStale = faults.some((fault) => fault.fault === "crash" && fault.lag !== undefined);
  const applied = new Set(
    steps.flatMap((step) => (step.do === "apply" ? [refText(refOf(step.object))] : [])),
  );
  if (found !== "differs" && (plain.has(found) || faults.length === 0)) {
    return (found === "hot-loop" || found === "fight") && applied.size > 1 && faults.length === 0
      ? "collision"
      : found;
  }
  if (isStale) return "stale-view";
  if (kinds.has("crash") || kinds.has("suspend") || kinds.has("clock") || kinds.has("lease"))
    return "interrupted";
  if (kinds.has("hold") || kinds.has("break") || kinds.has("expire") || kinds.has("cut"))
    return "missed-event";
  if (kinds.has("refuse") || kinds.has("webhook")) return "unretried";
  if (kinds.has("delete-child") || kinds.has("edit-child") || kinds.has("recreate-child")) return "drift";
  if (steps.some((step) => step.do !== "settle" && step.strange) || run.rejected.length > 0) return "stuck";
  return applied.size > 1 ? "collision" : "history";
}
