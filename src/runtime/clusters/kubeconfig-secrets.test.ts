import type { NamespacedName } from "../client/client.ts";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { Lease } from "../k8s/coordination/v1.ts";
import { Secret } from "../k8s/core/v1.ts";
import { createLogger } from "../log/logger.ts";
import type { MemberCluster } from "../manager/cluster.ts";
import type { Manager } from "../manager/manager.ts";
import type { ManagerOptions } from "../manager/manager-options.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { eventually } from "../testing/eventually.ts";
import { configFromSecret, followKubeconfigSecrets } from "./kubeconfig-secrets.ts";

const home = useWidgetCluster();
const east = useWidgetCluster();
const labels = { "example.com/fleet": "shops" };
const key = { namespace: "default", name: "east" };
const encode = (text: string) => Buffer.from(text).toString("base64");

/** All that were made, also those that wait for a lease. */
const managers: Manager[] = [];

/** Copies sizes to the status, and remembers the clusters it was called with. */
async function follow(options: Partial<ManagerOptions> = {}) {
  const clusters: MemberCluster[] = [];
  const lines: string[] = [];
  const setup = (cluster: MemberCluster) => {
    clusters.push(cluster);
    cluster.controllerFor(Widget).complete({
      async reconcile(request) {
        const widget = await cluster.client.find(Widget, request);
        if (widget) await cluster.client.patchStatus(Widget, widget, { ready: widget.spec.size ?? 0 });
      },
    });
  };
  const logger = createLogger({ write: (line) => void lines.push(line) });
  const running = await startTestManager({ kubeconfig: home.kubeconfig!, logger, ...options }, (manager) => {
    managers.push(manager);
    followKubeconfigSecrets(manager, { namespace: "default", labels, setup });
  });
  onTestFinished(() => running.stop());
  return { ...running, clusters, lines };
}

/** Writes the kubeconfig of a Secret. */
const write = (kubeconfig: string, marks: Record<string, string> = labels) =>
  home.client.apply(Secret, {
    metadata: { ...key, labels: marks },
    data: { kubeconfig: encode(kubeconfig) },
  });

const isReady = (size: number, key: NamespacedName) =>
  eventually(async () => expect((await east.client.get(Widget, key)).status?.ready).toBe(size));

test("a cluster comes with its Secret, starts anew when its kubeconfig changes, and goes with its labels", async () => {
  const { manager, clusters, lines } = await follow();
  const kubeconfig = JSON.stringify(east.kubeconfig);
  await home.client.create(Secret, {
    metadata: { namespace: "default", name: "stranger" },
    data: { kubeconfig: encode("x") },
  });
  await write(kubeconfig);
  const widget = await east.create({ size: 1 });
  await isReady(1, widget.metadata);

  // A change of the Secret that leaves the kubeconfig alone does not restart the cluster.
  await home.client.patch(Secret, key, { merge: { metadata: { annotations: { note: "new" } } } });
  // A wrong one is reported, and the cluster goes on with the one before.
  await write("clusters: 7");
  await eventually(() => expect(lines.join("")).toContain("its clusters must be a list"));
  await east.client.patch(Widget, widget, { merge: { spec: { size: 2 } } });
  await isReady(2, widget.metadata);
  expect(clusters).toHaveLength(1);

  await write(`${kubeconfig}\n`);
  await eventually(() => expect(clusters).toHaveLength(2));
  await east.client.patch(Widget, widget, { merge: { spec: { size: 3 } } });
  await isReady(3, widget.metadata);

  await write(kubeconfig, { "example.com/fleet": "none" });
  await eventually(() => expect([...manager.clusters.keys()]).toEqual([]));
  await write(kubeconfig);
  await eventually(() => expect([...manager.clusters.keys()]).toEqual(["east"]));
  await home.client.delete(Secret, key);
  await eventually(() => expect([...manager.clusters.keys()]).toEqual([]));
});

test("a kubeconfig that would run a program or read a file is refused", async () => {
  const server = { server: "https://127.0.0.1:1" };
  const file = (cluster: object, user: object) =>
    JSON.stringify({
      "current-context": "a",
      clusters: [{ name: "a", cluster: { ...server, ...cluster } }],
      users: [{ name: "a", user }],
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    });
  const read = (cluster: object, user: object) =>
    configFromSecret(file(cluster, user), "Secret default/east");
  await expect(read({}, { token: "t" })).resolves.toMatchObject(server);
  const wrong: [object, object][] = [
    [{ "certificate-authority": "/etc/passwd" }, {}],
    [{}, { tokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" }],
    [{}, { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "true" } }],
    [{}, { "auth-provider": { name: "gcp", config: { "cmd-path": "true" } } }],
    [{}, { "client-certificate": "/tmp/a" }],
    [{}, { "client-key": "/tmp/a" }],
  ];
  // Node's TLS would throw an error for these values while it connects.
  await expect(read({ "tls-server-name": 5 }, {})).rejects.toThrow(
    /"tls-server-name" of cluster .* must be a string/,
  );
  for (const [cluster, user] of wrong)
    await expect(read(cluster, user)).rejects.toThrow(
      /Secret default\/east has ".*", which a Secret must not have/,
    );
});

test("the message about a kubeconfig that can't be read has nothing of what is in it", async () => {
  for (const text of ["users: [{ token: s3cret ]", '{ "token": "s3cret"', "a: &a s3cret\nb: *c"]) {
    const failed = await configFromSecret(text, "Secret default/east").catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: expect.stringContaining("Secret default/east can't be read") });
    expect(inspect(failed)).not.toContain("s3cret");
  }
});

test("a Secret takes over no cluster that the operator added itself", async () => {
  const { manager, lines } = await follow();
  const own = manager.addCluster("east", { server: "http://127.0.0.1:1" });
  await write(JSON.stringify(east.kubeconfig));
  await eventually(() => expect(lines.join("")).toContain('there is a cluster \\"east\\" already'));
  expect(manager.clusters.get("east")).toBe(own);
  await home.client.delete(Secret, key);
});

test("of processes that share the objects one follows all Secrets, and another when it stops", async () => {
  const id = { id: "fleet.example.com", namespace: "default" };
  const options = { sharding: id, leaderElection: { ...id, id: "fleet-leader.example.com" } };
  const followed = (manager: Manager) => [...manager.clusters.keys()].toSorted();
  const first = await follow(options);
  // The second manager shares the objects at once, and its controllers start once it leads.
  const second = follow(options);
  await eventually(async () => {
    const leases = await home.client.list(Lease, { namespace: "default" });
    const claims = leases.flatMap(
      ({ metadata }) => metadata.annotations?.["tsbuilder.dev/shard-claims"] ?? [],
    );
    const [one = 0n, other = 0n] = claims.map((claim) => BigInt(`0x${claim}`));
    expect([one === 0n, other === 0n, one & other]).toEqual([false, false, 0n]);
  });
  const names = ["east", "north", "south", "west"];
  for (const name of names)
    await home.client.apply(Secret, {
      metadata: { namespace: "default", name, labels },
      data: { kubeconfig: encode(JSON.stringify(east.kubeconfig)) },
    });
  const waiting = managers.at(-1)!;
  await eventually(() => expect(followed(first.manager)).toEqual(names));
  expect(followed(waiting)).toEqual([]);
  await first.stop();
  await second;
  await eventually(() => expect(followed(waiting)).toEqual(names));
});
