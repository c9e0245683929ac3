import { expect, test } from "vitest";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import type { Story } from "../conformance/story.ts";
import { classify } from "./classify.ts";
import { shrink } from "./shrink.ts";
import { storiesOfCustomKinds } from "./stories.ts";

const post = (body: object): Story["steps"][number] => ({ method: "POST", path: "/x", body });

test("a seed gives the same stories every time, another seed gives others", () => {
  const stories = storiesOfCustomKinds({ seed: 1, requests: 50 });
  expect(storiesOfCustomKinds({ seed: 1, requests: 50 })).toEqual(stories);
  expect(storiesOfCustomKinds({ seed: 2, requests: 50 })).not.toEqual(stories);
  expect(stories.flatMap(({ steps }) => steps).length).toBeGreaterThanOrEqual(50);
});

test("a story shrinks to the requests and members that a difference needs", async () => {
  const story = {
    name: "a",
    steps: [post({ a: 1 }), post({ b: 1 }), post({ c: { d: [1, 2], e: 3 }, f: 4 })],
  };
  const showsIt = ({ steps }: Story): Promise<boolean> => {
    const text = JSON.stringify(steps);
    return Promise.resolve(text.includes('"a"') && text.includes("2"));
  };
  expect(await shrink(story, showsIt)).toEqual({
    name: "a",
    steps: [post({ a: 1 }), post({ c: { d: [2] } })],
  });
});

test.each([
  [
    "refused there, accepted here",
    invalid("spec.ports[3]", "must be 1"),
    answer(201),
    "Foo: 422 is 201 here: spec.ports[…] Invalid must be 0",
  ],
  ["another code", invalid("a", "b"), answer(400), "Foo: 422 is 400 here: a Invalid b"],
  ["a cause that is missing", invalid("a", "b"), answer(422), "Foo: lacks a Invalid b"],
  [
    "a value",
    answer(200, { a: [{ b: 1 }] }),
    answer(200, { a: [{ b: 2 }] }),
    "Foo: POST 200: .a.[].b 0 is 0 here",
  ],
])("a class is named by what differs: %s", (_, real, embedded, name) => {
  const story = { name: "Foo 7", steps: [post({})] };
  expect(classify({ story, index: 0, step: post({}), real, embedded })).toBe(name);
});

function answer(code: number, body: unknown = {}): MaskedAnswer {
  return { code, type: "application/json", body };
}

function invalid(field: string, message: string): MaskedAnswer {
  return answer(422, { details: { causes: [{ reason: "Invalid", field, message }] } });
}
