import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import type { ControllerContext } from "../../control-loop/controller.ts";
import { aboutObject, events, referenceTo } from "../../control-loop/record-event.ts";

/** What the scheduler did, to what, and for which other object. */
export interface Step {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly message: string;
  readonly related?: KubernetesObject;
}

export type ReportStep = (about: KubernetesObject, step: Step) => Promise<void>;

const component = "default-scheduler";

/**
 * Writes Events as those of `events.k8s.io` are: with an action, and a series instead of a count. An Event that can't be
 * written is dropped.
 */
export function stepReporter({ objects, clock }: ControllerContext, user: string): ReportStep {
  return async (about, { related, ...text }) => {
    const now = formatMicroTime(clock.now());
    const event = aboutObject(about, text);
    const { namespace, name } = event.metadata;
    const same = objects.get(events, namespace, name);
    try {
      if (same) {
        const series = { count: (same.series?.count ?? 1) + 1, lastObservedTime: now };
        await objects.update(user, { ...same, series });
      } else {
        await objects.create(user, {
          ...event,
          ...text,
          eventTime: now,
          reportingComponent: component,
          reportingInstance: `${component}-tsbuilder`,
          ...(related && { related: referenceTo(related) }),
        });
      }
    } catch {
      // A namespace that is being deleted accepts no Events, and nobody would read them.
    }
  };
}
