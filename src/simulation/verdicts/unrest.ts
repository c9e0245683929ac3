import type { Scenario, TraceEvent, Verdict } from "../contract/index.ts";
import { type Change, isChange, operatorsByProcess, textOf } from "./changes.ts";
import { errors } from "./errors.ts";

/** How many of the last changes show who can't stop, and how old they may be. */
const shown = 60;
const recent = 600_000;

/** Writes without end, and those that a restart brings although nothing has changed. */
export function unrest(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const restless = trace.find((event) => event.type === "phase" && !event.rests);
  return restless?.type === "phase" ? withoutEnd(trace, restless, scenario) : byRestart(trace, scenario);
}

function withoutEnd(
  trace: readonly TraceEvent[],
  { at: end, busy }: TraceEvent & { readonly type: "phase" },
  scenario: Scenario,
): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const last = trace
    .filter(isChange)
    .filter(({ at }) => at > end - recent)
    .slice(-shown);
  const [key] = mostFrequent(last.filter(({ by }) => operators.has(by)).map(textOf));
  if (key === undefined) return errors(trace, scenario).length > 0 ? [] : hanging(trace, busy);
  const writes = last.filter((change) => textOf(change) === key);
  const writers = [...new Set(writes.map(({ by }) => by))];
  const [field] = mostFrequent(writes.flatMap(({ fields }) => fields));
  const what = field === undefined ? key : `${field} of ${key}`;
  if (writers.length > 1) return [fight(writers, what, [key])];
  return [{ class: "hot-loop", message: `${writers.join()} changes ${what} without end`, objects: [key] }];
}

/** A process that only works; the last request says what it was about to do. */
function hanging(trace: readonly TraceEvent[], busy: readonly string[] = []): Verdict[] {
  const last = trace.findLast((event) => event.type === "request" && busy.includes(event.process));
  const after = last?.type === "request" ? `; its last request was ${last.method} ${last.path}` : "";
  const message = `${busy.join(" and ") || "the cluster"} works without end, but changes nothing${after}`;
  return [{ class: "hang", message, objects: [] }];
}

function byRestart(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const from = trace.findIndex((event) => event.type === "phase" && event.phase === "steps");
  const to = trace.findIndex((event) => event.type === "phase" && event.phase === "restart");
  const changes = trace.slice(from, Math.max(from, to)).filter(isChange);
  const own = changes.filter(({ by }) => operators.has(by));
  const [first] = own;
  if (!first) return [];
  const objects = [...new Set(own.map(textOf))];
  const what = first.fields.length > 0 ? `${first.fields.join(", ")} of ${textOf(first)}` : textOf(first);
  const other = trace.filter(isChange).find((change) => isRival(change, first, operators));
  if (other) return [fight([first.by, other.by], what, objects)];
  const message = `nothing has changed, but after a restart ${first.by} changes ${what}`;
  return [{ class: "hot-loop", message, objects }];
}

/** Whether another operator, or an autoscaler, changes the same field, or created the object with it. */
function isRival(
  change: Change,
  { by, uid, fields }: Change,
  operators: ReadonlyMap<string, string>,
): boolean {
  const operator = operators.get(change.by) ?? (change.by === "autoscaler" ? change.by : undefined);
  if (operator === undefined || operator === operators.get(by) || change.uid !== uid) return false;
  return change.change === "ADDED" || change.fields.some((field) => fields.includes(field));
}

function fight(writers: readonly string[], what: string, objects: readonly string[]): Verdict {
  return { class: "fight", message: `${writers.join(" and ")} change ${what} without end`, objects };
}

function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([text]) => text);
}
