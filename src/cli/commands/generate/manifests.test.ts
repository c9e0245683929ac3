import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { dispatch } from "../../start/main.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;

describe("manifests", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
  });

  test("--check passes while nothing has changed, and fails with the files that are out of date", async () => {
    await call("manifests --check");
    const printed: string[] = [];
    const keep = (text: string): void => void printed.push(text);
    const ui = { print: keep, note: keep, isInteractive: false };
    const types = read("api/v1/order_types.ts");
    writeFileSync(
      join(folder.root, "api/v1/order_types.ts"),
      types.replace("foo?: string;", "bar?: string;"),
    );
    const before = snapshot();
    await expect(dispatch(["manifests", "--check"], folder.root, ui, goldenHost)).rejects.toMatchObject({
      message: `out of date: "config/crd/bases/apps.example.com_orders.yaml"`,
    });
    expect(printed.join("\n")).toMatch(/^\+\s+bar:/m);
    expect(snapshot()).toEqual(before);
  });

  test("--markers describes a marker without a project", async () => {
    rmSync(join(folder.root, "PROJECT"));
    expect(await call("manifests --markers printcolumn")).toContain("kubebuilder:printcolumn");
  });

  test("generate keeps an API reference up to date once there is one", async () => {
    await call("generate docs");
    const page = "docs/api/apps.example.com_v1.md";
    const types = read("api/v1/order_types.ts");
    writeFileSync(
      join(folder.root, "api/v1/order_types.ts"),
      types.replace("foo?: string;", "bar?: string;"),
    );
    await call("generate");
    expect(read(page)).toContain("bar");
  });
});
