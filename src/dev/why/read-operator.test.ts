import { createLogger } from "@tsbuilder/runtime";
import { expect, test } from "vitest";
import { warningsIn } from "./read-operator.ts";

const object = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { namespace: "default", name: "one" },
};

test("of a log, the warnings about the object and about the operator itself are kept", () => {
  let log = "not JSON\n{not JSON either\n";
  const logger = createLogger({ encoder: "json", write: (line) => (log += line) });
  const about = (name: string, controllerKind = "Widget") =>
    logger.with({ controller: "widget", controllerKind, namespace: "default", name });
  about("one").error("Reconciler error", { error: new Error("no route") });
  about("one").info("Reconciled");
  about("two").error("Reconciler error", { error: new Error("another object") });
  about("one", "Backup").error("Reconciler error", { error: new Error("another kind") });
  logger.warn("The event loop was blocked", { seconds: 3 });
  const found = warningsIn(log, object);
  expect(found.map(({ level, message, isAbout }) => [level, message, isAbout])).toEqual([
    ["error", "Reconciler error", true],
    ["warn", "The event loop was blocked", false],
  ]);
  expect(found[0]!.text).toContain("no route");
  expect(found[0]!.at).toBeGreaterThan(0);
});
