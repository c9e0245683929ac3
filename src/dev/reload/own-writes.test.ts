import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OwnWrites } from "./reloader.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "own-writes-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

test("what dev wrote is not a change until the user edits it", () => {
  const own = new OwnWrites(project);
  write("crd.yaml", "generated");
  write("main.ts", "code");
  own.note(["crd.yaml"]);
  expect(own.leaveOut(["crd.yaml", "main.ts"])).toEqual(["main.ts"]);
  expect(own.leaveOut(["crd.yaml"])).toEqual([]);
  write("crd.yaml", "by hand");
  expect(own.leaveOut(["crd.yaml"])).toEqual(["crd.yaml"]);
  // A return to the generated content is an edit, too: the cluster has the version before it.
  write("crd.yaml", "generated");
  expect(own.leaveOut(["crd.yaml"])).toEqual(["crd.yaml"]);
});

test("a file that the generators deleted is not a change, until it comes back", () => {
  const own = new OwnWrites(project);
  own.note(["crd.yaml"]);
  expect(own.leaveOut(["crd.yaml"])).toEqual([]);
  write("crd.yaml", "by hand");
  expect(own.leaveOut(["crd.yaml"])).toEqual(["crd.yaml"]);
});

function write(file: string, content: string): void {
  writeFileSync(join(project, file), content);
}
