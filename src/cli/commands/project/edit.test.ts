import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;

describe("edit", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
  });

  test("moves files and rewrites imports, in both directions", async () => {
    writeFileSync(join(folder.root, "src/mine.ts"), `import { Order } from "../api/v1/order_types.ts";\n`);
    const before = snapshot();
    await call("edit --multigroup");
    expect(read("src/mine.ts")).toContain(`"../api/apps/v1/order_types.ts"`);
    expect(existsSync(join(folder.root, "src/controller/apps/order_controller.ts"))).toBe(true);
    await call("edit --multigroup=false");
    expect(snapshot()).toEqual(before);
  });

  test("moves a file whose imports the user edited", async () => {
    const file = "src/controller/order_controller.ts";
    const body = read(file).slice(read(file).indexOf("// +kubebuilder"));
    const imports = (folder: string): string => `import { Order } from "${folder}/order_types.ts";\n`;
    writeFileSync(join(folder.root, file), `${imports("../../api/v1")}${body}`);
    await call("edit --multigroup");
    expect(read("src/controller/apps/order_controller.ts")).toBe(`${imports("../../../api/apps/v1")}${body}`);
  });

  test("brings the packages that a feature loads, and takes them away again", async () => {
    const before = snapshot();
    await call("edit --enable opentelemetry --make=false");
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    expect(dependencies).toMatchObject({ "@opentelemetry/sdk-trace-node": "2.12.0" });
    expect(read("config/opentelemetry/manager_patch.yaml")).toContain("name: OTEL_EXPORTER_OTLP_ENDPOINT");
    await call("edit --disable opentelemetry --make=false");
    expect(snapshot()).toEqual(before);
  });

  test("refuses several groups in one folder", async () => {
    await call("edit --multigroup");
    await call("create api --group crew --version v1 --kind Captain");
    await expect(call("edit --multigroup=false")).rejects.toMatchObject({
      code: "REFUSED",
      message: "the project has 2 groups: apps.example.com, crew.example.com",
    });
  });

  test("replaces the license header of files that the user edited", async () => {
    const file = "src/controller/order_controller.ts";
    writeFileSync(join(folder.root, file), `${read(file)}\n// mine\n`);
    await call("edit --license none");
    expect(read(file)).toMatch(/^import[\s\S]*\/\/ mine\n$/);
    expect(read("src/main.ts")).toMatch(/^import/);
  });

  test.each([
    ["--enable prometheus --disable metrics", `"prometheus" needs "metrics"`],
    ["--enable cert-manager,self-signed,webhook", `are mutually exclusive`],
    ["--enable webhook", "need a certificate"],
    ["--enable metrics-tls", `"metrics-tls" needs "cert-manager"`],
    ["--enable metrics --disable metrics", "both enabled and disabled"],
    ["--namespaces team-a --namespaced=false", "--namespaces requires a namespaced operator"],
  ])("refuses %s", async (flags, message) => {
    await expect(call(`edit ${flags}`)).rejects.toThrow(message);
  });

  test("suggests a feature", async () => {
    await expect(call("edit --enable promethus")).rejects.toMatchObject({
      hint: `did you mean "prometheus"?`,
    });
  });

  test("refuses to run without a change", async () => {
    await expect(call("edit")).rejects.toMatchObject({ message: "nothing to edit" });
  });
});
