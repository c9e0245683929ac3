import type { RecordedAction, RecordedFault } from "./recorded.ts";

/** What somebody did on the page, in words. */
export function describeAction({ name, input, outcome, error }: RecordedAction): string {
  const what = texts[name]?.(input) ?? name;
  if (outcome === "done") return what;
  return `${what}, which was refused${error === undefined ? "" : `: ${error}`}`;
}

type Input = RecordedAction["input"];

const texts: Readonly<Record<string, (input: Input) => string>> = {
  restart: () => "restarted the operator",
  "lose-leader": () => "let another replica take the operator's Lease",
  "move-clock": ({ seconds }) =>
    `moved the clock forward${typeof seconds === "number" ? ` by ${span(seconds)}` : ""}`,
  fail: describePlan,
  restore: ({ at }) => `brought the cluster back to ${at}`,
  delete: (input) => `deleted ${objectOf(input)}`,
  apply: (input) => `wrote ${objectOf(input)}`,
};

/** What a request met that was to fail or to wait. */
export function describeFault({ verb, resource, ...outcome }: RecordedFault): string {
  return `had a request to ${verb} ${resource} ${outcomeOf(outcome)}`;
}

function describePlan({ verb, resource, times = 1, code, delay }: Input): string {
  if (times === 0) return `no longer has requests to ${verb} ${resource} fail`;
  const which = times === 1 ? "the next request" : `the next ${times} requests`;
  return `has ${which} to ${verb} ${resource} ${outcomeOf({ code, delay })}`;
}

function outcomeOf({ code, delay }: { readonly code?: unknown; readonly delay?: unknown }): string {
  if (typeof delay === "number") return `wait for ${delay / 1000} s`;
  return `fail with ${String(code)}`;
}

/** Seconds in the largest unit in which they are a whole number. */
function span(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size} ${unit}`;
}

const units = [
  ["h", 3600],
  ["min", 60],
] as const;

function objectOf({ kind = "an object", namespace, name = "" }: Input): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`.trim();
}
