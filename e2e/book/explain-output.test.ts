import { expect, test } from "vitest";
import { explainOutput } from "./explain-output.ts";

test.for([
  ["a\nb\n", "a\n\nb\n"],
  ["a\n…\nc\n", "a\nb\nb\nc\n"],
  ["…\nc\n…\n", "a\nc\nd"],
  ["took 3 ms", "\u001B[32mtook 1.25s\u001B[0m"],
])("explainOutput(%j) accepts %j", ([shown, printed]) => {
  expect(explainOutput(shown!, printed!)).toBeUndefined();
});

test.for([
  ["a\n", "b\n", 'the page shows "a"'],
  ["a\n", "a\nb\n", 'the page lacks "b"'],
  ["a\n…\nc\n", "a\nb\n", 'the page shows "c"'],
  ["a\nb\n", "a\n", 'the page shows "b"'],
])("explainOutput(%j) names what differs from %j", ([shown, printed, difference]) => {
  expect(explainOutput(shown!, printed!)).toContain(difference);
});
