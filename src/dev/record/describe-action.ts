import type { RecordedAction, RecordedFault } from "./recorded.ts";

type Input = RecordedAction["input"];

/** An action in words: the verb as done and as wanted, and its object. */
interface ActionWords {
  readonly past: string;
  readonly infinitive: string;
  readonly object: string;
}

const wordsOfActions: Readonly<Record<string, (input: Input) => ActionWords>> = {
  restart: () => ({ past: "restarted", infinitive: "restart", object: "the operator" }),
  "lose-leader": () => ({
    past: "gave",
    infinitive: "give",
    object: "the operator's Lease to another replica",
  }),
  "move-clock": (input) => ({ past: "moved", infinitive: "move", object: describeMove(input) }),
  fail: describePlan,
  restore: ({ at = "a moment" }) => ({
    past: "brought",
    infinitive: "bring",
    object: `the cluster back to ${at}`,
  }),
  delete: (input) => ({ past: "deleted", infinitive: "delete", object: nameObject(input) }),
  apply: (input) => ({ past: "wrote", infinitive: "write", object: nameObject(input) }),
};

/** Describes an action on the page in words, or that it was refused. */
export function describeAction({ name, input, outcome, error }: RecordedAction): string {
  const words = Object.hasOwn(wordsOfActions, name) ? wordsOfActions[name]!(input) : undefined;
  const { past, infinitive, object } = words ?? { past: "did", infinitive: "do", object: name };
  if (outcome === "done") return `${past} ${object}`;
  return `could not ${infinitive} ${object}${error === undefined ? "" : `: ${error}`}`;
}

/** Describes a planned failure that a request met. */
export function describeFault({ verb, resource, ...outcome }: RecordedFault): string {
  return `had the operator's request to ${verb} ${resource} ${describeOutcome(outcome)}`;
}

function describePlan({ verb, resource, times = 1, code, delay }: Input): ActionWords {
  const requests = `to ${verb} ${resource}`;
  if (times === 0) return { past: "let", infinitive: "let", object: `requests ${requests} pass again` };
  const next = times === 1 ? "the next request" : `the next ${times} requests`;
  const object = `${next} ${requests} ${describeOutcome({ code, delay })}`;
  return { past: "has", infinitive: "have", object };
}

function describeMove({ seconds }: Input): string {
  return `the clock forward${typeof seconds === "number" ? ` by ${formatDuration(seconds)}` : ""}`;
}

function describeOutcome({ code, delay }: { readonly code?: unknown; readonly delay?: unknown }): string {
  if (typeof delay === "number") return `wait for ${delay / 1000} s`;
  return `fail with ${String(code)}`;
}

const units = [
  ["day", 86_400],
  ["h", 3600],
  ["min", 60],
] as const;

/** Formats seconds in the largest unit in which they are a whole number. */
function formatDuration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size} ${unit}`;
}

function nameObject({ kind = "an object", namespace, name = "" }: Input): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`.trim();
}
