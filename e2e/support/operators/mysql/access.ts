import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import { expect } from "vitest";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

/** Access to the servers: who reaches them, and by which credentials. */
export const access: readonly Scenario[] = [
  {
    row: "N01",
    title:
      "named clients, the servers themselves and Jobs reach the servers, and nobody else; without clients, all do",
    async run(context) {
      const clients = [{ podSelector: { matchLabels: { app: "shop" } } }];
      await context.createReady("db", { size: 2, clients, backupSchedule: "@daily" });
      await context.createReady("other");
      const policy = await context.client.get(NetworkPolicy, context.key("db"));
      expect(policy.spec).toMatchObject({ policyTypes: ["Ingress"] });
      expect(await selected(context, policy.spec?.podSelector?.matchLabels)).toEqual(["db-0", "db-1"]);
      const [rule, ...more] = policy.spec?.ingress ?? [];
      expect(more).toEqual([]);
      expect(rule?.ports).toEqual([{ protocol: "TCP", port: 3306 }]);
      const [ours, ...rest] = rule?.from ?? [];
      expect(rest).toEqual(clients);
      await backUp(context);
      await context.eventually(async () => {
        const names = await selected(context, ours?.podSelector?.matchLabels);
        expect(names).toEqual(["db-0", "db-1", expect.stringMatching(/^by-hand-/)]);
      });

      const merge = { spec: { ingress: [{}] } };
      await context.client.patch(NetworkPolicy, context.key("db"), { merge });
      await context.eventually(async () =>
        expect((await context.find(NetworkPolicy, "db"))?.spec).toEqual(policy.spec),
      );
      await context.change("db", { clients: [{ ipBlock: { cidr: "everywhere" } }] });
      expect((await context.until("db", "Degraded", "ChildRejected")).message).toContain("everywhere");
      expect((await context.find(NetworkPolicy, "db"))?.spec).toEqual(policy.spec);
      await context.change("db", { clients: [] });
      await context.until("db", "Degraded", "AsExpected");
      expect((await context.find(NetworkPolicy, "db"))?.spec?.ingress?.[0]?.from).toEqual([ours]);
      await context.change("db", { clients: null });
      await context.eventually(async () => expect(await context.find(NetworkPolicy, "db")).toBeUndefined());
    },
  },
  {
    row: "N02",
    title: "a certificate that is missing or wrong is named and changes nothing; a right one is enough",
    async run(context) {
      const before = await context.createReady("db", { size: 2 });
      const { metadata } = await context.statefulSet("db");
      await context.change("db", { tls: { secret: "certificate" } });
      expect((await context.until("db", "Degraded", "SecretNotFound")).message).toContain('"certificate"');
      const authority = createCA({ commonName: "scenario" });
      const right = issue(authority, `*.db-headless.${context.namespace}.svc`);
      await put(context, { ...right, "ca.crt": "" });
      await refused(context, "has no key ca.crt");
      await put(context, { ...right, "tls.key": issue(authority, "other")["tls.key"] });
      await refused(context, "has a key that is not the certificate's");
      await put(context, issue(authority, "db-0.elsewhere.svc"));
      await refused(context, `is not valid for db-0.db-headless.${context.namespace}.svc`);
      expect((await context.statefulSet("db")).metadata.generation).toBe(metadata.generation);
      expect((await context.status("db")).primary).toBe(before.status?.primary);
      expect(await context.file("db", "tls.crt")).toBeUndefined();

      await put(context, right);
      await context.until("db", "Degraded", "AsExpected");
      await context.settled("db");
      expect(await context.file("db", "tls.crt")).toBe(right["tls.crt"]);
      await context.eventually(async () => expect(await context.file("db", "primary")).toMatch(/ tls$/));
      const generation = (await context.statefulSet("db")).metadata.generation!;
      expect(generation).toBeGreaterThan(metadata.generation!);

      await put(context, { ...right, "tls.crt": "none" });
      await refused(context, "can't be read");
      expect(await context.file("db", "tls.crt")).toBe(right["tls.crt"]);
      const renewed = issue(authority, `*.db-headless.${context.namespace}.svc`);
      await put(context, renewed);
      await context.until("db", "Degraded", "AsExpected");
      expect(await context.file("db", "tls.crt")).toBe(renewed["tls.crt"]);
      expect((await context.statefulSet("db")).metadata.generation).toBe(generation);
    },
  },
];

/** The names of the pods with these labels; without labels, of none. */
async function selected(context: ScenarioContext, labels: Record<string, string> | undefined) {
  if (!labels) return [];
  const pods = await context.client.list(Pod, { namespace: context.namespace, labels });
  return pods
    .map(({ metadata }) => metadata.name)
    .toSorted(
      (a, b) => Number(a.startsWith("by-hand")) - Number(b.startsWith("by-hand")) || (a < b ? -1 : 1),
    );
}

/** Starts a backup by hand, as `kubectl create job --from` does. */
async function backUp(context: ScenarioContext): Promise<void> {
  const { spec } = await context.client.get(CronJob, context.key("db-backup"));
  const { metadata, spec: job } = spec.jobTemplate;
  await context.client.create(Job, { metadata: { ...metadata, ...context.key("by-hand") }, spec: job! });
}

async function refused(context: ScenarioContext, message: string): Promise<void> {
  await context.eventually(async () =>
    expect((await context.until("db", "Degraded", "CertificateInvalid")).message).toContain(message),
  );
}

function issue(authority: CertificateWithKey, name: string) {
  const { cert, key } = issueCertificate(authority, { usages: ["server"], dnsNames: [name] });
  return { "tls.crt": cert, "tls.key": key, "ca.crt": authority.cert };
}

async function put(context: ScenarioContext, stringData: Record<string, string>): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(stringData).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
  const metadata = context.key("certificate");
  await context.client.apply(Secret, { metadata, data }, { fieldManager: "scenario" });
}
