/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { expect, test } from "vitest";
import type { MariaSpec } from "../../api/v1/maria_types.ts";
import { useScene } from "./maria_testing.ts";

const scene = useScene();

test.each<[string, MariaSpec, string]>([
  ["a negative size", { size: -1 }, "spec.size"],
  ["an invalid schedule", { backupSchedule: "every day" }, "spec.backupSchedule"],
  ["a relative backup path", { backupPath: "../x" }, "spec.backupPath"],
  ["a backup path in the data", { backupPath: "/var/lib/mysql/x" }, "spec.backupPath"],
  ["a database name that needs quotes", { database: "a`b" }, "spec.database"],
  ["a database of the server", { database: "MySQL" }, "spec.database"],
  ["a user of the operator", { username: "operator_x" }, "spec.username"],
  ["two passwords", { password: "a", passwordSecretRef: { name: "b" } }, "mutually exclusive"],
  ["a setting of the operator", { config: { "server-id": "7" } }, "the operator sets"],
  ["a multi-line setting", { config: { a: "1\nserver_id=7" } }, "spec.config"],
  ["a file elsewhere", { restoreFrom: { name: "a", file: "../b" } }, "spec.restoreFrom"],
])("%s is refused", async (_, spec, message) => {
  await expect(scene.create("refused", spec)).rejects.toThrow(message);
});
