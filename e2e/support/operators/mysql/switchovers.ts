import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";

/** Another server becomes primary because the spec says so. */
export const switchovers: readonly Scenario[] = [
  {
    row: "S01",
    title: "a switchover moves the Service for writes, survives lost Secrets, and can be taken back",
    async run(context) {
      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      for (const primary of [1, 0]) {
        await context.change("db", { primary });
        await context.eventually(async () => {
          expect((await context.status("db")).primary).toBe(`db-${primary}`);
          const { spec } = (await context.find(Service, "db"))!;
          expect(spec?.selector).toMatchObject({ "statefulset.kubernetes.io/pod-name": `db-${primary}` });
          expect(await context.find(Job, "db-switchover")).toBeUndefined();
        });
        await context.settled("db");
        expect(await context.file("db", "primary")).toMatch(new RegExp(`^${primary} db-${primary}\\.`));
        const backup = JSON.stringify((await context.find(CronJob, "db-backup"))?.spec);
        expect(backup).toContain(`"db-${1 - primary}.db-headless`);
        await context.client.delete(Secret, context.key("db-credentials"));
        await context.eventually(() => context.client.get(Secret, context.key("db-credentials")));
        await context.quiet();
        expect((await context.status("db")).primary).toBe(`db-${primary}`);
      }
      expect(await context.events("db", "SwitchedOver")).toHaveLength(2);
    },
  },
  {
    row: "S02",
    title: "a switchover to a server that is not ready waits, and the primary is not scaled away",
    async run(context) {
      await context.createReady("db", { size: 3, primary: 2 });
      await context.eventually(async () => expect((await context.status("db")).primary).toBe("db-2"));
      await expect(context.change("db", { size: 2 })).rejects.toThrow("primary must be less than size");
      // The operator must know that the server is not ready before it is asked for a switchover to it.
      context.decidePods((name) => (name === "db-0" ? "unready" : undefined));
      await context.until("db", "Degraded", "ReplicaNotReady");
      await context.change("db", { size: 1, primary: null });
      await context.wait(2000);
      expect((await context.statefulSet("db")).spec?.replicas).toBe(3);
      await context.change("db", { primary: 0 });
      await context.until("db", "Degraded", "SwitchoverWaits");
      expect(await context.find(Job, "db-switchover")).toBeUndefined();
      context.decidePods(() => undefined);
      await context.eventually(async () => expect((await context.statefulSet("db")).spec?.replicas).toBe(1));
      await context.eventually(async () => expect((await context.status("db")).primary).toBe("db-0"));
    },
  },
  {
    row: "S03",
    title:
      "who is primary, and its history, survive the loss of both Secrets, and the servers get new passwords",
    async run(context) {
      await context.createReady("db", { size: 2, primary: 1 });
      await context.eventually(async () => expect((await context.status("db")).primary).toBe("db-1"));
      await context.settled("db");
      const { history } = await context.status("db");
      const old = new Set<string | undefined>((await context.pods("db")).map(({ metadata }) => metadata.uid));
      const names = ["db-credentials", "db-config"].map((name) => context.key(name));
      const before = await Promise.all(names.map((name) => context.client.get(Secret, name)));
      // Kubernetes has times in seconds.
      await context.wait(2000);
      // The running servers have passwords that nobody knows any more: their probes fail.
      context.decidePods((_, { metadata }) => (old.has(metadata.uid) ? "unready" : undefined));
      await Promise.all(names.map((name) => context.client.delete(Secret, name)));
      await context.eventually(async () => {
        const uids = (await context.pods("db")).map(({ metadata }) => metadata.uid);
        expect(uids).toHaveLength(2);
        expect(uids.filter((uid) => old.has(uid))).toEqual([]);
      });
      await context.settled("db");
      const after = await Promise.all(names.map((name) => context.client.get(Secret, name)));
      for (const at of [0, 1]) expect(after[at]!.metadata.uid).not.toBe(before[at]!.metadata.uid);
      expect(await context.status("db")).toMatchObject({ primary: "db-1", history });
      expect(await context.file("db", "primary")).toMatch(/^1 db-1\./);
      expect(await context.file("db", "initialized")).toBe(history);
      await context.quiet();
    },
  },
  {
    row: "S04",
    title: "a failed switchover is called off if it changed nothing, and else has to be finished",
    async run(context) {
      await context.createReady("db", { size: 2 });
      const isJob = (name: string) => name.startsWith("db-switchover");
      for (const exitCode of [7, 1]) {
        context.decidePods((name) => (isJob(name) ? { exitCode } : undefined));
        await context.change("db", { primary: 1 });
        const { message } = await context.until("db", "Degraded", "SwitchoverFailed");
        expect(message).toMatch(/see its log; delete it to retry$/);
        await context.change("db", { primary: 0 });
        if (exitCode !== 7) continue;
        await context.until("db", "Degraded", "AsExpected");
        expect(await context.find(Job, "db-switchover")).toBeUndefined();
      }
      const { message } = await context.until("db", "Degraded", "SwitchoverFailed");
      expect(message).toContain("it has begun, so set primary to 1, and delete it to retry");
      context.decidePods(() => undefined);
      await context.change("db", { primary: 1 });
      await context.client.delete(Job, context.key("db-switchover"), { propagationPolicy: "Background" });
      await context.eventually(async () => expect((await context.status("db")).primary).toBe("db-1"));
    },
  },
  {
    row: "S05",
    title:
      "a primary beyond the size is not reported as ready when it is not, and its successor asks all servers",
    async run(context) {
      await context.createReady("db", { size: 3, primary: 2 });
      await context.eventually(async () => expect((await context.status("db")).primary).toBe("db-2"));
      await context.settled("db");
      context.decidePods((name) => (name === "db-2" ? "unready" : undefined));
      await context.until("db", "Available", "PrimaryNotReady");
      await context.change("db", { size: 1, primary: null });
      await context.until("db", "Available", "PrimaryNotReady");
      context.decidePods((name) =>
        name === "db-2" || name.startsWith("db-switchover") ? "unready" : undefined,
      );
      const annotations = { "data.example.com/allow-loss": "true" };
      await context.client.patch(Maria, context.key("db"), { merge: { metadata: { annotations } } });
      await context.change("db", { primary: 0 });
      const job = await context.eventually(() => context.client.get(Job, context.key("db-switchover")));
      const env = job.spec?.template.spec?.containers[0]?.env ?? [];
      expect(env).toContainEqual({ name: "ALLOW_LOSS", value: "true" });
      expect(env).toContainEqual({
        name: "OTHER_HOSTS",
        value: expect.stringMatching(/^db-1\.db-headless\.[^ ]*:3306$/),
      });
    },
  },
];
