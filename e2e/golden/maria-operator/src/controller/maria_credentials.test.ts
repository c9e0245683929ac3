/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import { namespace, useScene } from "./maria_testing.ts";

const scene = useScene();

test("the Secret has what a client needs to connect", async () => {
  const spec = { database: "shop", password: "p@ss/word" };
  const name = await scene.createServers("connecting", spec);
  expect(await scene.fileOf(name, "uri", "credentials")).toBe(
    `mysql://app:p%40ss%2Fword@${name}.${namespace}.svc:3306/shop`,
  );
});

test("a password in the spec works with a warning, and is only written to Secrets", async () => {
  const spec = { username: "root", password: "password123", size: 3 };
  const name = await scene.createServers("inline", spec);
  await scene.until(name, { InlinePassword: "PasswordInSpec" });
  expect(JSON.stringify(await scene.statefulSet(name))).not.toContain("password123");
  const statements = await scene.fileOf(name, "passwords.sql");
  expect(statements).toContain("ALTER USER 'root'@'localhost' IDENTIFIED BY 'password123'");
  expect(statements).not.toContain("'app'@");
});

test("a missing Secret is reported by name, and its creation triggers a reconcile", async () => {
  const name = await scene.create("referring", { passwordSecretRef: { name: "given" } });
  await scene.until(name, { Degraded: "SecretNotFound" });
  await expect(scene.statefulSet(name)).rejects.toThrow("not found");
  const secret = await give("given", "one\ntwo");
  await scene.until(name, { Degraded: "SecretKeyInvalid" });
  await scene.client.patch(Secret, secret, ({ data }) => {
    delete data?.password;
  });
  await scene.until(name, { Degraded: "SecretKeyMissing" });
  await change("given", "it's\\secret\n");
  await eventually(() => scene.statefulSet(name));
  expect(await scene.fileOf(name, "passwords.sql")).toContain(
    String.raw`'app'@'%' IDENTIFIED BY 'it''s\\secret'`,
  );
});

test("a new password is published once all servers accept it, and no server restarts", async () => {
  await give("rotating", "first");
  const name = await scene.createServers("rotated", { passwordSecretRef: { name: "rotating" } });
  await scene.makeReady(name);
  const { metadata } = await scene.statefulSet(name);
  await change("rotating", "second");
  const key = { namespace, name: `${name}-passwords` };
  const job = await eventually(() => scene.client.get(Job, key));
  const statements = await scene.fileOf(name, "passwords.sql");
  expect(statements).toMatch(/PASSWORD\('second'\) OR .* PASSWORD\('first'\)/);
  const published = () => scene.fileOf(name, "app", "credentials");
  expect(await published()).toBe("first");
  await scene.endJob(key.name, "Complete", "2026-01-01T00:00:00Z");
  await eventually(async () => expect(await published()).toBe("second"));
  expect(await scene.fileOf(name, "passwords.sql")).toBe(statements);
  expect((await scene.client.get(Job, key)).metadata.uid).toBe(job.metadata.uid);
  expect((await scene.statefulSet(name)).metadata.generation).toBe(metadata.generation);
});

function give(name: string, password: string): Promise<Secret> {
  return scene.client.create(Secret, { metadata: { name, namespace }, stringData: { password } });
}

async function change(name: string, password: string): Promise<void> {
  const merge = { data: { password: Buffer.from(password).toString("base64") } };
  await scene.client.patch(Secret, { namespace, name }, { merge });
}
