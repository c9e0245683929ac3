import type { ApiError } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";

/** Specs that the API server rejects, with an error that helps. */
export const refusals: readonly Scenario[] = [
  {
    row: "T06",
    title: "an invalid size is rejected, also by the scale subresource",
    async run(context) {
      await context.createReady("db");
      const scale = context.client.subresource(Maria, context.key("db"), "scale");
      await refused(scale.patch({ merge: { spec: { replicas: -1 } } }), "should be a non-negative integer");
      await refused(context.change("db", { size: -1 }), "should be greater than or equal to 0");
      await refused(context.change("db", { size: 6 }), "should be less than or equal to 5");
      expect((await context.get("db")).spec.size).toBe(1);
    },
  },
  {
    row: "T19",
    title: "an invalid spec is rejected with the field's path, and nothing of it is stored",
    async run(context) {
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`setting_${at}`, "1"]));
      const bad: [object, string][] = [
        [{ size: "3" }, "spec.size"],
        [{ backupSchedule: "every day" }, "spec.backupSchedule"],
        [{ backupSchedule: "TZ=UTC 0 3 * * *" }, "spec.backupSchedule"],
        [{ backupPath: "../x" }, "spec.backupPath"],
        [{ backupPath: "/" }, "spec.backupPath"],
        [{ backupPath: "/var/lib/mysql/x" }, "spec.backupPath"],
        [{ backupPath: "/etc/mysql-operator" }, "spec.backupPath"],
        [{ backupPath: "/tmp" }, "spec.backupPath"],
        [{ database: "a`b" }, "spec.database"],
        [{ database: "MYSQL" }, "spec.database"],
        [{ username: "operator_x" }, "spec.username"],
        [{ username: "x".repeat(33) }, "spec.username"],
        [{ storage: { size: "1GB1" } }, "spec.storage.size"],
        [{ deletionPolicy: "Maybe" }, "spec.deletionPolicy"],
        [{ password: "a", passwordSecretRef: { name: "b" } }, "mutually exclusive"],
        [{ password: "a\nb" }, "spec.password"],
        [{ config: { "server-id": "7" } }, "the operator sets"],
        [{ config: { gtid_mode: "OFF" } }, "the operator sets"],
        [{ config: { "secure-file-priv": "" } }, "the operator sets"],
        [{ config: { UPPER: "1" } }, "spec.config"],
        [{ config: { max_connections: "9\nserver_id=7" } }, "spec.config"],
        [{ config: many(65) }, "spec.config"],
        [{ backup: { keep: 0 } }, "spec.backup.keep"],
        [{ restoreFrom: { name: "a", file: "../x" } }, "spec.restoreFrom.file"],
        [{ service: { type: "ExternalName" } }, "spec.service.type"],
        [{ maxReplicaLagSeconds: -1 }, "spec.maxReplicaLagSeconds"],
        [{ image: "" }, "spec.image"],
      ];
      for (const [spec, path] of bad) await refused(context.create("bad", spec), path);
      await refused(context.create("x".repeat(41)), "at most 40 characters");
      for (const name of ["my.db", "1db"])
        await refused(context.create(name), "metadata.name must be a valid Service name");
      expect(await context.client.list(Maria, { namespace: context.namespace })).toEqual([]);
      expect(await context.client.list(Secret, { namespace: context.namespace })).toEqual([]);
      expect(context.writes()).toEqual([]);
      // Beside each invalid value, a valid one is accepted.
      for (const [name, spec] of [
        ["x".repeat(40), { backupPath: "/var/lib/mysql-backups", size: 0 }],
        ["spaced", { backupPath: "/my backups", backupSchedule: "@hourly", size: 0 }],
      ] as const) {
        await context.create(name, spec);
        await context.until(name, "Available", "Stopped");
        await context.until(name, "Degraded", "AsExpected");
      }
      await context.until("spaced", "BackupReady", "Suspended");
    },
  },
  {
    row: "T20",
    title: "immutable fields can't be changed, and volumes can only grow",
    async run(context) {
      const storage = { size: "1Gi", className: "test-growing" };
      await context.create("db", { database: "shop", storage, size: 0 });
      const bad: [object, string][] = [
        [{ database: "other" }, "database is immutable"],
        [{ database: null }, "database is immutable"],
        [{ storage: { className: "other" } }, "className is immutable"],
        [{ storage: { className: null } }, "className is immutable"],
        [{ storage: { size: "512Mi" } }, "storage can't shrink"],
        [{ restoreFrom: { name: "x" } }, "restoreFrom can only be set on creation"],
        [{ username: "other" }, "username is immutable"],
      ];
      for (const [spec, message] of bad) await refused(context.change("db", spec), message);
      await context.change("db", { storage: { size: "1024Mi" } });
      await context.change("db", { storage: { size: "2Gi" } });
      expect((await context.get("db")).spec.storage?.size).toBe("2Gi");
    },
  },
];

async function refused(attempt: Promise<unknown>, words: string): Promise<void> {
  const error = await attempt.then(
    () => new Error(`accepted what has ${words}`),
    (reason: ApiError) => reason,
  );
  expect(error).toMatchObject({ status: 422, message: expect.stringContaining(words) });
}
