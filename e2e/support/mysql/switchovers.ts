import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
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
      expect((await context.status("db")).primary).toBe("db-0");
    },
  },
];
