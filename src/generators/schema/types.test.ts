import { join } from "node:path";
import { describe } from "vitest";
import { testPage } from "../testdata/test-page.ts";

describe("types.md:", () => {
  testPage(join(import.meta.dirname, "types.md"));
});
