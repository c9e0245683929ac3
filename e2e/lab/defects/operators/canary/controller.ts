import {
  Children,
  type DeepReadonly,
  type Desired,
  generationChanged,
  type Manager,
  pruneServicePorts,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Rollout, type RolloutStatus } from "./types.ts";

// +kubebuilder:rbac:groups=delivery.example.com,resources=rollouts,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=delivery.example.com,resources=rollouts/status,verbs=patch
// +kubebuilder:rbac:groups=delivery.example.com,resources=rollouts/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

type Progress = DeepReadonly<Pick<RolloutStatus, "stableImage" | "candidate" | "rejectedImage">>;
type Spec = Stored<Rollout>["spec"];

const app = "delivery.example.com/rollout";

export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    // Its own writes to the status need no reconcile.
    .controllerFor(Rollout, { predicates: [generationChanged] })
    .owns(Deployment)
    .owns(Service)
    .complete({
      async reconcile(request) {
        // By an old status, production would get its former image back for a moment: asks the server.
        const rollout = await client.find(Rollout, request, { live: true });
        if (!rollout || rollout.metadata.deletionTimestamp) return;
        const { spec, metadata, status = {} } = rollout;
        const { name } = request;
        const { image, replicas = 3, weights = [20, 50] } = spec;
        const children = new Children(client, rollout, { clock });
        const stable = await children.find(Deployment, `${name}-stable`);
        const canary = await children.find(Deployment, `${name}-canary`);

        // Decides, notes it, and does it: whoever dies in between goes on from what was noted.
        const progress = decide(spec, status, stable, canary, clock.now());
        const { stableImage = image, candidate, rejectedImage } = progress;
        const cleared = { candidate: undefined, rejectedImage: undefined };
        const noted = await client.patchStatus(Rollout, rollout, { ...status, ...cleared, ...progress });

        const canaryReplicas = candidate ? shareOf(candidate.step, replicas, weights) : 0;
        const isPromoted = candidate?.image === stableImage;
        // The canary takes over as many as are ready, so that never fewer than before answer.
        const taken =
          candidate && !isPromoted ? Math.min(canaryReplicas, canary?.status?.readyReplicas ?? 0) : 0;
        const stableReplicas = Math.max(1, replicas - taken);
        const canaryImage = candidate?.image ?? stableImage;
        const tried = deploymentFor(name, "canary", spec, canaryImage, canaryReplicas);
        await children.set(Deployment, `${name}-canary`, tried);
        const proven = deploymentFor(name, "stable", spec, stableImage, stableReplicas);
        await children.set(Deployment, `${name}-stable`, proven);
        const ports = [{ name: "http", port: 80, targetPort: spec.port ?? 8080 }];
        const service = { metadata: { labels: { [app]: name } }, spec: { selector: { [app]: name }, ports } };
        await children.set(Service, name, service, pruneServicePorts);

        const [rejection] = children.rejections;
        const settled = isSettled(stable, stableImage, replicas) ? "Stable" : "Progressing";
        const phase = candidate ? (isPromoted ? "Promoting" : "Canary") : settled;
        const reason = rejection?.reason ?? (rejectedImage === undefined ? phase : "RolledBack");
        const ready = {
          type: "Ready",
          status: reason === "Stable" ? "True" : "False",
          reason,
          message: rejection?.message ?? "",
          observedGeneration: metadata.generation!,
        } as const;
        const conditions = setCondition(status.conditions ?? [], ready, clock);
        const { observedGeneration } = ready;
        await client.patchStatus(Rollout, noted, { ...progress, observedGeneration, conditions });
        if (rejection) return children.result(conditions.find(({ type }) => type === "Ready"));
        // Deployments say when they become ready; what remains is time that passes.
        if (!candidate || isPromoted) return;
        const due = candidate.readySince
          ? Date.parse(candidate.readySince) + 1000 * (spec.readySeconds ?? 10)
          : Date.parse(candidate.since) + 1000 * (spec.deadlineSeconds ?? 120);
        return { requeueAfter: `${Math.max(1000, Math.ceil(due - clock.now()))}ms` };
      },
    });
}

/** Returns how far the rollout is: which image is in production, which one is tried, and which one has failed. */
function decide(
  { image, replicas = 3, weights = [20, 50], readySeconds = 10, deadlineSeconds = 120 }: Spec,
  { stableImage = image, candidate, rejectedImage }: Progress,
  stable: Stored<Deployment> | undefined,
  canary: Stored<Deployment> | undefined,
  now: number,
): Progress {
  const time = new Date(now).toISOString();
  if (image === stableImage) {
    // Until production has all of its replicas, the canary stands in with its image.
    const standsIn = candidate && !isSettled(stable, image, replicas);
    return standsIn ? { stableImage, candidate: { ...candidate, image } } : { stableImage };
  }
  if (image === rejectedImage) return { stableImage, rejectedImage };
  if (candidate?.image !== image) return { stableImage, candidate: { image, step: 0, since: time } };
  const { step } = candidate;
  if (!isSettled(canary, image, shareOf(step, replicas, weights))) {
    const since = candidate.readySince === undefined ? earlier(candidate.since, time) : time;
    if (now >= Date.parse(since) + 1000 * deadlineSeconds) return { stableImage, rejectedImage: image };
    return { stableImage, candidate: { image, step, since } };
  }
  const readySince = earlier(candidate.readySince ?? time, time);
  if (now < Date.parse(readySince) + 1000 * readySeconds)
    return { stableImage, candidate: { ...candidate, readySince } };
  const next = { image, step: step + 1, since: time };
  return { stableImage: next.step >= weights.length ? image : stableImage, candidate: next };
}

/** Returns the number of the canary's replicas at a step. Steps may be taken out under way. */
function shareOf(step: number, replicas: number, weights: readonly number[]): number {
  const weight = weights[Math.min(step, weights.length - 1)]!;
  return Math.ceil((replicas * weight) / 100);
}

/** True if a Deployment has all of its replicas, each ready and with this image, and is to have them. */
function isSettled(deployment: Stored<Deployment> | undefined, image: string, replicas: number): boolean {
  if (deployment?.spec?.template.spec?.containers[0]?.image !== image) return false;
  const {
    observedGeneration,
    updatedReplicas = 0,
    readyReplicas = 0,
    replicas: all = 0,
  } = deployment.status ?? {};
  const counts = [deployment.spec.replicas, updatedReplicas, readyReplicas, all];
  return observedGeneration === deployment.metadata.generation && counts.every((count) => count === replicas);
}

/** A time that a wrong clock has put into the future counts from now on. */
function earlier(time: string, now: string): string {
  return time < now ? time : now;
}

function deploymentFor(
  name: string,
  track: "stable" | "canary",
  { port = 8080 }: Spec,
  image: string,
  replicas: number,
): Desired<Deployment> {
  const labels = { [app]: name, "delivery.example.com/track": track };
  const container = { name: "app", image, ports: [{ name: "http", containerPort: port }] };
  return {
    metadata: { labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
