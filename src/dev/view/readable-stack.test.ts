import { expect, test } from "vitest";
import { connectionAdvice, placeOf, readableError, readableStack } from "./readable-log.ts";

const root = "/home/me/my (old) project";
const stack = [
  "TypeError: Cannot read properties of undefined (reading 'list')",
  "of a second line",
  `    at nested (${root}/src/controller/mysql_controller.ts:73:26)`,
  `    at async MySQLReconciler.reconcile (${root}/src/controller/mysql_controller.ts:40:5)`,
  `    at async reconcileOrCleanUp (file://${root}/node_modules/@tsbuilder/runtime/dist/x.js:42:16)`,
  `    at async file://${root}/node_modules/@tsbuilder/runtime/dist/controller.js:203:33`,
  "    at new Promise (<anonymous>)",
  "    at processTicksAndRejections (node:internal/process/task_queues:95:5)",
  `    at <anonymous> (${root}/src/main.ts:1:7)`,
  `    at file://${root}/src/main.ts:2:7`,
].join("\n");

test("readableStack() has the project's own frames with paths below its folder, and counts the others", () => {
  expect(readableStack(stack, root)).toEqual([
    "TypeError: Cannot read properties of undefined (reading 'list')",
    "of a second line",
    "    at nested (src/controller/mysql_controller.ts:73:26)",
    "    at async MySQLReconciler.reconcile (src/controller/mysql_controller.ts:40:5)",
    "    … 4 of packages and Node",
    "    at <anonymous> (src/main.ts:1:7)",
    "    at src/main.ts:2:7",
  ]);
});

test("readableError() has the causes, which a stack does not have", () => {
  const failed = ["TypeError: fetch failed", `    at list (${root}/src/main.ts:1:7)`].join("\n");
  const frames = ["    at list (src/main.ts:1:7)"];
  const error = "fetch failed: connect ECONNREFUSED 10.0.0.1:443";
  expect(readableError(error, failed, root)).toEqual({ message: error, frames });
  expect(readableError("fetch failed", failed, root)).toEqual({ message: "TypeError: fetch failed", frames });
  expect(readableError(error)).toEqual({ message: error, frames: [] });
});

test.each([
  ["fetch failed: connect ECONNREFUSED 10.96.0.12:8428", "Nothing listens at this address. "],
  ["fetch failed: getaddrinfo ENOTFOUND stats.shop.svc", "Nobody knows this name. "],
  ["fetch failed: connect ETIMEDOUT 10.96.0.12:8428", "Nothing answers at this address. "],
  ["TypeError: fetch failed", "The request got no response. "],
  ["GET /api/v1/pods: connect ECONNREFUSED 127.0.0.1:40011", undefined],
  ["no size of a", undefined],
])("connectionAdvice() of %j begins with %j", (error, advice) => {
  expect(connectionAdvice(error)?.split(/(?<=\. )/u)[0]).toBe(advice);
});

test("placeOf() is the first place in the project's sources", () => {
  expect(placeOf(stack, root)).toBe("src/controller/mysql_controller.ts:73:26");
  expect(placeOf(stack)).toBe(`${root}/src/controller/mysql_controller.ts:73:26`);
  const inPackage = stack.split("\n").toSpliced(2, 2).join("\n");
  expect(placeOf(inPackage, root)).toBe("src/main.ts:1:7");
  expect(placeOf("Error: x\n    at <anonymous>", root)).toBeUndefined();
  expect(placeOf("no stack", root)).toBeUndefined();
});

test("a folder whose name begins alike is not the project's", () => {
  expect(placeOf(`Error: x\n    at f (${root}-2/src/main.ts:1:7)`, root)).toBe(`${root}-2/src/main.ts:1:7`);
});
