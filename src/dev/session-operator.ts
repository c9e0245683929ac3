import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type MissingPermission, missingPermission } from "@tsbuilder/apimachinery/naming";
import { TsbuilderError } from "../shared/errors.ts";
import { operatorClock } from "./clock/operator-clock.ts";
import type { ObjectPlace } from "./dev-objects.ts";
import type { DevCluster } from "./dev-cluster.ts";
import type { Report } from "./dev-event.ts";
import { operatorEnd } from "./operator-end.ts";
import { type OperatorProcess, operatorProcess } from "./operator-process.ts";
import { listenToOperator, type OperatorRecord } from "./record/listen-to-operator.ts";
import { subscriber } from "./record/subscriber.ts";
import { waitForPort } from "./wait-for-port.ts";
import type { WebhookPlace } from "./webhook-certificate.ts";

/** Where a session's operator runs in the cluster, and where it serves its webhooks, if at all. */
export interface SessionPlace extends ObjectPlace {
  readonly webhooks: WebhookPlace | undefined;
}

/** The options of a session's operator. */
export interface SessionOperatorOptions {
  readonly root: string;
  /** The bundle to run. */
  readonly file: string;
  /** The address at which a debugger can attach to the operator: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** Additional arguments of the operator. */
  readonly args?: readonly string[] | undefined;
  /** Where what it tells is recorded. */
  readonly record: OperatorRecord;
}

/** The operator of a session: it acts as its own ServiceAccount, and its output and its exits are reported. */
export async function sessionOperator(
  { root, file, inspect, args = [], record }: SessionOperatorOptions,
  cluster: DevCluster,
  { namespace, prefix, webhooks }: SessionPlace,
  report: Report,
): Promise<OperatorProcess> {
  const operator = operatorProcess({
    file,
    project: root,
    inspect,
    preload: [operatorClock, subscriber, ...runtimeOf(root)],
    listen: () => {
      report({ type: "again", what: "operator" });
      return listenToOperator(record, (cause) => report({ type: "error", error: notRecorded(cause) }));
    },
    args: [
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
      ...(webhooks ? webhookFlags(webhooks) : ["--enable-webhooks=false"]),
      ...args,
    ],
    env: {
      KUBECONFIG: await cluster.actAs(`${prefix}controller-manager`),
      POD_NAMESPACE: namespace,
      WATCH_NAMESPACE: "",
    },
    onLine: (line) => {
      report({ type: "operator", line });
      const missing = missingPermission(line);
      if (missing) report({ type: "error", error: notAllowed(missing) });
    },
    onExit: (reason, isExpected) => report(operatorEnd(reason, args, isExpected)),
  });
  return {
    ...operator,
    // What follows may call the webhooks, be it samples or the user after an edit.
    restart: async (meanwhile) => {
      await operator.restart(meanwhile);
      if (webhooks) await waitForPort(webhooks.port, () => operator.isRunning());
    },
  };
}

function notAllowed({ verb, resource, marker }: MissingPermission): TsbuilderError {
  return new TsbuilderError(`the operator is not allowed to ${verb} ${resource}`, {
    code: "REFUSED",
    hint: `add a marker to its controller: ${marker}`,
  });
}

function notRecorded(cause: unknown): TsbuilderError {
  return new TsbuilderError("the operator's reconciles can't be recorded any more", {
    code: "REFUSED",
    hint: "the operator keeps running; free some space if the disk is full, and restart tsbuilder dev",
    cause,
  });
}

function webhookFlags({ host, port, certificates }: WebhookPlace): string[] {
  return [
    `--webhook-port=${port}`,
    `--webhook-cert-path=${certificates}`,
    ...(host === undefined ? [] : [`--webhook-host=${host}`]),
  ];
}

/** The project's own runtime package, if it can be loaded outside of the bundle. */
function runtimeOf(root: string): string[] {
  try {
    return [pathToFileURL(createRequire(join(root, "package.json")).resolve("@tsbuilder/runtime")).href];
  } catch {
    return [];
  }
}
