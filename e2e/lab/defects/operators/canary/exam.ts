import type { KubernetesObject } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { State } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Rollout } from "./types.ts";

export const exam: Exam = {
  kind: Rollout,
  world: () => ({
    controllers: ["deployment", "replicaset", "scheduler", "node", "kubelet"],
    operations: { values: { "spec.image": ["shop:1.0", "shop:1.1", "shop:2.0"] } },
  }),
  promises: {
    never: { "the canary goes before production has its image": goesTooEarly },
  },
  defects: [
    {
      name: "steps-shortened-under-way",
      seenIn:
        "OpenKruise rollouts 309: the index of a step is noted, and a list of steps that becomes shorter under way leaves it beyond the end",
      classes: ["history", "error", "hot-loop", "stuck"],
      edits: [
        { right: "weights[Math.min(step, weights.length - 1)]!", wrong: "weights[step]!" },
        { right: "next.step >= weights.length", wrong: "next.step === weights.length" },
      ],
    },
    {
      name: "abandoned-canary-stays",
      seenIn:
        "rollouts whose image is set back under way: spec and production are equal, so that nothing is left to do, and the canary goes on with what nobody wants",
      classes: ["history", "hang", "hot-loop"],
      edits: [
        {
          right: "const standsIn = candidate && ",
          wrong:
            "if (candidate && candidate.image !== image) return { stableImage, candidate };\n    const standsIn = candidate && ",
        },
      ],
    },
    {
      name: "promoted-only-once",
      seenIn:
        "Sieve's intermediate states: the phase is noted, the process dies, and the step that goes with the phase is never done",
      classes: ["interrupted", "unretried", "drift", "lost-answer"],
      edits: [
        {
          right: "const canaryImage = candidate?.image ?? stableImage;",
          wrong:
            "const canaryImage = candidate?.image ?? stableImage;\n        const running = stable?.spec?.template.spec?.containers[0]?.image ?? stableImage;\n        const produced = status.stableImage === stableImage ? running : stableImage;",
        },
        { right: "spec, stableImage, stableReplicas", wrong: "spec, produced, stableReplicas" },
      ],
    },
    {
      name: "canary-goes-too-early",
      seenIn:
        "Flagger 1202: at promotion the canary is scaled to nothing before the primary's new pods are ready, and too few answer",
      classes: ["promise"],
      edits: [
        {
          right:
            "return { stableImage: next.step >= weights.length ? image : stableImage, candidate: next };",
          wrong:
            "return next.step >= weights.length ? { stableImage: image } : { stableImage, candidate: next };",
        },
      ],
    },
    {
      name: "rejected-image-tried-again",
      seenIn:
        "rollouts that are undone by themselves: spec still names the image that failed, and it is rolled out again, and undone again",
      classes: ["hot-loop", "promise"],
      edits: [{ right: "if (image === rejectedImage) return { stableImage, rejectedImage };", wrong: "" }],
    },
  ],
};

/** True if a canary has no replicas, and pods of production still run another image than it should. */
function goesTooEarly(state: State): boolean {
  return (state.list("Rollout") as readonly Rollout[]).some((rollout) => {
    const deployments = ownedBy(rollout, state.list("Deployment") as readonly Deployment[]);
    const [canary, stable] = ["canary", "stable"].map((track) =>
      deployments.find(({ metadata }) => metadata.name === `${rollout.metadata.name}-${track}`),
    );
    if (!stable || canary?.spec?.replicas !== 0) return false;
    const pods = ownedBy(stable, state.list("ReplicaSet")).flatMap((set) =>
      ownedBy(set, state.list("Pod") as readonly Pod[]),
    );
    return pods.some(
      ({ metadata, spec }) =>
        !metadata.deletionTimestamp && spec?.containers[0]?.image !== rollout.status?.stableImage,
    );
  });
}

function ownedBy<T extends KubernetesObject>(owner: KubernetesObject, objects: readonly T[]): T[] {
  return objects.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid),
  );
}
