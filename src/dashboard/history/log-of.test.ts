import { expect, test } from "vitest";
import { History } from "./history.ts";
import { logOf } from "./connections.ts";
import { madeReconcile, timeOf } from "../../dev/record/testdata/made-records.ts";

test("the log of a reconcile has the lines with its ID, also those that came late", () => {
  const history = new History();
  history.add(madeReconcile(1000, { reconcileID: "3f2a" }));
  for (const [at, text] of [
    [500, "starting"],
    [1001, "3f2a begins"],
    [1003, "77c1 begins"],
    [9000, "3f2a ends"],
  ] as const)
    history.add({ type: "operator", at: timeOf(at), text });
  const [reconcile] = history.reconciles;
  expect(logOf(history, reconcile!).map(({ text }) => text)).toEqual(["3f2a begins", "3f2a ends"]);
});
