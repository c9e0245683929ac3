// The operator of a session. Begin here: it acts as its own ServiceAccount and serves webhooks on this machine;
// `operator-process` runs it in a process that can be restarted quickly and whose clock can be moved.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connect, isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { mkdirSync, writeFileSync } from "node:fs";
import { type MissingPermission, missingPermission } from "@tsbuilder/apimachinery/naming";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { freePort } from "@tsbuilder/apimachinery/port";
import { TsbuilderError } from "../../shared/errors.ts";
import { type OperatorProcess, operatorProcess } from "./operator-process.ts";
import type { LocalWebhooks, ObjectPlace } from "../config/apply-config.ts";
import type { DevCluster } from "../cluster/dev-cluster.ts";
import type { DevEvent, Report } from "../dev-event.ts";
import { type OperatorRecord, listenToOperator, subscriber } from "../record/operator-messages.ts";
import { writePrivate } from "../../shared/files.ts";

/** An address on this machine where the operator serves its webhooks. */
export interface WebhookPlace extends LocalWebhooks {
  readonly port: number;
  /** The address to listen on; undefined for all of them. */
  readonly host: string | undefined;
  /** The folder of `tls.crt` and `tls.key`. */
  readonly certificates: string;
}

/** Where a session's operator runs in the cluster, and where it serves its webhooks, if at all. */
export interface SessionPlace extends ObjectPlace {
  readonly webhooks: WebhookPlace | undefined;
}

export interface SessionOperatorOptions {
  readonly root: string;
  /** The bundle to run. */
  readonly file: string;
  /** The address at which a debugger can attach to the operator: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** Additional arguments of the operator. */
  readonly args?: readonly string[] | undefined;
  /** Receives the reconciles and samples of the operator. */
  readonly record: OperatorRecord;
}

/** Prepares the operator of a session: it acts as its own ServiceAccount, and its output and its exits are reported. */
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
    preload: [operatorClock, subscriber, ...findRuntime(root)],
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
    // Samples, or the user after an edit, may call the webhooks at once.
    restart: async (meanwhile) => {
      await operator.restart(meanwhile);
      if (webhooks) await waitForPort(webhooks.port, () => operator.isRunning());
    },
  };
}

/** The time in milliseconds after which an operator that does not listen has logged the reason. */
const listenTimeout = 10_000;

/**
 * Waits until a port on this machine accepts connections, as long as the process that should open it is running. Returns false
 * if it runs and has not opened the port in time.
 */
export async function waitForPort(
  port: number,
  isAwaited: () => boolean,
  patience = listenTimeout,
): Promise<boolean> {
  const deadline = Date.now() + patience;
  while (isAwaited()) {
    if (await listens(port)) return true;
    if (Date.now() >= deadline) return false;
    await delay(10);
  }
  return true;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Returns the event for an operator that ended by itself. Printing its flags, and losing its Lease, are no errors. */
export function operatorEnd(
  reason: string,
  args: readonly string[],
  isExpected: boolean,
  advice = "see the last lines of its log; it restarts with the next edit",
): DevEvent {
  if (isExpected) return { type: "info", text: `the operator ended ${reason}, as it must without its Lease` };
  if (reason === "with code 0" && args.some((arg) => arg === "--help" || arg === "-h")) {
    return { type: "info", text: "the operator printed its flags and ended: start dev without --help" };
  }
  const error = new TsbuilderError(`the operator exited ${reason}`, {
    code: "TOOL_FAILED",
    hint: advice,
  });
  return { type: "error", error };
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

const loopback = "127.0.0.1";

/** Where an operator serves its webhooks, if it can't be told. */
export interface WebhookChoice {
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** The folder for `tls.crt`, `tls.key` and `ca.crt`. Default: one of the session. */
  readonly certificates?: string | undefined;
}

/**
 * Chooses a port for the webhooks and creates a certificate that the cluster will trust. The address is this machine's
 * own, and no other machine can connect, unless a remote cluster reaches it by another address: `HOST`, or `HOST:PORT`.
 */
export async function prepareWebhooks(
  folder: string,
  reachedBy?: string,
  { port, certificates = join(folder, "webhook-certs") }: WebhookChoice = {},
): Promise<WebhookPlace> {
  const address = reachedBy ?? loopback;
  const { hostname, port: requestedPort } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, "");
  mkdirSync(certificates, { recursive: true });
  const ca = createCA({ commonName: "tsbuilder dev" });
  const serving = issueCertificate(ca, {
    usages: ["server"],
    ...(isIP(host) ? { ipAddresses: [host] } : { dnsNames: [host] }),
  });
  writeFileSync(join(certificates, "ca.crt"), ca.cert);
  writeFileSync(join(certificates, "tls.crt"), serving.cert);
  writePrivate(join(certificates, "tls.key"), serving.key);
  const chosenPort = requestedPort ? Number(requestedPort) : (port ?? (await freePort()));
  return {
    port: chosenPort,
    host: reachedBy === undefined ? loopback : undefined,
    certificates,
    url: `https://${hostname}:${chosenPort}`,
    caBundle: Buffer.from(ca.cert).toString("base64"),
  };
}

/** Returns the URL of the project's runtime package; empty if it can't be loaded outside of the bundle. */
function findRuntime(root: string): string[] {
  try {
    return [pathToFileURL(createRequire(join(root, "package.json")).resolve("@tsbuilder/runtime")).href];
  } catch {
    return [];
  }
}

/**
 * The URL of a module that runs in an operator's process before its runtime is loaded, and replaces the runtime's system time
 * by a clock that can be moved forward. After a move, timers of the runtime fire at their time on the new clock, at once if
 * that has passed. `Date` follows the clock once it has been moved; timers of the operator's own code do not.
 *
 * A move waits until no reconcile runs, whose requests would time out, but at most five seconds.
 */
export const operatorClock = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from "node:diagnostics_channel";
  const { setTimeout, clearTimeout, Date: RealDate } = globalThis;
  const { now } = RealDate;
  const patience = 5000;
  const longestTimer = 2 ** 31 - 1;
  const timers = new Set();
  let ahead = 0;
  let running = 0;
  let move = () => {};

  const clock = {
    get ahead() {
      return ahead;
    },
    now: () => now() + ahead,
    monotonic: () => performance.now() + ahead,
    setTimer(run, milliseconds) {
      const timer = { at: clock.monotonic() + Math.max(0, milliseconds), run };
      timers.add(timer);
      arm(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    moveTo(wanted) {
      if (!(wanted > ahead)) return;
      const late = setTimeout(() => move(), patience);
      move = () => {
        clearTimeout(late);
        move = () => {};
        ahead = wanted;
        moveDate();
        for (const timer of [...timers].sort((a, b) => a.at - b.at)) arm(timer);
      };
      if (running === 0) move();
    },
  };

  function arm(timer) {
    clearTimeout(timer.handle);
    timer.handle = setTimeout(
      () => {
        if (timer.at > clock.monotonic()) return arm(timer);
        timers.delete(timer);
        timer.run();
      },
      Math.min(Math.max(0, timer.at - clock.monotonic()), longestTimer),
    );
  }

  function moveDate() {
    if (globalThis.Date !== RealDate) return;
    globalThis.Date = new Proxy(RealDate, {
      apply: () => new RealDate(clock.now()).toString(),
      construct: (target, args, as) => Reflect.construct(target, args.length === 0 ? [clock.now()] : args, as),
      get: (target, name) => (name === "now" ? clock.now : Reflect.get(target, name)),
    });
    RealDate.prototype.constructor = globalThis.Date;
  }

  subscribe("tsbuilder:reconcile:start", () => running++);
  subscribe("tsbuilder:reconcile:end", () => --running === 0 && move());
  globalThis[Symbol.for("@tsbuilder/clock")] = clock;
`)}`;
