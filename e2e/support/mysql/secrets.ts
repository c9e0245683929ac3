import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import type { Scenario } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

/** Where passwords come from, and what becomes of new ones. */
export const secrets: readonly Scenario[] = [
  {
    row: "T25",
    title: "a Secret that is missing is named, its coming is enough, and nobody polls for it",
    async play(stage) {
      await stage.create("db", { passwordSecretRef: { name: "given" } });
      await stage.until("db", "Degraded", "SecretNotFound");
      expect(await stage.condition("db", "Degraded")).toMatchObject({
        message: expect.stringContaining('"given"'),
      });
      await stage.wait(1000);
      const sent = requests(stage);
      await stage.wait(12_000);
      expect(requests(stage)).toBe(sent);
      await expect(stage.statefulSet("db")).rejects.toMatchObject({ isNotFound: true });

      await put(stage, "given", { other: "x" });
      await stage.until("db", "Degraded", "SecretKeyMissing");
      await put(stage, "given", { password: "x" });
      await stage.eventually(() => stage.statefulSet("db"));
      await stage.settled("db");
    },
  },
  {
    row: "T26",
    title: "a new password is one change and one event, and the same again is none",
    async play(stage) {
      await put(stage, "given", { password: "first" });
      await stage.createReady("db", { passwordSecretRef: { name: "given" } });
      const seen = async () => {
        const { metadata, spec } = await stage.statefulSet("db");
        const config = await stage.find(Secret, "db-config");
        return {
          hashes: JSON.stringify(spec?.template.metadata?.annotations),
          generation: metadata.generation ?? 0,
          config: config?.metadata.resourceVersion,
        };
      };
      const before = await seen();
      const sent = stage.writes().length;
      await put(stage, "given", { password: "second" });
      await stage.eventually(async () => expect((await seen()).hashes).not.toBe(before.hashes));
      await stage.settled("db");
      const after = await seen();
      expect(after.generation).toBe(before.generation + 1);
      expect(after.config).not.toBe(before.config);
      const written = stage.writes().slice(sent);
      expect(written.filter(({ path }) => path.endsWith("/secrets/db-config"))).toHaveLength(1);
      await stage.eventually(async () =>
        expect(await stage.events("db", "CredentialsRotated")).toHaveLength(1),
      );

      await put(stage, "given", { password: "second" });
      await stage.client.patch(Secret, stage.key("given"), { merge: { metadata: { labels: { a: "b" } } } });
      await stage.quiet();
      expect(await seen()).toEqual(after);
      expect((await stage.events("db", "CredentialsRotated"))[0]?.series).toBeUndefined();
    },
  },
  {
    row: "M56",
    title: "a change of settings rolls out and is not called a rotation",
    async play(stage) {
      await stage.createReady("db");
      await stage.change("db", { config: { max_connections: "50" } });
      await stage.eventually(async () => expect(await stage.events("db", "Updated")).toHaveLength(1));
      await stage.settled("db");
      expect(await stage.file("db", "my.cnf")).toContain("max_connections=50");
      expect(await stage.events("db", "CredentialsRotated")).toEqual([]);
    },
  },
  {
    row: "D11",
    title: "passwords that are deleted by hand come back as they were",
    async play(stage) {
      await stage.createReady("db", { size: 2 });
      const data = (await stage.find(Secret, "db-credentials"))?.data;
      const { metadata } = await stage.statefulSet("db");
      await stage.client.delete(Secret, stage.key("db-credentials"));
      await stage.eventually(async () => {
        expect((await stage.find(Secret, "db-credentials"))?.data).toEqual(data);
      });
      await stage.wait(1000);
      expect((await stage.statefulSet("db")).metadata.generation).toBe(metadata.generation);
    },
  },
  {
    row: "D07",
    title: "with root as the user there is one password, wherever it comes from",
    async play(stage) {
      await put(stage, "given", { password: "for-root" });
      await stage.createReady("db", { username: "root", rootPasswordSecretRef: { name: "given" } });
      expect(await stage.file("db", "init.sql")).toContain("'root'@'%' IDENTIFIED BY 'for-root'");
      const { data } = (await stage.find(Secret, "db-credentials"))!;
      expect(Buffer.from(data?.["root"] ?? "", "base64").toString()).toBe("for-root");
    },
  },
  {
    row: "D16",
    title: "a password of several lines is refused by name, before it breaks a server's files",
    async play(stage) {
      await put(stage, "given", { password: "one\ntwo" });
      await stage.create("db", { passwordSecretRef: { name: "given" } });
      await stage.until("db", "Degraded", "SecretKeyInvalid");
      await put(stage, "given", { password: "one\n" });
      await stage.settled("db");
      expect(await stage.file("db", "init.sql")).toContain("IDENTIFIED BY 'one'");
    },
  },
];

function requests({ theatre, namespace }: Stage): number {
  return theatre.gateway.requests.filter(({ path }) => path.includes(`/namespaces/${namespace}/`)).length;
}

async function put(stage: Stage, name: string, stringData: Record<string, string>): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  const secret = { metadata: stage.key(name), data };
  await stage.client.apply(Secret, secret, { fieldManager: "scenario" });
}
