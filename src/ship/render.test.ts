import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { renderChanged } from "./render-changed.ts";
import { renderConfig } from "./render.ts";

const path = process.env["PATH"];
let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "tsbuilder-render-"));
  for (const folder of ["base", "default"]) {
    mkdirSync(join(project, "config", folder), { recursive: true });
    writeFileSync(join(project, "config", folder, "kustomization.yaml"), "namespace: shop-system\n");
  }
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(project, { recursive: true, force: true });
});

/** Puts a program in the place of kubectl, with the folder of the kustomization in `$2`. */
function standIn(script: string): void {
  writeFileSync(join(project, "kubectl"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(project, "kubectl"), 0o755);
  process.env["PATH"] = `${project}${delimiter}${path}`;
}

test.skipIf(process.platform === "win32").each(["y", "on", "1.10", "1_000", "null", "0777", "v1"])(
  "the tag %s is text for a reader of YAML 1.1",
  async (tag) => {
    standIn('cat "$2/../base/kustomization.yaml"');
    const base = await renderConfig(project, "default", { image: `shop:${tag}` });
    expect(parseDocument(base, { version: "1.1" }).getIn(["images", 0, "newTag"])).toBe(tag);
  },
);

test.skipIf(process.platform === "win32")(
  "an error names the project's files, not those of a copy",
  async () => {
    standIn('echo "$2 is broken" >&2; exit 1');
    const folder = join(project, "config/default");
    await expect(renderConfig(project, "default", { image: "shop:v1" })).rejects.toMatchObject({
      code: "TOOL_FAILED",
      message: `kubectl kustomize ${folder} failed\n${folder} is broken`,
      hint: `for details, run: kubectl kustomize ${folder}`,
    });
    await expect(renderChanged(project, "default", [], {})).rejects.toMatchObject({
      message: `kubectl kustomize ${folder} failed\n${folder} is broken`,
      hint: `for details, run: kubectl kustomize ${folder}`,
    });
  },
);
