import { startCluster } from "@tsbuilder/cluster";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { MutatingWebhookConfiguration } from "@tsbuilder/runtime/k8s/admissionregistration/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { patchOf } from "../../../e2e/support/cluster/webhook-scene.ts";
import { startWebhookServer } from "../../../e2e/support/cluster/webhook-server.ts";
import { startPage } from "../page/page-server.ts";
import { parseRecording } from "./read-recording.ts";
import { RecentRecord } from "./recent-record.ts";
import { SessionRecording } from "./session-recording.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("what a webhook is asked and answers about a Secret is told to pages without a value", async () => {
  const hooks = await startWebhookServer();
  onTestFinished(() => hooks.stop());
  hooks.answers["/m"] = ({ request }) => ({
    ...patchOf([{ op: "add", path: "/data/token", value: base64("opensesame") }]),
    ...(request.operation === "CREATE" && { warnings: ["hunter2 is too short"] }),
  });
  const recent = new RecentRecord();
  const recording = new SessionRecording(undefined, {
    project: "shop",
    tsbuilder: "0.2.0",
    describe: String,
    onEnd: () => expect.unreachable(),
    recent,
  });
  recording.open();
  const cluster = await startCluster({
    onWrite: (write) => recording.write(write),
    onWebhookCall: (call) => recording.called(call),
  });
  onTestFinished(() => cluster.stop());
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  await client.create(MutatingWebhookConfiguration, {
    metadata: { name: "shop" },
    webhooks: [
      {
        name: "msecret.kb.io",
        clientConfig: { url: `${hooks.url}/m`, caBundle: hooks.caBundle },
        rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  const metadata = { namespace: "default", name: "login" };
  await client.create(Secret, { metadata, stringData: { password: "hunter2" } });
  await client.patch(Secret, { metadata }, { merge: { data: { password: base64("hunter3") } } });
  await client.delete(Secret, metadata);

  const page = await startPage({ assets: new Map(), record: recent });
  onTestFinished(() => page.stop());
  const { origin, hash } = new URL(page.url);
  const told = await fetch(`${origin}/record`, { headers: { authorization: `Bearer ${hash.slice(1)}` } });
  recording.close();
  const text = await told.text();
  expect(text).toContain("msecret.kb.io");
  for (const value of ["hunter2", "hunter3", "opensesame"]) {
    expect(text).not.toContain(value);
    expect(text).not.toContain(base64(value));
  }
  const { recorded } = parseRecording(recent.text(), "session.jsonl");
  const calls = recorded.flatMap((one) => (one.type === "webhook" && one.call === "mutating" ? [one] : []));
  expect(calls).toMatchObject([
    {
      operation: "CREATE",
      answer: { warnings: ["(not shown)"], patch: [{ path: "/data/token", value: "(not shown)" }] },
    },
    { operation: "UPDATE", object: { data: { password: "(not shown)" } } },
    { operation: "DELETE", oldObject: { data: { password: "(not shown)", token: "(not shown)" } } },
  ]);
});
