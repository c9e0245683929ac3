import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();

test("migrate packagemanifests writes a bundle for each version, and overwrites nothing", async () => {
  await folder.initialize();
  const csv = "kind: ClusterServiceVersion\nmetadata: { name: shop.v1.0.0 }\nspec: { version: 1.0.0 }\n";
  mkdirSync(join(folder.root, "old/1.0.0"), { recursive: true });
  writeFileSync(
    join(folder.root, "old/shop.package.yaml"),
    "packageName: shop\nchannels: [{ name: a, currentCSV: shop.v1.0.0 }]\n",
  );
  writeFileSync(join(folder.root, "old/1.0.0/shop.clusterserviceversion.yaml"), csv);
  const printed: string[] = [];
  const ui = {
    print: (text: string) => void printed.push(text),
    note: () => undefined,
    isInteractive: false,
  };
  const migrate = (): Promise<number> =>
    dispatch(["migrate", "packagemanifests", "old"], folder.root, ui, goldenHost);
  expect(await migrate()).toBe(0);
  expect(printed).toEqual([
    "create bundles/1.0.0/bundle.Dockerfile",
    "create bundles/1.0.0/bundle/metadata/annotations.yaml",
    "create bundles/1.0.0/bundle/manifests/shop.clusterserviceversion.yaml",
  ]);
  writeFileSync(join(folder.root, "bundles/1.0.0/bundle.Dockerfile"), "FROM mine\n");
  await expect(migrate()).rejects.toThrow('"bundles/1.0.0/bundle.Dockerfile" exists and is different');
});
