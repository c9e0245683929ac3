import type { RecordedAction, RecordedFault } from "./recorded.ts";

type Input = RecordedAction["input"];

interface Words {
  readonly done: string;
  readonly wanted: string;
  readonly what: string;
}

const words: Readonly<Record<string, (input: Input) => Words>> = {
  restart: () => ({ done: "restarted", wanted: "restart", what: "the operator" }),
  "lose-leader": () => ({ done: "gave", wanted: "give", what: "the operator's Lease to another replica" }),
  "move-clock": (input) => ({ done: "moved", wanted: "move", what: describeMove(input) }),
  fail: describePlan,
  restore: ({ at = "a moment" }) => ({ done: "brought", wanted: "bring", what: `the cluster back to ${at}` }),
  delete: (input) => ({ done: "deleted", wanted: "delete", what: objectOf(input) }),
  apply: (input) => ({ done: "wrote", wanted: "write", what: objectOf(input) }),
};

/** Describes an action on the page in words, or that it was refused. */
export function describeAction({ name, input, outcome, error }: RecordedAction): string {
  const known = Object.hasOwn(words, name) ? words[name] : undefined;
  const { done, wanted, what } = known?.(input) ?? { done: "did", wanted: "do", what: name };
  if (outcome === "done") return `${done} ${what}`;
  return `could not ${wanted} ${what}${error === undefined ? "" : `: ${error}`}`;
}

/** Describes a planned failure that a request met. */
export function describeFault({ verb, resource, ...outcome }: RecordedFault): string {
  return `had the operator's request to ${verb} ${resource} ${outcomeOf(outcome)}`;
}

function describePlan({ verb, resource, times = 1, code, delay }: Input): Words {
  const requests = `to ${verb} ${resource}`;
  if (times === 0) return { done: "let", wanted: "let", what: `requests ${requests} pass again` };
  const which = times === 1 ? "the next request" : `the next ${times} requests`;
  return { done: "has", wanted: "have", what: `${which} ${requests} ${outcomeOf({ code, delay })}` };
}

function describeMove({ seconds }: Input): string {
  return `the clock forward${typeof seconds === "number" ? ` by ${span(seconds)}` : ""}`;
}

function outcomeOf({ code, delay }: { readonly code?: unknown; readonly delay?: unknown }): string {
  if (typeof delay === "number") return `wait for ${delay / 1000} s`;
  return `fail with ${String(code)}`;
}

const units = [
  ["day", 86_400],
  ["h", 3600],
  ["min", 60],
] as const;

/** Formats seconds in the largest unit in which they are a whole number. */
function span(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size} ${unit}`;
}

function objectOf({ kind = "an object", namespace, name = "" }: Input): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`.trim();
}
