import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

/** Where passwords come from, and how they are rotated. */
export const secrets: readonly Scenario[] = [
  {
    row: "T25",
    title: "a missing Secret is named, its creation is enough, and nobody polls for it",
    async run(context) {
      await context.create("db", { passwordSecretRef: { name: "given" } });
      await context.until("db", "Degraded", "SecretNotFound");
      expect(await context.condition("db", "Degraded")).toMatchObject({
        message: expect.stringContaining('"given"'),
      });
      await context.eventually(() => expectNoRequests(context, 3000));
      await expectNoRequests(context, 12_000);
      await expect(context.statefulSet("db")).rejects.toMatchObject({ isNotFound: true });

      await put(context, "given", { other: "x" });
      await context.until("db", "Degraded", "SecretKeyMissing");
      await put(context, "given", { password: "x" });
      await context.eventually(() => context.statefulSet("db"), { within: 5000 });
      await context.settled("db");
    },
  },
  {
    row: "T26",
    title: "a new password is one Job, one event, and no restart; the same password again is nothing at all",
    async run(context) {
      await put(context, "given", { password: "first" });
      await context.createReady("db", { passwordSecretRef: { name: "given" } });
      const { metadata } = await context.statefulSet("db");
      context.decidePods((name) => (name.startsWith("db-passwords") ? "unready" : undefined));
      await put(context, "given", { password: "second" });
      const { metadata: job } = await context.eventually(() =>
        context.client.get(Job, context.key("db-passwords")),
      );
      await context.wait(2000);
      expect(await published(context, "app")).toBe("first");
      context.decidePods(() => undefined);
      await context.eventually(async () => expect(await published(context, "app")).toBe("second"));
      await context.eventually(async () =>
        expect(await context.events("db", "CredentialsRotated")).toHaveLength(1),
      );
      await context.settled("db");

      await put(context, "given", { password: "second" });
      await context.client.patch(Secret, context.key("given"), {
        merge: { metadata: { labels: { a: "b" } } },
      });
      await context.quiet();
      expect((await context.client.get(Job, context.key("db-passwords"))).metadata.uid).toBe(job.uid);
      expect((await context.statefulSet("db")).metadata.generation).toBe(metadata.generation);
      expect((await context.events("db", "CredentialsRotated"))[0]?.series).toBeUndefined();
    },
  },
  {
    row: "R01",
    title: "a rotation that is asked for gives all generated passwords anew, once",
    async run(context) {
      await context.createReady("db", { password: "given" });
      const users = ["app", "root", "replication", "backup", "probe"];
      const all = () => Promise.all(users.map((user) => published(context, user)));
      const before = await all();
      const merge = { metadata: { annotations: { "data.example.com/rotate": "now" } } };
      await context.client.patch(Maria, context.key("db"), { merge });
      await context.eventually(async () => expect(await published(context, "root")).not.toBe(before[1]));
      const after = await all();
      expect(after[0]).toBe("given");
      expect(after.filter((password) => before.includes(password))).toEqual(["given"]);
      await context.quiet();
      expect(await all()).toEqual(after);
    },
  },
  {
    row: "M56",
    title: "a change of settings rolls out and is not reported as a rotation",
    async run(context) {
      await context.createReady("db");
      await context.change("db", { config: { max_connections: "50" } });
      await context.eventually(async () => expect(await context.events("db", "Updated")).toHaveLength(1));
      await context.settled("db");
      expect(await context.file("db", "my.cnf")).toContain("max_connections=50");
      expect(await context.events("db", "CredentialsRotated")).toEqual([]);
    },
  },
  {
    row: "D11",
    title: "passwords that were deleted by hand are restored with the same values",
    async run(context) {
      await context.createReady("db", { size: 2 });
      const data = (await context.find(Secret, "db-credentials"))?.data;
      const { metadata } = await context.statefulSet("db");
      await context.client.delete(Secret, context.key("db-credentials"));
      await context.eventually(async () => {
        expect((await context.find(Secret, "db-credentials"))?.data).toEqual(data);
      });
      await context.wait(1000);
      expect((await context.statefulSet("db")).metadata.generation).toBe(metadata.generation);
    },
  },
  {
    row: "D07",
    title: "with root as the user there is only one password, whatever its source",
    async run(context) {
      await put(context, "given", { password: "for-root" });
      await context.createReady("db", { username: "root", rootPasswordSecretRef: { name: "given" } });
      expect(await context.file("db", "passwords.sql")).toContain("'root'@'%' IDENTIFIED BY 'for-root'");
      const { data } = (await context.find(Secret, "db-credentials"))!;
      expect(Buffer.from(data?.["root"] ?? "", "base64").toString()).toBe("for-root");
    },
  },
  {
    row: "D16",
    title: "a password of several lines is rejected, naming its Secret, before it breaks a server's files",
    async run(context) {
      await put(context, "given", { password: "one\ntwo" });
      await context.create("db", { passwordSecretRef: { name: "given" } });
      await context.until("db", "Degraded", "SecretKeyInvalid");
      await put(context, "given", { password: "one\n" });
      await context.settled("db");
      expect(await context.file("db", "passwords.sql")).toContain("IDENTIFIED BY 'one'");
    },
  },
];

async function published(context: ScenarioContext, user: string): Promise<string> {
  const data = (await context.find(Secret, "db-credentials"))?.data;
  return Buffer.from(data?.[user] ?? "", "base64").toString();
}

function requests({ environment, namespace }: ScenarioContext): number {
  return environment.gateway.requests.filter(({ path }) => path.includes(`/namespaces/${namespace}/`)).length;
}

async function expectNoRequests(context: ScenarioContext, milliseconds: number): Promise<void> {
  const sent = requests(context);
  await context.wait(milliseconds);
  expect(requests(context)).toBe(sent);
}

async function put(
  context: ScenarioContext,
  name: string,
  stringData: Record<string, string>,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  const secret = { metadata: context.key(name), data };
  await context.client.apply(Secret, secret, { fieldManager: "scenario" });
}
