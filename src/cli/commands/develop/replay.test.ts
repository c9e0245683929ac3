import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;

const at = "2026-01-02T03:04:05.678Z";
const by = { user: "ann", userAgent: "kubectl" };
const write = {
  type: "write",
  at,
  write: "ADDED",
  resource: "orders.apps.example.com",
  key: "default/one",
  by,
  object: {
    apiVersion: "apps.example.com/v1",
    kind: "Order",
    metadata: { namespace: "default", name: "one" },
    spec: { foo: "it's `${ours}`" },
  },
};

/** Writes a record of the project with some lines. */
function record(...lines: readonly object[]): void {
  const session = { type: "session", format: 1, at, project: "project", tsbuilder: "1.0.0" };
  const text = [session, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(folder.root, "session.jsonl"), text);
}

const file = "src/controller/order.recorded.test.ts";

test.each(["--object default/one", "--quiet", `--test ${file}`, "--force", "--diff"])(
  "replay --page refuses %s",
  async (flags) => {
    record(write);
    await expect(call(`replay session.jsonl --page ${flags}`)).rejects.toThrow(/does not apply to --page/u);
  },
);

describe("replay --test", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
    await call(
      "create api --group apps --version v1 --kind Order --resource=false --controller-name order-backup",
    );
  });

  test("writes a test of all controllers, in the project's folders and with its license", async () => {
    record(write);
    const printed = await call(`replay session.jsonl --test ${file}`);
    expect(printed).toContain(`create ${file}`);
    const text = read(file);
    expect(text.split("\n").slice(0, 3)).toEqual(read("src/main.ts").split("\n").slice(0, 3));
    expect(text).toContain('import { Order } from "../../api/v1/order_types.ts";');
    expect(text).toContain('import { setupOrderBackupController } from "./order_backup_controller.ts";');
    expect(text).toContain('import { setupOrderController } from "./order_controller.ts";');
    expect(text).toContain('spec: { foo: "it\'s `${ours}`" }');
  });

  test("imports from where the file is", async () => {
    record(write);
    await call("edit --multigroup");
    await call("replay session.jsonl --test test/order.test.ts");
    expect(read("test/order.test.ts")).toContain('from "../api/apps/v1/order_types.ts"');
    expect(read("test/order.test.ts")).toContain(
      'import { setupOrderController as setupAppsOrderController } from "../src/controller/apps/order_controller.ts";',
    );
    expect(read("test/order.test.ts")).toContain("(cluster.kubeconfig, setupAppsOrderController, ");
  });

  test("overwrites a file only with --force", async () => {
    record(write);
    writeFileSync(join(folder.root, file), "mine");
    await expect(call(`replay session.jsonl --test ${file}`)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    expect(read(file)).toBe("mine");
    await call(`replay session.jsonl --test ${file} --force`);
    expect(read(file)).toContain("client.create(Order");
  });

  test("--dry-run and refusals write nothing", async () => {
    record(write);
    const before = snapshot();
    expect(await call(`replay session.jsonl --test ${file} --dry-run`)).toContain(`create ${file}`);
    await expect(call("replay session.jsonl --test src/order.ts")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: '"src/order.ts" is not a name for a test',
    });
    await expect(call("replay session.jsonl --test ../order.test.ts")).rejects.toMatchObject({
      code: "REFUSED",
    });
    await expect(call(`replay session.jsonl --test ${file} --object default/two`)).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: "it has default/one",
    });
    await expect(call("replay session.jsonl --force")).rejects.toThrow("--force needs --test");
    expect(snapshot()).toEqual(before);
  });

  test("refuses a project whose entry point registers no controller", async () => {
    record(write);
    writeFileSync(join(folder.root, "src/main.ts"), "");
    await expect(call(`replay session.jsonl --test ${file}`)).rejects.toMatchObject({
      code: "INVALID_PROJECT",
      message: '"src/main.ts" calls no setup function of a controller',
    });
  });

  test("says what the test leaves out", async () => {
    record(
      { ...write, resource: "secrets", object: { ...write.object, apiVersion: "v1", kind: "Secret" } },
      write,
    );
    expect(await call(`replay session.jsonl --test ${file}`)).toContain("the values of Secret default/one");
  });
});
