import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import type { DaemonSet } from "./daemon-sets.ts";
import type { Node, Pod } from "../../../../control-loop/api/core.ts";
import { newPod } from "../../../../control-loop/pods/new-pod.ts";
import { revisionLabel } from "../../../../control-loop/revisions/controller-revisions.ts";
import { fitsNode, type NodeAffinity, repellingTaints } from "../../../core/node/node-fit.ts";

/** Taints that the pods of every DaemonSet tolerate. */
const endured = [
  { name: "not-ready", effect: "NoExecute" },
  { name: "unreachable", effect: "NoExecute" },
  { name: "disk-pressure", effect: "NoSchedule" },
  { name: "memory-pressure", effect: "NoSchedule" },
  { name: "pid-pressure", effect: "NoSchedule" },
  { name: "unschedulable", effect: "NoSchedule" },
] as const;

const enduredOnHost = [...endured, { name: "network-unavailable", effect: "NoSchedule" } as const];

const generationAnnotation = "deprecated.daemonset.template.generation";

/** Builds the pod for a node, which node affinity ties it to. */
export function daemonPod(set: DaemonSet, nodeName: string, revision: ControllerRevision): Pod {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const pod = newPod(
    set,
    set.spec.template,
    { generateName: `${set.metadata.name}-` },
    {
      [revisionLabel]: revision.metadata.labels?.[revisionLabel] ?? "",
      ...(generation === undefined ? {} : { "pod-template-generation": generation }),
    },
  );
  const nodeAffinity = {
    ...pod.spec.affinity?.nodeAffinity,
    ...affinityTo(nodeName),
  };
  return {
    ...pod,
    spec: {
      ...pod.spec,
      affinity: { ...pod.spec.affinity, nodeAffinity },
      tolerations: tolerationsOf(set),
    },
  };
}

function affinityTo(nodeName: string): NodeAffinity {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] }],
    },
  };
}

function tolerationsOf({ spec }: DaemonSet): NonNullable<Pod["spec"]["tolerations"]> {
  const { hostNetwork, tolerations = [] } = spec.template.spec;
  const taints = hostNetwork ? enduredOnHost : endured;
  const own = taints.map(({ name, effect }) => {
    return { key: `node.kubernetes.io/${name}`, operator: "Exists" as const, effect };
  });
  return [...tolerations, ...own];
}

/** The node that a pod of a DaemonSet runs on, or is meant for. */
export function nodeOf({ spec }: Pod): string {
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec.nodeName || (terms?.[0]?.matchFields?.[0]?.values?.[0] ?? "");
}

/** The nodes that should have a pod, and those where an existing pod may stay. */
export interface DaemonNodes {
  readonly wanted: readonly string[];
  readonly suffered: readonly string[];
}

/** A taint that was added later removes a pod only if its effect is NoExecute. */
export function daemonNodes(set: DaemonSet, nodes: readonly Node[]): DaemonNodes {
  const spec = { ...set.spec.template.spec, tolerations: tolerationsOf(set) };
  const fitting = nodes.filter((node) => fitsNode(spec, node));
  const names = (of: readonly Node[]) => of.map(({ metadata }) => metadata.name!);
  return {
    wanted: names(fitting.filter((node) => repellingTaints(spec, node).length === 0)),
    suffered: names(
      fitting.filter((node) => repellingTaints(spec, node).every(({ effect }) => effect !== "NoExecute")),
    ),
  };
}

/** Returns whether a pod was created from a revision. */
export function isOfRevision({ metadata }: Pod, revision: ControllerRevision): boolean {
  return metadata.labels?.[revisionLabel] === revision.metadata.labels?.[revisionLabel];
}
