import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { readValues } from "./explore.ts";

const ledger = fileURLToPath(new URL("../../../../e2e/support/operators/ledger", import.meta.url));
const folder = useProjectFolder();

beforeEach(() => cpSync(ledger, folder.root, { recursive: true }));

test.each([
  ["--time 5s", "the command of the operator is missing"],
  ["--exec true", "there are no manifests in config/crd/bases and config/rbac"],
  ["--exec true --manifests install.yaml --kind Shop", 'the manifests have no kind "Shop"'],
  ["--exec true --manifests install.yaml --value spec.pages", '--value "spec.pages" names no field'],
  ["--exec true --manifests install.yaml --replay nothing.json", '"nothing.json" can\'t be read'],
])("explore %s says that %s", async (flags, message) => {
  await expect(folder.call(`explore ${flags}`)).rejects.toThrow(message);
});

test("values of a field are separated by commas", () => {
  const words = "spec.storage=10Gi 15Gi spec.replicas=1 3 spec.args[]=a=b".split(" ");
  expect(readValues(words)).toEqual({
    "spec.storage": ["10Gi", "15Gi"],
    "spec.replicas": [1, 3],
    "spec.args[]": ["a=b"],
  });
});

test.each([".tsbuilder", ".tsbuilder/explore"])(
  "explore does not write through a link at %s",
  async (path) => {
    mkdirSync(join(folder.root, "elsewhere"));
    mkdirSync(dirname(join(folder.root, path)), { recursive: true });
    symlinkSync(join(folder.root, "elsewhere"), join(folder.root, path));
    const explored = folder.call("explore --exec true --manifests install.yaml --sample sample.yaml");
    await expect(explored).rejects.toThrow(`"${path}" is a link`);
  },
);
