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
