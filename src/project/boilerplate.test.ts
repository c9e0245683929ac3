import { expect, test } from "vitest";
import { formatBoilerplate } from "./project.ts";

test("formatBoilerplate() keeps the owner inside of the comment", () => {
  const header = formatBoilerplate({ license: "copyright", owner: "*/ console.log(1);\n/* me" });
  expect(header).toBe("/*\n * Copyright * / console.log(1); /* me.\n * All rights reserved.\n */");
});
