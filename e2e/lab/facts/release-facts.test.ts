import { expect, test } from "vitest";
import { readBlocks } from "../../../src/apimachinery/kinds/build/model.ts";
import { differingBlocks } from "./release-facts.ts";

test("the facts of a release are what differs from those of the default one, without the lines of descriptions", () => {
  const ofDefault = readBlocks([
    "a/v1.Same lines(1,2)",
    " x 1 string",
    "a/v1.Gone",
    "a/v1.Other",
    " y 1 string",
  ]);
  const release = readBlocks([
    "a/v1.Same lines(3)",
    " x 1 string",
    "a/v1.Other",
    " y 1 int32 lines(7)",
    "a/v1.New",
  ]);
  expect(differingBlocks(ofDefault, release)).toEqual(["a/v1.Other", " y 1 int32", "a/v1.New", "-a/v1.Gone"]);
});
