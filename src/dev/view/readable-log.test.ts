import { expect, test } from "vitest";
import { readableLogLine } from "./readable-log.ts";

const stacktrace = "Error: no space\n    at x (/p/node_modules/a.js:1:2)\n    at y (/p/src/main.ts:3:4)";

test("readableLogLine() has time, level, message, place and error, and then the other specific fields", () => {
  const fields = {
    level: "error",
    ts: "2026-01-01T10:20:30.456Z",
    msg: "Reconciler error",
    controller: "mysql",
    controllerGroup: "apps.example.com",
    controllerKind: "MySQL",
    MySQL: { name: "a", namespace: "default" },
    namespace: "default",
    error: "no space",
    retries: 3,
    stacktrace,
  };
  expect(readableLogLine(JSON.stringify(fields), "/p")).toEqual({
    time: "10:20:30",
    text: "error Reconciler error at src/main.ts:3:4 error=no space controller=mysql namespace=default retries=3",
    stack: stacktrace,
    controller: "mysql",
    controllerKind: "MySQL",
  });
});

test("readableLogLine() reads no other lines", () => {
  for (const line of ["plain text", '{"no": "message"}', "{broken"])
    expect(readableLogLine(line)).toBeUndefined();
});
