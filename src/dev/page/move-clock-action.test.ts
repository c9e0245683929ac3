import { expect, test } from "vitest";
import { MovableClock } from "../cluster/movable-clock.ts";
import { moveClockAction } from "./session-actions.ts";

const hour = 3_600_000;

interface Session {
  readonly held?: { readonly namespace: string; readonly name: string };
  readonly signal?: AbortSignal;
  readonly awaited?: AbortSignal;
  readonly patience?: number;
}

const never = new AbortController().signal;

function make({ held, signal = never, awaited = never, patience }: Session = {}) {
  const clock = new MovableClock();
  const steps: string[] = [];
  const operator = {
    moveClock: (ahead: number) => void steps.push(`operator ${ahead}`),
    restart: async (meanwhile?: () => Promise<void>) => {
      steps.push("stop");
      await meanwhile?.();
      steps.push("start");
    },
  };
  clock.setTimer(() => steps.push("due"), 60_000);
  const move = moveClockAction({
    cluster: { clock, leases: { held } as never },
    operator,
    between: (work) => work(awaited),
    signal,
    patience,
  });
  return { steps, move, clock };
}

test("the cluster's clock is moved, and then the operator's to the same time", async () => {
  const { steps, move } = make();
  expect(await move({ seconds: 60 })).toEqual({ ahead: 60 });
  expect(await move({ seconds: 3600 })).toEqual({ ahead: 3660 });
  expect(steps).toEqual(["due", "operator 60000", "operator 3660000"]);
});

const held = { namespace: "shop-system", name: "shop" };

test("an operator that leads serves its webhooks during the move, and then releases its Lease and is started again", async () => {
  const { steps, move } = make({ held });
  await move({ seconds: 60 });
  expect(steps).toEqual(["due", "stop", "operator 60000", "start"]);
});

test("a move that the end of the session breaks off is refused with what it has done, and starts nothing", async () => {
  const ending = new AbortController();
  const { steps, move, clock } = make({ held, signal: ending.signal });
  clock.setTimer(() => ending.abort(), 2 * hour + 1000);
  await expect(move({ seconds: 86_400 })).rejects.toMatchObject({
    code: "REFUSED",
    message: "moved 2 h of 24 h: tsbuilder dev is stopping",
  });
  expect(steps).toEqual(["due"]);
});

test("a move ends where it is once something waits for it, and the operator's clock follows so far", async () => {
  const waiting = new AbortController();
  const { steps, move, clock } = make({ held, awaited: waiting.signal });
  clock.setTimer(() => waiting.abort(), 90 * 60_000 + 1000);
  await expect(move({ seconds: 7200 })).rejects.toMatchObject({
    message: "moved 1.5 h of 2 h: a reload, or something else on the page, waited for it",
  });
  expect(steps).toEqual(["due", "stop", `operator ${clock.ahead}`, "start"]);
});

test("a move that takes too long stops where it is, and the operator's clock follows so far", async () => {
  const { steps, move, clock } = make({ patience: 1 });
  let isWorking = false;
  const leave = clock.join(() => (isWorking ? new Promise(() => {}) : undefined));
  clock.setTimer(() => void (isWorking = true), 1.5 * hour);
  await expect(move({ seconds: 7200 })).rejects.toMatchObject({
    code: "REFUSED",
    message: expect.stringMatching(/^moved .* of 2 h: it took more than 0.001 s$/u),
  });
  expect(steps.at(-1)).toBe(`operator ${clock.ahead}`);
  expect(clock.ahead).toBeLessThan(2 * hour);
  leave();
});

test.each([{}, { seconds: 0 }, { seconds: -1 }, { seconds: 1.5 }, { seconds: 86_401 }, { seconds: "1" }])(
  "%j is refused, and the clock stays",
  async (input) => {
    const { steps, move } = make();
    await expect(move(input)).rejects.toMatchObject({ code: 400 });
    expect(steps).toEqual([]);
  },
);
