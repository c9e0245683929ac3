import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../e2e/golden/golden-projects.ts";
import { TsbuilderError } from "../../shared/errors.ts";

let folder: string;
let root: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-third-party-"));
  root = join(folder, "project");
  mkdirSync(root);
  await run("init --domain example.com --project-name shop".split(" "), root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const schema = { openAPIV3Schema: { type: "object" } };
const crd = (group: string, plural: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { kind: "Box", plural },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
});
const everything = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

const commands = [
  "generate types ../crd.yaml",
  "create api --group example.org --version v1 --kind Box --resource=false --crd ../crd.yaml --make=false",
  "create webhook --group example.org --version v1 --kind Box --defaulting --crd ../crd.yaml --make=false",
];
const hostile = [
  ["escapes the project's folder", crd("../../../x", "boxes")],
  ["injects code", crd("example.org", 'boxes" }); console.log(1); //')],
] as const;

describe.each(commands)("tsbuilder %s", (command) => {
  test.each(hostile)("writes nothing for a CRD that %s", async (_, object) => {
    writeFileSync(join(folder, "crd.yaml"), JSON.stringify(object));
    const before = everything();
    await expect(run(command.split(" "), root)).rejects.toThrow(TsbuilderError);
    expect(everything()).toEqual(before);
  });

  test("does not follow a link out of the project", async () => {
    writeFileSync(join(folder, "crd.yaml"), JSON.stringify(crd("example.org", "boxes")));
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(root, "src/types"));
    const before = everything();
    for (const mode of [[], ["--dry-run"], ["--diff"]]) {
      const done = run([...command.split(" "), ...mode], root);
      await expect(done).rejects.toThrow('"src/types" is a symbolic link that leads out of it');
    }
    expect(everything()).toEqual(before);
  });
});

test.each(["--output ../elsewhere", "--output src/../../elsewhere", "--output /tmp/elsewhere"])(
  "tsbuilder generate types %s is refused",
  async (output) => {
    writeFileSync(join(folder, "crd.yaml"), JSON.stringify(crd("example.org", "boxes")));
    const before = everything();
    const done = run(`generate types ../crd.yaml ${output}`.split(" "), root);
    await expect(done).rejects.toThrow("is outside of the project");
    expect(everything()).toEqual(before);
  },
);
