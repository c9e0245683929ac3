import { ControlLoop } from "./control-loop.ts";
import type { Controller, ControllerContext } from "./controller.ts";
import { cronJobController } from "./cron-job/cron-job-controller.ts";
import { daemonSetController } from "./daemon-set/daemon-set-controller.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { endpointSlicesController } from "./endpoints/endpoint-slices-controller.ts";
import { endpointsController } from "./endpoints/endpoints-controller.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { jobController } from "./job/job-controller.ts";
import { fakeNode } from "./kubelet/fake-node.ts";
import { kubelet } from "./kubelet/kubelet.ts";
import type { ControllerName } from "./names.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { replicaSetController } from "./replica-set/replica-set-controller.ts";
import { persistentVolumeController } from "./volume/persistent-volume-controller.ts";
import { resourceQuotaController } from "./resource-quota/resource-quota-controller.ts";
import { serviceAccountController } from "./service-account/service-account-controller.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { statefulSetController } from "./stateful-set/stateful-set-controller.ts";
import { stageController } from "./stages/stage-controller.ts";

/** Controllers at work. */
interface RunningControllers {
  /** Ends them; resolves when their last writes are through. */
  stop(): Promise<void>;
}

/** All controllers by their names. */
const controllers: Readonly<Record<ControllerName, (context: ControllerContext) => Controller>> = {
  garbagecollector: garbageCollector,
  namespace: namespaceController,
  serviceaccount: serviceAccountController,
  deployment: deploymentController,
  replicaset: replicaSetController,
  statefulset: statefulSetController,
  daemonset: daemonSetController,
  job: jobController,
  cronjob: cronJobController,
  endpoints: endpointsController,
  endpointslice: endpointSlicesController,
  disruption: disruptionController,
  resourcequota: resourceQuotaController,
  persistentvolume: persistentVolumeController,
  scheduler,
  node: fakeNode,
  kubelet,
  stage: stageController,
};

/** Starts controllers by name. Each reads what is there and follows it from then on. */
export function startControllers(
  context: ControllerContext,
  names: readonly ControllerName[],
): RunningControllers {
  const loops = [...new Set(names)].map((name) => new ControlLoop(controllers[name](context), context));
  const leave = loops.map((loop) => context.clock.join?.(() => loop.idle()));
  return {
    async stop() {
      for (const leaveClock of leave) leaveClock?.();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
