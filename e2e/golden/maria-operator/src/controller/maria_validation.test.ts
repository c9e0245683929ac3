/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { ApiError } from "@tsbuilder/runtime";
import { expect, test } from "vitest";
import type { MariaSpec } from "../../api/v1/maria_types.ts";
import { useScene } from "./maria_testing.ts";

const scene = useScene();

test.each<[string, MariaSpec, string]>([
  ["a negative size", { size: -1 }, "spec.size"],
  ["too large a size", { size: 6 }, "spec.size"],
  ["an invalid schedule", { backupSchedule: "every day" }, "spec.backupSchedule"],
  ["a relative backup path", { backupPath: "../x" }, "spec.backupPath"],
  ["a backup path in the data", { backupPath: "/var/lib/mysql/x" }, "spec.backupPath"],
  ["a backup path over the scripts", { backupPath: "/etc/mysql-operator" }, "spec.backupPath"],
  ["a database name that needs quotes", { database: "a`b" }, "spec.database"],
  ["a database of the server", { database: "MySQL" }, "spec.database"],
  ["a user of the operator", { username: "operator_x" }, "spec.username"],
  ["storage that is not a quantity", { storage: { size: "1GB1" } }, "spec.storage.size"],
  ["two passwords", { password: "a", passwordSecretRef: { name: "b" } }, "mutually exclusive"],
  ["a setting of the operator", { config: { "server-id": "7" } }, "the operator sets"],
  ["a multi-line setting", { config: { a: "1\nserver_id=7" } }, "spec.config"],
  [
    "a file outside of the backups",
    { restoreFrom: { name: "a", file: "../b" } },
    "spec.restoreFrom",
  ],
])("%s is refused", async (_, spec, message) => {
  await expect(scene.create("refused", spec)).rejects.toThrow(message);
});

test("immutable fields are rejected", async () => {
  const storage = { size: "2Gi", className: "fast" };
  const name = await scene.create("fixed", { database: "shop", storage });
  const refused = expect.objectContaining({ isInvalid: true }) as ApiError;
  for (const edit of [
    (spec) => delete spec.database,
    (spec) => (spec.database = "other"),
    (spec) => (spec.storage = { ...storage, size: "1Gi" }),
    (spec) => (spec.storage = { size: "2Gi" }),
    (spec) => (spec.username = "other"),
    (spec) => (spec.restoreFrom = { name: "x" }),
  ] satisfies ((spec: MariaSpec) => unknown)[]) {
    await expect(scene.change(name, edit)).rejects.toThrow(refused);
  }
  await scene.change(name, (spec) => (spec.storage = { ...storage, size: "2048Mi" }));
});

test("a name that is too long for the derived names is rejected", async () => {
  await expect(scene.create("x".repeat(41), {})).rejects.toThrow("at most 40 characters");
});
