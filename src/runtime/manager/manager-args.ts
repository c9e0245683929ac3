import process from "node:process";
import type { Duration } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { CacheOptions } from "../cache/cache.ts";
import { loadConfig } from "../config/load-config.ts";
import { type LogLevel, createLogger } from "../log/logger.ts";
import type { LeaderElectionOptions, ShardingOptions } from "../leader-election/lease-options.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** The properties of every flag. */
export interface FlagText {
  readonly description: string;
  /** The environment variable that is read if the flag isn't set. */
  readonly env?: string | undefined;
  /** Alternative names, for compatibility with Go. */
  readonly aliases?: readonly string[] | undefined;
}

/** A command-line flag. */
export type FlagDefinition = FlagText &
  (
    | { readonly type: "string"; readonly default?: string | undefined }
    | { readonly type: "boolean"; readonly default?: boolean | undefined }
    | { readonly type: "number"; readonly default?: number | undefined }
    | { readonly type: "duration"; readonly default?: Duration | undefined }
  );

/** Flags by name, without leading dashes: `max-databases`. */
export type FlagDefinitions = { readonly [name: string]: FlagDefinition };

/** Refuses properties that a flag doesn't have, which a type parameter otherwise accepts. */
export type OnlyKnown<Flags> = {
  readonly [Name in keyof Flags]: {
    readonly [Property in Exclude<keyof Flags[Name], keyof FlagDefinition>]: never;
  };
};

type FlagValue<Type> = Type extends "boolean"
  ? boolean
  : Type extends "number"
    ? number
    : Type extends "duration"
      ? Duration
      : string;

/** The types of flag values. A flag without a default may be undefined. */
export type FlagValues<Flags extends FlagDefinitions> = {
  readonly [Name in keyof Flags]:
    | FlagValue<Flags[Name]["type"]>
    | (Flags[Name] extends { readonly default: string | boolean | number }
        ? never
        : Flags[Name]["type"] extends "boolean"
          ? never
          : undefined);
};

/** The command line is invalid. The message is for the user. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/**
 * Parses flags as Go programs do: `--name value`, `--name=value` or one dash; `--name` or `--name=false` for booleans;
 * `--` ends them. Throws a `FlagError` for unknown flags and invalid values.
 */
export function parseFlags(
  definitions: FlagDefinitions,
  argv: readonly string[],
  env: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string | boolean | number | undefined } {
  const values: { [name: string]: string | boolean | number | undefined } = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const fromEnv = definition.env === undefined ? undefined : env[definition.env];
    values[name] =
      fromEnv === undefined
        ? (definition.default ?? (definition.type === "boolean" ? false : undefined))
        : readValue(`the environment variable ${definition.env}`, definition, fromEnv);
  }
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined && argument !== "--"; argument = rest.shift()) {
    const match = /^--?(?<name>[^-=][^=]*)(?:=(?<value>.*))?$/s.exec(argument);
    if (!match) throw new FlagError(`"${argument}" is not a flag: flags start with --`);
    const givenName = match.groups!["name"]!;
    const [name, definition] = findFlag(definitions, givenName);
    const value = match.groups!["value"] ?? (definition.type === "boolean" ? "true" : rest.shift());
    if (value === undefined) throw new FlagError(`--${givenName} needs a value`);
    values[name] = readValue(`--${givenName}`, definition, value);
  }
  return values;
}

/** Finds a flag by its name or an alias. Returns its name and definition. */
function findFlag(definitions: FlagDefinitions, givenName: string): [string, FlagDefinition] {
  const found = Object.entries(definitions).find(
    ([name, { aliases }]) => name === givenName || aliases?.includes(givenName),
  );
  if (!found) throw new FlagError(`there is no flag --${givenName}; --help lists them`);
  return found;
}

function readValue(source: string, { type }: FlagDefinition, text: string): string | boolean | number {
  switch (type) {
    case "boolean":
      if (["1", "t", "true"].includes(text.toLowerCase())) return true;
      if (["0", "f", "false"].includes(text.toLowerCase())) return false;
      throw new FlagError(`${source} is true or false, not "${text}"`);
    case "number":
      if (text.trim() === "" || !Number.isFinite(Number(text)))
        throw new FlagError(`${source} is a number, not "${text}"`);
      return Number(text);
    case "duration":
      try {
        parseDuration(text);
      } catch {
        throw new FlagError(`${source} is a duration such as 30s or 1h30m, not "${text}"`);
      }
      return text;
    case "string":
      return text;
  }
}

/** Formats flags for `--help`. */
export function describeFlags(definitions: FlagDefinitions): string {
  return Object.entries(definitions)
    .sort(([left], [right]) => compareText(left, right))
    .map(([name, { type, description, default: preset, env }]) => {
      const extra = [
        ...(preset === undefined || preset === "" || preset === false ? [] : [`default ${preset}`]),
        ...(env === undefined ? [] : [`or ${env} in the environment`]),
      ];
      return `  --${name}${type === "boolean" ? "" : ` ${type}`}\n        ${description}${extra.length > 0 ? ` (${extra.join(", ")})` : ""}`;
    })
    .join("\n");
}

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

/** Returns a function that makes flags of a type, and keeps the types of their defaults. */
function flagMaker<Type extends FlagDefinition["type"]>(type: Type) {
  return <More extends Partial<FlagDefinition> = {}>(description: string, more?: More) =>
    ({ type, description, ...more }) as { readonly type: Type; readonly description: string } & More;
}

const str = flagMaker("string");
const bool = flagMaker("boolean");

/** The names and defaults of a kubebuilder project's main.go, so that its manifests need no change. */
export const managerFlags = {
  kubeconfig: str(
    "The kubeconfig to use. Otherwise KUBECONFIG, the pod's service account, or ~/.kube/config.",
  ),
  "kube-context": str("The context of the kubeconfig to use, if not its current one."),
  "watch-namespaces": str("The only namespaces to watch, separated by commas; all of them if empty.", {
    env: "WATCH_NAMESPACE",
  }),
  "leader-elect": bool("Run controllers only while holding a lease, so that one of several replicas acts."),
  "leader-election-namespace": str("The namespace of the lease; the pod's own if empty."),
  shards: bool(
    "Share the objects among all replicas, each with a lease of its own, so that all of them reconcile.",
  ),
  "health-probe-bind-address": str("Where /healthz and /readyz are served; 0 for nowhere.", {
    default: ":8081",
  }),
  "metrics-bind-address": str("Where /metrics is served, :8443 with TLS or :8080 without; 0 for nowhere.", {
    default: "0",
  }),
  "metrics-secure": bool(
    "Serve metrics over TLS to callers who may read them; --metrics-secure=false for plain HTTP.",
    { default: true },
  ),
  "metrics-cert-path": str("The folder of the metrics certificate; a self-signed one is made if empty."),
  "metrics-cert-name": str("The file name of the metrics certificate.", { default: "tls.crt" }),
  "metrics-cert-key": str("The file name of its key.", { default: "tls.key" }),
  "metrics-debug": bool("Serve heap snapshots, CPU profiles and the log level beside the metrics."),
  "recorder-bind-address": str(
    "Where the record of what happened last is served, such as 127.0.0.1:8082; 0 for no recorder.",
    { default: "0" },
  ),
  "recorder-bytes": flagMaker("number")("The bytes of memory that the record may take.", {
    default: 8_388_608,
  }),
  "recorder-folder": str(
    "The folder in which the record is saved, such as one of an emptyDir, which outlives the container (default: none).",
  ),
  "enable-webhooks": bool("Serve webhooks; false where no API server can reach this process.", {
    default: true,
    env: "ENABLE_WEBHOOKS",
  }),
  "webhook-port": flagMaker("number")("The port that webhooks are served at.", { default: 9443 }),
  "webhook-host": str("The address that webhooks are served at (default: all of this machine's)."),
  "webhook-cert-path": str("The folder of the webhook certificate."),
  "webhook-cert-name": str("The file name of the webhook certificate.", { default: "tls.crt" }),
  "webhook-cert-key": str("The file name of its key.", { default: "tls.key" }),
  "self-signed-webhook-certs": bool(
    "Make the webhook certificate here, keep it in a Secret and let the API server trust it: for clusters without cert-manager.",
  ),
  "webhook-service": str("The Service in front of the webhooks, for which a certificate is made.", {
    default: "webhook-service",
  }),
  "webhook-shutdown-delay": flagMaker("duration")(
    "How long webhooks are still served after the process was told to end: nodes send requests for a moment.",
    { default: "0s" as const },
  ),
  "graceful-shutdown-timeout": flagMaker("duration")("The time that everything has to stop in.", {
    default: "30s" as const,
  }),
  "log-level": str("debug, info, warn or error.", {
    default: "info",
    env: "LOG_LEVEL",
    aliases: ["zap-log-level"],
  }),
  "log-encoder": str("json for machines, console for people (default: console on a terminal, else json).", {
    aliases: ["zap-encoder"],
  }),
} as const satisfies FlagDefinitions;

/** Parses the command line. Ends the process after `--help`, and when the command line is invalid. */
export function optionsFromArgs<Flags extends FlagDefinitions>(
  args: ManagerArgs<Flags>,
): { options: ManagerOptions; flags: FlagValues<Flags> } {
  const { argv = process.argv.slice(2), env = process.env, flags: userFlags, ...rest } = args;
  const definitions = { ...userFlags, ...managerFlags };
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
  const leaseOptions = (flag: "leader-elect" | "shards") => {
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
    leaderElection: values["leader-elect"]
      ? { ...leaderElection, ...leaseOptions("leader-elect") }
      : undefined,
    sharding: values.shards ? { ...sharding, ...leaseOptions("shards") } : undefined,
    metrics: {
      ...args.metrics,
      bindAddress: values["metrics-bind-address"],
      secure: values["metrics-secure"],
      certPath: values["metrics-cert-path"],
      certName: values["metrics-cert-name"],
      keyName: values["metrics-cert-key"],
      debug: values["metrics-debug"],
    },
    recorder: {
      bindAddress: values["recorder-bind-address"],
      maxBytes: values["recorder-bytes"],
      folder: values["recorder-folder"],
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
