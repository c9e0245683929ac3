/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { consistently, eventually } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import { Maria } from "../../api/v1/maria_types.ts";
import { ALLOW_REINIT_ANNOTATION } from "./maria_names.ts";
import { namespace, useScene } from "./maria_testing.ts";

const scene = useScene();

test("the Secret has what a client needs to connect", async () => {
  const spec = { database: "shop", password: "p@ss/word" };
  const name = await scene.createServers("connecting", spec);
  const { data = {} } = await scene.client.get(Secret, { namespace, name: `${name}-credentials` });
  expect(Buffer.from(data.uri ?? "", "base64").toString()).toBe(
    `mysql://app:p%40ss%2Fword@${name}.${namespace}.svc:3306/shop`,
  );
});

test("a password in the spec works with a warning, and is only written to Secrets", async () => {
  const spec = { username: "root", password: "password123", size: 3 };
  const name = await scene.createServers("inline", spec);
  await scene.until(name, { InlinePassword: "PasswordInSpec" });
  expect(JSON.stringify(await scene.statefulSet(name))).not.toContain("password123");
  const statements = await scene.fileOf(name, "init.sql");
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
  expect(await scene.fileOf(name, "init.sql")).toContain(
    String.raw`'app'@'%' IDENTIFIED BY 'it''s\\secret'`,
  );
});

test("a new password restarts the servers once, an unchanged one does not", async () => {
  await give("rotating", "first");
  const name = await scene.createServers("rotated", { passwordSecretRef: { name: "rotating" } });
  const before = (await scene.statefulSet(name)).metadata.generation ?? 0;
  await change("rotating", "second");
  await eventually(async () => {
    expect((await scene.statefulSet(name)).metadata.generation).toBe(before + 1);
  });
  await change("rotating", "second");
  await consistently(async () => {
    expect((await scene.statefulSet(name)).metadata.generation).toBe(before + 1);
  });
});

test("deleted passwords are restored: the servers still use them", async () => {
  const name = await scene.createServers("forgetful");
  const key = { namespace, name: `${name}-credentials` };
  const { data } = await scene.client.get(Secret, key);
  await scene.client.delete(Secret, key);
  await eventually(async () => expect((await scene.client.get(Secret, key)).data).toEqual(data));
});

test("once the primary was ready, it is not initialized again", async () => {
  const name = await scene.createServers("precious");
  expect(await scene.fileOf(name, "initialized")).toBeUndefined();
  await scene.makeReady(name);
  await eventually(async () => expect(await scene.fileOf(name, "initialized")).toBe("true"));
  // The flag outlives the Secret that mounts it into the servers.
  await scene.makeReady(name, 0);
  await scene.client.delete(Secret, { namespace, name: `${name}-config` });
  await eventually(async () => expect(await scene.fileOf(name, "initialized")).toBe("true"));
  await scene.client.patch(Maria, await scene.get(name), ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [ALLOW_REINIT_ANNOTATION]: "true" };
  });
  await eventually(async () => expect(await scene.fileOf(name, "allow-reinit")).toBe("true"));
});

function give(name: string, password: string): Promise<Secret> {
  return scene.client.create(Secret, { metadata: { name, namespace }, stringData: { password } });
}

async function change(name: string, password: string): Promise<void> {
  const merge = { data: { password: Buffer.from(password).toString("base64") } };
  await scene.client.patch(Secret, { namespace, name }, { merge });
}
