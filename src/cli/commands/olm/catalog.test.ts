import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { bundleTexts, damage, rightBundle } from "../../../../e2e/support/olm/right-bundle.ts";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { bundleAnnotations, newChannel } from "../../../olm/bundle-format.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
const csv = "manifests/shop-operator.clusterserviceversion.yaml";
const image = "registry.example.com/shop-bundle:v1";

function write(files: Record<string, unknown>): void {
  for (const [path, text] of Object.entries(bundleTexts(files))) {
    mkdirSync(dirname(join(folder.root, path)), { recursive: true });
    writeFileSync(join(folder.root, path), text);
  }
}

async function run(line: string): Promise<[exitCode: number, ...printed: string[]]> {
  const printed: string[] = [];
  const ui = {
    print: (text: string) => void printed.push(...text.split("\n")),
    note: () => undefined,
    isInteractive: false,
  };
  const exitCode = await dispatch(["catalog", ...line.split(" ")], folder.root, ui, goldenHost);
  return [exitCode, ...printed];
}

test("a catalog is created, gets a bundle, is valid and can be installed from", async () => {
  await folder.initialize();
  write(rightBundle());
  writeFileSync(join(folder.root, "icon.svg"), "<svg/>");
  expect(
    await run("init shop-operator --default-channel stable --description README.md --icon icon.svg"),
  ).toEqual([0, "create catalog/shop-operator/catalog.yaml", "create catalog.Dockerfile"]);
  expect((await run("validate")).at(-1)).toBe("The catalog is not valid: 1 error, 0 warnings");
  expect(await run(`add bundle --image ${image}`)).toEqual([0, "update catalog/shop-operator/catalog.yaml"]);
  expect(await run("validate catalog")).toEqual([0, "The catalog is valid: 0 errors, 0 warnings"]);
  expect(readFileSync(join(folder.root, "catalog.Dockerfile"), "utf8")).toContain("\nADD catalog /configs\n");
  const [exitCode, ...printed] = await run("show shop-operator --image registry.example.com/catalog:v1");
  expect([exitCode, printed]).toEqual([
    0,
    expect.arrayContaining(["kind: ClusterExtension", "      packageName: shop-operator"]),
  ]);
});

test.each([
  ["alpha", undefined, "alpha"],
  ["beta,stable", undefined, "beta"],
  ["candidate,stable", "stable", "stable"],
])("a bundle in %s (default: %s) gives its package the channel %s", async (channels, byDefault, expected) => {
  await folder.initialize();
  const files = rightBundle();
  damage(files, "metadata/annotations.yaml", `annotations ${bundleAnnotations.channels}`, channels);
  damage(files, "metadata/annotations.yaml", `annotations ${bundleAnnotations.defaultChannel}`, byDefault);
  delete files["bundle.Dockerfile"];
  write(files);
  await run("init shop-operator");
  await run(`add bundle --image ${image}`);
  expect(await run("validate catalog")).toEqual([0, "The catalog is valid: 0 errors, 0 warnings"]);
  expect((await run("show shop-operator --olm v0 --image a/b:c")).join("\n")).toContain(
    `channel: ${expected}`,
  );
});

test("a package without a bundle in the project has the channel of new bundles", async () => {
  await folder.initialize();
  await run("init shop-operator");
  write(rightBundle());
  await run("init other-operator");
  expect(newChannel).toBe("alpha");
  for (const name of ["shop", "other"])
    expect(folder.read(`catalog/${name}-operator/catalog.yaml`)).toContain("defaultChannel: alpha\n");
});

test("a package that names no default channel is shown with a channel that it has", async () => {
  await folder.initialize();
  write(rightBundle());
  await run("init shop-operator --default-channel stable");
  await run(`add bundle --image ${image} --channel stable`);
  const file = "catalog/shop-operator/catalog.yaml";
  const text = folder.read(file);
  writeFileSync(join(folder.root, file), text.replace("defaultChannel: stable\n", ""));
  expect(folder.read(file)).not.toBe(text);
  expect((await run("show shop-operator --olm v0 --image a/b:c")).join("\n")).toContain("channel: stable");
});

test("what is not valid is not added", async () => {
  await folder.initialize();
  await run("init shop-operator --default-channel stable");
  const files = rightBundle();
  damage(files, csv, "spec version", "1.1");
  write(files);
  await expect(run(`add bundle --image ${image}`)).rejects.toThrow("the bundle is not valid");
  write(rightBundle());
  await run(`add bundle --image ${image} --channel stable`);
  // A second version that replaces nothing would be a second head.
  const next = rightBundle();
  damage(next, csv, "metadata name", "shop-operator.v1.2.0");
  damage(next, csv, "spec version", "1.2.0");
  damage(next, csv, "spec replaces", undefined);
  write(next);
  await expect(run(`add bundle --image ${image}`)).rejects.toThrow("the channel has several heads");
  expect((await run("validate"))[0]).toBe(0);
});

test.each([
  ["init Shop", 'the package name "Shop"'],
  ["init shop --icon icon.txt", '"icon.txt" is not an image'],
  ["init shop --catalog ../catalog", '"../catalog" is not a folder in the project'],
  ["validate nosuch", '"nosuch" is not a folder'],
  ["show shop --image a/b:c", '"catalog" has no package "shop"'],
  ["build --tag a/b:c", "the project has no catalog.Dockerfile"],
])("catalog %s is refused", async (line, message) => {
  await folder.initialize();
  await expect(run(line)).rejects.toThrow(message);
});

test("an invalid catalog is not built, and a package is created once", async () => {
  await folder.initialize();
  await run("init shop-operator");
  await expect(run("build --tag a/b:c")).rejects.toThrow(
    "the catalog is not valid: the package has no channel",
  );
  await expect(run("init shop-operator")).rejects.toThrow("exists already");
});
