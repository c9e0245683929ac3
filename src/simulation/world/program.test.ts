import { describe, expect, test } from "vitest";
import { ledger, ledgerScenario } from "../../../e2e/support/operators/ledger/program.ts";
import type { Fault, Run, Step } from "../contract/index.ts";
import { findIn } from "../explore/examine.ts";
import { outcomeOf, simulate } from "./simulate.ts";

// Each run starts a process or two, which takes a second.

const create: Step = { do: "apply", object: ledger(3), after: 100 };

const runWith = async (steps: readonly Step[], ...faults: Fault[]): Promise<Run> =>
  outcomeOf({ ...(await ledgerScenario()), steps, faults });

const dataOf = ({ state }: Run, name: string): unknown =>
  (
    state.objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name) as
      | { data?: unknown }
      | undefined
  )?.data;

describe("an operator in a process of its own", () => {
  test("works on the cluster of a run, with the rights of its ServiceAccount", async () => {
    const run = await simulate({ ...(await ledgerScenario()), steps: [create] });
    expect(dataOf(run, "winter-pages")).toEqual({ pages: "3" });
    expect(
      run.trace.flatMap((event) => (event.type === "phase" ? [`${event.phase} ${event.rests}`] : [])),
    ).toEqual(["steps true", "restart true", "deletion true"]);
    expect(run.leftovers).toEqual([]);
  });

  test("dies at a write, and starts again", async () => {
    const crash = { fault: "crash", process: "ledger-0", write: 2, when: "before", down: 500 } as const;
    const run = await runWith([create], crash);
    const lives = run.trace.flatMap(({ type }) => (type === "start" || type === "died" ? [type] : []));
    expect(lives).toEqual(["start", "died", "start"]);
    expect(dataOf(run, "winter-index")).toEqual({ index: "undefined" });
  });

  test("gets its requests refused, and is waited for until it tries again", async () => {
    const refuse = { fault: "refuse", process: "ledger-0", with: "error", done: false } as const;
    const run = await runWith([create], { ...refuse, requests: "POST ConfigMap", at: 0, for: 20_000 });
    const statuses = run.trace.flatMap((event) => (event.type === "request" ? [event.status] : []));
    expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(1);
    expect(dataOf(run, "winter-index")).toEqual({ index: "undefined" });
  });

  test("learns late of what its watch holds back", async () => {
    const hold = { fault: "hold", process: "ledger-0", at: 0, for: 30_000, of: "ledgers" } as const;
    const run = await runWith([{ ...create, after: 5000 }], hold);
    const made = run.trace.find((event) => event.type === "change" && event.resource === "configmaps");
    expect(made?.at).toBeGreaterThan(30_000);
  });

  test("stands still while it is suspended", async () => {
    const suspend = { fault: "suspend", process: "ledger-0", at: 1000, for: 10_000 } as const;
    const scenario = await ledgerScenario();
    const signals: string[] = [];
    const [operator] = scenario.operators;
    const program = operator!.program!;
    const heard: typeof program = {
      ...program,
      start: async (...place) => {
        const started = await program.start(...place);
        const signal = (name: Parameters<typeof started.signal>[0]): void => {
          signals.push(name);
          started.signal(name);
        };
        return { ...started, signal };
      },
    };
    const operators = [{ ...operator!, program: heard }];
    const run = await outcomeOf({
      ...scenario,
      operators,
      steps: [{ ...create, after: 2000 }],
      faults: [suspend],
    });
    const made = run.trace.find((event) => event.type === "change" && event.resource === "configmaps");
    expect(made?.at).toBeGreaterThan(11_000);
    expect(signals.slice(0, 2)).toEqual(["SIGSTOP", "SIGCONT"]);
  });

  test("does not see the time that is skipped while it waits", async () => {
    const run = await runWith([create, { do: "apply", object: ledger(4), after: 86_400_000 }]);
    expect(run.duration).toBeGreaterThan(86_400_000);
    expect(dataOf(run, "winter-pages")).toEqual({ pages: "4" });
  });

  test.each([
    ["half", "differs", [{ fault: "crash", process: "ledger-0", write: 2, when: "before", down: 500 }]],
    ["deaf", "differs", [{ fault: "delete-child", child: 1, at: 600_000 }]],
    ["orphan", "leftover", []],
    ["crash", "error", []],
  ] as const)("is found to be wrong with the mistake %s", async (mistake, found, faults) => {
    const limits = { patience: 1000, time: 20_000 };
    const finding = await findIn({ ...(await ledgerScenario(mistake)), steps: [create], faults, limits });
    expect(finding?.class).toBe(found);
  });
});
