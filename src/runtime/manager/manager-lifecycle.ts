import { readDuration } from "../clock/read-duration.ts";
import type { ApiEventRecorder } from "../events/api-event-recorder.ts";
import type { Sharing } from "../leader-election/make-member.ts";
import { parseBindAddress } from "../serve/bind-address.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { WebhookServer } from "../webhook/webhook-server.ts";
import { Lifecycle, type LifecycleParts } from "./lifecycle.ts";
import type { Base } from "./manager-base.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { readMemoryLimits } from "./memory-limits.ts";

interface Stages extends Pick<LifecycleParts, "servers" | "cache" | "elector"> {
  readonly webhooks: WebhookServer;
  readonly events: ApiEventRecorder;
  readonly tracing: Tracing;
  readonly sharing: Sharing | undefined;
}

export function makeLifecycle(
  options: ManagerOptions,
  { log, clock, config, measurements }: Base,
  { tracing, sharing, ...stages }: Stages,
): Lifecycle {
  const { leaderElection, metrics } = options;
  return new Lifecycle({
    log,
    clock,
    prepare: async () => {
      const { credentials } = await config();
      await tracing.start();
      if (!parseBindAddress(metrics?.bindAddress ?? "0")) return;
      const { cache, webhooks, events } = stages;
      const droppedEvents = () => events.dropped;
      const lease = leaderElection?.id;
      const memory = readMemoryLimits();
      await measurements.start({
        cache,
        droppedEvents,
        webhooks,
        lease,
        credentials,
        clock,
        sharing,
        memory,
      });
    },
    ...stages,
    member: sharing?.member,
    gracefulShutdownTimeout: graceOf(options),
  });
}

export function graceOf({ gracefulShutdownTimeout = "30s" }: ManagerOptions): number {
  return readDuration("gracefulShutdownTimeout", gracefulShutdownTimeout);
}
