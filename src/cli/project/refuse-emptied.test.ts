import { expect, test } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { refuseEmptied } from "./plan-generated.ts";

const file = "api/v1/order_types.ts";

test("refuseEmptied() reads an empty source only if it had no content before", () => {
  const files: Record<string, string> = { [file]: "" };
  const tree = refuseEmptied(memoryTree(files));
  expect(tree.read(file)).toBe("");
  files[file] = "export {};";
  expect(tree.read(file)).toBe("export {};");
  files[file] = "";
  expect(() => tree.read(file)).toThrow(`"${file}" is empty`);
  delete files[file];
  expect(tree.read(file)).toBeUndefined();
});
