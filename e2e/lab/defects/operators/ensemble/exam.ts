import type { KubernetesObject } from "@tsbuilder/runtime";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { State } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Ensemble } from "./types.ts";

export const exam: Exam = {
  kind: Ensemble,
  world: () => ({
    controllers: ["statefulset", "persistentvolume", "scheduler", "node", "kubelet"],
    operations: {
      values: { "spec.image": ["zookeeper:3.8", "zookeeper:3.9"], "spec.storage.size": ["1Gi", "2Gi"] },
    },
    // Retained claims depend on the past, and outlive their ensemble.
    mayStay: isRetained,
    mayDiffer: isRetained,
  }),
  promises: {
    never: {
      "a member runs, and its claim is gone or going": hasBereftMember,
      "a claim goes, and its member is one of those that the status counts": losesData,
    },
  },
  defects: [
    {
      name: "config-only-when-scaled",
      seenIn:
        "Acto: several operators write a ConfigMap only on the way on which they change the size; Pravega's kept the size of before in it (zookeeper-operator 137)",
      classes: ["history", "interrupted", "drift", "stale-view", "unretried", "lost-answer"],
      edits: [
        {
          right: "await children.set(ConfigMap, ",
          wrong:
            "const former = await children.find(StatefulSet, `${name}-server`);\n        if (former?.spec?.replicas !== members) await children.set(ConfigMap, ",
        },
      ],
    },
    {
      name: "claims-of-all-namespaces",
      seenIn:
        "lists and deletes of claims by label whose namespace is forgotten (milvus-operator 9): a test has one namespace, and a cluster two objects of one name",
      classes: ["collision", "foreign-object", "promise", "hot-loop"],
      edits: [
        {
          right: "client.list(PersistentVolumeClaim, { namespace, labels: doomed })",
          wrong: "client.list(PersistentVolumeClaim, { labels: doomed })",
        },
      ],
    },
    {
      name: "claims-by-an-old-view",
      seenIn:
        "Sieve: after a restart, Pravega's zookeeper-operator saw an old size, stopped members that had come back since, and deleted their volumes (zookeeper-operator 314; cassandra-operator 407)",
      classes: ["stale-view", "promise"],
      edits: [
        {
          right: "client.find(Ensemble, request, { live: true });",
          wrong: "client.find(Ensemble, request);",
        },
        {
          right: "const current = await client.find(StatefulSet, key, { live: true });",
          wrong: "const current = servers;",
        },
      ],
    },
    {
      name: "budget-stays",
      seenIn:
        "PodDisruptionBudgets that are left when a service is scaled down to one server, so that no node can be drained (keycloak-operator 120 deletes it; Strimzi 12892)",
      classes: ["history"],
      edits: [
        {
          right:
            "await children.set(PodDisruptionBudget, `${name}-server`, members > 2 ? budget : undefined);",
          wrong: "if (members > 2) await children.set(PodDisruptionBudget, `${name}-server`, budget);",
        },
      ],
    },
    {
      name: "claim-errors-ignored",
      seenIn:
        "Pravega's zookeeper-operator: an error of deleting a claim is logged, and the finalizer is removed all the same",
      classes: ["unretried", "leftover"],
      edits: [
        {
          right:
            "await client.delete(PersistentVolumeClaim, claim, { preconditions: { uid: claim.metadata.uid } });",
          wrong:
            'await client\n        .delete(PersistentVolumeClaim, claim, { preconditions: { uid: claim.metadata.uid } })\n        .catch((error: unknown) => manager.log.error(error, "A claim can\'t be deleted"));',
        },
        { right: 'return claims.length > 0 ? { requeueAfter: "2s" } : undefined;', wrong: "return;" },
      ],
    },
  ],
};

function isRetained({ kind, metadata: { labels } }: KubernetesObject): boolean {
  return kind === "PersistentVolumeClaim" && labels?.["coordination.example.com/reclaim"] === "Retain";
}

function losesData(state: State): boolean {
  const counted = (state.list("Ensemble") as readonly Ensemble[]).filter(
    ({ metadata }) => !metadata.deletionTimestamp,
  );
  return state.list("PersistentVolumeClaim").some(({ metadata }) => {
    const { name = "", namespace, deletionTimestamp } = metadata;
    const servers = state
      .list("StatefulSet")
      .find((set) => set.metadata.namespace === namespace && name.startsWith(`data-${set.metadata.name}-`));
    const uids = servers?.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
    const ensemble = counted.find((one) => uids.includes(one.metadata.uid ?? ""));
    const members = ensemble?.status?.members ?? 0;
    return deletionTimestamp !== undefined && Number(name.split("-").at(-1)) < members;
  });
}

function hasBereftMember(state: State): boolean {
  const claims = state
    .list("PersistentVolumeClaim")
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return (state.list("Pod") as readonly Pod[]).some(
    ({ metadata, spec, status }) =>
      !metadata.deletionTimestamp &&
      status?.phase === "Running" &&
      spec?.volumes?.some(
        ({ persistentVolumeClaim: claim }) =>
          claim && !claims.includes(`${metadata.namespace}/${claim.claimName}`),
      ),
  );
}
