import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../k8s/core/v1.ts";
import { startTestManager } from "../testing/test-manager.ts";

test("the embedded cluster says to each call that it has no containers, and which pod it has not", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const { manager, client: live, stop } = await startTestManager(cluster.kubeconfig);
  onTestFinished(stop);
  const pod = await live.create(Pod, {
    metadata: { namespace: "default", name: "db-0" },
    spec: { containers: [{ name: "mysql", image: "mysql" }] },
  });
  const client = manager.client.with({ namespace: "default" });
  const nobody = { namespace: "default", name: "nobody" };
  await expect(client.exec(pod, ["ls"])).rejects.toThrow(
    "containers don't run in the embedded cluster, so pod \"db-0\" can't run commands",
  );
  await expect(client.logs(pod).text()).rejects.toThrow('pod "db-0" has no logs');
  await expect(client.openPort(pod, 80)).rejects.toThrow('pod "db-0" has no ports to forward');
  await expect(client.exec(nobody, ["ls"])).rejects.toMatchObject({ isNotFound: true });
  await expect(client.logs(nobody).text()).rejects.toMatchObject({ isNotFound: true });
  await expect(client.portForward(nobody, 80)).rejects.toMatchObject({ isNotFound: true });
  expect(() => client.logs({ namespace: "elsewhere", name: "a" })).toThrow("out of reach");
});
