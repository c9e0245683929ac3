import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { ClusterConfig } from "../http/config.ts";
import { configFromContext } from "./config-from-context.ts";
import { inClusterConfig, isInCluster } from "./in-cluster-config.ts";
import {
  type KubeconfigCluster,
  type KubeconfigFile,
  type KubeconfigUser,
  parseKubeconfig,
} from "./kubeconfig-file.ts";
import { proxyFromEnvironment } from "../http/proxy-tunnel.ts";
import { TerminalError } from "../errors/terminal-error.ts";

/** Options of `loadConfig`. */
export interface LoadConfigOptions {
  /** A kubeconfig: its path, or its content as an object. */
  readonly kubeconfig?: string | KubeconfigFile | undefined;
  /** The context to use instead of the kubeconfig's current one. */
  readonly context?: string | undefined;
  /** Default: the environment of the process. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

/**
 * Finds the config for a cluster. Uses the first of these that exists: `kubeconfig`, the files of `KUBECONFIG` (merged,
 * the first value wins), the pod's service account, `~/.kube/config`. If there is none, throws a `TerminalError` that
 * lists where it looked. `HTTPS_PROXY` and `NO_PROXY` apply if the kubeconfig has no proxy itself.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env;
  const config = await findConfig(options, env);
  return { ...config, proxyUrl: config.proxyUrl ?? proxyFromEnvironment(config.server, env) };
}

async function findConfig(
  { kubeconfig, context }: LoadConfigOptions,
  env: { readonly [name: string]: string | undefined },
): Promise<ClusterConfig> {
  if (typeof kubeconfig === "object") return configFromContext(kubeconfig, context, "the given kubeconfig");
  if (kubeconfig) return fromFiles([kubeconfig], context, { mustExist: true });
  const named = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (named.length > 0) return fromFiles(named, context, { mustExist: false });
  if (isInCluster(env)) return inClusterConfig(env);
  const path = join(env.HOME ?? homedir(), ".kube", "config");
  if (existsSync(path)) return fromFiles([path], context, { mustExist: true });
  throw new TerminalError(
    `no cluster config found: there is no --kubeconfig, no KUBECONFIG, no service account of a pod, and no ${path}`,
  );
}

async function fromFiles(
  paths: readonly string[],
  context: string | undefined,
  { mustExist }: { mustExist: boolean },
): Promise<ClusterConfig> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    // Like kubectl: missing files in the list are ignored.
    if (!mustExist && !existsSync(path)) continue;
    files.push(withAbsolutePaths(await readKubeconfig(path), dirname(path)));
  }
  if (files.length === 0)
    throw new TerminalError(`KUBECONFIG names no file that exists: ${paths.join(delimiter)}`);
  return configFromContext(mergeKubeconfigs(files), context, paths.join(delimiter));
}

async function readKubeconfig(path: string): Promise<KubeconfigFile> {
  try {
    return await parseKubeconfig(readFileSync(path, "utf8"));
  } catch (error) {
    throw new TerminalError(`the kubeconfig ${path} can't be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function mergeKubeconfigs(files: readonly KubeconfigFile[]): KubeconfigFile {
  const current = files.find((file) => file["current-context"])?.["current-context"];
  return {
    ...(current !== undefined && { "current-context": current }),
    clusters: firstByName(files.flatMap(({ clusters }) => clusters ?? [])),
    users: firstByName(files.flatMap(({ users }) => users ?? [])),
    contexts: firstByName(files.flatMap(({ contexts }) => contexts ?? [])),
  };
}

function firstByName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return entries.filter((entry, at) => entries.findIndex(({ name }) => name === entry.name) === at);
}

/** Paths in a kubeconfig are relative to the file. */
function withAbsolutePaths(file: KubeconfigFile, folder: string): KubeconfigFile {
  const clusters = file.clusters?.map(({ name, cluster }) => ({
    name,
    cluster: absolute<KubeconfigCluster>(cluster, folder, ["certificate-authority"]),
  }));
  const users = file.users?.map(({ name, user }) => ({
    name,
    user: withAbsoluteExec(
      absolute<KubeconfigUser>(user, folder, ["tokenFile", "client-certificate", "client-key"]),
      folder,
    ),
  }));
  return { ...file, ...(clusters && { clusters }), ...(users && { users }) };
}

/** A program is looked up in PATH, unless it is a path. */
function withAbsoluteExec(user: KubeconfigUser, folder: string): KubeconfigUser {
  const { exec } = user;
  if (!exec || !/[/\\]/.test(exec.command)) return user;
  return { ...user, exec: absolute(exec, folder, ["command"]) };
}

function absolute<T extends object>(entry: T, folder: string, fields: readonly (keyof T)[]): T {
  const result = { ...entry };
  for (const field of fields) {
    const path = result[field];
    if (typeof path === "string" && path !== "" && !isAbsolute(path)) {
      result[field] = join(folder, path) as T[keyof T];
    }
  }
  return result;
}
