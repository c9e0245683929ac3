import { expect, test } from "vitest";
import { shortenLogLine } from "./shorten-log-line.ts";

test("shortenLogLine() keeps time, level, message and the specific fields", () => {
  const fields = {
    level: "error",
    ts: "2026-01-01T10:20:30.456Z",
    msg: "Reconciler error",
    controllerGroup: "apps.example.com",
    MySQL: { name: "a", namespace: "default" },
    namespace: "default",
    error: "no\nspace",
    retries: 3,
    stacktrace: "Error: no space\n    at x",
  };
  expect(shortenLogLine(JSON.stringify(fields))).toBe(
    "10:20:30 error Reconciler error namespace=default error=no space retries=3",
  );
});

test("shortenLogLine() keeps other lines, but removes escape sequences", () => {
  expect(shortenLogLine("plain\ttext")).toBe("plain text");
  expect(shortenLogLine('{"no": "message"}')).toBe('{"no": "message"}');
  expect(shortenLogLine("{broken")).toBe("{broken");
  expect(shortenLogLine("\u001B[2J\u001B[31mred\u001B[0m\u0007")).toBe("red");
});
