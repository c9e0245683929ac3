import { afterEach, describe, expect, it } from "vitest";
import { FakeClock, startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { controllerRevisions } from "../../../control-loop/revisions/controller-revisions.ts";
import { daemonSets } from "../daemon-set/daemon-set.ts";
import { type StatefulSet, statefulSets } from "./stateful-set-controller.ts";
import { persistentVolumeClaims, pods } from "../../../control-loop/api/core.ts";
import { type ControllerName, controllerNames } from "../../../controllers/index.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
const start = async (controllers: readonly ControllerName[] = controllerNames) => {
  cluster = await startTestCluster({ controllers });
};
afterEach(() => cluster.stop());

/** A StatefulSet as a user would write it, with defaults. */
const db = (spec: object = {}, image = "db:1") => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "default" },
  spec: {
    replicas: 3,
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "db", image }] } },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    ...spec,
  },
});

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(statefulSets, "default", "db") as StatefulSet;
const listPods = () => objects().list(pods, "default");
const names = () => listPods().map(({ metadata }) => metadata.name);
const images = () => listPods().map(({ spec }) => spec.containers[0]?.image);
const claims = () => objects().list(persistentVolumeClaims, "default");

describe("statefulSetController()", () => {
  it("waits for a pod of another owner that ends under the name of its own, and reports no error", async () => {
    const errors: unknown[] = [];
    const clock = new FakeClock();
    cluster = await startTestCluster({
      clock,
      controllers: ["statefulset"],
      onError: (error) => errors.push(error),
    });
    const metadata = { name: "db-0", namespace: "default", finalizers: ["example.com/wait"] };
    const spec = { containers: [{ name: "db", image: "db:1" }] };
    const [pod] = await cluster.install({ apiVersion: "v1", kind: "Pod", metadata, spec });
    await objects().delete("test", pod!);
    await cluster.install(db({ replicas: 1 }));
    await clock.advance(60_000);
    expect(names()).toEqual(["db-0"]);
    const ending = objects().get(pods, "default", "db-0")!;
    await objects().update("test", { ...ending, metadata: { ...ending.metadata, finalizers: [] } });
    await clock.advance(60_000);
    expect(listPods().map((each) => each.metadata.uid !== pod!.metadata.uid)).toEqual([true]);
    expect(errors).toEqual([]);
  });

  it("shares its name and its template with a DaemonSet", async () => {
    await start();
    const { selector, template } = db().spec;
    const metadata = { name: "db", namespace: "default" };
    await cluster.install(db({ replicas: 1, volumeClaimTemplates: [] }), {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata,
      spec: { selector, template },
    });
    await eventually(() => {
      expect(objects().list(controllerRevisions, "default")).toHaveLength(2);
      expect(objects().get(daemonSets, "default", "db")?.status?.numberReady).toBe(1);
      expect(read().status?.readyReplicas).toBe(1);
    });
  });

  it("comes to rest when it adopts an orphan with the template of a revision that it created", async () => {
    await start();
    await cluster.install(db({ replicas: 1, volumeClaimTemplates: [] }));
    await eventually(() => expect(read().status?.readyReplicas).toBe(1));
    const revisions = () => objects().list(controllerRevisions, "default");
    const [own] = revisions();
    await objects().create("test", {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: { name: "db-orphan", namespace: "default", labels: own!.metadata.labels! },
      data: own!.data,
      revision: 5,
    });
    const metadata = { name: "db", namespace: "default", annotations: { touched: "yes" } };
    await cluster.install({ ...db({ replicas: 1, volumeClaimTemplates: [] }), metadata });
    await eventually(() => expect(read().status?.updateRevision).toBe("db-orphan"));
    expect(revisions().map(({ revision }) => revision)).toEqual([1, 5]);
  });

  it("creates numbered pods, each with its own volume", async () => {
    await start();
    await cluster.install(db());
    await eventually(() => expect(read().status?.readyReplicas).toBe(3));
    expect(names()).toEqual(["db-0", "db-1", "db-2"]);
    expect(claims().map(({ metadata }) => metadata.name)).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
    expect(claims().map(({ status }) => status?.phase)).toEqual(["Bound", "Bound", "Bound"]);
    expect(listPods()[0]).toMatchObject({
      metadata: {
        labels: { "statefulset.kubernetes.io/pod-name": "db-0", "apps.kubernetes.io/pod-index": "0" },
      },
      spec: {
        hostname: "db-0",
        subdomain: "db",
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "data-db-0" } },
          { name: expect.stringMatching(/^kube-api-access-/) as string },
        ],
      },
    });
    await eventually(() =>
      expect(read().status).toMatchObject({
        replicas: 3,
        currentReplicas: 3,
        updatedReplicas: 3,
        availableReplicas: 3,
      }),
    );
  });

  it("waits for each pod before it creates the next, except with Parallel", async () => {
    await start(["statefulset", "persistentvolume"]);
    await cluster.install(db());
    await eventually(() => expect(read().status?.replicas).toBe(1));
    expect(names()).toEqual(["db-0"]);
    const parallel = db({ podManagementPolicy: "Parallel" });
    await cluster.install({ ...parallel, metadata: { name: "many", namespace: "default" } });
    await eventually(() => expect(names()).toEqual(["db-0", "many-0", "many-1", "many-2"]));
  });

  it("scales down from the highest ordinal and keeps the volumes", async () => {
    await start();
    await cluster.install(db());
    await eventually(() => expect(read().status?.readyReplicas).toBe(3));
    await cluster.install(db({ replicas: 1 }));
    await eventually(() => expect(names()).toEqual(["db-0"]));
    expect(claims()).toHaveLength(3);
  });

  it("deletes no pod that isn't ready while one below it isn't", async () => {
    await start(["statefulset"]);
    const setReady = async (status: "True" | "False", ...ordinals: readonly number[]): Promise<void> => {
      for (const ordinal of ordinals) {
        const pod = await eventually(() => objects().get(pods, "default", `db-${ordinal}`) ?? false);
        const conditions = [{ type: "Ready", status }];
        await objects().update("test", { ...pod, status: { phase: "Running", conditions } }, "status");
      }
    };
    await cluster.install(db({ volumeClaimTemplates: [] }));
    await setReady("True", 0, 1, 2);
    await eventually(() => expect(read().status?.readyReplicas).toBe(3));
    await setReady("False", 0, 1, 2);
    await cluster.install(db({ replicas: 0, volumeClaimTemplates: [] }));
    await eventually(() => {
      expect(read().status?.observedGeneration).toBe(read().metadata.generation);
      expect(read().status?.readyReplicas ?? 0).toBe(0);
    });
    expect(names()).toEqual(["db-0", "db-1", "db-2"]);
    await setReady("True", 2);
    await eventually(() => expect(names()).toEqual(["db-0", "db-1"]));
    await setReady("True", 1);
    await eventually(() => expect(names()).toEqual([]));
  });

  it("deletes volumes with pods that are scaled down, if whenScaled is Delete", async () => {
    const policy = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" } };
    await start();
    await cluster.install(db(policy));
    await eventually(() => expect(read().status?.readyReplicas).toBe(3));
    await cluster.install(db({ ...policy, replicas: 2 }));
    await eventually(() =>
      expect(claims().map(({ metadata }) => metadata.name)).toEqual(["data-db-0", "data-db-1"]),
    );
  });

  it("updates pods from the highest ordinal down to the partition", async () => {
    const partition = (count: number) => ({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: count } },
    });
    await start();
    await cluster.install(db(partition(0)));
    await eventually(() => expect(read().status?.readyReplicas).toBe(3));
    const first = read().status?.currentRevision;

    await cluster.install(db(partition(2), "db:2"));
    await eventually(() => expect(read().status).toMatchObject({ updatedReplicas: 1, readyReplicas: 3 }));
    expect(images()).toEqual(["db:1", "db:1", "db:2"]);
    expect(read().status).toMatchObject({ currentRevision: first, currentReplicas: 2 });

    await cluster.install(db(partition(0), "db:2"));
    await eventually(() => expect(read().status?.currentRevision).not.toBe(first));
    expect(images()).toEqual(["db:2", "db:2", "db:2"]);
    expect(read().status?.updateRevision).toBe(read().status?.currentRevision);
  });

  it("replaces no pods with OnDelete until one is deleted", async () => {
    const onDelete = { updateStrategy: { type: "OnDelete" } };
    await start();
    await cluster.install(db(onDelete));
    await eventually(() => expect(read().status?.readyReplicas).toBe(3));
    await cluster.install(db(onDelete, "db:2"));
    await eventually(() => expect(read().status?.observedGeneration).toBe(2));
    expect(images()).toEqual(["db:1", "db:1", "db:1"]);
    await objects().delete("tester", listPods()[1]!);
    await eventually(() => expect(images()).toEqual(["db:1", "db:2", "db:1"]));
  });

  it("makes the revision of an older template the newest after a rollback", async () => {
    await start();
    for (const image of ["db:1", "db:2", "db:1"]) {
      await cluster.install(db({ replicas: 1 }, image));
      await eventually(() => expect(images()).toEqual([image]));
    }
    const revisions = objects().list(controllerRevisions, "default");
    expect(revisions.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([2, 3]);
  });
});
