import { simulate } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import { autoscaledApps } from "../../lab/mutants/unmended/autoscaled-apps.ts";

test("an operator that dies while autoscaling is turned off keeps the pods when it is turned on again", async () => {
  const [off = [], on = []] = [autoscaledApps.steps?.slice(0, -1), autoscaledApps.steps?.slice(-1)];
  // Before the autoscaler looks at the number again.
  const steps = [...off, ...on.map((step) => ({ ...step, after: 2000 }))];
  // The first of the writes that turn it off succeeds.
  const dies = { fault: "crash", process: "app-0", write: 10, when: "before", down: 5000 } as const;
  const { trace } = await simulate({ ...autoscaledApps, steps, faults: [dies] });
  expect(trace.filter(({ type }) => type === "died")).toHaveLength(1);
  expect(trace.filter(({ type }) => type === "promise")).toEqual([]);
});

// An autoscaler that is deleted may be seen before the number that it set last.
test.each(Array.from({ length: 6 }, (_, index) => index + 1))(
  "the number of pods that an autoscaler set outlives it, also if it is seen late (seed %i)",
  async (seed) => {
    const a = { namespace: "default", name: "a" };
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", ...a };
    const autoscaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", ...a };
    const { trace } = await simulate({
      ...autoscaledApps,
      seed,
      steps: [
        ...autoscaledApps.steps!.slice(0, 2),
        { do: "settle" },
        { do: "patch", target: deployment, merge: { spec: { replicas: 7 } } },
        { do: "delete", target: autoscaler, after: 0 },
      ],
    });
    const handovers = trace.filter(
      (event) => event.type === "request" && event.path.includes("handover") && event.status === 200,
    );
    expect(handovers.map((event) => JSON.parse((event as { body: string }).body).spec.replicas).at(-1)).toBe(
      7,
    );
  },
);
