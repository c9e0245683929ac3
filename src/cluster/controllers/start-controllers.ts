import { ControlLoop } from "../control-loop/control-loop.ts";
import type { Controller, ControllerContext } from "../control-loop/controller.ts";
import { cronJobController } from "../kinds/batch/cron-job/controller/cron-job-controller.ts";
import { daemonSetController } from "../kinds/apps/daemon-set/controller/daemon-set-controller.ts";
import { deploymentController } from "../kinds/apps/deployment/controller/deployment-controller.ts";
import { disruptionController } from "../kinds/policy/pod-disruption-budget/controller/disruption-controller.ts";
import { endpointSlicesController } from "../kinds/discovery/endpoint-slice/controller/endpoint-slices-controller.ts";
import { endpointsController } from "../kinds/core/endpoints/controller/endpoints-controller.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { jobController } from "../kinds/batch/job/controller/job-controller.ts";
import { fakeNode } from "../kinds/core/node/controller/fake-node.ts";
import { kubelet } from "./kubelet/kubelet.ts";
import type { ControllerName } from "./names.ts";
import { namespaceController } from "../kinds/core/namespace/controller/namespace-controller.ts";
import { replicaSetController } from "../kinds/apps/replica-set/controller/replica-set-controller.ts";
import { persistentVolumeController } from "../kinds/core/persistent-volume/controller/persistent-volume-controller.ts";
import { resourceQuotaController } from "../kinds/core/resource-quota/controller/resource-quota-controller.ts";
import { serviceAccountController } from "../kinds/core/service-account/controller/service-account-controller.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { statefulSetController } from "../kinds/apps/stateful-set/controller/stateful-set-controller.ts";
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
