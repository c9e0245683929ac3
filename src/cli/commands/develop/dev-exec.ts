// `tsbuilder dev` runs a `DevSubject`: a project in TypeScript, or the command of --exec, which this file has.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { EmbeddedOptions } from "../../../dev/cluster/embedded-cluster.ts";
import type { PageActions } from "../../../dev/page/page-action.ts";
import type { RecentRecord } from "../../../dev/record/recent-record.ts";
import type { SessionRecording } from "../../../dev/record/session-recording.ts";
import type { SessionOptions } from "../../../dev/session.ts";
import { checkPort } from "../../../project/validate.ts";
import type { ClusterChoice } from "../../../ship/cluster/kubectl.ts";
import { count } from "../../../shared/text.ts";
import { chosenNodes, namesCluster, type nodeFlags } from "../../arguments/cluster-flags.ts";
import {
  type FlagDefinition,
  type FlagValues,
  type Invocation,
  flag,
  invalidArgument,
} from "../../arguments/command.ts";
import { describeError } from "../../reporting/explain-error.ts";
import type { Ui } from "../../reporting/report.ts";

/** The subject of a session of dev: the project of the current folder, or a command. */
export interface DevSubject {
  readonly name: string;
  readonly root: string;
  /** Formats an error of the session. */
  readonly describe: (error: unknown) => string;
  readonly session: (recording: SessionRecording) => SessionOptions | Promise<SessionOptions>;
  /** The actions of the page that need more than the session. */
  readonly actions: (recent: RecentRecord) => PageActions;
}

/** The flags with which dev runs an operator in any language. None of them has an effect without --exec. */
export const commandFlags = {
  exec: flag.string(
    "run this command as the operator, in any language, instead of a project in TypeScript",
    "COMMAND",
  ),
  build: flag.string(
    "with --exec: build the operator with this command first, and after each edit",
    "COMMAND",
  ),
  watch: flag.list("with --exec: files and folders that it is built from (default: all sources)", "PATH"),
  manifests: flag.list(
    "with --exec: files and folders of the operator's manifests (default: config/, as kubebuilder has it)",
    "PATH",
  ),
  "service-account": flag.string(
    "with --exec: the ServiceAccount to act as (default: that of the Deployment in the manifests)",
    "NAMESPACE/NAME",
  ),
  "webhook-port": flag.number(
    "with --exec: port at which the operator serves webhooks (default: 9443)",
    "PORT",
    {
      check: checkPort,
    },
  ),
  "webhook-cert-dir": flag.string(
    "with --exec: folder for the certificate of the webhooks (default: a new one, in WEBHOOK_CERT_DIR)",
    "DIR",
  ),
} as const satisfies Record<string, FlagDefinition>;

export type CommandFlags = FlagValues<typeof commandFlags>;

/** The flags of the embedded cluster. */
export interface EmbeddedFlags extends ClusterChoice, FlagValues<typeof nodeFlags> {
  readonly port: number | undefined;
  readonly "kubernetes-version": string | undefined;
  readonly persist: boolean;
}

/** Returns how a session starts the embedded cluster, whose writes, failures and webhook calls are recorded. */
export function embeddedCluster(
  flags: EmbeddedFlags,
  recording: SessionRecording,
  own: Pick<EmbeddedOptions, "projectName" | "namespace" | "onWrite" | "onRequest">,
): SessionOptions["openCluster"] {
  return async (folder, report) =>
    (await import("../../../dev/cluster/embedded-cluster.ts")).startEmbeddedCluster(
      folder,
      {
        ...flags,
        nodes: chosenNodes(flags),
        kubernetesVersion: flags["kubernetes-version"],
        ...own,
        onWrite: (write) => {
          recording.write(write);
          own.onWrite?.(write);
        },
        onFault: (fault) => recording.fault(fault),
        onWebhookCall: (call) => recording.called(call),
      },
      report,
    );
}

/** Refuses the flags of --exec without it. */
export function refuseCommandFlags(flags: CommandFlags): void {
  const names = Object.keys(commandFlags) as (keyof CommandFlags)[];
  const given = names.find((name) => {
    const value = flags[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  if (given === undefined) return;
  throw invalidArgument(
    `--${given} only applies to an operator in another language`,
    "add the command that runs it: --exec COMMAND",
  );
}

/** kubebuilder's and controller-runtime's default. */
const webhookPort = 9443;

type CommandCall = Pick<Invocation, "rest" | "cwd"> & {
  readonly flags: CommandFlags &
    EmbeddedFlags & {
      readonly inspect: string | true | undefined;
      readonly "webhook-address": string | undefined;
    };
};

/** An operator in any language, in the current folder: the command that runs it was typed, its manifests are found. */
export async function commandSubject({ flags, rest, cwd }: CommandCall, ui: Ui): Promise<DevSubject> {
  refuseProjectFlags(flags, rest);
  const root = realpathSync(cwd);
  const { findOperator } = await import("../../../dev/foreign/find-operator.ts");
  const { CommandProgram } = await import("../../../dev/foreign/command-program.ts");
  const { manifests, "service-account": serviceAccount } = flags;
  const operator = findOperator(root, { manifests, serviceAccount });
  const { name, account, kinds, hasWebhooks, leftOut } = operator;
  ui.note(
    `${name}: ${count(kinds.length, "kind")}${hasWebhooks ? ", webhooks" : ""}; runs as ServiceAccount "${account.name}" in "${account.namespace}"`,
  );
  for (const text of leftOut) ui.note(`not applied: ${text}`);
  const { exec: command = "", build, watch } = flags;
  const program = new CommandProgram({ root, operator, command, build, watch });
  return {
    name,
    root,
    describe: (error) => describeError(error, () => undefined),
    session: (recording) => ({
      root,
      openProgram: () => Promise.resolve(program),
      kinds,
      hasWebhooks,
      webhooks: {
        port: flags["webhook-port"] ?? webhookPort,
        certificates: flags["webhook-cert-dir"] && resolve(cwd, flags["webhook-cert-dir"]),
      },
      openCluster: embeddedCluster(flags, recording, {
        projectName: name,
        namespace: account.namespace,
        onWrite: (write) => program.write(write),
        onRequest: (request) => program.answered(request),
      }),
    }),
    actions: () => ({}),
  };
}

/** Refuses what only works for a project in TypeScript, and what isn't there yet. */
function refuseProjectFlags(flags: CommandCall["flags"], rest: readonly string[]): void {
  if (process.platform === "win32")
    throw invalidArgument("--exec doesn't work on Windows", "use the Windows Subsystem for Linux");
  if (namesCluster(flags) || flags["webhook-address"] !== undefined) {
    throw invalidArgument(
      "--exec runs an operator on the embedded cluster only",
      "omit --context, --kubeconfig and --webhook-address",
    );
  }
  if (flags.inspect !== undefined)
    throw invalidArgument(
      "--inspect only applies to Node",
      "start a debugger in the command: --exec 'dlv exec bin/manager'",
    );
  if (rest.length > 0)
    throw invalidArgument(
      "--exec takes no arguments after --",
      "write them in the command: --exec 'bin/manager --zap-devel'",
    );
}
