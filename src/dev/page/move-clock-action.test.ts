import { expect, test } from "vitest";
import { MovableClock } from "../clock/movable-clock.ts";
import { moveClockAction } from "./move-clock-action.ts";

const { signal } = new AbortController();

function make(held?: { readonly namespace: string; readonly name: string }) {
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
  const move = moveClockAction({ cluster: { clock, leases: { held } as never }, operator, signal });
  return { steps, move };
}

test("the cluster's clock is moved, and then the operator's to the same time", async () => {
  const { steps, move } = make();
  expect(await move({ seconds: 60 })).toEqual({ ahead: 60 });
  expect(await move({ seconds: 3600 })).toEqual({ ahead: 3660 });
  expect(steps).toEqual(["due", "operator 60000", "operator 3660000"]);
});

test("an operator that leads releases its Lease before, and is started again", async () => {
  const { steps, move } = make({ namespace: "shop-system", name: "shop" });
  await move({ seconds: 60 });
  expect(steps).toEqual(["stop", "due", "operator 60000", "start"]);
});

test.each([{}, { seconds: 0 }, { seconds: -1 }, { seconds: 1.5 }, { seconds: 86_401 }, { seconds: "1" }])(
  "%j is refused, and the clock stays",
  async (input) => {
    const { steps, move } = make();
    await expect(move(input)).rejects.toMatchObject({ code: 400 });
    expect(steps).toEqual([]);
  },
);
