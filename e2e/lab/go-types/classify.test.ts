import { describe, expect, test } from "vitest";
import { classify } from "./classify.ts";
import { differencesOf } from "./differences.ts";

const known = { texts: new Set(["Of a pod.", "Added capabilities"]), anew: ["shared"] };

/** The places at which two schemas differ, with what is named on purpose. */
function named(theirs: object, ours: object): (readonly [path: string, name: string | undefined])[] {
  return differencesOf(theirs, ours).map((found) => [found.path, classify(found, known)] as const);
}

describe("a difference", () => {
  test("is on purpose in descriptions of Kubernetes' own types, and nowhere else", () => {
    expect(named({ description: "Of a\npod." }, { description: "Of a pod." })).toEqual([
      [".description", "line breaks in descriptions of Kubernetes' types"],
    ]);
    expect(named({ description: "Of a\nshop." }, { description: "Of a shop." })).toEqual([
      [".description", undefined],
    ]);
    const add = { description: "Added capabilities", items: { type: "string" } };
    const described = { ...add, items: { type: "string", description: "Capability" } };
    expect(named(described, add)).toEqual([
      [".items.description", "descriptions of named values in Kubernetes' types"],
    ]);
    expect(named({ ...described, description: "x" }, { ...add, description: "x" })).toEqual([
      [".items.description", undefined],
    ]);
  });

  test("is on purpose where conditions say that they are atomic, and not the other way round", () => {
    const atomic = { "x-kubernetes-list-type": "atomic" };
    const name = "lists of conditions say that they are atomic";
    expect(named({ conditions: {} }, { conditions: atomic }).map(([, each]) => each)).toEqual([name]);
    expect(named({ conditions: atomic }, { conditions: {} }).map(([, each]) => each)).toEqual([undefined]);
    expect(named({ ports: {} }, { ports: atomic }).map(([, each]) => each)).toEqual([undefined]);
  });

  test("is on purpose in the description of a field that a type declares anew", () => {
    const shared = (description: string): object => ({ shared: { description } });
    expect(named(shared("one"), shared("two"))).toEqual([
      [".shared.description", "a field that a type declares anew"],
    ]);
    expect(named({ enum: ["a"] }, { enum: ["a", "b"] })).toEqual([[".enum", undefined]]);
  });
});
