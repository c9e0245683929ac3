import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../../../e2e/golden/golden-projects.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-schemapatch-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("tsbuilder generate schemapatch replaces only the schema of a CRD that is maintained by hand", async () => {
  await run("init --domain example.com --project-name shop".split(" "), root);
  await run("create api --group apps --version v1 --kind Order".split(" "), root);
  mkdirSync(join(root, "deploy"));
  const head = `# Ours.
kind: CustomResourceDefinition
apiVersion: apiextensions.k8s.io/v1
metadata: { name: orders.apps.example.com }
spec:
  group: apps.example.com
  names: { kind: Order, plural: orders }
  versions:
    - name: v1 # the only one
      schema:
        openAPIV3Schema:`;
  const file = join(root, "deploy/orders.yaml");
  writeFileSync(file, `${head} {}\n`);
  const printed = await run("generate schemapatch --manifests deploy".split(" "), root);
  expect(printed).toBe("update deploy/orders.yaml");
  const text = readFileSync(file, "utf8");
  expect(text.startsWith(`${head}\n`)).toBe(true);
  expect(text).toContain("description: Generation of the spec that the controller observed.");
  expect(await run("generate schemapatch --manifests deploy --diff".split(" "), root)).toBe("");
  await expect(run("generate schemapatch --manifests nope".split(" "), root)).rejects.toMatchObject({
    message: 'the project has no file or folder "nope"',
  });
});
