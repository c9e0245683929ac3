import { expect, test } from "vitest";
import type { Reconciler } from "../controller/reconciler.ts";
import { reconcileContext } from "./reconcile-context.ts";

const regarding = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", uid: "1" } };

const reconciler: Reconciler = {
  reconcile({ name }, { log, signal, events }) {
    log.with({ name }).info("Reconciling");
    if (signal.aborted) return { requeueAfter: "1m" };
    events.normal(regarding, "Started", "It started", { action: "Start" });
    events.warning(regarding, "Slow", "It is slow");
  },
};

test("reconcileContext() is a context whose Events can be checked", async () => {
  const context = reconcileContext();
  expect(await reconciler.reconcile({ name: "a" }, context)).toBeUndefined();
  expect(context.recorded).toEqual([
    { type: "Normal", regarding, reason: "Started", note: "It started", details: { action: "Start" } },
    { type: "Warning", regarding, reason: "Slow", note: "It is slow" },
  ]);
});

test("reconcileContext() takes a signal", async () => {
  const context = reconcileContext({ signal: AbortSignal.abort() });
  expect(await reconciler.reconcile({ name: "a" }, context)).toEqual({ requeueAfter: "1m" });
  expect(context.recorded).toEqual([]);
});
