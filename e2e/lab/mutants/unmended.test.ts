import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../support/source-imports.ts";
import { unmended } from "./unmended/unmended.ts";

test.each(unmended)("what is taken out for $finding is still there, once", ({ edits }) => {
  const counts = edits.map(
    ({ file, mended }) => readFileSync(join(repository, file), "utf8").split(mended).length - 1,
  );
  expect(counts).toEqual(edits.map(() => 1));
});
