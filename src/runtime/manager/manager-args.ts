import process from "node:process";
import type { CacheOptions } from "../cache/cache.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/create-logger.ts";
import type { LogLevel } from "../log/logger.ts";
import {
  describeFlags,
  type FlagDefinition,
  type FlagDefinitions,
  FlagError,
  type FlagValues,
  type OnlyKnown,
  parseFlags,
} from "./flags.ts";
import type { LeaderElectionOptions, ShardingOptions } from "../leader-election/options.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** Arguments of `Manager.fromArgs`; the command line sets the rest. */
export interface ManagerArgs<Flags extends FlagDefinitions = {}> extends Omit<
  ManagerOptions,
  "config" | "leaderElection" | "sharding" | "ownsProcess"
> {
  /** The name of the Lease: unique in the namespace, and the same for all replicas. */
  readonly leaderElectionId?: string | undefined;
  /** Timing and labels of the leader election, if `--leader-elect` is set. */
  readonly leaderElection?: Omit<LeaderElectionOptions, "id"> | undefined;
  /** How the replicas share the objects, if `--shards` is set. The `leaderElectionId` names their Leases. */
  readonly sharding?: Omit<ShardingOptions, "id"> | undefined;
  /** Flags of your own; their values are in `manager.flags`. */
  readonly flags?: (Flags & OnlyKnown<Flags>) | undefined;
  /** Default: the arguments of the process. */
  readonly argv?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

function flag<Type extends FlagDefinition["type"], More extends Partial<FlagDefinition> = {}>(
  type: Type,
  description: string,
  more?: More,
): { readonly type: Type; readonly description: string } & More {
  return { type, description, ...more } as { type: Type; description: string } & More;
}

/** The names and defaults of a kubebuilder project's main.go, so that its manifests need no change. */
export const managerFlags = {
  kubeconfig: flag(
    "string",
    "The kubeconfig to use. Otherwise KUBECONFIG, the pod's service account, or ~/.kube/config.",
  ),
  "kube-context": flag("string", "The context of the kubeconfig to use, if not its current one."),
  "watch-namespaces": flag(
    "string",
    "The only namespaces to watch, separated by commas; all of them if empty.",
    {
      env: "WATCH_NAMESPACE",
    },
  ),
  "leader-elect": flag(
    "boolean",
    "Run controllers only while holding a lease, so that one of several replicas acts.",
  ),
  "leader-election-namespace": flag("string", "The namespace of the lease; the pod's own if empty."),
  shards: flag(
    "boolean",
    "Share the objects among all replicas, each with a lease of its own, so that all of them reconcile.",
  ),
  "health-probe-bind-address": flag("string", "Where /healthz and /readyz are served; 0 for nowhere.", {
    default: ":8081",
  }),
  "metrics-bind-address": flag(
    "string",
    "Where /metrics is served, :8443 with TLS or :8080 without; 0 for nowhere.",
    {
      default: "0",
    },
  ),
  "metrics-secure": flag(
    "boolean",
    "Serve metrics over TLS to callers who may read them; --metrics-secure=false for plain HTTP.",
    {
      default: true,
    },
  ),
  "metrics-cert-path": flag(
    "string",
    "The folder of the metrics certificate; a self-signed one is made if empty.",
  ),
  "metrics-cert-name": flag("string", "The file name of the metrics certificate.", { default: "tls.crt" }),
  "metrics-cert-key": flag("string", "The file name of its key.", { default: "tls.key" }),
  "metrics-debug": flag(
    "boolean",
    "Serve heap snapshots, CPU profiles and the log level beside the metrics.",
  ),
  "enable-webhooks": flag("boolean", "Serve webhooks; false where no API server can reach this process.", {
    default: true,
    env: "ENABLE_WEBHOOKS",
  }),
  "webhook-port": flag("number", "The port that webhooks are served at.", { default: 9443 }),
  "webhook-host": flag("string", "The address that webhooks are served at (default: all of this machine's)."),
  "webhook-cert-path": flag("string", "The folder of the webhook certificate."),
  "webhook-cert-name": flag("string", "The file name of the webhook certificate.", { default: "tls.crt" }),
  "webhook-cert-key": flag("string", "The file name of its key.", { default: "tls.key" }),
  "self-signed-webhook-certs": flag(
    "boolean",
    "Make the webhook certificate here, keep it in a Secret and let the API server trust it: for clusters without cert-manager.",
  ),
  "webhook-service": flag(
    "string",
    "The Service in front of the webhooks, for which a certificate is made.",
    {
      default: "webhook-service",
    },
  ),
  "webhook-shutdown-delay": flag(
    "duration",
    "How long webhooks are still served after the process was told to end: nodes send requests for a moment.",
    { default: "0s" as const },
  ),
  "graceful-shutdown-timeout": flag("duration", "The time that everything has to stop in.", {
    default: "30s" as const,
  }),
  "log-level": flag("string", "debug, info, warn or error.", {
    default: "info",
    env: "LOG_LEVEL",
    aliases: ["zap-log-level"],
  }),
  "log-encoder": flag(
    "string",
    "json for machines, console for people (default: console on a terminal, else json).",
    { aliases: ["zap-encoder"] },
  ),
} as const satisfies FlagDefinitions;

/** Parses the command line. Ends the process after `--help`, and when the command line is invalid. */
export function optionsFromArgs<Flags extends FlagDefinitions>(
  args: ManagerArgs<Flags>,
): { options: ManagerOptions; flags: FlagValues<Flags> } {
  const { argv = process.argv.slice(2), env = process.env, flags: own, ...rest } = args;
  const definitions = { ...own, ...managerFlags };
  if (argv.some((argument) => /^--?h(?:elp)?$/.test(argument))) {
    process.stdout.write(`${args.name} takes these flags:\n${describeFlags(definitions)}\n`);
    process.exit(0);
  }
  try {
    const values = parseFlags(definitions, argv, env);
    return {
      options: managerOptions(rest, values as FlagValues<typeof managerFlags>),
      flags: values as FlagValues<Flags>,
    };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

function managerOptions(
  { leaderElectionId, leaderElection, sharding, ...args }: Omit<ManagerArgs, "flags" | "argv" | "env">,
  values: FlagValues<typeof managerFlags>,
): ManagerOptions {
  const level = readLevel(values["log-level"]);
  const encoder = values["log-encoder"];
  if (encoder !== undefined && encoder !== "json" && encoder !== "console")
    throw new FlagError(`--log-encoder is json or console, not "${encoder}"`);
  const leases = (flag: "leader-elect" | "shards") => {
    if (leaderElectionId === undefined)
      throw new FlagError(`--${flag} needs a leaderElectionId in Manager.fromArgs()`);
    const namespace = values["leader-election-namespace"];
    return { id: leaderElectionId, ...(namespace !== undefined && { namespace }) };
  };
  return {
    ...args,
    ownsProcess: true,
    logger: args.logger ?? createLogger({ level, encoder }),
    config: () => loadConfig({ kubeconfig: values.kubeconfig, context: values["kube-context"] }),
    cache: cacheOptions(args.cache, values["watch-namespaces"]),
    healthProbeBindAddress: values["health-probe-bind-address"],
    gracefulShutdownTimeout: values["graceful-shutdown-timeout"],
    leaderElection: values["leader-elect"] ? { ...leaderElection, ...leases("leader-elect") } : undefined,
    sharding: values.shards ? { ...sharding, ...leases("shards") } : undefined,
    metrics: {
      ...args.metrics,
      bindAddress: values["metrics-bind-address"],
      secure: values["metrics-secure"],
      certPath: values["metrics-cert-path"],
      certName: values["metrics-cert-name"],
      keyName: values["metrics-cert-key"],
      debug: values["metrics-debug"],
    },
    webhooks: {
      ...args.webhooks,
      enabled: values["enable-webhooks"],
      port: values["webhook-port"],
      host: values["webhook-host"] ?? args.webhooks?.host,
      selfManaged: values["self-signed-webhook-certs"]
        ? { ...args.webhooks?.selfManaged, service: values["webhook-service"] }
        : args.webhooks?.selfManaged,
      certPath: values["webhook-cert-path"] ?? args.webhooks?.certPath,
      certName: values["webhook-cert-name"],
      keyName: values["webhook-cert-key"],
      shutdownDelay: values["webhook-shutdown-delay"],
    },
  };
}

/** zap also accepts a number: the verbosity of debug logs. */
function readLevel(text: string): LogLevel {
  if (/^\d+$/.test(text)) return text === "0" ? "info" : "debug";
  if (text === "debug" || text === "info" || text === "warn" || text === "error") return text;
  throw new FlagError(`--log-level is debug, info, warn or error, not "${text}"`);
}

function cacheOptions(
  cache: CacheOptions | undefined,
  namespaces: string | undefined,
): CacheOptions | undefined {
  const names = (namespaces ?? "").split(",").map((name) => name.trim());
  return names.every((name) => name === "")
    ? cache
    : { ...cache, namespaces: names.filter((name) => name !== "") };
}
