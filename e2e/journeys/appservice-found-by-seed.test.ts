import { simulate } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import { autoscaledApps } from "../mutants/unmended/autoscaled-apps.ts";

test("an operator that dies while autoscaling is turned off keeps the pods when it is turned on again", async () => {
  const [off = [], on = []] = [autoscaledApps.steps?.slice(0, -1), autoscaledApps.steps?.slice(-1)];
  // Before the autoscaler looks at the number again.
  const steps = [...off, ...on.map((step) => ({ ...step, after: 2000 }))];
  // Of the writes that turn it off, the first one succeeds.
  const dies = { fault: "crash", process: "app-0", write: 10, when: "before", down: 5000 } as const;
  const { trace } = await simulate({ ...autoscaledApps, steps, faults: [dies] });
  expect(trace.filter(({ type }) => type === "died")).toHaveLength(1);
  expect(trace.filter(({ type }) => type === "promise")).toEqual([]);
});
