import { faultText } from "../world/fault-plan.ts";
import { stepText } from "../world/user.ts";
import type { MistakeClass, Scenario, TraceEvent } from "../contract/index.ts";
import { advice, bookPages } from "./advice.ts";
import type { Finding } from "./examine.ts";

/** Tells the story of a finding: the class and its advice, the events, and the differences in the end. */
export function storyOf(finding: Finding, name: MistakeClass): string {
  const { scenario, run, compared } = finding;
  const { faults = [] } = scenario;
  const comparison =
    compared === "fresh"
      ? "In the end, other than if the same had been asked for from the start:"
      : compared === "undisturbed"
        ? "In the end, other than without the faults:"
        : "It is wrong that";
  return [
    `${name}: ${advice[name]}`,
    `  see ${bookPages[name]}`,
    ...faults.map((fault) => `  with the fault: ${faultText(fault)}`),
    "",
    ...eventLines(run.trace, scenario, compared !== undefined),
    "",
    comparison,
    ...finding.lines.map((line) => `  ${line}`),
  ].join("\n");
}

/** The most lines of a story: a loop has no end. */
const mostLines = 40;

function eventLines(events: readonly TraceEvent[], { steps = [] }: Scenario, isCompared: boolean): string[] {
  const end = isCompared ? events.findIndex(({ type }) => type === "phase") + 1 : events.length;
  const trace = events.slice(0, end);
  const reasons = new Map(
    steps.flatMap((step) => (step.do !== "settle" && step.why ? [[stepText(step), step.why]] : [])),
  );
  const lines = trace.flatMap((event) => {
    const text = eventLine(event, reasons);
    return text === undefined ? [] : [`  ${(event.at / 1000).toFixed(3).padStart(9)} s  ${text}`];
  });
  return lines.length <= mostLines
    ? lines
    : [...lines.slice(0, mostLines), `  … and ${lines.length - mostLines} more`];
}

/** Describes an event in a line; undefined for events that a story omits. */
function eventLine(event: TraceEvent, reasons: ReadonlyMap<string, string>): string | undefined {
  switch (event.type) {
    case "start":
      return `${event.process} starts`;
    case "died":
      return `${event.process} dies`;
    case "leads":
      return `${event.process} leads`;
    case "claims":
      return undefined;
    case "fault":
      return `FAULT: ${event.text}`;
    case "step": {
      const why = reasons.get(event.text);
      return `the user: ${event.text}${why === undefined ? "" : `, which ${why}`}${event.status >= 400 ? `: rejected with ${event.status}` : ""}`;
    }
    case "request":
      return `${event.process}: ${event.method} ${event.path.split("?")[0]}: ${event.status || "no answer"}`;
    case "call":
      return `${event.process} calls ${event.to}: ${event.text}: ${event.status ?? "no answer"}`;
    case "webhook":
      return `the API server calls ${event.process ?? "nobody"} at ${event.path}: ${event.status || "no answer"}`;
    case "watch":
      return `${event.process} learns: ${event.event} ${event.path.split("/").at(-1)} ${event.key}`;
    case "change": {
      const what = {
        ADDED: "is created",
        MODIFIED: `changes in ${event.fields.join(", ")}`,
        DELETED: "is gone",
      }[event.change];
      return event.by === "user" ? undefined : `    ${event.resource} ${event.key} ${what} (by ${event.by})`;
    }
    case "log":
      return `${event.process} logs: ${event.message}${event.error === undefined ? "" : `: ${event.error}`}`;
    case "phase":
      return event.rests ? `(all rest after the ${event.phase})` : `(no rest after the ${event.phase})`;
    case "promise":
      return `broken promise: ${event.promise} ${event.name}${event.about === undefined ? "" : ` (${event.about})`}`;
  }
}

/** The parts of a replaying test that depend on the exploring test: it needs the same operators and CRDs. */
interface Replay {
  /** The imports, and a comment about what to do first. */
  readonly head: string;
  /** The expression that replays the finding, with `objects`, `steps` and `faults` in scope. */
  readonly call: string;
}

/** Writes a test that replays a finding. */
export function testOf(
  { objects = [], steps = [], faults = [] }: Scenario,
  name: MistakeClass,
  seed: number,
  { head, call }: Replay,
): string {
  const formatData = (value: unknown): string => JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
  return `${head}

test("seed ${seed}: ${name}", async () => {
  const objects = ${formatData(objects)};
  const steps = ${formatData(steps)};
  const faults = ${formatData(faults)};
  const failure = await ${call};
  expect(failure?.story).toBeUndefined();
});
`;
}

/** Returns the parts of a test that replays a finding of `explore()`. */
export function scenarioReplay(seed: number): Replay {
  return {
    head: `import { expect, test } from "vitest";
import { examineScenario } from "@tsbuilder/simulation";
// Export it from a file of yours: \`{ operators, crds }\`, as in the test that found this.
import { scenario } from "./scenario.ts";`,
    call: `examineScenario({ ...scenario, objects, steps, faults, seed: ${seed} })`,
  };
}
