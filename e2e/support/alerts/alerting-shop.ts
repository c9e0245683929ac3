import { setTimeout as delay } from "node:timers/promises";
import {
  type Condition,
  createLogger,
  Manager,
  type ManagerOptions,
  type Stored,
  setCondition,
} from "@tsbuilder/runtime";
import type { FaultProxy } from "../../../src/runtime/testing/fault-proxy.ts";
import type { Watched } from "../eventually.ts";
import { useProcessor } from "../runtime/use-processor.ts";
import { Widget } from "../runtime/widget-kinds.ts";

/** Ends the reconciles of Widgets that hang. */
export interface Hanging {
  release: () => void;
}

/** A running operator. */
export interface Shop {
  readonly manager: Manager;
  readonly watch: Watched;
  readonly stop: () => Promise<void>;
}

/** Starts an operator whose Widgets say by their color what goes wrong. */
export function startShop(
  proxy: FaultProxy,
  options: Partial<ManagerOptions>,
  hanging: Hanging = { release() {} },
): Shop {
  const manager = new Manager({
    name: "shop",
    config: proxy.config,
    logger: createLogger({ write() {} }),
    blockedAfter: "300ms",
    gracefulShutdownTimeout: "1s",
    ...options,
  });
  const released = new Promise<void>((resolve) => (hanging.release = resolve));
  manager
    .controllerFor(Widget)
    .withOptions({ maxConcurrentReconciles: 2, backoff: { max: "200ms" } })
    .complete({
      async reconcile(request) {
        const widget = await manager.client.find(Widget, request);
        if (!widget) return;
        if (widget.spec.color === "hangs") await released;
        if (widget.spec.color === "blocks") useProcessor(500);
        if (widget.spec.color === "slow") await delay(1000);
        await manager.client.patchStatus(Widget, widget, statusOf(widget));
        if (widget.spec.color !== undefined) return { requeueAfter: "200ms" };
      },
    });
  manager
    .webhookFor(Widget)
    .validator({
      async validateUpdate(widget) {
        if (widget.spec.color === "breaks its webhook") throw new TypeError("a defect");
        if (widget.spec.color === "delays its webhook") await delay(1500);
      },
    })
    .complete();
  return runShop(manager);
}

/** The status that the operator writes for a Widget. It never observes a change of a Widget whose color is "unobserved". */
function statusOf({ metadata, spec, status: former }: Stored<Widget>): object {
  const { conditions, observedGeneration } = (former ?? {}) as {
    readonly conditions?: Condition[];
    readonly observedGeneration?: number;
  };
  const isReady = spec.color !== "unready";
  const ready = {
    type: "Ready",
    status: isReady ? "True" : "False",
    reason: isReady ? "Made" : "Waiting",
  } as const;
  return {
    ready: spec.size ?? 0,
    conditions: setCondition(conditions, ready),
    observedGeneration: spec.color === "unobserved" ? observedGeneration : metadata.generation,
  };
}

/** Runs a manager in the test's process; waits on it fail if it ends by itself. */
function runShop(manager: Manager): Shop {
  let isStopping = false;
  const watch: { end: string | undefined } & Watched = {
    end: undefined,
    output: "",
    next: () => ended,
  };
  const ended = manager
    .start()
    .catch((error: unknown) => error)
    .then((error) => {
      if (!isStopping) watch.end = `the operator ended: ${String(error)}`;
    });
  return {
    manager,
    watch,
    async stop() {
      isStopping = true;
      manager.stop();
      await ended;
    },
  };
}

/** A ValidatingWebhookConfiguration of the operator at a port of the loopback interface. */
export function shopWebhooks(port: number, caBundle: string): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "shop" },
    webhooks: [
      {
        name: "shop.example.com",
        clientConfig: {
          url: `https://127.0.0.1:${port}/validate-example-com-v1-widget`,
          caBundle: Buffer.from(caBundle).toString("base64"),
        },
        failurePolicy: "Ignore",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [
          { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["widgets"] },
        ],
      },
    ],
  };
}
