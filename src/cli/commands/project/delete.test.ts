import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;

describe("delete api", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
  });

  const line = "delete api --group apps --version v1 --kind Order";
  const change = (): void =>
    writeFileSync(
      join(folder.root, "src/controller/order_controller.ts"),
      "// mine\n" + read("src/controller/order_controller.ts"),
    );

  test("fails if the user edited a file, and names it", async () => {
    change();
    const before = snapshot();
    await expect(call(line)).rejects.toMatchObject({
      code: "FILE_CHANGED",
      message: `you edited "src/controller/order_controller.ts"`,
    });
    expect(snapshot()).toEqual(before);
  });

  test.each(['<<<<<<< HEAD\n{ "files": {} }', "", "[]"])(
    "fails if a merge left %j as the record",
    async (text) => {
      writeFileSync(join(folder.root, ".tsbuilder/owned.json"), text);
      const before = snapshot();
      await expect(call(line)).rejects.toMatchObject({
        code: "INVALID_PROJECT",
        message: expect.stringContaining('".tsbuilder/owned.json"') as string,
        hint: expect.stringContaining("restore it from version control") as string,
      });
      expect(snapshot()).toEqual(before);
    },
  );

  test("warns of objects that may be stored in a version, if another one remains", async () => {
    expect(await call(`${line} --dry-run`)).not.toContain("storedVersions");
    await call("create api --group apps --version v2 --kind Order --controller=false");
    const output = await call(`${line.replace("v1", "v2")} --dry-run`);
    expect(output).toContain("objects may be stored in v2");
    expect(output).toContain("tsbuilder migrate storage");
  });

  test("deletes edited files with --force", async () => {
    change();
    await call(`${line} --force`);
    expect(existsSync(join(folder.root, "src/controller"))).toBe(false);
  });

  test("keeps edited files with --keep, unwired", async () => {
    change();
    await call(`${line} --keep --make=false`);
    expect(read("src/controller/order_controller.ts")).toContain("// mine");
    expect(read("src/main.ts")).not.toContain("setupOrderController");
  });

  test("keeps an edited types file with --keep, what it imports, and its CRD", async () => {
    const types = "api/v1/order_types.ts";
    writeFileSync(join(folder.root, types), read(types).replace("foo?: string;", "bar?: string;"));
    const printed = await call(`${line} --keep`);
    expect(printed).toContain(
      `kept "${types}", which you edited\nkept "api/v1/groupversion_info.ts", which "${types}" imports`,
    );
    expect(read("config/crd/bases/apps.example.com_orders.yaml")).toContain("bar:");
    expect(existsSync(join(folder.root, "src/controller"))).toBe(false);
    expect(read("PROJECT")).not.toContain("Order");
  });

  test("keeps what an edited test imports", async () => {
    const file = "src/controller/order_controller.test.ts";
    writeFileSync(join(folder.root, file), `${read(file)}\n// mine\n`);
    await call(`${line} --keep`);
    expect(Object.keys(snapshot())).toEqual(
      expect.arrayContaining([file, "src/controller/order_controller.ts", "api/v1/order_types.ts"]),
    );
  });

  test("lists the existing kinds if none is similar, and does not suggest to create one", async () => {
    await expect(call("delete api --group apps --version v1 --kind Captain")).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: "it has apps.example.com/v1, Kind Order",
    });
  });

  test("suggests a kind", async () => {
    await expect(call("delete api --group apps --version v1 --kind Oder")).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: "did you mean --kind Order?",
    });
  });
});
