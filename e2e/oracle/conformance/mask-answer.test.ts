import { expect, test } from "vitest";
import { maskAnswer } from "./mask-answer.ts";

const bookmark = (annotations?: object) => ({
  type: "BOOKMARK",
  object: { kind: "CSINode", metadata: { resourceVersion: "7", ...(annotations && { annotations }) } },
});
const first = bookmark({ "k8s.io/initial-events-end": "true" });
const masked = {
  ...first,
  object: { ...first.object, metadata: { ...first.object.metadata, resourceVersion: "{rv}" } },
};

test.each([1, 2])(
  "of %s bookmarks the one after the initial events remains: others come when a server has time",
  (count) => {
    const text = [first, bookmark()]
      .slice(0, count)
      .map((event) => JSON.stringify(event))
      .join("\n");
    const answer = {
      code: 200,
      headers: {},
      text,
      bytes: Buffer.from(text),
      body: count === 1 ? first : undefined,
    };
    expect(maskAnswer(answer, { ns: "a-namespace", group: "a-group" }).body).toEqual(masked);
  },
);

test("the lines of an apply's errors are sorted: a server prints them in any order", () => {
  const bodies = ["b: wrong\n  .a: wrong", "a: wrong\n  .b: wrong"].map((lines) => {
    const body = { message: `failed to create typed patch object (/x): errors:\n  .${lines}` };
    const text = JSON.stringify(body);
    return maskAnswer(
      { code: 500, headers: {}, text, bytes: Buffer.from(text), body },
      { ns: "a-namespace", group: "a-group" },
    ).body;
  });
  expect(bodies[0]).toEqual(bodies[1]);
});
